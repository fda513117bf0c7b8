//! Distances from proximity levels: a level gives an interval, not a value.

use crate::{boards::BoardConfig, calibration::Calibration, motion::scale_by, robot::Levels};

/// Distance in micrometres: more than `.0` and at most `.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval(pub i32, pub i32);

impl Interval {
    /// Upper end of an interval without one.
    const FAR: i32 = i32::MAX;

    /// Interval of a level, given the range of each.
    fn of(level: u8, ranges: &[i32; Levels::MAX as usize], calibration: &Calibration) -> Self {
        let um = |index: usize| {
            ranges.get(index).map_or(Self::FAR, |&mm| {
                scale_by::<1000>(mm * 1000, i32::from(calibration.range_permille))
            })
        };
        // The dimmest pulse reaches least far: within the first range, all six are seen.
        let unseen = usize::from(Levels::MAX.saturating_sub(level));
        Self(unseen.checked_sub(1).map_or(0, um), um(unseen))
    }

    /// Intersection, if it is not empty.
    fn intersect(self, other: Self) -> Option<Self> {
        let both = Self(self.0.max(other.0), self.1.min(other.1));
        (both.0 < both.1).then_some(both)
    }

    /// Whether there is a reflection at all.
    #[must_use]
    pub const fn is_in_range(self) -> bool {
        self.1 < Self::FAR
    }

    /// Smallest change that moves `distance` into the interval.
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

/// Distance from the front receiver; `None` if its two levels contradict each other.
///
/// ```
/// use tinystar::{boards::ZUMO2040, sensing::range::{Interval, front}};
///
/// let range = |levels| front(levels, &ZUMO2040, &ZUMO2040.calibration);
/// assert_eq!(range([4, 4]), Some(Interval(87_000, 126_000)));
/// assert_eq!(range([4, 1]), None);
/// ```
#[must_use]
pub fn front(levels: [u8; 2], board: &BoardConfig, calibration: &Calibration) -> Option<Interval> {
    let [left, right] = levels.map(|level| Interval::of(level, &board.front_range_mm, calibration));
    // Noise may shift a reading by one level.
    left.intersect(right).or_else(|| {
        (levels[0].abs_diff(levels[1]) == 1)
            .then(|| Interval(left.0.min(right.0), left.1.max(right.1)))
    })
}

/// Distance from a side receiver, by the levels of its own side's LEDs and of the other side's.
#[must_use]
pub fn side(
    own: u8,
    cross: u8,
    board: &BoardConfig,
    calibration: &Calibration,
) -> Option<Interval> {
    let own = Interval::of(own, &board.own_range_mm, calibration);
    let cross = Interval::of(cross, &board.cross_range_mm, calibration);
    own.intersect(cross)
}
