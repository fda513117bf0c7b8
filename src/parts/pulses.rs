//! The proximity sensors of a Zumo: pulses of light of six widths from either side, and receivers that
//! see a reflection or do not.

use embassy_time::Duration;

use crate::robot::Levels;

/// Pulses a second: what the receivers listen to.
const CARRIER_HZ: u32 = 56_000;
/// Widths of a pulse, dimmest first, in nanoseconds.
const WIDTHS_NS: [u32; Levels::MAX as usize] = [313, 1000, 2063, 3500, 5375, 7563];
/// How long the pulses last: 14 of them. A receiver answers after 13 at the latest.
pub const ON: Duration = Duration::from_micros(250);
/// How long it is dark after them: 18 pulses. A receiver is ready again after 17 at the latest.
pub const OFF: Duration = Duration::from_micros(321);

/// Steps of a counter at `clock_hz` that make one period of the pulses.
#[must_use]
pub const fn period(clock_hz: u32) -> u16 {
    (clock_hz / CARRIER_HZ) as u16
}

/// Steps of a counter at `clock_hz` for which a pulse of each width is high.
#[must_use]
pub const fn widths(clock_hz: u32) -> [u16; Levels::MAX as usize] {
    let mut steps = [0; Levels::MAX as usize];
    let mut level = 0;
    while level < steps.len() {
        steps[level] =
            ((WIDTHS_NS[level] as u64 * clock_hz as u64 + 500_000_000) / 1_000_000_000) as u16;
        level += 1;
    }
    steps
}

/// Whose light it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Light {
    /// The left LEDs'.
    Left,
    /// The right LEDs'.
    Right,
}

/// What the receivers see after pulses from one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The front receiver does.
    pub front: bool,
    /// The left receiver does.
    pub left: bool,
    /// The right receiver does.
    pub right: bool,
}

impl Levels {
    /// Counts what was seen of one pulse.
    pub fn count(&mut self, light: Light, seen: Seen) {
        for (levels, seen) in [
            (&mut self.front, seen.front),
            (&mut self.left, seen.left),
            (&mut self.right, seen.right),
        ] {
            levels[light as usize] += u8::from(seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulses_of_the_chip_are_56_kilohertz_and_as_wide_as_they_should_be() {
        assert_eq!(period(125_000_000), 2232);
        assert_eq!(widths(125_000_000), [39, 125, 258, 438, 672, 945]);
    }

    #[test]
    fn a_full_look_takes_less_than_seven_milliseconds() {
        let look = (ON + OFF) * 2 * u32::from(Levels::MAX);
        assert_eq!(look.as_micros(), 6852);
        assert!(look < crate::config::SENSE_PERIOD);
    }

    #[test]
    fn each_receiver_counts_each_light_for_itself() {
        let mut levels = Levels::default();
        for level in 0..Levels::MAX {
            let seen = Seen {
                front: level >= 1,
                left: level >= 4,
                right: false,
            };
            levels.count(Light::Left, seen);
            let seen = Seen {
                front: level >= 2,
                left: false,
                right: true,
            };
            levels.count(Light::Right, seen);
        }
        assert_eq!(levels.front, [5, 4]);
        assert_eq!(levels.left, [2, 0]);
        assert_eq!(levels.right, [0, 6]);
    }
}
