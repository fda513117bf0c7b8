//! Position and velocity control of one wheel, with stall detection.

use super::divide;
use crate::{
    calibration::Friction,
    config::{BREAKAWAY_PERMILLE, STALL_UM, WHEEL_INTEGRAL_LIMIT, WHEEL_KI, WHEEL_KP},
    fault::Fault,
    robot::Duty,
};

/// PI controller of one wheel's position with a velocity feed-forward.
#[derive(Clone, Copy, Debug, Default)]
pub struct WheelController {
    /// Position error, in micrometres.
    error: i32,
    /// Integral term, in micrometres per second.
    integral: i32,
    /// Fraction of a micrometre not yet part of the error, in millionths.
    remainder: i64,
}

impl WheelController {
    /// Returns the duty for a speed in micrometres per second and a feed-forward against the motor's lag, after the
    /// wheel has moved by `moved` micrometres in the last `us` microseconds.
    ///
    /// # Errors
    /// The wheel does not follow: [`Fault::Stall`].
    pub fn step(
        &mut self,
        (speed, feed_forward): (i32, i32),
        moved: i32,
        us: u32,
        full_speed: u16,
        friction: &[Friction; 2],
    ) -> Result<Duty, Fault> {
        let distance = i64::from(speed) * i64::from(us) + self.remainder;
        let whole = divide::<1_000_000>(distance);
        self.remainder = distance - whole * 1_000_000;
        self.error += whole as i32 - moved;
        if self.error.abs() > STALL_UM {
            return Err(Fault::Stall);
        }
        let integral = i64::from(self.error) * i64::from(WHEEL_KI) * i64::from(us);
        let integral = divide::<1_000_000>(integral);
        // Thousandths of mm/s are um/s.
        let full_speed = i32::from(full_speed);
        let limit = full_speed * WHEEL_INTEGRAL_LIMIT;
        self.integral = (self.integral + integral as i32).clamp(-limit, limit);
        let speed = speed + feed_forward + self.error * WHEEL_KP + self.integral;
        // Thousandths of the full speed.
        let duty = speed / full_speed;
        let [forward, backward] = friction;
        let friction = if duty < 0 { backward } else { forward };
        // A wheel that is to move and does not is held by static friction. Near rest, less than the friction
        // is added, or the wheel would swing around its setpoint.
        let added = if moved == 0 && duty.abs() >= BREAKAWAY_PERMILLE {
            friction.breakaway
        } else {
            friction.kinetic - friction.kinetic / 8
        };
        Ok(Duty::permille(duty + i32::from(added) * duty.signum()))
    }
}
