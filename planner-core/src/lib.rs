//! planner-core.
#![no_std]
#![deny(missing_docs)]
mod cell;
pub use cell::Cell;
