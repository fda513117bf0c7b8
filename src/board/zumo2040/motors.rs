//! Motors: a PWM pin and a direction pin each, high for backward.

use embassy_rp::{
    gpio::Output,
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
    pwm: Pwm<'static>,
    power: Config,
    backwards: [Output<'static>; 2],
}

impl Motors {
    /// Motors off. Channel A of the PWM is right, B is left; the direction pins are left, right.
    pub fn new(mut pwm: Pwm<'static>, backwards: [Output<'static>; 2]) -> Self {
        let mut power = Config::default();
        power.top = STEPS - 1;
        pwm.set_config(&power);
        Self {
            pwm,
            power,
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
