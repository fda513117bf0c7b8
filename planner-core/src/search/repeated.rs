//! Repeated A*: search, follow the path until it is blocked, search again.
//!
//! Adaptive A* does the same and keeps better heuristics from one search to the next.

use core::marker::PhantomData;

use super::{
    Search,
    astar::{AStar, AStarNode, HValues, Mark, SearchState},
    check_fit, clear_queue,
};
use crate::{
    BuildError, Cell, CellValues, Goals, GoalsError, OffMap,
    graph::{Graph, GraphChange, Trend, cell_after},
    inspect::InspectSearch,
    map::{AsFree, Change, Map, Revision, UnknownPolicy},
    planner::{Budget, Decision, Stats, Work},
    queue::Queue,
    storage::{Allocate, Array, BLOCK, Block, Storage, flat_mut},
    width::{Width, Word, infinity},
};

/// The direction of the searches of [`RepeatedAStar`] and what they keep.
#[expect(private_bounds, reason = "the strategies are these three")]
pub trait Strategy: HValues {}

/// From the robot to the goal.
#[derive(Clone, Copy, Debug)]
pub struct Forward;

/// From the goal to the robot.
#[derive(Clone, Copy, Debug)]
pub struct Backward;

/// From the robot to the goal, with h-values raised after each search: Adaptive A*.
///
/// Raised h-values stay consistent while costs only rise. When a cost falls, or the goal changes, they are
/// all forgotten, in constant time: the paths it finds are always shortest.
#[derive(Clone, Copy, Debug)]
pub struct Adaptive;

impl HValues for Forward {
    const BACKWARD: bool = false;
    const LEARN: bool = false;
}

impl HValues for Backward {
    const BACKWARD: bool = true;
    const LEARN: bool = false;
}

impl HValues for Adaptive {
    const BACKWARD: bool = false;
    const LEARN: bool = true;
}

impl<H: HValues> Strategy for H {}

/// The state between one search and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The next tick starts a search.
    Stale,
    /// A search from or to the robot at this vertex is in progress.
    Searching(usize),
    /// Vertices marked as path lead to the goal.
    Following,
    /// There is no path from this vertex.
    Stuck(usize),
}

/// Repeated A* by strategy `St`, with ids and costs of width `W` and queue `Q`, in storage `S`.
///
/// [`DStarLite`](super::DStarLite) repairs its search instead of repeating it and is the better choice wherever
/// its nodes fit.
///
/// ```
/// use planner_core::{prelude::*, search::{Adaptive, RepeatedAStar}};
/// use planner_core::queue::{Heap, LargerG};
///
/// const N: usize = capacity(9, 9);
/// type Search = RepeatedAStar<Array<N>, Bits16, Heap<Array<N>, u64, LargerG>, Adaptive>;
/// let mut planner = Navigator::from_parts(CellMap::<Array<N>>::new(), Search::with_queue(Heap::new()));
/// let (start, goal) = (Cell::new(0, 0), Cell::new(2, 0));
/// planner.begin((9, 9), start, &[goal])?;
/// assert_eq!(planner.tick(start, Budget::UNLIMITED)?, Decision::Step(Cell::new(1, 0)));
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct RepeatedAStar<S: Storage, W: Width, Q: Queue<W>, St, U = AsFree> {
    astar: AStar<S, W, Q>,
    goals: Goals,
    phase: Phase,
    stats: Stats,
    revision: Revision,
    kind: PhantomData<(St, U)>,
}

impl<W: Width, Q: Queue<W>, St, U, const N: usize> RepeatedAStar<Array<N>, W, Q, St, U> {
    /// A search in an array, all zero, on queue `Q`.
    #[must_use]
    pub const fn with_queue(queue: Q) -> Self {
        Self::in_storage(queue, [[Self::NODE; BLOCK]; N])
    }
}

