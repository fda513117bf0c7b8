//! Motors on H-bridges.

use embedded_hal::pwm::SetDutyCycle;

use crate::robot::Duty;

/// How long a motor's pin is high, in steps of a counter that has `steps` of them.
///
/// ```
/// use tinystar::{parts::bridge::high_for, robot::Duty};
///
/// assert_eq!(high_for(Duty::permille(-250), 6000), 1500);
/// ```
#[must_use]
pub const fn high_for(duty: Duty, steps: u16) -> u16 {
    // At most `steps`: a duty is at most 1000.
    (duty.get().unsigned_abs() * steps as u32 / Duty::MAX as u32) as u16
}

/// One motor on an H-bridge with two inputs: power on one drives it forward, on the other backwards,
/// on neither lets it roll. A DRV8833 and its like are wired so.
pub struct Bridge<P> {
    forward: P,
    backward: P,
}

impl<P: SetDutyCycle> Bridge<P> {
    /// A motor that is off.
    pub fn new(forward: P, backward: P) -> Self {
        let mut bridge = Self { forward, backward };
        bridge.off();
        bridge
    }

    /// Power for the motor. A pin that refuses leaves the motor without.
    pub fn set(&mut self, duty: Duty) {
        let (driven, other) = if duty.get() >= 0 {
            (&mut self.forward, &mut self.backward)
        } else {
            (&mut self.backward, &mut self.forward)
        };
        // First the one off, then the other on: both on would brake.
        let set = other
            .set_duty_cycle_fully_off()
            .and_then(|()| driven.set_duty_cycle(high_for(duty, driven.max_duty_cycle())));
        if set.is_err() {
            self.off();
        }
    }

    /// No power.
    pub fn off(&mut self) {
        // Each is asked whatever the other says. A pin that cannot be switched off has no one to tell.
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

    /// A pin that remembers, and refuses more than it was made for.
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
    fn one_pin_drives_and_the_other_is_off() {
        let (forward, backward) = (Cell::new(9), Cell::new(9));
        let mut bridge = Bridge::new(Pin(&forward, 6000), Pin(&backward, 6000));
        assert_eq!((forward.get(), backward.get()), (0, 0));
        for (permille, pins) in [
            (500, (3000, 0)),
            (-1000, (0, 6000)),
            (1, (6, 0)),
            (0, (0, 0)),
        ] {
            bridge.set(Duty::permille(permille));
            assert_eq!((forward.get(), backward.get()), pins, "{permille}");
        }
        bridge.set(Duty::permille(700));
        bridge.off();
        assert_eq!((forward.get(), backward.get()), (0, 0));
    }

    #[test]
    fn a_pin_that_refuses_leaves_the_motor_off() {
        let (forward, backward) = (Cell::new(0), Cell::new(0));
        let mut bridge = Bridge::new(Pin(&forward, 1000), Pin(&backward, 6000));
        bridge.set(Duty::permille(100));
        assert_eq!(forward.get(), 600);
        bridge.set(Duty::permille(200));
        assert_eq!((forward.get(), backward.get()), (0, 0));
    }

    #[test]
    fn power_is_a_share_of_the_counter() {
        assert_eq!(high_for(Duty::permille(1000), 6000), 6000);
        assert_eq!(high_for(Duty::permille(-1), 6000), 6);
        assert_eq!(high_for(Duty::permille(1000), u16::MAX), u16::MAX);
        assert_eq!(high_for(Duty::permille(0), 6000), 0);
    }
}
