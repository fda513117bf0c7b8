//! Growth of the tree: weighted A*, and the choice of a target.

use super::{
    super::{
        Distances, Problem,
        space::{Reached, Space, State},
        steps::Steps,
    },
    Tba,
    path::Trace,
};
use crate::{
    budget::{EXPANSION, REQUEUE, REVISIT, Remaining},
    chip::call_on_chip,
    graph::{Graph, opposite},
    planner::{Budget, Work},
    storage::Storage,
    width::{Width, Word, add},
};

/// An estimate of the cost from a vertex to the goal.
#[derive(Clone, Copy)]
pub(super) struct Estimate {
    /// The known distance, or else the learned value, or else the graph's heuristic.
    pub(super) h: usize,
    /// The vertex's part of the key: twice the estimate, unless it is exact.
    pub(super) weighted: usize,
}

/// A target that is considered: the one with the smallest `h`, then the smallest key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    h: usize,
    key: usize,
    number: u16,
}

impl<S: Storage, W: Width, const N: usize> Tba<S, W, N> {
    /// Estimates the cost from a vertex to the goal.
    pub(super) fn estimate<G: Graph, D: Distances>(
        &self,
        problem: &Problem<'_, G, D>,
        vertex: usize,
    ) -> Estimate {
        if let Some(h) = problem.distances.distance(vertex) {
            return Estimate { h, weighted: h };
        }
        let h = self.learned.get(vertex).unwrap_or_else(|| {
            let cell = problem.graph.grid().cell(vertex);
            problem.goals.heuristic(&problem.graph, cell)
        });
        let weighted = add::<W>(h, h);
        Estimate { h, weighted }
    }

    /// Returns whether the search ends at a vertex: at the goal, or where the rest of the path is known.
    fn completes<G: Graph, D: Distances>(problem: &Problem<'_, G, D>, vertex: usize) -> bool {
        problem.goals.index(problem.graph.grid(), vertex).is_some()
            || problem.distances.distance(vertex).is_some()
    }

    /// Grows the tree as far as the budget goes and chooses a target; `false` when all that can be reached was
    /// expanded and the goal is not there.
    // A call of its own leaves more registers to the loop.
    #[inline(never)]
    pub(super) fn grow<G: Graph, D: Distances>(
        &mut self,
        problem: &Problem<'_, G, D>,
        steps: &Steps,
        robot: usize,
        budget: Budget,
        left: &mut Remaining,
        work: &mut Work,
    ) -> bool {
        let target = usize::from(self.target);
        let is_at_end = robot == target;
        if is_at_end && self.space.table.entry(target).state() == State::Open {
            // The robot needs another target: its cell is expanded next.
            let Space { table, open } = &mut self.space;
            open.lower(&mut table.entries, target, 0);
            work.queue_ops += 1;
        }
        // What is kept to trace the path to a new target: an eighth of the budget. A robot at the end of its path
        // needs all of the new one at once; it is no longer than there are cells expanded in this tick.
        let mut reserve = match budget.expansions {
            0 | 1 => 0,
            _ if is_at_end => 1,
            expansions => expansions.min(u32::MAX / EXPANSION),
        };
        let mut best: Option<Candidate> = None;
        let (first, is_complete) = loop {
            let Space { table, open } = &mut self.space;
            let Some(first) = open.first() else {
                return self.refused.is_some();
            };
            let entry = table.entry(first);
            if !problem.graph.is_passable(entry.vertex()) {
                // Blocked since it was generated; it joins OPEN again when it can be entered.
                if !left.take(REQUEUE) {
                    break (first, false);
                }
                work.requeues += 1;
                work.queue_ops += 1;
                open.pop(&mut table.entries);
                if let Some(entry) = table.entries.get_mut(first) {
                    entry.set_link(W::Id::MAX);
                }
                continue;
            }
            if first != robot && Self::completes(problem, entry.vertex()) {
                break (first, true);
            }
            let was_expanded = entry.was_expanded();
            let price = if was_expanded { REVISIT } else { EXPANSION };
            if self.is_full(G::MOVES) || !left.has(price + reserve) || !left.take(price) {
                break (first, false);
            }
            match was_expanded {
                true => work.revisits += 1,
                false => work.expansions += 1,
            }
            reserve += u32::from(is_at_end && reserve > 0);
            // A cell that is expanded is no target any more.
            best = best.filter(|best| usize::from(best.number) != first);
            self.expand(problem, steps, first, &mut best, work);
        };
        if self.trace != Trace::Done {
            return true;
        }
        if is_complete {
            self.trace_to(first);
        } else {
            self.consider(problem, first, &mut best);
            self.consider(problem, target, &mut best);
            if let Some(best) = best {
                self.trace_to(best.number.into());
            }
        }
        true
    }

