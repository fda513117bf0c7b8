//! D* Lite (Koenig & Likhachev), with a heap or with the buckets of Likhachev & Koenig (2006).
//!
//! The search runs from the goal, which stays, to the robot, which moves. It keeps two values of the
//! distance from each vertex to the goal, `g` and the one-step look-ahead value `rhs`, and a queue of exactly
//! the inconsistent vertices, where the two differ. When a cost changes, only what depends on it is searched
//! again.
//!
//! It differs from the papers' figures in four points, none of which changes the result:
//!
//! - `s_last` moves to `s_start` when there is something to search, and `k_m` follows every such move, whether
//!   or not costs changed. So a search that was interrupted by its budget stays correct, and a winding walk to
//!   a near place outdates few keys.
//! - While a search is interrupted, `s_last` moves only as long as the re-queues this costs are matched by
//!   expansions: a robot that paces back and forth would otherwise outdate keys faster than a small budget can
//!   renew them. Any consistent heuristic is correct; an `s_last` behind the robot is only less focused.
//! - A blocked vertex is marked in its own node by values no passable one can have, `g` infinite and `rhs`
//!   zero: neighbors read an infinite `g`, and no update can lower its `rhs`. So the inner loop never asks the
//!   map whether a cell is blocked. Borders and bucket heads look the same.
//! - Another goal is a change of two costs, as if every possible goal had an edge to one root: the old goal's
//!   becomes infinite, the new one's zero. Nothing is cleared. Several goals are several edges.

mod audit;
mod changes;
mod contract;
mod exact;
mod goals;
mod inflation;
mod inspect;
mod repair;

use core::{fmt::Debug, marker::PhantomData};

use self::repair::{Node, Open, values};
pub use self::{
    audit::InvariantViolation,
    inflation::{Exact, Inflation},
};
use crate::{
    Cell, Goals,
    budget::Remaining,
    graph::{Graph, cell_after, for_each_move, heuristic},
    map::{AsFree, Revision, UnknownPolicy},
    planner::{Stats, Work},
    queue::{Buckets, Linked, Queue},
    storage::{Allocate, Array, BLOCK, Block, Nodes, Storage},
    width::{Bits16, Width, Word, infinity, sum},
};

/// Data of D* Lite per vertex: 8 bytes with buckets and [`Bits16`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)] // the chip reads what comes first with one instruction less
pub struct DStarLiteNode<W: Width, L, S = ()> {
    rhs: W::Cost,
    g: W::Cost,
    link: L,
    /// Used by Anytime D*.
    pub(super) stamp: S,
}

impl<W: Width, L, S> Linked<L> for DStarLiteNode<W, L, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn link(&mut self) -> &mut L {
        &mut self.link
    }
}

impl<W: Width, L, S> DStarLiteNode<W, L, S> {
    /// A node before its first use.
    pub(super) const fn zero(link: L, stamp: S) -> Self {
        Self {
            g: W::Cost::ZERO,
            rhs: W::Cost::ZERO,
            link,
            stamp,
        }
    }
}

impl<W: Width, L: Default, S: Default> DStarLiteNode<W, L, S> {
    /// A vertex that no search has reached.
    fn unreached() -> Self {
        Self {
            g: W::Cost::new(infinity::<W>()),
            rhs: W::Cost::new(infinity::<W>()),
            link: L::default(),
            stamp: S::default(),
        }
    }

    /// A vertex that cannot be entered.
    fn blocked() -> Self {
        Self {
            rhs: W::Cost::new(0),
            ..Self::unreached()
        }
    }
}

/// D* Lite with ids and costs of width `W` and queue `Q`, in storage `S`.
///
/// `U` is its policy for unknown space. `I` is the weight of the heuristic in keys, which only
/// [`AnytimeDStar`](super::AnytimeDStar) changes.
///
/// ```
/// use planner_core::{prelude::*, search::DStarLite};
///
/// const N: usize = capacity(33, 33);
/// let mut planner = Navigator::from_parts(CellMap::<Array<N>>::new(), DStarLite::<Array<N>>::new());
/// let (start, goal) = (Cell::new(0, 0), Cell::new(2, 0));
/// planner.begin((33, 33), start, &[goal])?;
/// assert_eq!(planner.tick(start, Budget::UNLIMITED)?, Decision::Step(Cell::new(1, 0)));
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct DStarLite<
    S: Storage,
    W: Width = Bits16,
    Q: Queue<W> = Buckets<8>,
    U = AsFree,
    I: Inflation<W> = Exact,
