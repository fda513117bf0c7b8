//! Encoders and gyro.

use tinystar::robot::{self, SensorError};

use super::imu::Imu;
use crate::board::rp2040::Encoders;

/// Encoders and gyro.
pub struct Odometry {
    pub encoders: Encoders,
    pub imu: Imu,
}

impl robot::Odometry for Odometry {
    async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
        // Forward, A leads B, which counts up here. Pololu's program counts down and negates.
        self.encoders.counts()
    }

    async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
        self.imu.yaw_rate().await
    }
}
