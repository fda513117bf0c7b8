//! Simulated encoders, gyro and motors.

use embassy_time::{Duration, Timer};
use tinystar::robot::{Drive, Duty, Odometry, SensorError};

use super::SharedModel;

/// Duration of a gyro reading: ten bytes at 400 kHz.
const GYRO_READ: Duration = Duration::from_micros(250);

/// Encoders and gyro of the physics model.
#[derive(Debug)]
pub struct SimOdometry(pub SharedModel);

impl Odometry for SimOdometry {
    async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
        Ok(self.0.now().drivetrain().counts())
    }

    async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
        Timer::after(GYRO_READ).await;
        Ok(self.0.now().drivetrain().gyro())
    }
}

/// Motors of the physics model.
#[derive(Debug)]
pub struct SimMotors(pub SharedModel);

impl Drive for SimMotors {
    fn set(&mut self, left: Duty, right: Duty) {
        self.0.now().set_duty([left.get(), right.get()]);
    }

    fn off(&mut self) {
        self.0.now().set_duty([0, 0]);
    }
}
