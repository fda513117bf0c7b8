//! Algorithm 2 of Hernández & Baier (2011): the tree of a goal, by a backward search that can be interrupted
//! anywhere.

use super::{ExitRule, Growth, Source, Sub, Subgoal, Tree};
use crate::{
    BuildError, Cell,
    budget::Remaining,
    graph::{Graph, Grid, MoveSet, Trend, cell_after, heuristic, opposite},
    planner::{Budget, Work},
    queue::{Linked, Queue},
    search::{check_fit, clear_queue, key},
    storage::{Allocate, BLOCK, Block, Storage, flat, flat_mut},
    width::{Bits16, Width, Word, add, infinity},
};

/// Nodes that are cleared in the time of one expansion, before another tree grows.
pub const CLEARED: u32 = 32;

/// Data of [`Grown`] per vertex: ten bytes with [`Bits16`](crate::width::Bits16) and buckets.
///
/// The paper's `g_sub` is not kept: it is `g` less the `g` of the subgoal.
#[derive(Clone, Copy, Debug, Default)]
pub struct GrownNode<W: Width, L> {
    /// Infinite before the vertex is reached.
    g: W::Cost,
    /// The number of `Sub`, final when settled unless the vertex becomes a subgoal itself.
    sub: W::Id,
    /// The move to the parent, towards the goal.
    tree: u8,
    mark: Mark,
    link: L,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mark {
    #[default]
    Unseen,
    /// In the OPEN list.
    Open,
    /// Expanded.
    Settled,
}

impl<W: Width, L: Default> GrownNode<W, L> {
    fn unseen() -> Self {
        Self {
            g: W::Cost::new(infinity::<W>()),
            ..Self::default()
        }
    }
}

impl<W: Width, L> Linked<L> for GrownNode<W, L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn link(&mut self) -> &mut L {
        &mut self.link
    }
}

/// A subgoal as it is stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Branch<W: Width> {
    vertex: W::Id,
    /// Smaller than the branch's own number, but for the goal, which is its own.
    parent: W::Id,
}

/// A vertex that is being expanded.
struct Expanded {
    vertex: usize,
    cell: Cell,
    g: usize,
    moves: MoveSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// All nodes are clear, and the goal is not yet in the OPEN list.
    Clear,
    /// Nodes from this one on hold values of an earlier goal or map.
    Clearing(usize),
    Growing,
    Done,
}

/// A tree that is grown from its goal, a share of every tick.
///
/// A cell's [`Sub`] is known as soon as the search has expanded it, and with it all that a robot there
/// needs; the rest of the tree grows meanwhile. Where the tree is only to be used, on a
/// robot that does not make it, use [`Packed`](super::packed::Packed) instead; it needs no memory.
///
/// # When it is full
///
/// With no room for another subgoal, cells beyond keep the one that the search had before. The tree is
/// then [full](Grown::is_full): the heuristic is no longer exact everywhere, and the robot has to learn there; it
/// arrives nevertheless. Near the goal it is exact, because the search began there.
///
/// ```
/// use planner_core::subgoal::{ExitRule, Growth, Grown, Source, Sub, Subgoal, Tree};
/// use planner_core::{Work, map::AsFree, prelude::*, queue::Buckets};
///
/// const N: usize = capacity(9, 9);
/// let mut map = CellMap::<Array<N>>::new();
/// map.resize(9, 9)?;
/// for x in 0..8 {
///     let _ = map.observe(Observation::Cell(Cell::new(x, 4), Occupancy::Blocked))?;
/// }
///
/// let mut tree = Grown::<Array<N>, Array<16>, Bits16, Buckets<1>>::allocate(Buckets::new(), N, 16, ExitRule::Reached);
/// tree.begin(&map.view::<AsFree>())?;
/// tree.change_goal(Cell::new(0, 8));
/// let mut ticks = 0;
/// while tree.advance(&map.view::<AsFree>(), Budget::limit(8), &mut Work::default()) == Growth::Growing {
///     ticks += 1;
/// }
/// assert_eq!(ticks, 9); // 73 cells
/// // From the upper left corner the path leads through the gap at the right.
/// assert_eq!(tree.sub(Cell::new(0, 0)), Sub::Of(1));
/// assert_eq!(tree.subgoal(1), Some(Subgoal { cell: Cell::new(8, 3), parent: Some(0) }));
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Grown<S: Storage, B: Storage, W: Width = Bits16, Q: Queue<W> = crate::queue::Buckets<16>>
{
    grid: Grid,
    queue: Q,
    nodes: S::Of<Block<GrownNode<W, Q::Link>>>,
    /// Only those below `len` count.
    branches: B::Of<Branch<W>>,
    len: usize,
    rule: ExitRule,
    goal: usize,
    phase: Phase,
    full: bool,
}

