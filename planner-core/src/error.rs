//! What can be wrong with a caller's input, as values.

use core::fmt;

/// Why a map or a planner could not be built.
///
/// ```
/// use planner_core::{BuildError, map::Unknown, terrain::{Cells, Four, Uniform}};
///
/// let mut too_few_words = [0; 1];
/// let built = Cells::<Four>::new(33, 33, &mut too_few_words, Unknown::AsFree, Uniform);
/// assert_eq!(built.err(), Some(BuildError::TooLittleMemory { needed: 71, given: 1 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum BuildError {
    /// The grid has no rows or no columns.
    Empty,
    /// More cells and bucket heads than the id width can name.
    TooManyCells {
        /// Cells (with the column that borders each row) and bucket heads.
        slots: usize,
        /// The largest number that fits.
        limit: usize,
    },
    /// A path across this map could cost more than the cost width can hold.
    TooCostly {
        /// An upper bound of the cost of any shortest path.
        longest: usize,
        /// The largest finite cost.
        limit: usize,
    },
    /// A slice handed over is shorter than the map needs.
    TooLittleMemory {
        /// Elements needed.
        needed: usize,
        /// Elements given.
        given: usize,
    },
    /// The start or the goal is not on the map.
    OffMap(OffMap),
}

/// The cell is outside the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct OffMap(
    /// The cell asked for.
    pub crate::Cell,
);

/// Why an observation was refused; the map is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ObserveError {
    /// The observed cell is outside the map.
    OffMap(OffMap),
    /// This terrain has no such thing: walls between cells, blocked cells or costs of cells.
    NotOnThisTerrain,
    /// The cost of a cell is zero or above the heaviest that was announced at construction.
    WeightOutOfRange,
}

impl From<OffMap> for BuildError {
    fn from(off_map: OffMap) -> Self {
        Self::OffMap(off_map)
    }
}

impl From<OffMap> for ObserveError {
    fn from(off_map: OffMap) -> Self {
        Self::OffMap(off_map)
    }
}

impl fmt::Display for OffMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cell {},{} is outside the map", self.0.x, self.0.y)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the map has no cells"),
            Self::TooManyCells { slots, limit } => {
                write!(f, "the map needs {slots} ids, its width has {limit}")
            }
            Self::TooCostly { longest, limit } => {
                write!(f, "a path may cost {longest}, its width holds {limit}")
            }
            Self::TooLittleMemory { needed, given } => {
                write!(f, "{needed} elements of memory needed, {given} given")
            }
            Self::OffMap(off_map) => off_map.fmt(f),
        }
    }
}

impl fmt::Display for ObserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OffMap(off_map) => off_map.fmt(f),
            Self::NotOnThisTerrain => f.write_str("this terrain cannot hold the observation"),
            Self::WeightOutOfRange => f.write_str("the cost of the cell is out of range"),
        }
    }
}

impl core::error::Error for OffMap {}
impl core::error::Error for BuildError {}
impl core::error::Error for ObserveError {}
