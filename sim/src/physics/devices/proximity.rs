//! Simulated proximity sensors.

use embassy_time::{Duration, Instant, Timer};
use tinystar::robot::{Proximity, Reading, SensorError};

use super::SharedModel;

/// Duration of a reading: twelve bursts of 250 us with pauses of 321 us.
const READING: Duration = Duration::from_micros(6852);

/// Proximity sensors of the physics model.
#[derive(Debug)]
pub struct SimProximity(pub SharedModel);

impl Proximity for SimProximity {
    /// Measures in the middle of the reading.
    async fn read(&mut self) -> Result<Reading, SensorError> {
        Timer::after(READING / 2).await;
        let levels = self.0.now().read_proximity();
        let taken = Instant::now();
        Timer::after(READING / 2).await;
        Ok(Reading { levels, taken })
    }
}
