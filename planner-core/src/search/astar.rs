//! One A* search, resumable, with lazy initialisation.
//!
//! A node's values count only when its `search` is the current search's number, so nothing is
//! cleared between searches. The closed list is a chain through the nodes.

use crate::{
    Cell, Goals,
    budget::Remaining,
    graph::{Graph, cell_after, opposite},
    planner::{Budget, Work},
    queue::{Linked, Queue},
    search::key,
    storage::{Block, Storage, flat, flat_mut},
    width::{Width, Word, add, infinity},
};

/// Data of A* per vertex.
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

/// The state of a vertex in the search that generated it last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mark {
    /// In the OPEN list, or left there.
    #[default]
    Open,
    /// Expanded.
    Closed,
    /// On the path that was found.
    Path,
}

impl<W: Width, L> Linked<L> for AStarNode<W, L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn link(&mut self) -> &mut L {
        &mut self.link
    }
}

/// The state of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchState {
    Found,
    NoPath,
    OutOfBudget,
}

/// The direction and the heuristics of a search.
pub(super) trait HValues {
    /// True if the search runs from the goal, so that moves are made against its direction.
    const BACKWARD: bool;
    /// True if h-values of searches since [`AStar::learned_since`] are kept.
    const LEARN: bool;
}

/// The state of an A* search from the nearest of some roots to the nearest of some targets.
#[derive(Debug)]
pub(super) struct AStar<S: Storage, W: Width, Q: Queue<W>> {
    pub(super) queue: Q,
    pub(super) nodes: S::Of<Block<AStarNode<W, Q::Link>>>,
    /// Number of the current search, from one.
    pub(super) search: u32,
    /// h-values of searches before this one are out of date.
    pub(super) learned_since: u32,
    targets: Goals,
    /// The vertex expanded last.
    last_closed: usize,
    pub(super) queue_ops: u32,
}

impl<S: Storage, W: Width, Q: Queue<W>> AStar<S, W, Q> {
    const NONE: usize = <W::Id as Word>::MAX;

    /// A node before its first use: all zero.
    pub(super) const NODE: AStarNode<W, Q::Link> = AStarNode {
        g: W::Cost::ZERO,
        h: W::Cost::ZERO,
        search: 0,
        closed: W::Id::ZERO,
        tree: 0,
        mark: Mark::Open,
        link: Q::NO_LINK,
    };

    pub(super) const fn new(queue: Q, nodes: S::Of<Block<AStarNode<W, Q::Link>>>) -> Self {
        Self {
            queue,
            nodes,
            search: 0,
            learned_since: 0,
            targets: Goals::NONE,
            last_closed: 0,
            queue_ops: 0,
        }
    }

    /// Forgets all searches.
    pub(super) fn reset(&mut self) {
        flat_mut(&mut self.nodes).fill(Self::NODE);
        (self.search, self.learned_since) = (0, 1);
        (self.last_closed, self.queue_ops) = (Self::NONE, 0);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn node(&self, vertex: usize) -> AStarNode<W, Q::Link> {
        flat(&self.nodes).get(vertex).copied().unwrap_or_default()
    }

    /// Returns whether the current search generated the vertex and left this mark on it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is(&self, vertex: usize, mark: Mark) -> bool {
        match flat(&self.nodes).get(vertex) {
            Some(node) => self.search > 0 && node.search == self.search && node.mark == mark,
            None => false,
        }
    }

