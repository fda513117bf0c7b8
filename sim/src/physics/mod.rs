//! Physics model of the robot, and the devices that the firmware's tasks run on.
//!
//! ```text
//!  parameters, tolerances -> drivetrain --+
//!                                         +--> model ---> devices ---> faults ---> firmware tasks, run by clock
//!  geometry ---> floor -------------------+
//!                   \--> proximity
//! ```
//!
//! [`model`] is the ground truth and has no clock of its own. [`devices`] implement the traits of
//! [`tinystar::robot`] on it, and [`tinystar::drivers::proximity::Infrared`]; [`faults`] wrap devices. [`executor`] runs the
//! tasks, and [`clock`] is their virtual time.
//!
//! The numbers of the robot are in [`parameters`], apart from the firmware's, which the model is to test: no file
//! here may use `tinystar::config` or `tinystar::boards`.

pub mod clock;
pub mod devices;
pub mod drivetrain;
pub mod executor;
pub mod faults;
pub mod floor;
pub mod geometry;
pub mod model;
mod noise;
pub mod parameters;
pub mod proximity;
pub mod tolerances;
