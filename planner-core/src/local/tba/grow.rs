//! Growth of the tree: weighted A*, and the choice of a target.

use super::{
    super::{
        Distances, Problem,
        space::{Entry, Reached, State},
        steps::Steps,
    },
    Tba, Tree,
    open::Neighbors,
    path::Trace,
};
use crate::{
    budget::{EDGE_STEPS, EXPANSION, JOIN_STEPS, NEIGHBOR_STEPS, REQUEUE, Remaining, TRACE_STEP},
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

/// The price of one edge of a path.
const EDGE: u32 = EDGE_STEPS * TRACE_STEP;

/// An entry that is expanded.
struct Expanded<'a, G, D> {
    problem: &'a Problem<'a, G, D>,
    steps: &'a Steps,
    number: usize,
    vertex: usize,
    g: usize,
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
            problem.goals.heuristic_to_all(&problem.graph, cell)
        });
        let weighted = add::<W>(h, h);
        Estimate { h, weighted }
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
            let Tree { table, open } = &mut self.space;
            if table.entry(target).link.is_queued() {
                open.remove(&mut table.entries, target, Neighbors::OUT);
            }
            open.insert_first(&mut table.entries, target);
            work.queue_ops += 1;
        }
        // What is kept to trace the path to a new target: an eighth of the budget. A robot at the end of its path
        // needs all of the new one at once; it is no longer than there are cells expanded in this tick.
        let mut reserve = match budget.expansions {
            0 | 1 => 0,
            _ if is_at_end => EDGE,
            expansions => EDGE * expansions.min(u32::MAX / EXPANSION),
        };
        let mut best: Option<Candidate> = None;
        let (first, is_complete) = loop {
            let Some(first) = self.space.open.first() else {
                return self.refused.is_some();
            };
            let entry = self.space.table.entry(first);
            let key = self.key::<G>(&entry);
            let Tree { table, open } = &mut self.space;
            let is_early = first != robot && open.is_early(key);
            if is_early || !problem.graph.is_passable(entry.vertex()) {
                if !left.take(REQUEUE) {
                    break (first, false);
                }
                work.requeues += 1;
                work.queue_ops += 1;
                open.remove(&mut table.entries, first, Neighbors::OUT);
                // One that was blocked since it was generated joins OPEN again when it can be entered.
                if is_early {
                    open.insert(&mut table.entries, first, key);
                }
                continue;
            }
            // A cell that is taken over is no goal, and may turn out to have new neighbors: it must be able to pay.
            let has_room = !self.is_full(G::MOVES) && left.has(EXPANSION + reserve);
            let is_known = first != robot && problem.distances.distance(entry.vertex()).is_some();
            if entry.was_expanded() {
                if is_known || !has_room {
                    break (first, is_known);
                }
                let before = work.trace_steps;
                work.revisits += 1;
                self.expand::<G, D, true>(problem, steps, first, &mut best, work);
                // Only a root has a neighbor more, and it is free: one tree is planted in a tick.
                let neighbors = (work.trace_steps - before)
                    .min((G::MOVES as u32 - 1) * (NEIGHBOR_STEPS + JOIN_STEPS));
                work.trace_steps = before + left.take_visit(neighbors, G::MOVES);
            } else {
                let index = problem.goals.index(problem.graph.grid(), entry.vertex());
                let is_complete = is_known || first != robot && index.is_some();
                if is_complete || !has_room {
                    break (first, is_complete);
                }
                // A cell that is expanded is no target any more.
                best = best.filter(|best| usize::from(best.number) != first);
                work.expansions += 1;
                self.expand::<G, D, false>(problem, steps, first, &mut best, work);
                let _ = left.take(EXPANSION);
            }
            if is_at_end && reserve > 0 {
                reserve += EDGE;
            }
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

    /// The key of an entry in OPEN.
    ///
    /// In a world that only gets worse, cells of earlier trees are expanded roughly in order of distance from the robot:
    /// its path was blocked, and the nearest cell that was not expanded may lie in any direction. With eight moves distance
    /// counts three times: more cells lie near the robot, and fewer are taken over so. Where costs fall too, fewer ticks are
    /// needed with the usual key.
    #[inline(always)]
    fn key<G: Graph>(&self, entry: &Entry<W, Neighbors>) -> usize {
        match entry.was_expanded() && !self.is_changing {
            false => entry.f(),
            true => {
                let g = entry.g.get().saturating_mul(G::MOVES / 2 - 1);
                add::<W>(g, (self.root_h.get() + entry.h.get()) / 2)
            }
        }
    }

    call_on_chip! {
        /// Expands the first entry of OPEN. One that was `EXPANDED` in an earlier tree is charged for its neighbors.
        fn expand<G: Graph, D: Distances, const EXPANDED: bool>(
            &mut self,
            problem: &Problem<'_, G, D>,
            steps: &Steps,
            number: usize,
            best: &mut Option<Candidate>,
            work: &mut Work,
        ) {
            let Tree { table, open } = &mut self.space;
            open.remove(&mut table.entries, number, Neighbors::OUT);
            work.queue_ops += 1;
            let Some(entry) = table.entries.get_mut(number) else {
                return;
            };
            let state = match number == usize::from(self.target) {
                true => State::Path,
                false => State::Closed,
            };
            let parent = entry.tree();
            entry.mark(state, parent);
            entry.set_generation(self.generation, true);
            let from = &Expanded {
                problem,
                steps,
                number,
                vertex: entry.vertex(),
                g: entry.g.get(),
            };
            let moves = problem.graph.moves(from.vertex);
            // All but the move to the cell that it was reached from, which is expanded.
            for turn in 1..G::MOVES {
                let m = (parent + turn) % G::MOVES;
                if moves.contains(m) {
                    self.reach::<G, D, EXPANDED>(from, m, best, work);
                }
            }
            // The root was reached from none.
            if from.g == 0 && moves.contains(parent) {
                self.reach::<G, D, EXPANDED>(from, parent, best, work);
            }
        }
    }

    call_on_chip! {
        /// Generates the cell that a move from an expanded one leads to, or finds a shorter path to it.
        fn reach<G: Graph, D: Distances, const EXPANDED: bool>(
            &mut self,
            from: &Expanded<'_, G, D>,
            m: usize,
            best: &mut Option<Candidate>,
            work: &mut Work,
        ) {
            let problem = from.problem;
            let next = from.steps.step(from.vertex, m);
            if !problem.graph.is_passable(next) {
                return;
            }
            let g = add::<W>(from.g, problem.graph.cost(m, next));
            if EXPANDED {
                work.trace_steps += NEIGHBOR_STEPS;
            }
            let found = self.space.table.probe(next);
            work.queue_ops += 1;
            let is_new = match found {
                Ok(number) if !self.improves(number, g) => return,
                Ok(_) => false,
                Err(_) => true,
            };
            if EXPANDED {
                work.trace_steps += JOIN_STEPS;
            }
            if !is_new {
                self.generate_at::<G>(found, next, g, opposite(m), 0);
                return;
            }
            let estimate = self.estimate(problem, next);
            match self.generate_at::<G>(found, next, g, opposite(m), estimate.weighted) {
                None => self.refused = Some(from.number as u16),
                Some(number) => better(
                    best,
                    Candidate {
                        h: estimate.h,
                        key: add::<W>(g, estimate.weighted),
                        number,
                    },
                ),
            }
        }
    }

    /// Reaches a vertex by a path of cost `g`, from the vertex that move `tree` leads to; `weighted` is its part of
    /// the key if it is new. Returns its entry, or `None` if there is no room for it.
    #[inline(always)]
    pub(super) fn generate<G: Graph>(
        &mut self,
        vertex: usize,
        g: usize,
        tree: usize,
        weighted: usize,
    ) -> Option<u16> {
        match self.space.table.probe(vertex) {
            Ok(number) if !self.improves(number, g) => Some(number as u16),
            found => self.generate_at::<G>(found, vertex, g, tree, weighted),
        }
    }

    /// Returns whether a path of cost `g` changes an entry: it is of an earlier tree, not in OPEN, or farther from the
    /// root; not if it was expanded.
    #[inline(always)]
    fn improves(&self, number: usize, g: usize) -> bool {
        let Some(entry) = self.space.table.entries.get(number) else {
            return false;
        };
        !self.is_current(entry)
            || entry.state() == State::Open && (!entry.link.is_queued() || g < entry.g.get())
    }

    /// Like [`Tba::generate`], for a vertex that was looked up and, if it has an entry, whose path this improves.
    #[inline(always)]
    fn generate_at<G: Graph>(
        &mut self,
        found: Result<usize, bool>,
        vertex: usize,
        g: usize,
        tree: usize,
        weighted: usize,
    ) -> Option<u16> {
        let generation = self.generation;
        let Tree { table, open } = &mut self.space;
        let number = match found {
            Ok(number) => {
                let entry = table.entries.get_mut(number)?;
                let is_queued = entry.generation() == generation && entry.link.is_queued();
                entry.g = W::Cost::new(g);
                entry.mark(State::Open, tree);
                entry.set_generation(generation, entry.was_expanded());
                if is_queued {
                    open.remove(&mut table.entries, number, Neighbors::OUT);
                }
                number
            }
            Err(true) => match table.add(vertex, g, weighted, Some(tree)) {
                Reached::New(number) => {
                    table
                        .entries
                        .get_mut(number)?
                        .set_generation(generation, false);
                    number
                }
                _ => return None,
            },
            Err(false) => return None,
        };
        let key = self.key::<G>(&self.space.table.entry(number));
        let Tree { table, open } = &mut self.space;
        open.insert(&mut table.entries, number, key);
        Some(number as u16)
    }
}

/// Keeps the better of two candidates.
fn better(best: &mut Option<Candidate>, candidate: Candidate) {
    if best.is_none_or(|best| candidate < best) {
        *best = Some(candidate);
    }
}
