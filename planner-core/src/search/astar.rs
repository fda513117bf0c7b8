//! One A* search, resumable, with lazy initialisation.
//!
//! A node's values count only when its `search` is the current search's number, so nothing is
//! cleared between searches. The closed list is a chain through the nodes.

use crate::{
    Cell, Goals,
    budget::Meter,
    planner::{Budget, Work},
    queue::{Linked, Queue, Rank},
    terrain::{Terrain, opposite, step, step_cell},
    width::{Width, Word, add, infinity},
};

/// What A* keeps of a vertex.
#[derive(Clone, Copy, Debug, Default)]
pub struct AStarNode<W: Width, L> {
    pub(super) g: W::Cost,
    pub(super) h: W::Cost,
    /// The search that generated the vertex last; zero is none.
    pub(super) search: u32,
    /// The vertex expanded before this one.
    closed: W::Id,
    /// While searching, the move from here to the vertex it was reached from; afterwards, on the
    /// path, the robot's move.
    pub(super) tree: u8,
    pub(super) mark: Mark,
    link: L,
}

/// What became of a vertex in the search that generated it last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mark {
    /// In the open list, or left there.
    #[default]
    Open,
    /// Expanded.
    Closed,
    /// On the path that was found.
    Path,
}

impl<W: Width, L> Linked<L> for AStarNode<W, L> {
    #[inline(always)]
    fn link(&mut self) -> &mut L {
        &mut self.link
    }
}

/// How a search ended, or that it did not yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Found,
    NoPath,
    OutOfBudget,
}

/// Where heuristics come from.
pub(super) trait HValues {
    /// Whether the search runs from the goal, so that moves are made against its direction.
    const BACKWARD: bool;
    /// Whether h-values of searches since [`AStar::learned_since`] are kept.
    const LEARN: bool;
}

/// The state of an A* search from the nearest of some roots to the nearest of some targets.
#[derive(Debug)]
pub(super) struct AStar<'m, W: Width, Q: Queue<W>> {
    pub(super) queue: Q,
    pub(super) nodes: &'m mut [AStarNode<W, Q::Link>],
    /// Number of the current search, from one.
    pub(super) search: u32,
    /// h-values of searches before this one are out of date.
    pub(super) learned_since: u32,
    targets: Goals,
    /// The vertex expanded last.
    last_closed: usize,
    pub(super) queue_ops: u32,
}

impl<'m, W: Width, Q: Queue<W>> AStar<'m, W, Q> {
    const NONE: usize = <W::Id as Word>::MAX;

    /// No search yet; forgets what was in `nodes`.
    pub(super) fn new(mut queue: Q, nodes: &'m mut [AStarNode<W, Q::Link>]) -> Self {
        nodes.fill(AStarNode::default());
        queue.clear(nodes, nodes.len().saturating_sub(Q::HEADS));
        Self {
            queue,
            nodes,
            search: 0,
            learned_since: 1,
            targets: Goals::one(Cell::default()),
            last_closed: Self::NONE,
            queue_ops: 0,
        }
    }

    #[inline(always)]
    pub(super) fn node(&self, vertex: usize) -> AStarNode<W, Q::Link> {
        self.nodes.get(vertex).copied().unwrap_or_default()
    }

    /// Whether the current search generated the vertex and left this mark on it.
    #[inline(always)]
    pub(super) fn is(&self, vertex: usize, mark: Mark) -> bool {
        match self.nodes.get(vertex) {
            Some(node) => self.search > 0 && node.search == self.search && node.mark == mark,
            None => false,
        }
    }

    /// The `g` of a vertex in the current search.
    #[inline(always)]
    pub(super) fn g(&self, vertex: usize) -> usize {
        match self.nodes.get(vertex) {
            Some(node) if node.search == self.search => node.g.get(),
            _ => infinity::<W>(),
        }
    }

    /// Starts a search.
    pub(super) fn begin<H: HValues>(
        &mut self,
        terrain: &impl Terrain,
        roots: &Goals,
        targets: &Goals,
    ) {
        if self.search == u32::MAX {
            // Once in four billion searches, numbers begin again.
            self.nodes.fill(AStarNode::default());
            (self.search, self.learned_since) = (0, 1);
        }
        self.search += 1;
        self.targets = targets.clone();
        self.last_closed = Self::NONE;
        self.queue.clear(self.nodes, terrain.grid().vertices());
        for &root in roots.cells() {
            if let Ok(vertex) = terrain.grid().vertex(root)
                && terrain.is_open(vertex)
            {
                self.generate::<H>(terrain, (vertex, root), 0, 0);
            }
        }
    }

    /// The nearest target that was reached, and the cost of the way there.
    #[inline(always)]
    fn reached(&self, terrain: &impl Terrain) -> (usize, usize) {
        let mut nearest = (Self::NONE, infinity::<W>());
        for vertex in self.targets.vertices(terrain.grid()) {
            let g = self.g(vertex);
            if g < nearest.1 {
                nearest = (vertex, g);
            }
        }
        nearest
    }

