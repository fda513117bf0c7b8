//! Physics model of the robot, and the devices that the firmware's tasks run on.
//!
//! ```text
//!  tolerances -> drivetrain --+
//!                             +--> model ---> devices ---> faults ---> firmware tasks, run by clock
//!  geometry ---> floor -------+
//!                   \--> proximity
//! ```
//!
//! [`model`] is the ground truth and has no clock of its own. [`devices`] implement the traits of
//! [`tinystar::robot`] on it; [`faults`] wrap devices. [`clock`] is virtual time for the tasks.

pub mod clock;
pub mod devices;
pub mod drivetrain;
pub mod faults;
pub mod floor;
pub mod geometry;
pub mod model;
pub mod proximity;
pub mod tolerances;