    /// Begins to trace the path to an entry, unless it is the target already.
    fn trace_to(&mut self, number: usize) {
        if number != usize::from(self.target) {
            let target = number as u16;
            self.trace = Trace::Up { at: target, target };
        }
    }

    /// Considers an entry as the target, if it is in OPEN.
    fn consider<G: Graph, D: Distances>(
        &self,
        problem: &Problem<'_, G, D>,
        number: usize,
        best: &mut Option<Candidate>,
    ) {
        let entry = self.space.table.entry(number);
        if entry.state() == State::Open && problem.graph.is_passable(entry.vertex()) {
            better(
                best,
                Candidate {
                    h: self.estimate(problem, entry.vertex()).h,
                    key: entry.f(),
                    number: number as u16,
                },
            );
        }
    }

    call_on_chip! {
        /// Expands the first entry of OPEN.
        fn expand<G: Graph, D: Distances>(
            &mut self,
            problem: &Problem<'_, G, D>,
            steps: &Steps,
            number: usize,
            best: &mut Option<Candidate>,
            work: &mut Work,
        ) {
            let Space { table, open } = &mut self.space;
            open.pop(&mut table.entries);
            work.queue_ops += 1;
            let Some(entry) = table.entries.get_mut(number) else {
                return;
            };
            let state = match number == usize::from(self.target) {
                true => State::Path,
                false => State::Closed,
            };
            entry.mark(state, entry.tree());
            entry.set_generation(self.generation, true);
            entry.set_link(W::Id::MAX);
            let (vertex, g) = (entry.vertex(), entry.g.get());
            let moves = problem.graph.moves(vertex);
            for m in (0..G::MOVES).filter(|&m| moves.contains(m)) {
                let next = steps.step(vertex, m);
                if !problem.graph.is_passable(next) {
                    continue;
                }
                let g = add::<W>(g, problem.graph.cost(m, next));
                let found = self.space.table.probe(next);
                let is_new = found.is_err();
                let estimate = match is_new {
                    true => self.estimate(problem, next),
                    false => Estimate { h: 0, weighted: 0 },
                };
                work.queue_ops += 1;
                match self.generate_at(found, next, g, opposite(m), estimate.weighted) {
                    None => self.refused = Some(number as u16),
                    Some(number) if is_new => better(
                        best,
                        Candidate {
                            h: estimate.h,
                            key: add::<W>(g, estimate.weighted),
                            number,
                        },
                    ),
                    Some(_) => {}
                }
            }
        }
    }

    /// Reaches a vertex by a path of cost `g`, from the vertex that move `tree` leads to; `weighted` is its part of
    /// the key if it is new. Returns its entry, or `None` if there is no room for it.
    #[inline(always)]
    pub(super) fn generate(
        &mut self,
        vertex: usize,
        g: usize,
        tree: usize,
        weighted: usize,
    ) -> Option<u16> {
        let found = self.space.table.probe(vertex);
        self.generate_at(found, vertex, g, tree, weighted)
    }

    /// Like [`Tba::generate`], for a vertex that was looked up.
    #[inline(always)]
    fn generate_at(
        &mut self,
        found: Result<usize, bool>,
        vertex: usize,
        g: usize,
        tree: usize,
        weighted: usize,
    ) -> Option<u16> {
        let generation = self.generation;
        let Space { table, open } = &mut self.space;
        let (number, is_queued) = match found {
            Ok(number) => {
                let entry = table.entries.get_mut(number)?;
                let is_current = entry.generation() == generation;
                let is_queued = is_current && entry.link() != W::Id::MAX;
                if is_current && entry.state() != State::Open || is_queued && g >= entry.g.get() {
                    return Some(number as u16);
                }
                entry.g = W::Cost::new(g);
                entry.mark(State::Open, tree);
                (number, is_queued)
            }
            Err(true) => match table.add(vertex, g, weighted, Some(tree)) {
                Reached::New(number) => {
                    table
                        .entries
                        .get_mut(number)?
                        .set_generation(generation, false);
                    (number, false)
                }
                _ => return None,
            },
            Err(false) => return None,
        };
        let entry = table.entries.get_mut(number)?;
        entry.set_generation(generation, entry.was_expanded());
        // In a world that only gets worse, cells of earlier trees are expanded roughly in order of distance from the
        // robot: its path was blocked, and the nearest cell that was not expanded may lie in any direction. Where costs
        // fall too, fewer ticks are needed with the usual key.
        let key = match entry.was_expanded() && !self.is_changing {
            false => entry.f(),
            true => add::<W>(g, (self.root_h.get() + entry.h.get()) / 2),
        };
        if is_queued {
            open.lower(&mut table.entries, number, key);
        } else {
            open.insert(&mut table.entries, number, key);
        }
        Some(number as u16)
    }
}

/// Keeps the better of two candidates.
fn better(best: &mut Option<Candidate>, candidate: Candidate) {
    if best.is_none_or(|best| candidate < best) {
        *best = Some(candidate);
    }
}