> {
    pub(super) nodes: S::Of<Block<Node<W, Q, I>>>,
    pub(super) open: Open<W, Q, I>,
    /// True if the last search was interrupted before the path from `s_start` was known.
    pub(super) is_interrupted: bool,
    /// Expansions less re-queues since `s_last` moved, not below zero while it may move again.
    pub(super) lead: i32,
    /// The first key of the queue when the search was last interrupted.
    first_key: Option<Q::Key>,
    goals: Goals,
    /// Goals that are blocked, a bit each: the node of one looks the same when it is passable and not yet
    /// expanded.
    blocked_goals: u16,
    /// The move that is preferred among equally good ones.
    preferred: u8,
    pub(super) stats: Stats,
    pub(super) revision: Revision,
    unknown: PhantomData<U>,
}

impl<W: Width, Q: Queue<W>, U, const N: usize> DStarLite<Array<N>, W, Q, U> {
    /// A search in an array, all zero, on queue `Q`.
    #[must_use]
    pub const fn with_queue(queue: Q) -> Self {
        Self::in_storage(queue, [[Self::NODE; BLOCK]; N])
    }
}

impl<W: Width, U, const N: usize, const WORDS: usize> DStarLite<Array<N>, W, Buckets<WORDS>, U> {
    /// A search in an array, all zero.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_queue(Buckets::new())
    }
}

