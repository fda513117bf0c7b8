//! A look into a planner, for pictures, reports and tests. Nothing on a robot's path needs it.

use crate::{Cell, map::Occupancy};

/// What can be asked of a planner about a cell.
pub trait Inspect {
    /// What is known of a cell; for a terrain of walls every cell of the map is free.
    fn fact(&self, cell: Cell) -> Occupancy;

    /// Whether a search has expanded the cell and the planner still holds what it found.
    fn is_expanded(&self, cell: Cell) -> bool;

    /// What the planner keeps of a cell. Takes constant time.
    fn values(&self, _cell: Cell) -> CellValues {
        CellValues::default()
    }

    /// Where the planner would go next from a cell, if it has a plan that leads over it. From the
    /// robot's cell on, this is the plan.
    fn after(&self, _cell: Cell) -> Option<Cell> {
        None
    }
}

/// What a planner keeps of a cell, in the words of the papers; `None` for what it does not keep.
///
/// Costs are the terrain's; [`CellValues::INFINITE`] is that of no way at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellValues {
    /// The cost of the way that was found: to the goal, or from the robot where a search begins there.
    pub g: Option<usize>,
    /// What `g` should be, looking one step ahead.
    pub rhs: Option<usize>,
    /// The estimate that the search adds: learned, where something was.
    pub h: Option<usize>,
    /// The place in the open list, of a cell that is in it: compared one after the other.
    pub key: Option<(usize, usize)>,
    /// Whether the cell is in the open list.
    pub is_open: bool,
    /// Whether the last search expanded the cell. A planner that repairs its search does not tell: a
    /// cell whose `g` has changed was expanded.
    pub is_closed: bool,
}

impl CellValues {
    /// The cost of no way.
    pub const INFINITE: usize = usize::MAX;

    /// A cost as it is shown, where `infinity` stands for no way.
    pub(crate) fn cost(value: usize, infinity: usize) -> Option<usize> {
        Some(if value < infinity {
            value
        } else {
            Self::INFINITE
        })
    }
}
