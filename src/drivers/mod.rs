//! Drivers without hardware access: register values and conversions, tested on a desktop. The board
//! modules add the bus or pin.

pub mod h_bridge;
pub mod lsm6dso;
pub mod proximity;
pub mod reset;
pub mod sharp_ir;
pub mod wheel_odometry;

/// Battery voltage in millivolts from a 12-bit ADC value with a 3.3 V reference, behind a voltage divider.
///
/// ```
/// assert_eq!(tinystar::drivers::battery_mv(564, 11), 4998); // four cells of 1.25 V
/// ```
#[must_use]
pub const fn battery_mv(raw: u16, divider: u32) -> u32 {
    raw as u32 * divider * 3300 / 4096
}
