//! Encoders, gyro and motors.

use embassy_time::{Duration, Timer};
use tinystar::robot::{Drive, Duty, NoReading, Odometry};

use super::Shared;

/// How long it takes to ask the gyro: ten bytes at 400 kHz.
const GYRO_READ: Duration = Duration::from_micros(250);

/// Encoders and gyro of the robot in an arena.
#[derive(Debug)]
pub struct Wheels(pub Shared);

impl Odometry for Wheels {
    async fn counts(&mut self) -> Result<[i32; 2], NoReading> {
        Ok(self.0.now().body().counts())
    }

    async fn yaw_rate(&mut self) -> Result<i32, NoReading> {
        Timer::after(GYRO_READ).await;
        Ok(self.0.now().body().gyro())
    }
}

/// Motors of the robot in an arena.
#[derive(Debug)]
pub struct Motors(pub Shared);

impl Drive for Motors {
    fn set(&mut self, left: Duty, right: Duty) {
        self.0.now().set_power([left.get(), right.get()]);
    }

    fn off(&mut self) {
        self.0.now().set_power([0, 0]);
    }
}
