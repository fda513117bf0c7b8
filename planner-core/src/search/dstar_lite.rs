//! D* Lite (Koenig & Likhachev), with a heap or with the buckets of Likhachev & Koenig (2006).
//!
//! The search runs from the goal, which stays, to the robot, which moves. It keeps two estimates of
//! the distance from each vertex to the goal, `g` and the one-step look-ahead `rhs`, and a queue of
//! exactly the vertices where the two differ. When a cost changes, only what depends on it is
//! searched again.
//!
//! Three things differ from the papers' figures, none of them the result:
//!
//! - `k_m` follows every move, not only those after which costs changed, so that a search that was
//!   interrupted by its budget stays correct.
//! - A closed vertex is marked in its own node by a pair no open one can have, `g` infinite and `rhs`
//!   zero: neighbours read an infinite `g`, and no update can lower its `rhs`. The inner loop
//!   therefore never asks the map whether a cell is blocked. Borders and bucket heads look the same.
//! - A new goal is a change of two costs, as if every possible goal had an edge to one true root: the
//!   old goal's becomes infinite, the new one's zero. Nothing is cleared.

use crate::{
    BuildError, Cell, ObserveError, OffMap,
    map::Fact,
    planner::{Budget, Decision, Inspect, Observation, Planner, Stats, Work},
    queue::{Linked, Queue, Rank},
    terrain::{Change, Terrain, opposite, step, step_cell},
    width::{Width, Word, add, infinity},
};

/// What D* Lite keeps of a vertex: 8 bytes with buckets and [`Bits16`](crate::width::Bits16).
#[derive(Clone, Copy, Debug, Default)]
pub struct DStarLiteNode<W: Width, L> {
    g: W::Cost,
    rhs: W::Cost,
    link: L,
}

impl<W: Width, L> Linked<L> for DStarLiteNode<W, L> {
    #[inline(always)]
    fn link(&mut self) -> &mut L {
        &mut self.link
    }
}

impl<W: Width, L: Default> DStarLiteNode<W, L> {
    /// A vertex never reached.
    fn unreached() -> Self {
        Self {
            g: W::Cost::new(infinity::<W>()),
            rhs: W::Cost::new(infinity::<W>()),
            link: L::default(),
        }
    }

    /// A vertex that may not be entered.
    fn closed() -> Self {
        Self {
            rhs: W::Cost::new(0),
            ..Self::unreached()
        }
    }
}

/// An invariant of D* Lite that does not hold, at a vertex: a mistake in the planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// `rhs` is not the best of the successors' `g` plus the cost of the step.
    Rhs(usize),
    /// The queue does not hold exactly the inconsistent vertices.
    Queue {
        /// Inconsistent vertices.
        inconsistent: usize,
        /// Entries.
        queued: usize,
    },
}

/// D* Lite over a terrain `T` and a queue `Q`.
///
/// Memory is handed over: a node for each vertex and each of the queue's heads.
///
/// ```
/// use planner_core::{Budget, Cell, Decision, Planner, map::Unknown};
/// use planner_core::queue::{Buckets, Lifo};
/// use planner_core::search::DStarLite;
/// use planner_core::terrain::{Cells, Four, Uniform};
/// use planner_core::width::Bits16;
///
/// type Search<'m> = DStarLite<'m, Bits16, Cells<'m, Four>, Buckets<4, Lifo>>;
///
/// let mut bits = [0; Cells::<Four>::words(33, 33)];
/// let mut nodes = [Default::default(); Search::nodes(Cells::<Four>::vertices(33, 33))];
/// let terrain = Cells::new(33, 33, &mut bits, Unknown::AsFree, Uniform)?;
/// let (start, goal) = (Cell::new(0, 0), Cell::new(2, 0));
/// let mut planner = Search::new(terrain, Buckets::new(), &mut nodes, start, goal)?;
/// assert_eq!(planner.tick(start, Budget::UNLIMITED), Ok(Decision::Step(Cell::new(1, 0))));
/// # Ok::<(), planner_core::BuildError>(())
/// ```
#[derive(Debug)]
pub struct DStarLite<'m, W: Width, T, Q: Queue<W>> {
    terrain: T,
    queue: Q,
    nodes: &'m mut [DStarLiteNode<W, Q::Link>],
    /// The robot's place, for which the keys are made.
    start: (usize, Cell),
    goal: usize,
    k_m: usize,
    /// Queue operations since the last tick ended.
    queue_ops: u32,
    stats: Stats,
}

