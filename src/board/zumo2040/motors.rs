//! Motors: a PWM pin and a direction pin each, high for backward.

use embassy_rp::{
    Peri,
    gpio::{Level, Output},
    peripherals::{PIN_10, PIN_11, PIN_14, PIN_15, PWM_SLICE7},
    pwm::{Config, Pwm},
};
use tinystar::{
    drivers::h_bridge::compare_value,
    robot::{Drive, Duty},
};

/// PWM steps: 20.8 kHz at 125 MHz, above hearing.
const STEPS: u16 = 6000;

/// Left and right motor.
pub struct Motors {
    /// Channel A is right, B is left.
    pwm: Pwm<'static>,
    power: Config,
    backwards: [Output<'static>; 2],
}

impl Motors {
    /// Motors off; pins are left, right.
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
        self.power.compare_a = compare_value(right, STEPS);
        self.power.compare_b = compare_value(left, STEPS);
        self.pwm.set_config(&self.power);
    }

    fn off(&mut self) {
        self.set(Duty::default(), Duty::default());
    }
}
