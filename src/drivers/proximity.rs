//! Proximity sensors of a Zumo: infrared pulses of a chosen width from either side, and receivers that
//! detect a reflection or not.
//!
//! A board implements [`Infrared`], one burst at a time; [`PulsedProximity`] makes readings of bursts. The
//! simulator's model implements the same trait, so that the very same driver runs there.

use embassy_time::{Duration, Instant};

use crate::robot::{Levels, Proximity, Reading, SensorError};

/// Carrier frequency of the receivers.
const CARRIER_HZ: u32 = 56_000;
/// Pulse widths, dimmest first, in nanoseconds.
pub const WIDTHS_NS: [u32; Levels::MAX as usize] = [313, 1000, 2063, 3500, 5375, 7563];
/// Duration of a burst: 14 pulses. A receiver responds within 13.
pub const ON: Duration = Duration::from_micros(250);
/// Pause after a burst: 18 pulses. A receiver recovers within 17.
pub const OFF: Duration = Duration::from_micros(321);

/// Carrier period in steps of a counter at `clock_hz`.
#[must_use]
pub const fn period(clock_hz: u32) -> u16 {
    (clock_hz / CARRIER_HZ) as u16
}

/// Pulse width in steps of a counter at `clock_hz`, to the nearest.
#[must_use]
pub const fn width(ns: u32, clock_hz: u32) -> u16 {
    ((ns as u64 * clock_hz as u64 + 500_000_000) / 1_000_000_000) as u16
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

/// Infrared LEDs and receivers, one burst at a time.
///
/// ```
/// use tinystar::drivers::proximity::{Detections, Emitter, Infrared};
///
/// /// A wall ahead that reflects pulses of a microsecond and more.
/// struct WallAhead;
///
/// impl Infrared for WallAhead {
///     async fn burst(&mut self, _: Emitter, width_ns: u32) -> Detections {
///         Detections { front: width_ns >= 1000, ..Detections::default() }
///     }
/// }
/// ```
#[allow(async_fn_in_trait)] // tasks run where they are spawned, nothing is sent between threads
pub trait Infrared {
    /// Pulses the LEDs of one side for [`ON`] with pulses of a width in nanoseconds, samples the receivers
    /// at the end, and keeps the LEDs dark for [`OFF`].
    async fn burst(&mut self, emitter: Emitter, width_ns: u32) -> Detections;
}

/// Proximity sensors that read by bursts of six widths from either side.
#[derive(Debug)]
pub struct PulsedProximity<I>(pub I);

impl<I: Infrared> Proximity for PulsedProximity<I> {
    async fn read(&mut self) -> Result<Reading, SensorError> {
        let mut taken = Instant::now();
        let mut levels = Levels::default();
        for (index, width) in WIDTHS_NS.into_iter().enumerate() {
            if index == WIDTHS_NS.len() / 2 {
                // The middle of the reading: the robot moves by a millimetre and more meanwhile.
                taken = Instant::now();
            }
            for emitter in [Emitter::Left, Emitter::Right] {
                let detections = self.0.burst(emitter, width).await;
                levels.count(emitter, detections);
            }
        }
        Ok(Reading { levels, taken })
    }
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
        let steps = WIDTHS_NS.map(|ns| width(ns, 125_000_000));
        assert_eq!(steps, [39, 125, 258, 438, 672, 945]);
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
