//! Times of a run: straights and turns under the limits of a robot, in ticks.

use core::fmt;

/// Limits of a robot's motion in a run.
///
/// Straights have trapezoidal velocity profiles, with the same acceleration up and down. A smooth turn takes one
/// cell, from the middle of one edge to the middle of another, at constant speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RunLimits {
    /// Side of a cell, in micrometres, at most [`RunLimits::MAX_CELL_UM`].
    pub cell_um: u32,
    /// Length of the path of a turn, from edge to edge, in micrometres, at most [`RunLimits::MAX_CELL_UM`]. A turn takes
    /// at least one unit of time.
    pub turn_um: u32,
    /// Speed in a turn, in mm/s.
    pub turn_speed: u16,
    /// Highest speed on a straight, in mm/s.
    pub top_speed: u16,
    /// Acceleration and deceleration on a straight, in mm/s².
    pub acceleration: u16,
    /// Time of a quarter turn in place at the start of a run, in microseconds.
    pub pivot_us: u32,
    /// Unit of the times, in microseconds. A run takes less than 65,535 units where costs have 16 bits.
    pub tick_us: u32,
}

/// Times cannot be made of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum RunTimesError {
    /// A length, a speed, the acceleration or the unit is zero, or a length is above the maximum.
    OutOfRange,
    /// The speed in turns is above that on straights, or is not reached within half a cell from rest.
    TurnTooFast,
    /// A straight of 32 cells or a turn takes more than 65,534 units.
    TooLong,
}

/// A straight whose time is known in advance; longer ones are extended at the speed that is reached in it.
const LONGEST: usize = 32;

/// Times of straights, turns, start and stop of a robot, in units of [`RunLimits::tick_us`].
///
/// ```
/// use planner_core::search::{RunLimits, RunTimes};
///
/// const TIMES: RunTimes = match RunTimes::new(RunLimits::MICROMOUSE) {
///     Ok(times) => times,
///     Err(_) => panic!("out of range"),
/// };
/// assert_eq!(TIMES.turn(), 500);
/// assert!(TIMES.straight(2) < 2 * TIMES.straight(1)); // the longer, the faster
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunTimes {
    /// By cells, between two turns.
    straight: [u16; LONGEST + 1],
    /// By cells besides the first or last half, from rest to a turn or from a turn to rest.
    rest: [u16; LONGEST + 1],
    /// By cells, from rest to rest.
    rest_to_rest: [u16; LONGEST + 1],
    /// Each cell more, in 256ths.
    cell: u32,
    turn: u16,
    /// A quarter turn in place.
    pivot: u16,
    tick_us: u32,
}

const NS_PER_S: u64 = 1_000_000_000;

/// A quotient by a limit, which is not zero.
const fn quotient(dividend: u64, divisor: u64) -> u64 {
    match dividend.checked_div(divisor) {
        Some(quotient) => quotient,
        None => 0,
    }
}

impl RunLimits {
    /// Limits of a slow micromouse in cells of 180 mm: a start for those of another robot.
    pub const MICROMOUSE: Self = Self {
        cell_um: 180_000,
        turn_um: 150_000,
        turn_speed: 300,
        top_speed: 1000,
        acceleration: 1500,
        pivot_us: 500_000,
        tick_us: 1000,
    };

    /// Longest side of a cell, in micrometres: 4 m.
    pub const MAX_CELL_UM: u32 = 4_000_000;

    /// Returns the time of a straight in nanoseconds. `from` and `to` are the speeds at its ends in mm/s, which can be
    /// reached from each other within it.
    const fn straight_ns(&self, um: u64, from: u64, to: u64) -> u64 {
        // In micrometres and seconds: the largest term is below 2^57.
        let (from, to, top) = (from * 1000, to * 1000, self.top_speed as u64 * 1000);
        let acceleration = self.acceleration as u64 * 1000;
        let squares = from * from + to * to;
        let peak = (squares / 2 + acceleration * um).isqrt();
        let (peak, cruise_ns) = if peak <= top {
            (peak, 0)
        } else {
            let ramps_um = quotient(2 * top * top - squares, 2 * acceleration);
            let cruise_um = um.saturating_sub(ramps_um);
            (top, quotient(cruise_um * NS_PER_S, top))
        };
        let change = (2 * peak).saturating_sub(from + to);
        quotient(change * NS_PER_S, acceleration) + cruise_ns
    }

