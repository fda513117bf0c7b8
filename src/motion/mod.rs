//! How the robot moves, in integers, without a clock or a board: what a motion is, where the robot is,
//! and what the wheels must do.
//!
//! ```text
//!  encoders, gyro, sight -> Estimate -> Manoeuvre (Profile) -> Wheels -> duty
//!                           where it is  where it should be    servo of each wheel
//! ```
//!
//! Lengths are micrometres, angles thousandths of a degree, speeds one or the other per second. The
//! frame is the robot's cell as it looks: forward, and to the right.

mod estimate;
mod manoeuvre;
mod profile;
mod range;
mod wheels;

pub use estimate::Estimate;
pub use manoeuvre::{Inputs, Manoeuvre, Powers};
pub use profile::Profile;
pub use range::{Interval, front, side};
pub use wheels::Wheels;

/// `value * factor / divisor`, wide enough in between.
pub(crate) const fn scale(value: i32, factor: i32, divisor: i32) -> i32 {
    (value as i64 * factor as i64 / divisor as i64) as i32
}

/// How far to the right a way of `um` at a small angle leads, in micrometres.
pub(crate) const fn sideways(um: i32, mdeg: i32) -> i32 {
    // A radian has 57,296 thousandths of a degree; the sine of a small angle is the angle.
    scale(um, mdeg, 57_296)
}
