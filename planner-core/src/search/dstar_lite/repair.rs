//! `ComputeShortestPath` and `UpdateVertex` of Likhachev & Koenig (2006); line numbers are those of their figure.
//!
//! # No keys for neighbors
//!
//! A vertex is expanded when its key is the bound that the queue reports. Where every edge costs one and
//! leads one nearer to `s_last` or one farther away ([`Graph::UNIT_STEPS`]), the keys of its neighbors follow
//! from its own, `f = cost + h + k_m`:
//!
//! - Over-consistent, with cost `rhs`: a neighbor that is lowered gets cost `rhs + 1` and heuristic `h - 1` or
//!   `h + 1`, and so `f` or `f + 2`.
//! - Under-consistent, with cost `g`: a neighbor that relied on it was `g + 1` from the goal, which is now the
//!   cost of its own key: again `f` or `f + 2`.
//!
//! So the neighbor goes into the bucket of the expanded vertex if it is nearer to `s_last`, or else into the
//! one for an `f` larger by two, and only the signs of two offsets are needed. A neighbor that was in the queue
//! already may have either value as its cost: its key is made in full. So it is with weights, with eight moves
//! and in a heap, whose keys hold more than `f`.
//!
//! # No keys for vertices
//!
//! The key of an entry ages when `s_last` moves, and is then only a lower bound. The queue knows buckets without
//! such entries ([`Queue::is_exact`]): where steps are unit steps, over-consistent vertices there are expanded
//! without a look at their place on the map.

use core::marker::PhantomData;

use super::{DStarLiteNode, inflation::Inflation};
use crate::{
    Cell,
    budget::{Budget, Remaining},
    chip::{PREDICTS_BRANCHES, call_on_chip},
    graph::{Graph, MoveSet, Rows, for_each_move, opposite},
    queue::{Queue, Rank},
    storage::Nodes,
    width::{Width, Word, infinity, sum},
};

/// No vertex.
const NONE: usize = usize::MAX;

/// Columns and rows from `s_last` to a vertex.
type Offset = (isize, isize);

/// A vertex with its heuristic.
#[derive(Clone, Copy)]
struct Located {
    vertex: usize,
    offset: Offset,
    h: usize,
}

pub(super) type Node<W, Q, I> = DStarLiteNode<W, <Q as Queue<W>>::Link, <I as Inflation<W>>::Stamp>;

/// Counts of queue operations, and whether one of them put a vertex into INCONS.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::search) struct QueueWork {
    pub(super) ops: u32,
    pub(in crate::search) incons: bool,
}

impl QueueWork {
    pub(super) const ZERO: Self = Self {
        ops: 0,
        incons: false,
    };
}

/// The OPEN list and what keys are made of: the search without its nodes.
#[derive(Debug)]
#[repr(C)] // the chip reaches what is within 124 bytes with one instruction
pub(in crate::search) struct Open<W: Width, Q: Queue<W>, I: Inflation<W>> {
    pub(super) queue: Q,
    /// The robot's vertex.
    pub(super) start: usize,
    pub(in crate::search) k_m: usize,
    /// Column and row of `s_last`, from which heuristics are measured.
    origin: (usize, usize),
    /// The first vertex of the row of `s_last`, and of the next row.
    row: (usize, usize),
    /// Since the last tick ended.
    pub(in crate::search) work: QueueWork,
    /// Of the map, since the search began.
    pub(super) rows: Rows,
    /// The rest of the budget while a search runs.
    remaining: Remaining,
    /// The robot's cell.
    pub(super) start_cell: Cell,
    /// The key of `s_start`. Entries with that key or a later one are not expanded.
    start_key: Q::Key,
    pub(in crate::search) inflation: I,
    width: PhantomData<W>,
}

impl<W: Width, Q: Queue<W>, I: Inflation<W>> Open<W, Q, I> {
    /// True if the keys of neighbors follow from the key of the vertex that is expanded: see the [module](self).
    const fn unit_steps<G: Graph>() -> bool {
        G::UNIT_STEPS && Q::NEAR && I::EXACT
    }

