//! The repair of a search: `ComputeShortestPath` and `UpdateVertex` of the papers.

use super::{DStarLiteNode, inflation::Inflation};
use crate::{
    Cell,
    budget::Meter,
    planner::Work,
    queue::{Queue, Rank},
    terrain::{Grid, MoveSet, Terrain, opposite, step},
    width::{Width, Word, infinity, sum},
};

/// What stays the same while a search runs.
pub(super) struct Aim<'t, T, I> {
    terrain: &'t T,
    inflation: &'t I,
    grid: Grid,
    /// Column and row of the place that heuristics are measured from.
    origin: (usize, usize),
    k_m: usize,
}

/// Columns and rows from the aim to a vertex.
type Away = (isize, isize);

/// Where a vertex is.
#[derive(Clone, Copy)]
struct Place {
    vertex: usize,
    away: Away,
    /// What it takes from the aim at least.
    h: usize,
}

type Node<W, Q, I> = DStarLiteNode<W, <Q as Queue<W>>::Link, <I as Inflation<W>>::Stamp>;

/// Operations on the queue, and whether one of them set a vertex aside.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::search) struct Tally {
    pub(super) queue_ops: u32,
    pub(in crate::search) aside: bool,
}

/// The robot's key: the search ends before an entry that is not before it.
pub(super) struct End<W: Width, Q: Queue<W>> {
    /// Not while no way from the robot is known, because infinity is no number to compare keys with.
    is_known: bool,
    key: Q::Key,
}

impl<W: Width, Q: Queue<W>> End<W, Q> {
    /// Whether an entry is not to be expanded any more.
    #[inline(always)]
    pub(super) fn is_before(&self, key: Q::Key) -> bool {
        self.is_known & !Q::is_before(key, self.key)
    }
}

impl<'t, T: Terrain, I> Aim<'t, T, I> {
    pub(super) fn new(terrain: &'t T, inflation: &'t I, at: Cell, k_m: usize) -> Self {
        Self {
            terrain,
            inflation,
            grid: *terrain.grid(),
            origin: (at.x.into(), at.y.into()),
            k_m,
        }
    }

    #[inline(always)]
    pub(super) fn away(&self, vertex: usize) -> Away {
        self.away_at(self.grid.position(vertex))
    }

    #[inline(always)]
    fn place(&self, vertex: usize) -> Place {
        let away = self.away(vertex);
        let h = self.estimate(away);
        Place { vertex, away, h }
    }

    #[inline(always)]
    fn away_at(&self, (x, y): (usize, usize)) -> Away {
        (
            x.wrapping_sub(self.origin.0) as isize,
            y.wrapping_sub(self.origin.1) as isize,
        )
    }

    /// What it takes from the aim to a vertex at least.
    #[inline(always)]
    pub(super) fn estimate(&self, (dx, dy): Away) -> usize {
        self.terrain.estimate(dx.unsigned_abs(), dy.unsigned_abs())
    }

    /// Line 01: the key of a vertex with these values, or that of one set aside, and whether it is.
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
        match self.inflation.aside(stamp) {
            Some(f) if !under => (self.aside_key::<W, Q>(f), true),
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
    fn aside_key<W: Width, Q: Queue<W>>(&self, f: usize) -> Q::Key {
        Q::floor(f.wrapping_add(self.k_m))
    }

    /// Line 10: where the search ends.
    #[inline(always)]
    pub(super) fn end<W: Width, Q: Queue<W>>(
        &self,
        nodes: &[Node<W, Q, I>],
        (start, cell): (usize, Cell),
    ) -> End<W, Q>
    where
        I: Inflation<W>,
    {
        let (g, rhs) = values(nodes, start);
        let away = self.away_at((cell.x.into(), cell.y.into()));
        End {
            is_known: (rhs < infinity::<W>()) & (rhs <= g),
            key: self.open_key::<W, Q>(self.estimate(away), rhs, false),
        }
    }

    /// Line 07: the best of the successors.
    #[inline(always)]
    pub(super) fn look_ahead<W: Width, L, S>(
        &self,
        nodes: &[DStarLiteNode<W, L, S>],
        vertex: usize,
    ) -> usize {
        let moves = self.terrain.moves(vertex);
        let best = infinity::<W>();
        let best = self.better::<0, W, L, S>(nodes, vertex, moves, best);
        let best = self.better::<1, W, L, S>(nodes, vertex, moves, best);
        let best = self.better::<2, W, L, S>(nodes, vertex, moves, best);
        let best = self.better::<3, W, L, S>(nodes, vertex, moves, best);
        if T::MOVES == 4 {
            return best;
        }
        let best = self.better::<4, W, L, S>(nodes, vertex, moves, best);
        let best = self.better::<5, W, L, S>(nodes, vertex, moves, best);
        let best = self.better::<6, W, L, S>(nodes, vertex, moves, best);
        self.better::<7, W, L, S>(nodes, vertex, moves, best)
    }

    /// The way by move `M`, if it is better.
    #[inline(always)]
    fn better<const M: usize, W: Width, L, S>(
        &self,
        nodes: &[DStarLiteNode<W, L, S>],
        vertex: usize,
        moves: MoveSet,
        best: usize,
    ) -> usize {
        let into = step(&self.grid, vertex, M);
        let through = sum::<W>(values(nodes, into).0, self.terrain.cost(M, into));
        if (through < best) & moves.contains(M) {
            through
        } else {
            best
        }
    }
}

/// `g` and `rhs`; those of a closed vertex where there is none.
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

/// Gives an open vertex new values and puts it where they belong in the queue.
#[inline(always)]
pub(super) fn set<W: Width, T: Terrain, Q: Queue<W>, I: Inflation<W>>(
    aim: &Aim<'_, T, I>,
    queue: &mut Q,
    nodes: &mut [Node<W, Q, I>],
    (vertex, h): (usize, usize),
    (g, rhs): (usize, usize),
    tally: &mut Tally,
) {
    let Some(node) = nodes.get_mut(vertex) else {
        return;
    };
    let was_queued = node.g != node.rhs;
    node.g = W::Cost::new(g);
    node.rhs = W::Cost::new(rhs);
    if g != rhs {
        let (key, aside) = aim.key::<W, Q>(h, (g, rhs), node.stamp);
        tally.aside |= aside;
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
    tally.queue_ops += 1;
}

/// A search under way: the parts of the planner one by one, so that the compiler knows them to be
/// apart and keeps them in registers.
struct Run<'a, W: Width, T, Q: Queue<W>, I: Inflation<W>> {
    aim: Aim<'a, T, I>,
    queue: &'a mut Q,
    nodes: &'a mut [Node<W, Q, I>],
    start: (usize, Cell),
    end: End<W, Q>,
    tally: Tally,
}

// A Cortex-M0 has registers for about one of these functions at a time: there, what is called from several
// places is a call, which is cheaper than to keep all that is inlined on the stack.
impl<W: Width, T: Terrain, Q: Queue<W>, I: Inflation<W>> Run<'_, W, T, Q, I> {
    /// To be called whenever the robot's vertex has changed.
    fn find_end(&mut self) {
        self.end = self.aim.end::<W, Q>(self.nodes, self.start);
    }

