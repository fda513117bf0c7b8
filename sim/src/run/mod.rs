//! Runs of the robot: the firmware's tasks on the physics model, or its image on an emulated chip.

mod chip;
mod chip_robot;
mod model;

pub use chip::*;
pub use chip_robot::*;
pub use model::*;
