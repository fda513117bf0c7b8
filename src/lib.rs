//! The robot's firmware, as far as it needs no board: tasks that sense, plan and drive.
//!
//! ```text
//!  proximity -> sense --sight--> plan --order--> drive -> motors
//!                  \              ^ \  <-outcome--/ ^
//!                   \--sight-----/---\-------------/  \- encoders, gyro
//!                                |    \--save-> store -> flash
//!  buttons, USB -> panel, report-/ command              supervise: watchdog, battery, faults
//! ```
//!
//! # Principles
//!
//! 1. **The board is thin.** What a task needs of it is a trait of [`robot`]; what can be tested on a
//!    desktop is here.
//! 2. **What flows is in one place.** Every channel between tasks is a field of [`signals::Signals`].
//! 3. **Every number is in [`config`]**, with its unit and its reason, and is checked at compile time.
//! 4. **A fault stops the motors** and stays until a person clears it: [`fault`].
//! 5. **What is seen is an edge.** The robot knows walls between cells, so that a maze of thin walls
//!    and a floor with boxes on it are the same to it.
//!
//! # Layers
//!
//! - [`robot`]: what the tasks need of a board. [`signals`]: what they tell each other.
//! - [`tasks`]: one `async fn` each. A board spawns them; the simulator joins them in virtual time.
//! - [`motion`]: profiles, the pose estimate and control, in integers, without a clock or a board.
//! - [`navigator`]: missions, and what to do next. [`brain`]: the planners and their memory.
//! - [`atlas`]: the map the robot has learned. [`store`]: how it survives a power cut.
//! - [`report`]: frames to a desktop and commands back.
//! - [`parts`]: what boards are made of, as far as it is arithmetic.
#![no_std]
#![forbid(unsafe_code)]

pub mod atlas;
pub mod brain;
pub mod calibration;
pub mod config;
pub mod fault;
pub mod mission;
pub mod motion;
pub mod navigator;
pub mod parts;
pub mod report;
pub mod robot;
pub mod sight;
pub mod signals;
pub mod store;
pub mod tasks;

pub use planner_core as planner;
