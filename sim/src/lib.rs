//! The desktop side of tinystar: worlds, runs of planners in them, experiments, pictures, and the
//! robot's own tasks on simulated physics.
//!
//! ```text
//!  cli --> lab, view, mms, robot --> walk --> catalog --> planner-core
//!   |                                 |
//!   +--> options, output, error       +--> world
//! ```
//!
//! Dependencies point from left to right; nothing depends on [`cli`].
//!
//! - [`world`]: worlds, the scenarios in them, and file formats.
//! - [`catalog`]: every planner of planner-core by its name; [`subgoals`] builds the trees that one of
//!   them follows.
//! - [`walk`](mod@walk): the one loop that runs a planner in a world, tick by tick.
//! - [`robot`]: the firmware's tasks on a physics model or on an emulated chip.
//! - [`lab`]: experiments, benchmarks, statistics and plots.
//! - [`view`]: runs in the terminal, as SVG and as GIF.
//! - [`mms`]: a mouse for the micromouse simulator of that name.

pub mod catalog;
pub mod cli;
pub mod environment;
pub mod error;
pub mod lab;
pub mod micromouse;
pub mod mms;
pub mod options;
pub mod output;
pub mod physics;
pub mod run;
pub mod subgoals;
pub mod telemetry;
pub mod view;
pub mod walk;
pub mod world;

/// The emulated chip, in a child process.
pub use emulator;
