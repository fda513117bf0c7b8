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

use embassy_time::{Duration, Instant};
use serde::{Deserialize, Serialize};

use crate::{
    calibration::{Calibration, Friction, WallCalibration},
    config::START_STILL,
    motion::CellSize,
    robot::{Duty, Thresholds},
    signals::{MotionCommand, Signals},
};

/// Distance of [`Routine::Distance`], in micrometres.
pub const DISTANCE_UM: i32 = 1_000_000;
/// Angle of [`Routine::Turns`], in mdeg.
pub const TURNS_MDEG: i32 = 3_600_000;
/// Sweeps whose thresholds are averaged.
const SWEEPS: u32 = 4;
/// Time in which a robot that was put down comes to rest.
const STILL_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time of a motion.
const MOTION_TIMEOUT: Duration = Duration::from_secs(40);
/// Pause before a sweep and after it, so that the robot stands and its walls are sensed again.
const PAUSE: Duration = Duration::from_millis(200);

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
        use Action::{Ask, Mark, Pivot, Ramp, Roll, Still, Sweep};
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
            Self::Distance => &[Still, Mark, Roll(DISTANCE_UM), Ask],
            Self::Turns => &[Still, Mark, Pivot(40), Mark, Ask],
            Self::Motors => &[Still, Ramp(0), Ramp(1), Ramp(2), Ramp(3)],
        }
    }
}

/// Distance to back up in [`Routine::Range`], in micrometres.
const BACK_UM: i32 = WallCalibration::MID_UM - WallCalibration::NEAR_UM;

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
    /// Sweeps the pulse width.
    Sweep(usize),
    /// Turns by quarter turns.
    Pivot(i8),
    /// Drives by micrometres.
    Roll(i32),
    /// Notes encoder counts and gyro angle.
    Mark,
    /// Waits for a measured value.
    Ask,
    /// Raises the duty in one of the [`DIRECTIONS`], then measures two speeds.
    Ramp(usize),
}

/// Signs of the left and right duty: forward, backward, turning right, turning left.
const DIRECTIONS: [[i32; 2]; 4] = [[1, 1], [-1, -1], [1, -1], [-1, 1]];

/// Measured thresholds of one sweep position.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// Sum of the widths, in nanoseconds.
    widths: [[u32; 2]; 3],
    /// Sweeps that detected anything.
    counts: [[u32; 2]; 3],
}

impl Sum {
    fn add(&mut self, thresholds: &Thresholds) {
        let widths = self.widths.as_flattened_mut().iter_mut();
        let counts = self.counts.as_flattened_mut().iter_mut();
        for ((sum, count), &width) in widths.zip(counts).zip(thresholds.as_flattened()) {
            if let Some(width) = width {
                *sum += u32::from(width);
                *count += 1;
            }
        }
    }

    /// Mean width; `None` unless every sweep detected something.
    fn mean(&self, receiver: usize, leds: usize) -> Option<u32> {
        let (sum, count) = (self.widths[receiver][leds], self.counts[receiver][leds]);
        (count == SWEEPS).then_some(sum / SWEEPS)
    }
}

/// Result of a ramp, for the left and right wheel.
#[derive(Clone, Copy, Debug, Default)]
struct Ramped {
    breakaway: [i32; 2],
    kinetic: [i32; 2],
    full_speed: [i32; 2],
}

/// Progress of a ramp.
#[derive(Clone, Copy, Debug)]
struct Ramping {
    duty: i32,
    from: [i32; 2],
    /// Duty at which each wheel moved.
    moved_at: [Option<i32>; 2],
    /// Index of the constant speed, and since when.
    hold: Option<(usize, Instant)>,
    /// Counts at the start of the measurement.
    begin: [i32; 2],
    /// Counts per measurement of both constant speeds.
    speeds: [[i32; 2]; 2],
}

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

