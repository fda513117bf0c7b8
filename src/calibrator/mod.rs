//! Calibration routines: the robot measures itself on the user's table.
//!
//! | routine | the person | the robot |
//! |---|---|---|
//! | [`Walls`](Routine::Walls) | puts it between two walls of a cell | sweeps the pulse width, turns by a quarter, four times |
//! | [`Range`](Routine::Range) | puts it before a wall, two free cells behind | sweeps, backs up half a cell, twice; returns |
//! | [`Distance`](Routine::Distance) | measures how far it went | drives a metre |
//! | [`Turns`](Routine::Turns) | turns it by hand until it lines up | turns ten times |
//! | [`Motors`](Routine::Motors) | keeps 30 cm free around it | raises the duty until each wheel moves, both ways, straight and turning |
//!
//! A routine is a list of `Action`s, one after the other. Each tick takes a bounded time.

mod motors;
mod walls;
mod wheels;

use embassy_time::{Duration, Instant};
use serde::{Deserialize, Serialize};

use self::{
    motors::Ramps,
    walls::{BACK_UM, Sweeps},
    wheels::Wheels,
};
use crate::{
    calibration::Calibration,
    config::{PLAN_PERIOD, START_STILL},
    signals::{MotionCommand, Signals},
};

/// Distance of [`Routine::Distance`], in micrometres.
pub const DISTANCE_UM: i32 = 1_000_000;
/// Angle of [`Routine::Turns`], in mdeg.
pub const TURNS_MDEG: i32 = 3_600_000;
/// Time in which a robot that was put down comes to rest.
const STILL_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time of a motion.
const MOTION_TIMEOUT: Duration = Duration::from_secs(40);
/// Pause before a sweep and after it, so that the robot stands and its walls are sensed again.
const PAUSE: Duration = Duration::from_millis(200);
/// Period of ticks, in milliseconds.
const TICK_MS: i32 = PLAN_PERIOD.as_millis() as i32;

/// Calibration routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Routine {
    /// Detection thresholds of all receivers, between two walls.
    Walls,
    /// Growth of the thresholds with the distance, before one wall.
    Range,
    /// Wheel travel per encoder count.
    Distance,
    /// Gyro scale and track width.
    Turns,
    /// Friction and top speed of both motors.
    Motors,
}

impl Routine {
    /// All routines, in the order in which a new robot needs them.
    pub const ALL: [Self; 5] = [
        Self::Motors,
        Self::Turns,
        Self::Distance,
        Self::Walls,
        Self::Range,
    ];

    /// Bit in [`Calibration::measured`].
    #[must_use]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Name on the display and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Walls => "walls",
            Self::Range => "range",
            Self::Distance => "distance",
            Self::Turns => "turns",
            Self::Motors => "motors",
        }
    }

    const fn actions(self) -> &'static [Action] {
        use Action::{Ask, MarkEnd, MarkStart, Pivot, Ramp, Roll, Still, Sweep};
        match self {
            Self::Walls => &[
                Still,
                Sweep(0),
                Pivot(1),
                Sweep(1),
                Pivot(1),
                Sweep(2),
                Pivot(1),
                Sweep(3),
                Pivot(1),
            ],
            Self::Range => &[
                Still,
                Sweep(0),
                Roll(-BACK_UM),
                Sweep(1),
                Roll(-BACK_UM),
                Sweep(2),
                Roll(2 * BACK_UM),
            ],
            Self::Distance => &[Still, MarkStart, Roll(DISTANCE_UM), MarkEnd, Ask],
            Self::Turns => &[Still, MarkStart, Pivot(40), MarkEnd, Ask],
            Self::Motors => &[Still, Ramp(0), Ramp(1), Ramp(2), Ramp(3)],
        }
    }
}

/// State of the calibration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Progress {
    /// No routine has run since power-on.
    #[default]
    Idle,
    /// A routine runs.
    Running(Routine),
    /// A routine waits for the measured value: [`Command::Measured`](crate::telemetry::Command::Measured).
    Waiting(Routine),
    /// A routine is done, and its result is in use.
    Done(Routine),
    /// A routine failed; the calibration is as before.
    Failed(Routine),
}