    /// An empty list.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) const fn new(queue: Q, inflation: I) -> Self {
        Self {
            origin: (0, 0),
            row: (0, 0),
            start_cell: Cell::new(0, 0),
            queue,
            start: 0,
            k_m: 0,
            work: QueueWork::ZERO,
            rows: Rows::NONE,
            remaining: Remaining::new(Budget::limit(0)),
            start_key: Q::ZERO,
            inflation,
            width: PhantomData,
        }
    }

    /// The robot's cell when keys were last made for it.
    pub(super) fn s_last(&self) -> Cell {
        Cell::new(self.origin.0 as u16, self.origin.1 as u16)
    }

    pub(super) fn set_s_last(&mut self, cell: Cell) {
        self.origin = (cell.x.into(), cell.y.into());
        self.row = self.rows.row(cell.y);
    }

    /// Returns whether a vertex is farther from `s_last` than the one from which move `M` leads to it, not nearer: it
    /// is beyond the row or the column of `s_last`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_beyond<const M: usize>(&self, vertex: usize) -> bool {
        match M {
            0 => vertex >= self.row.1,
            1 => self.rows.position(vertex).0 < self.origin.0,
            2 => vertex < self.row.0,
            _ => self.rows.position(vertex).0 > self.origin.0,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn locate(&self, graph: &impl Graph, vertex: usize) -> Located {
        let (x, y) = self.rows.position(vertex);
        let offset = self.offset_of((x, y));
        // A desktop computes both signs of a difference at once.
        let h = if PREDICTS_BRANCHES {
            graph.heuristic(x.abs_diff(self.origin.0), y.abs_diff(self.origin.1))
        } else {
            graph.heuristic(offset.0.unsigned_abs(), offset.1.unsigned_abs())
        };
        Located { vertex, offset, h }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn offset_of(&self, (x, y): (usize, usize)) -> Offset {
        (
            x.wrapping_sub(self.origin.0) as isize,
            y.wrapping_sub(self.origin.1) as isize,
        )
    }

    /// The heuristic between `s_last` and a vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn heuristic(&self, graph: &impl Graph, vertex: usize) -> usize {
        self.locate(graph, vertex).h
    }

    /// Line 01: the key of an inconsistent vertex, and whether it is in INCONS.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn key(
        &self,
        h: usize,
        (g, rhs): (usize, usize),
        stamp: I::Stamp,
    ) -> (Q::Key, bool) {
        let under = g < rhs;
        if !under && self.inflation.is_incons(stamp) {
            (self.far_key(), true)
        } else {
            (self.open_key(h, g.min(rhs), under), false)
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn open_key(&self, h: usize, cost: usize, under: bool) -> Q::Key {
        Q::key(Rank {
            f: self.inflation.f(cost, h, under).wrapping_add(self.k_m),
            g: cost,
            under,
        })
    }

    /// A key behind all of OPEN.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn far_key(&self) -> Q::Key {
        Q::floor(self.inflation.far().wrapping_add(self.k_m))
    }

    /// Line 10: the key of `s_start`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn start_key<N>(&self, nodes: &N, graph: &impl Graph) -> Q::Key
    where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        let (_, rhs) = values(nodes, self.start);
        if rhs == infinity::<W>() {
            return self.far_key();
        }
        // An under-consistent start needs no test: its own entry, at `f(g)`, comes before this key.
        let cell = self.start_cell;
        let (dx, dy) = self.offset_of((cell.x.into(), cell.y.into()));
        self.open_key(
            graph.heuristic(dx.unsigned_abs(), dy.unsigned_abs()),
            rhs,
            false,
        )
    }

    /// To be called whenever the `rhs` of `s_start` has changed.
    #[cold]
    #[inline(never)]
    fn update_start_key<N>(&mut self, nodes: &N, graph: &impl Graph)
    where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        self.start_key = self.start_key(nodes, graph);
    }

    /// Returns whether the path from the robot is known: no entry comes before the key of `s_start`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_done<N>(&mut self, nodes: &mut N, graph: &impl Graph) -> bool
    where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        match self.queue.peek(nodes) {
            Some((_, bound)) => !Q::is_before(bound, self.start_key(nodes, graph)),
            None => true,
        }
    }

    /// Gives a passable vertex another `rhs` and puts it where that belongs in the queue.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn set_rhs<N>(
        &mut self,
        nodes: &mut N,
        graph: &impl Graph,
        vertex: usize,
        rhs: usize,
    ) where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        let Some(node) = nodes.node_mut(vertex) else {
            return;
        };
        let (g, was_queued) = (node.g.get(), node.g != node.rhs);
        node.rhs = W::Cost::new(rhs);
        if g != rhs {
            let stamp = node.stamp;
            let (key, incons) = self.key(self.heuristic(graph, vertex), (g, rhs), stamp);
            self.work.incons |= incons;
            if was_queued {
                self.queue.rekey(nodes, vertex, key);
            } else {
                // Cannot be full: it holds as many entries as there are vertices.
                let _ = self.queue.insert(nodes, vertex, key);
            }
        } else if was_queued {
            self.queue.remove(nodes, vertex);
        } else {
            return;
        }
        self.work.ops += 1;
    }

    /// Computes the `rhs` of a passable vertex and puts it where that belongs in the queue.
    #[inline(never)]
    pub(super) fn renew_rhs<N, G: Graph>(&mut self, nodes: &mut N, graph: &G, vertex: usize)
    where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        let rhs = compute_rhs(nodes, &self.rows, graph, vertex);
        self.set_rhs(nodes, graph, vertex, rhs);
    }

    /// Gives a vertex in the queue another `rhs`.
    #[inline(never)]
    fn change_queued<N>(&mut self, nodes: &mut N, graph: &impl Graph, vertex: usize, rhs: usize)
    where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        self.set_rhs(nodes, graph, vertex, rhs);
    }

    call_on_chip! {
        /// Lowers the `rhs` of a vertex, which most often was consistent.
        fn lower_vertex<N, G: Graph, const M: usize>(
            &mut self,
            nodes: &mut N,
            graph: &G,
            vertex: usize,
            rhs: usize,
            h: usize,
        )
        where
            N: Nodes<Node = Node<W, Q, I>> + ?Sized,
        {
            let Some(node) = nodes.node_mut(vertex) else {
                return;
            };
            if node.g != node.rhs {
                self.lower_queued(nodes, graph, vertex, rhs);
                return;
            }
            node.rhs = W::Cost::new(rhs);
            if Self::unit_steps::<G>() {
                self.queue.insert_near(nodes, vertex, self.is_beyond::<M>(vertex));
            } else {
                let (key, incons) = self.key(h, (infinity::<W>(), rhs), node.stamp);
                self.work.incons |= incons;
                // Cannot be full: it holds as many entries as there are vertices.
                let _ = self.queue.insert(nodes, vertex, key);
            }
            self.work.ops += 1;
            if vertex == self.start {
                self.start_lowered(nodes, graph);
            }
        }
    }

    /// Lowers the `rhs` of a vertex in the queue.
    #[cold]
    #[inline(never)]
    fn lower_queued<N, G: Graph>(&mut self, nodes: &mut N, graph: &G, vertex: usize, rhs: usize)
    where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        self.change_queued(nodes, graph, vertex, rhs);
        if vertex == self.start {
            self.start_lowered(nodes, graph);
        }
    }

    #[cold]
    #[inline(never)]
    fn start_lowered<N, G: Graph>(&mut self, nodes: &N, graph: &G)
    where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        self.update_start_key(nodes, graph);
        // If it is nearer than the vertex that is expanded, its key is that one's, at which the search ends.
        if Self::unit_steps::<G>() && self.queue.is_at(self.start_key) {
            self.remaining.stop();
        }
    }

    /// Line 17 for the predecessor across move `M`: lowers its `rhs` if the path through `at` is shorter.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lower<N, G: Graph, const M: usize>(
        &mut self,
        nodes: &mut N,
        graph: &G,
        at: Located,
        moves: MoveSet,
        rhs: usize,
    ) where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        let from = self.rows.neighbor(at.vertex, M);
        let through = sum::<W>(rhs, graph.cost(opposite(M), at.vertex));
        let (_, rhs) = values(nodes, from);
        // One branch for both, here and below: either alone is mispredicted more often.
        if (through < rhs) & moves.contains(M) {
            if Self::unit_steps::<G>() {
                self.lower_vertex::<N, G, M>(nodes, graph, from, through, 0);
            } else {
                let h = graph.heuristic_after(at.h, at.offset, M);
                self.lower_vertex::<N, G, 0>(nodes, graph, from, through, h);
            }
        }
    }

    call_on_chip! {
        /// Recomputes `rhs` after the best successor got worse. If the vertex was consistent, `key` is its key.
        fn recompute_rhs<N, G: Graph>(&mut self, nodes: &mut N, graph: &G, vertex: usize, key: Q::Key)
        where
            N: Nodes<Node = Node<W, Q, I>> + ?Sized,
        {
            let rhs = compute_rhs(nodes, &self.rows, graph, vertex);
            let Some(node) = nodes.node_mut(vertex) else {
                return;
            };
            if rhs == node.rhs.get() {
                return;
            }
            if node.g != node.rhs {
                self.change_queued(nodes, graph, vertex, rhs);
            } else {
                node.rhs = W::Cost::new(rhs);
                let _ = self.queue.insert(nodes, vertex, key);
                self.work.ops += 1;
            }
            if vertex == self.start {
                self.update_start_key(nodes, graph);
            }
        }
    }

    /// Line 20 for the predecessor across move `M`: recomputes its `rhs` if it was the path through `at`, whose
    /// `g` was `g` and whose key `key`. That of a goal is zero and never is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn raise<N, G: Graph, const M: usize>(
        &mut self,
        nodes: &mut N,
        graph: &G,
        at: Located,
        moves: MoveSet,
        (g, key): (usize, Q::Key),
    ) where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        let from = self.rows.neighbor(at.vertex, M);
        let through = sum::<W>(g, graph.cost(opposite(M), at.vertex));
        let (_, rhs) = values(nodes, from);
        if (through == rhs) & moves.contains(M) {
            let key = match Self::unit_steps::<G>() {
                true if leads_away::<M>(at.offset) => Q::farther(key),
                true => key,
                false => {
                    let h = graph.heuristic_after(at.h, at.offset, M);
                    self.open_key(h, through, true)
                }
            };
            self.recompute_rhs(nodes, graph, from, key);
        }
    }

    /// Lines 16-17, for the first entry of the queue; returns the next one, if it has the same bound.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn expand_over_consistent<N, G: Graph>(
        &mut self,
        nodes: &mut N,
        graph: &G,
        at: Located,
        rhs: usize,
    ) -> Option<usize>
    where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        let moves = graph.moves(at.vertex);
        if !Self::unit_steps::<G>() {
            self.queue.pop(nodes, at.vertex);
        }
        if let Some(node) = nodes.node_mut(at.vertex) {
            node.g = W::Cost::new(rhs);
            node.stamp = self.inflation.stamp();
        }
        for_each_move!(G::MOVES, M => self.lower::<N, G, M>(nodes, graph, at, moves, rhs));
        // It makes no difference when the vertex is removed: those that were expanded leave the queue together.
        if Self::unit_steps::<G>() {
            self.queue.after(nodes, at.vertex)
        } else {
            None
        }
    }

    call_on_chip! {
        /// Lines 19-20, for the first entry of the queue.
        fn expand_under_consistent<N, G: Graph>(&mut self, nodes: &mut N, graph: &G, vertex: usize)
        where
            N: Nodes<Node = Node<W, Q, I>> + ?Sized,
        {
            // Located again: to pass it takes longer on the chip.
            let at = self.locate(graph, vertex);
            let moves = graph.moves(at.vertex);
            let Some(node) = nodes.node_mut(vertex) else {
                return;
            };
            let (g, rhs) = (node.g.get(), node.rhs.get());
            node.g = W::Cost::new(infinity::<W>());
            node.stamp = I::Stamp::default();
            if rhs < infinity::<W>() {
                // It stays in the queue, over-consistent.
                let key = self.open_key(at.h, rhs, false);
                self.queue.requeue(nodes, at.vertex, key);
            } else {
                self.queue.pop(nodes, at.vertex);
            }
            let from = (g, self.open_key(at.h, g, true));
            for_each_move!(G::MOVES, M => self.raise::<N, G, M>(nodes, graph, at, moves, from));
        }
    }

    /// Expands an over-consistent vertex, which the budget has paid for, and those after it in the queue whose key is
    /// the first bound too. Returns the first that is not over-consistent or not covered by the budget; [`NONE`] if all
    /// were expanded.
    #[inline(never)]
    fn expand_exact<N, G: Graph>(&mut self, nodes: &mut N, graph: &G, mut vertex: usize) -> usize
    where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        let (_, mut rhs) = values(nodes, vertex);
        loop {
            let at = self.locate(graph, vertex);
            let Some(next) = self.expand_over_consistent(nodes, graph, at, rhs) else {
                return NONE;
            };
            vertex = next;
            let g;
            (g, rhs) = values(nodes, vertex);
            if g <= rhs || !self.remaining.expand() {
                return vertex;
            }
        }
    }

    /// Lines 10-20, as far as the budget goes; `true` when the path from the robot is known.
    #[inline(never)]
    pub(super) fn compute_shortest_path<N, G: Graph>(
        &mut self,
        nodes: &mut N,
        graph: &G,
        remaining: &mut Remaining,
    ) -> bool
    where
        N: Nodes<Node = Node<W, Q, I>> + ?Sized,
    {
        self.remaining = *remaining;
        self.start_key = self.start_key(nodes, graph);
        'search: while let Some((first, bound)) = self.queue.peek(nodes) {
            if !Q::is_before(bound, self.start_key) {
                *remaining = self.remaining;
                return true;
            }
            // Until the next peek no entry gets here that belongs to a later key.
            let is_exact = Self::unit_steps::<G>() && self.queue.is_exact();
            let mut next = Some(first);
            let (g, rhs) = values(nodes, first);
            if is_exact && g > rhs {
                if !self.remaining.expand() {
                    break;
                }
                let vertex = self.expand_exact(nodes, graph, first);
                if vertex == NONE {
                    continue;
                }
                next = Some(vertex);
            }
            while let Some(vertex) = next {
                let Some(node) = nodes.node(vertex) else {
                    break 'search;
                };
                let (g, rhs, stamp) = (node.g.get(), node.rhs.get(), node.stamp);
                let at = self.locate(graph, vertex);
                // Each branch computes its own key: the cases are distinguished once.
                let key = if g > rhs {
                    if self.inflation.is_incons(stamp) {
                        let key = self.far_key();
                        if !Q::is_before(bound, key) {
                            break 'search;
                        }
                        key
                    } else {
                        let key = self.open_key(at.h, rhs, false);
                        if !Q::is_before(bound, key) {
                            if !self.remaining.expand() {
                                self.queue.remove_before(nodes, vertex);
                                break 'search;
                            }
                            next = self.expand_over_consistent(nodes, graph, at, rhs);
                            continue;
                        }
                        key
                    }
                } else {
                    let key = self.open_key(at.h, g, true);
                    if !Q::is_before(bound, key) {
                        if !self.remaining.expand() {
                            self.queue.remove_before(nodes, vertex);
                            break 'search;
                        }
                        self.expand_under_consistent(nodes, graph, vertex);
                        continue 'search;
                    }
                    key
                };
                if !self.remaining.requeue() {
                    self.queue.remove_before(nodes, vertex);
                    break 'search;
                }
                next = self.queue.requeue_and_next(nodes, vertex, key);
            }
        }
        *remaining = self.remaining;
        self.is_done(nodes, graph)
    }
}

