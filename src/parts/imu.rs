//! The gyro of an LSM6DSO: its registers, and what it says.

/// Its address on the I2C bus.
pub const ADDRESS: u8 = 0x6B;
/// The register that says what is at the address ...
pub const WHO_AM_I: u8 = 0x0F;
/// ... and what stands in it.
pub const I_AM: u8 = 0x6C;
/// The low byte of the rate around the upward axis; the high byte is the next register.
pub const RATE: u8 = 0x26;
/// Registers to set, and to what.
pub const SETUP: [[u8; 2]; 2] = [
    // CTRL3_C: both bytes of a value change together; the register's number goes up by itself.
    [0x12, 0b0100_0100],
    // CTRL2_G: 208 values a second, up to 2000 degrees per second.
    [0x11, 0b0101_1100],
];

/// How fast the robot turns clockwise as seen from above, in thousandths of a degree per second, from
/// the two bytes at [`RATE`]: 70 to the unit, and counter-clockwise is up.
#[must_use]
pub const fn clockwise(bytes: [u8; 2]) -> i32 {
    -(i16::from_le_bytes(bytes) as i32) * 70
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_has_a_sign_and_the_low_byte_comes_first() {
        assert_eq!(clockwise([0, 0]), 0);
        assert_eq!(clockwise([1, 0]), -70);
        assert_eq!(clockwise([0xFF, 0xFF]), 70);
        assert_eq!(clockwise([0x0B, 0x05]), -90_370); // 1291 units
        assert_eq!(clockwise([0x00, 0x80]), 2_293_760); // the most there is
    }
}
