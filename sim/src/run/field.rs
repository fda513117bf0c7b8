//! Maps of any size on the field of the image, whose size and home are fixed.

use planner_core::{Cell, Side};
use thiserror::Error;
use tinystar::config::FIELD;

use crate::world::Maze;

/// The map does not fit the image's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("with its start at {},{}, this map of {width}x{height} cells reaches beyond the image's field of {}x{} cells with its home at {},{}",
    start.x, start.y, FIELD.width, FIELD.height, FIELD.home.x, FIELD.home.y)]
pub struct FieldTooSmall {
    width: u16,
    height: u16,
    start: Cell,
}

/// Cell of the image's field for a cell of a map whose start is on the image's home.
pub fn on_field(cell: Cell, start: Cell) -> Option<Cell> {
    let moved = |at: u16, start: u16, home: u16| at.checked_add(home)?.checked_sub(start);
    let x = moved(cell.x, start.x, FIELD.home.x)?;
    let y = moved(cell.y, start.y, FIELD.home.y)?;
    (x < FIELD.width && y < FIELD.height).then_some(Cell::new(x, y))
}

/// Inverse of [`on_field`]; `None` above or left of the map.
pub fn on_map(cell: Cell, start: Cell) -> Option<Cell> {
    let moved = |at: u16, start: u16, home: u16| at.checked_add(start)?.checked_sub(home);
    let x = moved(cell.x, start.x, FIELD.home.x)?;
    let y = moved(cell.y, start.y, FIELD.home.y)?;
    Some(Cell::new(x, y))
}

/// Copies the walls of a map onto the image's field, with the start on the image's home.
pub fn embed(map: &Maze, start: Cell) -> Result<Maze, FieldTooSmall> {
    let too_small = FieldTooSmall {
        width: map.width(),
        height: map.height(),
        start,
    };
    let mut field = Maze::open(FIELD.width.into(), FIELD.height.into()).map_err(|_| too_small)?;
    for cell in map.cells() {
        let moved = on_field(cell, start).ok_or(too_small)?;
        for side in Side::ALL {
            field.set_wall(moved, side, map.has_wall(cell, side));
        }
    }
    Ok(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_embedded_map_has_its_start_on_the_home_and_open_space_around() {
        let mut map = Maze::open(3, 2).unwrap();
        map.set_wall(Cell::new(1, 0), Side::East, true);
        let field = embed(&map, Cell::new(2, 1)).unwrap();
        let Cell { x, y } = FIELD.home;
        assert!(field.has_wall(Cell::new(x - 1, y - 1), Side::East));
        assert!(!field.has_wall(Cell::new(x - 1, y), Side::East));
        // The outer walls of the map, and nothing behind them.
        assert!(field.has_wall(FIELD.home, Side::South));
        assert!(field.has_wall(Cell::new(x - 2, y), Side::West));
        assert!(!field.has_wall(Cell::new(x, y + 1), Side::South));
        assert!(!field.has_wall(Cell::new(x - 3, y), Side::West));
    }

    #[test]
    fn on_map_is_the_inverse_of_on_field() {
        let start = Cell::new(5, 2);
        for cell in [Cell::new(0, 0), start, Cell::new(30, 7)] {
            let moved = on_field(cell, start).unwrap();
            assert_eq!(on_map(moved, start), Some(cell));
        }
        let left = Cell::new(FIELD.home.x - 6, FIELD.home.y);
        assert_eq!(on_map(left, start), None);
    }

    #[test]
    fn a_map_that_reaches_beyond_the_field_is_rejected() {
        let map = Maze::open(40, 2).unwrap();
        assert!(embed(&map, Cell::new(8, 0)).is_ok());
        assert!(embed(&map, Cell::new(7, 0)).is_err());
        assert!(embed(&map, Cell::new(32, 0)).is_ok());
        assert!(embed(&map, Cell::new(33, 0)).is_err());
    }
}
