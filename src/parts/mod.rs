//! Parts that boards are made of, as far as they are arithmetic: what a register's number means.

pub mod bridge;
pub mod imu;
pub mod pulses;
pub mod restart;
pub mod sharp;
pub mod wheels;

/// The battery's voltage in millivolts, from the 12 bits of a converter that sees an eleventh of it
/// against 3.3 V.
///
/// ```
/// assert_eq!(tinystar::parts::battery_mv(564), 4998); // four cells of 1.25 V
/// ```
#[must_use]
pub const fn battery_mv(raw: u16) -> u32 {
    raw as u32 * 11 * 3300 / 4096
}
