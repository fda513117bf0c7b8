//! Learning from a tree that is given up: the update of LSS-LRTA*, spread over ticks.

use super::{
    super::{
        Distances, LearnedStorage, LearnedValues, Problem,
        space::{Entry, State},
        steps::Steps,
    },
    Stage, Tba, Tree,
    open::Neighbors,
};
use crate::{
    budget::{Remaining, TRACE_STEP, Visited, visit},
    chip::call_on_chip,
    graph::{Graph, opposite},
    planner::Work,
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

/// Entries that a trace step passes over in search of the frontier.
const SCANNED: usize = 5;

impl<S: LearnedStorage<W>, W: Width, const N: usize> Tba<S, W, N> {
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
            let mut number = usize::from(from);
            while number < self.space.table.len() {
                let next = self.next_at_frontier(number);
                if next != number {
                    if !left.take(TRACE_STEP) {
                        return LearnPhase::Frontier(number as u16);
                    }
                    work.trace_steps += 1;
                    number = next;
                    continue;
                }
                if !left.has(visit(G::MOVES)) {
                    return LearnPhase::Frontier(number as u16);
                }
                let vertex = self.space.table.entry(number).vertex();
                let h = self.estimate(problem, vertex).h;
                if let Some(entry) = self.space.table.entries.get_mut(number) {
                    entry.h = W::Cost::new(h);
                }
                let neighbors = self.relax(&problem.graph, steps, number);
                work.queue_ops += neighbors.joined();
                left.take_visit(neighbors, G::MOVES, work);
                number += 1;
            }
            LearnPhase::Interior
        }
    }

    /// Returns the first entry at the frontier of the next [`SCANNED`], or else the entry after these.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next_at_frontier(&self, from: usize) -> usize {
        let end = self.space.table.len().min(from + SCANNED);
        let entries = self.space.table.entries.get(from..end).unwrap_or_default();
        let is_open =
            |entry: &Entry<W, Neighbors>| self.is_current(entry) && entry.state() == State::Open;
        let next = entries.iter().position(is_open).map_or(end, |n| from + n);
        match self.refused.map(usize::from) {
            Some(refused) if (from..next).contains(&refused) => refused,
            _ => next,
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
                if !left.has(visit(G::MOVES)) {
                    return false;
                }
                work.queue_ops += 1;
                let Tree { table, open } = &mut self.space;
                let entry = table.entry(first);
                open.pop(&mut table.entries, first, Neighbors::DONE);
                let mut neighbors = Visited::NONE;
                if open.is_early(entry.h.get()) {
                    open.insert(&mut table.entries, first, entry.h.get());
                } else {
                    // Never less than the heuristic, which is consistent.
                    let known = self.learned.get(entry.vertex()).unwrap_or(0);
                    self.learned.set(entry.vertex(), entry.h.get().max(known));
                    neighbors = self.relax(&problem.graph, steps, first);
                }
                work.queue_ops += neighbors.joined();
                left.take_visit(neighbors, G::MOVES, work);
            }
            true
        }
    }

    call_on_chip! {
        /// Lowers the values of the expanded cells around an entry to what they are through it.
        fn relax<G: Graph>(&mut self, graph: &G, steps: &Steps, number: usize) -> Visited {
            let mut neighbors = Visited::NONE;
            let Tree { table, open } = &mut self.space;
            let entry = table.entry(number);
            let (vertex, h) = (entry.vertex(), entry.h.get());
            if !graph.is_passable(vertex) {
                return neighbors;
            }
            let moves = graph.moves(vertex);
            for m in 0..G::MOVES {
                if !moves.contains(m) {
                    continue;
                }
                let before = steps.step(vertex, m);
                neighbors.look();
                let number = table.look_up(before);
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
                neighbors.join();
            }
            neighbors
        }
    }
}
