#![doc = include_str!("../README.md")]
//!
//! # Data flow
//!
//! ```text
//!  Observation -> map::{CellMap, WallMap} -> Change -> Search under a Budget -> Decision
//!  sensed         what is known              what       g, rhs, h               next step
//!                        |                   changed     ^
//!                        +---- graph: a view, lent ------+
//! ```
//!
//! # Principles
//!
//! 1. **A tick is bounded.** [`Planner::tick`] does no more than its [`Budget`] allows. Queue operations take
//!    constant time, a new goal takes constant time, and no map is cleared between searches. Work that grows
//!    with the map is done once, in `begin`.
//! 2. **Nothing allocates, nothing panics.** Capacity is in the type; bad input is an error value.
//! 3. **One source for small and large.** The [`width`] of ids and costs and the kind of [`storage`] are type
//!    parameters: 16 bits and a static on a robot, 32 bits and a box on a desktop.
//! 4. **One map, any number of searches.** An observation changes the map; each search is told the change and
//!    is lent the map in every call.
//!
//! # Modules
//!
//! - [`navigator`]: presets [`GridNavigator`](navigator::GridNavigator), its
//!   [large sibling](navigator::LargeGridNavigator) and [`MazeNavigator`](navigator::MazeNavigator), and [`Navigator`]
//!   for any map and search.
//! - [`map`]: occupancy of cells and of walls; unknown counts as free, or as blocked.
//! - [`graph`]: moves, costs and heuristics, over a view of a map.
//! - [`queue`]: OPEN lists, a ring of buckets and a binary heap.
//! - [`search`]: D* Lite, Anytime D*, Repeated A* in both directions, Adaptive A*; paths that count turns, and runs of
//!   least time.
//! - [`local`]: LRTA*, LSS-LRTA* and time-bounded A*, around the robot.
//! - [`rtd`]: Real-Time D*, one global and one local search under one budget.
//! - [`explore`]: the runs of a micromouse: search, explore, return, run.
//! - [`subgoal`]: on known maps, trees of subgoals and the LRTA* that follows them.
//! - [`storage`]: arrays, boxes and borrowed slices.
//!
//! # Terms
//!
//! | term | meaning |
//! |---|---|
//! | cell, vertex | a place on the grid by column and row; the same by number |
//! | occupancy | what is known of a cell or a wall: unknown, free or blocked |
//! | passable | can be entered, as far as a search knows |
//! | OPEN, CLOSED, INCONS | lists of a search, as in the papers |
//! | `g`, `rhs`, `h`, key, `k_m`, `s_start`, `s_last` | values of a search, as in the papers |
//! | over-consistent, under-consistent | `g > rhs`, `g < rhs` |
//! | expansion | processing one vertex: the unit of a budget |
//! | re-queue | moving a queue entry to the place of its current key |
//! | absorbing a change | bringing a search up to date with a change of the map |
//! | trace step | following one edge of a path |
//! | run, straight, turn | a path driven without stopping, from rest to rest; its parts |
//! | tick | one call of [`Planner::tick`] |
//! | look-ahead, local search space, frontier | the cells that a local search expands, and their border |
//! | learned heuristic | heuristic values that a local search has raised |
//! | capacity, block | memory of a map or search, counted in blocks of 16 vertices |
//!
//! # Bibliography
//!
//! - S. Koenig, M. Likhachev: D* Lite, 2002.
//! - S. Koenig: A Comparison of Fast Search Methods for Real-Time Situated Agents, 2004.
//! - M. Likhachev, D. Ferguson, G. Gordon, A. Stentz, S. Thrun: Anytime Dynamic A*, 2005.
//! - M. Likhachev, S. Koenig: Incremental Heuristic Search in Games: The Quest for Speed, 2006.
//! - Y. Björnsson, V. Bulitko, N. Sturtevant: TBA*: Time-Bounded A*, 2009.
//! - S. Koenig, X. Sun: Comparing Real-Time and Incremental Heuristic Search for Real-Time Situated Agents, 2009.
//! - D. Bond, N. Widger, W. Ruml, X. Sun: Real-Time Search in Dynamic Worlds, 2010.
//! - C. Hernández, J. Baier: Fast Subgoaling for Pathfinding via Real-Time Search, 2011.
//! - Fast Trajectory Replanning for Computer Games: Repeated A* and Adaptive A*, project handout.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod backlog;
mod budget;
mod cell;
mod chip;
mod error;
pub mod explore;
mod goals;
pub mod graph;
mod inspect;
pub mod local;
pub mod map;
pub mod navigator;
mod planner;
pub mod prelude;
pub mod queue;
pub mod rtd;
pub mod search;
mod side;
mod slot;
pub mod storage;
pub mod subgoal;
pub mod width;

pub use cell::Cell;
pub use error::{BuildError, Error, ObserveError, OffMap};
pub use goals::{Goals, GoalsError};
pub use inspect::{CellValues, Inspect, InspectSearch};
pub use navigator::Navigator;
pub use planner::{Budget, Decision, Observation, Planner, Stats, Work};
pub use side::Side;
