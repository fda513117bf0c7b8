//! Fault injection: wrappers around the robot's devices, each active for a time span.
//!
//! The model does not know about them. People and doors are obstacles of the [floor](super::floor); a power
//! cut ends a run.

mod drive;
mod injection;
mod proximity;

pub use drive::{EncoderFailure, GyroFailure, MotorFailure, WheelSlip};
pub use injection::{FaultKind, InjectedFault, ObstacleSchedule, ParseFaultError, nearest_side};
pub use proximity::{DroppedReadings, FrozenReadings, MissedWall, PhantomWall};

use embassy_time::{Duration, Instant};

/// Time span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpan {
    from: Instant,
    until: Instant,
}

impl TimeSpan {
    /// Empty span.
    pub const NEVER: Self = Self {
        from: Instant::MAX,
        until: Instant::MAX,
    };

    /// Span from an instant, with a duration.
    #[must_use]
    pub fn new(from: Instant, duration: Duration) -> Self {
        Self {
            from,
            until: from.saturating_add(duration),
        }
    }

    /// Whether the span contains the current time.
    #[must_use]
    pub fn is_now(&self) -> bool {
        self.contains(Instant::now())
    }

    /// Whether the span contains an instant.
    #[must_use]
    pub fn contains(&self, at: Instant) -> bool {
        (self.from..self.until).contains(&at)
    }
}
