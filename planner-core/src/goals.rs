//! The goals of a robot.

use core::fmt;

use crate::{
    Cell, OffMap,
    graph::{Graph, Grid, heuristic},
};

/// One or several goal cells; a planner goes to the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goals {
    /// On the map, no two the same; zero from `len` on.
    cells: [Cell; Self::MAX],
    /// At most [`Goals::MAX`]. Zero only before a search begins.
    len: usize,
    /// The smallest column and row of all cells.
    low: Cell,
    /// The largest column and row of all cells.
    high: Cell,
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
    pub(crate) const NONE: Self = Self {
        cells: [Cell::new(0, 0); Self::MAX],
        len: 0,
        low: Cell::new(0, 0),
        high: Cell::new(0, 0),
    };

    /// These cells of a map; duplicates count once.
    ///
    /// # Errors
    /// There are none, or too many, or one is outside.
    pub fn new(grid: &Grid, cells: &[Cell]) -> Result<Self, GoalsError> {
        let mut goals = Self::NONE;
        goals.extend(grid, cells)?;
        Ok(goals)
    }

    /// Adds the cells of [`Goals::new`] to none, in place.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn extend(&mut self, grid: &Grid, cells: &[Cell]) -> Result<(), GoalsError> {
        for &cell in cells {
            grid.vertex(cell)?;
            if !self.contains(cell) {
                self.push(cell)?;
            }
        }
        match self.len {
            0 => Err(GoalsError::None),
            _ => Ok(()),
        }
    }

    /// A goal that is known to be on the map.
    pub(crate) fn one(cell: Cell) -> Self {
        let mut goals = Self::NONE;
        // There is room for one.
        let _ = goals.push(cell);
        goals
    }

    fn push(&mut self, cell: Cell) -> Result<(), GoalsError> {
        let place = self.cells.get_mut(self.len).ok_or(GoalsError::TooMany)?;
        *place = cell;
        let (low, high) = match self.len {
            0 => (cell, cell),
            _ => (self.low, self.high),
        };
        self.low = Cell::new(low.x.min(cell.x), low.y.min(cell.y));
        self.high = Cell::new(high.x.max(cell.x), high.y.max(cell.y));
        self.len += 1;
        Ok(())
    }

    /// Returns the goal cells.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        self.cells.get(..self.len).unwrap_or_default()
    }

    /// Returns whether a cell is a goal.
    #[must_use]
    pub fn contains(&self, cell: Cell) -> bool {
        self.cells().contains(&cell)
    }

    /// The goals' vertices.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn vertices(&self, grid: &Grid) -> impl Iterator<Item = usize> {
        self.cells()
            .iter()
            .filter_map(|&cell| grid.vertex(cell).ok())
    }

    /// The index of the goal at a vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn index(&self, grid: &Grid, vertex: usize) -> Option<usize> {
        // One cell to compare with, not a vertex of each goal.
        let cell = (vertex < grid.vertices()).then(|| grid.cell(vertex))?;
        self.position(cell)
    }

    /// Returns whether any goal can be entered.
    pub(crate) fn any_passable(&self, graph: &impl Graph) -> bool {
        self.vertices(graph.grid())
            .any(|vertex| graph.is_passable(vertex))
    }

    /// The index of a goal cell.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn position(&self, cell: Cell) -> Option<usize> {
        self.cells().iter().position(|&goal| goal == cell)
    }

    /// Returns whether a cell is in the smallest rectangle around all goals: it may be one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn surround(&self, cell: Cell) -> bool {
        let is_within = |at: u16, low: u16, high: u16| low <= at && at <= high;
        is_within(cell.x, self.low.x, self.high.x) && is_within(cell.y, self.low.y, self.high.y)
    }

    /// The heuristic of the cost to the nearest goal.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn heuristic(&self, graph: &impl Graph, from: Cell) -> usize {
        let mut least = usize::MAX;
        for &goal in self.cells() {
            least = least.min(heuristic(graph, from, goal));
        }
        least
    }

    /// The heuristic of the cost to the smallest rectangle around all goals: that of a single goal, and of several a
    /// lower bound that takes the same time for any number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn heuristic_to_all(&self, graph: &impl Graph, from: Cell) -> usize {
        let outside = |at: u16, low: u16, high: u16| {
            let (below, above) = (low.saturating_sub(at), at.saturating_sub(high));
            (below | above).into() // one of them is zero
        };
        let dx = outside(from.x, self.low.x, self.high.x);
        let dy = outside(from.y, self.low.y, self.high.y);
        graph.heuristic(dx, dy)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        map::{AsFree, Map, WallMap},
        storage::Array,
    };

    #[test]
    fn the_heuristic_to_all_goals_is_that_of_one_and_a_lower_bound_for_several() {
        let mut map = WallMap::<Array<20>>::new();
        map.resize(9, 9).unwrap();
        let graph = map.view::<AsFree>();
        let goals = |cells: &[(u16, u16)]| {
            let mut goals = Goals::NONE;
            for &(x, y) in cells {
                goals.push(Cell::new(x, y)).unwrap();
            }
            goals
        };
        let (one, square) = (goals(&[(2, 5)]), goals(&[(3, 3), (4, 4), (3, 4), (4, 3)]));
        let apart = goals(&[(8, 1), (2, 2), (5, 7)]);
        for (x, y) in (0..81).map(|n| (n % 9, n / 9)) {
            let cell = Cell::new(x, y);
            for goals in [&one, &square] {
                let nearest = goals.heuristic(&graph, cell);
                assert_eq!(goals.heuristic_to_all(&graph, cell), nearest, "{cell:?}");
            }
            assert!(apart.heuristic_to_all(&graph, cell) <= apart.heuristic(&graph, cell));
        }
    }
}
