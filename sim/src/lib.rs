//! The desktop side of tinystar: worlds, walks, experiments, benchmarks and pictures.
//!
//! ```text
//!  world ----+                +--> view        what people look at
//!            +--> walk -------+
//!  catalog --+                +--> experiment, bench   what is measured
//!
//!  command: what people type        output: what scripts read
//! ```
//!
//! A [`world`] is the truth, of which a robot knows a part; the [`catalog`] builds any planner of
//! planner-core by its name; [`walk`](mod@walk) is the one loop that puts the two together.
//! [`subgoals`] makes the trees that one of the planners follows, and keeps them in files.

pub mod bench;
pub mod catalog;
pub mod command;
pub mod experiment;
pub mod kept;
pub mod mms;
pub mod mouse;
pub mod output;
pub mod plot;
pub mod problem;
pub mod progress;
pub mod robot;
pub mod stats;
pub mod subgoals;
pub mod table;
pub mod view;
pub mod walk;
pub mod world;

/// The chip in a child process.
pub use emulator;
