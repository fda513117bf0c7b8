//! Gyro of an LSM6DSO on an I2C bus.

use embassy_time::{Duration, with_timeout};
use embedded_hal_async::i2c::I2c;

use crate::robot::SensorError;

/// I2C address.
const ADDRESS: u8 = 0x6B;
/// Identification register.
const WHO_AM_I: u8 = 0x0F;
/// Value of the identification register.
const IDENTITY: u8 = 0x6C;
/// Low byte of the yaw rate; the high byte is the next register.
const RATE: u8 = 0x26;
/// Registers and their values at set-up.
const SETUP: [[u8; 2]; 2] = [
    // CTRL3_C: block data update, automatic address increment.
    [0x12, 0b0100_0100],
    // CTRL2_G: 208 Hz, 2000 dps full scale.
    [0x11, 0b0101_1100],
];
/// Timeout of a bus transfer, ten times its duration at 400 kHz.
const TIMEOUT: Duration = Duration::from_millis(1);

/// Gyro on a bus, set up at its first reading and after each failure.
pub struct Lsm6dso<B> {
    bus: B,
    /// True if it is set up and has responded since.
    is_ready: bool,
}

impl<B: I2c> Lsm6dso<B> {
    /// Gyro that is set up at its first reading.
    pub const fn new(bus: B) -> Self {
        Self {
            bus,
            is_ready: false,
        }
    }

    /// Yaw rate in thousandths of a degree per second, clockwise seen from above.
    ///
    /// # Errors
    /// The gyro does not respond, or is another chip.
    pub async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
        if !self.is_ready {
            self.set_up().await?;
        }
        // After a failure it is set up again: it may have lost power.
        self.is_ready = false;
        let mut rate = [0; 2];
        self.read(RATE, &mut rate).await?;
        self.is_ready = true;
        Ok(yaw_rate(rate))
    }

    async fn set_up(&mut self) -> Result<(), SensorError> {
        let mut name = [0];
        self.read(WHO_AM_I, &mut name).await?;
        if name != [IDENTITY] {
            return Err(SensorError);
        }
        for setting in SETUP {
            in_time(self.bus.write(ADDRESS, &setting)).await?;
        }
        Ok(())
    }

    async fn read(&mut self, register: u8, bytes: &mut [u8]) -> Result<(), SensorError> {
        in_time(self.bus.write_read(ADDRESS, &[register], bytes)).await
    }
}

async fn in_time<E>(transfer: impl Future<Output = Result<(), E>>) -> Result<(), SensorError> {
    with_timeout(TIMEOUT, transfer)
        .await
        .map_err(|_| SensorError)?
        .map_err(|_| SensorError)
}

/// Yaw rate from the bytes at [`RATE`]: 70 mdeg/s per digit, positive counter-clockwise.
const fn yaw_rate(bytes: [u8; 2]) -> i32 {
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
