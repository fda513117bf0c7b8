//! Simulated infrared LEDs and receivers.

use embassy_time::{Duration, Timer};
use tinystar::drivers::proximity::{Detections, Emitter, Infrared};

use super::SharedModel;
use crate::physics::{
    parameters::{BURST_US, PAUSE_US},
    proximity::Leds,
};

/// LEDs and receivers of the physics model; the firmware's driver makes readings of them.
#[derive(Debug)]
pub struct SimInfrared(SharedModel);

impl SimInfrared {
    /// LEDs and receivers of a model.
    pub fn new(model: SharedModel) -> Self {
        Self(model)
    }
}

impl Infrared for SimInfrared {
    /// Awaits as often as the board does, so that what starves it there starves it here.
    async fn burst(&mut self, emitter: Emitter, width_ns: u32) -> Detections {
        Timer::after(Duration::from_micros(BURST_US)).await;
        let leds = match emitter {
            Emitter::Left => Leds::Left,
            Emitter::Right => Leds::Right,
        };
        let [left, front, right] = self.0.now().burst(leds, width_ns.into());
        Timer::after(Duration::from_micros(PAUSE_US)).await;
        Detections { front, left, right }
    }
}