impl<S: Allocate, W: Width, Q: Queue<W>, St, U> RepeatedAStar<S, W, Q, St, U> {
    /// A search with memory for so many [`blocks`](crate::storage::blocks).
    #[must_use]
    pub fn allocate(queue: Q, blocks: usize) -> Self {
        Self::in_storage(queue, S::allocate(blocks, [Self::NODE; BLOCK]))
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, St, U> RepeatedAStar<S, W, Q, St, U> {
    /// A node before its first use: all zero.
    pub const NODE: AStarNode<W, Q::Link> = AStar::<S, W, Q>::NODE;

    /// A search in `nodes`.
    #[must_use]
    pub const fn in_storage(queue: Q, nodes: S::Of<Block<AStarNode<W, Q::Link>>>) -> Self {
        Self {
            astar: AStar::new(queue, nodes),
            goals: Goals::NONE,
            phase: Phase::Stale,
            stats: Stats::ZERO,
            revision: Revision::ZERO,
            kind: PhantomData,
        }
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, St: Strategy, U: UnknownPolicy>
    RepeatedAStar<S, W, Q, St, U>
{
    /// Returns the cells that the last search expanded, the last one first.
    pub fn expanded<M: Map>(&self, map: &M) -> impl Iterator<Item = Cell> {
        let graph = map.view::<U>();
        self.astar.closed().map(move |v| graph.grid().cell(v))
    }

    /// Returns the h-value that a search from the robot, starting now, would use for a cell.
    ///
    /// # Errors
    /// The cell is outside the map.
    pub fn h<M: Map>(&self, map: &M, cell: Cell) -> Result<usize, OffMap> {
        let graph = map.view::<U>();
        let node = self.astar.node(graph.grid().vertex(cell)?);
        let heuristic = self.goals.heuristic(&graph, cell);
        Ok(self.astar.h::<St>(&node, heuristic))
    }

    /// Returns whether a change leaves the planned move from a vertex possible and its cost the same.
    fn keeps(&self, graph: &impl Graph, vertex: usize, change: GraphChange) -> bool {
        let is_goal = || self.goals.index(graph.grid(), vertex).is_some();
        if !self.astar.is(vertex, Mark::Path) || is_goal() {
            return true;
        }
        let m = usize::from(self.astar.node(vertex).tree);
        let next = graph.grid().neighbor(vertex, m);
        let is_repriced = matches!(change, GraphChange::Weight(changed, _) if changed == next);
        graph.moves(vertex).contains(m) && graph.is_passable(next) && !is_repriced
    }

    /// Returns whether a change leaves the path shortest.
    fn keeps_path<G: Graph>(&self, graph: &G, change: GraphChange) -> bool {
        match change {
            _ if change.trend() == Trend::Fall => false,
            GraphChange::Blocked(v) if self.astar.is(v, Mark::Path) => false,
            GraphChange::Edge(a, b, _) => {
                self.keeps(graph, a, change) && self.keeps(graph, b, change)
            }
            GraphChange::Blocked(v) | GraphChange::Unblocked(v) | GraphChange::Weight(v, _) => (0
                ..G::MOVES)
                .map(|m| graph.grid().neighbor(v, m))
                .all(|neighbor| self.keeps(graph, neighbor, change)),
        }
    }

    fn search<G: Graph>(
        &mut self,
        graph: &G,
        robot: (usize, Cell),
        budget: Budget,
        work: &mut Work,
    ) -> SearchState {
        if self.phase != Phase::Searching(robot.0) {
            self.stats.searches += 1;
            if !graph.is_passable(robot.0) || !self.goals.any_passable(graph) {
                return SearchState::NoPath;
            }
            let at = Goals::one(robot.1);
            let (roots, targets) = if St::BACKWARD {
                (&self.goals, &at)
            } else {
                (&at, &self.goals)
            };
            self.astar.begin::<St>(graph, roots, targets);
        }
        let state = self.astar.run::<St, G>(graph, budget, work);
        if state == SearchState::Found {
            self.astar.mark_path::<St>(graph);
            if St::LEARN {
                self.astar.learn(graph);
            }
        }
        state
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, St: Strategy, U: UnknownPolicy> Search
    for RepeatedAStar<S, W, Q, St, U>
{
    fn begin<M: Map>(&mut self, map: &M, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        (self.goals, self.revision) = (Goals::NONE, Revision::of(map));
        let graph = map.view::<U>();
        let nodes = flat_mut(&mut self.astar.nodes);
        let vertices = check_fit::<W>(&graph, Q::HEADS, nodes.len())?;
        graph.grid().vertex(start)?;
        let goals = Goals::new(graph.grid(), goals)?;
        clear_queue::<W, Q, _>(&mut self.astar.queue, nodes, vertices)?;
        self.astar.reset();
        (self.goals, self.phase, self.stats) = (goals, Phase::Stale, Stats::ZERO);
        Ok(())
    }

    fn update<M: Map>(&mut self, map: &M, change: Change) -> bool {
        self.revision.advance();
        let Some(change) = change.seen_as::<U>() else {
            return false;
        };
        if change.trend() == Trend::Fall {
            self.astar.learned_since = self.astar.search.saturating_add(1);
        }
        self.phase = match self.phase {
            Phase::Following if self.keeps_path(&map.view::<U>(), change) => Phase::Following,
            Phase::Stuck(at) if change.trend() == Trend::Rise => Phase::Stuck(at),
            _ => Phase::Stale,
        };
        true
    }

    fn tick<M: Map>(&mut self, map: &M, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.revision.check(map);
        let graph = &map.view::<U>();
        let vertex = graph.grid().vertex(at)?;
        if self.goals.contains(at) {
            self.stats.record(Work::ZERO);
            return Ok(Decision::Arrived);
        }
        let mut work = Work::ZERO;
        let known = match self.phase {
            Phase::Following => self.astar.is(vertex, Mark::Path),
            Phase::Stuck(stuck) => stuck == vertex,
            Phase::Stale | Phase::Searching(_) => false,
        };
        if !known {
            self.phase = match self.search(graph, (vertex, at), budget, &mut work) {
                SearchState::Found => Phase::Following,
                SearchState::NoPath => Phase::Stuck(vertex),
                SearchState::OutOfBudget => Phase::Searching(vertex),
            };
        }
        work.queue_ops = core::mem::take(&mut self.astar.queue_ops);
        self.stats.record(work);
        Ok(match self.phase {
            Phase::Following => {
                let m = usize::from(self.astar.node(vertex).tree);
                Decision::Step(cell_after(at, m))
            }
            Phase::Stuck(_) => Decision::Unreachable,
            Phase::Searching(_) | Phase::Stale => Decision::Wait,
        })
    }

    fn set_goals<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError> {
        self.goals = Goals::new(map.view::<U>().grid(), goals)?;
        self.astar.learned_since = self.astar.search.saturating_add(1);
        self.phase = Phase::Stale;
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, St: Strategy, U: UnknownPolicy> InspectSearch
    for RepeatedAStar<S, W, Q, St, U>
{
    fn is_expanded<M: Map>(&self, map: &M, cell: Cell) -> bool {
        match map.view::<U>().grid().vertex(cell) {
            Ok(vertex) => self.astar.is(vertex, Mark::Closed) || self.astar.is(vertex, Mark::Path),
            Err(_) => false,
        }
    }

    fn values<M: Map>(&self, map: &M, cell: Cell) -> CellValues {
        let Ok(vertex) = map.view::<U>().grid().vertex(cell) else {
            return CellValues::default();
        };
        let (g, node) = (self.astar.g(vertex), self.astar.node(vertex));
        let is_reached = self.astar.search > 0 && g < infinity::<W>();
        let is_open = self.astar.is(vertex, Mark::Open);
        CellValues {
            g: CellValues::cost(
                if is_reached { g } else { infinity::<W>() },
                infinity::<W>(),
            ),
            rhs: None,
            h: is_reached.then(|| node.h.get()),
            key: is_open.then(|| (g.saturating_add(node.h.get()), g)),
            is_open,
            is_closed: self.is_expanded(map, cell),
        }
    }

    fn next_on_path<M: Map>(&self, map: &M, cell: Cell) -> Option<Cell> {
        let vertex = map.view::<U>().grid().vertex(cell).ok()?;
        let is_on_path = self.phase == Phase::Following && self.astar.is(vertex, Mark::Path);
        (is_on_path && !self.goals.contains(cell))
            .then(|| cell_after(cell, self.astar.node(vertex).tree.into()))
    }
}
