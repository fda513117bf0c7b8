//! The goals of a robot.

use core::fmt;

use heapless::Vec;

use crate::{
    Cell, OffMap,
    graph::{Graph, Grid, heuristic},
};

/// One or several goal cells; a planner goes to the nearest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goals {
    /// On the map, no two the same. Empty only before a search begins.
    cells: Vec<Cell, { Self::MAX }>,
}

/// Cells cannot be goals; the old goals stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum GoalsError {
    /// There is no goal.
    None,
    /// There are more than [`Goals::MAX`].
    TooMany,
    /// One is outside the map.
    OffMap(OffMap),
}

impl Goals {
    /// Largest number of goals.
    pub const MAX: usize = 16;

    /// No goals: the state before a search begins.
    pub(crate) const NONE: Self = Self { cells: Vec::new() };

    /// These cells of a map; duplicates count once.
    ///
    /// # Errors
    /// There are none, or too many, or one is outside.
    pub fn new(grid: &Grid, cells: &[Cell]) -> Result<Self, GoalsError> {
        let mut goals = Vec::new();
        for &cell in cells {
            grid.vertex(cell)?;
            if !goals.contains(&cell) {
                goals.push(cell).map_err(|_| GoalsError::TooMany)?;
            }
        }
        if goals.is_empty() {
            return Err(GoalsError::None);
        }
        Ok(Self { cells: goals })
    }

    /// A goal that is known to be on the map.
    pub(crate) fn one(cell: Cell) -> Self {
        let mut cells = Vec::new();
        // There is room for one.
        let _ = cells.push(cell);
        Self { cells }
    }

    /// Returns the goal cells.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Returns whether a cell is a goal.
    #[must_use]
    pub fn contains(&self, cell: Cell) -> bool {
        self.cells.contains(&cell)
    }

    /// The goals' vertices.
    #[inline(always)]
    pub(crate) fn vertices(&self, grid: &Grid) -> impl Iterator<Item = usize> {
        self.cells.iter().filter_map(|&cell| grid.vertex(cell).ok())
    }

    /// The index of the goal at a vertex.
    #[inline(always)]
    pub(crate) fn index(&self, grid: &Grid, vertex: usize) -> Option<usize> {
        // One cell to compare with, not a vertex of each goal.
        let cell = (vertex < grid.vertices()).then(|| grid.cell(vertex))?;
        self.cells.iter().position(|&goal| goal == cell)
    }

    /// Returns whether any goal can be entered.
    pub(crate) fn any_passable(&self, graph: &impl Graph) -> bool {
        self.vertices(graph.grid())
            .any(|vertex| graph.is_passable(vertex))
    }

    /// The heuristic of the cost to the nearest goal.
    #[inline(always)]
    pub(crate) fn heuristic(&self, graph: &impl Graph, from: Cell) -> usize {
        let mut least = usize::MAX;
        for &goal in &self.cells {
            least = least.min(heuristic(graph, from, goal));
        }
        least
    }
}

impl fmt::Display for GoalsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("there is no goal"),
            Self::TooMany => write!(f, "there are more than {} goals", Goals::MAX),
            Self::OffMap(off_map) => off_map.fmt(f),
        }
    }
}

impl core::error::Error for GoalsError {}
