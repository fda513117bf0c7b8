//! The proximity sensors.

use embassy_time::{Duration, Instant, Timer};
use tinystar::robot::{NoReading, Proximity, Reading};

use super::Shared;

/// How long a look takes: twelve pulses, each on for 250 us and off for 321.
const LOOK: Duration = Duration::from_micros(6852);

/// Proximity sensors that see the walls of an arena.
#[derive(Debug)]
pub struct Eyes(pub Shared);

impl Proximity for Eyes {
    /// What is seen is what there is in the middle of the look.
    async fn read(&mut self) -> Result<Reading, NoReading> {
        Timer::after(LOOK / 2).await;
        let levels = self.0.now().look();
        let taken = Instant::now();
        Timer::after(LOOK / 2).await;
        Ok(Reading { levels, taken })
    }
}
