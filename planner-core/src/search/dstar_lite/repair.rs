//! `ComputeShortestPath` and `UpdateVertex` of Likhachev & Koenig (2006); line numbers are those of their figure.

use super::{DStarLiteNode, inflation::Inflation};
use crate::{
    Cell,
    budget::Remaining,
    chip::call_on_chip,
    graph::{Graph, Grid, MoveSet, for_each_move, opposite},
    planner::Work,
    queue::{Keys, Queue, Rank},
    width::{Width, Word, infinity, sum},
};

/// Data that stays the same while a search runs.
pub(super) struct Context<'t, G, I> {
    graph: G,
    inflation: &'t I,
    /// A copy: a search that has its own keeps it in registers.
    grid: Grid,
    /// Column and row of `s_last`, from which heuristics are measured.
    origin: (usize, usize),
    k_m: usize,
}

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

/// The key of `s_start`: entries with that key or a later one are not expanded.
pub(super) struct StartKey<Q: Keys> {
    /// False while no path from the robot is known: infinity cannot be compared with keys.
    is_finite: bool,
    key: Q::Key,
}

impl<Q: Keys> StartKey<Q> {
    /// Returns whether the search ends at an entry with this key.
    #[inline(always)]
    pub(super) fn ends_at(&self, key: Q::Key) -> bool {
        self.is_finite & !Q::is_before(key, self.key)
    }
}

impl<'t, G: Graph, I> Context<'t, G, I> {
    #[inline(always)]
    pub(super) fn new(graph: G, inflation: &'t I, s_last: Cell, k_m: usize) -> Self {
        Self {
            grid: *graph.grid(),
            graph,
            inflation,
            origin: (s_last.x.into(), s_last.y.into()),
            k_m,
        }
    }

    #[inline(always)]
    pub(super) fn offset(&self, vertex: usize) -> Offset {
        self.offset_of(self.grid.position(vertex))
    }

    #[inline(always)]
    fn locate(&self, vertex: usize) -> Located {
        let offset = self.offset(vertex);
        let h = self.heuristic(offset);
        Located { vertex, offset, h }
    }

    #[inline(always)]
    fn offset_of(&self, (x, y): (usize, usize)) -> Offset {
        (
            x.wrapping_sub(self.origin.0) as isize,
            y.wrapping_sub(self.origin.1) as isize,
        )
    }

    /// The heuristic between `s_last` and a vertex.
    #[inline(always)]
    pub(super) fn heuristic(&self, (dx, dy): Offset) -> usize {
        self.graph.heuristic(dx.unsigned_abs(), dy.unsigned_abs())
    }

    /// Line 01: the key of an inconsistent vertex, and whether it is in INCONS.
    #[inline(always)]
    pub(super) fn key<W: Width, Q: Queue<W>>(
        &self,
        h: usize,
        (g, rhs): (usize, usize),
        stamp: I::Stamp,
    ) -> (Q::Key, bool)
    where
        I: Inflation<W>,
    {
        let under = g < rhs;
        match self.inflation.incons(stamp) {
            Some(f) if !under => (self.incons_key::<Q>(f), true),
            _ => (self.open_key::<W, Q>(h, g.min(rhs), under), false),
        }
    }

    #[inline(always)]
    fn open_key<W: Width, Q: Queue<W>>(&self, h: usize, cost: usize, under: bool) -> Q::Key
    where
        I: Inflation<W>,
    {
        Q::key(Rank {
            f: self.inflation.f(cost, h, under).wrapping_add(self.k_m),
            g: cost,
            under,
        })
    }

    #[inline(always)]
    fn incons_key<Q: Keys>(&self, f: usize) -> Q::Key {
        Q::floor(f.wrapping_add(self.k_m))
    }

    /// Line 10: the key of `s_start`.
    #[inline(always)]
    pub(super) fn start_key<W: Width, Q: Queue<W>>(
        &self,
        nodes: &[Node<W, Q, I>],
        (start, cell): (usize, Cell),
    ) -> StartKey<Q>
    where
        I: Inflation<W>,
    {
        let (_, rhs) = values(nodes, start);
        let offset = self.offset_of((cell.x.into(), cell.y.into()));
        StartKey {
            // An under-consistent start needs no test: its own entry, at `f(g)`, comes before this key.
            is_finite: rhs < infinity::<W>(),
            key: self.open_key::<W, Q>(self.heuristic(offset), rhs, false),
        }
    }

    /// Line 07: the minimum over the successors of `g` plus edge cost.
    #[inline(always)]
    pub(super) fn compute_rhs<W: Width, L, S>(
        &self,
        nodes: &[DStarLiteNode<W, L, S>],
        vertex: usize,
    ) -> usize {
        let moves = self.graph.moves(vertex);
        let mut best = infinity::<W>();
        for_each_move!(G::MOVES, M => {
            let into = self.grid.neighbor(vertex, M);
            let through = sum::<W>(values(nodes, into).0, self.graph.cost(M, into));
            if (through < best) & moves.contains(M) {
                best = through;
            }
        });
        best
    }
}

