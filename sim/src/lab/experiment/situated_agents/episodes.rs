//! Planning episodes as the paper counts them.
//!
//! The paper's agents plan, and then follow the path until they see that it is blocked. D* Lite does
//! not plan in that sense: it has work to do in some steps and none in others, and often a blocked
//! path leaves another one as short, for which nothing has to be expanded. [`Episodes`] looks at the
//! path.

use planner_core::{Cell, map::Occupancy};

use crate::catalog::AnyPlanner;

/// Counts the blocked paths of a planner, for a robot that sees the cells next to it.
///
/// Such a robot sees of its path only the next cell, because a path that passed another one beside
/// the robot would not be a shortest one. The planner has no limit: every tick leaves it with a path.
#[derive(Default)]
pub struct Episodes {
    /// The next cell of the path; `None` before the first tick.
    next: Option<Cell>,
    /// Episodes so far: a first one, and one after each time that the path was found blocked.
    pub count: u32,
}

impl Episodes {
    /// Records a tick; `at` is the robot's cell after it.
    pub fn record(&mut self, planner: &dyn AnyPlanner, at: Cell) {
        let is_blocked = |next| planner.occupancy(next) == Occupancy::Blocked;
        self.count += u32::from(self.next.is_none_or(is_blocked));
        self.next = Some(planner.next_on_path(at).unwrap_or(at));
    }
}
