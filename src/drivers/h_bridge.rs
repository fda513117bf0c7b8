//! Motors on H-bridges with two PWM inputs.

use embedded_hal::pwm::SetDutyCycle;

use crate::robot::Duty;

/// PWM compare value of a duty, for a counter with `steps` steps.
///
/// ```
/// use tinystar::{drivers::h_bridge::compare_value, robot::Duty};
///
/// assert_eq!(compare_value(Duty::permille(-250), 6000), 1500);
/// ```
#[must_use]
pub const fn compare_value(duty: Duty, steps: u16) -> u16 {
    // At most `steps`: a duty is at most 1000.
    (duty.get().unsigned_abs() * steps as u32 / Duty::MAX as u32) as u16
}

/// One motor on an H-bridge with two inputs, as of a DRV8833, driven with slow decay: one input is high, the
/// other has the rest of the duty, so that the motor is shorted between pulses. With fast decay, where it
/// floats, a small motor whines and stands at low duty. With both inputs low it coasts.
pub struct Bridge<P> {
    forward: P,
    backward: P,
}

impl<P: SetDutyCycle> Bridge<P> {
    /// Bridge with its motor off.
    pub fn new(forward: P, backward: P) -> Self {
        let mut bridge = Self { forward, backward };
        bridge.off();
        bridge
    }

    /// Sets the duty. If a pin fails, the motor is switched off.
    pub fn set(&mut self, duty: Duty) {
        let (driven, other) = if duty.get() >= 0 {
            (&mut self.forward, &mut self.backward)
        } else {
            (&mut self.backward, &mut self.forward)
        };
        let steps = other.max_duty_cycle();
        // Both high in between is a brake.
        let set = driven
            .set_duty_cycle_fully_on()
            .and_then(|()| other.set_duty_cycle(steps - compare_value(duty, steps)));
        if set.is_err() {
            self.off();
        }
    }

    /// Switches the motor off.
    pub fn off(&mut self) {
        // Both are attempted; there is nothing more to do about a failure.
        let _ = self.forward.set_duty_cycle_fully_off();
        let _ = self.backward.set_duty_cycle_fully_off();
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use embedded_hal::pwm::{Error, ErrorKind, ErrorType};

    use super::*;

    #[derive(Debug)]
    struct Refused;

    impl Error for Refused {
        fn kind(&self) -> ErrorKind {
            ErrorKind::Other
        }
    }

    /// Pin that records its duty and fails above a limit.
    struct Pin<'a>(&'a Cell<u16>, u16);

    impl ErrorType for Pin<'_> {
        type Error = Refused;
    }

    impl SetDutyCycle for Pin<'_> {
        fn max_duty_cycle(&self) -> u16 {
            6000
        }

        fn set_duty_cycle(&mut self, duty: u16) -> Result<(), Refused> {
            if duty > self.1 {
                return Err(Refused);
            }
            self.0.set(duty);
            Ok(())
        }
    }

    #[test]
    fn one_pin_is_high_and_the_other_has_the_rest_of_the_duty() {
        let (forward, backward) = (Cell::new(9), Cell::new(9));
        let mut bridge = Bridge::new(Pin(&forward, 6000), Pin(&backward, 6000));
        assert_eq!((forward.get(), backward.get()), (0, 0));
        for (permille, pins) in [
            (500, (6000, 3000)),
            (-1000, (0, 6000)),
            (1000, (6000, 0)),
            (-1, (5994, 6000)),
            (0, (6000, 6000)),
        ] {
            bridge.set(Duty::permille(permille));
            assert_eq!((forward.get(), backward.get()), pins, "{permille}");
        }
        bridge.set(Duty::permille(700));
        bridge.off();
        assert_eq!((forward.get(), backward.get()), (0, 0));
    }

    #[test]
    fn a_failing_pin_leaves_the_motor_off() {
        let (forward, backward) = (Cell::new(0), Cell::new(0));
        let mut bridge = Bridge::new(Pin(&forward, 6000), Pin(&backward, 1000));
        bridge.set(Duty::permille(900));
        assert_eq!((forward.get(), backward.get()), (6000, 600));
        bridge.set(Duty::permille(800));
        assert_eq!((forward.get(), backward.get()), (0, 0));
    }

    #[test]
    fn the_compare_value_is_proportional_to_the_duty() {
        assert_eq!(compare_value(Duty::permille(1000), 6000), 6000);
        assert_eq!(compare_value(Duty::permille(-1), 6000), 6);
        assert_eq!(compare_value(Duty::permille(1000), u16::MAX), u16::MAX);
        assert_eq!(compare_value(Duty::permille(0), 6000), 0);
    }
}
