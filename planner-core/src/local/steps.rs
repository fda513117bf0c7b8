//! Vertex offsets of the moves, computed once per search.

use crate::graph::Graph;

/// The offset of each move, to be added to a vertex.
pub(super) struct Steps([usize; 8]);

impl Steps {
    pub(super) fn new<G: Graph>(graph: &G) -> Self {
        let mut steps = [0; 8];
        for (m, by) in steps.iter_mut().enumerate().take(G::MOVES) {
            *by = graph.grid().neighbor(0, m);
        }
        Self(steps)
    }

    /// The vertex that move `m` leads to, as [`Grid::neighbor`](crate::graph::Grid::neighbor) has it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn step(&self, from: usize, m: usize) -> usize {
        from.wrapping_add(self.0[m & 7])
    }
}
