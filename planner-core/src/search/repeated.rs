//! Repeated A*: search, follow the path until it is blocked, search again.
//!
//! Adaptive A* does the same and keeps better heuristics from one search to the next.

use core::marker::PhantomData;

use super::astar::{AStar, AStarNode, HValues, Mark, Outcome};
use crate::{
    BuildError, Cell, CellValues, Goals, GoalsError, ObserveError, OffMap,
    map::{Occupancy, Trend},
    planner::{Budget, Decision, Inspect, Observation, Planner, Stats, Work},
    queue::Queue,
    terrain::{Change, Terrain, fact_at, step, step_cell},
    width::{Width, Word, infinity},
};

/// Which way the searches of [`RepeatedAStar`] run and what they keep.
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
/// Raised h-values stay consistent while costs only rise. When a cost falls, or the goal changes, the
/// planner forgets them all, in constant time, and begins again with the terrain's heuristic: the
/// paths it finds are always shortest.
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

impl Strategy for Forward {}
impl Strategy for Backward {}
impl Strategy for Adaptive {}

/// Where the planner is between a search and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The next tick starts a search.
    Stale,
    /// A search from or to the robot at this vertex is under way.
    Searching(usize),
    /// Vertices marked as path lead to the goal.
    Following,
    /// There is no path from this vertex.
    Stuck(usize),
}

/// Repeated A* over a terrain `T` and a queue `Q`, by strategy `S`.
///
/// [`DStarLite`](super::DStarLite) repairs its search instead of repeating it and is the better
/// choice wherever its nodes fit.
///
/// ```
/// use planner_core::{Budget, Cell, Decision, Planner, map::Unknown};
/// use planner_core::queue::{Heap, LargerG};
/// use planner_core::search::{Adaptive, RepeatedAStar};
/// use planner_core::terrain::{Cells, Four, Uniform};
/// use planner_core::width::Bits16;
///
/// type Search<'m> = RepeatedAStar<'m, Bits16, Cells<'m, Four>, Heap<'m, u64, LargerG>, Adaptive>;
///
/// let mut bits = [0; Cells::<Four>::words(9, 9)];
/// let mut nodes = [Default::default(); Search::nodes(Cells::<Four>::vertices(9, 9))];
/// let mut entries = [0; Cells::<Four>::vertices(9, 9)];
/// let terrain = Cells::new(9, 9, &mut bits, Unknown::AsFree, Uniform)?;
/// let (start, goal) = (Cell::new(0, 0), Cell::new(2, 0));
/// let mut planner = Search::new(terrain, Heap::new(&mut entries), &mut nodes, start, goal)?;
/// assert_eq!(planner.tick(start, Budget::UNLIMITED), Ok(Decision::Step(Cell::new(1, 0))));
/// # Ok::<(), planner_core::BuildError>(())
/// ```
#[derive(Debug)]
pub struct RepeatedAStar<'m, W: Width, T, Q: Queue<W>, S> {
    terrain: T,
    astar: AStar<'m, W, Q>,
    goals: Goals,
    phase: Phase,
    stats: Stats,
    strategy: PhantomData<S>,
}

impl<'m, W: Width, T: Terrain, Q: Queue<W>, S: Strategy> RepeatedAStar<'m, W, T, Q, S> {
    /// Nodes needed for this many vertices.
    #[must_use]
    pub const fn nodes(vertices: usize) -> usize {
        vertices.saturating_add(Q::HEADS)
    }

    /// A planner that knows what `terrain` knows. Takes time in proportion to the map, once.
    ///
    /// # Errors
    /// The map does not fit the width `W`, memory is short, or `start` or `goal` is outside.
    pub fn new(
        terrain: T,
        mut queue: Q,
        nodes: &'m mut [AStarNode<W, Q::Link>],
        start: Cell,
        goal: Cell,
    ) -> Result<Self, BuildError> {
        let vertices = super::check_fit::<W>(&terrain, Q::HEADS, nodes.len())?;
        terrain.grid().vertex(start)?;
        terrain.grid().vertex(goal)?;
        super::clear_queue::<W, Q, _>(&mut queue, nodes, vertices)?;
        Ok(Self {
            terrain,
            astar: AStar::new(queue, nodes),
            goals: Goals::one(goal),
            phase: Phase::Stale,
            stats: Stats::default(),
            strategy: PhantomData,
        })
    }

    /// What the robot knows of the world.
    pub fn terrain(&self) -> &T {
        &self.terrain
    }

    /// The cells that the last search expanded, the last one first.
    pub fn expanded(&self) -> impl Iterator<Item = Cell> {
        self.astar.closed().map(|v| self.terrain.grid().cell(v))
    }

    /// Whether the planned move from a vertex is still what it was when it was planned.
    fn keeps(&self, vertex: usize, change: Change) -> bool {
        let is_goal = || self.goals.place(self.terrain.grid(), vertex).is_some();
        if !self.astar.is(vertex, Mark::Path) || is_goal() {
            return true;
        }
        let m = usize::from(self.astar.node(vertex).tree);
        let next = step(self.terrain.grid(), vertex, m);
        let dearer = matches!(change, Change::Weighed(changed, _) if changed == next);
        self.terrain.moves(vertex).contains(m) && self.terrain.is_open(next) && !dearer
    }

