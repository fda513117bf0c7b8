//! Caves: open ground and masses of rock with ragged edges, as game maps have them.

use planner_core::Cell;
use rand::Rng;

use super::{
    Grid,
    random::{ObstaclesError, obstacles},
};

/// The share of cells that are rock before it is smoothed.
const ROCK: f64 = 0.45;
/// Number of smoothing steps.
const ROUNDS: u32 = 4;

/// A world in which each cell takes the side of most of the nine around it, several times over,
/// until scattered rocks have grown together. What the largest open ground does not reach is filled.
pub fn caves(width: u16, height: u16, rng: &mut impl Rng) -> Result<Grid, ObstaclesError> {
    let mut grid = obstacles(width, height, ROCK, rng)?;
    for _ in 0..ROUNDS {
        let before = grid.clone();
        for cell in before.cells() {
            let rocks = around(cell).filter(|&near| !before.is_free(near)).count();
            grid.set_blocked(cell, rocks >= 5);
        }
    }
    Ok(grid.largest_region())
}

/// A cell and those beside it; what would be outside is [`Cell`] that no world has.
fn around(Cell { x, y }: Cell) -> impl Iterator<Item = Cell> {
    (0..9).map(move |place: u16| {
        let beside = |at: u16, offset: u16| (at + offset).checked_sub(1).unwrap_or(u16::MAX);
        Cell::new(beside(x, place % 3), beside(y, place / 3))
    })
}

#[cfg(test)]
mod tests {
    use super::super::rng;
    use super::*;

    #[test]
    fn caves_are_connected_and_neither_empty_nor_full() {
        for run in 0..20 {
            let grid = caves(161, 161, &mut rng::derived(1, run)).unwrap();
            let free: Vec<Cell> = grid.free_cells().collect();
            assert_eq!(grid.reachable(free[0]), grid);
            assert!((8_000..22_000).contains(&free.len()), "{}", free.len());
        }
    }

    #[test]
    fn blocked_cells_form_clusters() {
        let grid = caves(161, 161, &mut rng::seeded(2)).unwrap();
        let beside = |Cell { x, y }: Cell| [Cell::new(x + 1, y), Cell::new(x, y + 1)];
        let inside = |cell: &Cell| cell.x < 160 && cell.y < 160;
        let pairs = grid
            .cells()
            .filter(inside)
            .flat_map(|cell| beside(cell).map(|b| (cell, b)));
        let (equal, all) = pairs.fold((0, 0), |(equal, all), (a, b)| {
            (
                equal + usize::from(grid.is_free(a) == grid.is_free(b)),
                all + 1,
            )
        });
        assert!(equal * 5 > all * 4, "{equal} of {all}");
    }
}
