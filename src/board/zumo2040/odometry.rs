//! Encoders and gyro together.

use tinystar::robot::{self, NoReading};

use super::imu::Imu;
use crate::board::rp2040::Encoders;

/// Where the wheels are, and how the robot turns.
pub struct Odometry {
    encoders: Encoders,
    imu: Imu,
}

impl Odometry {
    /// Both together.
    pub fn new(encoders: Encoders, imu: Imu) -> Self {
        Self { encoders, imu }
    }
}

impl robot::Odometry for Odometry {
    async fn counts(&mut self) -> Result<[i32; 2], NoReading> {
        // B comes before A when this robot goes forward.
        let counts = self.encoders.counts()?;
        Ok(counts.map(i32::wrapping_neg))
    }

    async fn yaw_rate(&mut self) -> Result<i32, NoReading> {
        self.imu.clockwise().await
    }
}
