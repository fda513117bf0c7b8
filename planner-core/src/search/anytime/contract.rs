//! Anytime D* as a global search that is given a share of each tick, and as a search of its own.

use super::{AnytimeDStar, inflated::Inflated};
use crate::{
    BuildError, Cell, CellValues, Goals, GoalsError, OffMap,
    graph::{Graph, GraphChange, Trend},
    inspect::InspectSearch,
    map::{Change, Map, Revision, UnknownPolicy},
    planner::{Budget, Decision, Stats, Work},
    queue::{Entry, Heap, Holds, SmallerG},
    search::{
        Search,
        global::{GlobalSearch, Progress},
    },
    storage::Storage,
    width::Width,
};

impl<S: Storage, W: Width, E: Entry + Holds<W>, U: UnknownPolicy> GlobalSearch
    for AnytimeDStar<S, W, E, U>
{
    type Unknown = U;

    fn reconcile<M: Map>(&mut self, map: &M, vertex: usize) {
        self.begin_repair(true);
        self.search.reconcile(map, vertex);
    }

    fn apply<M: Map>(&mut self, map: &M, change: GraphChange) {
        // A late change may have been undone and done again: only a vertex that is blocked now is certain.
        let may_fall = match change {
            GraphChange::Blocked(vertex) | GraphChange::Unblocked(vertex) => {
                map.view::<U>().is_passable(vertex)
            }
            GraphChange::Weight(..) | GraphChange::Edge(..) => true,
        };
        self.begin_repair(may_fall);
        self.search.apply(map, change);
    }

    fn refresh<M: Map>(&mut self, map: &M, vertex: usize) -> bool {
        self.begin_repair(true);
        self.search.refresh(map, vertex)
    }

    fn move_to<M: Map>(&mut self, map: &M, at: Cell) -> Result<(), OffMap> {
        let graph = &map.view::<U>();
        self.walk(graph, (graph.grid().vertex(at)?, at));
        self.search.move_to(map, at)?;
        // Keys that have not been made again since the last time are left alone.
        if self.late && self.search.lead >= 0 {
            let inflation = &self.search.open.inflation;
            self.raise_epsilon(inflation.schedule.raised(inflation.epsilon));
        }
        Ok(())
    }

    fn advance<M: Map>(&mut self, map: &M, budget: Budget, work: &mut Work) -> Progress {
        let graph = &map.view::<U>();
        let (start, cell) = self.search.s_start();
        if self.search.is_blocked(graph, start) {
            self.search.record_queue_ops(work);
            return Progress::NoPath;
        }
        let is_done = self.improve(graph, budget, work);
        self.search.record_queue_ops(work);
        let next = self
            .path
            .and_then(|_| self.search.best_successor(graph, start, cell));
        self.late = self.changed && next.is_none();
        match next {
            Some((_, next)) => Progress::Path(next),
            None if is_done => Progress::NoPath,
            None => Progress::Searching,
        }
    }

    fn goals(&self) -> &Goals {
        self.search.goals()
    }
}

impl<S: Storage, W: Width, E: Entry + Holds<W>, U: UnknownPolicy> Search
    for AnytimeDStar<S, W, E, U>
{
    fn begin<M: Map>(&mut self, map: &M, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        self.search.revision = Revision::of(map);
        let graph = map.view::<U>();
        let schedule = self.schedule.unwrap_or_default();
        self.search.open.inflation = Inflated::new::<W, Heap<S, E, SmallerG>>(&graph, schedule)?;
        self.search.begin_on(graph, start, goals)?;
        self.vertices = graph.grid().vertices();
        (self.path, self.changed, self.late, self.sweep) = (None, false, false, 0);
        Ok(())
    }

    fn update<M: Map>(&mut self, map: &M, change: Change) -> bool {
        self.search.revision.advance();
        let Some(change) = change.seen_as::<U>() else {
            return false;
        };
        self.begin_repair(change.trend() == Trend::Fall);
        self.search.apply(map, change);
        true
    }

    fn tick<M: Map>(&mut self, map: &M, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.search.revision.check(map);
        self.move_to(map, at)?;
        if self.goals().contains(at) {
            self.search.stats.record(Work::ZERO);
            return Ok(Decision::Arrived);
        }
        let mut work = Work::ZERO;
        let progress = self.advance(map, budget, &mut work);
        self.search.stats.record_tick(work);
        Ok(progress.into())
    }

    fn set_goals<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError> {
        if Goals::new(map.view::<U>().grid(), goals)? != *self.goals() {
            self.begin_repair(true);
            self.raise_epsilon(self.search.open.inflation.schedule.first());
        }
        self.search.set_goals(map, goals)
    }

    fn stats(&self) -> &Stats {
        &self.search.stats
    }
}

impl<S: Storage, W: Width, E: Entry + Holds<W>, U: UnknownPolicy> InspectSearch
    for AnytimeDStar<S, W, E, U>
{
    fn is_expanded<M: Map>(&self, map: &M, cell: Cell) -> bool {
        self.search.is_expanded(map, cell)
    }

    fn values<M: Map>(&self, map: &M, cell: Cell) -> CellValues {
        InspectSearch::values(&self.search, map, cell)
    }

    fn next_on_path<M: Map>(&self, map: &M, cell: Cell) -> Option<Cell> {
        self.path.and(self.search.next_on_path(map, cell))
    }
}
