//! Wall detection: a majority vote over the last proximity readings.

use planner_core::map::Occupancy;

use crate::{
    config::{MAJORITY, VOTES},
    motion::CellSize,
    robot::{Distances, Interval},
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
    /// Votes by a distance at which walls of this cell end and those of the next begin. Dark walls are not seen
    /// that far: then it is enough that a receiver detects nothing up to `reach_um`. A distance between repeats
    /// the last vote; without a distance all votes are dropped.
    fn update(&mut self, distance: Option<Interval>, wall_um: i32, reach_um: i32) {
        let Some(distance) = distance else {
            *self = Self::default();
            return;
        };
        let reaches = !distance.is_in_range() && distance.is_beyond(reach_um);
        let blocked = if distance.is_within(wall_um) {
            true
        } else if distance.is_beyond(wall_um) || reaches {
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
/// use tinystar::{
///     motion::CellSize, planner::map::Occupancy, robot::{Distances, Interval}, sensing::WallDetector,
/// };
///
/// let cell = CellSize::mm(180);
/// let mut detector = WallDetector::default();
/// let wall_ahead = Distances {
///     front: Some(Interval { near: 0, far: 49_000 }),
///     ..Distances::all(Interval::beyond(240_000))
/// };
/// detector.update(&wall_ahead, cell);
/// assert_eq!(detector.walls(), [Occupancy::Unknown; 3]); // one reading does not decide
/// for _ in 0..4 {
///     detector.update(&wall_ahead, cell);
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
    /// Takes in one reading in a cell of a size.
    pub fn update(&mut self, distances: &Distances, cell: CellSize) {
        let (side, reach) = (cell.side_wall_um(), cell.reach_um());
        self.front
            .update(distances.front, cell.front_wall_um(), reach);
        self.left.update(distances.left, side, reach);
        self.right.update(distances.right, side, reach);
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
    use crate::config::{REACH_UM, SIDE_NEAR_UM};

    const WALL: Option<Interval> = Some(Interval {
        near: 0,
        far: 49_000,
    });
    const NOTHING: Option<Interval> = Some(Interval::beyond(240_000));
    /// Around the threshold.
    const UNCLEAR: Option<Interval> = Some(Interval {
        near: 100_000,
        far: 160_000,
    });

    fn front(readings: &[Option<Interval>]) -> Occupancy {
        let mut detector = WallDetector::default();
        for &front in readings {
            let (left, right) = (None, None);
            detector.update(&Distances { left, front, right }, CellSize::mm(180));
        }
        detector.walls()[0]
    }

    #[test]
    fn one_wrong_reading_is_outvoted_and_two_leave_the_vote_undecided() {
        assert_eq!(
            front(&[WALL, WALL, NOTHING, WALL, WALL]),
            Occupancy::Blocked
        );
        assert_eq!(
            front(&[NOTHING, NOTHING, WALL, NOTHING, NOTHING]),
            Occupancy::Free
        );
        assert_eq!(
            front(&[WALL, NOTHING, WALL, NOTHING, WALL]),
            Occupancy::Unknown
        );
    }

    #[test]
    fn an_incomplete_vote_is_undecided() {
        for count in 1..VOTES {
            assert_eq!(front(&[WALL; VOTES][..count]), Occupancy::Unknown);
            assert_eq!(front(&[NOTHING; VOTES][..count]), Occupancy::Unknown);
        }
    }

    #[test]
    fn a_receiver_that_reaches_just_beyond_the_walls_of_this_cell_sees_that_there_is_none() {
        let [a, b, c, d] = [Some(Interval::beyond(REACH_UM)); 4];
        assert_eq!(front(&[WALL, a, b, c, d]), Occupancy::Free);
        // Something is seen there, and it may be a wall.
        let [a, b, c, d] = [UNCLEAR; 4];
        assert_eq!(front(&[WALL, a, b, c, d]), Occupancy::Blocked);
        // A wall of this cell may be further than the receiver reaches.
        let [a, b, c, d] = [Some(Interval::beyond(SIDE_NEAR_UM)); 4];
        assert_eq!(front(&[WALL, a, b, c, d]), Occupancy::Blocked);
    }

    #[test]
    fn an_unclear_distance_repeats_the_last_vote() {
        let [a, b, c, d] = [UNCLEAR; 4];
        assert_eq!(front(&[WALL, a, b, c, d]), Occupancy::Blocked);
        assert_eq!(front(&[NOTHING, a, b, c, d]), Occupancy::Free);
    }

    #[test]
    fn a_dazzled_receiver_drops_all_votes() {
        for wall in [WALL, NOTHING] {
            let [a, b, c, d, e] = [wall; 5];
            assert_eq!(front(&[a, b, c, d, e, None]), Occupancy::Unknown);
            let after = [None, a, b, c, d, e];
            assert_ne!(front(&after), Occupancy::Unknown);
            assert_eq!(front(&after[..5]), Occupancy::Unknown);
        }
    }
}
