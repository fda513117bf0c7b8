//! Cells of a grid, by column and row.

/// A cell of the grid: column `x` from the west edge, row `y` from the north edge, both from zero.
///
/// ```
/// use planner_core::Cell;
///
/// let cell = Cell::new(3, 4);
/// assert_eq!((cell.x, cell.y), (3, 4));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Cell {
    /// Column, counted from the west edge.
    pub x: u16,
    /// Row, counted from the north edge.
    pub y: u16,
}

impl Cell {
    /// The cell in column `x` and row `y`.
    #[must_use]
    pub const fn new(x: u16, y: u16) -> Self {
        Self { x, y }
    }
}
