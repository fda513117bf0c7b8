//! D* Lite (Koenig & Likhachev), with a heap or with the buckets of Likhachev & Koenig (2006).
//!
//! The search runs from the goal, which stays, to the robot, which moves. It keeps two estimates of the
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

mod inflation;
mod inspect;
mod repair;

use core::{fmt::Debug, marker::PhantomData};

pub use self::inflation::{Exact, Inflation};
use self::repair::{Context, Node, QueueWork, compute_shortest_path, set_values, values};
use super::{Search, check_fit, clear_queue};
use crate::{
    BuildError, Cell, Goals, GoalsError, OffMap,
    budget::Remaining,
    graph::{Graph, GraphChange, cell_after, heuristic, opposite},
    map::{AsFree, Change, Map, UnknownPolicy},
    planner::{Budget, Decision, Stats, Work},
    queue::{AuditQueue, Buckets, Linked, Queue},
    search::global::{GlobalSearch, Progress},
    storage::{Allocate, Array, BLOCK, Block, Storage, flat, flat_mut},
    width::{Bits16, Width, Word, infinity, sum},
};

/// Data of D* Lite per vertex: 8 bytes with buckets and [`Bits16`].
#[derive(Clone, Copy, Debug, Default)]
pub struct DStarLiteNode<W: Width, L, S = ()> {
    g: W::Cost,
    rhs: W::Cost,
    link: L,
    /// Used by Anytime D*.
    pub(super) stamp: S,
}

