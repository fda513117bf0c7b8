//! Simulated infrared LEDs and receivers.

use embassy_time::{Duration, Timer};
use tinystar::drivers::proximity::{Detections, Emitter, Infrared};

use super::SharedModel;
use crate::physics::{
    parameters::{BURST_US, PAUSE_US},
    proximity::Leds,
};

/// Bursts that share one timer: a board awaits twice in each, which is too many events for a model run.
const BATCH: u32 = 6;

/// LEDs and receivers of the physics model; the firmware's driver makes readings of them.
#[derive(Debug)]
pub struct SimInfrared {
    model: SharedModel,
    /// Bursts so far.
    bursts: u32,
}

impl SimInfrared {
    /// LEDs and receivers of a model.
    #[must_use]
    pub fn new(model: SharedModel) -> Self {
        Self { model, bursts: 0 }
    }
}

impl Infrared for SimInfrared {
    async fn burst(&mut self, emitter: Emitter, width_ns: u32) -> Detections {
        if self.bursts.is_multiple_of(BATCH) {
            Timer::after(Duration::from_micros(BURST_US + PAUSE_US) * BATCH).await;
        }
        self.bursts = self.bursts.wrapping_add(1);
        let leds = match emitter {
            Emitter::Left => Leds::Left,
            Emitter::Right => Leds::Right,
        };
        let [left, front, right] = self.model.now().burst(leds, width_ns.into());
        Detections { front, left, right }
    }
}
