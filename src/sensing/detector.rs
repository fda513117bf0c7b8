//! Wall detection: votes over the last proximity readings in a cell.

use planner_core::map::Occupancy;

use crate::{
    boards::BoardConfig,
    config::{GONE_READINGS, MAJORITY, MOVING_VOTES, SENSE_YAW_MDEG, SIDE_BEHIND_EDGE_UM, VOTES},
    motion::CellSize,
    robot::{Distances, Interval},
    signals::Pose,
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
        } else if self.count > 0 {
            self.votes & 1 != 0
        } else {
            return;
        };
        self.votes = self.votes << 1 | u8::from(blocked);
        self.count = (self.count + 1).min(VOTES as u8);
    }

    /// Result of a majority of [`VOTES`].
    fn majority(self) -> Occupancy {
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

    /// Result of [`MOVING_VOTES`] in a row.
    fn last(self) -> Occupancy {
        let mask = (1 << MOVING_VOTES) - 1;
        if self.count < MOVING_VOTES {
            Occupancy::Unknown
        } else if self.votes & mask == mask {
            Occupancy::Blocked
        } else if self.votes & mask == 0 {
            Occupancy::Free
        } else {
            Occupancy::Unknown
        }
    }
}

/// Cell and pose in which a proximity reading was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingPose {
    /// Number of the cell, see [`DriveState::cell`](crate::signals::DriveState::cell), and quarter turns in it.
    pub cell: (u8, i8),
    /// Pose in the cell.
    pub pose: Pose,
    /// True if the robot stands.
    pub is_at_rest: bool,
}

/// Detects walls ahead, left and right of the robot.
///
/// ```
/// use tinystar::{
///     boards::ZUMO2040,
///     motion::CellSize,
///     planner::map::Occupancy,
///     robot::{Distances, Interval},
///     sensing::{ReadingPose, WallDetector},
///     signals::Pose,
/// };
///
/// let mut detector = WallDetector::new(&ZUMO2040, true);
/// let standing = ReadingPose { cell: (0, 0), pose: Pose::default(), is_at_rest: true };
/// let wall_ahead = Distances {
///     front: Some(Interval { near: 0, far: 49_000 }),
///     ..Distances::all(Interval::beyond(240_000))
/// };
/// detector.update(&wall_ahead, CellSize::mm(180), &standing);
/// assert_eq!(detector.walls(), [Occupancy::Unknown; 3]); // one reading does not decide
/// for _ in 0..4 {
///     detector.update(&wall_ahead, CellSize::mm(180), &standing);
/// }
/// assert_eq!(detector.walls(), [Occupancy::Blocked, Occupancy::Free, Occupancy::Free]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WallDetector {
    board: &'static BoardConfig,
    /// True if wall sensing is calibrated.
    is_calibrated: bool,
    /// Number of the cell of the votes, and quarter turns in it.
    cell: (u8, i8),
    is_at_rest: bool,
    front: Vote,
    left: Vote,
    right: Vote,
    /// Detections of the front receiver.
    ahead: Ahead,
}

/// Detections of the front receiver. If one vanishes, the receiver may be blinded: until [`GONE_READINGS`] its
/// readings are not used.
#[derive(Clone, Copy, Debug, Default)]
struct Ahead {
    /// Furthest forward position in the frame of the cell where it may be.
    far_um: Option<i32>,
    /// Readings in a row that detected it, up to [`MOVING_VOTES`]: fewer may be wrong.
    hits: u8,
    /// Readings that did not detect it.
    misses: u8,
}

impl Ahead {
    /// Takes in a distance from a forward position; returns it unless it misses what must be in range.
    fn update(&mut self, distance: Option<Interval>, forward_um: i32) -> Option<Interval> {
        let distance = distance?;
        if distance.is_in_range() {
            self.far_um = Some(forward_um + distance.far);
            self.hits = (self.hits + 1).min(MOVING_VOTES);
            self.misses = 0;
            return Some(distance);
        }
        let is_near = |far: i32| far - forward_um <= distance.near;
        if self.hits < MOVING_VOTES {
            *self = Self::default();
        } else if self.far_um.is_some_and(is_near) {
            self.misses += 1;
            if self.misses < GONE_READINGS {
                return None;
            }
            // It has gone.
            *self = Self::default();
        }
        Some(distance)
    }
}

impl WallDetector {
    /// Detector without votes. Only one that is calibrated notices a blinded front receiver.
    #[must_use]
    pub fn new(board: &'static BoardConfig, is_calibrated: bool) -> Self {
        Self {
            board,
            is_calibrated,
            cell: (0, 0),
            is_at_rest: true,
            front: Vote::default(),
            left: Vote::default(),
            right: Vote::default(),
            ahead: Ahead::default(),
        }
    }

