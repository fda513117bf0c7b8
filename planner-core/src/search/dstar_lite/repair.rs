//! The repair of a search: `ComputeShortestPath` and `UpdateVertex` of the papers.

use super::DStarLiteNode;
use crate::{
    Cell,
    planner::{Budget, Work},
    queue::{Queue, Rank},
    terrain::{Grid, MoveSet, Terrain, opposite, step, step_offset},
    width::{Width, Word, add, infinity},
};

/// What stays the same while a search runs.
pub(super) struct Aim<'t, T> {
    terrain: &'t T,
    grid: Grid,
    /// Column and row of the place that heuristics are measured from.
    origin: (usize, usize),
    k_m: usize,
}

/// Columns and rows from the aim to a vertex.
type Away = (isize, isize);
type Node<W, Q> = DStarLiteNode<W, <Q as Queue<W>>::Link>;

impl<'t, T: Terrain> Aim<'t, T> {
    pub(super) fn new(terrain: &'t T, at: Cell, k_m: usize) -> Self {
        Self {
            terrain,
            grid: *terrain.grid(),
            origin: (at.x.into(), at.y.into()),
            k_m,
        }
    }

    #[inline(always)]
    pub(super) fn away(&self, vertex: usize) -> Away {
        let (x, y) = self.grid.position(vertex);
        (
            x.wrapping_sub(self.origin.0) as isize,
            y.wrapping_sub(self.origin.1) as isize,
        )
    }

    /// Line 01: the key of a vertex with these values.
    #[inline(always)]
    fn key<W: Width, Q: Queue<W>>(&self, away: Away, g: usize, rhs: usize) -> Q::Key {
        self.key_at::<W, Q>(away, g.min(rhs), g < rhs)
    }

    /// The key of a vertex of which the smaller of `g` and `rhs` is known.
    #[inline(always)]
    fn key_at<W: Width, Q: Queue<W>>(&self, (dx, dy): Away, g: usize, under: bool) -> Q::Key {
        let h = self.terrain.estimate(dx.unsigned_abs(), dy.unsigned_abs());
        Q::key(Rank {
            f: h.wrapping_add(g).wrapping_add(self.k_m),
            g,
            under,
        })
    }

    /// Line 10: the robot's key; the search ends before an entry that is not before it. None while no
    /// way from the robot is known, because infinity is no number to compare keys with.
    pub(super) fn end<W: Width, Q: Queue<W>>(
        &self,
        nodes: &[Node<W, Q>],
        start: usize,
    ) -> Option<Q::Key> {
        let (g, rhs) = values(nodes, start);
        (rhs < infinity::<W>() && rhs <= g).then(|| self.key::<W, Q>(self.away(start), g, rhs))
    }

