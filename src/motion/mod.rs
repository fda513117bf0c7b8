//! Motion control in integers, without a clock or a board.
//!
//! ```text
//!  encoders, gyro, walls -> PoseEstimator -> MotionController (VelocityProfile) -> WheelController -> duty
//! ```
//!
//! Lengths are micrometres, angles thousandths of a degree (mdeg), speeds one of these per second. The
//! frame is the robot's cell in the direction of its heading: forward, and lateral to the right.

mod motion_controller;
mod pose_estimator;
mod profile;
mod wheel_controller;

pub use motion_controller::{ControlInput, Duties, MotionController};
pub use pose_estimator::PoseEstimator;
pub use profile::VelocityProfile;
pub use wheel_controller::WheelController;

/// A radian in mdeg.
const RADIAN_MDEG: i32 = 57_296;

/// Returns `value * factor / divisor`, computed in 64 bits.
pub(crate) const fn scale(value: i32, factor: i32, divisor: i32) -> i32 {
    (value as i64 * factor as i64 / divisor as i64) as i32
}

/// Lateral part of a motion of `um` at a small angle, in micrometres.
const fn lateral(um: i32, mdeg: i32) -> i32 {
    scale(um, mdeg, RADIAN_MDEG)
}