impl<'m, W: Width, T: Terrain, Q: Queue<W>> DStarLite<'m, W, T, Q> {
    /// Nodes needed for this many vertices.
    #[must_use]
    pub const fn nodes(vertices: usize) -> usize {
        vertices.saturating_add(Q::HEADS)
    }

    /// A planner that knows what `terrain` knows. Takes time in proportion to the map, once.
    ///
    /// # Errors
    /// The map does not fit the width `W`, memory is short, or `start` or `goal` is outside.
    pub fn new(
        terrain: T,
        mut queue: Q,
        nodes: &'m mut [DStarLiteNode<W, Q::Link>],
        start: Cell,
        goal: Cell,
    ) -> Result<Self, BuildError> {
        let vertices = super::check_fit::<W>(&terrain, Q::HEADS, nodes.len())?;
        let start_vertex = terrain.grid().vertex(start)?;
        let goal = terrain.grid().vertex(goal)?;
        for (vertex, node) in nodes.iter_mut().enumerate() {
            *node = if terrain.is_open(vertex) {
                DStarLiteNode::unreached()
            } else {
                DStarLiteNode::closed()
            };
        }
        let capacity = queue.clear(nodes, vertices);
        if capacity < vertices {
            return Err(BuildError::TooLittleMemory {
                needed: vertices,
                given: capacity,
            });
        }
        let mut planner = Self {
            terrain,
            queue,
            nodes,
            start: (start_vertex, start),
            goal,
            k_m: 0,
            queue_ops: 0,
            stats: Stats::default(),
        };
        planner.update_vertex(goal);
        Ok(planner)
    }

    /// What the robot knows of the world.
    pub fn terrain(&self) -> &T {
        &self.terrain
    }

    /// The cost of the way from where the last tick was to the goal, if that tick found one.
    pub fn distance(&self) -> Option<usize> {
        let (_, rhs) = self.values(self.start.0);
        (self.terrain.is_open(self.start.0) && rhs < infinity::<W>()).then_some(rhs)
    }

    #[inline(always)]
    fn values(&self, vertex: usize) -> (usize, usize) {
        match self.nodes.get(vertex) {
            Some(node) => (node.g.get(), node.rhs.get()),
            None => (infinity::<W>(), 0),
        }
    }

    /// Line 01: the key of a vertex at `cell` with these values.
    #[inline(always)]
    fn key(&self, cell: Cell, g: usize, rhs: usize) -> Q::Key {
        Q::key(Rank {
            f: self
                .terrain
                .estimate(self.start.1, cell)
                .wrapping_add(g.min(rhs))
                .wrapping_add(self.k_m),
            g: g.min(rhs),
            under: g < rhs,
        })
    }

    /// Gives an open vertex new values and puts it where they belong in the queue.
    #[inline(always)]
    fn set(&mut self, vertex: usize, cell: Cell, g: usize, rhs: usize) {
        let Some(node) = self.nodes.get_mut(vertex) else {
            return;
        };
        let was_queued = node.g != node.rhs;
        node.g = W::Cost::new(g);
        node.rhs = W::Cost::new(rhs);
        if g != rhs {
            let key = self.key(cell, g, rhs);
            if was_queued {
                self.queue.rekey(self.nodes, vertex, key);
            } else {
                // Cannot be full: it holds as many entries as there are vertices.
                let _ = self.queue.insert(self.nodes, vertex, key);
            }
            self.queue_ops += 1;
        } else if was_queued {
            self.queue.remove(self.nodes, vertex);
            self.queue_ops += 1;
        }
    }

