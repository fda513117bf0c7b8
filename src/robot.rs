//! Traits of a board, and the values that pass through them.
//!
//! Storage is [`embedded_storage_async::nor_flash::MultiwriteNorFlash`], the serial port is
//! [`embedded_io_async`]'s `Read` and `Write`.
//!
//! ```
//! use embassy_time::{Duration, Instant};
//! use tinystar::{fault::Fault, robot::*};
//!
//! /// Sees nothing, never moves, and starts at once.
//! struct OnTheBench;
//!
//! impl Proximity for OnTheBench {
//!     async fn read(&mut self) -> Result<Reading, SensorError> {
//!         let distances = Distances::all(Interval::beyond(240_000));
//!         Ok(Reading { distances, raw: [0; 3], taken: Instant::from_ticks(0) })
//!     }
//! }
//! impl Odometry for OnTheBench {
//!     async fn counts(&mut self) -> Result<[i32; 2], SensorError> {
//!         Ok([0, 0])
//!     }
//!     async fn yaw_rate(&mut self) -> Result<i32, SensorError> {
//!         Ok(0)
//!     }
//! }
//! impl Drive for OnTheBench {
//!     fn set(&mut self, _left: Duty, _right: Duty) {}
//!     fn off(&mut self) {}
//! }
//! impl Panel for OnTheBench {
//!     async fn buttons(&mut self) -> Buttons {
//!         Buttons { a: true, ..Buttons::default() }
//!     }
//!     async fn show(&mut self, _: &Screen) {}
//!     fn led(&mut self, _: bool) {}
//!     fn tone(&mut self, _hertz: u32) {}
//! }
//! impl SystemMonitor for OnTheBench {
//!     async fn battery_mv(&mut self) -> Option<u32> {
//!         Some(6000)
//!     }
//!     fn feed(&mut self, _timeout: Duration) {}
//!     fn reset_cause(&mut self) -> Option<Fault> {
//!         None
//!     }
//! }
//! ```

use embassy_time::{Duration, Instant};
use heapless::String;
use serde::{Deserialize, Serialize};

use crate::{
    calibration::Calibration,
    fault::Fault,
    motion::{CellSize, scale_by},
};

/// Interval of distances from a receiver, in micrometres: more than `near` and at most `far`.
///
/// ```
/// use tinystar::robot::Interval;
///
/// let wall = Interval { near: 87_000, far: 126_000 };
/// assert_eq!(wall.correction(80_000), 7_000);
/// assert_eq!(wall.correction(100_000), 0);
/// assert!(!Interval::beyond(240_000).is_in_range());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Interval {
    /// Lower end, not included.
    pub near: i32,
    /// Upper end, included; [`FAR`](Self::FAR) if nothing is in range.
    pub far: i32,
}

impl Interval {
    /// Upper end of an interval without one.
    pub const FAR: i32 = i32::MAX;

    /// Interval of a receiver that detects nothing up to a distance.
    #[must_use]
    pub const fn beyond(near: i32) -> Self {
        let far = Self::FAR;
        Self { near, far }
    }

    /// Returns whether something is in range.
    #[must_use]
    pub const fn is_in_range(self) -> bool {
        self.far < Self::FAR
    }

    /// Smallest change that moves `distance` into the interval.
    #[must_use]
    pub const fn correction(self, distance: i32) -> i32 {
        if distance <= self.near {
            self.near - distance
        } else if distance > self.far {
            self.far - distance
        } else {
            0
        }
    }

    /// Returns whether the distance is at most `bound`, within the [tolerance](Self::TOLERANCE) of a sensor.
    #[must_use]
    pub const fn is_within(self, bound: i32) -> bool {
        self.far <= bound + scale_by::<{ Self::TOLERANCE }>(bound, 1)
    }

    /// Returns whether the distance is more than `bound`, within the [tolerance](Self::TOLERANCE) of a sensor.
    #[must_use]
    pub const fn is_beyond(self, bound: i32) -> bool {
        self.near >= bound - scale_by::<{ Self::TOLERANCE }>(bound, 1)
    }

    /// The interval widened by what walls and sensors that are not calibrated may be off: an eighth of the
    /// distance.
    #[must_use]
    pub const fn widened(self) -> (i32, i32) {
        let far = self.far.saturating_add(self.far / 8);
        (self.near - self.near / 8, far)
    }

    /// Share of a distance, as its divisor, by which the end of an interval may be off: half the step
    /// between the narrowest pulse widths.
    pub const TOLERANCE: u32 = 24;
}

/// Distances from the left, front and right receiver; `None` where the sensor contradicts itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Distances {
    /// To the left.
    pub left: Option<Interval>,
    /// Ahead.
    pub front: Option<Interval>,
    /// To the right.
    pub right: Option<Interval>,
}

impl Distances {
    /// The same interval in every direction.
    #[must_use]
    pub const fn all(interval: Interval) -> Self {
        let each = Some(interval);
        Self {
            left: each,
            front: each,
            right: each,
        }
    }
}

