//! The desktop side of tinystar: worlds, runs of planners in them, experiments, pictures, and the
//! robot's own tasks on simulated physics.
//!
//! ```text
//!  cli --> lab, view, mms ------> walk ----> catalog --> planner-core
//!   |                              |
//!   |                              +-------> environment --> world
//!   +----> run --> physics, telemetry --> tinystar, the firmware
//! ```
//!
//! Dependencies point from left to right; nothing depends on [`cli`].
//!
//! - [`world`]: worlds, the scenarios in them, and file formats.
//! - [`catalog`]: every planner of planner-core by its name; [`subgoals`] builds the trees that one of
//!   them follows.
//! - [`walk`](mod@walk): the one loop that runs a planner in a world, tick by tick.
//! - [`environment`]: what a robot senses in a world.
//! - [`physics`]: the model of the robot; [`run`]: the firmware's tasks on it, or on an emulated chip;
//!   [`telemetry`]: the desktop's end of the serial protocol.
//! - [`lab`]: experiments, benchmarks, statistics and plots.
//! - [`view`]: runs in the terminal, as SVG and as GIF.
//! - [`micromouse`]: all phases of a micromouse run; [`mms`]: the same in the simulator of that name.
//! - [`options`]: command-line options that several commands and the window share.

pub mod catalog;
// A web page has no command line.
#[cfg(not(target_arch = "wasm32"))]
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
