//! Proximity sensors: infrared bursts, and receivers that go low when they detect one.

use embassy_rp::{
    clocks::clk_sys_freq,
    gpio::Input,
    pwm::{Config, Pwm},
};
use embassy_time::Timer;
use tinystar::drivers::proximity::{self, Detections, Emitter, PulsedProximity};

/// Proximity sensors of the board.
pub type Proximity = PulsedProximity<Infrared>;

/// LEDs on both sides, and three receivers.
pub struct Infrared {
    leds: Pwm<'static>,
    off: Config,
    /// Frequency of the PWM's counter.
    clock_hz: u32,
    receivers: [Input<'static>; 3],
}

impl Infrared {
    /// LEDs off. Channel A of the PWM is right, B is left; the receivers are left, front, right.
    pub fn new(mut leds: Pwm<'static>, receivers: [Input<'static>; 3]) -> Self {
        let clock_hz = clk_sys_freq();
        let mut off = Config::default();
        off.top = proximity::period(clock_hz) - 1;
        leds.set_config(&off);
        Self {
            leds,
            off,
            clock_hz,
            receivers,
        }
    }

    fn emit(&mut self, emitter: Emitter, width: u16) {
        let mut config = self.off.clone();
        match emitter {
            Emitter::Left => config.compare_b = width,
            Emitter::Right => config.compare_a = width,
        }
        self.leds.set_config(&config);
    }

    fn detections(&self) -> Detections {
        let [left, front, right] = self.receivers.each_ref().map(Input::is_low);
        Detections { front, left, right }
    }
}

impl proximity::Infrared for Infrared {
    async fn burst(&mut self, emitter: Emitter, width_ns: u32) -> Detections {
        self.emit(emitter, proximity::width(width_ns, self.clock_hz));
        Timer::after(proximity::ON).await;
        let detections = self.detections();
        self.leds.set_config(&self.off);
        Timer::after(proximity::OFF).await;
        detections
    }
}
