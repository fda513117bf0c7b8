//! Gyro: an LSM6DSO on I2C.

use embassy_rp::{
    Peri,
    gpio::{Flex, Pull},
    i2c::{self, Async, I2c, InterruptHandler},
    interrupt::typelevel::{Binding, I2C0_IRQ},
    peripherals::{I2C0, PIN_4, PIN_5},
};
use embassy_time::{Duration, block_for};
use tinystar::drivers::lsm6dso::Lsm6dso;

/// Gyro.
pub type Imu = Lsm6dso<I2c<'static, I2C0, Async>>;

/// Gyro at its pins.
pub fn imu(
    i2c: Peri<'static, I2C0>,
    mut clock: Peri<'static, PIN_5>,
    data: Peri<'static, PIN_4>,
    interrupts: impl Binding<I2C0_IRQ, InterruptHandler<I2C0>>,
) -> Imu {
    recover(Flex::new(clock.reborrow()));
    let mut config = i2c::Config::default();
    config.frequency = 400_000;
    Lsm6dso::new(I2c::new_async(i2c, clock, data, interrupts, config))
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
