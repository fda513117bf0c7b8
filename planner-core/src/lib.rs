//! planner-core.
#![no_std]
#![deny(missing_docs)]

mod cell;
mod error;
pub mod map;
mod planner;
pub mod queue;
pub mod search;
pub mod terrain;
pub mod width;

pub use cell::Cell;
pub use error::{BuildError, ObserveError, OffMap};
pub use planner::{Budget, Decision, Inspect, Observation, Planner, Side, Stats, Work};