    /// Gives a vertex other values.
    #[cfg_attr(target_arch = "arm", inline(never))]
    #[cfg_attr(not(target_arch = "arm"), inline(always))]
    fn set(&mut self, vertex: usize, h: usize, g: usize, rhs: usize) {
        let (at, values) = ((vertex, h), (g, rhs));
        set(
            &self.aim,
            self.queue,
            self.nodes,
            at,
            values,
            &mut self.tally,
        );
        if vertex == self.start.0 {
            self.find_end();
        }
    }

    /// Lowers the `rhs` of a consistent vertex: by far the most frequent case of [`Run::set`].
    #[cfg_attr(target_arch = "arm", inline(never))]
    #[cfg_attr(not(target_arch = "arm"), inline(always))]
    fn lower_consistent(&mut self, vertex: usize, h: usize, rhs: usize) {
        let Some(node) = self.nodes.get_mut(vertex) else {
            return;
        };
        node.rhs = W::Cost::new(rhs);
        let key = match self.aim.inflation.aside(node.stamp) {
            Some(f) => {
                self.tally.aside = true;
                self.aim.aside_key::<W, Q>(f)
            }
            None => self.aim.open_key::<W, Q>(h, rhs, false),
        };
        self.enter(vertex, key);
    }

    /// Puts a vertex that was consistent into the queue.
    #[inline(always)]
    fn enter(&mut self, vertex: usize, key: Q::Key) {
        // Cannot be full: it holds as many entries as there are vertices.
        let _ = self.queue.insert(self.nodes, vertex, key);
        self.tally.queue_ops += 1;
        if vertex == self.start.0 {
            self.find_end();
        }
    }

    /// Line 17 for the predecessor that move `M` would lead to: it may now be nearer by `through`.
    #[inline(always)]
    fn lower<const M: usize>(&mut self, at: Place, moves: MoveSet, rhs: usize) {
        let vertex = at.vertex;
        let from = step(&self.aim.grid, vertex, M);
        let through = sum::<W>(rhs, self.aim.terrain.cost(opposite(M), vertex));
        let (g, rhs) = values(self.nodes, from);
        // One branch for both, here and below: either alone is mispredicted more often.
        if (through < rhs) & moves.contains(M) {
            let h = self.aim.terrain.estimate_beside(at.h, at.away, M);
            if g == rhs {
                self.lower_consistent(from, h, through);
            } else {
                self.set(from, h, g, through);
            }
        }
    }

    /// Makes the `rhs` of a vertex, which `was` by a successor that is lost, what the others say.
    #[cfg_attr(target_arch = "arm", inline(never))]
    #[cfg_attr(not(target_arch = "arm"), inline(always))]
    fn look_again(&mut self, vertex: usize, h: usize, was: usize) {
        let rhs = self.aim.look_ahead(self.nodes, vertex);
        let Some(node) = self.nodes.get_mut(vertex) else {
            return;
        };
        if rhs == was {
            return;
        }
        let g = node.g.get();
        if g != was {
            self.set(vertex, h, g, rhs);
        } else {
            node.rhs = W::Cost::new(rhs);
            let key = self.aim.open_key::<W, Q>(h, g, true);
            self.enter(vertex, key);
        }
    }