    /// The h-value that a search starting now would use, where the terrain says `estimate`.
    #[inline(always)]
    pub(super) fn h<H: HValues>(&self, node: &AStarNode<W, Q::Link>, estimate: usize) -> usize {
        if H::LEARN && node.search >= self.learned_since {
            node.h.get()
        } else {
            estimate
        }
    }

    /// Lines 6-13: reaches a vertex over a path of cost `g` if that is shorter than what is known.
    #[inline(always)]
    fn generate<H: HValues>(
        &mut self,
        terrain: &impl Terrain,
        (vertex, cell): (usize, Cell),
        g: usize,
        tree: usize,
    ) {
        let Some(node) = self.nodes.get_mut(vertex) else {
            return;
        };
        let is_new = node.search != self.search;
        if is_new {
            if !(H::LEARN && node.search >= self.learned_since) {
                node.h = W::Cost::new(self.targets.estimate(terrain, cell));
            }
            node.search = self.search;
            node.mark = Mark::Open;
        } else if node.g.get() <= g {
            return;
        }
        node.g = W::Cost::new(g);
        node.tree = tree as u8;
        let key = Self::key(g, node.h.get());
        if is_new {
            // Cannot be full: it holds as many entries as there are vertices.
            let _ = self.queue.insert(self.nodes, vertex, key);
        } else {
            self.queue.rekey(self.nodes, vertex, key);
        }
        self.queue_ops += 1;
    }

    #[inline(always)]
    fn key(g: usize, h: usize) -> Q::Key {
        Q::key(Rank {
            f: g + h,
            g,
            under: false,
        })
    }

    /// Lines 2-13, as far as the budget goes.
    pub(super) fn run<H: HValues, T: Terrain>(
        &mut self,
        terrain: &T,
        budget: Budget,
        work: &mut Work,
    ) -> Outcome {
        let mut meter = Meter::new(budget);
        let outcome = self.spend::<H, T>(terrain, &mut meter);
        // Each of either kind pops an entry or moves it.
        self.queue_ops += meter.book(work);
        outcome
    }

    #[inline(always)]
    fn spend<H: HValues, T: Terrain>(&mut self, terrain: &T, meter: &mut Meter) -> Outcome {
        while let Some((vertex, bound)) = self.queue.peek(self.nodes) {
            let (_, g_target) = self.reached(terrain);
            if g_target < infinity::<W>() && !Q::is_before(bound, Q::floor(g_target)) {
                return Outcome::Found;
            }
            let Some(node) = self.nodes.get_mut(vertex) else {
                return Outcome::NoPath; // the queue holds no such entry
            };
            let g = node.g.get();
            let key = Self::key(g, node.h.get());
            if Q::is_before(bound, key) {
                if !meter.requeue() {
                    return Outcome::OutOfBudget;
                }
                self.queue.requeue(self.nodes, vertex, key);
                continue;
            }
            if !meter.expand() {
                return Outcome::OutOfBudget;
            }
            node.mark = Mark::Closed;
            node.closed = W::Id::new(self.last_closed);
            self.last_closed = vertex;
            self.queue.pop(self.nodes, vertex);
            let cell = terrain.grid().cell(vertex);
            let moves = terrain.moves(vertex);
            for m in 0..T::MOVES {
                let next = step(terrain.grid(), vertex, m);
                if moves.contains(m) && terrain.is_open(next) {
                    let cost = if H::BACKWARD {
                        terrain.cost(opposite(m), vertex)
                    } else {
                        terrain.cost(m, next)
                    };
                    let g = add::<W>(g, cost);
                    self.generate::<H>(terrain, (next, step_cell(cell, m)), g, opposite(m));
                }
            }
        }
        if self.reached(terrain).1 < infinity::<W>() {
            Outcome::Found
        } else {
            Outcome::NoPath
        }
    }

    /// Marks the path between a root and the nearest target, and turns the moves on it into the
    /// robot's.
    pub(super) fn mark_path<H: HValues>(&mut self, terrain: &impl Terrain) {
        let (mut vertex, _) = self.reached(terrain);
        let mut robots_move = 0;
        while let Some(node) = self.nodes.get_mut(vertex) {
            let to_root = usize::from(node.tree);
            node.mark = Mark::Path;
            if !H::BACKWARD {
                node.tree = robots_move;
                robots_move = opposite(to_root) as u8;
            }
            if node.g.get() == 0 {
                break; // only a root is no way from a root
            }
            vertex = step(terrain.grid(), vertex, to_root);
        }
    }

    /// Adaptive A*'s update: an expanded vertex is at least as far from the goal as the way found
    /// is longer than the way to it.
    pub(super) fn learn(&mut self, terrain: &impl Terrain) {
        let (_, g_target) = self.reached(terrain);
        let mut vertex = self.last_closed;
        while let Some(node) = self.nodes.get_mut(vertex) {
            node.h = W::Cost::new(g_target.saturating_sub(node.g.get()));
            vertex = node.closed.get();
        }
    }

    /// The vertices that the current search expanded, the last first.
    pub(super) fn closed(&self) -> impl Iterator<Item = usize> {
        let mut vertex = self.last_closed;
        core::iter::from_fn(move || {
            let node = self.nodes.get(vertex)?;
            let this = vertex;
            vertex = node.closed.get();
            Some(this)
        })
    }
}