    /// Line 07: the best of the successors.
    #[inline(always)]
    fn look_ahead(&self, vertex: usize) -> usize {
        let moves = self.terrain.moves(vertex);
        let mut best = infinity::<W>();
        for m in 0..T::MOVES {
            if moves.contains(m) {
                let into = step(self.terrain.grid(), vertex, m);
                let g = self.values(into).0;
                best = best.min(add::<W>(g, self.terrain.cost(m, into)));
            }
        }
        best
    }

    /// Lines 07-09: brings `rhs` and the queue up to date after costs around an open vertex changed.
    fn update_vertex(&mut self, vertex: usize) {
        if self.terrain.is_open(vertex) {
            let (g, _) = self.values(vertex);
            let rhs = if vertex == self.goal {
                0
            } else {
                self.look_ahead(vertex)
            };
            self.set(vertex, self.terrain.grid().cell(vertex), g, rhs);
        }
    }

    /// Lines 32-34, for all edges that a change touches.
    fn apply(&mut self, change: Change) {
        let vertex = match change {
            Change::Edge(a, b, _) => {
                self.update_vertex(a);
                self.update_vertex(b);
                return;
            }
            Change::Closed(vertex) => {
                let (g, rhs) = self.values(vertex);
                if g != rhs {
                    self.queue.remove(self.nodes, vertex);
                    self.queue_ops += 1;
                }
                self.replace(vertex, DStarLiteNode::closed());
                vertex
            }
            Change::Opened(vertex) => {
                self.replace(vertex, DStarLiteNode::unreached());
                self.update_vertex(vertex);
                vertex
            }
            Change::Weighed(vertex, _) => vertex,
        };
        // The edges to the vertex changed, and with a corner rule those between its neighbours.
        for m in 0..T::MOVES {
            self.update_vertex(step(self.terrain.grid(), vertex, m));
        }
    }

    fn replace(&mut self, vertex: usize, node: DStarLiteNode<W, Q::Link>) {
        if let Some(kept) = self.nodes.get_mut(vertex) {
            *kept = node;
        }
    }

    /// Lines 10-20, as far as the budget goes; `true` when the way from the robot is known.
    fn compute_shortest_path(&mut self, budget: Budget, work: &mut Work) -> bool {
        let (start, start_cell) = self.start;
        while let Some((vertex, old_key)) = self.queue.peek(self.nodes) {
            let (g_start, rhs_start) = self.values(start);
            // Infinity is no number to compare keys with: go on until nothing is left.
            if rhs_start < infinity::<W>()
                && rhs_start <= g_start
                && !Q::is_before(old_key, self.key(start_cell, g_start, rhs_start))
            {
                return true;
            }
            let (g, rhs) = self.values(vertex);
            let cell = self.terrain.grid().cell(vertex);
            let key = self.key(cell, g, rhs);
            if Q::is_before(old_key, key) {
                if work.requeues >= budget.requeues {
                    return false;
                }
                work.requeues += 1;
                self.queue_ops += 1;
                self.queue.rekey(self.nodes, vertex, key);
                continue;
            }
            if work.expansions >= budget.expansions {
                return false;
            }
            work.expansions += 1;
            if g > rhs {
                self.expand_over_consistent(vertex, cell, rhs);
            } else {
                self.expand_under_consistent(vertex, cell, g, rhs);
            }
        }
        true
    }

    /// Lines 16-17.
    #[inline(always)]
    fn expand_over_consistent(&mut self, vertex: usize, cell: Cell, rhs: usize) {
        self.set(vertex, cell, rhs, rhs);
        let moves = self.terrain.moves(vertex);
        for m in 0..T::MOVES {
            if moves.contains(m) {
                let from = step(self.terrain.grid(), vertex, m);
                let (g_from, rhs_from) = self.values(from);
                let through = add::<W>(rhs, self.terrain.cost(opposite(m), vertex));
                if through < rhs_from {
                    self.set(from, step_cell(cell, m), g_from, through);
                }
            }
        }
    }

