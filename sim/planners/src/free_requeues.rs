//! A global search whose re-queues cost nothing: a reading of Bond et al. (2010), for experiments. A tick has no bound.

use planner_core::{
    Budget, BuildError, Cell, CellValues, Decision, Goals, GoalsError, InspectSearch, OffMap,
    Stats, Work,
    graph::GraphChange,
    map::{Change, Map},
    search::{GlobalSearch, Progress, Search},
};

/// A global search that is given back what its re-queues cost.
#[derive(Debug)]
pub(super) struct FreeRequeues<G>(pub(super) G);

impl<G: GlobalSearch> Search for FreeRequeues<G> {
    fn begin<M: Map>(&mut self, map: &M, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        self.0.begin(map, start, goals)
    }

    fn update<M: Map>(&mut self, map: &M, change: Change) -> bool {
        self.0.update(map, change)
    }

    fn tick<M: Map>(&mut self, map: &M, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.0.tick(map, at, budget)
    }

    fn set_goals<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError> {
        self.0.set_goals(map, goals)
    }

    fn stats(&self) -> &Stats {
        self.0.stats()
    }
}

impl<G: GlobalSearch> GlobalSearch for FreeRequeues<G> {
    type Unknown = G::Unknown;

    fn reconcile<M: Map>(&mut self, map: &M, vertex: usize) {
        self.0.reconcile(map, vertex);
    }

    fn apply<M: Map>(&mut self, map: &M, change: GraphChange) {
        self.0.apply(map, change);
    }

    fn refresh<M: Map>(&mut self, map: &M, vertex: usize) -> bool {
        self.0.refresh(map, vertex)
    }

    fn absorb_unrelated<M: Map>(&mut self, map: &M, change: GraphChange) -> bool {
        self.0.absorb_unrelated(map, change)
    }

    fn exact_distance<M: Map>(&self, map: &M, vertex: usize) -> Option<usize> {
        self.0.exact_distance(map, vertex)
    }

    fn move_to<M: Map>(&mut self, map: &M, at: Cell) -> Result<(), OffMap> {
        self.0.move_to(map, at)
    }

    fn advance<M: Map>(&mut self, map: &M, budget: Budget, work: &mut Work) -> Progress {
        let mut left = budget;
        loop {
            let mut done = Work::ZERO;
            let progress = self.0.advance(map, left, &mut done);
            work.expansions += done.expansions;
            work.queue_ops += done.queue_ops;
            left = Budget::limit(left.expansions.saturating_sub(done.expansions));
            // Without a re-queue there is nothing to give back.
            if done.requeues == 0 || left.expansions == 0 {
                return progress;
            }
        }
    }

    fn goals(&self) -> &Goals {
        self.0.goals()
    }
}

impl<G: InspectSearch> InspectSearch for FreeRequeues<G> {
    fn is_expanded<M: Map>(&self, map: &M, cell: Cell) -> bool {
        self.0.is_expanded(map, cell)
    }

    fn values<M: Map>(&self, map: &M, cell: Cell) -> CellValues {
        self.0.values(map, cell)
    }

    fn next_on_path<M: Map>(&self, map: &M, cell: Cell) -> Option<Cell> {
        self.0.next_on_path(map, cell)
    }
}