/// `g` and `rhs`; those of a blocked vertex where there is none.
#[inline(always)]
pub(super) fn values<W: Width, L, S>(
    nodes: &[DStarLiteNode<W, L, S>],
    vertex: usize,
) -> (usize, usize) {
    match nodes.get(vertex) {
        Some(node) => (node.g.get(), node.rhs.get()),
        None => (infinity::<W>(), 0),
    }
}

/// Gives a passable vertex new values and puts it where they belong in the queue.
#[inline(always)]
pub(super) fn set_values<W: Width, G: Graph, Q: Queue<W>, I: Inflation<W>>(
    context: &Context<'_, G, I>,
    queue: &mut Q,
    nodes: &mut [Node<W, Q, I>],
    (vertex, h): (usize, usize),
    (g, rhs): (usize, usize),
    work: &mut QueueWork,
) {
    let Some(node) = nodes.get_mut(vertex) else {
        return;
    };
    let was_queued = node.g != node.rhs;
    node.g = W::Cost::new(g);
    node.rhs = W::Cost::new(rhs);
    if g != rhs {
        let (key, incons) = context.key::<W, Q>(h, (g, rhs), node.stamp);
        work.incons |= incons;
        if was_queued {
            queue.rekey(nodes, vertex, key);
        } else {
            // Cannot be full: it holds as many entries as there are vertices.
            let _ = queue.insert(nodes, vertex, key);
        }
    } else if was_queued {
        queue.remove(nodes, vertex);
    } else {
        return;
    }
    work.ops += 1;
}

/// A search while it runs: the parts of the planner one by one, so that the compiler knows them to be
/// disjoint and keeps them in registers.
struct Run<'a, W: Width, G, Q: Queue<W>, I: Inflation<W>> {
    context: Context<'a, G, I>,
    queue: &'a mut Q,
    nodes: &'a mut [Node<W, Q, I>],
    s_start: (usize, Cell),
    start_key: StartKey<Q>,
    work: QueueWork,
}

impl<W: Width, G: Graph, Q: Queue<W>, I: Inflation<W>> Run<'_, W, G, Q, I> {
    /// To be called whenever the values of `s_start` have changed.
    fn update_start_key(&mut self) {
        self.start_key = self.context.start_key::<W, Q>(self.nodes, self.s_start);
    }

    call_on_chip! {
        /// Gives a vertex new values.
        fn set(&mut self, vertex: usize, h: usize, g: usize, rhs: usize) {
            let (at, values) = ((vertex, h), (g, rhs));
            let Self { context, queue, nodes, work, .. } = self;
            set_values(context, *queue, nodes, at, values, work);
            if vertex == self.s_start.0 {
                self.update_start_key();
            }
        }
    }

    call_on_chip! {
        /// Lowers the `rhs` of a consistent vertex: by far the most frequent case of [`Run::set`].
        fn lower_consistent(&mut self, vertex: usize, h: usize, rhs: usize) {
            let Some(node) = self.nodes.get_mut(vertex) else {
                return;
            };
            node.rhs = W::Cost::new(rhs);
            let key = match self.context.inflation.incons(node.stamp) {
                Some(f) => {
                    self.work.incons = true;
                    self.context.incons_key::<Q>(f)
                }
                None => self.context.open_key::<W, Q>(h, rhs, false),
            };
            self.insert(vertex, key);
        }
    }

    /// Inserts a vertex that was consistent.
    #[inline(always)]
    fn insert(&mut self, vertex: usize, key: Q::Key) {
        // Cannot be full: it holds as many entries as there are vertices.
        let _ = self.queue.insert(self.nodes, vertex, key);
        self.work.ops += 1;
        if vertex == self.s_start.0 {
            self.update_start_key();
        }
    }

    /// Line 17 for the predecessor across move `M`: lowers its `rhs` if the path through `at` is shorter.
    #[inline(always)]
    fn lower<const M: usize>(&mut self, at: Located, moves: MoveSet, rhs: usize) {
        let vertex = at.vertex;
        let from = self.context.grid.neighbor(vertex, M);
        let through = sum::<W>(rhs, self.context.graph.cost(opposite(M), vertex));
        let (g, rhs) = values(self.nodes, from);
        // One branch for both, here and below: either alone is mispredicted more often.
        if (through < rhs) & moves.contains(M) {
            let h = self.context.graph.heuristic_after(at.h, at.offset, M);
            if g == rhs {
                self.lower_consistent(from, h, through);
            } else {
                self.set(from, h, g, through);
            }
        }
    }

    call_on_chip! {
        /// Recomputes `rhs`, which was `old_rhs`, after the best successor got worse.
        fn recompute_rhs(&mut self, vertex: usize, h: usize, old_rhs: usize) {
            let rhs = self.context.compute_rhs(self.nodes, vertex);
            let Some(node) = self.nodes.get_mut(vertex) else {
                return;
            };
            if rhs == old_rhs {
                return;
            }
            let g = node.g.get();
            if g != old_rhs {
                self.set(vertex, h, g, rhs);
            } else {
                node.rhs = W::Cost::new(rhs);
                let key = self.context.open_key::<W, Q>(h, g, true);
                self.insert(vertex, key);
            }
        }
    }

    /// Line 20 for the predecessor across move `M`: recomputes its `rhs` if it was the path through `at`, whose
    /// `g` was `g`. That of a goal is zero and never is.
    #[inline(always)]
    fn raise<const M: usize>(&mut self, at: Located, moves: MoveSet, g: usize) {
        let vertex = at.vertex;
        let from = self.context.grid.neighbor(vertex, M);
        let through = sum::<W>(g, self.context.graph.cost(opposite(M), vertex));
        let (_, rhs) = values(self.nodes, from);
        if (through == rhs) & moves.contains(M) {
            let h = self.context.graph.heuristic_after(at.h, at.offset, M);
            self.recompute_rhs(from, h, rhs);
        }
    }

    /// Lines 16-17, for the first entry of the queue.
    #[inline(always)]
    fn expand_over_consistent(&mut self, at: Located, rhs: usize) {
        let moves = self.context.graph.moves(at.vertex);
        self.queue.pop(self.nodes, at.vertex);
        if let Some(node) = self.nodes.get_mut(at.vertex) {
            node.g = W::Cost::new(rhs);
            node.stamp = self.context.inflation.stamp();
        }
        if at.vertex == self.s_start.0 {
            self.update_start_key();
        }
        for_each_move!(G::MOVES, M => self.lower::<M>(at, moves, rhs));
    }

    call_on_chip! {
        /// Lines 19-20, for the first entry of the queue.
        fn expand_under_consistent(&mut self, vertex: usize, g: usize, rhs: usize) {
            // Located again: to pass it takes longer on the chip.
            let at = self.context.locate(vertex);
            let moves = self.context.graph.moves(at.vertex);
            if let Some(node) = self.nodes.get_mut(at.vertex) {
                node.g = W::Cost::new(infinity::<W>());
                node.stamp = I::Stamp::default();
            }
            if rhs < infinity::<W>() {
                // It stays in the queue, over-consistent.
                let key = self.context.open_key::<W, Q>(at.h, rhs, false);
                self.queue.requeue(self.nodes, at.vertex, key);
            } else {
                self.queue.pop(self.nodes, at.vertex);
            }
            if at.vertex == self.s_start.0 {
                self.update_start_key();
            }
            for_each_move!(G::MOVES, M => self.raise::<M>(at, moves, g));
        }
    }
}

