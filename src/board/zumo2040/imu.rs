//! Gyro: an LSM6DSO on I2C.

use embassy_rp::{
    Peri,
    gpio::{Flex, Pull},
    i2c::{self, Async, I2c, InterruptHandler},
    interrupt::typelevel::{Binding, I2C0_IRQ},
    peripherals::{I2C0, PIN_4, PIN_5},
};
use embassy_time::{Duration, block_for, with_timeout};
use tinystar::{
    drivers::lsm6dso::{ADDRESS, IDENTITY, RATE, SETUP, WHO_AM_I, yaw_rate},
    robot::SensorError,
};

/// Timeout of a bus transfer, ten times its duration.
const TIMEOUT: Duration = Duration::from_millis(1);

/// Gyro.
pub struct Imu {
    bus: I2c<'static, I2C0, Async>,
    /// Whether it is set up and has responded since.
    ready: bool,
}

impl Imu {
    /// Gyro that is set up at its first reading.
    pub fn new(
        i2c: Peri<'static, I2C0>,
        mut clock: Peri<'static, PIN_5>,
        data: Peri<'static, PIN_4>,
        interrupts: impl Binding<I2C0_IRQ, InterruptHandler<I2C0>>,
    ) -> Self {
        recover(Flex::new(clock.reborrow()));
        let mut config = i2c::Config::default();
        config.frequency = 400_000;
        Self {
            bus: I2c::new_async(i2c, clock, data, interrupts, config),
            ready: false,
        }
    }

    /// Yaw rate in thousandths of a degree per second, clockwise.
    pub async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
        if !self.ready {
            self.set_up().await?;
        }
        // After a failure it is set up again: it may have lost power.
        self.ready = false;
        let mut rate = [0; 2];
        self.read(RATE, &mut rate).await?;
        self.ready = true;
        Ok(yaw_rate(rate))
    }

    async fn set_up(&mut self) -> Result<(), SensorError> {
        let mut name = [0];
        self.read(WHO_AM_I, &mut name).await?;
        if name != [IDENTITY] {
            return Err(SensorError);
        }
        for setting in SETUP {
            in_time(self.bus.write_async(ADDRESS, setting)).await?;
        }
        Ok(())
    }

    async fn read(&mut self, register: u8, bytes: &mut [u8]) -> Result<(), SensorError> {
        in_time(self.bus.write_read_async(ADDRESS, [register], bytes)).await
    }
}

async fn in_time(
    transfer: impl Future<Output = Result<(), i2c::Error>>,
) -> Result<(), SensorError> {
    with_timeout(TIMEOUT, transfer)
        .await
        .map_err(|_| SensorError)?
        .map_err(|_| SensorError)
}

/// Recovers the bus from a transfer that a restart interrupted: nine clocks end any byte.
fn recover(mut clock: Flex<'_>) {
    const HALF: Duration = Duration::from_micros(5);
    clock.set_pull(Pull::Up);
    clock.set_low();
    for _ in 0..9 {
        clock.set_as_output();
        block_for(HALF);
        clock.set_as_input();
        block_for(HALF);
    }
}