/// Part of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Waits until the robot is still and its gyro bias is known.
    Still,
    /// Sweeps the pulse width at a place.
    Sweep(usize),
    /// Turns by quarter turns.
    Pivot(i8),
    /// Drives by micrometres.
    Roll(i32),
    /// Notes encoder counts and gyro angle before a motion.
    MarkStart,
    /// Notes them after it.
    MarkEnd,
    /// Waits for a measured value.
    Ask,
    /// Raises the duty in a direction, then measures two speeds.
    Ramp(usize),
}

/// Runs one calibration routine.
#[derive(Clone, Debug)]
pub struct Calibrator {
    routine: Routine,
    /// Index of the action.
    at: usize,
    /// Start of the action.
    since: Instant,
    /// True if the action was begun.
    is_begun: bool,
    sweeps: Sweeps,
    wheels: Wheels,
    ramps: Ramps,
}

/// A measurement was impossible or implausible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

impl Calibrator {
    /// Routine that starts now.
    #[must_use]
    pub fn new(routine: Routine, now: Instant) -> Self {
        Self {
            routine,
            at: 0,
            since: now,
            is_begun: false,
            sweeps: Sweeps::default(),
            wheels: Wheels::default(),
            ramps: Ramps::default(),
        }
    }

    /// The routine.
    #[must_use]
    pub fn routine(&self) -> Routine {
        self.routine
    }

    /// Returns whether the routine waits for a measured value.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.action() == Some(Action::Ask)
    }

    /// Takes the value that a person measured: the distance in micrometres or the angle in mdeg.
    pub fn measure(&mut self, value: i32) {
        self.wheels.measure(value);
    }

    fn action(&self) -> Option<Action> {
        self.routine.actions().get(self.at).copied()
    }

    /// Runs one step; returns the new calibration at the end.
    ///
    /// # Errors
    /// The routine cannot be completed.
    pub fn tick(&mut self, signals: &Signals, now: Instant) -> Result<Option<Calibration>, Failed> {
        let Some(action) = self.action() else {
            return self.result(signals).map(Some);
        };
        let begins = !core::mem::replace(&mut self.is_begun, true);
        let age = now.saturating_duration_since(self.since);
        let is_done = match action {
            Action::Still => {
                if age > STILL_TIMEOUT {
                    return Err(Failed);
                }
                signals.still_ms() >= START_STILL.as_millis() as u32
            }
            Action::Sweep(place) => self.sweeps.tick(place, begins, age, signals)?,
            Action::Pivot(quarters) => {
                let command = MotionCommand::Pivot(quarters);
                move_by(command, begins, age, signals)?
            }
            Action::Roll(um) => move_by(MotionCommand::Roll(um), begins, age, signals)?,
            Action::MarkStart => {
                self.wheels.mark_start(signals);
                true
            }
            Action::MarkEnd => {
                self.wheels.mark_end(signals);
                true
            }
            Action::Ask => self.wheels.is_measured(signals),
            Action::Ramp(direction) => self.ramps.tick(direction, now, signals)?,
        };
        if is_done {
            self.at += 1;
            (self.since, self.is_begun) = (now, false);
        }
        Ok(None)
    }

    /// Calibration by all that was measured.
    fn result(&self, signals: &Signals) -> Result<Calibration, Failed> {
        let (mut calibration, cell) = (signals.calibration(), signals.cell_size());
        let walls = &mut calibration.walls;
        match self.routine {
            Routine::Walls => walls.near_ns = self.sweeps.near_widths(walls, cell)?,
            Routine::Range => self.sweeps.fit_law(walls, cell)?,
            Routine::Distance => self.wheels.by_distance(&mut calibration)?,
            Routine::Turns => self.wheels.by_turns(&mut calibration)?,
            Routine::Motors => calibration.motors = self.ramps.calibration(),
        }
        calibration.measured |= self.routine.bit();
        calibration.is_valid().then_some(calibration).ok_or(Failed)
    }
}

/// Sends a motion command and waits for its result.
fn move_by(
    command: MotionCommand,
    begins: bool,
    age: Duration,
    signals: &Signals,
) -> Result<bool, Failed> {
    if begins {
        signals.motion_result.reset();
        signals
            .motion_commands
            .try_send(command)
            .map_err(|_| Failed)?;
    }
    if age > MOTION_TIMEOUT {
        return Err(Failed);
    }
    Ok(signals.motion_result.try_take().is_some())
}
