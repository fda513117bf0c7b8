//! What the tasks need of a board: small traits, and what passes through them.
//!
//! Storage is [`embedded_storage_async::nor_flash::MultiwriteNorFlash`], the serial port is
//! [`embedded_io_async`]'s `Read` and `Write`.

use embassy_time::Instant;
use heapless::String;

use crate::fault::Fault;

/// What the proximity receivers saw of each side's light: the number of the six brightness levels at
/// which they saw something, so more is nearer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Levels {
    /// The front receiver, by the left and by the right LEDs.
    pub front: [u8; 2],
    /// The left receiver, by the left and by the right LEDs.
    pub left: [u8; 2],
    /// The right receiver, by the left and by the right LEDs.
    pub right: [u8; 2],
}

impl Levels {
    /// The most that a receiver can see of one side's light.
    pub const MAX: u8 = 6;
}

/// One look of the proximity sensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What they saw.
    pub levels: Levels,
    /// When: the board notes it as it looks, so that an old reading is known for one.
    pub taken: Instant,
}

/// A sensor could not be read; the next time may be better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct NoReading;

/// The proximity sensors.
///
/// ```
/// use embassy_time::Instant;
/// use tinystar::robot::{Levels, NoReading, Proximity, Reading};
///
/// /// Nothing near, ever.
/// struct Prairie;
///
/// impl Proximity for Prairie {
///     async fn read(&mut self) -> Result<Reading, NoReading> {
///         Ok(Reading { levels: Levels::default(), taken: Instant::from_ticks(0) })
///     }
/// }
/// ```
#[allow(async_fn_in_trait)] // tasks run where they are spawned, nothing is sent between threads
pub trait Proximity {
    /// Looks once.
    async fn read(&mut self) -> Result<Reading, NoReading>;
}

/// Encoders and gyro.
///
/// ```
/// use tinystar::robot::{NoReading, Odometry};
///
/// /// A robot that stands still.
/// struct Statue;
///
/// impl Odometry for Statue {
///     async fn counts(&mut self) -> Result<[i32; 2], NoReading> {
///         Ok([0, 0])
///     }
///     async fn yaw_rate(&mut self) -> Result<i32, NoReading> {
///         Ok(0)
///     }
/// }
/// ```
#[allow(async_fn_in_trait)]
pub trait Odometry {
    /// Encoder counts of the left and the right wheel since power-on, forward is up; they wrap.
    async fn counts(&mut self) -> Result<[i32; 2], NoReading>;

    /// How fast the robot turns clockwise as seen from above, in thousandths of a degree per second.
    /// Its error at rest may be large; it is measured whenever the robot stands.
    async fn yaw_rate(&mut self) -> Result<i32, NoReading>;
}

/// Power for a wheel in thousandths of what there is, negative is backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Duty(i16);

impl Duty {
    /// Full power.
    pub const MAX: i32 = 1000;

    /// So many thousandths, cut to what there is.
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

/// The motors.
///
/// ```
/// use tinystar::robot::{Drive, Duty};
///
/// /// Remembers what it was told.
/// struct Bench([i32; 2]);
///
/// impl Drive for Bench {
///     fn set(&mut self, left: Duty, right: Duty) {
///         self.0 = [left.get(), right.get()];
///     }
///     fn off(&mut self) {
///         self.0 = [0, 0];
///     }
/// }
/// ```
pub trait Drive {
    /// Power for the left and the right wheel.
    fn set(&mut self, left: Duty, right: Duty);

    /// No power, whatever was asked for.
    fn off(&mut self);
}

/// Which buttons are down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Buttons {
    /// Start, or clear a fault.
    pub a: bool,
    /// Stop.
    pub b: bool,
    /// The next mission of the menu.
    pub c: bool,
}

/// What the display shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// From the top.
    pub lines: [String<{ Self::COLUMNS }>; Self::LINES],
}

impl Screen {
    /// Characters in a line.
    pub const COLUMNS: usize = 16;
    /// Lines.
    pub const LINES: usize = 4;
}

/// What the buzzer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Tone {
    /// Begun.
    Start,
    /// The mission is done.
    Done,
    /// A fault.
    Alarm,
}

/// What a person sees, hears and presses. A board without a display or a buzzer does nothing there.
///
/// ```
/// use tinystar::robot::{Buttons, Panel, Screen, Tone};
///
/// /// Starts at once and keeps quiet.
/// struct Headless;
///
/// impl Panel for Headless {
///     async fn buttons(&mut self) -> Buttons {
///         Buttons { a: true, ..Buttons::default() }
///     }
///     async fn show(&mut self, _: &Screen) {}
///     fn led(&mut self, _: bool) {}
///     async fn play(&mut self, _: Tone) {}
/// }
/// ```
#[allow(async_fn_in_trait)]
pub trait Panel {
    /// Which buttons are down now.
    async fn buttons(&mut self) -> Buttons;

    /// Shows a screen.
    async fn show(&mut self, screen: &Screen);

    /// The lamp: on while the robot may move.
    fn led(&mut self, on: bool);

    /// Plays a tone; comes back when it has ended.
    async fn play(&mut self, tone: Tone);
}

/// What keeps the robot alive, and why it was restarted.
///
/// ```
/// use tinystar::{fault::Fault, robot::Guard};
///
/// /// Full, and nothing bites.
/// struct Bench;
///
/// impl Guard for Bench {
///     async fn battery_mv(&mut self) -> Option<u32> {
///         Some(6000)
///     }
///     fn feed(&mut self) {}
///     fn restarted_by(&mut self) -> Option<Fault> {
///         None
///     }
/// }
/// ```
#[allow(async_fn_in_trait)]
pub trait Guard {
    /// Battery voltage in millivolts; `None` when it cannot be told, as on power from USB.
    async fn battery_mv(&mut self) -> Option<u32>;

    /// Feeds the watchdog; without it for [`config::WATCHDOG`](crate::config::WATCHDOG), the robot is
    /// restarted with its motors off.
    fn feed(&mut self);

    /// The fault that ended the last run, if one did; asked once after power-on.
    fn restarted_by(&mut self) -> Option<Fault>;
}
