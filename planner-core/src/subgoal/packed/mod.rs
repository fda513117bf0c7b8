//! Trees as bytes: made once, kept in flash, read in place.
//!
//! Nothing is copied, nothing has to be aligned, and reading does not panic, whatever the bytes are.
//!
//! # Layout, version 1
//!
//! All numbers are little-endian. Columns and rows, numbers of subgoals and counts of them have 16 bits.
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 4 | `tsub` |
//! | 4 | 2 | version: 1 |
//! | 6 | 2 | 1 when trees have a [cover](Cover), else 0 |
//! | 8 | 4 | length of all, the checksum included |
//! | 12 | 4 | [fingerprint](fingerprint()) of the map |
//! | 16 | 2 + 2 | columns, rows |
//! | 20 | 4 | number of trees |
//! | 24 | 8 each | the trees' goals, column and row, row by row, and where each tree begins |
//! | | | the trees |
//! | last 4 | 4 | CRC-32 of all that is before it |
//!
//! A tree is
//!
//! | bytes | what |
//! |---|---|
//! | 2 | number of subgoals, the goal included |
//! | 6 each | column, row and parent; the goal comes first and is its own parent |
//! | 2 each | their numbers once more, row by row, each row from the west |
//! | 4 each | with a cover, for each row the number of runs before it, and their number in all |
//! | 4 each | with a cover, the runs, row by row: the first column, and the subgoal of its cells |

mod error;
mod fingerprint;
mod format;
mod packer;
mod reader;

pub use error::{PackError, PackedError};
pub use fingerprint::fingerprint;
pub use packer::{Cover, Packer, pack_tree};
pub use reader::Packed;
