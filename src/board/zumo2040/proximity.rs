//! Proximity sensors: infrared bursts, and receivers that go low when they detect one.

use embassy_rp::{
    clocks::clk_sys_freq,
    gpio::Input,
    pwm::{Config, Pwm},
};
use embassy_time::{Instant, Timer};
use tinystar::{
    drivers::proximity::{self, Detections, Emitter},
    robot::{self, Levels, Reading, SensorError},
};

/// LEDs on both sides, and three receivers.
pub struct Proximity {
    leds: Pwm<'static>,
    off: Config,
    widths: [u16; Levels::MAX as usize],
    receivers: [Input<'static>; 3],
}

impl Proximity {
    /// LEDs off. Channel A of the PWM is right, B is left; the receivers are left, front, right.
    pub fn new(mut leds: Pwm<'static>, receivers: [Input<'static>; 3]) -> Self {
        let clock = clk_sys_freq();
        let mut off = Config::default();
        off.top = proximity::period(clock) - 1;
        leds.set_config(&off);
        Self {
            leds,
            off,
            widths: proximity::widths(clock),
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

impl robot::Proximity for Proximity {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        let taken = Instant::now();
        let mut levels = Levels::default();
        for width in self.widths {
            for emitter in [Emitter::Left, Emitter::Right] {
                self.emit(emitter, width);
                Timer::after(proximity::ON).await;
                levels.count(emitter, self.detections());
                self.leds.set_config(&self.off);
                Timer::after(proximity::OFF).await;
            }
        }
        Ok(Reading { levels, taken })
    }
}
