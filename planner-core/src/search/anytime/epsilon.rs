//! The schedule of epsilon.

/// Epsilon of an exact search, in tenths.
pub(super) const ONE: u8 = 10;

/// A schedule for epsilon, in tenths: 30 lets a path cost three times as much as the shortest.
///
/// The search begins with `start`. Whenever it is complete and has time left, it goes on with an
/// epsilon lower by `step_down`, never below 1.0. After every tick that ended without a path because
/// costs had changed, it goes on with one higher by `step_up`, never above `maximum`.
/// [`AnytimeDStar`](super::AnytimeDStar) says when exactly.
///
/// ```
/// use planner_core::search::Epsilon;
///
/// let schedule = Epsilon { step_down: 15, ..Epsilon::DEFAULT };
/// assert_eq!(schedule.first(), 30);
/// assert_eq!(schedule.lowered(30), 15);
/// assert_eq!(schedule.lowered(15), 10); // exact: as low as it goes
/// assert_eq!(schedule.raised(15), 16);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Epsilon {
    /// Epsilon of the first search.
    pub start: u8,
    /// Decrease after a complete search. Zero keeps epsilon.
    pub step_down: u8,
    /// Increase after a tick that was too short to repair the search. Zero never raises it.
    pub step_up: u8,
    /// Maximum; less than 1.0 counts as 1.0.
    pub maximum: u8,
}

impl Epsilon {
    /// From 3.0 down by 0.5 and up by 0.1: the schedule of Bond, Widger, Ruml & Sun (2010).
    pub const DEFAULT: Self = Self {
        start: 30,
        step_down: 5,
        step_up: 1,
        maximum: 30,
    };

    /// The epsilon to begin with.
    #[must_use]
    pub fn first(&self) -> u8 {
        self.start.clamp(ONE, self.most())
    }

    /// The epsilon after `now`, when a search is complete.
    #[must_use]
    pub fn lowered(&self, now: u8) -> u8 {
        now.saturating_sub(self.step_down).clamp(ONE, self.most())
    }

    /// The epsilon after `now`, when a tick was too short.
    #[must_use]
    pub fn raised(&self, now: u8) -> u8 {
        now.saturating_add(self.step_up).clamp(ONE, self.most())
    }

    /// The largest epsilon there will ever be.
    pub(super) fn most(&self) -> u8 {
        self.maximum.max(ONE)
    }
}

impl Default for Epsilon {
    fn default() -> Self {
        Self::DEFAULT
    }
}
