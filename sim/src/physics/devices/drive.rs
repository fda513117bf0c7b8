//! Encoders, gyro and motors.

use embassy_time::{Duration, Timer};
use tinystar::robot::{Drive, Duty, Odometry, SensorError};

use super::SharedModel;

/// How long it takes to ask the gyro: ten bytes at 400 kHz.
const GYRO_READ: Duration = Duration::from_micros(250);

/// Encoders and gyro of the robot in an arena.
#[derive(Debug)]
pub struct SimOdometry(pub SharedModel);

impl Odometry for SimOdometry {
    async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
        Ok(self.0.now().body().counts())
    }

    async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
        Timer::after(GYRO_READ).await;
        Ok(self.0.now().body().gyro())
    }
}

/// SimMotors of the robot in an arena.
#[derive(Debug)]
pub struct SimMotors(pub SharedModel);

impl Drive for SimMotors {
    fn set(&mut self, left: Duty, right: Duty) {
        self.0.now().set_power([left.get(), right.get()]);
    }

    fn off(&mut self) {
        self.0.now().set_power([0, 0]);
    }
}
