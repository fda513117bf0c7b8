//! The proximity sensors.

use embassy_time::{Duration, Instant, Timer};
use tinystar::robot::{Proximity, Reading, SensorError};

use super::SharedModel;

/// How long a look takes: twelve pulses, each on for 250 us and off for 321.
const LOOK: Duration = Duration::from_micros(6852);

/// Proximity sensors that see the walls of an arena.
#[derive(Debug)]
pub struct SimProximity(pub SharedModel);

impl Proximity for SimProximity {
    /// What is seen is what there is in the middle of the look.
    async fn read(&mut self) -> Result<Reading, SensorError> {
        Timer::after(LOOK / 2).await;
        let levels = self.0.now().look();
        let taken = Instant::now();
        Timer::after(LOOK / 2).await;
        Ok(Reading { levels, taken })
    }
}