/// One timestamped reading of the proximity sensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Distances by the calibration in use.
    pub distances: Distances,
    /// Values of the left, front and right receiver before calibration, for telemetry: on a Zumo one bit
    /// per pulse, on other boards the voltage.
    pub raw: [u16; 3],
    /// Time of the measurement, set by the board, so that stale readings are detected.
    pub taken: Instant,
}

/// Narrowest pulses that the left, front and right receiver detect, each by the left and the right LEDs, in
/// nanoseconds; `None` if even the widest is not detected.
pub type Thresholds = [[Option<u16>; 2]; 3];

/// A sensor could not be read; the next attempt may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SensorError;

/// Proximity sensors.
#[allow(async_fn_in_trait)] // tasks run where they are spawned, nothing is sent between threads
pub trait Proximity {
    /// Takes one reading.
    async fn read(&mut self) -> Result<Reading, SensorError>;

    /// Uses a calibration from the next reading on. Sensors that measure distances themselves ignore it.
    fn calibrate(&mut self, _: &Calibration, _: CellSize) {}

    /// Measures the detection thresholds for the calibration, in about a tenth of a second.
    ///
    /// # Errors
    /// The sensors have no pulses that could be varied.
    async fn sweep(&mut self) -> Result<Thresholds, SensorError> {
        Err(SensorError)
    }
}

/// Encoders and gyro.
#[allow(async_fn_in_trait)]
pub trait Odometry {
    /// Encoder counts of the left and right wheel since power-on, positive forward, wrapping.
    async fn counts(&mut self) -> Result<[i32; 2], SensorError>;

    /// Yaw rate in thousandths of a degree per second, clockwise seen from above. The bias is measured
    /// while the robot is provably still.
    async fn yaw_rate(&mut self) -> Result<i32, SensorError>;
}

/// Motor duty in thousandths, negative backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Duty(i16);

impl Duty {
    /// Full duty.
    pub const MAX: i32 = 1000;

    /// Duty in thousandths, clamped to full duty.
    #[must_use]
    pub const fn permille(permille: i32) -> Self {
        Self(if permille > Self::MAX {
            Self::MAX as i16
        } else if permille < -Self::MAX {
            -Self::MAX as i16
        } else {
            permille as i16
        })
    }

    /// Thousandths, `-1000..=1000`.
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0 as i32
    }
}

/// Motors.
pub trait Drive {
    /// Sets the duty of the left and right motor.
    fn set(&mut self, left: Duty, right: Duty);

    /// Switches both motors off.
    fn off(&mut self);
}

/// Buttons that are pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Buttons {
    /// Does what the page of the [menu](crate::menu) says; held, says that the robot stands at its home.
    pub a: bool,
    /// Stops.
    pub b: bool,
    /// Turns to the next page of the menu.
    pub c: bool,
}

/// Text on the display.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Lines from the top.
    pub lines: [String<{ Self::COLUMNS }>; Self::LINES],
}

impl Screen {
    /// Characters per line.
    pub const COLUMNS: usize = 16;
    /// Lines of the display.
    pub const LINES: usize = 4;
}

/// Buttons, display, LED and buzzer. A board without one of them implements it as a no-op.
#[allow(async_fn_in_trait)]
pub trait Panel {
    /// Buttons that are pressed now.
    async fn buttons(&mut self) -> Buttons;

    /// Shows a screen.
    async fn show(&mut self, screen: &Screen);

    /// Switches the LED: on while the robot may move, blinking the code of a fault.
    fn led(&mut self, on: bool);

    /// Sounds the buzzer at a frequency from now on; zero is silence.
    fn tone(&mut self, hertz: u32);
}

/// Battery voltage, watchdog timer and reset cause.
#[allow(async_fn_in_trait)]
pub trait SystemMonitor {
    /// Battery voltage in millivolts; `None` if it cannot be measured, as on USB power.
    async fn battery_mv(&mut self) -> Option<u32>;

    /// Feeds the watchdog. After a timeout without it, the robot restarts with its motors off.
    fn feed(&mut self, timeout: Duration);

    /// Fault that ended the previous run, if any; read once after power-on.
    fn reset_cause(&mut self) -> Option<Fault>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_an_interval_count_within_the_tolerance_of_a_sensor() {
        // A 24th of 120 mm.
        let (bound, tolerance) = (120_000, 5_000);
        for (far, is_within) in [(bound + tolerance, true), (bound + tolerance + 1, false)] {
            assert_eq!(
                Interval { near: 0, far }.is_within(bound),
                is_within,
                "{far}"
            );
        }
        for (near, is_beyond) in [(bound - tolerance, true), (bound - tolerance - 1, false)] {
            assert_eq!(Interval::beyond(near).is_beyond(bound), is_beyond, "{near}");
        }
    }

    #[test]
    fn a_widened_interval_contains_the_interval_and_never_overflows() {
        let wall = Interval {
            near: 40_000,
            far: 64_000,
        };
        assert_eq!(wall.widened(), (35_000, 72_000));
        assert_eq!(Interval::beyond(240_000).widened().1, Interval::FAR);
    }
}