    /// Takes in one reading in a cell of a size. The votes on a cell start where it can be seen.
    pub fn update(&mut self, distances: &Distances, cell: CellSize, at: &ReadingPose) {
        if at.cell != self.cell {
            let mut ahead = self.ahead;
            // Some cells further or back, unless the robot has turned meanwhile.
            let cells = at.cell.0.wrapping_sub(self.cell.0) as i8;
            ahead.far_um = ahead.far_um.map(|far| far - i32::from(cells) * cell.um());
            if cells == 0 {
                ahead = Ahead::default();
            }
            *self = Self {
                cell: at.cell,
                ahead,
                ..Self::new(self.board, self.is_calibrated)
            };
        }
        self.is_at_rest = at.is_at_rest;
        if at.pose.yaw_mdeg.abs() > SENSE_YAW_MDEG {
            self.ahead = Ahead::default();
            return;
        }
        // A standing robot is in the centre of its cell.
        let forward = if at.is_at_rest { 0 } else { at.pose.forward_um };
        let (side, reach) = (cell.side_wall_um(), cell.reach_um());
        let front = match self.is_calibrated {
            true => self.ahead.update(distances.front, at.pose.forward_um),
            false => distances.front,
        };
        self.front
            .update(front, cell.front_wall_um() - forward, reach - forward);
        let receiver = forward + self.board.side_sensor_forward_mm * 1000;
        if receiver.abs() <= cell.um() / 2 - SIDE_BEHIND_EDGE_UM {
            self.left.update(distances.left, side, reach);
            self.right.update(distances.right, side, reach);
        }
    }

    /// Walls ahead, left and right; unknown while a vote is undecided.
    #[must_use]
    pub fn walls(&self) -> [Occupancy; 3] {
        [self.front, self.left, self.right].map(|vote| {
            if self.is_at_rest {
                vote.majority()
            } else {
                vote.last()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::{
        boards::ZUMO2040,
        config::{REACH_UM, SIDE_NEAR_UM},
    };

    const WALL: Option<Interval> = Some(Interval {
        near: 0,
        far: 49_000,
    });
    const NOTHING: Option<Interval> = Some(Interval::beyond(240_000));
    /// Something between this cell's wall and the next.
    const AHEAD: Option<Interval> = Some(Interval {
        near: 126_000,
        far: 163_000,
    });
    /// Around the threshold.
    const UNCLEAR: Option<Interval> = Some(Interval {
        near: 100_000,
        far: 160_000,
    });

    fn front(readings: &[Option<Interval>]) -> Occupancy {
        front_in(
            &readings
                .iter()
                .map(|&front| (0, front))
                .collect::<std::vec::Vec<_>>(),
        )
    }

    /// The vote after readings in cells with numbers.
    fn front_in(readings: &[(u8, Option<Interval>)]) -> Occupancy {
        let mut detector = WallDetector::new(&ZUMO2040, true);
        for &(cell, front) in readings {
            let standing = ReadingPose {
                cell: (cell, 0),
                pose: Pose::default(),
                is_at_rest: true,
            };
            let (left, right) = (None, None);
            detector.update(
                &Distances { left, front, right },
                CellSize::mm(180),
                &standing,
            );
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
    fn something_ahead_that_vanishes_leaves_the_vote_undecided_until_it_has_gone() {
        let mut readings = std::vec![AHEAD; VOTES];
        readings.extend([NOTHING; VOTES]);
        assert_eq!(front(&readings), Occupancy::Unknown);
        readings.extend([NOTHING; GONE_READINGS as usize]);
        assert_eq!(front(&readings), Occupancy::Free);
        // As far as the receiver reaches, it may be out of range now.
        let far = Some(Interval {
            near: 202_000,
            far: 241_000,
        });
        let mut readings = std::vec![far; VOTES];
        readings.extend([NOTHING; VOTES]);
        assert_eq!(front(&readings), Occupancy::Free);
    }

    #[test]
    fn what_was_ahead_is_out_of_range_a_cell_further_back() {
        let at = |cell, front| std::vec![(cell, front); VOTES];
        assert_eq!(
            front_in(&[at(1, AHEAD), at(0, NOTHING)].concat()),
            Occupancy::Free
        );
        assert_eq!(
            front_in(&[at(1, AHEAD), at(2, NOTHING)].concat()),
            Occupancy::Unknown
        );
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