/// Returns whether move `M` from a place at `offset` leads away from `s_last`. See [`Open::is_beyond`].
#[cfg_attr(not(debug_assertions), inline(always))]
const fn leads_away<const M: usize>((dx, dy): Offset) -> bool {
    match M {
        0 => dy >= 0,
        1 => dx <= 0,
        2 => dy <= 0,
        _ => dx >= 0,
    }
}

/// Line 07: the minimum over the successors of `g` plus edge cost.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn compute_rhs<N, W: Width, L, S, G: Graph>(
    nodes: &N,
    rows: &Rows,
    graph: &G,
    vertex: usize,
) -> usize
where
    N: Nodes<Node = DStarLiteNode<W, L, S>> + ?Sized,
{
    let moves = graph.moves(vertex);
    let mut best = infinity::<W>();
    for_each_move!(G::MOVES, M => {
        let into = rows.neighbor(vertex, M);
        let through = sum::<W>(values(nodes, into).0, graph.cost(M, into));
        best = best.min(if moves.contains(M) { through } else { infinity::<W>() });
    });
    best
}

/// `g` and `rhs`; those of a blocked vertex where there is none.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn values<N, W: Width, L, S>(nodes: &N, vertex: usize) -> (usize, usize)
where
    N: Nodes<Node = DStarLiteNode<W, L, S>> + ?Sized,
{
    match nodes.node(vertex) {
        Some(node) => (node.g.get(), node.rhs.get()),
        None => (infinity::<W>(), 0),
    }
}
