//! Occupancy of a cell or a wall, and the policy for unknown space.

use core::fmt::Debug;

/// Knowledge of one cell or one wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Occupancy {
    /// Not observed yet, or forgotten.
    #[default]
    Unknown,
    /// Observed, and the robot can pass.
    Free,
    /// Observed, and the robot cannot pass.
    Blocked,
}

impl Occupancy {
    /// Decodes the two bits that a map stores; the unused code counts as blocked.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn from_bits(bits: u32) -> Self {
        match bits {
            0 => Self::Unknown,
            1 => Self::Free,
            _ => Self::Blocked,
        }
    }

    /// Returns whether a search with policy `U` may pass.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub const fn is_passable<U: UnknownPolicy>(self) -> bool {
        match self {
            Self::Unknown => U::PASSABLE,
            Self::Free => true,
            Self::Blocked => false,
        }
    }
}

/// The policy of a search for unknown cells and walls: [`AsFree`] or [`AsBlocked`].
pub trait UnknownPolicy: Copy + Debug + Default + 'static {
    /// True if unknown space can be entered.
    const PASSABLE: bool;
}

/// The freespace assumption: unknown space is free until observed otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsFree;

/// Only space that was observed to be free is free: no surprises on a speed run.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsBlocked;

impl UnknownPolicy for AsFree {
    const PASSABLE: bool = true;
}

impl UnknownPolicy for AsBlocked {
    const PASSABLE: bool = false;
}
