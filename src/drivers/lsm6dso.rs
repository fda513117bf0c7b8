//! Gyro of an LSM6DSO: registers and scale.

/// I2C address.
pub const ADDRESS: u8 = 0x6B;
/// Identification register.
pub const WHO_AM_I: u8 = 0x0F;
/// Value of the identification register.
pub const IDENTITY: u8 = 0x6C;
/// Low byte of the yaw rate; the high byte is the next register.
pub const RATE: u8 = 0x26;
/// Registers and their values at set-up.
pub const SETUP: [[u8; 2]; 2] = [
    // CTRL3_C: block data update, automatic address increment.
    [0x12, 0b0100_0100],
    // CTRL2_G: 208 Hz, 2000 dps full scale.
    [0x11, 0b0101_1100],
];

/// Yaw rate in thousandths of a degree per second, clockwise seen from above, from the bytes at
/// [`RATE`]: 70 mdeg/s per digit, positive counter-clockwise.
#[must_use]
pub const fn yaw_rate(bytes: [u8; 2]) -> i32 {
    -(i16::from_le_bytes(bytes) as i32) * 70
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_yaw_rate_is_signed_and_little_endian() {
        assert_eq!(yaw_rate([0, 0]), 0);
        assert_eq!(yaw_rate([1, 0]), -70);
        assert_eq!(yaw_rate([0xFF, 0xFF]), 70);
        assert_eq!(yaw_rate([0x0B, 0x05]), -90_370); // 1291 digits
        assert_eq!(yaw_rate([0x00, 0x80]), 2_293_760); // full scale
    }
}
