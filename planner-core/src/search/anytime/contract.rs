//! Anytime D* as a search that is given a share of each tick, and as a planner of its own.

use super::AnytimeDStar;
use crate::{
    Cell, CellValues, Goals, GoalsError, ObserveError, OffMap,
    map::{Occupancy, Trend},
    planner::{Budget, Decision, Inspect, Observation, Planner, Stats, Work},
    queue::{Entry, Holds},
    search::global::{GlobalSearch, Progress},
    terrain::{Change, Terrain},
    width::Width,
};

impl<W: Width, T: Terrain, E: Entry + Holds<W>> GlobalSearch for AnytimeDStar<'_, W, T, E> {
    type Terrain = T;

    fn terrain(&self) -> &T {
        self.search.terrain()
    }

    fn note(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError> {
        self.search.note(seen)
    }

    fn reconcile(&mut self, vertex: usize) {
        self.begin_repair(true);
        self.search.reconcile(vertex);
    }

    fn apply(&mut self, change: Change) {
        // A change that is late may have been undone and done again: only what is closed now is sure.
        let may_fall = match change {
            Change::Closed(vertex) | Change::Opened(vertex) => self.terrain().is_open(vertex),
            Change::Weighed(..) | Change::Edge(..) => true,
        };
        self.begin_repair(may_fall);
        self.search.apply(change);
    }

    fn refresh(&mut self, vertex: usize) {
        self.begin_repair(true);
        self.search.refresh(vertex);
    }

    fn move_to(&mut self, at: Cell) -> Result<(), OffMap> {
        let vertex = self.terrain().grid().vertex(at)?;
        self.walk((vertex, at));
        self.search.move_to(at)?;
        // Keys that have not been made again since the last time are left alone.
        if self.late && self.search.lead >= 0 {
            self.raise_epsilon(self.schedule.raised(self.search.inflation.epsilon));
        }
        Ok(())
    }

    fn advance(&mut self, budget: Budget, work: &mut Work) -> Progress {
        let (start, cell) = self.search.start;
        if self.search.is_closed(start) {
            self.search.book_queue_ops(work);
            return Progress::NoPath;
        }
        let is_done = self.improve(budget, work);
        self.search.book_queue_ops(work);
        let next = self.path.and_then(|_| self.search.best_from(start, cell));
        self.late = self.changed && next.is_none();
        match next {
            Some((_, next)) => Progress::Path(next),
            None if is_done => Progress::NoPath,
            None => Progress::Searching,
        }
    }

    fn change_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        if Goals::new(self.terrain().grid(), goals)? != *self.goals() {
            self.begin_repair(true);
            self.raise_epsilon(self.schedule.first());
        }
        self.search.change_goals(goals)
    }

    fn goals(&self) -> &Goals {
        self.search.goals()
    }
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> Planner for AnytimeDStar<'_, W, T, E> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let change = self.note(seen)?;
        if let Some(change) = change {
            self.begin_repair(change.trend() == Trend::Fall);
            self.search.apply(change);
        }
        Ok(change.is_some())
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.move_to(at)?;
        if self.goals().contains(at) {
            self.search.stats.book(Work::default());
            return Ok(Decision::Arrived);
        }
        let mut work = Work::default();
        let progress = self.advance(budget, &mut work);
        self.search.stats.searches += u32::from(work.expansions > 0);
        self.search.stats.book(work);
        Ok(progress.into())
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.change_goals(goals)
    }

    fn stats(&self) -> &Stats {
        &self.search.stats
    }
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> Inspect for AnytimeDStar<'_, W, T, E> {
    fn fact(&self, cell: Cell) -> Occupancy {
        self.search.fact(cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        self.search.is_expanded(cell)
    }

    fn values(&self, cell: Cell) -> CellValues {
        Inspect::values(&self.search, cell)
    }

    fn after(&self, cell: Cell) -> Option<Cell> {
        self.path.and(self.search.after_cell(cell))
    }
}
