//! What a map file says.

use planner_core::Cell;

use super::Grid;

/// A world and, where the file marks them, a start and a goal; both are free cells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The world.
    pub grid: Grid,
    /// Where the robot begins.
    pub start: Option<Cell>,
    /// Where it is to go.
    pub goal: Option<Cell>,
}
