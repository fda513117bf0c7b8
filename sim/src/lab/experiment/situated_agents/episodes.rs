//! Planning episodes as the paper counts them, around a planner that counts otherwise.
//!
//! The paper's agents plan, and then follow the path until they see that it is blocked. D* Lite does
//! not plan in that sense: it has work to do in some steps and none in others, and often a blocked
//! path leaves another one as short, for which nothing has to be expanded. [`Episodes`] looks at the
//! path.

use planner_core::{
    Budget, Cell, Decision, GoalsError, Inspect, Observation, ObserveError, OffMap, Planner, Stats,
    map::Occupancy,
};

use crate::catalog::AnyPlanner;

/// No work allowed: what is known already.
const KNOWN: Budget = Budget::limit(0);

/// A planner of which the blocked paths are counted, for a robot that sees the cells next to it.
///
/// Such a robot sees of its path only the next cell, because a path that passed another one beside
/// the robot would not be a shortest one.
pub struct Episodes<P> {
    planner: P,
    /// The next cell of the path; `None` while there is no path.
    next: Option<Cell>,
    count: u32,
}

impl<P: AnyPlanner> Episodes<P> {
    /// Counts the episodes of a planner that has not planned yet.
    pub fn new(planner: P) -> Self {
        Self {
            planner,
            next: None,
            count: 0,
        }
    }

    /// Episodes so far: a first one, and one after each time that the path was found blocked.
    pub fn count(&self) -> u32 {
        self.count
    }
}

impl<P: AnyPlanner> Planner for Episodes<P> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        if let (Observation::Cell(cell, Occupancy::Blocked), Some(next)) = (seen, self.next)
            && cell == next
        {
            self.next = None;
        }
        self.planner.observe(seen)
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.count += u32::from(self.next.is_none());
        let decision = self.planner.tick(at, budget)?;
        self.next = match decision {
            // On its path a planner knows the next step.
            Decision::Step(to) => match self.planner.tick(to, KNOWN)? {
                Decision::Step(next) => Some(next),
                Decision::Arrived => Some(to),
                Decision::Wait | Decision::Unreachable => None,
            },
            _ => None,
        };
        Ok(decision)
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.next = None;
        self.planner.set_goals(goals)
    }

    fn stats(&self) -> &Stats {
        self.planner.stats()
    }
}

impl<P: AnyPlanner> Inspect for Episodes<P> {
    fn occupancy(&self, cell: Cell) -> Occupancy {
        self.planner.occupancy(cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        self.planner.is_expanded(cell)
    }
}