impl<S: Allocate, B: Allocate, W: Width, Q: Queue<W>> Grown<S, B, W, Q> {
    /// A tree of at most `subgoals` subgoals, the goal included, with memory for so many
    /// [`blocks`](crate::storage::blocks) of vertices.
    #[must_use]
    pub fn allocate(queue: Q, blocks: usize, subgoals: usize, rule: ExitRule) -> Self {
        let nodes = S::allocate(blocks, [Self::NODE; BLOCK]);
        Self::in_storage(queue, nodes, B::allocate(subgoals, Self::BRANCH), rule)
    }
}

impl<S: Storage, B: Storage, W: Width, Q: Queue<W>> Grown<S, B, W, Q> {
    /// A node before its first use: all zero.
    pub const NODE: GrownNode<W, Q::Link> = GrownNode {
        g: W::Cost::ZERO,
        sub: W::Id::ZERO,
        tree: 0,
        mark: Mark::Unseen,
        link: Q::NO_LINK,
    };

    /// A subgoal before its first use: all zero.
    pub const BRANCH: Branch<W> = Branch {
        vertex: W::Id::ZERO,
        parent: W::Id::ZERO,
    };

    /// A tree of at most `branches.len()` subgoals, the goal included, that must [begin](Source::begin).
    #[must_use]
    pub const fn in_storage(
        queue: Q,
        nodes: S::Of<Block<GrownNode<W, Q::Link>>>,
        branches: B::Of<Branch<W>>,
        rule: ExitRule,
    ) -> Self {
        Self {
            grid: Grid::EMPTY,
            queue,
            nodes,
            branches,
            len: 0,
            rule,
            goal: 0,
            phase: Phase::Clear,
            full: false,
        }
    }

    /// Returns whether there was no room for a subgoal.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Returns the cost of the path from a cell to the goal, if the search has expanded it.
    #[must_use]
    pub fn distance(&self, cell: Cell) -> Option<usize> {
        self.settled(cell).map(|node| node.g.get())
    }

    /// The node of a cell that this tree's search has expanded.
    fn settled(&self, cell: Cell) -> Option<GrownNode<W, Q::Link>> {
        if !matches!(self.phase, Phase::Growing | Phase::Done) {
            return None;
        }
        let node = self.node(self.grid.vertex(cell).ok()?);
        (node.mark == Mark::Settled).then_some(node)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn node(&self, vertex: usize) -> GrownNode<W, Q::Link> {
        flat(&self.nodes).get(vertex).copied().unwrap_or_default()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn branch(&self, number: usize) -> Branch<W> {
        self.branches
            .as_ref()
            .get(number)
            .copied()
            .unwrap_or_default()
    }

    fn begin_again(&mut self) {
        self.len = 0;
        self.full = false;
        self.phase = match self.phase {
            Phase::Clear => Phase::Clear,
            _ => Phase::Clearing(0),
        };
    }

    /// Clears at most `limit` nodes and returns how many expansions' time that took.
    fn clear(&mut self, from: usize, limit: u32) -> u32 {
        let cells = self.grid.vertices();
        let most = (limit as usize).saturating_mul(CLEARED as usize);
        let to = from.saturating_add(most).min(cells);
        if let Some(nodes) = flat_mut(&mut self.nodes).get_mut(from..to) {
            nodes.fill(GrownNode::unseen());
        }
        self.phase = if to < cells {
            Phase::Clearing(to)
        } else {
            Phase::Clear
        };
        (to.saturating_sub(from) as u32).div_ceil(CLEARED)
    }

    /// Lines 1-6.
    fn insert_goal(&mut self, graph: &impl Graph, work: &mut Work) {
        self.queue
            .clear(flat_mut(&mut self.nodes), self.grid.vertices());
        self.phase = Phase::Growing;
        if !graph.is_passable(self.goal) {
            return;
        }
        self.push(self.goal, 0);
        if let Some(node) = flat_mut(&mut self.nodes).get_mut(self.goal) {
            (node.g, node.mark) = (W::Cost::new(0), Mark::Open);
        }
        // Cannot be full: it holds as many entries as there are vertices.
        let nodes = flat_mut(&mut self.nodes);
        let _ = self.queue.insert(nodes, self.goal, key::<Q>(0, 0));
        work.queue_ops += 1;
    }

    /// Lines 18-20: makes a subgoal of a vertex and returns its number, or that of its parent in the
    /// tree when there is no room.
    fn push(&mut self, vertex: usize, parent: usize) -> usize {
        let number = self.len;
        let room = self.branches.as_mut().get_mut(number);
        // Ids number subgoals too.
        let room = room.filter(|_| number < <W::Id as Word>::MAX);
        let (Some(branch), Some(node)) = (room, flat_mut(&mut self.nodes).get_mut(vertex)) else {
            self.full = true;
            return parent;
        };
        *branch = Branch {
            vertex: W::Id::new(vertex),
            parent: W::Id::new(parent),
        };
        node.sub = W::Id::new(number);
        self.len = number + 1;
        number
    }

    /// Line 17: returns whether a cell with this `g` is as far from a subgoal as the heuristic says.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_exact(&self, graph: &impl Graph, cell: Cell, g: usize, subgoal: usize) -> bool {
        let g_sub = g.wrapping_sub(self.node(subgoal).g.get());
        g_sub == heuristic(graph, cell, self.grid.cell(subgoal))
    }

    /// Returns whether LRTA* is sure to get from a vertex to a subgoal without a detour: the heuristic is exact,
    /// and so it is after any step that looks as good as the best.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn suits<G: Graph>(&self, graph: &G, from: &Expanded, sub: usize) -> bool {
        let subgoal = self.branch(sub).vertex.get();
        let target = self.grid.cell(subgoal);
        let h = heuristic(graph, from.cell, target);
        if from.g.wrapping_sub(self.node(subgoal).g.get()) != h {
            return false;
        }
        for m in 0..G::MOVES {
            let next = self.grid.neighbor(from.vertex, m);
            if !from.moves.contains(m) || self.leads(next, sub) {
                continue;
            }
            let ahead = heuristic(graph, cell_after(from.cell, m), target);
            if graph.cost(m, next).wrapping_add(ahead) == h && graph.is_passable(next) {
                return false;
            }
        }
        true
    }

