//! A checksum of a map.

use super::format::CRC;
use crate::graph::Graph;

/// A number that differs, but for one case in four billion, when anything differs that a tree depends
/// on: the size of the map, the moves from any cell, their costs, the heuristic. Takes time in
/// proportion to the map.
///
/// ```
/// use planner_core::{map::AsFree, prelude::*, subgoal::packed::fingerprint};
///
/// let mut map = CellMap::<Array<{ capacity(9, 9) }>>::new();
/// map.resize(9, 9)?;
/// let empty = fingerprint(&map.view::<AsFree>());
/// let _ = map.observe(Observation::Cell(Cell::new(3, 3), Occupancy::Blocked))?;
/// assert_ne!(fingerprint(&map.view::<AsFree>()), empty);
/// # Ok::<(), planner_core::Error>(())
/// ```
#[must_use]
pub fn fingerprint<G: Graph>(graph: &G) -> u32 {
    let grid = graph.grid();
    let mut digest = CRC.digest();
    let mut word = |number: usize| digest.update(&(number as u32).to_le_bytes());
    for number in [
        G::MOVES,
        grid.width().into(),
        grid.height().into(),
        graph.heuristic(1, 0),
        graph.heuristic(0, 1),
        graph.heuristic(1, 1),
    ] {
        word(number);
    }
    for vertex in 0..grid.vertices() {
        if !graph.is_passable(vertex) {
            word(0);
            continue;
        }
        let moves = graph.moves(vertex);
        let possible =
            |m: &usize| moves.contains(*m) && graph.is_passable(grid.neighbor(vertex, *m));
        let set = (0..G::MOVES)
            .filter(possible)
            .fold(0, |set, m| set | 1 << m);
        word(set);
        word(graph.cost(0, vertex));
    }
    digest.finalize()
}
