//! Firmware of the robot, except what needs hardware: tasks that sense, plan and drive.
//!
//! ```text
//!  proximity -> sense --wall readings--> plan --motion commands--> drive -> motors
//!                  \                     ^ \  <--motion results---/  ^ \
//!                   \--wall readings----/---\----------------------/   encoders, gyro
//!                                        |    \--store requests-> store -> flash
//!  buttons, USB -> panel, report --commands          supervise: watchdog, battery, faults
//! ```
//!
//! # One observation, from infrared sensor to motor
//!
//! 1. `board/zumo2040/proximity.rs` pulses the infrared LEDs; [`drivers::proximity`] chooses the pulse widths by
//!    the [`calibration`] and turns the reflections that each receiver detects into [`robot::Distances`].
//! 2. `tasks/sense.rs` reads the distances every 10 ms and passes them, with the pose at that instant, to the
//!    [`sensing::WallDetector`] (`sensing/detector.rs`): votes over the last readings in a cell, three on the move. The
//!    result is a [`signals::WallReading`] in [`signals::Signals::wall_reading`].
//! 3. `tasks/plan.rs` ticks the [`mission::MissionExecutive`] (`mission/executive/`): `observation.rs` passes
//!    new walls to the [`navigator::Navigator`] (`navigator.rs`).
//! 4. The navigator, a preset of the crate [`planner`], writes the wall to its map, passes the change to
//!    its searches, and decides on the next cell within the budget of a tick. The executive (`decision.rs`
//!    at rest, `route.rs` on the move) turns the decision into a [`signals::MotionCommand`]: an
//!    [`Exit`](signals::Exit) of the cell that the robot is about to enter, before the place where it would have to
//!    brake.
//! 5. `tasks/drive.rs` reads the encoders (`board/rp2040/encoders.rs`) and the gyro (`board/zumo2040/imu.rs`) every
//!    5 ms and steps the [`motion::MotionController`] (`motion/motion_controller/mod.rs`), whose `route.rs` drives a
//!    [`motion::Route`] of exits (`motion/route.rs`): on straights by a [`motion::VelocityProfile`]
//!    (`motion/profile.rs`), and on [`motion::SmoothTurn`]s (`motion/smooth_turn.rs`). Both follow the pose of the
//!    [`motion::PoseEstimator`] (`motion/pose_estimator.rs`), which corrects odometry by the walls in view.
//!    A robot that is lost looks around and matches the walls with its map (`mission/relocalisation.rs`,
//!    `mission/wall_matcher.rs`).
//! 6. The [`motion::WheelController`]s (`motion/wheel_controller.rs`) turn wheel speeds into
//!    [`robot::Duty`], and `board/zumo2040/motors.rs` into PWM.
//!
//! # Principles
//!
//! 1. **The board is thin.** Tasks see a board through the traits of [`robot`] and the numbers of a
//!    [`boards::BoardConfig`]; everything else is tested on a desktop.
//! 2. **One file for data flow.** Every channel between tasks is a field of [`signals::Signals`].
//! 3. **Every number has a unit and a reason**, in [`config`] or in the board's configuration, and is
//!    checked at compile time.
//! 4. **A fault stops the motors** until a person clears it: [`fault`].
//! 5. **The robot can stop in cells known to be free**, at every control step: a decision that comes late costs time.
//! 6. **Walls are on edges.** The robot maps walls between cells, so a maze of thin walls and a floor
//!    with boxes are the same to it.
#![no_std]
#![forbid(unsafe_code)]

pub mod boards;
pub mod calibration;
pub mod calibrator;
pub mod config;
pub mod drivers;
pub mod fault;
mod log;
pub mod menu;
pub mod mission;
pub mod motion;
pub mod navigator;
pub mod robot;
pub mod sensing;
pub mod settings;
pub mod signals;
pub mod store;
pub mod tasks;
pub mod telemetry;

pub use planner_core as planner;
