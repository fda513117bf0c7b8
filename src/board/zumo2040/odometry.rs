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
        // A comes before B when this robot goes forward. Pololu's own program counts that down and
        // negates the count; ours counts it up.
        self.encoders.counts()
    }

    async fn yaw_rate(&mut self) -> Result<i32, NoReading> {
        self.imu.clockwise().await
    }
}
