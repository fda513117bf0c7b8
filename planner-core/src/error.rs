//! Errors in a caller's input.

use core::fmt;

use crate::GoalsError;

/// A map or a planner cannot be built.
///
/// ```
/// use planner_core::{BuildError, prelude::*};
///
/// let mut map = CellMap::<Array<1>>::new();
/// assert_eq!(map.resize(33, 33), Err(BuildError::TooLittleMemory { needed: 71, given: 1 }));
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
    /// The storage has fewer elements than the map needs.
    TooLittleMemory {
        /// Elements needed.
        needed: usize,
        /// Elements given.
        given: usize,
    },
    /// The start or a goal is outside the map.
    OffMap(OffMap),
    /// There is no goal, or there are too many.
    Goals(GoalsError),
}

/// A cell is outside the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct OffMap(
    /// The cell asked for.
    pub crate::Cell,
);

/// An observation was rejected; the map is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ObserveError {
    /// The observed cell is outside the map.
    OffMap(OffMap),
    /// The map does not hold observations of this kind.
    Unsupported,
    /// The weight of a cell is zero or above the maximum.
    WeightOutOfRange,
}

impl From<GoalsError> for BuildError {
    fn from(error: GoalsError) -> Self {
        match error {
            GoalsError::OffMap(off_map) => Self::OffMap(off_map),
            GoalsError::None | GoalsError::TooMany => Self::Goals(error),
        }
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
            Self::Goals(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for ObserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OffMap(off_map) => off_map.fmt(f),
            Self::Unsupported => f.write_str("the map does not hold observations of this kind"),
            Self::WeightOutOfRange => f.write_str("the weight of the cell is out of range"),
        }
    }
}

/// Any error of this crate, for `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Error {
    /// A map or a planner cannot be built.
    Build(BuildError),
    /// An observation was rejected.
    Observe(ObserveError),
    /// Cells cannot be goals.
    Goals(GoalsError),
    /// The robot is outside the map.
    OffMap(OffMap),
}

macro_rules! from {
    ($($from:ident => $to:ident::$variant:ident),* $(,)?) => {$(
        impl From<$from> for $to {
            fn from(error: $from) -> Self {
                Self::$variant(error)
            }
        }
    )*};
}

from! {
    BuildError => Error::Build,
    ObserveError => Error::Observe,
    GoalsError => Error::Goals,
    OffMap => Error::OffMap,
    OffMap => BuildError::OffMap,
    OffMap => ObserveError::OffMap,
    OffMap => GoalsError::OffMap,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Build(error) => error.fmt(f),
            Self::Observe(error) => error.fmt(f),
            Self::Goals(error) => error.fmt(f),
            Self::OffMap(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Error {}
impl core::error::Error for OffMap {}
impl core::error::Error for BuildError {}
impl core::error::Error for ObserveError {}
