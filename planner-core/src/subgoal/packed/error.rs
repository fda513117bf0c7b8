//! Errors of writing and reading trees.

use core::fmt;

/// Bytes were rejected as trees for a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum PackedError {
    /// They do not begin with the magic number.
    NotTrees,
    /// They are of an unknown version.
    WrongVersion {
        /// The version found.
        found: u16,
    },
    /// There are fewer or more bytes than were written.
    WrongLength {
        /// Bytes written.
        written: u32,
        /// Bytes given.
        given: usize,
    },
    /// The checksum does not match.
    Damaged,
    /// They were made for another map or other moves.
    OtherMap {
        /// The fingerprint of the map that they were made for.
        made_for: u32,
        /// The fingerprint of the map at hand.
        found: u32,
    },
    /// The checksum is right but the content is inconsistent.
    Malformed,
}

/// Trees could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum PackError {
    /// The buffer is too small.
    NoRoom {
        /// Bytes needed, as far as is known.
        needed: usize,
    },
    /// More subgoals, or bytes, than their numbers can count.
    TooMany,
    /// The tree has no goal: its goal is blocked, or it has not begun to grow.
    Empty,
    /// The trees do not come row by row, or not as many as announced.
    OutOfOrder,
}

impl fmt::Display for PackedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTrees => f.write_str("these are no subgoal trees"),
            Self::WrongVersion { found } => {
                write!(f, "subgoal trees of version {found}, this reads version 1")
            }
            Self::WrongLength { written, given } => {
                write!(
                    f,
                    "{written} bytes of subgoal trees were written, {given} are here"
                )
            }
            Self::Damaged => f.write_str("the subgoal trees are damaged"),
            Self::OtherMap { made_for, found } => write!(
                f,
                "the subgoal trees were made for map {made_for:08x}, this is {found:08x}"
            ),
            Self::Malformed => f.write_str("the subgoal trees are malformed"),
        }
    }
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRoom { needed } => write!(f, "subgoal trees need {needed} bytes"),
            Self::TooMany => f.write_str("there are too many subgoals to write"),
            Self::Empty => f.write_str("a subgoal tree has no goal"),
            Self::OutOfOrder => f.write_str("subgoal trees are not given in order"),
        }
    }
}

impl core::error::Error for PackedError {}
impl core::error::Error for PackError {}