impl<W: Width, U, const N: usize, const WORDS: usize> Default
    for DStarLite<Array<N>, W, Buckets<WORDS>, U>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Allocate, W: Width, Q: Queue<W>, U> DStarLite<S, W, Q, U> {
    /// A search with memory for so many [`blocks`](crate::storage::blocks).
    #[must_use]
    pub fn allocate(queue: Q, blocks: usize) -> Self {
        Self::in_storage(queue, S::allocate(blocks, [Self::NODE; BLOCK]))
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U> DStarLite<S, W, Q, U> {
    /// A node before its first use: all zero.
    pub const NODE: DStarLiteNode<W, Q::Link> = DStarLiteNode::zero(Q::NO_LINK, ());

    /// A search in `nodes`.
    #[must_use]
    pub const fn in_storage(queue: Q, nodes: S::Of<Block<DStarLiteNode<W, Q::Link>>>) -> Self {
        Self::inflated(queue, nodes, Exact)
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U, I: Inflation<W>> DStarLite<S, W, Q, U, I> {
    /// Like [`DStarLite::in_storage`], with keys of another kind.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) const fn inflated(
        queue: Q,
        nodes: S::Of<Block<Node<W, Q, I>>>,
        inflation: I,
    ) -> Self {
        Self {
            nodes,
            open: Open::new(queue, inflation),
            is_interrupted: false,
            lead: 0,
            first_key: None,
            goals: Goals::NONE,
            blocked_goals: 0,
            preferred: 0,
            stats: Stats::ZERO,
            revision: Revision::ZERO,
            unknown: PhantomData,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn nodes(&self) -> &S::Nodes<Node<W, Q, I>> {
        S::nodes(&self.nodes)
    }

    /// The robot's vertex and cell.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn s_start(&self) -> (usize, Cell) {
        (self.open.start, self.open.start_cell)
    }

    /// Returns the cost of the path from the robot's cell in the last tick to the goal, if one was found.
    pub fn distance(&self) -> Option<usize> {
        let (g, rhs) = self.values(self.open.start);
        let goal = self.goals.position(self.open.start_cell);
        let is_blocked_goal = |index: usize| self.blocked_goals >> index & 1 != 0;
        let is_blocked = g == infinity::<W>() && rhs == 0 && goal.is_none_or(is_blocked_goal);
        (!is_blocked && rhs < infinity::<W>()).then_some(rhs)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn values(&self, vertex: usize) -> (usize, usize) {
        values(self.nodes(), vertex)
    }

    fn replace(&mut self, vertex: usize, node: Node<W, Q, I>) {
        if let Some(kept) = S::nodes_mut(&mut self.nodes).node_mut(vertex) {
            *kept = node;
        }
    }

    /// Adds the queue operations since the last call to `work`.
    pub(super) fn record_queue_ops(&mut self, work: &mut Work) {
        let ops = core::mem::take(&mut self.open.work.ops);
        work.queue_ops = work.queue_ops.saturating_add(ops);
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy, I: Inflation<W>>
    DStarLite<S, W, Q, U, I>
{
    /// Returns whether the path from the robot is known already, as on a path on which nothing changed.
    pub(super) fn is_done(&mut self, graph: &impl Graph) -> bool {
        let nodes = S::nodes_mut(&mut self.nodes);
        self.open.is_done(nodes, graph)
    }

    /// Lines 30-31: moves `s_last` to `s_start`. Keys made before are now lower bounds.
    pub(super) fn move_s_last(&mut self, graph: &impl Graph) {
        let open = &mut self.open;
        let distance = heuristic(graph, open.s_last(), open.start_cell);
        open.k_m = (open.k_m).wrapping_add(open.inflation.f(0, distance, false));
        if distance > 0 {
            open.set_s_last(open.start_cell);
            open.queue.age();
        }
        self.lead = 0;
    }

    /// Searches until the path from the robot is known, or the budget is used up: `false`.
    pub(super) fn search(
        &mut self,
        graph: &impl Graph,
        remaining: &mut Remaining,
        work: &mut Work,
    ) -> bool {
        let before = *work;
        let nodes = S::nodes_mut(&mut self.nodes);
        let done = self.open.compute_shortest_path(nodes, graph, remaining);
        // An expansion pops an entry and a re-queue moves one.
        self.open.work.ops += remaining.record(work);
        let expanded = work.expansions.wrapping_sub(before.expansions);
        let requeued = work.requeues.wrapping_sub(before.requeues);
        self.lead = self
            .lead
            .saturating_add_unsigned(expanded)
            .saturating_sub_unsigned(requeued);
        done
    }

    /// Line 26: the first successor, from the preferred one on, through which the path from a vertex, not a goal, is as
    /// short as its `rhs`.
    pub(super) fn best_successor<G: Graph>(
        &self,
        graph: &G,
        vertex: usize,
        cell: Cell,
    ) -> Option<(usize, Cell)> {
        let (moves, (_, rhs)) = (graph.moves(vertex), self.values(vertex));
        if rhs == infinity::<W>() {
            return None;
        }
        // Without branches: which move it is cannot be predicted.
        let (preferred, mut shortest) = (usize::from(self.preferred), 0_usize);
        for_each_move!(G::MOVES, M => {
            let into = graph.grid().neighbor(vertex, M);
            let through = sum::<W>(self.values(into).0, graph.cost(M, into));
            shortest |= usize::from((through == rhs) & moves.contains(M)) << M;
        });
        if shortest == 0 {
            return None;
        }
        let from_preferred = (shortest | shortest << G::MOVES) >> preferred;
        let m = (preferred + from_preferred.trailing_zeros() as usize) % G::MOVES;
        Some((graph.grid().neighbor(vertex, m), cell_after(cell, m)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Navigator,
        map::CellMap,
        planner::{Budget, Planner},
    };

    /// Along a corridor each expanded cell was inserted and removed, and inserts one more.
    #[test]
    fn every_queue_operation_is_counted() {
        let map = CellMap::<Array<40>>::new();
        let search = DStarLite::<Array<40>, Bits16, Buckets<4>>::new();
        let mut planner = Navigator::from_parts(map, search);
        let (start, goal) = (Cell::new(0, 0), Cell::new(8, 0));
        planner.begin((9, 1), start, &[goal]).unwrap();
        planner.tick(start, Budget::UNLIMITED).unwrap();
        let work = planner.stats().last_tick;
        assert_eq!((work.expansions, work.requeues), (8, 0));
        assert_eq!(work.queue_ops, 2 * work.expansions + 1);
    }
}
