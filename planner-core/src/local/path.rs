//! The path through the local search space that the robot follows.

use super::{
    SuccessorOrder,
    space::{Entry, ROBOT, Space, State},
};
use crate::{
    graph::{Graph, opposite},
    width::{Width, Word, add, infinity},
};

/// The use of the path that a local search found.
///
/// These are different planners. Following takes far fewer searches; re-planning finds shorter paths
/// for the same limit per step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Follow {
    /// Makes its first step and plans again.
    #[default]
    ReplanEachStep,
    /// Follows it until it leaves the local search space, or is blocked, or its cost changes.
    Path,
    /// Descends along the updated values until it leaves the local search space, or is blocked, or the cost
    /// changes. It leaves sooner than with [`Follow::Path`]: of equally good next
    /// cells it takes the first in [`SuccessorOrder`], whether or not that one has been expanded.
    Descent,
}

impl<W: Width, const N: usize> Space<W, N> {
    /// The robot's move from a vertex, if that is on the path.
    pub(super) fn next_move(&self, vertex: usize) -> Option<usize> {
        let entry = self.table.entry(self.table.find_generated(vertex)?);
        (entry.state() == State::Path).then_some(entry.tree())
    }

    /// Step 3 of LSS-LRTA*: the path to the entry `best`, along the edges of the search tree.
    pub(super) fn mark_tree_path(&mut self, graph: &impl Graph, best: usize) {
        let mut number = best;
        let mut entry = self.table.entry(number);
        // Ends at the robot: a cell's parent was closed before the cell.
        while number != ROBOT {
            let to_parent = entry.tree();
            let parent = graph.grid().neighbor(entry.vertex(), to_parent);
            let Some(parent) = self.table.find_inlined(parent) else {
                return;
            };
            number = parent;
            entry = self.table.entry(parent); // its move to its own parent is about to be replaced
            self.mark(parent, opposite(to_parent));
        }
    }

    /// The path that descends along the updated values, from the robot to the frontier of the local
    /// search space. It is a shortest one even where the search tree is not, because the h-values
    /// were inconsistent or cells were expanded breadth first and differ in cost.
    pub(super) fn mark_descent<G: Graph>(&mut self, graph: &G, order: &mut SuccessorOrder) {
        let mut number = ROBOT;
        // Values fall at each step, so no cell is met twice.
        for _ in 0..self.table.len() {
            let entry = self.table.entry(number);
            if entry.state() == State::Open {
                return;
            }
            let moves = graph.moves(entry.vertex());
            let mut least = infinity::<W>();
            let mut next = None;
            for m in order.moves(G::MOVES).filter(|&m| moves.contains(m)) {
                if let Some((to, cost, value)) = self.beyond(graph, &entry, m)
                    && value < least
                {
                    least = value;
                    next = Some((m, to, cost));
                }
            }
            let Some((m, to, cost)) = next else {
                return;
            };
            self.mark(number, m);
            if let Some(beyond) = self.table.entries.get_mut(to) {
                beyond.g = W::Cost::new(add::<W>(entry.g.get(), cost));
            }
            number = to;
        }
    }

    /// Returns whether the path's first step leads to a cell whose value is smaller than the robot's cell's
    /// by at least the cost of the step.
    pub(super) fn descends(&self, graph: &impl Graph) -> bool {
        let robot = self.table.entry(ROBOT);
        match self.beyond(graph, &robot, robot.tree()) {
            Some((_, _, value)) => value <= robot.h.get(),
            None => false,
        }
    }

    /// Returns whether the path can be followed from a vertex to its end, and costs what it did.
    pub(super) fn is_intact(&self, graph: &impl Graph, vertex: usize) -> bool {
        let Some(mut number) = self.table.find_inlined(vertex) else {
            return false;
        };
        let mut entry = self.table.entry(number);
        let mut g = entry.g.get();
        for _ in 0..self.table.len() {
            if entry.state() != State::Path {
                break;
            }
            let m = entry.tree();
            if !graph.moves(entry.vertex()).contains(m) {
                return false;
            }
            let Some((to, cost, _)) = self.beyond(graph, &entry, m) else {
                return false;
            };
            g = add::<W>(g, cost);
            number = to;
            entry = self.table.entry(number);
            if !graph.is_passable(entry.vertex()) {
                return false;
            }
        }
        g == entry.g.get()
    }

    /// The entry that move `m` leads to, the cost of the move, and that with the value there.
    fn beyond(
        &self,
        graph: &impl Graph,
        from: &Entry<W>,
        m: usize,
    ) -> Option<(usize, usize, usize)> {
        let vertex = graph.grid().neighbor(from.vertex(), m);
        let number = self.table.find_inlined(vertex)?;
        let cost = graph.cost(m, vertex);
        let value = add::<W>(self.table.entry(number).h.get(), cost);
        Some((number, cost, value))
    }

    fn mark(&mut self, number: usize, m: usize) {
        if let Some(entry) = self.table.entries.get_mut(number) {
            entry.mark(State::Path, m);
        }
    }
}
