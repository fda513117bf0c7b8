//! Corridor mazes, the terrain of the D* Lite and Adaptive A* experiments.
//!
//! Likhachev and Koenig (2006) generate the corridors of 201x201 cells with a randomised
//! depth-first search and then remove 750 walls; the Adaptive A* experiments open 100 cells of
//! 101x101. A removed wall is read as an unblocked *cell*, pillars included: with that reading
//! the published numbers of expansions come out, with proper walls only they do not.

use planner_core::Cell;
use rand::{
    Rng, RngExt,
    seq::{IteratorRandom, SliceRandom},
};
use thiserror::Error;

use super::{Grid, SizeError};

/// A maze that cannot be generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MazeError {
    /// The size is impossible.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// There are not that many walls to open.
    #[error("cannot open {asked} cells of a maze that has {blocked} blocked ones")]
    Openings { asked: u32, blocked: usize },
}

/// A maze of one-cell corridors, then `openings` of its blocked cells made free.
///
/// The corridors join rooms of one cell, at even columns and even rows, by a depth-first search
/// with random tie breaking, so that before the openings there is exactly one path between any
/// two. There is no wall around: with odd sides every blocked cell is an inner one. An even side
/// ends in a blocked column or row.
pub fn corridors(
    width: u16,
    height: u16,
    openings: u32,
    rng: &mut impl Rng,
) -> Result<Grid, MazeError> {
    let mut grid = Grid::filled(width, height, true)?;
    carve(&mut grid, rng);
    open(&mut grid, openings, rng)?;
    Ok(grid)
}

fn carve(grid: &mut Grid, rng: &mut impl Rng) {
    let first = Cell::new(
        2 * rng.random_range(0..grid.width().div_ceil(2)),
        2 * rng.random_range(0..grid.height().div_ceil(2)),
    );
    grid.set_blocked(first, false);
    let mut trail = vec![first];
    while let Some(&room) = trail.last() {
        match uncarved_neighbors(grid, room).choose(rng) {
            Some(next) => {
                let passage = Cell::new(room.x.midpoint(next.x), room.y.midpoint(next.y));
                grid.set_blocked(passage, false);
                grid.set_blocked(next, false);
                trail.push(next);
            }
            None => {
                trail.pop();
            }
        }
    }
}

fn uncarved_neighbors(grid: &Grid, room: Cell) -> impl Iterator<Item = Cell> + '_ {
    [(0, -2), (2, 0), (0, 2), (-2, 0)]
        .into_iter()
        .filter_map(move |(dx, dy)| {
            let next = Cell::new(
                room.x.checked_add_signed(dx)?,
                room.y.checked_add_signed(dy)?,
            );
            (grid.contains(next) && !grid.is_free(next)).then_some(next)
        })
}

fn open(grid: &mut Grid, openings: u32, rng: &mut impl Rng) -> Result<(), MazeError> {
    let mut walls: Vec<Cell> = grid.cells().filter(|&cell| !grid.is_free(cell)).collect();
    let blocked = walls.len();
    if openings as usize > blocked {
        let asked = openings;
        return Err(MazeError::Openings { asked, blocked });
    }
    let (opened, _) = walls.partial_shuffle(rng, openings as usize);
    for &cell in opened.iter() {
        grid.set_blocked(cell, false);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::rng;
    use super::*;

    fn is_room(cell: Cell) -> bool {
        cell.x.is_multiple_of(2) && cell.y.is_multiple_of(2)
    }

    fn is_pillar(cell: Cell) -> bool {
        cell.x % 2 == 1 && cell.y % 2 == 1
    }

    #[test]
    fn without_openings_a_maze_is_perfect() {
        for (width, height) in [(1, 1), (1, 9), (2, 2), (3, 3), (20, 31), (101, 101)] {
            let maze = corridors(width, height, 0, &mut rng::seeded(5)).unwrap();
            let rooms = usize::from(width.div_ceil(2)) * usize::from(height.div_ceil(2));
            let free: Vec<Cell> = maze.free_cells().collect();
            let passages = free.iter().filter(|&&cell| !is_room(cell)).count();
            assert_eq!(free.len() - passages, rooms, "{maze:?}");
            assert_eq!(passages, rooms - 1, "{maze:?}");
            assert!(!free.iter().any(|&cell| is_pillar(cell)), "{maze:?}");
            assert_eq!(maze.reachable(Cell::new(0, 0)), maze);
        }
    }

    #[test]
    fn openings_add_exactly_that_many_free_cells() {
        let closed = corridors(201, 201, 0, &mut rng::seeded(9)).unwrap();
        let opened = corridors(201, 201, 750, &mut rng::seeded(9)).unwrap();
        let added: Vec<Cell> = opened
            .free_cells()
            .filter(|&cell| !closed.is_free(cell))
            .collect();
        assert_eq!(added.len(), 750);
        assert!(closed.free_cells().all(|cell| opened.is_free(cell)));
        // Half of the blocked cells of a perfect maze are pillars.
        let pillars = added.iter().filter(|&&cell| is_pillar(cell)).count();
        assert!((300..450).contains(&pillars), "{pillars} pillars");
    }

    #[test]
    fn an_even_side_ends_in_a_blocked_line() {
        let maze = corridors(6, 4, 0, &mut rng::seeded(0)).unwrap();
        assert!(
            maze.free_cells().all(|cell| cell.x < 5 && cell.y < 3),
            "{maze:?}"
        );
    }

    #[test]
    fn corridors_have_no_preferred_direction() {
        let mut upright = 0;
        let mut level = 0;
        for run in 0..20 {
            let maze = corridors(101, 101, 0, &mut rng::derived(2, run)).unwrap();
            upright += maze.free_cells().filter(|cell| cell.y % 2 == 1).count();
            level += maze.free_cells().filter(|cell| cell.x % 2 == 1).count();
        }
        assert_eq!(upright + level, 20 * (51 * 51 - 1));
        assert!(upright.abs_diff(level) < 1_000, "{upright} and {level}");
    }

    #[test]
    fn all_walls_can_be_opened_and_not_one_more() {
        let all = corridors(3, 3, 2, &mut rng::seeded(0)).unwrap();
        assert_eq!(all, Grid::filled(3, 3, false).unwrap());
        assert_eq!(
            corridors(3, 3, 3, &mut rng::seeded(0)),
            Err(MazeError::Openings {
                asked: 3,
                blocked: 2
            })
        );
    }
}