    /// Returns whether a robot at a vertex pursues a subgoal, or has reached it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leads(&self, vertex: usize, sub: usize) -> bool {
        let node = self.node(vertex);
        let is_own = || {
            let own = self.branch(node.sub.get());
            own.vertex.get() == vertex && own.parent.get() == sub
        };
        node.mark == Mark::Settled && (node.sub.get() == sub || is_own())
    }

    /// Lines 9-11: `Sub` of a vertex that is being expanded.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn inherit<G: Graph>(&mut self, graph: &G, from: &Expanded) -> usize {
        let node = self.node(from.vertex);
        if from.vertex == self.goal || self.rule == ExitRule::Stale {
            return node.sub.get();
        }
        let parent = self.grid.neighbor(from.vertex, node.tree.into());
        let sub = self.node(parent).sub.get();
        if self.rule == ExitRule::Reached || self.suits(graph, from, sub) {
            return sub;
        }
        match self.turn(graph, from) {
            Some(other) => other,
            None if self.branch(sub).vertex.get() == parent => sub,
            None => self.push(parent, sub),
        }
    }

    /// A subgoal that suits a vertex and is that of another of its shortest paths.
    #[cold]
    fn turn<G: Graph>(&mut self, graph: &G, from: &Expanded) -> Option<usize> {
        let (m, sub) = (0..G::MOVES).find_map(|m| {
            let parent = self.grid.neighbor(from.vertex, m);
            let node = self.node(parent);
            let on_the_way = from.moves.contains(m)
                && graph.is_passable(parent)
                && node.mark == Mark::Settled
                && node.g.get().wrapping_add(graph.cost(m, parent)) == from.g;
            let sub = node.sub.get();
            (on_the_way && self.suits(graph, from, sub)).then_some((m, sub))
        })?;
        if let Some(node) = flat_mut(&mut self.nodes).get_mut(from.vertex) {
            node.tree = m as u8;
        }
        Some(sub)
    }

    /// Lines 9-22.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn expand<G: Graph>(&mut self, graph: &G, vertex: usize, work: &mut Work) {
        let from = Expanded {
            vertex,
            cell: self.grid.cell(vertex),
            g: self.node(vertex).g.get(),
            moves: graph.moves(vertex),
        };
        let mut sub = self.inherit(graph, &from);
        if let Some(node) = flat_mut(&mut self.nodes).get_mut(vertex) {
            node.mark = Mark::Settled;
            node.sub = W::Id::new(sub);
        }
        for m in 0..G::MOVES {
            let next = self.grid.neighbor(vertex, m);
            let Some(node) = flat_mut(&mut self.nodes).get_mut(next) else {
                continue;
            };
            let reached = add::<W>(from.g, graph.cost(opposite(m), vertex));
            // First, because most of them are CLOSED or in OPEN already.
            if node.g.get() <= reached || !from.moves.contains(m) || !graph.is_passable(next) {
                continue;
            }
            let is_new = node.mark == Mark::Unseen;
            node.g = W::Cost::new(reached);
            node.tree = opposite(m) as u8;
            node.sub = W::Id::new(sub);
            node.mark = Mark::Open;
            let (nodes, key) = (flat_mut(&mut self.nodes), key::<Q>(reached, reached));
            if is_new {
                let _ = self.queue.insert(nodes, next, key);
            } else {
                self.queue.rekey(nodes, next, key);
            }
            work.queue_ops += 1;
            if self.rule == ExitRule::Safe {
                continue;
            }
            let subgoal = self.branch(sub).vertex.get();
            if subgoal != vertex && !self.is_exact(graph, self.grid.cell(next), reached, subgoal) {
                sub = self.push(vertex, sub);
            }
        }
    }

    /// Lines 7-22, as far as the budget goes.
    fn grow<G: Graph>(&mut self, graph: &G, budget: Budget, work: &mut Work) {
        let mut remaining = Remaining::new(budget);
        loop {
            let Some((vertex, bound)) = self.queue.peek(flat_mut(&mut self.nodes)) else {
                self.phase = Phase::Done;
                break;
            };
            let g = self.node(vertex).g.get();
            let (nodes, key) = (flat_mut(&mut self.nodes), key::<Q>(g, g));
            if Q::is_before(bound, key) {
                if !remaining.requeue() {
                    break;
                }
                self.queue.requeue(nodes, vertex, key);
            } else if remaining.expand() {
                self.queue.pop(nodes, vertex);
                self.expand(graph, vertex, work);
            } else {
                break;
            }
        }
        // Each of either kind pops an entry or moves it.
        work.queue_ops += remaining.record(work);
    }
}