    const fn is_valid(&self) -> bool {
        let lengths = 0 < self.cell_um && self.cell_um <= Self::MAX_CELL_UM && 0 < self.turn_um;
        let speeds = 0 < self.turn_speed && 0 < self.top_speed && 0 < self.acceleration;
        lengths && self.turn_um <= Self::MAX_CELL_UM && speeds && 0 < self.tick_us
    }

    /// Rounds a time to the nearest tick.
    const fn ticks(&self, ns: u64) -> Result<u16, RunTimesError> {
        let tick = self.tick_us as u64 * 1000;
        let ticks = quotient(ns + tick / 2, tick);
        if ticks < u16::MAX as u64 {
            Ok(ticks as u16)
        } else {
            Err(RunTimesError::TooLong)
        }
    }
}

impl RunTimes {
    /// No times: all are zero.
    pub(crate) const ZERO: Self = Self {
        straight: [0; LONGEST + 1],
        rest: [0; LONGEST + 1],
        rest_to_rest: [0; LONGEST + 1],
        cell: 0,
        turn: 0,
        pivot: 0,
        tick_us: 0,
    };

    /// The times under some limits. Takes a hundred divisions: to be called once, or in a constant.
    ///
    /// # Errors
    /// A limit is out of range, the turn speed cannot be reached, or a time does not fit 16 bits.
    pub const fn new(limits: RunLimits) -> Result<Self, RunTimesError> {
        if !limits.is_valid() {
            return Err(RunTimesError::OutOfRange);
        }
        let (turn, cell) = (limits.turn_speed as u64, limits.cell_um as u64);
        if limits.turn_speed > limits.top_speed
            || turn * turn * 1000 > limits.acceleration as u64 * cell
        {
            return Err(RunTimesError::TurnTooFast);
        }
        macro_rules! ticks {
            ($ns:expr) => {
                match limits.ticks($ns) {
                    Ok(ticks) => ticks,
                    Err(error) => return Err(error),
                }
            };
        }
        let mut times = Self::ZERO;
        let mut n = 0;
        while n <= LONGEST {
            let um = n as u64 * cell;
            times.straight[n] = ticks!(limits.straight_ns(um, turn, turn));
            times.rest[n] = ticks!(limits.straight_ns(um + cell / 2, 0, turn));
            times.rest_to_rest[n] = ticks!(limits.straight_ns(um, 0, 0));
            n += 1;
        }
        // The fastest of the straights that are known in advance ends like this.
        let longest = LONGEST as u64;
        let cell_ns = limits.straight_ns((longest + 1) * cell, 0, 0)
            - limits.straight_ns(longest * cell, 0, 0);
        // Below 2^24: the straight of LONGEST cells fits 16 bits.
        times.cell = quotient(cell_ns * 256, limits.tick_us as u64 * 1000) as u32;
        // At least one: a path that turns round and round takes longer than one that does not.
        times.turn = ticks!(quotient(limits.turn_um as u64 * 1_000_000, turn));
        times.turn += (times.turn == 0) as u16;
        times.pivot = ticks!(limits.pivot_us as u64 * 1000);
        times.tick_us = limits.tick_us;
        Ok(times)
    }

