//! Growth of the tree: weighted A*, and the choice of a target.

use super::{
    super::{
        Distances, LearnedStorage, LearnedValues, Problem,
        space::{Entry, FULL, Reached, State},
        steps::Steps,
    },
    Tba, Tree,
    open::Neighbors,
    path::Trace,
};
use crate::{
    Cell,
    budget::{EDGE_STEPS, EXPANSION, GOALS, REQUEUE, Remaining, TRACE_STEP, Visited, visit},
    chip::call_on_chip,
    graph::{Graph, cell_after, opposite},
    planner::{Budget, Work},
    width::{Width, Word, add, infinity},
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

/// A target that is considered: the one with the smallest `h`, then the smallest key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    h: usize,
    key: usize,
    number: u16,
}

impl Candidate {
    /// None: any is better.
    const NONE: Self = Self {
        h: usize::MAX,
        key: usize::MAX,
        number: u16::MAX,
    };
}

impl<S: LearnedStorage<W>, W: Width, const N: usize> Tba<S, W, N> {
    /// Estimates the cost from a vertex to the goal.
    pub(super) fn estimate<G: Graph, D: Distances>(
        &self,
        problem: &Problem<'_, G, D>,
        vertex: usize,
    ) -> Estimate {
        if let Some(h) = problem.distances.distance(vertex) {
            return Estimate { h, weighted: h };
        }
        let h = self.h(problem, vertex, problem.graph.grid().cell(vertex));
        Estimate {
            h,
            weighted: add::<W>(h, h),
        }
    }

