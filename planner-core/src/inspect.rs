//! Read access to the state of a planner, for pictures, reports and tests. A robot does not need it.

use crate::{
    Cell,
    map::{Map, Occupancy},
};

/// Read access to what a planner holds of a cell.
pub trait Inspect {
    /// Returns the occupancy of a cell; in a maze every cell of the map is free.
    fn occupancy(&self, cell: Cell) -> Occupancy;

    /// Returns whether a search has expanded the cell and still holds the result.
    fn is_expanded(&self, cell: Cell) -> bool;

    /// Returns the values of a cell. Takes constant time.
    fn values(&self, _cell: Cell) -> CellValues {
        CellValues::default()
    }

    /// Returns the next cell of the planned path through a cell. From the robot's cell on, this is the plan.
    fn next_on_path(&self, _cell: Cell) -> Option<Cell> {
        None
    }
}

/// The part of [`Inspect`] that a search provides; it is lent the map.
pub trait InspectSearch {
    /// Returns whether a search has expanded the cell and still holds the result.
    fn is_expanded<M: Map>(&self, map: &M, cell: Cell) -> bool;

    /// Returns the values of a cell. Takes constant time.
    fn values<M: Map>(&self, _map: &M, _cell: Cell) -> CellValues {
        CellValues::default()
    }

    /// Returns the next cell of the planned path through a cell.
    fn next_on_path<M: Map>(&self, _map: &M, _cell: Cell) -> Option<Cell> {
        None
    }
}

/// The values of a cell, in the words of the papers; `None` for those that a planner does not keep.
///
/// Costs are those of the graph; [`CellValues::INFINITE`] means that there is no path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellValues {
    /// Cost of the path found: to the goal, or from the robot where a search begins there.
    pub g: Option<usize>,
    /// One-step look-ahead value of `g`.
    pub rhs: Option<usize>,
    /// Heuristic value, learned where one was learned.
    pub h: Option<usize>,
    /// Key in the OPEN list, compared lexicographically.
    pub key: Option<(usize, usize)>,
    /// True if the cell is in the OPEN list.
    pub is_open: bool,
    /// True if the last search expanded the cell. Always false for incremental searches, where a cell with a
    /// finite `g` was expanded.
    pub is_closed: bool,
}

impl CellValues {
    /// The cost of no path.
    pub const INFINITE: usize = usize::MAX;

    /// A cost as it is shown, where `infinity` stands for no path.
    pub(crate) fn cost(value: usize, infinity: usize) -> Option<usize> {
        Some(if value < infinity {
            value
        } else {
            Self::INFINITE
        })
    }
}