    /// Lines 19-20: of the predecessors, only those that relied on this vertex look elsewhere.
    #[inline(always)]
    fn expand_under_consistent(&mut self, vertex: usize, cell: Cell, g: usize, rhs: usize) {
        self.set(vertex, cell, infinity::<W>(), rhs);
        let moves = self.terrain.moves(vertex);
        for m in 0..T::MOVES {
            if moves.contains(m) {
                let from = step(self.terrain.grid(), vertex, m);
                let (g_from, rhs_from) = self.values(from);
                let through = add::<W>(g, self.terrain.cost(opposite(m), vertex));
                if through == rhs_from && from != self.goal {
                    let rhs_from = self.look_ahead(from);
                    self.set(from, step_cell(cell, m), g_from, rhs_from);
                }
            }
        }
    }

    /// Line 26: the successor through which the way is shortest.
    fn next(&self) -> Option<Cell> {
        let (start, start_cell) = self.start;
        let moves = self.terrain.moves(start);
        let mut best = (infinity::<W>(), None);
        for m in 0..T::MOVES {
            if moves.contains(m) {
                let into = step(self.terrain.grid(), start, m);
                let through = add::<W>(self.values(into).0, self.terrain.cost(m, into));
                if through < best.0 {
                    best = (through, Some(step_cell(start_cell, m)));
                }
            }
        }
        best.1
    }

    /// Checks the invariants that D* Lite's proof rests on. For tests: it visits the whole map.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn audit(&self) -> Result<(), Broken> {
        let mut inconsistent = 0;
        for vertex in 0..self.terrain.grid().vertices() {
            let (g, rhs) = self.values(vertex);
            let expected = if !self.terrain.is_open(vertex) || vertex == self.goal {
                0
            } else {
                self.look_ahead(vertex)
            };
            if rhs != expected {
                return Err(Broken::Rhs(vertex));
            }
            inconsistent += usize::from(g != rhs && self.terrain.is_open(vertex));
        }
        let queued = self.queue.len();
        if queued != inconsistent {
            return Err(Broken::Queue {
                inconsistent,
                queued,
            });
        }
        Ok(())
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>> Planner for DStarLite<'_, W, T, Q> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let change = self.terrain.observe(seen)?;
        if let Some(change) = change {
            self.apply(change);
        }
        Ok(change.is_some())
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        let vertex = self.terrain.grid().vertex(at)?;
        // Lines 30-31. Keys made for the old place are now lower bounds.
        self.k_m = self
            .k_m
            .wrapping_add(self.terrain.estimate(self.start.1, at));
        self.start = (vertex, at);
        if vertex == self.goal {
            return Ok(Decision::Arrived);
        }
        if !self.terrain.is_open(vertex) {
            return Ok(Decision::Unreachable);
        }
        let mut work = Work::default();
        let found = self.compute_shortest_path(budget, &mut work);
        work.queue_ops = core::mem::take(&mut self.queue_ops);
        self.stats.searches += u32::from(work.expansions > 0);
        self.stats.book(work);
        Ok(match (found, self.next()) {
            (false, _) => Decision::Wait,
            (true, Some(next)) => Decision::Step(next),
            (true, None) => Decision::Unreachable,
        })
    }

    fn set_goal(&mut self, goal: Cell) -> Result<(), OffMap> {
        let old = self.goal;
        self.goal = self.terrain.grid().vertex(goal)?;
        self.update_vertex(old);
        self.update_vertex(self.goal);
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>> Inspect for DStarLite<'_, W, T, Q> {
    fn fact(&self, cell: Cell) -> Fact {
        match self.terrain.grid().vertex(cell) {
            Ok(vertex) => self.terrain.fact(vertex),
            Err(_) => Fact::Blocked,
        }
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        match self.terrain.grid().vertex(cell) {
            Ok(vertex) => self.values(vertex).0 < infinity::<W>(),
            Err(_) => false,
        }
    }
}
