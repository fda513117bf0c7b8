//! The gyro: an LSM6DSO on the I2C bus.

use embassy_rp::{
    Peri,
    gpio::{Flex, Pull},
    i2c::{self, Async, I2c, InterruptHandler},
    interrupt::typelevel::{Binding, I2C0_IRQ},
    peripherals::{I2C0, PIN_4, PIN_5},
};
use embassy_time::{Duration, block_for, with_timeout};
use tinystar::{
    parts::imu::{ADDRESS, I_AM, RATE, SETUP, WHO_AM_I, clockwise},
    robot::NoReading,
};

/// A bus that hangs is given up after so long; what we ask of it takes a tenth of that.
const PATIENCE: Duration = Duration::from_millis(1);

/// The gyro.
pub struct Imu {
    bus: I2c<'static, I2C0, Async>,
    /// It was set up, and has answered ever since.
    ready: bool,
}

impl Imu {
    /// A gyro that is set up when it is asked.
    pub fn new(
        i2c: Peri<'static, I2C0>,
        mut clock: Peri<'static, PIN_5>,
        data: Peri<'static, PIN_4>,
        interrupts: impl Binding<I2C0_IRQ, InterruptHandler<I2C0>>,
    ) -> Self {
        free(Flex::new(clock.reborrow()));
        let mut config = i2c::Config::default();
        config.frequency = 400_000;
        Self {
            bus: I2c::new_async(i2c, clock, data, interrupts, config),
            ready: false,
        }
    }

    /// How fast the robot turns clockwise, in thousandths of a degree per second.
    pub async fn clockwise(&mut self) -> Result<i32, NoReading> {
        if !self.ready {
            self.set_up().await?;
        }
        // Should it fail, the gyro may have lost power: it is set up again.
        self.ready = false;
        let mut rate = [0; 2];
        self.read(RATE, &mut rate).await?;
        self.ready = true;
        Ok(clockwise(rate))
    }

    async fn set_up(&mut self) -> Result<(), NoReading> {
        let mut name = [0];
        self.read(WHO_AM_I, &mut name).await?;
        if name != [I_AM] {
            return Err(NoReading);
        }
        for setting in SETUP {
            in_time(self.bus.write_async(ADDRESS, setting)).await?;
        }
        Ok(())
    }

    async fn read(&mut self, register: u8, bytes: &mut [u8]) -> Result<(), NoReading> {
        in_time(self.bus.write_read_async(ADDRESS, [register], bytes)).await
    }
}

async fn in_time(talk: impl Future<Output = Result<(), i2c::Error>>) -> Result<(), NoReading> {
    with_timeout(PATIENCE, talk)
        .await
        .map_err(|_| NoReading)?
        .map_err(|_| NoReading)
}

/// Lets go of the data line whoever was interrupted by a restart while it spoke: nine clocks end any byte.
fn free(mut clock: Flex<'_>) {
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
