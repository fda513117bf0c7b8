//! The robot's firmware, as far as it needs no board.
//!
//! Today this is one re-export: [`planner`], which decides each next move. It is `no_std`, so it
//! builds for the chip as it does for a desktop:
//!
//! ```text
//! cargo build -p tinystar --lib --target thumbv6m-none-eabi
//! ```
//!
//! To see the planner at work without a robot, run the simulator: `cargo run --release`.
#![no_std]

pub use planner_core as planner;
