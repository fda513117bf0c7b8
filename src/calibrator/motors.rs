//! Motors: ramps of the duty until both wheels move, then two constant speeds.

use embassy_time::{Duration, Instant};

use super::{Failed, PAUSE, TICK_MS};
use crate::{
    calibration::{Friction, MotorCalibration},
    robot::Duty,
    signals::{MotionCommand, Signals},
};

/// Signs of the left and right duty: forward, backward, turning right, turning left.
const DIRECTIONS: [[i32; 2]; 4] = [[1, 1], [-1, -1], [1, -1], [-1, 1]];
/// Duty added in a tick of a ramp, in thousandths: 0.1 per second, so that the motors' lag is 0.006.
const RAMP_STEP: i32 = 1;
/// Largest duty of a ramp.
const RAMP_LIMIT: i32 = 400;
/// Encoder counts that are a motion and no backlash.
const RAMP_COUNTS: i32 = 3;
/// Duty above the ramp's of the two constant speeds.
const HOLD_DUTY: [i32; 2] = [50, 180];
/// Time to reach a constant speed.
const HOLD_SETTLE: Duration = Duration::from_millis(300);
/// Time to measure it, in milliseconds.
const HOLD_MS: u64 = 200;

/// Ramps in the four directions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ramps {
    ramp: Option<Ramp>,
    results: [Ramped; DIRECTIONS.len()],
}

impl Ramps {
    /// Runs a step of the ramp in a direction; returns whether it is done.
    pub(super) fn tick(
        &mut self,
        direction: usize,
        now: Instant,
        signals: &Signals,
    ) -> Result<bool, Failed> {
        let counts = signals.drive_sample().counts;
        let signs = DIRECTIONS.get(direction).copied().unwrap_or([1; 2]);
        let ramp = self.ramp.get_or_insert(Ramp::new(counts));
        match ramp.step(signs, counts, now)? {
            Next::Drive(duty) => {
                let duties = signs.map(|sign| Duty::permille(sign * duty));
                // The channel is empty unless the drive task has failed, and then the duty ends by itself.
                let command = MotionCommand::OpenLoop(duties, 5 * TICK_MS as u16);
                let _ = signals.motion_commands.try_send(command);
                Ok(false)
            }
            Next::RollOut => Ok(false),
            Next::Done => {
                self.results[direction] = ramp.result(signals.calibration().nm_per_count)?;
                self.ramp = None;
                Ok(true)
            }
        }
    }

    /// Calibration by all ramps.
    pub(super) fn calibration(&self) -> MotorCalibration {
        let [forward, backward, right, left] = self.results;
        MotorCalibration {
            full_speed: [0, 1].map(|wheel: usize| {
                forward.full_speed[wheel].midpoint(backward.full_speed[wheel]) as u16
            }),
            straight: [0, 1].map(|wheel| [forward.friction(wheel), backward.friction(wheel)]),
            turning: [
                [right.friction(0), left.friction(0)],
                [left.friction(1), right.friction(1)],
            ],
        }
    }
}

/// Next step of a ramp.
enum Next {
    /// Drives with a duty.
    Drive(i32),
    /// Waits until the wheels rest.
    RollOut,
    /// The ramp is done.
    Done,
}

/// Progress of a ramp.
#[derive(Clone, Copy, Debug)]
struct Ramp {
    duty: i32,
    from: [i32; 2],
    /// Duty at which each wheel moved.
    moved_at: [Option<i32>; 2],
    /// Index of the constant speed, and since when.
    hold: Option<(usize, Instant)>,
    /// Counts at the start of the measurement.
    begin: [i32; 2],
    /// Counts per second at both constant speeds.
    speeds: [[i32; 2]; HOLD_DUTY.len()],
}

impl Ramp {
    fn new(counts: [i32; 2]) -> Self {
        Self {
            duty: 0,
            from: counts,
            moved_at: [None; 2],
            hold: None,
            begin: counts,
            speeds: [[0; 2]; HOLD_DUTY.len()],
        }
    }

    /// Raises the duty until both wheels move, then measures their speeds at two duties.
    fn step(&mut self, signs: [i32; 2], counts: [i32; 2], now: Instant) -> Result<Next, Failed> {
        match self.hold {
            None => {
                self.duty += RAMP_STEP;
                for wheel in 0..2 {
                    let moved = counts[wheel].wrapping_sub(self.from[wheel]) * signs[wheel];
                    if moved >= RAMP_COUNTS && self.moved_at[wheel].is_none() {
                        self.moved_at[wheel] = Some(self.duty);
                    }
                }
                if self.moved_at.iter().all(Option::is_some) {
                    self.hold = Some((0, now));
                } else if self.duty > RAMP_LIMIT {
                    return Err(Failed);
                }
                Ok(Next::Drive(self.duty))
            }
            Some((index, since)) if index < HOLD_DUTY.len() => {
                let age = now.saturating_duration_since(since);
                if age < HOLD_SETTLE {
                    self.begin = counts;
                } else if age >= HOLD_SETTLE + Duration::from_millis(HOLD_MS) {
                    let ms = (age - HOLD_SETTLE).as_millis() as i32 + TICK_MS;
                    for wheel in 0..2 {
                        let moved = counts[wheel].wrapping_sub(self.begin[wheel]) * signs[wheel];
                        self.speeds[index][wheel] = moved * 1000 / ms;
                    }
                    self.hold = Some((index + 1, now));
                }
                Ok(Next::Drive(self.duty + HOLD_DUTY[index]))
            }
            Some((_, since)) if now.saturating_duration_since(since) > 3 * PAUSE => Ok(Next::Done),
            Some(_) => Ok(Next::RollOut),
        }
    }

    /// Friction and speed by two points of the line from duty to speed.
    fn result(&self, nm_per_count: u32) -> Result<Ramped, Failed> {
        let mut ramped = Ramped::default();
        let gained = HOLD_DUTY[1] - HOLD_DUTY[0];
        for wheel in 0..2 {
            let [slow, fast] = [0, 1].map(|hold: usize| self.speeds[hold][wheel]);
            let difference = fast - slow;
            if slow <= 0 || difference <= 0 {
                return Err(Failed);
            }
            ramped.breakaway[wheel] = self.moved_at[wheel].ok_or(Failed)?;
            ramped.kinetic[wheel] = (self.duty + HOLD_DUTY[0] - slow * gained / difference).max(0);
            // Counts per second of a thousandth of duty, times a thousand, in mm/s.
            let counts = i64::from(difference) * 1000 / i64::from(gained);
            ramped.full_speed[wheel] = (counts * i64::from(nm_per_count) / 1_000_000) as i32;
        }
        Ok(ramped)
    }
}

/// Result of a ramp, for the left and right wheel.
#[derive(Clone, Copy, Debug, Default)]
struct Ramped {
    breakaway: [i32; 2],
    kinetic: [i32; 2],
    full_speed: [i32; 2],
}

impl Ramped {
    fn friction(&self, wheel: usize) -> Friction {
        let kinetic = self.kinetic[wheel].min(self.breakaway[wheel]);
        Friction {
            breakaway: self.breakaway[wheel] as u16,
            kinetic: kinetic as u16,
        }
    }
}