/// Runs one calibration routine.
#[derive(Clone, Debug)]
pub struct Calibrator {
    routine: Routine,
    /// Index of the action.
    at: usize,
    /// Start of the action.
    since: Instant,
    /// Whether the action was begun.
    is_begun: bool,
    /// Sweeps of this action.
    sweeps: u32,
    sums: [Sum; 4],
    /// Encoder counts and gyro angle at the marks.
    marks: [([i32; 2], i32); 2],
    mark: usize,
    measured: Option<i32>,
    ramping: Option<Ramping>,
    ramped: [Ramped; 4],
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
            sweeps: 0,
            sums: [Sum::default(); 4],
            marks: [([0; 2], 0); 2],
            mark: 0,
            measured: None,
            ramping: None,
            ramped: [Ramped::default(); 4],
        }
    }

    /// The routine.
    #[must_use]
    pub fn routine(&self) -> Routine {
        self.routine
    }

    /// Whether the routine waits for a measured value.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.action() == Some(Action::Ask)
    }

    /// Takes the value that a person measured: the distance in micrometres or the angle in mdeg.
    pub fn measure(&mut self, value: i32) {
        self.measured = Some(value);
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
            let (before, cell) = (signals.calibration(), signals.cell_size());
            return self.result(&before, cell).map(Some);
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
            Action::Sweep(slot) => self.sweep(slot, begins, age, signals)?,
            Action::Pivot(quarters) => {
                let command = MotionCommand::Pivot(quarters);
                move_by(command, begins, age, signals)?
            }
            Action::Roll(um) => move_by(MotionCommand::Roll(um), begins, age, signals)?,
            Action::Mark => {
                let sample = signals.drive_sample();
                if let Some(mark) = self.marks.get_mut(self.mark) {
                    *mark = (sample.counts, sample.turned_mdeg);
                }
                self.mark += 1;
                true
            }
            Action::Ask => {
                if self.measured.is_some() {
                    // The hand may have turned the robot until it lines up.
                    let sample = signals.drive_sample();
                    let last = self.marks.len() - 1;
                    self.marks[last].1 = sample.turned_mdeg;
                }
                self.measured.is_some()
            }
            Action::Ramp(direction) => self.ramp(direction, now, signals)?,
        };
        if is_done {
            self.at += 1;
            (self.since, self.is_begun, self.sweeps) = (now, false, 0);
        }
        Ok(None)
    }

    /// Takes [`SWEEPS`] sweeps after a pause, and pauses again.
    fn sweep(
        &mut self,
        slot: usize,
        begins: bool,
        age: Duration,
        signals: &Signals,
    ) -> Result<bool, Failed> {
        if begins {
            signals.sweep_result.reset();
        }
        if age < PAUSE {
            return Ok(false);
        }
        match signals.sweep_result.try_take() {
            Some(None) => return Err(Failed),
            Some(Some(thresholds)) => {
                if let Some(sum) = self.sums.get_mut(slot) {
                    sum.add(&thresholds);
                }
                self.sweeps += 1;
            }
            None if age > PAUSE * 20 => return Err(Failed),
            None => {}
        }
        if self.sweeps < SWEEPS {
            if !signals.is_sweeping() {
                signals.sweep_request.signal(());
            }
            return Ok(false);
        }
        // A motion needs a fresh reading.
        let reading = signals.wall_reading.try_get();
        Ok(reading.is_some_and(|reading| reading.taken.elapsed() < Duration::from_millis(30)))
    }

    /// Raises the duty until both wheels move, then measures their speeds at two duties.
    fn ramp(&mut self, direction: usize, now: Instant, signals: &Signals) -> Result<bool, Failed> {
        let counts = signals.drive_sample().counts;
        let signs = DIRECTIONS.get(direction).copied().unwrap_or([1; 2]);
        let mut ramping = self.ramping.unwrap_or(Ramping {
            duty: 0,
            from: counts,
            moved_at: [None; 2],
            hold: None,
            begin: counts,
            speeds: [[0; 2]; 2],
        });
        let mut duty = None;
        match ramping.hold {
            None => {
                ramping.duty += RAMP_STEP;
                for wheel in 0..2 {
                    let moved = counts[wheel].wrapping_sub(ramping.from[wheel]) * signs[wheel];
                    if moved >= RAMP_COUNTS && ramping.moved_at[wheel].is_none() {
                        ramping.moved_at[wheel] = Some(ramping.duty);
                    }
                }
                if ramping.moved_at.iter().all(Option::is_some) {
                    ramping.hold = Some((0, now));
                } else if ramping.duty > RAMP_LIMIT {
                    return Err(Failed);
                }
                duty = Some(ramping.duty);
            }
            Some((index, since)) if index < HOLD_DUTY.len() => {
                let age = now.saturating_duration_since(since);
                if age < HOLD_SETTLE {
                    ramping.begin = counts;
                } else if age >= HOLD_SETTLE + Duration::from_millis(HOLD_MS) {
                    let ms = (age - HOLD_SETTLE).as_millis() as i32 + TICK_MS;
                    for wheel in 0..2 {
                        let moved = counts[wheel].wrapping_sub(ramping.begin[wheel]) * signs[wheel];
                        // Counts per second.
                        ramping.speeds[index][wheel] = moved * 1000 / ms;
                    }
                    ramping.hold = Some((index + 1, now));
                }
                duty = Some(ramping.duty + HOLD_DUTY[index]);
            }
            // Rolls out.
            Some((_, since)) => {
                if now.saturating_duration_since(since) > 3 * PAUSE {
                    self.ramped[direction] = ramping.result(&signals.calibration())?;
                    self.ramping = None;
                    return Ok(true);
                }
            }
        }
        if let Some(duty) = duty {
            let duties = signs.map(|sign| Duty::permille(sign * duty));
            // The channel is empty unless the drive task has failed, and then the duty ends by itself.
            let command = MotionCommand::OpenLoop(duties, 5 * TICK_MS as u16);
            let _ = signals.motion_commands.try_send(command);
        }
        self.ramping = Some(ramping);
        Ok(false)
    }

    /// Calibration by all that was measured.
    fn result(&self, before: &Calibration, cell: CellSize) -> Result<Calibration, Failed> {
        let mut calibration = *before;
        match self.routine {
            Routine::Walls => {
                calibration.walls.near_ns = self.near_widths(&before.walls, cell)?;
            }
            Routine::Range => self.fit_law(&mut calibration.walls, cell)?,
            Routine::Distance => {
                let measured = self.measured.filter(|um| (500_000..2_000_000).contains(um));
                let measured = measured.ok_or(Failed)?;
                calibration.nm_per_count = scaled(before.nm_per_count, measured, DISTANCE_UM);
            }
            Routine::Turns => {
                let measured = self.measured.ok_or(Failed)?;
                let [(from, begin), (to, end)] = self.marks;
                let by_gyro = end.wrapping_sub(begin);
                if !(TURNS_MDEG / 2..TURNS_MDEG * 2).contains(&by_gyro) {
                    return Err(Failed);
                }
                let scale = 1_000_000 + before.gyro_ppm;
                let scale = i64::from(scale) * i64::from(measured) / i64::from(by_gyro);
                calibration.gyro_ppm = (scale - 1_000_000) as i32;
                // The wheels, over what the robot turned by itself.
                let [left, right] = [0, 1].map(|wheel: usize| to[wheel].wrapping_sub(from[wheel]));
                let nm = i64::from(left.wrapping_sub(right)) * i64::from(before.nm_per_count);
                let turned = i64::from(TURNS_MDEG) * i64::from(measured) / i64::from(by_gyro);
                calibration.track_um = (nm / 1000 * 57_296 / turned.max(1)) as u32;
            }
            Routine::Motors => {
                let [forward, backward, right, left] = self.ramped;
                let motors = &mut calibration.motors;
                for wheel in 0..2 {
                    motors.full_speed[wheel] =
                        forward.full_speed[wheel].midpoint(backward.full_speed[wheel]) as u16;
                    motors.straight[wheel] = [forward.friction(wheel), backward.friction(wheel)];
                }
                motors.turning = [
                    [right.friction(0), left.friction(0)],
                    [left.friction(1), right.friction(1)],
                ];
            }
        }
        calibration.measured |= self.routine.bit();
        if calibration.is_valid() {
            Ok(calibration)
        } else {
            Err(Failed)
        }
    }

    /// Thresholds at a wall of this cell. Opposite walls are equally far from the centre, so that the mean
    /// of both does not depend on where between them the robot stands.
    fn near_widths(
        &self,
        walls: &WallCalibration,
        cell: CellSize,
    ) -> Result<[[u16; 2]; 3], Failed> {
        // Widths at the wall of this cell, for one of a thousand at the distance of the calibration.
        let per_thousand = u32::from(walls.width_ns(1000, cell.receiver_um())).max(1);
        let mut near_ns = [[0; 2]; 3];
        for (receiver, widths) in near_ns.iter_mut().enumerate() {
            // The front receiver faces the walls after one quarter turn and after three.
            let [one, other] = if receiver == 1 { [1, 3] } else { [0, 2] };
            for (leds, width) in widths.iter_mut().enumerate() {
                let [a, b] = [one, other].map(|at: usize| self.sums[at].mean(receiver, leds));
                let (a, b) = (a.ok_or(Failed)?, b.ok_or(Failed)?);
                if a.max(b) > 3 * a.min(b) {
                    return Err(Failed);
                }
                // Widths grow with the square of the distance.
                let root = ((a << 8).isqrt() + (b << 8).isqrt()) / 2;
                let here = (root * root + 128) >> 8;
                *width = (here * 1000 / per_thousand).min(u16::MAX.into()) as u16;
            }
        }
        Ok(near_ns)
    }

    /// Fits the law of the thresholds by three distances from a wall ahead.
    fn fit_law(&self, walls: &mut WallCalibration, cell: CellSize) -> Result<(), Failed> {
        const FRONT: usize = 1;
        let near_ns = walls.near_ns[FRONT];
        // Where the robot was put, by the thresholds between two walls.
        let mut at = 0;
        for (leds, &near) in near_ns.iter().enumerate() {
            let width = self.sums[0].mean(FRONT, leds).ok_or(Failed)?;
            at += walls.distance(near, width as u16) / 2;
        }
        if (at - cell.receiver_um()).abs() > cell.receiver_um() / 2 {
            return Err(Failed);
        }
        let percent = |slot: usize, nominal: i32, from: i32| {
            let mut sum = 0;
            for (leds, &near) in near_ns.iter().enumerate() {
                sum += self.sums[slot].mean(FRONT, leds)? * 50 / u32::from(near);
            }
            // To the nominal distance, by the inverse square.
            let (nominal, from) = (i64::from(nominal / 100), i64::from(from / 100));
            Some((i64::from(sum) * nominal * nominal / (from * from)) as u16)
        };
        // Dark walls are not seen that far; then the law stays.
        if let Some(mid) = percent(1, WallCalibration::MID_UM, at + BACK_UM) {
            walls.mid_percent = mid;
            let far = percent(2, WallCalibration::FAR_UM, at + 2 * BACK_UM);
            let ratio = u32::from(WallCalibration::FAR_PERCENT);
            walls.far_percent = far.unwrap_or_else(|| {
                (u32::from(mid) * ratio / u32::from(WallCalibration::MID_PERCENT)) as u16
            });
        }
        Ok(())
    }
}