/// Lines 10-20, as far as the budget goes; `true` when the path from the robot is known.
#[inline(never)]
pub(super) fn compute_shortest_path<W: Width, G: Graph, Q: Queue<W>, I: Inflation<W>>(
    context: Context<'_, G, I>,
    queue: &mut Q,
    nodes: &mut [Node<W, Q, I>],
    s_start: (usize, Cell),
    remaining: &mut Remaining,
    work: &mut Work,
) -> (bool, QueueWork) {
    let mut run = Run {
        start_key: context.start_key(nodes, s_start),
        context,
        queue,
        nodes,
        s_start,
        work: QueueWork::ZERO,
    };
    // A local copy stays in registers.
    let mut left = *remaining;
    let done = loop {
        let Some((vertex, old_key)) = run.queue.peek(run.nodes) else {
            break true;
        };
        if run.start_key.ends_at(old_key) {
            break true;
        }
        let Some(node) = run.nodes.get(vertex) else {
            break true;
        };
        let (g, rhs, stamp) = (node.g.get(), node.rhs.get(), node.stamp);
        let at = run.context.locate(vertex);
        // Each branch computes its own key: the cases are distinguished once.
        let key = if g > rhs {
            if let Some(f) = run.context.inflation.incons(stamp) {
                let key = run.context.incons_key::<Q>(f);
                if !Q::is_before(old_key, key) {
                    break true;
                }
                key
            } else {
                let key = run.context.open_key::<W, Q>(at.h, rhs, false);
                if !Q::is_before(old_key, key) {
                    if !left.expand() {
                        break false;
                    }
                    run.expand_over_consistent(at, rhs);
                    continue;
                }
                key
            }
        } else {
            let key = run.context.open_key::<W, Q>(at.h, g, true);
            if !Q::is_before(old_key, key) {
                if !left.expand() {
                    break false;
                }
                run.expand_under_consistent(vertex, g, rhs);
                continue;
            }
            key
        };
        if !left.requeue() {
            break false;
        }
        run.queue.requeue(run.nodes, vertex, key);
    };
    // An expansion pops an entry and a re-queue moves one.
    run.work.ops += left.record(work);
    *remaining = left;
    (done, run.work)
}
