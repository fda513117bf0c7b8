//! Where a robot is to go: to any of a few cells.

use core::fmt;

use heapless::Vec;

use crate::{
    Cell, OffMap,
    terrain::{Grid, Terrain, estimate},
};

/// One goal or several: a planner goes to the nearest.
///
/// ```
/// use planner_core::{Cell, Goals, GoalsError, map::Unknown};
/// use planner_core::terrain::{Terrain, Walls};
///
/// let mut memory = [0; Walls::words(16, 16)];
/// let maze: Walls = Walls::new(16, 16, &mut memory, Unknown::AsFree)?;
/// let middle = [Cell::new(7, 7), Cell::new(8, 7), Cell::new(7, 8), Cell::new(8, 8)];
/// let goals = Goals::new(maze.grid(), &middle)?;
/// assert!(goals.contains(Cell::new(8, 8)));
/// assert_eq!(Goals::new(maze.grid(), &[]), Err(GoalsError::None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goals {
    /// On the map, no two the same, at least one.
    cells: Vec<Cell, { Self::MAX }>,
}

/// Why cells cannot be goals; the old ones stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum GoalsError {
    /// There are none.
    None,
    /// There are more than [`Goals::MAX`].
    TooMany,
    /// One is outside the map.
    OffMap(OffMap),
}

impl Goals {
    /// The most goals at a time.
    pub const MAX: usize = 16;

    /// These cells of a map; one that is there twice counts once.
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

    /// The goals.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Whether a cell is one of them.
    #[must_use]
    pub fn contains(&self, cell: Cell) -> bool {
        self.cells.contains(&cell)
    }

    /// The goals' vertices.
    #[inline(always)]
    pub(crate) fn vertices(&self, grid: &Grid) -> impl Iterator<Item = usize> {
        self.cells.iter().filter_map(|&cell| grid.vertex(cell).ok())
    }

    /// Which of them a vertex is.
    #[inline(always)]
    pub(crate) fn place(&self, grid: &Grid, vertex: usize) -> Option<usize> {
        self.vertices(grid).position(|goal| goal == vertex)
    }

    /// Whether any of them may be entered.
    pub(crate) fn any_open(&self, terrain: &impl Terrain) -> bool {
        self.vertices(terrain.grid())
            .any(|vertex| terrain.is_open(vertex))
    }

    /// The terrain's estimate of the cost of the way to the nearest.
    #[inline(always)]
    pub(crate) fn estimate(&self, terrain: &impl Terrain, from: Cell) -> usize {
        let mut least = usize::MAX;
        for &goal in &self.cells {
            least = least.min(estimate(terrain, from, goal));
        }
        least
    }
}

impl From<OffMap> for GoalsError {
    fn from(off_map: OffMap) -> Self {
        Self::OffMap(off_map)
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
