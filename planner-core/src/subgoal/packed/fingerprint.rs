//! Tells maps apart.

use super::format::CRC;
use crate::terrain::{Terrain, step};

/// A number that differs, but for one case in four billion, when anything differs that a tree depends
/// on: the size of the map, the moves from any cell, their costs, the estimates. Takes time in
/// proportion to the map.
///
/// ```
/// use planner_core::subgoal::packed::fingerprint;
/// use planner_core::terrain::{Cells, Four, Terrain, Uniform};
/// use planner_core::{Cell, Observation, map::{Occupancy, Unknown}};
///
/// let mut bits = [0; Cells::<Four>::words(9, 9)];
/// let mut terrain = Cells::<Four>::new(9, 9, &mut bits, Unknown::AsFree, Uniform)?;
/// let empty = fingerprint(&terrain);
/// terrain.observe(Observation::Cell(Cell::new(3, 3), Occupancy::Blocked)).unwrap();
/// assert_ne!(fingerprint(&terrain), empty);
/// # Ok::<(), planner_core::BuildError>(())
/// ```
#[must_use]
pub fn fingerprint<T: Terrain>(terrain: &T) -> u32 {
    let grid = terrain.grid();
    let mut digest = CRC.digest();
    let mut word = |number: usize| digest.update(&(number as u32).to_le_bytes());
    for number in [
        T::MOVES,
        grid.width().into(),
        grid.height().into(),
        terrain.estimate(1, 0),
        terrain.estimate(0, 1),
        terrain.estimate(1, 1),
    ] {
        word(number);
    }
    for vertex in 0..grid.vertices() {
        if !terrain.is_open(vertex) {
            word(0);
            continue;
        }
        let moves = terrain.moves(vertex);
        let possible = |m: &usize| moves.contains(*m) && terrain.is_open(step(grid, vertex, *m));
        let set = (0..T::MOVES)
            .filter(possible)
            .fold(0, |set, m| set | 1 << m);
        word(set);
        word(terrain.cost(0, vertex));
    }
    digest.finalize()
}