    call_on_chip! {
        /// Returns the learned value of a vertex, which is that of a cell, or else the graph's heuristic.
        pub(super) fn h<G: Graph, D: Distances>(
            &self,
            problem: &Problem<'_, G, D>,
            vertex: usize,
            cell: Cell,
        ) -> usize {
            let learned = self.learned.get(vertex);
            learned.unwrap_or_else(|| problem.goals.heuristic_to_all(&problem.graph, cell))
        }
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
        let (mut reserve, per_cell) = match budget.expansions {
            0 | 1 => (0, 0),
            _ if is_at_end => (EDGE, EDGE),
            expansions => (EDGE * expansions.min(u32::MAX / EXPANSION), 0),
        };
        let mut best = Candidate::NONE;
        let (first, is_complete) = loop {
            let Some(first) = self.space.open.first() else {
                return self.refused.is_some();
            };
            let Some(entry) = self.space.table.entries.get(first) else {
                return true;
            };
            let (vertex, was_expanded) = (entry.vertex(), entry.was_expanded());
            let key = self.key::<G>(entry);
            let is_early = first != robot && self.space.open.is_early(key);
            if is_early || !problem.graph.is_passable(vertex) {
                if !left.take(REQUEUE) {
                    break (first, false);
                }
                work.requeues += 1;
                work.queue_ops += 1;
                let Tree { table, open } = &mut self.space;
                open.pop(&mut table.entries, first, Neighbors::OUT);
                if is_early {
                    open.insert(&mut table.entries, first, key);
                } else if let Some(entry) = table.entries.get_mut(first) {
                    // Blocked since it was generated. When it can be entered again, any path is shorter.
                    entry.g = W::Cost::new(infinity::<W>());
                }
                continue;
            }
            let cell = problem.graph.grid().cell(vertex);
            let mut is_complete = first != robot && problem.distances.distance(vertex).is_some();
            // A cell that is taken over is no goal.
            if first != robot && !was_expanded && problem.goals.surround(cell) {
                if !left.take(GOALS) {
                    break (first, is_complete);
                }
                work.trace_steps += GOALS;
                is_complete |= problem.goals.position(cell).is_some();
            }
            if is_complete {
                break (first, true);
            }
            if !left.has(visit(G::MOVES) + reserve) {
                break (first, false);
            }
            if self.is_full(G::MOVES) {
                break (first, false);
            }
            // A cell that is expanded is no target any more.
            if usize::from(best.number) == first {
                best = Candidate::NONE;
            }
            let neighbors = self.expand(problem, steps, (first, cell), &mut best);
            work.queue_ops += 1 + neighbors.joined();
            left.take_visit(neighbors, G::MOVES, work);
            reserve += per_cell;
        };
        if self.trace != Trace::Done {
            return true;
        }
        if is_complete {
            self.trace_to(first);
        } else {
            self.consider(problem, first, &mut best);
            self.consider(problem, target, &mut best);
            if best != Candidate::NONE {
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
        best: &mut Candidate,
    ) {
        let entry = self.space.table.entry(number);
        if entry.state() == State::Open && problem.graph.is_passable(entry.vertex()) {
            *best = (*best).min(Candidate {
                h: self.estimate(problem, entry.vertex()).h,
                key: entry.f(),
                number: number as u16,
            });
        }
    }

    /// The key of an entry in OPEN.
    ///
    /// In a world that only gets worse, cells of earlier trees are expanded roughly in order of distance from the robot:
    /// its path was blocked, and the nearest cell that was not expanded may lie in any direction. With eight moves distance
    /// counts three times: more cells lie near the robot, and fewer are taken over so. Where costs fall too, fewer ticks are
    /// needed with the usual key.
    #[cfg_attr(not(debug_assertions), inline(always))]
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
        /// Expands the first entry of OPEN, which is that of a cell, or takes it over from an earlier tree.
        fn expand<G: Graph, D: Distances>(
            &mut self,
            problem: &Problem<'_, G, D>,
            steps: &Steps,
            (number, cell): (usize, Cell),
            best: &mut Candidate,
        ) -> Visited {
            let Tree { table, open } = &mut self.space;
            open.pop(&mut table.entries, number, Neighbors::OUT);
            let mut neighbors = Visited::NONE;
            let Some(entry) = table.entries.get_mut(number) else {
                return neighbors;
            };
            let state = match number == usize::from(self.target) {
                true => State::Path,
                false => State::Closed,
            };
            let parent = entry.tree();
            entry.mark(state, parent);
            entry.set_generation(self.generation, true);
            let (vertex, g) = (entry.vertex(), entry.g.get());
            // The cell that it was reached from is expanded; the root was reached from none.
            let moves = problem.graph.moves(vertex).keep_if(parent, g == 0);
            let generation = self.generation;
            for turn in 1..G::MOVES + 1 {
                let m = (parent + turn) % G::MOVES;
                if !moves.contains(m) {
                    continue;
                }
                let next = steps.step(vertex, m);
                if !problem.graph.is_passable(next) {
                    continue;
                }
                neighbors.look();
                let found = self.space.table.look_up(next);
                let g = add::<W>(g, problem.graph.cost(m, next));
                if found >= N {
                    neighbors.join();
                    let to = (next, cell_after(cell, m));
                    let is_new = self.generate(problem, found, to, (g, opposite(m)), best);
                    if !is_new {
                        self.refused = Some(number as u16);
                    }
                } else if self.improves(generation, found, g) {
                    neighbors.join();
                    self.improve::<G>(found, g, opposite(m));
                }
            }
            neighbors
        }
    }

    call_on_chip! {
        /// Generates a cell that has no entry, as a look-up found; `false` if there is no room for it.
        fn generate<G: Graph, D: Distances>(
            &mut self,
            problem: &Problem<'_, G, D>,
            found: usize,
            (vertex, cell): (usize, Cell),
            (g, tree): (usize, usize),
            best: &mut Candidate,
        ) -> bool {
            let h = self.h(problem, vertex, cell);
            let weighted = add::<W>(h, h);
            let Some(number) = self.add(found, vertex, (g, tree), weighted) else {
                return false;
            };
            let key = add::<W>(g, weighted);
            if (h, key) < (best.h, best.key) {
                *best = Candidate { h, key, number };
            }
            true
        }
    }

    /// Reaches a vertex by a path of cost `g`, from the vertex that move `tree` leads to; `weighted` is its part of
    /// the key if it is new. Returns its entry, or `None` if there is no room for it.
    pub(super) fn reach<G: Graph>(
        &mut self,
        vertex: usize,
        g: usize,
        tree: usize,
        weighted: usize,
    ) -> Option<u16> {
        let found = self.space.table.look_up(vertex);
        if found >= N {
            return self.add(found, vertex, (g, tree), weighted);
        }
        if self.improves(self.generation, found, g) {
            self.improve::<G>(found, g, tree);
        }
        Some(found as u16)
    }

    /// Adds an entry for a vertex that has none, as a look-up found, to the table and to OPEN; `None` if there is no room.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(
        &mut self,
        found: usize,
        vertex: usize,
        (g, tree): (usize, usize),
        weighted: usize,
    ) -> Option<u16> {
        let Tree { table, open } = &mut self.space;
        if found == FULL {
            return None;
        }
        let Reached::New(number) = table.add(vertex, g, weighted, Some(tree)) else {
            return None;
        };
        table
            .entries
            .get_mut(number)?
            .set_generation(self.generation, false);
        open.insert(&mut table.entries, number, add::<W>(g, weighted));
        Some(number as u16)
    }

    /// Returns whether a path of cost `g` changes an entry: it is of an earlier tree, or in OPEN and farther from the root.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn improves(&self, generation: u8, number: usize, g: usize) -> bool {
        let entry = self.space.table.entries.get(number);
        entry.is_some_and(|entry| {
            entry.generation() != generation || entry.state() == State::Open && g < entry.g.get()
        })
    }

    call_on_chip! {
        /// Gives an entry a path that [improves](Tba::improves) it, and its place in OPEN.
        fn improve<G: Graph>(&mut self, number: usize, g: usize, tree: usize) {
            let generation = self.generation;
            let Tree { table, open } = &mut self.space;
            let Some(entry) = table.entries.get_mut(number) else {
                return;
            };
            let is_queued = entry.generation() == generation && entry.link.is_queued();
            entry.g = W::Cost::new(g);
            entry.mark(State::Open, tree);
            entry.set_generation(generation, entry.was_expanded());
            if is_queued {
                open.remove(&mut table.entries, number, Neighbors::OUT);
            }
            let key = match self.space.table.entries.get(number) {
                Some(entry) => self.key::<G>(entry),
                None => return,
            };
            let Tree { table, open } = &mut self.space;
            open.insert(&mut table.entries, number, key);
        }
    }
}
