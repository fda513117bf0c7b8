//! When epsilon and the aim change, and what that does to keys.
//!
//! Both outdate the keys in OPEN, which must stay lower bounds of the true ones. To renew them costs
//! re-queues, so they are outdated only when the search is complete or has made up for the last time.

use super::{
    AnytimeDStar,
    epsilon::{Epsilon, ONE},
    keys::{farthest, half_circle},
    path::Proof,
};
use crate::{
    BuildError, Cell,
    planner::Budget,
    queue::{Entry, Holds},
    terrain::{Terrain, estimate},
    width::{Width, infinity},
};

/// Whether the search is behind the changes of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// It was complete after the last change.
    Done,
    /// Costs have changed since.
    Due,
    /// Costs have changed since, and a tick has ended without a path.
    Late,
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> AnytimeDStar<'_, W, T, E> {
    /// Makes epsilon larger if the last tick was too short.
    pub(super) fn catch_up(&mut self) {
        if self.repair == Repair::Late && self.lead >= 0 {
            self.raise_epsilon(self.schedule.raised(self.aim.epsilon));
            self.repair = Repair::Due;
        }
    }

    /// Makes keys for where the robot is.
    pub(super) fn follow_robot(&mut self) {
        let at = self.start.1;
        if at != self.aim.at && self.lead >= 0 {
            let moved = estimate(&self.terrain, self.aim.at, at);
            if self.outdate(moved.wrapping_mul(self.aim.epsilon.into())) {
                self.aim.at = at;
            }
        }
    }

    /// Takes a complete search for what it is.
    pub(super) fn record(&mut self) {
        let (_, rhs) = self.frontier.values(self.start.0);
        self.repair = Repair::Done;
        self.lead = self.lead.max(0);
        self.path = (rhs < infinity::<W>()).then_some(Proof {
            at: self.start.1,
            distance: rhs,
            epsilon: self.aim.epsilon,
        });
    }

    /// Begins the iteration with the next lower epsilon; `false` when there is none, or when it comes
    /// too early.
    pub(super) fn lower_epsilon(&mut self, left: &Budget) -> bool {
        let (open, incons) = self.frontier.lists.len();
        let price = open.saturating_add(incons);
        let earned = u64::from(self.credit).saturating_add(left.requeues.into());
        if left.expansions == 0 || price as u64 > earned {
            return false;
        }
        let old = self.aim.epsilon;
        let next = self.schedule.lowered(old);
        let drop = old.saturating_sub(next);
        // Keys are outdated in any case, so let them be made for where the robot is.
        let moved = estimate(&self.terrain, self.aim.at, self.start.1);
        let lost = farthest(&self.terrain, self.start.1).wrapping_mul(drop.into());
        if drop == 0 || !self.outdate(moved.wrapping_mul(old.into()).wrapping_add(lost)) {
            return false;
        }
        self.aim.at = self.start.1;
        self.aim.epsilon = next;
        self.frontier.end_iteration();
        true
    }

    /// Keys only grow: those in OPEN are lower bounds still, and closed vertices as good as before.
    pub(super) fn raise_epsilon(&mut self, to: u8) {
        if to > self.aim.epsilon {
            self.aim.epsilon = to;
            self.lead = 0;
        }
    }

    /// Makes the keys in OPEN lower bounds of ones that are up to `by` smaller than they were;
    /// `false`, and nothing is done, if they would come to lie too far apart to be compared.
    fn outdate(&mut self, by: usize) -> bool {
        let Some((_, first)) = self.frontier.lists.first() else {
            self.aim.k_m = 0;
            return true;
        };
        let k_m = self.aim.k_m.wrapping_add(by);
        let comparable = first.is_before(E::pack(k_m.wrapping_add(self.reach), 0));
        if comparable {
            self.aim.k_m = k_m;
            self.lead = 0;
        }
        comparable
    }
}

/// The largest finite cost and a bound of keys, such that keys can always be compared.
pub(super) fn span<W: Width, E: Entry>(
    terrain: &impl Terrain,
    schedule: Epsilon,
) -> Result<(usize, usize), BuildError> {
    // Keys may lie apart by one span because costs differ, and by two more because some of them are
    // outdated by a move and by a lower epsilon at once.
    let room = half_circle::<E>() / 4;
    let most = farthest(terrain, Cell::new(0, 0)).saturating_mul(schedule.most().into());
    let ceiling =
        (room.saturating_sub(most).saturating_sub(1) / usize::from(ONE)).min(infinity::<W>() - 1);
    let longest = terrain.longest();
    if longest > ceiling {
        return Err(BuildError::TooCostly {
            longest,
            limit: ceiling,
        });
    }
    let reach = ceiling.wrapping_mul(ONE.into()).wrapping_add(most);
    Ok((ceiling, reach.wrapping_add(1)))
}
