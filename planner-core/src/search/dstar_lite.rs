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
    terrain::{Change, Grid, MoveSet, Terrain, estimate, opposite, step, step_cell, step_offset},
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
        values(self.nodes, vertex)
    }

    /// Lines 07-09: brings `rhs` and the queue up to date after costs around an open vertex changed.
    fn update_vertex(&mut self, vertex: usize) {
        if self.terrain.is_open(vertex) {
            let aim = Aim::of(&self.terrain, self.start, self.k_m);
            let rhs = if vertex == self.goal {
                0
            } else {
                aim.look_ahead(self.nodes, vertex)
            };
            let (g, _) = self.values(vertex);
            let away = aim.away(vertex);
            self.queue_ops += set(&aim, &mut self.queue, self.nodes, vertex, away, g, rhs);
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
        let aim = Aim::of(&self.terrain, self.start, self.k_m);
        let mut inconsistent = 0;
        for vertex in 0..self.terrain.grid().vertices() {
            let (g, rhs) = self.values(vertex);
            let expected = if !self.terrain.is_open(vertex) || vertex == self.goal {
                0
            } else {
                aim.look_ahead(self.nodes, vertex)
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

/// What stays the same while a search runs.
struct Aim<'t, T> {
    terrain: &'t T,
    grid: Grid,
    /// The robot's vertex.
    start: usize,
    /// The robot's column and row.
    origin: (usize, usize),
    k_m: usize,
}

/// Columns and rows from the robot to a vertex.
type Away = (isize, isize);
type Node<W, Q> = DStarLiteNode<W, <Q as Queue<W>>::Link>;

impl<'t, T: Terrain> Aim<'t, T> {
    fn of(terrain: &'t T, start: (usize, Cell), k_m: usize) -> Self {
        Self {
            terrain,
            grid: *terrain.grid(),
            start: start.0,
            origin: (start.1.x.into(), start.1.y.into()),
            k_m,
        }
    }

    #[inline(always)]
    fn away(&self, vertex: usize) -> Away {
        let (x, y) = self.grid.position(vertex);
        (
            x.wrapping_sub(self.origin.0) as isize,
            y.wrapping_sub(self.origin.1) as isize,
        )
    }

    /// Line 01: the key of a vertex with these values.
    #[inline(always)]
    fn key<W: Width, Q: Queue<W>>(&self, (dx, dy): Away, g: usize, rhs: usize) -> Q::Key {
        let nearer = g.min(rhs);
        Q::key(Rank {
            f: self
                .terrain
                .estimate(dx.unsigned_abs(), dy.unsigned_abs())
                .wrapping_add(nearer)
                .wrapping_add(self.k_m),
            g: nearer,
            under: g < rhs,
        })
    }

    /// Line 07: the best of the successors.
    #[inline(always)]
    fn look_ahead<W: Width, L>(&self, nodes: &[DStarLiteNode<W, L>], vertex: usize) -> usize {
        let moves = self.terrain.moves(vertex);
        let mut best = infinity::<W>();
        for m in 0..T::MOVES {
            if moves.contains(m) {
                let into = step(&self.grid, vertex, m);
                let g = values(nodes, into).0;
                best = best.min(add::<W>(g, self.terrain.cost(m, into)));
            }
        }
        best
    }
}

/// `g` and `rhs`; those of a closed vertex where there is none.
#[inline(always)]
fn values<W: Width, L>(nodes: &[DStarLiteNode<W, L>], vertex: usize) -> (usize, usize) {
    match nodes.get(vertex) {
        Some(node) => (node.g.get(), node.rhs.get()),
        None => (infinity::<W>(), 0),
    }
}

/// Gives an open vertex new values and puts it where they belong in the queue, in as many operations
/// as it returns.
#[inline(always)]
fn set<W: Width, T: Terrain, Q: Queue<W>>(
    aim: &Aim<'_, T>,
    queue: &mut Q,
    nodes: &mut [Node<W, Q>],
    vertex: usize,
    away: Away,
    g: usize,
    rhs: usize,
) -> u32 {
    let Some(node) = nodes.get_mut(vertex) else {
        return 0;
    };
    let was_queued = node.g != node.rhs;
    node.g = W::Cost::new(g);
    node.rhs = W::Cost::new(rhs);
    if g != rhs {
        let key = aim.key::<W, Q>(away, g, rhs);
        if was_queued {
            queue.rekey(nodes, vertex, key);
        } else {
            // Cannot be full: it holds as many entries as there are vertices.
            let _ = queue.insert(nodes, vertex, key);
        }
        1
    } else if was_queued {
        queue.remove(nodes, vertex);
        1
    } else {
        0
    }
}

/// A search under way: the parts of the planner one by one, so that the compiler knows them to be
/// apart and keeps them in registers.
struct Run<'a, W: Width, T, Q: Queue<W>> {
    aim: &'a Aim<'a, T>,
    queue: &'a mut Q,
    nodes: &'a mut [Node<W, Q>],
    goal: usize,
    queue_ops: u32,
}

impl<W: Width, T: Terrain, Q: Queue<W>> Run<'_, W, T, Q> {
    /// Line 17 for the predecessor that move `M` would lead to: it may now be nearer by `through`.
    #[inline(always)]
    fn lower<const M: usize>(&mut self, (vertex, away): (usize, Away), moves: MoveSet, rhs: usize) {
        let from = step(&self.aim.grid, vertex, M);
        let through = add::<W>(rhs, self.aim.terrain.cost(opposite(M), vertex));
        let (g, rhs) = values(self.nodes, from);
        if through < rhs && moves.contains(M) {
            let away = step_offset(away, M);
            self.queue_ops += set(self.aim, self.queue, self.nodes, from, away, g, through);
        }
    }

    /// Line 20 for the predecessor that move `M` would lead to: if it relied on the vertex, which was
    /// `g` from the goal, it looks elsewhere.
    #[inline(always)]
    fn raise<const M: usize>(&mut self, (vertex, away): (usize, Away), moves: MoveSet, g: usize) {
        let from = step(&self.aim.grid, vertex, M);
        let through = add::<W>(g, self.aim.terrain.cost(opposite(M), vertex));
        let (g, rhs) = values(self.nodes, from);
        if through == rhs && moves.contains(M) && from != self.goal {
            let rhs = self.aim.look_ahead(self.nodes, from);
            let away = step_offset(away, M);
            self.queue_ops += set(self.aim, self.queue, self.nodes, from, away, g, rhs);
        }
    }
}

/// Lines 10-20, as far as the budget goes; `true` when the way from the robot is known.
#[inline(never)]
fn compute_shortest_path<W: Width, T: Terrain, Q: Queue<W>>(
    aim: &Aim<'_, T>,
    queue: &mut Q,
    nodes: &mut [Node<W, Q>],
    goal: usize,
    budget: Budget,
    work: &mut Work,
) -> bool {
    let mut run = Run {
        aim,
        queue,
        nodes,
        goal,
        queue_ops: 0,
    };
    let (mut expansions, mut requeues) = (0, 0);
    let done = loop {
        let Some((vertex, old_key)) = run.queue.peek(run.nodes) else {
            break true;
        };
        let (g_start, rhs_start) = values(run.nodes, aim.start);
        // Infinity is no number to compare keys with: go on until nothing is left.
        if rhs_start < infinity::<W>()
            && rhs_start <= g_start
            && !Q::is_before(old_key, aim.key::<W, Q>((0, 0), g_start, rhs_start))
        {
            break true;
        }
        let (g, rhs) = values(run.nodes, vertex);
        let at = (vertex, aim.away(vertex));
        let key = aim.key::<W, Q>(at.1, g, rhs);
        if Q::is_before(old_key, key) {
            if requeues == budget.requeues {
                break false;
            }
            requeues += 1;
            run.queue.rekey(run.nodes, vertex, key);
            continue;
        }
        if expansions == budget.expansions {
            break false;
        }
        expansions += 1;
        let moves = aim.terrain.moves(vertex);
        if g > rhs {
            run.queue_ops += set(aim, run.queue, run.nodes, vertex, at.1, rhs, rhs);
            run.lower::<0>(at, moves, rhs);
            run.lower::<1>(at, moves, rhs);
            run.lower::<2>(at, moves, rhs);
            run.lower::<3>(at, moves, rhs);
            if T::MOVES > 4 {
                run.lower::<4>(at, moves, rhs);
                run.lower::<5>(at, moves, rhs);
                run.lower::<6>(at, moves, rhs);
                run.lower::<7>(at, moves, rhs);
            }
        } else {
            run.queue_ops += set(
                aim,
                run.queue,
                run.nodes,
                vertex,
                at.1,
                infinity::<W>(),
                rhs,
            );
            run.raise::<0>(at, moves, g);
            run.raise::<1>(at, moves, g);
            run.raise::<2>(at, moves, g);
            run.raise::<3>(at, moves, g);
            if T::MOVES > 4 {
                run.raise::<4>(at, moves, g);
                run.raise::<5>(at, moves, g);
                run.raise::<6>(at, moves, g);
                run.raise::<7>(at, moves, g);
            }
        }
    };
    work.expansions += expansions;
    work.requeues += requeues;
    work.queue_ops += run.queue_ops + requeues;
    done
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
            .wrapping_add(estimate(&self.terrain, self.start.1, at));
        self.start = (vertex, at);
        if vertex == self.goal {
            return Ok(Decision::Arrived);
        }
        if !self.terrain.is_open(vertex) {
            return Ok(Decision::Unreachable);
        }
        let mut work = Work {
            queue_ops: core::mem::take(&mut self.queue_ops),
            ..Work::default()
        };
        let aim = Aim::of(&self.terrain, self.start, self.k_m);
        let (queue, nodes) = (&mut self.queue, &mut *self.nodes);
        let found = compute_shortest_path(&aim, queue, nodes, self.goal, budget, &mut work);
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
