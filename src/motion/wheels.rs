//! A servo for each wheel: it is where it should be, or it is stalled.

use super::scale;
use crate::{
    config::{FRICTION, MOST_PATIENCE, PATIENCE, STALL_UM, STIFFNESS, TOP_SPEED},
    fault::Fault,
    robot::Duty,
};

/// One wheel.
#[derive(Clone, Copy, Debug, Default)]
struct Wheel {
    /// How far it has yet to go, in micrometres.
    behind: i32,
    /// Speed that is added for having been behind for long, in micrometres per second.
    patience: i32,
    /// What is left of a micrometre, in millionths.
    rest: i64,
}

impl Wheel {
    /// The power for a speed in micrometres per second.
    fn step(&mut self, speed: i32, moved: i32, us: u32) -> Result<Duty, Fault> {
        let way = i64::from(speed) * i64::from(us) + self.rest;
        self.rest = way % 1_000_000;
        self.behind += (way / 1_000_000) as i32 - moved;
        if self.behind.abs() > STALL_UM {
            return Err(Fault::Stall);
        }
        let patience = i64::from(self.behind) * i64::from(PATIENCE) * i64::from(us) / 1_000_000;
        self.patience = (self.patience + patience as i32).clamp(-MOST_PATIENCE, MOST_PATIENCE);
        let speed = speed + self.behind * STIFFNESS + self.patience;
        let power = scale(speed, Duty::MAX, TOP_SPEED * 1000);
        Ok(Duty::permille(power + FRICTION * power.signum()))
    }
}

/// Both wheels, left and right.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wheels([Wheel; 2]);

impl Wheels {
    /// Power for these speeds in micrometres per second, after the wheels have moved so far in the
    /// last `us` microseconds.
    ///
    /// # Errors
    /// A wheel does not follow.
    pub fn step(&mut self, speeds: [i32; 2], moved: [i32; 2], us: u32) -> Result<[Duty; 2], Fault> {
        let [left, right] = &mut self.0;
        Ok([
            left.step(speeds[0], moved[0], us)?,
            right.step(speeds[1], moved[1], us)?,
        ])
    }

    /// Forgets what was asked for: the wheels are where they should be.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}
