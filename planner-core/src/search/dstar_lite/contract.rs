//! D* Lite as a search of its own, and as a global search that is given a share of each tick.

use super::{DStarLite, DStarLiteNode, Inflation, repair::QueueWork};
use crate::{
    BuildError, Cell, Goals, GoalsError, OffMap, Side,
    budget::Remaining,
    graph::{Graph, GraphChange},
    map::{Change, Map, Revision, UnknownPolicy},
    planner::{Budget, Decision, Stats, Work},
    queue::Queue,
    search::{
        Search, check_fit, clear_queue,
        global::{GlobalSearch, Progress},
    },
    storage::{Storage, flat_mut},
    width::Width,
};

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy, I: Inflation<W>>
    DStarLite<S, W, Q, U, I>
{
    pub(in crate::search) fn begin_on<G: Graph>(
        &mut self,
        graph: G,
        start: Cell,
        goals: &[Cell],
    ) -> Result<(), BuildError> {
        self.goals = Goals::NONE;
        let nodes = flat_mut(&mut self.nodes);
        let vertices = check_fit::<W>(&graph, Q::HEADS, nodes.len())?;
        let s_start = graph.grid().vertex(start)?;
        let goals = Goals::new(graph.grid(), goals)?;
        for (vertex, node) in nodes.iter_mut().enumerate() {
            *node = if graph.is_passable(vertex) {
                DStarLiteNode::unreached()
            } else {
                DStarLiteNode::blocked()
            };
        }
        clear_queue::<W, Q, _>(&mut self.open.queue, nodes, vertices)?;
        (self.open.start, self.open.start_cell) = (s_start, start);
        (self.open.rows, self.open.k_m, self.open.work) = (graph.grid().rows(), 0, QueueWork::ZERO);
        self.open.set_s_last(start);
        (self.lead, self.is_interrupted, self.stats) = (0, false, Stats::ZERO);
        self.first_key = None;
        (self.blocked_goals, self.preferred) = (0, 0);
        for (index, vertex) in goals.vertices(graph.grid()).enumerate() {
            self.blocked_goals |= u16::from(!graph.is_passable(vertex)) << index;
        }
        self.goals = goals;
        for vertex in goals.vertices(graph.grid()) {
            self.enter_goal(&graph, vertex);
        }
        Ok(())
    }

    fn advance_in(&mut self, graph: &impl Graph, budget: Budget, work: &mut Work) -> Progress {
        let is_blocked = self.is_blocked(graph, self.open.start);
        if !is_blocked && !self.is_done(graph) {
            if !self.is_interrupted || self.lead >= 0 {
                self.move_s_last(graph);
            }
            self.is_interrupted = !self.search(graph, &mut Remaining::new(budget), work);
        } else {
            self.is_interrupted = false;
        }
        self.record_queue_ops(work);
        if self.is_interrupted {
            let first = self.open.queue.peek(S::nodes_mut(&mut self.nodes));
            self.first_key = first.map(|(_, key)| key);
            return Progress::Searching;
        }
        match self.best_successor(graph, self.open.start, self.open.start_cell) {
            Some((_, next)) if !is_blocked => Progress::Path(next),
            _ => Progress::NoPath,
        }
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy, I: Inflation<W>> GlobalSearch
    for DStarLite<S, W, Q, U, I>
{
    type Unknown = U;

    fn reconcile<M: Map>(&mut self, map: &M, vertex: usize) {
        self.reconcile_in(&map.view::<U>(), vertex);
    }

    #[cfg_attr(not(target_arch = "arm"), inline(always))]
    fn apply<M: Map>(&mut self, map: &M, change: GraphChange) {
        self.apply_in(&map.view::<U>(), change);
    }

    fn refresh<M: Map>(&mut self, map: &M, vertex: usize) -> bool {
        let graph = &map.view::<U>();
        let changed = self.match_map(graph, vertex);
        if changed {
            self.update_around(graph, vertex);
        } else {
            self.update_vertex(graph, vertex);
        }
        changed
    }

    #[cfg_attr(not(target_arch = "arm"), inline(always))]
    fn absorb_unrelated<M: Map>(&mut self, map: &M, change: GraphChange) -> bool {
        self.absorb_unrelated_in(&map.view::<U>(), change)
    }

    fn exact_distance<M: Map>(&self, map: &M, vertex: usize) -> Option<usize> {
        self.exact_distance_in(&map.view::<U>(), vertex)
    }

    fn move_to<M: Map>(&mut self, map: &M, at: Cell) -> Result<(), OffMap> {
        self.open.start = map.view::<U>().grid().vertex(at)?;
        self.open.start_cell = at;
        Ok(())
    }

    fn advance<M: Map>(&mut self, map: &M, budget: Budget, work: &mut Work) -> Progress {
        self.advance_in(&map.view::<U>(), budget, work)
    }

    fn goals(&self) -> &Goals {
        &self.goals
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy, I: Inflation<W>> Search
    for DStarLite<S, W, Q, U, I>
{
    fn begin<M: Map>(&mut self, map: &M, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        self.revision = Revision::of(map);
        self.begin_on(map.view::<U>(), start, goals)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn update<M: Map>(&mut self, map: &M, change: Change) -> bool {
        self.revision.advance();
        match change.seen_as::<U>() {
            None => return false,
            Some(GraphChange::Edge(a, b, _)) => self.edge_changed(&map.view::<U>(), a, b),
            Some(change) => self.apply(map, change),
        }
        true
    }

    fn tick<M: Map>(&mut self, map: &M, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.revision.check(map);
        self.move_to(map, at)?;
        // The `rhs` of goals, and of no other passable vertex, is zero.
        if self.values(self.open.start).1 == 0 && self.goals.contains(at) {
            self.stats.record(Work::ZERO);
            return Ok(Decision::Arrived);
        }
        let mut work = Work::ZERO;
        let progress = self.advance(map, budget, &mut work);
        self.stats.record_tick(work);
        Ok(progress.into())
    }

    fn set_goals<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError> {
        self.set_goals_in(&map.view::<U>(), goals)
    }

    fn prefer(&mut self, side: Side) {
        self.preferred = side as u8;
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}