    /// The `g` of a vertex in the current search.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn g(&self, vertex: usize) -> usize {
        match flat(&self.nodes).get(vertex) {
            Some(node) if node.search == self.search => node.g.get(),
            _ => infinity::<W>(),
        }
    }

    /// Starts a search.
    pub(super) fn begin<H: HValues>(&mut self, graph: &impl Graph, roots: &Goals, targets: &Goals) {
        if self.search == u32::MAX {
            // Once in four billion searches, numbers begin again.
            flat_mut(&mut self.nodes).fill(Self::NODE);
            (self.search, self.learned_since) = (0, 1);
        }
        self.search += 1;
        self.targets = *targets;
        self.last_closed = Self::NONE;
        self.queue
            .clear(flat_mut(&mut self.nodes), graph.grid().vertices());
        for &root in roots.cells() {
            if let Ok(vertex) = graph.grid().vertex(root)
                && graph.is_passable(vertex)
            {
                self.generate::<H>(graph, (vertex, root), 0, 0);
            }
        }
    }

    /// The nearest target that was reached, and the cost of the path there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn reached(&self, graph: &impl Graph) -> (usize, usize) {
        let mut nearest = (Self::NONE, infinity::<W>());
        for vertex in self.targets.vertices(graph.grid()) {
            let g = self.g(vertex);
            if g < nearest.1 {
                nearest = (vertex, g);
            }
        }
        nearest
    }

    /// The h-value that a search starting now would use, where the graph's heuristic is `heuristic`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn h<H: HValues>(&self, node: &AStarNode<W, Q::Link>, heuristic: usize) -> usize {
        if H::LEARN && node.search >= self.learned_since {
            node.h.get()
        } else {
            heuristic
        }
    }

    /// Lines 6-13: generates a vertex, or lowers its `g`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn generate<H: HValues>(
        &mut self,
        graph: &impl Graph,
        (vertex, cell): (usize, Cell),
        g: usize,
        tree: usize,
    ) {
        let Some(node) = flat_mut(&mut self.nodes).get_mut(vertex) else {
            return;
        };
        let is_new = node.search != self.search;
        if is_new {
            if !(H::LEARN && node.search >= self.learned_since) {
                node.h = W::Cost::new(self.targets.heuristic(graph, cell));
            }
            node.search = self.search;
            node.mark = Mark::Open;
        } else if node.g.get() <= g {
            return;
        }
        node.g = W::Cost::new(g);
        node.tree = tree as u8;
        let key = key::<Q>(g + node.h.get(), g);
        if is_new {
            // Cannot be full: it holds as many entries as there are vertices.
            let _ = self.queue.insert(flat_mut(&mut self.nodes), vertex, key);
        } else {
            self.queue.rekey(flat_mut(&mut self.nodes), vertex, key);
        }
        self.queue_ops += 1;
    }

    /// Lines 2-13, as far as the budget goes.
    pub(super) fn run<H: HValues, G: Graph>(
        &mut self,
        graph: &G,
        budget: Budget,
        work: &mut Work,
    ) -> SearchState {
        let mut remaining = Remaining::new(budget);
        let state = loop {
            let (_, g_target) = self.reached(graph);
            let Some((vertex, bound)) = self.queue.peek(flat_mut(&mut self.nodes)) else {
                break match g_target < infinity::<W>() {
                    true => SearchState::Found,
                    false => SearchState::NoPath,
                };
            };
            if g_target < infinity::<W>() && !Q::is_before(bound, Q::floor(g_target)) {
                break SearchState::Found;
            }
            let Some(node) = flat_mut(&mut self.nodes).get_mut(vertex) else {
                break SearchState::NoPath; // the queue holds no such entry
            };
            let g = node.g.get();
            let key = key::<Q>(g + node.h.get(), g);
            if Q::is_before(bound, key) {
                if !remaining.requeue() {
                    break SearchState::OutOfBudget;
                }
                self.queue.requeue(flat_mut(&mut self.nodes), vertex, key);
                continue;
            }
            if !remaining.expand() {
                break SearchState::OutOfBudget;
            }
            node.mark = Mark::Closed;
            node.closed = W::Id::new(self.last_closed);
            self.last_closed = vertex;
            self.queue.pop(flat_mut(&mut self.nodes), vertex);
            let cell = graph.grid().cell(vertex);
            let moves = graph.moves(vertex);
            for m in 0..G::MOVES {
                let next = graph.grid().neighbor(vertex, m);
                if moves.contains(m) && graph.is_passable(next) {
                    let cost = if H::BACKWARD {
                        graph.cost(opposite(m), vertex)
                    } else {
                        graph.cost(m, next)
                    };
                    let g = add::<W>(g, cost);
                    self.generate::<H>(graph, (next, cell_after(cell, m)), g, opposite(m));
                }
            }
        };
        // Each of either kind pops an entry or moves it.
        self.queue_ops += remaining.record(work);
        state
    }

    /// Marks the path between a root and the nearest target, and turns the moves on it into the
    /// robot's.
    pub(super) fn mark_path<H: HValues>(&mut self, graph: &impl Graph) {
        let (mut vertex, _) = self.reached(graph);
        let mut robots_move = 0;
        while let Some(node) = flat_mut(&mut self.nodes).get_mut(vertex) {
            let to_root = usize::from(node.tree);
            node.mark = Mark::Path;
            if !H::BACKWARD {
                node.tree = robots_move;
                robots_move = opposite(to_root) as u8;
            }
            if node.g.get() == 0 {
                break; // only a root has no cost
            }
            vertex = graph.grid().neighbor(vertex, to_root);
        }
    }

    /// Adaptive A*'s update: `h` of an expanded vertex becomes the cost of the path found less its `g`.
    pub(super) fn learn(&mut self, graph: &impl Graph) {
        let (_, g_target) = self.reached(graph);
        let mut vertex = self.last_closed;
        while let Some(node) = flat_mut(&mut self.nodes).get_mut(vertex) {
            node.h = W::Cost::new(g_target.saturating_sub(node.g.get()));
            vertex = node.closed.get();
        }
    }

    /// The vertices that the current search expanded, the last first.
    pub(super) fn closed(&self) -> impl Iterator<Item = usize> {
        let mut vertex = self.last_closed;
        core::iter::from_fn(move || {
            let node = flat(&self.nodes).get(vertex)?;
            let this = vertex;
            vertex = node.closed.get();
            Some(this)
        })
    }
}