    /// Line 07: the best of the successors.
    #[inline(always)]
    pub(super) fn look_ahead<W: Width, L>(
        &self,
        nodes: &[DStarLiteNode<W, L>],
        vertex: usize,
    ) -> usize {
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
pub(super) fn values<W: Width, L>(nodes: &[DStarLiteNode<W, L>], vertex: usize) -> (usize, usize) {
    match nodes.get(vertex) {
        Some(node) => (node.g.get(), node.rhs.get()),
        None => (infinity::<W>(), 0),
    }
}

/// Gives an open vertex new values and puts it where they belong in the queue, in as many operations
/// as it returns.
#[inline(always)]
pub(super) fn set<W: Width, T: Terrain, Q: Queue<W>>(
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
    start: usize,
    /// See [`Aim::end`].
    end: Option<Q::Key>,
    queue_ops: u32,
}

impl<W: Width, T: Terrain, Q: Queue<W>> Run<'_, W, T, Q> {
    /// To be called whenever the robot's vertex has changed.
    fn find_end(&mut self) {
        self.end = self.aim.end::<W, Q>(self.nodes, self.start);
    }

    /// Gives a vertex other values.
    #[inline(always)]
    fn set(&mut self, vertex: usize, away: Away, g: usize, rhs: usize) {
        self.queue_ops += set(self.aim, self.queue, self.nodes, vertex, away, g, rhs);
        if vertex == self.start {
            self.find_end();
        }
    }

    /// Lowers `rhs` below `g`: by far the most frequent case of [`Run::set`].
    #[inline(always)]
    fn set_over_consistent(&mut self, vertex: usize, away: Away, queued: bool, rhs: usize) {
        if let Some(node) = self.nodes.get_mut(vertex) {
            node.rhs = W::Cost::new(rhs);
        }
        let key = self.aim.key_at::<W, Q>(away, rhs, false);
        if queued {
            self.queue.rekey(self.nodes, vertex, key);
        } else {
            // Cannot be full: it holds as many entries as there are vertices.
            let _ = self.queue.insert(self.nodes, vertex, key);
        }
        self.queue_ops += 1;
        if vertex == self.start {
            self.find_end();
        }
    }

    /// Line 17 for the predecessor that move `M` would lead to: it may now be nearer by `through`.
    #[inline(always)]
    fn lower<const M: usize>(&mut self, (vertex, away): (usize, Away), moves: MoveSet, rhs: usize) {
        let from = step(&self.aim.grid, vertex, M);
        let through = add::<W>(rhs, self.aim.terrain.cost(opposite(M), vertex));
        let (g, rhs) = values(self.nodes, from);
        if through < rhs && moves.contains(M) {
            if through < g {
                self.set_over_consistent(from, step_offset(away, M), g != rhs, through);
            } else {
                self.set(from, step_offset(away, M), g, through);
            }
        }
    }

    /// Line 20 for the predecessor that move `M` would lead to: if it relied on the vertex, which was
    /// `g` from the goal, it looks elsewhere. A goal relies on none: nothing is as near as it is.
    #[inline(always)]
    fn raise<const M: usize>(&mut self, (vertex, away): (usize, Away), moves: MoveSet, g: usize) {
        let from = step(&self.aim.grid, vertex, M);
        let through = add::<W>(g, self.aim.terrain.cost(opposite(M), vertex));
        let (g, rhs) = values(self.nodes, from);
        if through == rhs && moves.contains(M) {
            let rhs = self.aim.look_ahead(self.nodes, from);
            self.set(from, step_offset(away, M), g, rhs);
        }
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>> Run<'_, W, T, Q> {
    /// Lines 16-17, for the first entry of the queue.
    #[inline(always)]
    fn expand_over_consistent(&mut self, at: (usize, Away), rhs: usize) {
        let moves = self.aim.terrain.moves(at.0);
        self.queue.pop(self.nodes, at.0);
        self.queue_ops += 1;
        if let Some(node) = self.nodes.get_mut(at.0) {
            node.g = W::Cost::new(rhs);
        }
        if at.0 == self.start {
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

    /// Lines 19-20.
    #[inline(always)]
    fn expand_under_consistent(&mut self, at: (usize, Away), g: usize, rhs: usize) {
        let moves = self.aim.terrain.moves(at.0);
        self.set(at.0, at.1, infinity::<W>(), rhs);
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
pub(super) fn compute_shortest_path<W: Width, T: Terrain, Q: Queue<W>>(
    aim: &Aim<'_, T>,
    queue: &mut Q,
    nodes: &mut [Node<W, Q>],
    start: usize,
    budget: Budget,
    work: &mut Work,
) -> bool {
    let mut run = Run {
        aim,
        queue,
        nodes,
        start,
        end: None,
        queue_ops: 0,
    };
    run.find_end();
    let (mut expansions, mut requeues) = (0, 0);
    let done = loop {
        let Some((vertex, old_key)) = run.queue.peek(run.nodes) else {
            break true;
        };
        if run.end.is_some_and(|end| !Q::is_before(old_key, end)) {
            break true;
        }
        let (g, rhs) = values(run.nodes, vertex);
        let at = (vertex, aim.away(vertex));
        // Each branch makes its own key: the two cases are told apart once.
        let key = if g > rhs {
            let key = aim.key_at::<W, Q>(at.1, rhs, false);
            if !Q::is_before(old_key, key) {
                if expansions == budget.expansions {
                    break false;
                }
                expansions += 1;
                run.expand_over_consistent(at, rhs);
                continue;
            }
            key
        } else {
            let key = aim.key_at::<W, Q>(at.1, g, g < rhs);
            if !Q::is_before(old_key, key) {
                if expansions == budget.expansions {
                    break false;
                }
                expansions += 1;
                run.expand_under_consistent(at, g, rhs);
                continue;
            }
            key
        };
        if requeues == budget.requeues {
            break false;
        }
        requeues += 1;
        run.queue.requeue(run.nodes, vertex, key);
    };
    work.expansions += expansions;
    work.requeues += requeues;
    work.queue_ops += run.queue_ops + requeues;
    done
}
