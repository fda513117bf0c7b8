//! Rooms joined by doors, the changing world of the Real-Time D* experiments.
//!
//! Bond et al. (2010) divide 100x100 cells into rectangular rooms, each with up to four doors to
//! the rooms beside it, and let the doors open and close while the robot moves from the
//! upper left corner to the lower right one. The paper does not give the size of a room; here a
//! room and its wall measure about ten cells each way.

use std::ops::Range;

use planner_core::Cell;
use rand::{Rng, RngExt};

use super::{Grid, SizeError};

/// The cells from one wall to the next.
const PITCH: u16 = 10;

/// A world of rooms, and where its doors are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rooms {
    /// The world with every door open; all its free cells are connected.
    pub grid: Grid,
    /// One in each wall between two rooms.
    pub doors: Vec<Door>,
}

/// A cell in the wall between two rooms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Door {
    pub cell: Cell,
    /// The rooms on its sides, counted row by row.
    pub joins: [usize; 2],
}

/// Rooms of nearly equal size, with one door at a random place in each wall between two of them.
///
/// There is no wall around the whole, so that all four corners are free. A side too short for two
/// rooms has one.
pub fn rooms(width: u16, height: u16, rng: &mut impl Rng) -> Result<Rooms, SizeError> {
    let mut grid = Grid::filled(width, height, true)?;
    let columns = spans(width);
    let rows = spans(height);
    for (column, row) in pairs(&columns, &rows) {
        for cell in row.flat_map(|y| column.clone().map(move |x| Cell::new(x, y))) {
            grid.set_blocked(cell, false);
        }
    }

    let room = |column: usize, row: usize| row * columns.len() + column;
    let mut doors = Vec::new();
    for ((right, wall), (row, inside)) in pairs(&walls(&columns), &numbered(&rows)) {
        doors.push(Door {
            cell: Cell::new(wall, rng.random_range(inside)),
            joins: [room(right - 1, row), room(right, row)],
        });
    }
    for ((column, inside), (below, wall)) in pairs(&numbered(&columns), &walls(&rows)) {
        doors.push(Door {
            cell: Cell::new(rng.random_range(inside), wall),
            joins: [room(column, below - 1), room(column, below)],
        });
    }
    for door in &doors {
        grid.set_blocked(door.cell, false);
    }
    Ok(Rooms { grid, doors })
}

/// The insides of the rooms along a side of `length` cells, one wall cell apart; none is empty.
fn spans(length: u16) -> Vec<Range<u16>> {
    let count = (length.saturating_add(1 + PITCH / 2) / PITCH).max(1);
    let inside = length - (count - 1);
    let mut next = 0;
    (0..count)
        .map(|room| {
            let start = next;
            let end = start + inside / count + u16::from(room < inside % count);
            next = end + 1;
            start..end
        })
        .collect()
}

fn numbered(spans: &[Range<u16>]) -> Vec<(usize, Range<u16>)> {
    spans.iter().cloned().enumerate().collect()
}

/// The walls before all rooms of a side but the first, each with the number of the room behind it.
fn walls(spans: &[Range<u16>]) -> Vec<(usize, u16)> {
    let wall = |(room, span): (usize, Range<u16>)| (room, span.start - 1);
    numbered(spans).into_iter().skip(1).map(wall).collect()
}

fn pairs<A: Clone, B: Clone>(a: &[A], b: &[B]) -> impl Iterator<Item = (A, B)> {
    a.iter()
        .flat_map(move |a| b.iter().map(move |b| (a.clone(), b.clone())))
}

#[cfg(test)]
mod tests {
    use super::super::rng;
    use super::*;

    fn closed(rooms: &Rooms) -> Grid {
        let mut grid = rooms.grid.clone();
        for door in &rooms.doors {
            grid.set_blocked(door.cell, true);
        }
        grid
    }

    #[test]
    fn the_papers_world_has_a_hundred_rooms_and_a_door_between_any_two_neighbors() {
        let world = rooms(100, 100, &mut rng::seeded(1)).unwrap();
        assert_eq!(world.doors.len(), 2 * 9 * 10);

        let closed = closed(&world);
        let mut counted = closed.solid();
        let mut rooms = 0;
        for cell in closed.free_cells() {
            if counted.is_free(cell) {
                continue;
            }
            let room = closed.reachable(cell);
            let size = room.free_cells().count();
            assert!((9 * 9..=10 * 10).contains(&size), "a room of {size} cells");
            for cell in room.free_cells() {
                counted.set_blocked(cell, false);
            }
            rooms += 1;
        }
        assert_eq!(rooms, 100);
    }

    #[test]
    fn open_doors_connect_everything_from_corner_to_corner() {
        for (width, height) in [(1, 1), (5, 40), (14, 14), (100, 100), (161, 97)] {
            let world = rooms(width, height, &mut rng::seeded(2)).unwrap();
            let corner = Cell::new(width - 1, height - 1);
            assert!(world.grid.is_free(corner), "{world:?}");
            assert_eq!(
                world.grid.reachable(Cell::new(0, 0)),
                world.grid,
                "{world:?}"
            );
        }
    }

    #[test]
    fn every_door_joins_two_rooms() {
        let world = rooms(60, 40, &mut rng::seeded(3)).unwrap();
        let closed = closed(&world);
        for door in &world.doors {
            let Cell { x, y } = door.cell;
            let beside = [Cell::new(x - 1, y), Cell::new(x + 1, y)];
            let above = [Cell::new(x, y - 1), Cell::new(x, y + 1)];
            let joins = |ends: [Cell; 2]| ends.iter().all(|&end| closed.is_free(end));
            assert!(joins(beside) != joins(above), "door at {x}, {y}: {world:?}");
        }
    }

    #[test]
    fn a_door_knows_the_rooms_that_it_joins() {
        let world = rooms(30, 30, &mut rng::seeded(3)).unwrap();
        let joins: Vec<_> = world.doors.iter().map(|door| door.joins).collect();
        let beside = [[0, 1], [3, 4], [6, 7], [1, 2], [4, 5], [7, 8]];
        let above = [[0, 3], [3, 6], [1, 4], [4, 7], [2, 5], [5, 8]];
        assert_eq!(joins, [beside, above].concat());
    }

    #[test]
    fn rooms_fill_every_side_without_an_empty_one() {
        for length in 1..=500 {
            let spans = spans(length);
            assert!(spans.iter().all(|span| !span.is_empty()), "{spans:?}");
            assert_eq!(spans.first().map(|span| span.start), Some(0));
            assert_eq!(spans.last().map(|span| span.end), Some(length));
            let sizes = spans.iter().map(|span| span.len());
            let (least, most) = (sizes.clone().min().unwrap(), sizes.max().unwrap());
            assert!(most - least <= 1, "{spans:?}");
        }
        let longest = spans(super::super::MAX_SIDE);
        assert_eq!(longest.last().unwrap().end, super::super::MAX_SIDE);
    }
}
