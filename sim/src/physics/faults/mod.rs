//! What goes wrong: wrappers around the robot's parts, each for a while.
//!
//! The model knows nothing of them. A person who steps into the way and a door that closes are not
//! faults but events of the [floor](super::floor); a power cut ends a run.

mod drive;
mod injection;
mod proximity;

pub use drive::{EncoderFailure, GyroFailure, MotorFailure, WheelSlip};
pub use injection::{FaultKind, InjectedFault, ParseFaultError, looking};
pub use proximity::{DroppedReadings, FrozenReadings, MissedWall, PhantomWall};

use embassy_time::{Duration, Instant};

/// From one instant to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpan {
    from: Instant,
    until: Instant,
}

impl TimeSpan {
    /// Not at all.
    pub const NEVER: Self = Self {
        from: Instant::MAX,
        until: Instant::MAX,
    };

    /// From an instant on, for a while.
    #[must_use]
    pub fn new(from: Instant, lasts: Duration) -> Self {
        Self {
            from,
            until: from.saturating_add(lasts),
        }
    }

    /// Whether it is now.
    #[must_use]
    pub fn is_now(&self) -> bool {
        self.contains(Instant::now())
    }

    /// Whether an instant is in it.
    #[must_use]
    pub fn contains(&self, at: Instant) -> bool {
        (self.from..self.until).contains(&at)
    }
}