    /// Returns the time of a straight between two turns.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn straight(&self, cells: usize) -> usize {
        self.look_up(&self.straight, cells)
    }

    /// Returns the time from rest in the centre of a cell through `cells` others to a turn, or from a turn to rest.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn from_rest(&self, cells: usize) -> usize {
        self.look_up(&self.rest, cells)
    }

    /// Returns the time from rest in the centre of a cell to rest in that of another, `cells` ahead.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn rest_to_rest(&self, cells: usize) -> usize {
        self.look_up(&self.rest_to_rest, cells)
    }

    /// Returns the time of a smooth turn.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn turn(&self) -> usize {
        self.turn.into()
    }

    /// Returns the time of a number of quarter turns in place.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn pivot(&self, quarters: usize) -> usize {
        usize::from(self.pivot).wrapping_mul(quarters)
    }

    /// Returns the unit of all times, in microseconds.
    #[must_use]
    pub fn tick_us(&self) -> u32 {
        self.tick_us
    }

    /// The shortest time of a cell on any straight, in 256ths.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn cell_256ths(&self) -> usize {
        self.cell as usize
    }

    /// Returns whether there are times.
    pub(crate) fn is_some(&self) -> bool {
        self.tick_us > 0
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn look_up(&self, table: &[u16; LONGEST + 1], cells: usize) -> usize {
        match table.get(cells) {
            Some(&ticks) => ticks.into(),
            // Some 65,535 cells at most, and below 2^16 ticks each where a word has 32 bits.
            None => {
                let more = (cells - LONGEST).saturating_mul(self.cell as usize) / 256;
                usize::from(table[LONGEST]).saturating_add(more)
            }
        }
    }
}

impl fmt::Display for RunTimesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfRange => "a limit of motion is zero or too large",
            Self::TurnTooFast => "the speed in turns is not reached within half a cell",
            Self::TooLong => "a straight or a turn takes more than 65,534 ticks",
        })
    }
}

