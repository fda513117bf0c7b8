//! What a proximity level says of a distance: not how far, but between what and what.

use super::scale;
use crate::{
    calibration::Calibration,
    config::{CROSS_RANGE_MM, FRONT_RANGE_MM, OWN_RANGE_MM},
    robot::Levels,
};

/// A distance in micrometres: more than `.0`, and at most `.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval(pub i32, pub i32);

impl Interval {
    /// Beyond this, nothing is known.
    const FAR: i32 = i32::MAX;

    /// What a level says, given the ranges at which each is seen.
    fn of(level: u8, ranges: &[i32; Levels::MAX as usize], calibration: &Calibration) -> Self {
        let um = |place: usize| {
            ranges.get(place).map_or(Self::FAR, |&mm| {
                scale(mm * 1000, i32::from(calibration.range_permille), 1000)
            })
        };
        // The dimmest light is seen least far: all six are seen up to the first range.
        let unseen = usize::from(Levels::MAX.saturating_sub(level));
        Self(unseen.checked_sub(1).map_or(0, um), um(unseen))
    }

    /// What both say, if they can both be right.
    fn and(self, other: Self) -> Option<Self> {
        let both = Self(self.0.max(other.0), self.1.min(other.1));
        (both.0 < both.1).then_some(both)
    }

    /// Whether there is anything in sight.
    #[must_use]
    pub const fn is_in_sight(self) -> bool {
        self.1 < Self::FAR
    }

    /// How much must be added to `distance` for it to be in here.
    #[must_use]
    pub const fn correction(self, distance: i32) -> i32 {
        if distance <= self.0 {
            self.0 - distance
        } else if distance > self.1 {
            self.1 - distance
        } else {
            0
        }
    }
}

/// How far from the front receiver something is.
///
/// ```
/// use tinystar::{config::CALIBRATION, motion::{Interval, front}};
///
/// assert_eq!(front([4, 4], &CALIBRATION), Some(Interval(87_000, 126_000)));
/// assert_eq!(front([4, 1], &CALIBRATION), None); // both lights see the same thing
/// ```
#[must_use]
pub fn front(levels: [u8; 2], calibration: &Calibration) -> Option<Interval> {
    let [left, right] = levels.map(|level| Interval::of(level, &FRONT_RANGE_MM, calibration));
    // A reading may be off by one level at the edge of it.
    left.and(right).or_else(|| {
        (levels[0].abs_diff(levels[1]) == 1)
            .then(|| Interval(left.0.min(right.0), left.1.max(right.1)))
    })
}

/// How far from a side receiver something is, by its own side's light and by the other's.
#[must_use]
pub fn side(own: u8, cross: u8, calibration: &Calibration) -> Option<Interval> {
    let own = Interval::of(own, &OWN_RANGE_MM, calibration);
    let cross = Interval::of(cross, &CROSS_RANGE_MM, calibration);
    own.and(cross)
}
