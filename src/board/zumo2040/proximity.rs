//! Proximity sensors: infrared bursts, and receivers that go low when they detect one.

use embassy_rp::{
    Peri,
    clocks::clk_sys_freq,
    gpio::{Input, Pull},
    peripherals::{PIN_16, PIN_17, PIN_23, PIN_24, PIN_27, PWM_SLICE0},
    pwm::{Config, Pwm},
};
use embassy_time::{Instant, Timer};
use tinystar::{
    drivers::proximity::{self, Detections, Emitter},
    robot::{self, Levels, Reading, SensorError},
};

/// LEDs on both sides, and three receivers.
pub struct Proximity {
    /// Channel A is right, B is left.
    leds: Pwm<'static>,
    off: Config,
    widths: [u16; Levels::MAX as usize],
    left: Input<'static>,
    front: Input<'static>,
    right: Input<'static>,
}

impl Proximity {
    /// LEDs off; pins are left and right LEDs, and left, front and right receivers.
    pub fn new(
        slice: Peri<'static, PWM_SLICE0>,
        leds: (Peri<'static, PIN_17>, Peri<'static, PIN_16>),
        receivers: (
            Peri<'static, PIN_23>,
            Peri<'static, PIN_27>,
            Peri<'static, PIN_24>,
        ),
    ) -> Self {
        let clock = clk_sys_freq();
        let mut off = Config::default();
        off.top = proximity::period(clock) - 1;
        let (left, right) = leds;
        Self {
            leds: Pwm::new_output_ab(slice, right, left, off.clone()),
            off,
            widths: proximity::widths(clock),
            left: Input::new(receivers.0, Pull::Up),
            front: Input::new(receivers.1, Pull::Up),
            right: Input::new(receivers.2, Pull::Up),
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
        Detections {
            front: self.front.is_low(),
            left: self.left.is_low(),
            right: self.right.is_low(),
        }
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
