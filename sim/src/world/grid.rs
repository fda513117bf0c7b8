//! The true world: which cells are blocked.

use std::fmt;

use planner_core::Cell;
use thiserror::Error;

/// The longest side of a world, so that one past the last column or row, and one past that, are
/// still coordinates.
pub const MAX_SIDE: u16 = u16::MAX - 1;

/// The most cells in a world: those of a 16384x16384 map, a quarter of a gigabyte of memory.
pub const MAX_CELLS: usize = 1 << 28;

/// No world can have this size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a world cannot be {width}x{height}: its sides go from 1 to {MAX_SIDE}, its cells to {MAX_CELLS}"
)]
pub struct SizeError {
    /// Columns asked for.
    pub width: usize,
    /// Rows asked for.
    pub height: usize,
}

/// A rectangle of free and blocked cells.
///
/// `Display` draws it as [`text::parse`](super::text::parse) reads it: `#` blocked, `.` free.
#[derive(Clone, PartialEq, Eq)]
pub struct Grid {
    /// From 1 to [`MAX_SIDE`].
    width: u16,
    /// From 1 to [`MAX_SIDE`].
    height: u16,
    /// Row by row from the north; always `width * height` long, at most [`MAX_CELLS`].
    blocked: Vec<bool>,
}

impl Grid {
    /// A world in which every cell is blocked, or none.
    pub fn filled(width: u16, height: u16, blocked: bool) -> Result<Self, SizeError> {
        let (width, height) = checked_size(width.into(), height.into())?;
        Ok(Self {
            width,
            height,
            blocked: vec![blocked; usize::from(width) * usize::from(height)],
        })
    }

    /// A world of the same size in which every cell is blocked.
    pub(super) fn solid(&self) -> Self {
        Self {
            blocked: vec![true; self.blocked.len()],
            ..*self
        }
    }

    /// This world drawn with other numbers of columns and rows: each cell is that of the same place.
    pub fn scaled(&self, width: u16, height: u16) -> Result<Self, SizeError> {
        let mut scaled = Self::filled(width, height, false)?;
        let place = |at: u16, from: u16, to: u16| {
            // At the middle of the cell; below `from`, because `at` is below `to`.
            let middle = (2 * u64::from(at) + 1) * u64::from(from) / (2 * u64::from(to));
            middle as u16
        };
        for cell in scaled.cells() {
            let x = place(cell.x, self.width, width);
            let y = place(cell.y, self.height, height);
            scaled.set_blocked(cell, !self.is_free(Cell::new(x, y)));
        }
        Ok(scaled)
    }

    /// The number of columns.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// Returns whether `cell` lies inside the world.
    pub fn contains(&self, cell: Cell) -> bool {
        cell.x < self.width && cell.y < self.height
    }

    /// Returns whether a robot can stand on `cell`: inside the world and not blocked.
    pub fn is_free(&self, cell: Cell) -> bool {
        self.index(cell).is_some_and(|index| !self.blocked[index])
    }

    /// Blocks or frees `cell`. Returns whether that changed the world; a cell outside never does.
    pub fn set_blocked(&mut self, cell: Cell, blocked: bool) -> bool {
        self.index(cell)
            .is_some_and(|index| std::mem::replace(&mut self.blocked[index], blocked) != blocked)
    }

    /// All cells, row by row from the north, each row from the west.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        super::cells((self.width, self.height))
    }

    /// The free cells, in the order of [`Grid::cells`].
    pub fn free_cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.cells().filter(|&cell| self.is_free(cell))
    }

    fn index(&self, cell: Cell) -> Option<usize> {
        self.contains(cell)
            .then(|| usize::from(cell.y) * usize::from(self.width) + usize::from(cell.x))
    }
}

/// Cells of a world of `width` by `height`, row by row from the north, each row from the west.
pub fn cells((width, height): (u16, u16)) -> impl Iterator<Item = Cell> + Clone {
    (0..height).flat_map(move |y| (0..width).map(move |x| Cell::new(x, y)))
}

/// The sides of a world, from numbers that a file may hold; no memory is taken yet.
pub(super) fn checked_size(width: usize, height: usize) -> Result<(u16, u16), SizeError> {
    let side = |length: usize| {
        u16::try_from(length)
            .ok()
            .filter(|side| (1..=MAX_SIDE).contains(side))
    };
    side(width)
        .zip(side(height))
        .filter(|_| width.saturating_mul(height) <= MAX_CELLS)
        .ok_or(SizeError { width, height })
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.blocked.chunks(self.width.into()) {
            let row: String = row.iter().map(|&b| if b { '#' } else { '.' }).collect();
            writeln!(f, "{row}")?;
        }
        Ok(())
    }
}

/// The drawing, so that a failed comparison can be read.
impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid {}x{}\n{self}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filled_world_is_all_free_or_all_blocked() {
        let free = Grid::filled(3, 2, false).unwrap();
        assert_eq!(free.free_cells().count(), 6);
        let blocked = Grid::filled(3, 2, true).unwrap();
        assert_eq!(blocked.free_cells().count(), 0);
    }

    #[test]
    fn nothing_outside_is_free() {
        let grid = Grid::filled(3, 2, false).unwrap();
        for cell in [Cell::new(3, 0), Cell::new(0, 2), Cell::new(u16::MAX, 0)] {
            assert!(!grid.contains(cell) && !grid.is_free(cell));
        }
        assert!(grid.is_free(Cell::new(2, 1)));
    }

    #[test]
    fn set_blocked_returns_whether_the_world_changed() {
        let mut grid = Grid::filled(2, 2, false).unwrap();
        let cell = Cell::new(1, 0);
        assert!(grid.set_blocked(cell, true));
        assert!(!grid.set_blocked(cell, true));
        assert!(!grid.set_blocked(Cell::new(2, 0), true));
        assert_eq!(grid.to_string(), ".#\n..\n");
    }

    #[test]
    fn cells_come_row_by_row() {
        let grid = Grid::filled(2, 2, false).unwrap();
        let cells: Vec<_> = grid.cells().map(|cell| (cell.x, cell.y)).collect();
        assert_eq!(cells, [(0, 0), (1, 0), (0, 1), (1, 1)]);
    }

    #[test]
    fn a_scaled_world_shows_the_same_places() {
        let mut grid = Grid::filled(4, 2, false).unwrap();
        grid.set_blocked(Cell::new(3, 0), true);
        assert_eq!(
            grid.scaled(8, 4).unwrap().to_string(),
            "......##\n......##\n........\n........\n"
        );
        assert_eq!(grid.scaled(8, 4).unwrap().scaled(4, 2).unwrap(), grid);
        assert_eq!(grid.scaled(2, 1).unwrap().to_string(), "..\n");
        assert_eq!(grid.scaled(MAX_SIDE, 1).unwrap().width(), MAX_SIDE);
        assert!(grid.scaled(0, 1).is_err());
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for (width, height) in [(0, 1), (1, 0), (u16::MAX, 1), (1, u16::MAX), (16385, 16384)] {
            let error = Grid::filled(width, height, false).unwrap_err();
            assert_eq!(error.width, usize::from(width));
            assert!(!error.to_string().contains('\n'));
        }
        assert!(Grid::filled(MAX_SIDE, 1, false).is_ok());
        assert!(checked_size(usize::MAX, usize::MAX).is_err());
    }
}
