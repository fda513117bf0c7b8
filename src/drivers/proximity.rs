//! Proximity sensors of a Zumo: infrared pulses of six widths from either side, and receivers that
//! detect a reflection or not.

use embassy_time::Duration;

use crate::robot::Levels;

/// Carrier frequency of the receivers.
const CARRIER_HZ: u32 = 56_000;
/// Pulse widths, dimmest first, in nanoseconds.
const WIDTHS_NS: [u32; Levels::MAX as usize] = [313, 1000, 2063, 3500, 5375, 7563];
/// Duration of a burst: 14 pulses. A receiver responds within 13.
pub const ON: Duration = Duration::from_micros(250);
/// Pause after a burst: 18 pulses. A receiver recovers within 17.
pub const OFF: Duration = Duration::from_micros(321);

/// Carrier period in steps of a counter at `clock_hz`.
#[must_use]
pub const fn period(clock_hz: u32) -> u16 {
    (clock_hz / CARRIER_HZ) as u16
}

/// Pulse widths in steps of a counter at `clock_hz`.
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

/// Emitter side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emitter {
    /// LEDs on the left.
    Left,
    /// LEDs on the right.
    Right,
}

/// Receivers that detect a burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detections {
    /// Front receiver.
    pub front: bool,
    /// Left receiver.
    pub left: bool,
    /// Right receiver.
    pub right: bool,
}

impl Levels {
    /// Adds the detections of one burst.
    pub fn count(&mut self, emitter: Emitter, detections: Detections) {
        for (levels, is_detected) in [
            (&mut self.front, detections.front),
            (&mut self.left, detections.left),
            (&mut self.right, detections.right),
        ] {
            levels[emitter as usize] += u8::from(is_detected);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulses_at_125_mhz_have_the_carrier_period_and_their_widths() {
        assert_eq!(period(125_000_000), 2232);
        assert_eq!(widths(125_000_000), [39, 125, 258, 438, 672, 945]);
    }

    #[test]
    fn a_reading_takes_less_than_seven_milliseconds() {
        let reading = (ON + OFF) * 2 * u32::from(Levels::MAX);
        assert_eq!(reading.as_micros(), 6852);
        assert!(reading < crate::config::SENSE_PERIOD);
    }

    #[test]
    fn detections_are_counted_per_receiver_and_emitter() {
        let mut levels = Levels::default();
        for level in 0..Levels::MAX {
            let detections = Detections {
                front: level >= 1,
                left: level >= 4,
                right: false,
            };
            levels.count(Emitter::Left, detections);
            let detections = Detections {
                front: level >= 2,
                left: false,
                right: true,
            };
            levels.count(Emitter::Right, detections);
        }
        assert_eq!(levels.front, [5, 4]);
        assert_eq!(levels.left, [2, 0]);
        assert_eq!(levels.right, [0, 6]);
    }
}
