//! What is in the way: levels in, votes out.

use crate::{
    calibration::Calibration,
    config::{MAJORITY, VOTES},
    robot::Levels,
    signals::Seen,
};

/// The last votes on one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Poll {
    /// The last in the lowest bit; set is blocked.
    votes: u8,
    /// As many have been cast, up to [`VOTES`].
    cast: u8,
}

impl Poll {
    /// Both lights together, with a level in between that changes nothing.
    fn vote(&mut self, levels: [u8; 2], calibration: &Calibration) {
        let sum = levels[0] + levels[1];
        let blocked = if sum >= calibration.blocked_at {
            true
        } else if sum <= calibration.free_at {
            false
        } else {
            self.votes & 1 != 0
        };
        self.votes = self.votes << 1 | u8::from(blocked);
        self.cast = (self.cast + 1).min(VOTES as u8);
    }

    fn result(self) -> Seen {
        let mask = (1u16 << VOTES) - 1;
        let blocked = (u16::from(self.votes) & mask).count_ones() as usize;
        if usize::from(self.cast) < VOTES {
            Seen::Unsure
        } else if blocked >= MAJORITY {
            Seen::Blocked
        } else if VOTES - blocked >= MAJORITY {
            Seen::Free
        } else {
            Seen::Unsure
        }
    }
}

/// The last votes on all directions.
///
/// ```
/// use tinystar::{config::CALIBRATION, robot::Levels, sight::Polls, signals::Seen};
///
/// let mut polls = Polls::default();
/// let wall_ahead = Levels { front: [6, 6], ..Levels::default() };
/// polls.vote(&wall_ahead, &CALIBRATION);
/// assert_eq!(polls.results(), [Seen::Unsure; 3]); // one look is no proof
/// for _ in 0..4 {
///     polls.vote(&wall_ahead, &CALIBRATION);
/// }
/// assert_eq!(polls.results(), [Seen::Blocked, Seen::Free, Seen::Free]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Polls {
    front: Poll,
    left: Poll,
    right: Poll,
}

impl Polls {
    /// Takes in one look; `false` if no receiver can have seen that.
    pub fn vote(&mut self, levels: &Levels, calibration: &Calibration) -> bool {
        let Levels { front, left, right } = *levels;
        let all = [front, left, right];
        if all.as_flattened().iter().any(|&level| level > Levels::MAX) {
            return false;
        }
        self.front.vote(front, calibration);
        self.left.vote(left, calibration);
        self.right.vote(right, calibration);
        true
    }

    /// What they say of the front, the left and the right.
    #[must_use]
    pub fn results(&self) -> [Seen; 3] {
        [self.front.result(), self.left.result(), self.right.result()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::CALIBRATION;

    fn front(levels: &[u8]) -> Seen {
        let mut polls = Polls::default();
        for &level in levels {
            let front = [level / 2, level - level / 2];
            let levels = Levels {
                front,
                ..Levels::default()
            };
            assert!(polls.vote(&levels, &CALIBRATION));
        }
        polls.results()[0]
    }

    #[test]
    fn one_wrong_look_is_outvoted_and_two_are_not_sure() {
        assert_eq!(front(&[12, 12, 0, 12, 12]), Seen::Blocked);
        assert_eq!(front(&[0, 0, 12, 0, 0]), Seen::Free);
        assert_eq!(front(&[12, 0, 12, 0, 12]), Seen::Unsure);
    }

    #[test]
    fn before_all_have_voted_nothing_is_sure() {
        for cast in 1..VOTES {
            assert_eq!(front(&[12; VOTES][..cast]), Seen::Unsure);
            assert_eq!(front(&[0; VOTES][..cast]), Seen::Unsure);
        }
    }

    #[test]
    fn in_between_it_stays_what_it_was() {
        assert_eq!(front(&[12, 7, 7, 7, 7]), Seen::Blocked);
        assert_eq!(front(&[0, 7, 7, 7, 7]), Seen::Free);
    }

    #[test]
    fn a_level_that_cannot_be_is_no_vote() {
        let mut polls = Polls::default();
        let levels = Levels {
            left: [0, 7],
            ..Levels::default()
        };
        assert!(!polls.vote(&levels, &CALIBRATION));
    }
}
