//! Incremental planners for grid robots: `no_std`, no allocation, no panics, bounded work.
//!
//! ```text
//!  Observation -> terrain::{Cells, Walls} -> Change -> search::{DStarLite, RepeatedAStar} -> Decision
//!  what is seen   map: what is known        what it      g, rhs, h        ^                 what to do
//!                 moves: what is possible   changes      queue: buckets   Budget
//! ```
//!
//! # Principles
//!
//! 1. **A tick is bounded.** [`Planner::tick`] does no more than its [`Budget`] allows. Queue
//!    operations take constant time, a new goal takes constant time, and no map is cleared between
//!    searches. What grows with the map happens once, at construction.
//! 2. **Nothing allocates, nothing panics.** Memory is lent by the caller, in slices whose lengths are
//!    constants; bad input is an error value.
//! 3. **One source for small and large.** The [`width`] of ids and costs is a type parameter: 16 bits
//!    on a robot, 32 on a desktop.
//!
//! # Layers
//!
//! - [`map`]: what the robot knows, two bits per fact; unknown counts as free, or as blocked.
//! - [`terrain`]: what a step is and what it costs: cells with four or eight moves, or walls on edges.
//! - [`queue`]: open lists, a ring of buckets and a binary heap behind one trait.
//! - [`search`]: D* Lite, Anytime D*, Repeated A* in both directions, Adaptive A*, each written once.
//! - [`local`]: LRTA* and LSS-LRTA*, around the robot, in memory that does not depend on the map.
//! - [`rtd`]: Real-Time D*, one global and one local search under one budget.
//! - [`explore`]: what a micromouse does: search, explore until the best way is proven, return, run.
//! - [`subgoal`]: on known maps, trees of subgoals and the LRTA* that follows them.
//! - [`Planner`]: the contract that all of them keep.
//!
//! # Example
//!
//! ```
//! use planner_core::{Budget, Cell, Decision, Observation, Planner, map::{Occupancy, Unknown}};
//! use planner_core::{queue::Buckets, search::DStarLite, terrain::{Cells, Four, Uniform}};
//! use planner_core::width::Bits16;
//!
//! type Brain<'m> = DStarLite<'m, Bits16, Cells<'m, Four>, Buckets<8>>;
//! const SIZE: (u16, u16) = (64, 64);
//! let mut known = [0; Cells::<Four>::words(SIZE.0, SIZE.1)];
//! let mut nodes = [Default::default(); Brain::nodes(Cells::<Four>::vertices(SIZE.0, SIZE.1))];
//!
//! let terrain = Cells::new(SIZE.0, SIZE.1, &mut known, Unknown::AsFree, Uniform)?;
//! let (mut at, goal) = (Cell::new(1, 1), Cell::new(1, 4));
//! let mut brain = Brain::new(terrain, Buckets::new(), &mut nodes, at, goal)?;
//! brain.observe(Observation::Cell(Cell::new(1, 2), Occupancy::Blocked))?;
//! let mut moves = 0;
//! while let Decision::Step(next) = brain.tick(at, Budget::UNLIMITED)? {
//!     (at, moves) = (next, moves + 1);
//! }
//! assert_eq!((at, moves), (goal, 5)); // three rows down, and around the blocked cell
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod backlog;
mod budget;
mod cell;
mod error;
pub mod explore;
mod goals;
mod inspect;
pub mod local;
pub mod map;
mod planner;
pub mod queue;
pub mod rtd;
pub mod search;
mod side;
mod slot;
pub mod subgoal;
pub mod terrain;
pub mod width;

pub use cell::Cell;
pub use error::{BuildError, ObserveError, OffMap};
pub use goals::{Goals, GoalsError};
pub use inspect::{CellValues, Inspect};
pub use planner::{Budget, Decision, Observation, Planner, Stats, Work};
pub use side::Side;