impl<S: Storage, B: Storage, W: Width, Q: Queue<W>> Tree for Grown<S, B, W, Q> {
    fn len(&self) -> usize {
        self.len
    }

    fn subgoal(&self, number: usize) -> Option<Subgoal> {
        if number >= self.len {
            return None;
        }
        let branch = self.branch(number);
        Some(Subgoal {
            cell: self.grid.cell(branch.vertex.get()),
            parent: (number > 0).then(|| branch.parent.get()),
        })
    }

    fn find(&self, cell: Cell) -> Option<usize> {
        let number = self.settled(cell)?.sub.get();
        let vertex = self.grid.vertex(cell).ok()?;
        (self.branch(number).vertex.get() == vertex).then_some(number)
    }

    fn sub(&self, cell: Cell) -> Sub {
        match self.settled(cell) {
            Some(node) => Sub::Of(node.sub.get()),
            None if self.phase == Phase::Done => Sub::NoPath,
            None => Sub::Unknown,
        }
    }
}

impl<S: Storage, B: Storage, W: Width, Q: Queue<W>> Source for Grown<S, B, W, Q> {
    fn begin(&mut self, graph: &impl Graph) -> Result<(), BuildError> {
        let nodes = flat_mut(&mut self.nodes);
        let vertices = check_fit::<W>(graph, Q::HEADS, nodes.len())?;
        if self.branches.as_ref().is_empty() {
            let (needed, given) = (1, 0);
            return Err(BuildError::TooLittleMemory { needed, given });
        }
        nodes.fill(GrownNode::unseen());
        clear_queue::<W, Q, _>(&mut self.queue, nodes, vertices)?;
        self.grid = *graph.grid();
        (self.len, self.phase, self.full) = (0, Phase::Clear, false);
        Ok(())
    }

    fn resume(&mut self, graph: &impl Graph) -> Result<(), BuildError> {
        if self.grid == *graph.grid() {
            return Ok(());
        }
        self.begin(graph)
    }

    fn change_goal(&mut self, goal: Cell) {
        if let Ok(vertex) = self.grid.vertex(goal) {
            self.goal = vertex;
            self.begin_again();
        }
    }

    fn world_changed(&mut self, _trend: Trend) {
        self.begin_again();
    }

    fn advance<G: Graph>(&mut self, graph: &G, budget: Budget, work: &mut Work) -> Growth {
        let mut left = budget.after(*work);
        if let Phase::Clearing(from) = self.phase {
            left.expansions -= self.clear(from, left.expansions);
        }
        if self.phase == Phase::Clear && left.expansions > 0 {
            self.insert_goal(graph, work);
        }
        if self.phase == Phase::Growing {
            self.grow(graph, left, work);
        }
        match self.phase {
            Phase::Done => Growth::Done,
            _ => Growth::Growing,
        }
    }
}