/// Period of ticks, in milliseconds.
const TICK_MS: i32 = crate::config::PLAN_PERIOD.as_millis() as i32;

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

fn scaled(value: u32, factor: i32, divisor: i32) -> u32 {
    (i64::from(value) * i64::from(factor) / i64::from(divisor)) as u32
}

impl Ramping {
    /// Friction and speed by two points of the line from duty to speed.
    fn result(&self, calibration: &Calibration) -> Result<Ramped, Failed> {
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
            ramped.full_speed[wheel] =
                (counts * i64::from(calibration.nm_per_count) / 1_000_000) as i32;
        }
        Ok(ramped)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::ZUMO2040;

    #[test]
    fn walls_measured_in_cells_of_any_size_give_the_same_calibration() {
        let walls = ZUMO2040.calibration.walls;
        for mm in [168, 180, 200, 250] {
            let cell = CellSize::mm(mm);
            let mut calibrator = Calibrator::new(Routine::Walls, Instant::MIN);
            let swept = walls
                .near_ns
                .map(|widths| widths.map(|near| Some(walls.width_ns(near, cell.receiver_um()))));
            for sum in &mut calibrator.sums {
                for _ in 0..SWEEPS {
                    sum.add(&swept);
                }
            }
            let found = calibrator.near_widths(&walls, cell).unwrap();
            let pairs = found
                .as_flattened()
                .iter()
                .zip(walls.near_ns.as_flattened());
            for (found, expected) in pairs {
                assert!(found.abs_diff(*expected) <= 3, "{mm}: {found}, {expected}");
            }
        }
    }
}