    /// Whether a change leaves the path shortest.
    fn keeps_path(&self, change: Change) -> bool {
        match change {
            _ if change.trend() == Trend::Fall => false,
            Change::Closed(v) if self.astar.is(v, Mark::Path) => false,
            Change::Edge(a, b, _) => self.keeps(a, change) && self.keeps(b, change),
            Change::Closed(v) | Change::Opened(v) | Change::Weighed(v, _) => (0..T::MOVES)
                .map(|m| step(self.terrain.grid(), v, m))
                .all(|neighbour| self.keeps(neighbour, change)),
        }
    }

    fn search(&mut self, robot: (usize, Cell), budget: Budget, work: &mut Work) -> Outcome {
        if self.phase != Phase::Searching(robot.0) {
            self.stats.searches += 1;
            if !self.terrain.is_open(robot.0) || !self.goals.any_open(&self.terrain) {
                return Outcome::NoPath;
            }
            let at = Goals::one(robot.1);
            let (roots, targets) = if S::BACKWARD {
                (&self.goals, &at)
            } else {
                (&at, &self.goals)
            };
            self.astar.begin::<S>(&self.terrain, roots, targets);
        }
        let outcome = self.astar.run::<S, T>(&self.terrain, budget, work);
        if outcome == Outcome::Found {
            self.astar.mark_path::<S>(&self.terrain);
            if S::LEARN {
                self.astar.learn(&self.terrain);
            }
        }
        outcome
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>> RepeatedAStar<'_, W, T, Q, Adaptive> {
    /// The h-value that a search starting now would use for a cell.
    ///
    /// # Errors
    /// The cell is outside the map.
    pub fn h(&self, cell: Cell) -> Result<usize, OffMap> {
        let node = self.astar.node(self.terrain.grid().vertex(cell)?);
        let estimate = self.goals.estimate(&self.terrain, cell);
        Ok(self.astar.h::<Adaptive>(&node, estimate))
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>, S: Strategy> Planner for RepeatedAStar<'_, W, T, Q, S> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let Some(change) = self.terrain.observe(seen)? else {
            return Ok(false);
        };
        if change.trend() == Trend::Fall {
            self.astar.learned_since = self.astar.search.saturating_add(1);
        }
        self.phase = match self.phase {
            Phase::Following if self.keeps_path(change) => Phase::Following,
            Phase::Stuck(at) if change.trend() == Trend::Rise => Phase::Stuck(at),
            _ => Phase::Stale,
        };
        Ok(true)
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        let vertex = self.terrain.grid().vertex(at)?;
        if self.goals.contains(at) {
            self.stats.book(Work::default());
            return Ok(Decision::Arrived);
        }
        let mut work = Work::default();
        let known = match self.phase {
            Phase::Following => self.astar.is(vertex, Mark::Path),
            Phase::Stuck(stuck) => stuck == vertex,
            Phase::Stale | Phase::Searching(_) => false,
        };
        if !known {
            self.phase = match self.search((vertex, at), budget, &mut work) {
                Outcome::Found => Phase::Following,
                Outcome::NoPath => Phase::Stuck(vertex),
                Outcome::OutOfBudget => Phase::Searching(vertex),
            };
        }
        work.queue_ops = core::mem::take(&mut self.astar.queue_ops);
        self.stats.book(work);
        Ok(match self.phase {
            Phase::Following => {
                let m = usize::from(self.astar.node(vertex).tree);
                Decision::Step(step_cell(at, m))
            }
            Phase::Stuck(_) => Decision::Unreachable,
            Phase::Searching(_) | Phase::Stale => Decision::Wait,
        })
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.goals = Goals::new(self.terrain.grid(), goals)?;
        self.astar.learned_since = self.astar.search.saturating_add(1);
        self.phase = Phase::Stale;
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>, S: Strategy> Inspect for RepeatedAStar<'_, W, T, Q, S> {
    fn fact(&self, cell: Cell) -> Occupancy {
        fact_at(&self.terrain, cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        match self.terrain.grid().vertex(cell) {
            Ok(vertex) => self.astar.is(vertex, Mark::Closed) || self.astar.is(vertex, Mark::Path),
            Err(_) => false,
        }
    }

    fn values(&self, cell: Cell) -> CellValues {
        let Ok(vertex) = self.terrain.grid().vertex(cell) else {
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
            is_closed: self.is_expanded(cell),
        }
    }

    fn after(&self, cell: Cell) -> Option<Cell> {
        let vertex = self.terrain.grid().vertex(cell).ok()?;
        let is_on_path = self.phase == Phase::Following && self.astar.is(vertex, Mark::Path);
        (is_on_path && !self.goals.contains(cell))
            .then(|| step_cell(cell, self.astar.node(vertex).tree.into()))
    }
}
