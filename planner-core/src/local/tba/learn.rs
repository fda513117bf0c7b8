//! Learning from a tree that is given up: the update of LSS-LRTA*, spread over ticks.

use super::{
    super::{Distances, Problem, space::State, steps::Steps},
    Stage, Tba, Tree,
    open::Neighbors,
};
use crate::{
    budget::{JOIN_STEPS, NEIGHBOR_STEPS, Remaining, TRACE_STEP},
    chip::call_on_chip,
    graph::{Graph, opposite},
    planner::Work,
    storage::Storage,
    width::{Width, Word, add},
};

/// The part of the tree that is visited next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LearnPhase {
    /// The frontier, from this entry on.
    Frontier(u16),
    /// The expanded cells, by Dijkstra's algorithm.
    Interior,
}

impl<S: Storage, W: Width, const N: usize> Tba<S, W, N> {
    /// Gives the tree up and begins to learn from it.
    pub(super) fn begin_learning(&mut self, graph: &impl Graph) {
        self.space.open.clear(graph);
        self.stage = Stage::Learning(LearnPhase::Frontier(0));
    }

    /// Learns as far as the budget goes.
    ///
    /// Gives each expanded cell the minimum over the frontier of path cost plus value there, by the map as it is
    /// now. Values never fall.
    pub(super) fn learn<G: Graph, D: Distances>(
        &mut self,
        problem: &Problem<'_, G, D>,
        steps: &Steps,
        left: &mut Remaining,
        work: &mut Work,
    ) {
        if let Stage::Learning(LearnPhase::Frontier(from)) = self.stage {
            let next = self.learn_frontier(problem, steps, from, left, work);
            self.stage = Stage::Learning(next);
        }
        if self.stage == Stage::Learning(LearnPhase::Interior)
            && self.learn_interior(problem, steps, left, work)
        {
            self.stage = Stage::Empty;
        }
    }

    call_on_chip! {
        /// Visits the frontier, from an entry on; returns what comes next.
        fn learn_frontier<G: Graph, D: Distances>(
            &mut self,
            problem: &Problem<'_, G, D>,
            steps: &Steps,
            from: u16,
            left: &mut Remaining,
            work: &mut Work,
        ) -> LearnPhase {
            for number in from..self.space.table.len() as u16 {
                let entry = self.space.table.entry(number.into());
                let at_frontier = self.is_current(&entry)
                    && (entry.state() == State::Open || self.refused == Some(number));
                if !at_frontier {
                    if !left.take(TRACE_STEP) {
                        return LearnPhase::Frontier(number);
                    }
                    work.trace_steps += 1;
                    continue;
                }
                if !left.covers_visit(G::MOVES) {
                    return LearnPhase::Frontier(number);
                }
                let h = self.estimate(problem, entry.vertex()).h;
                if let Some(entry) = self.space.table.entries.get_mut(usize::from(number)) {
                    entry.h = W::Cost::new(h);
                }
                work.revisits += 1;
                let before = work.trace_steps;
                self.relax(&problem.graph, steps, number.into(), work);
                let neighbors = left.take_visit(work.trace_steps - before, G::MOVES);
                work.trace_steps = before + neighbors;
            }
            LearnPhase::Interior
        }
    }

    call_on_chip! {
        /// Visits the expanded cells, by Dijkstra's algorithm; `true` when nothing is left to learn.
        fn learn_interior<G: Graph, D: Distances>(
            &mut self,
            problem: &Problem<'_, G, D>,
            steps: &Steps,
            left: &mut Remaining,
            work: &mut Work,
        ) -> bool {
            while let Some(first) = self.space.open.first() {
                if !left.covers_visit(G::MOVES) {
                    return false;
                }
                work.revisits += 1;
                work.queue_ops += 1;
                let Tree { table, open } = &mut self.space;
                let entry = table.entry(first);
                open.remove(&mut table.entries, first, Neighbors::DONE);
                let before = work.trace_steps;
                if open.is_early(entry.h.get()) {
                    open.insert(&mut table.entries, first, entry.h.get());
                } else {
                    let known = self.estimate(problem, entry.vertex()).h;
                    self.learned.set(entry.vertex(), entry.h.get().max(known));
                    self.relax(&problem.graph, steps, first, work);
                }
                let neighbors = left.take_visit(work.trace_steps - before, G::MOVES);
                work.trace_steps = before + neighbors;
            }
            true
        }
    }

    call_on_chip! {
        /// Lowers the values of the expanded cells around an entry to what they are through it.
        fn relax<G: Graph>(&mut self, graph: &G, steps: &Steps, number: usize, work: &mut Work) {
            let Tree { table, open } = &mut self.space;
            let entry = table.entry(number);
            let (vertex, h) = (entry.vertex(), entry.h.get());
            if !graph.is_passable(vertex) {
                return;
            }
            let moves = graph.moves(vertex);
            for m in (0..G::MOVES).filter(|&m| moves.contains(m)) {
                let before = steps.step(vertex, m);
                work.trace_steps += NEIGHBOR_STEPS;
                let Some(number) = table.find(before) else {
                    continue;
                };
                let Some(entry) = table.entries.get_mut(number) else {
                    continue;
                };
                // The move from there is the opposite, and is possible too.
                if entry.generation() != self.generation
                    || entry.state() == State::Open
                    || self.refused == Some(number as u16)
                {
                    continue;
                }
                let through = add::<W>(h, graph.cost(opposite(m), vertex));
                let is_new = entry.link == Neighbors::OUT;
                if !is_new && through >= entry.h.get() {
                    continue;
                }
                entry.h = W::Cost::new(through);
                if !is_new {
                    open.remove(&mut table.entries, number, Neighbors::OUT);
                }
                open.insert(&mut table.entries, number, through);
                work.trace_steps += JOIN_STEPS;
                work.queue_ops += 1;
            }
        }
    }
}