    /// Line 20 for the predecessor that move `M` would lead to: if it relied on the vertex, which was
    /// `g` from the goal, it looks elsewhere. A goal relies on none: nothing is as near as it is.
    #[inline(always)]
    fn raise<const M: usize>(&mut self, at: Place, moves: MoveSet, g: usize) {
        let vertex = at.vertex;
        let from = step(&self.aim.grid, vertex, M);
        let through = sum::<W>(g, self.aim.terrain.cost(opposite(M), vertex));
        let (_, rhs) = values(self.nodes, from);
        if (through == rhs) & moves.contains(M) {
            let h = self.aim.terrain.estimate_beside(at.h, at.away, M);
            self.look_again(from, h, rhs);
        }
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>, I: Inflation<W>> Run<'_, W, T, Q, I> {
    /// Lines 16-17, for the first entry of the queue.
    #[inline(always)]
    fn expand_over_consistent(&mut self, at: Place, rhs: usize) {
        let moves = self.aim.terrain.moves(at.vertex);
        self.queue.pop(self.nodes, at.vertex);
        if let Some(node) = self.nodes.get_mut(at.vertex) {
            node.g = W::Cost::new(rhs);
            node.stamp = self.aim.inflation.stamp();
        }
        if at.vertex == self.start.0 {
            self.find_end();
        }
        self.lower::<0>(at, moves, rhs);
        self.lower::<1>(at, moves, rhs);
        self.lower::<2>(at, moves, rhs);
        self.lower::<3>(at, moves, rhs);
        if T::MOVES > 4 {
            self.lower::<4>(at, moves, rhs);
            self.lower::<5>(at, moves, rhs);
            self.lower::<6>(at, moves, rhs);
            self.lower::<7>(at, moves, rhs);
        }
    }

    /// Lines 19-20, for the first entry of the queue.
    #[cfg_attr(target_arch = "arm", inline(never))]
    #[cfg_attr(not(target_arch = "arm"), inline(always))]
    fn expand_under_consistent(&mut self, vertex: usize, g: usize, rhs: usize) {
        // Once more: to hand it over takes longer on a chip.
        let at = self.aim.place(vertex);
        let moves = self.aim.terrain.moves(at.vertex);
        if let Some(node) = self.nodes.get_mut(at.vertex) {
            node.g = W::Cost::new(infinity::<W>());
            node.stamp = I::Stamp::default();
        }
        if rhs < infinity::<W>() {
            let key = self.aim.open_key::<W, Q>(at.h, rhs, false);
            self.queue.requeue(self.nodes, at.vertex, key);
        } else {
            self.queue.pop(self.nodes, at.vertex);
        }
        if at.vertex == self.start.0 {
            self.find_end();
        }
        self.raise::<0>(at, moves, g);
        self.raise::<1>(at, moves, g);
        self.raise::<2>(at, moves, g);
        self.raise::<3>(at, moves, g);
        if T::MOVES > 4 {
            self.raise::<4>(at, moves, g);
            self.raise::<5>(at, moves, g);
            self.raise::<6>(at, moves, g);
            self.raise::<7>(at, moves, g);
        }
    }
}

/// Lines 10-20, as far as the budget goes; `true` when the way from the robot is known.
#[inline(never)]
pub(super) fn compute_shortest_path<W: Width, T: Terrain, Q: Queue<W>, I: Inflation<W>>(
    aim: Aim<'_, T, I>,
    queue: &mut Q,
    nodes: &mut [Node<W, Q, I>],
    start: (usize, Cell),
    meter: &mut Meter,
    work: &mut Work,
) -> (bool, Tally) {
    let mut run = Run {
        end: aim.end(nodes, start),
        aim,
        queue,
        nodes,
        start,
        tally: Tally::default(),
    };
    // A copy of its own stays in registers.
    let mut left = *meter;
    let done = loop {
        let Some((vertex, old_key)) = run.queue.peek(run.nodes) else {
            break true;
        };
        if run.end.is_before(old_key) {
            break true;
        }
        let Some(node) = run.nodes.get(vertex) else {
            break true;
        };
        let (g, rhs, stamp) = (node.g.get(), node.rhs.get(), node.stamp);
        let at = run.aim.place(vertex);
        // Each branch makes its own key: the cases are told apart once.
        let key = if g > rhs {
            if let Some(f) = run.aim.inflation.aside(stamp) {
                let key = run.aim.aside_key::<W, Q>(f);
                if !Q::is_before(old_key, key) {
                    break true;
                }
                key
            } else {
                let key = run.aim.open_key::<W, Q>(at.h, rhs, false);
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
            let key = run.aim.open_key::<W, Q>(at.h, g, true);
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
    // Each of either kind pops an entry or moves it.
    run.tally.queue_ops += left.book(work);
    *meter = left;
    (done, run.tally)
}
