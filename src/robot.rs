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
//!         Ok(Reading { levels: Levels::default(), taken: Instant::from_ticks(0) })
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

use crate::fault::Fault;

/// Proximity reading: for each receiver and each side's LEDs, the number of brightness levels (of six)
/// at which a reflection was seen. More is nearer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Levels {
    /// Front receiver, by the left and by the right LEDs.
    pub front: [u8; 2],
    /// Left receiver, by the left and by the right LEDs.
    pub left: [u8; 2],
    /// Right receiver, by the left and by the right LEDs.
    pub right: [u8; 2],
}

impl Levels {
    /// Number of brightness levels.
    pub const MAX: u8 = 6;
}

/// One timestamped reading of the proximity sensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Levels of all receivers.
    pub levels: Levels,
    /// Time of the measurement, set by the board, so that stale readings are detected.
    pub taken: Instant,
}

/// A sensor could not be read; the next attempt may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SensorError;

/// Proximity sensors.
#[allow(async_fn_in_trait)] // tasks run where they are spawned, nothing is sent between threads
pub trait Proximity {
    /// Takes one reading.
    async fn read(&mut self) -> Result<Reading, SensorError>;
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
