//! The motors: a pin for power, and one that is high to go backwards.

use embassy_rp::{
    Peri,
    gpio::{Level, Output},
    peripherals::{PIN_10, PIN_11, PIN_14, PIN_15, PWM_SLICE7},
    pwm::{Config, Pwm},
};
use tinystar::{
    parts::bridge::high_for,
    robot::{Drive, Duty},
};

/// Steps of power: at 125 MHz they make 20.8 kHz, which nobody hears.
const STEPS: u16 = 6000;

/// Both motors.
pub struct Motors {
    /// A is the right one, B the left one.
    pwm: Pwm<'static>,
    power: Config,
    backwards: [Output<'static>; 2],
}

impl Motors {
    /// Both off. Pins are those of the left and of the right motor.
    pub fn new(
        slice: Peri<'static, PWM_SLICE7>,
        power: (Peri<'static, PIN_15>, Peri<'static, PIN_14>),
        direction: (Peri<'static, PIN_11>, Peri<'static, PIN_10>),
    ) -> Self {
        let (left, right) = direction;
        let backwards = [
            Output::new(left, Level::Low),
            Output::new(right, Level::Low),
        ];
        let mut config = Config::default();
        config.top = STEPS - 1;
        let (left, right) = power;
        Self {
            pwm: Pwm::new_output_ab(slice, right, left, config.clone()),
            power: config,
            backwards,
        }
    }
}

impl Drive for Motors {
    fn set(&mut self, left: Duty, right: Duty) {
        for (pin, duty) in self.backwards.iter_mut().zip([left, right]) {
            pin.set_level((duty.get() < 0).into());
        }
        self.power.compare_a = high_for(right, STEPS);
        self.power.compare_b = high_for(left, STEPS);
        self.pwm.set_config(&self.power);
    }

    fn off(&mut self) {
        self.set(Duty::default(), Duty::default());
    }
}