impl core::error::Error for RunTimesError {}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    const LIMITS: RunLimits = RunLimits::MICROMOUSE;

    /// The time of a trapezoidal profile in seconds, from its integral.
    fn trapezoid(limits: &RunLimits, metres: f64, from: f64, to: f64) -> f64 {
        let (top, a) = (
            f64::from(limits.top_speed) / 1e3,
            f64::from(limits.acceleration) / 1e3,
        );
        let peak = ((from * from + to * to) / 2.0 + a * metres).sqrt().min(top);
        let ramps = (2.0 * peak * peak - from * from - to * to) / (2.0 * a);
        (2.0 * peak - from - to) / a + (metres - ramps) / peak
    }

    /// Limits of slow and fast robots in small and large cells, and their times.
    fn all_times() -> impl Iterator<Item = (RunLimits, RunTimes)> {
        let cells = [90_000, 180_000, 250_001];
        let speeds = [(100, 100), (300, 500), (299, 1001), (300, 5000)];
        let choices = cells.into_iter().flat_map(move |cell_um| {
            [600, 1500, 9999].into_iter().flat_map(move |acceleration| {
                speeds.map(|(turn_speed, top_speed)| (cell_um, acceleration, turn_speed, top_speed))
            })
        });
        let limits = choices.flat_map(|(cell_um, acceleration, turn_speed, top_speed)| {
            [200, 1000, 7000].map(|tick_us| RunLimits {
                cell_um,
                turn_speed,
                top_speed,
                acceleration,
                tick_us,
                ..LIMITS
            })
        });
        limits.filter_map(|limits| Some((limits, RunTimes::new(limits).ok()?)))
    }

    #[test]
    fn times_are_those_of_the_trapezoid_to_half_a_tick() {
        let mut checked = 0;
        for (limits, times) in all_times() {
            let tick = f64::from(limits.tick_us) / 1e6;
            let (cell, turn) = (
                f64::from(limits.cell_um) / 1e6,
                f64::from(limits.turn_speed) / 1e3,
            );
            for n in 0..=LONGEST {
                let metres = n as f64 * cell;
                for (time, exact) in [
                    (times.straight(n), trapezoid(&limits, metres, turn, turn)),
                    (
                        times.from_rest(n),
                        trapezoid(&limits, metres + cell / 2.0, 0.0, turn),
                    ),
                    (
                        times.rest_to_rest(n),
                        if n == 0 {
                            0.0
                        } else {
                            trapezoid(&limits, metres, 0.0, 0.0)
                        },
                    ),
                ] {
                    let error = (time as f64 - exact / tick).abs();
                    assert!(error < 0.51, "{error} ticks: {n} cells, {limits:?}");
                }
            }
            checked += 1;
        }
        assert!(checked > 80, "{checked}");
    }

    #[test]
    fn a_longer_straight_takes_longer_but_less_per_cell_and_never_exceeds_the_top_speed() {
        for (limits, times) in all_times() {
            let fastest_us = u64::from(limits.cell_um) * 1000 / u64::from(limits.top_speed);
            for table in [
                RunTimes::straight,
                RunTimes::from_rest,
                RunTimes::rest_to_rest,
            ] {
                for n in 0..100 {
                    let [a, b, c] = [n, n + 1, n + 2].map(|n| table(&times, n));
                    assert!(a <= b, "{n} cells, {limits:?}");
                    assert!(c + a <= 2 * b + 3, "{n} cells, {limits:?}");
                    // Rounding takes a tick, and that of longer straights another.
                    let us = (b as u64 + 2) * u64::from(limits.tick_us);
                    assert!(us >= (n as u64 + 1) * fastest_us, "{n} cells, {limits:?}");
                }
            }
        }
    }

    #[test]
    fn a_straight_may_be_cut_for_a_turn_at_no_gain() {
        for (limits, times) in all_times() {
            for (a, b) in (0..40).flat_map(|a| (0..40).map(move |b| (a, b))) {
                let parts = times.straight(a) + times.straight(b);
                assert!(times.straight(a + b) <= parts + 2, "{a} + {b}, {limits:?}");
                let least = times.cell_256ths() * a / 256;
                assert!(
                    least + times.straight(b) <= times.straight(a + b) + 2,
                    "{a} + {b}, {limits:?}"
                );
                assert!(
                    least + times.from_rest(b) <= times.from_rest(a + b) + 2,
                    "{a} + {b}, {limits:?}"
                );
            }
        }
    }

    #[test]
    fn limits_that_make_no_times_are_refused() {
        type Change = fn(&mut RunLimits);
        let refused = |changes: &[Change], error| {
            for (n, change) in changes.iter().enumerate() {
                let mut limits = LIMITS;
                change(&mut limits);
                assert_eq!(RunTimes::new(limits), Err(error), "{n}: {limits:?}");
            }
        };
        let out_of_range: [Change; 7] = [
            |limits| limits.cell_um = 0,
            |limits| limits.cell_um = 4_000_001,
            |limits| limits.turn_um = u32::MAX,
            |limits| limits.turn_speed = 0,
            |limits| limits.top_speed = 0,
            |limits| limits.acceleration = 0,
            |limits| limits.tick_us = 0,
        ];
        refused(&out_of_range, RunTimesError::OutOfRange);
        let too_fast: [Change; 2] = [
            |limits| limits.turn_speed = 1001,
            |limits| limits.acceleration = 499,
        ];
        refused(&too_fast, RunTimesError::TurnTooFast);
        let too_long: [Change; 3] = [
            |limits| limits.tick_us = 50,
            |limits| limits.pivot_us = u32::MAX,
            |limits| {
                limits.cell_um = 4_000_000;
                (limits.turn_speed, limits.top_speed, limits.acceleration) = (1, 1, 1);
            },
        ];
        refused(&too_long, RunTimesError::TooLong);
        assert!(RunTimes::new(LIMITS).is_ok());
    }

    #[test]
    fn the_largest_limits_do_not_overflow() {
        let largest = RunLimits {
            cell_um: RunLimits::MAX_CELL_UM,
            turn_um: RunLimits::MAX_CELL_UM,
            turn_speed: 1,
            top_speed: u16::MAX,
            acceleration: u16::MAX,
            pivot_us: u32::MAX,
            tick_us: u32::MAX,
        };
        for top_speed in [1, 300, u16::MAX] {
            for acceleration in [1, 300, u16::MAX] {
                for tick_us in [1, 1000, u32::MAX] {
                    let _ = RunTimes::new(RunLimits {
                        top_speed,
                        acceleration,
                        tick_us,
                        ..largest
                    });
                }
            }
        }
        assert!(RunTimes::new(largest).is_ok());
    }
}
