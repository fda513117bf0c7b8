//! Anytime D* as a search that is given a share of each tick, and as a planner of its own.

use super::{AnytimeDStar, pace::Repair};
use crate::{
    Cell, ObserveError, OffMap,
    map::Fact,
    planner::{Budget, Decision, Inspect, Observation, Planner, Stats, Work},
    queue::{Entry, Holds},
    search::global::{GlobalSearch, Progress},
    terrain::{Change, Terrain, step},
    width::{Width, infinity},
};

impl<W: Width, T: Terrain, E: Entry + Holds<W>> GlobalSearch for AnytimeDStar<'_, W, T, E> {
    type Terrain = T;

    fn terrain(&self) -> &T {
        &self.terrain
    }

    fn note(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError> {
        self.terrain.observe(seen)
    }

    fn reconcile(&mut self, vertex: usize) {
        self.begin_repair();
        self.match_map(vertex);
        self.update_vertex(vertex);
        // The edges to the vertex changed, and with a corner rule those between its neighbours.
        for m in 0..T::MOVES {
            self.update_vertex(step(self.terrain.grid(), vertex, m));
        }
    }

    fn refresh(&mut self, vertex: usize) {
        if self.match_map(vertex) {
            self.reconcile(vertex);
        } else {
            self.begin_repair();
            self.update_vertex(vertex);
        }
    }

    fn move_to(&mut self, at: Cell) -> Result<(), OffMap> {
        let vertex = self.terrain.grid().vertex(at)?;
        if vertex != self.start.0 {
            let (_, rhs) = self.frontier.values(self.start.0);
            let keeps_to_path = self
                .ways_from(self.start.0, self.start.1)
                .any(|(through, (next, _))| next == vertex && through == rhs);
            self.path = self.path.filter(|_| keeps_to_path);
        }
        self.start = (vertex, at);
        self.catch_up();
        Ok(())
    }

    fn advance(&mut self, budget: Budget, work: &mut Work) -> Progress {
        let pending = core::mem::take(&mut self.queue_ops);
        work.queue_ops = work.queue_ops.saturating_add(pending);
        if self.is_barred(self.start.0) {
            return Progress::NoPath;
        }
        let mut nothing = Budget {
            expansions: 0,
            requeues: 0,
            ..budget
        };
        if !self.improve(&mut nothing, work) {
            self.follow_robot();
        }
        let mut left = budget;
        let is_complete = loop {
            if !self.improve(&mut left, work) {
                break false;
            }
            self.record();
            if self.path.is_none() || !self.lower_epsilon(&left) {
                break true;
            }
        };
        self.credit = self.credit.saturating_add(left.requeues);
        let (start, start_cell) = self.start;
        match self.path.and_then(|_| self.best_from(start, start_cell)) {
            Some((_, next)) => Progress::Path(next),
            None if is_complete => Progress::NoPath,
            None => {
                if self.repair == Repair::Due {
                    self.repair = Repair::Late;
                }
                Progress::Searching
            }
        }
    }

    fn change_goal(&mut self, goal: Cell) -> Result<(), OffMap> {
        let goal = self.terrain.grid().vertex(goal)?;
        let is_barred = self.is_barred(goal);
        let old = core::mem::replace(&mut self.goal, goal);
        // As no longer the goal, a barred one is told by its values.
        let was_barred = core::mem::replace(&mut self.goal_barred, is_barred);
        if old != goal {
            self.begin_repair();
            if !was_barred {
                self.leave_goal(old);
            }
            self.update_vertex(goal);
            self.raise_epsilon(self.schedule.first());
        }
        Ok(())
    }

    fn goal(&self) -> (usize, Cell) {
        (self.goal, self.terrain.grid().cell(self.goal))
    }
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> Planner for AnytimeDStar<'_, W, T, E> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let change = self.note(seen)?;
        if let Some(change) = change {
            self.reconcile(change.vertex());
        }
        Ok(change.is_some())
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.move_to(at)?;
        if self.start.0 == self.goal {
            return Ok(Decision::Arrived);
        }
        let mut work = Work::default();
        let progress = self.advance(budget, &mut work);
        self.stats.searches += u32::from(work.expansions > 0);
        self.stats.book(work);
        Ok(match progress {
            Progress::Searching => Decision::Wait,
            Progress::Path(next) => Decision::Step(next),
            Progress::NoPath => Decision::Unreachable,
        })
    }

    fn set_goal(&mut self, goal: Cell) -> Result<(), OffMap> {
        self.change_goal(goal)
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> Inspect for AnytimeDStar<'_, W, T, E> {
    fn fact(&self, cell: Cell) -> Fact {
        match self.terrain.grid().vertex(cell) {
            Ok(vertex) => self.terrain.fact(vertex),
            Err(_) => Fact::Blocked,
        }
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        match self.terrain.grid().vertex(cell) {
            Ok(vertex) => self.frontier.values(vertex).0 < infinity::<W>(),
            Err(_) => false,
        }
    }
}
