//! The proximity sensors: pulses of infrared light, and receivers that are low when they see them.

use embassy_rp::{
    Peri,
    clocks::clk_sys_freq,
    gpio::{Input, Pull},
    peripherals::{PIN_16, PIN_17, PIN_23, PIN_24, PIN_27, PWM_SLICE0},
    pwm::{Config, Pwm},
};
use embassy_time::{Instant, Timer};
use tinystar::{
    parts::pulses::{self, Light, Seen},
    robot::{self, Levels, NoReading, Reading},
};

/// LEDs of both sides, and three receivers.
pub struct Proximity {
    /// A is the right side's, B the left one's.
    leds: Pwm<'static>,
    dark: Config,
    widths: [u16; Levels::MAX as usize],
    left: Input<'static>,
    front: Input<'static>,
    right: Input<'static>,
}

impl Proximity {
    /// Dark. Pins are those of the left and right LEDs, and of the left, front and right receivers.
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
        let mut dark = Config::default();
        dark.top = pulses::period(clock) - 1;
        let (left, right) = leds;
        Self {
            leds: Pwm::new_output_ab(slice, right, left, dark.clone()),
            dark,
            widths: pulses::widths(clock),
            left: Input::new(receivers.0, Pull::Up),
            front: Input::new(receivers.1, Pull::Up),
            right: Input::new(receivers.2, Pull::Up),
        }
    }

    fn shine(&mut self, light: Light, width: u16) {
        let mut config = self.dark.clone();
        match light {
            Light::Left => config.compare_b = width,
            Light::Right => config.compare_a = width,
        }
        self.leds.set_config(&config);
    }

    fn seen(&self) -> Seen {
        Seen {
            front: self.front.is_low(),
            left: self.left.is_low(),
            right: self.right.is_low(),
        }
    }
}

impl robot::Proximity for Proximity {
    async fn read(&mut self) -> Result<Reading, NoReading> {
        let taken = Instant::now();
        let mut levels = Levels::default();
        for width in self.widths {
            for light in [Light::Left, Light::Right] {
                self.shine(light, width);
                Timer::after(pulses::ON).await;
                levels.count(light, self.seen());
                self.leds.set_config(&self.dark);
                Timer::after(pulses::OFF).await;
            }
        }
        Ok(Reading { levels, taken })
    }
}
