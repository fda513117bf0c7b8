//! Wall detection: a majority vote over the last proximity readings.

use planner_core::map::Occupancy;

use crate::{
    calibration::Calibration,
    config::{MAJORITY, VOTES},
    robot::Levels,
};

/// Last votes on one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Vote {
    /// Newest in the lowest bit; set is blocked.
    votes: u8,
    /// Votes so far, up to [`VOTES`].
    count: u8,
}

impl Vote {
    /// Compares the sum of both levels with the thresholds; between them, the last vote is repeated.
    fn update(&mut self, levels: [u8; 2], calibration: &Calibration) {
        let sum = levels[0] + levels[1];
        let blocked = if sum >= calibration.blocked_at {
            true
        } else if sum <= calibration.free_at {
            false
        } else {
            self.votes & 1 != 0
        };
        self.votes = self.votes << 1 | u8::from(blocked);
        self.count = (self.count + 1).min(VOTES as u8);
    }

    fn result(self) -> Occupancy {
        let mask = (1u16 << VOTES) - 1;
        let blocked = (u16::from(self.votes) & mask).count_ones() as usize;
        if usize::from(self.count) < VOTES {
            Occupancy::Unknown
        } else if blocked >= MAJORITY {
            Occupancy::Blocked
        } else if VOTES - blocked >= MAJORITY {
            Occupancy::Free
        } else {
            Occupancy::Unknown
        }
    }
}

/// Detects walls ahead, left and right of the robot.
///
/// ```
/// use tinystar::{boards::ZUMO2040, planner::map::Occupancy, robot::Levels, sensing::WallDetector};
///
/// let mut detector = WallDetector::default();
/// let wall_ahead = Levels { front: [6, 6], ..Levels::default() };
/// detector.update(&wall_ahead, &ZUMO2040.calibration);
/// assert_eq!(detector.walls(), [Occupancy::Unknown; 3]); // one reading does not decide
/// for _ in 0..4 {
///     detector.update(&wall_ahead, &ZUMO2040.calibration);
/// }
/// assert_eq!(detector.walls(), [Occupancy::Blocked, Occupancy::Free, Occupancy::Free]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WallDetector {
    front: Vote,
    left: Vote,
    right: Vote,
}

impl WallDetector {
    /// Takes in one reading; returns `false` and ignores it if a level is out of range.
    pub fn update(&mut self, levels: &Levels, calibration: &Calibration) -> bool {
        let Levels { front, left, right } = *levels;
        let all = [front, left, right];
        if all.as_flattened().iter().any(|&level| level > Levels::MAX) {
            return false;
        }
        self.front.update(front, calibration);
        self.left.update(left, calibration);
        self.right.update(right, calibration);
        true
    }

    /// Walls ahead, left and right; unknown while a vote is undecided.
    #[must_use]
    pub fn walls(&self) -> [Occupancy; 3] {
        [self.front.result(), self.left.result(), self.right.result()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::ZUMO2040;

    fn front(sums: &[u8]) -> Occupancy {
        let mut detector = WallDetector::default();
        for &sum in sums {
            let levels = Levels {
                front: [sum / 2, sum - sum / 2],
                ..Levels::default()
            };
            assert!(detector.update(&levels, &ZUMO2040.calibration));
        }
        detector.walls()[0]
    }

    #[test]
    fn one_wrong_reading_is_outvoted_and_two_leave_the_vote_undecided() {
        assert_eq!(front(&[12, 12, 0, 12, 12]), Occupancy::Blocked);
        assert_eq!(front(&[0, 0, 12, 0, 0]), Occupancy::Free);
        assert_eq!(front(&[12, 0, 12, 0, 12]), Occupancy::Unknown);
    }

    #[test]
    fn an_incomplete_vote_is_undecided() {
        for count in 1..VOTES {
            assert_eq!(front(&[12; VOTES][..count]), Occupancy::Unknown);
            assert_eq!(front(&[0; VOTES][..count]), Occupancy::Unknown);
        }
    }

    #[test]
    fn levels_between_the_thresholds_repeat_the_last_vote() {
        assert_eq!(front(&[12, 7, 7, 7, 7]), Occupancy::Blocked);
        assert_eq!(front(&[0, 7, 7, 7, 7]), Occupancy::Free);
    }

    #[test]
    fn a_level_out_of_range_is_rejected() {
        let mut detector = WallDetector::default();
        let levels = Levels {
            left: [0, 7],
            ..Levels::default()
        };
        assert!(!detector.update(&levels, &ZUMO2040.calibration));
    }
}