impl<W: Width, L, S> Linked<L> for DStarLiteNode<W, L, S> {
    #[inline(always)]
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

/// A violated invariant of D* Lite: a bug in the planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvariantViolation {
    /// The search takes a vertex for passable that is blocked in the map, or the other way round.
    Map(usize),
    /// `rhs` of a vertex is not the minimum over its successors.
    Rhs(usize),
    /// The queue does not hold exactly the inconsistent vertices.
    Queue {
        /// Number of inconsistent vertices.
        inconsistent: usize,
        /// Number of entries.
        queued: usize,
    },
    /// The queue has an inconsistent vertex later than its key says, or not at all.
    Key(usize),
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
    queue: Q,
    pub(super) nodes: S::Of<Block<Node<W, Q, I>>>,
    pub(super) inflation: I,
    /// The robot's vertex and cell.
    pub(super) s_start: (usize, Cell),
    /// The robot's cell when keys were last made for it.
    s_last: Cell,
    pub(super) k_m: usize,
    /// True if the last search was interrupted before the path from `s_start` was known.
    pub(super) is_interrupted: bool,
    /// Expansions less re-queues since `s_last` moved, not below zero while it may move again.
    pub(super) lead: i32,
    goals: Goals,
    /// Goals that are blocked, a bit each: the node of one looks the same when it is passable and not yet
    /// expanded.
    blocked_goals: u16,
    /// Since the last tick ended.
    pub(super) queue_work: QueueWork,
    pub(super) stats: Stats,
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
    pub(super) const fn inflated(
        queue: Q,
        nodes: S::Of<Block<Node<W, Q, I>>>,
        inflation: I,
    ) -> Self {
        Self {
            queue,
            nodes,
            inflation,
            s_start: (0, Cell::new(0, 0)),
            s_last: Cell::new(0, 0),
            k_m: 0,
            is_interrupted: false,
            lead: 0,
            goals: Goals::NONE,
            blocked_goals: 0,
            queue_work: QueueWork::ZERO,
            stats: Stats::ZERO,
            unknown: PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn nodes(&self) -> &[Node<W, Q, I>] {
        flat(&self.nodes)
    }

    /// Returns the cost of the path from the robot's cell in the last tick to the goal, if one was found.
    pub fn distance(&self) -> Option<usize> {
        let (g, rhs) = self.values(self.s_start.0);
        let goal = self
            .goals
            .cells()
            .iter()
            .position(|&goal| goal == self.s_start.1);
        let is_blocked_goal = |index: usize| self.blocked_goals >> index & 1 != 0;
        let is_blocked = g == infinity::<W>() && rhs == 0 && goal.is_none_or(is_blocked_goal);
        (!is_blocked && rhs < infinity::<W>()).then_some(rhs)
    }

    #[inline(always)]
    pub(super) fn values(&self, vertex: usize) -> (usize, usize) {
        values(self.nodes(), vertex)
    }

    fn replace(&mut self, vertex: usize, node: Node<W, Q, I>) {
        if let Some(kept) = flat_mut(&mut self.nodes).get_mut(vertex) {
            *kept = node;
        }
    }

    /// Adds the queue operations since the last call to `work`.
    pub(super) fn record_queue_ops(&mut self, work: &mut Work) {
        let ops = core::mem::take(&mut self.queue_work.ops);
        work.queue_ops = work.queue_ops.saturating_add(ops);
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy, I: Inflation<W>>
    DStarLite<S, W, Q, U, I>
{
    /// Returns whether the search takes the vertex for blocked; the map may have changed since.
    pub(super) fn is_blocked(&self, graph: &impl Graph, vertex: usize) -> bool {
        let is_blocked_goal = |index: usize| self.blocked_goals >> index & 1 != 0;
        self.values(vertex) == (infinity::<W>(), 0)
            && self.goal(graph, vertex).is_none_or(is_blocked_goal)
    }

    /// The index of the goal at a vertex.
    #[inline(always)]
    fn goal(&self, graph: &impl Graph, vertex: usize) -> Option<usize> {
        self.goals.index(graph.grid(), vertex)
    }

    #[inline(always)]
    fn context<G: Graph>(&self, graph: G) -> Context<'_, G, I> {
        Context::new(graph, &self.inflation, self.s_last, self.k_m)
    }

    /// Lines 07-09: brings `rhs` and the queue up to date after costs around a vertex changed. The `rhs` of
    /// goals and blocked vertices is zero and stays.
    fn update_vertex(&mut self, graph: &impl Graph, vertex: usize) {
        if self.values(vertex).1 > 0 {
            self.recompute_rhs(graph, vertex);
        }
    }

    /// Recomputes the `rhs` of a passable vertex.
    fn recompute_rhs(&mut self, graph: &impl Graph, vertex: usize) {
        let rhs = self.context(*graph).compute_rhs(self.nodes(), vertex);
        self.set_rhs(graph, vertex, rhs);
    }

    #[inline(always)]
    fn set_rhs(&mut self, graph: &impl Graph, vertex: usize, rhs: usize) {
        let context = Context::new(*graph, &self.inflation, self.s_last, self.k_m);
        let nodes = flat_mut(&mut self.nodes);
        let (g, _) = values(nodes, vertex);
        let at = (vertex, context.heuristic(context.offset(vertex)));
        let (queue, work) = (&mut self.queue, &mut self.queue_work);
        set_values(&context, queue, nodes, at, (g, rhs), work);
    }

    /// Returns whether the path from the robot is known already, as on a path on which nothing changed.
    pub(super) fn is_done(&mut self, graph: &impl Graph) -> bool {
        let nodes = flat_mut(&mut self.nodes);
        match self.queue.peek(nodes) {
            Some((_, first)) => {
                let context = Context::new(*graph, &self.inflation, self.s_last, self.k_m);
                context
                    .start_key::<W, Q>(nodes, self.s_start)
                    .ends_at(first)
            }
            None => true,
        }
    }

    /// Lines 30-31: moves `s_last` to `s_start`. Keys made before are now lower bounds.
    pub(super) fn move_s_last(&mut self, graph: &impl Graph) {
        let distance = heuristic(graph, self.s_last, self.s_start.1);
        self.k_m = self.k_m.wrapping_add(self.inflation.f(0, distance, false));
        self.s_last = self.s_start.1;
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
        let context = Context::new(*graph, &self.inflation, self.s_last, self.k_m);
        let (queue, nodes) = (&mut self.queue, flat_mut(&mut self.nodes));
        let (done, queue_work) =
            compute_shortest_path(context, queue, nodes, self.s_start, remaining, work);
        let expanded = work.expansions.wrapping_sub(before.expansions);
        let requeued = work.requeues.wrapping_sub(before.requeues);
        self.lead = self
            .lead
            .saturating_add_unsigned(expanded)
            .saturating_sub_unsigned(requeued);
        self.queue_work.ops += queue_work.ops;
        self.queue_work.incons |= queue_work.incons;
        done
    }

    /// Blocks or unblocks a vertex as the map says; `false` when it was so already.
    fn match_map(&mut self, graph: &impl Graph, vertex: usize) -> bool {
        let is_passable = graph.is_passable(vertex);
        if is_passable != self.is_blocked(graph, vertex) {
            return false;
        }
        let (g, rhs) = self.values(vertex);
        if !is_passable && g != rhs {
            self.queue.remove(flat_mut(&mut self.nodes), vertex);
            self.queue_work.ops += 1;
        }
        self.replace(
            vertex,
            if is_passable {
                DStarLiteNode::unreached()
            } else {
                DStarLiteNode::blocked()
            },
        );
        if let Some(index) = self.goal(graph, vertex) {
            self.blocked_goals ^= 1 << index;
            self.enter_goal(graph, vertex);
        }
        true
    }

    /// Makes a vertex a goal, unless it is blocked.
    fn enter_goal(&mut self, graph: &impl Graph, vertex: usize) {
        if !self.is_blocked(graph, vertex) {
            self.set_rhs(graph, vertex, 0);
        }
    }

    /// Makes a passable vertex that was a goal an ordinary one.
    fn leave_goal(&mut self, graph: &impl Graph, vertex: usize) {
        let (g, rhs) = self.values(vertex);
        if g == infinity::<W>() && rhs == 0 {
            // Passable and not yet expanded: out of the queue, before its values are taken for blocked.
            self.queue.remove(flat_mut(&mut self.nodes), vertex);
            self.queue_work.ops += 1;
            self.replace(vertex, DStarLiteNode::unreached());
        }
        self.recompute_rhs(graph, vertex);
    }

    /// Line 26: the first successor through which the path from a vertex, not a goal, is as short as its `rhs`.
    pub(super) fn best_successor<G: Graph>(
        &self,
        graph: &G,
        vertex: usize,
        cell: Cell,
    ) -> Option<(usize, Cell)> {
        let (moves, (_, rhs)) = (graph.moves(vertex), self.values(vertex));
        for m in 0..G::MOVES {
            let into = graph.grid().neighbor(vertex, m);
            let through = sum::<W>(self.values(into).0, graph.cost(m, into));
            if through == rhs && rhs < infinity::<W>() && moves.contains(m) {
                return Some((into, cell_after(cell, m)));
            }
        }
        None
    }

    /// Takes in a change of the edges between two vertices that was made just now: only the one whose path
    /// may lead over the other is updated.
    #[inline(never)] // most observations change nothing, and are faster without this
    fn edge_changed(&mut self, graph: &impl Graph, a: usize, b: usize) {
        for (from, into) in [(a, b), (b, a)] {
            if self.values(into).0 < self.values(from).1 {
                self.update_vertex(graph, from);
            }
        }
    }

    fn reconcile_in<G: Graph>(&mut self, graph: &G, vertex: usize) {
        self.match_map(graph, vertex);
        self.update_vertex(graph, vertex);
        // The edges to the vertex changed, and with a corner rule those between its neighbors.
        for m in 0..G::MOVES {
            self.update_vertex(graph, graph.grid().neighbor(vertex, m));
        }
    }

    /// Lines 32-34, for what depends on the change.
    fn apply_in<G: Graph>(&mut self, graph: &G, change: GraphChange) {
        match change {
            GraphChange::Edge(a, b, _) => {
                self.update_vertex(graph, a);
                self.update_vertex(graph, b);
            }
            // It may have been blocked and unblocked several times since: the map is right.
            GraphChange::Blocked(vertex) | GraphChange::Unblocked(vertex) if !G::CORNERS => {
                let (g, _) = self.values(vertex);
                if !self.match_map(graph, vertex) {
                    return;
                }
                self.update_vertex(graph, vertex);
                for m in 0..G::MOVES {
                    let from = graph.grid().neighbor(vertex, m);
                    let through = sum::<W>(g, graph.cost(opposite(m), vertex));
                    if g < infinity::<W>() && self.values(from).1 == through {
                        self.update_vertex(graph, from);
                    }
                }
            }
            GraphChange::Blocked(vertex)
            | GraphChange::Unblocked(vertex)
            | GraphChange::Weight(vertex, _) => self.reconcile_in(graph, vertex),
        }
    }

    pub(super) fn begin_on<G: Graph>(
        &mut self,
        graph: G,
        start: Cell,
        goals: &[Cell],
    ) -> Result<(), BuildError> {
        // Until all checks have passed every call says that the robot is outside.
        self.goals = Goals::NONE;
        let nodes = flat_mut(&mut self.nodes);
        let vertices = check_fit::<W>(&graph, Q::HEADS, nodes.len())?;
        let s_start = graph.grid().vertex(start)?;
        let goals = Goals::new(graph.grid(), goals)?;
        for (vertex, node) in nodes.iter_mut().enumerate() {
            *node = if graph.is_passable(vertex) {
                DStarLiteNode::unreached()
            } else {
                DStarLiteNode::blocked()
            };
        }
        clear_queue::<W, Q, _>(&mut self.queue, nodes, vertices)?;
        (self.s_start, self.s_last) = ((s_start, start), start);
        (self.k_m, self.lead, self.is_interrupted) = (0, 0, false);
        (self.queue_work, self.stats) = (QueueWork::ZERO, Stats::ZERO);
        self.blocked_goals = 0;
        for (index, vertex) in goals.vertices(graph.grid()).enumerate() {
            self.blocked_goals |= u16::from(!graph.is_passable(vertex)) << index;
        }
        self.goals = goals.clone();
        for vertex in goals.vertices(graph.grid()) {
            self.enter_goal(&graph, vertex);
        }
        Ok(())
    }

    fn set_goals_in(&mut self, graph: &impl Graph, goals: &[Cell]) -> Result<(), GoalsError> {
        let grid = graph.grid();
        let goals = Goals::new(grid, goals)?;
        let blocked = |vertex| u16::from(self.is_blocked(graph, vertex));
        let blocked_goals = goals
            .vertices(grid)
            .enumerate()
            .fold(0, |set, (index, vertex)| set | blocked(vertex) << index);
        let old = core::mem::replace(&mut self.goals, goals.clone());
        // As no longer a goal, a blocked one is told by its values.
        let was_blocked = core::mem::replace(&mut self.blocked_goals, blocked_goals);
        for (index, vertex) in old.vertices(grid).enumerate() {
            if was_blocked >> index & 1 == 0 && goals.index(grid, vertex).is_none() {
                self.leave_goal(graph, vertex);
            }
        }
        for vertex in goals.vertices(grid) {
            if old.index(grid, vertex).is_none() {
                self.enter_goal(graph, vertex);
            }
        }
        self.is_interrupted |= old != goals;
        Ok(())
    }

    fn advance_in(&mut self, graph: &impl Graph, budget: Budget, work: &mut Work) -> Progress {
        let is_blocked = self.is_blocked(graph, self.s_start.0);
        if !is_blocked && !self.is_done(graph) {
            if !self.is_interrupted || self.lead >= 0 {
                self.move_s_last(graph);
            }
            self.is_interrupted = !self.search(graph, &mut Remaining::new(budget), work);
        } else {
            self.is_interrupted = false;
        }
        self.record_queue_ops(work);
        if self.is_interrupted {
            return Progress::Searching;
        }
        match self.best_successor(graph, self.s_start.0, self.s_start.1) {
            Some((_, next)) if !is_blocked => Progress::Path(next),
            _ => Progress::NoPath,
        }
    }
}

impl<S: Storage, W: Width, Q: AuditQueue<W>, U: UnknownPolicy, I: Inflation<W>>
    DStarLite<S, W, Q, U, I>
{
    /// Checks the invariants that D* Lite's proof rests on, for a search that is up to date with its map:
    /// `rhs` is the minimum over the successors, the queue holds exactly the inconsistent vertices, and none
    /// of them later than its key says. For tests: it visits the whole map.
    ///
    /// # Errors
    /// The first violation found.
    pub fn audit<M: Map>(&self, map: &M) -> Result<(), InvariantViolation> {
        let graph = &map.view::<U>();
        let context = self.context(*graph);
        let mut inconsistent = 0;
        for vertex in 0..graph.grid().vertices() {
            let (g, rhs) = self.values(vertex);
            let is_passable = graph.is_passable(vertex);
            if is_passable == self.is_blocked(graph, vertex) {
                return Err(InvariantViolation::Map(vertex));
            }
            let expected = if !is_passable || self.goal(graph, vertex).is_some() {
                0
            } else {
                context.compute_rhs(self.nodes(), vertex)
            };
            if rhs != expected {
                return Err(InvariantViolation::Rhs(vertex));
            }
            if is_passable && g != rhs {
                inconsistent += 1;
                self.audit_key(&context, vertex)?;
            }
        }
        let link = |id: usize| self.nodes().get(id).map(|node| node.link);
        let queued = self.queue.count(link);
        if queued != inconsistent {
            return Err(InvariantViolation::Queue {
                inconsistent,
                queued,
            });
        }
        Ok(())
    }

    /// Checks that the queue has an inconsistent vertex, and not later than its key for `s_last`, which is not
    /// after that for `s_start`.
    fn audit_key<G: Graph>(
        &self,
        context: &Context<'_, G, I>,
        vertex: usize,
    ) -> Result<(), InvariantViolation> {
        let link = |id: usize| self.nodes().get(id).map(|node| node.link);
        let (Some(node), Some(bound)) = (self.nodes().get(vertex), self.queue.bound(link, vertex))
        else {
            return Err(InvariantViolation::Key(vertex));
        };
        let h = context.heuristic(context.offset(vertex));
        let (key, _) = context.key::<W, Q>(h, self.values(vertex), node.stamp);
        match Q::is_before(key, bound) {
            true => Err(InvariantViolation::Key(vertex)),
            false => Ok(()),
        }
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy, I: Inflation<W>> GlobalSearch
    for DStarLite<S, W, Q, U, I>
{
    type Unknown = U;

    fn reconcile<M: Map>(&mut self, map: &M, vertex: usize) {
        self.reconcile_in(&map.view::<U>(), vertex);
    }

    fn apply<M: Map>(&mut self, map: &M, change: GraphChange) {
        self.apply_in(&map.view::<U>(), change);
    }

    fn refresh<M: Map>(&mut self, map: &M, vertex: usize) {
        let graph = &map.view::<U>();
        if self.match_map(graph, vertex) {
            self.reconcile_in(graph, vertex);
        } else {
            self.update_vertex(graph, vertex);
        }
    }

    fn move_to<M: Map>(&mut self, map: &M, at: Cell) -> Result<(), OffMap> {
        self.s_start = (map.view::<U>().grid().vertex(at)?, at);
        Ok(())
    }

    fn advance<M: Map>(&mut self, map: &M, budget: Budget, work: &mut Work) -> Progress {
        self.advance_in(&map.view::<U>(), budget, work)
    }

    fn goals(&self) -> &Goals {
        &self.goals
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy, I: Inflation<W>> Search
    for DStarLite<S, W, Q, U, I>
{
    fn begin<M: Map>(&mut self, map: &M, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        self.begin_on(map.view::<U>(), start, goals)
    }

    #[inline(always)]
    fn update<M: Map>(&mut self, map: &M, change: Change) -> bool {
        match change.seen_as::<U>() {
            None => return false,
            Some(GraphChange::Edge(a, b, _)) => self.edge_changed(&map.view::<U>(), a, b),
            Some(change) => self.apply(map, change),
        }
        true
    }

    fn tick<M: Map>(&mut self, map: &M, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.move_to(map, at)?;
        // The `rhs` of goals, and of no other passable vertex, is zero.
        if self.values(self.s_start.0).1 == 0 && self.goals.contains(at) {
            self.stats.record(Work::ZERO);
            return Ok(Decision::Arrived);
        }
        let mut work = Work::ZERO;
        let progress = self.advance(map, budget, &mut work);
        self.stats.record_tick(work);
        Ok(progress.into())
    }

    fn set_goals<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError> {
        self.set_goals_in(&map.view::<U>(), goals)
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Navigator, map::CellMap, planner::Planner};

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
