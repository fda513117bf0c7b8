//! LRTA* and LSS-LRTA*: look ahead, update the learned heuristic, choose a path.

use super::{
    Distances, Follow, Generated, Learned, LearnedValues, Learning, LocalSearch, LookAhead,
    Problem, SuccessorOrder,
    lookahead::Values,
    space::{Space, State},
    steps::Steps,
};
use crate::{
    BuildError, Goals,
    graph::{Graph, GraphChange, cell_after},
    planner::{Budget, Decision, Work},
    storage::{Allocate, Array, Storage},
    width::{Bits16, Width, Word},
};

/// Options of a local search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LocalConfig {
    /// The search that chooses the local search space.
    pub look_ahead: LookAhead,
    /// The use of the path that was found.
    pub follow: Follow,
    /// The order in which successors are generated.
    pub order: SuccessorOrder,
}

impl LocalConfig {
    /// The default, as a constant. All zero, for statics.
    pub const DEFAULT: Self = Self {
        look_ahead: LookAhead::AStar,
        follow: Follow::ReplanEachStep,
        order: SuccessorOrder::Fixed,
    };
}

/// LSS-LRTA* (Koenig & Sun 2009) with a local search space of at most `N` generated cells.
///
/// It learns faster than [`Lrta`], which keeps one value per search. With [`LookAhead::BreadthFirst`] it is the
/// planner `lss-lrta-bfs`. It learns the values of all cells that it expanded, or those of the robot's cell alone if
/// `ROBOT_ONLY`.
///
/// Memory: 18 bytes per generated cell with [`Bits16`], 30 with [`Bits32`](crate::width::Bits32), and the
/// [`Learned`] values in storage `S`.
///
/// ```
/// use planner_core::{local::{LocalConfig, LocalPlanner, LssLrta}, prelude::*};
///
/// const N: usize = capacity(9, 9);
/// let search = LocalPlanner::new(LssLrta::<Array<N>, Bits16, 64>::new(LocalConfig::DEFAULT), 3);
/// let mut planner = Navigator::from_parts(CellMap::<Array<N>>::new(), search);
/// planner.begin((9, 9), Cell::new(0, 0), &[Cell::new(0, 5)])?;
/// let decision = planner.tick(Cell::new(0, 0), Budget::limit(3))?;
/// assert_eq!((decision, planner.stats().last_tick.expansions), (Decision::Step(Cell::new(0, 1)), 3));
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct LssLrta<
    S: Storage,
    W: Width = Bits16,
    const N: usize = 195,
    const ROBOT_ONLY: bool = false,
> {
    /// Options; they may be changed between ticks.
    pub config: LocalConfig,
    space: Space<W, N>,
    learned: Learned<S, W>,
    /// True if the world has changed since the path was last found to be intact.
    changed: bool,
}

/// LRTA* with a look-ahead of at most `N` generated cells: with A* it is TLA*, breadth first it is Korf's
/// minimin. Plans again at each step; [`LocalConfig::follow`] does not matter.
///
/// Its values are lower bounds as long as costs only rise, but not consistent: only cells that the
/// robot stood on are updated. So learned values count in the look-ahead on every path through such a cell. A
/// search that reads only the frontier would send the robot back to where it came from, for ever.
///
/// [`LssLrta`] learns faster, for the same work. Memory is the same.
pub type Lrta<S, W = Bits16, const N: usize = 195> = LssLrta<S, W, N, true>;

impl<W: Width, const B: usize, const N: usize, const ROBOT_ONLY: bool>
    LssLrta<Array<B>, W, N, ROBOT_ONLY>
{
    /// A search in arrays; all zero with [`LocalConfig::DEFAULT`].
    #[must_use]
    pub const fn new(config: LocalConfig) -> Self {
        Self::with_learned(Learned::new(), config)
    }
}

impl<S: Allocate, W: Width, const N: usize, const ROBOT_ONLY: bool> LssLrta<S, W, N, ROBOT_ONLY> {
    /// A search with memory for so many [`blocks`](crate::storage::blocks).
    #[must_use]
    pub fn allocate(blocks: usize, config: LocalConfig) -> Self {
        Self::with_learned(Learned::allocate(blocks), config)
    }
}

impl<S: Storage, W: Width, const N: usize, const ROBOT_ONLY: bool> LssLrta<S, W, N, ROBOT_ONLY> {
    /// A search that learns in `learned`.
    #[must_use]
    pub const fn with_learned(learned: Learned<S, W>, config: LocalConfig) -> Self {
        Self {
            config,
            space: Space::ZERO,
            learned,
            changed: false,
        }
    }

    fn follow(&self) -> Follow {
        match ROBOT_ONLY {
            true => Follow::ReplanEachStep,
            false => self.config.follow,
        }
    }

    /// The move along the path found before, if it still holds.
    fn along_path(&mut self, graph: &impl Graph, vertex: usize) -> Option<usize> {
        if self.follow() == Follow::ReplanEachStep {
            return None;
        }
        let next = self.space.next_move(vertex)?;
        if self.changed && !self.space.is_intact(graph, vertex) {
            return None;
        }
        self.changed = false;
        // A robot that was put back to an earlier part of the path meets moves that were not checked just now.
        let into = graph.grid().neighbor(vertex, next);
        (graph.moves(vertex).contains(next) && graph.is_passable(into)).then_some(next)
    }

    /// Plans for a robot at a passable cell which is not the goal, with at least one expansion, and returns its
    /// move; `None` when there is no path.
    ///
    /// The path ends in a cell with a smaller value than the robot's, by at least its cost: at the frontier of
    /// the local search space, or, when planning again after each step, in the next cell. So the robot cannot
    /// go in circles unless values rise, and they cannot rise for ever.
    fn plan<G: Graph>(
        &mut self,
        graph: &G,
        robot: usize,
        goals: &Goals,
        limit: u32,
        work: &mut Work,
    ) -> Option<usize> {
        let follow = self.follow();
        let Self { space, learned, .. } = self;
        let mut problem = Values {
            graph: *graph,
            goals,
            learned,
            steps: Steps::new(graph),
        };
        let (kind, order) = (self.config.look_ahead, &mut self.config.order);
        let best = space.look_ahead(kind, &problem, robot, limit, order, work)?;
        let f = space.table.entry(best).f();
        let floor = follow == Follow::ReplanEachStep;
        let value = space.update(&mut problem, ROBOT_ONLY, floor, work);
        let ends_lower = match follow {
            Follow::Descent => false,
            Follow::Path => {
                space.mark_tree_path(graph, best);
                f <= value
            }
            Follow::ReplanEachStep => {
                space.mark_tree_path(graph, best);
                space.descends(graph)
            }
        };
        if !ends_lower {
            space.mark_descent(graph, order);
        }
        space.next_move(robot)
    }
}

impl<S: Storage, W: Width, const N: usize, const ROBOT_ONLY: bool> LocalSearch
    for LssLrta<S, W, N, ROBOT_ONLY>
{
    fn begin(&mut self, graph: &impl Graph) -> Result<(), BuildError> {
        self.learned.begin(graph)?;
        self.space.table.clear();
        self.changed = false;
        Ok(())
    }

    fn step<G: Graph, D: Distances>(
        &mut self,
        problem: &Problem<'_, G, D>,
        budget: Budget,
        work: &mut Work,
    ) -> Decision {
        let (graph, robot) = (&problem.graph, problem.robot);
        if !graph.is_passable(robot) {
            return Decision::Unreachable;
        }
        let next = match self.along_path(graph, robot) {
            None if budget.expansions == 0 => return Decision::Wait,
            None => {
                self.changed = false;
                self.plan(graph, robot, problem.goals, budget.expansions, work)
            }
            next => next,
        };
        next.map_or(Decision::Unreachable, |m| {
            Decision::Step(cell_after(problem.at, m))
        })
    }

    fn forget(&mut self) {
        self.learned.forget();
        self.space.table.clear();
    }

    fn update(&mut self, _graph: &impl Graph, _change: GraphChange) {
        self.changed = true;
    }

    fn upkeep(&mut self) {
        self.learned.upkeep();
    }
}

impl<S: Storage, W: Width, const N: usize, const ROBOT_ONLY: bool> Learning
    for LssLrta<S, W, N, ROBOT_ONLY>
{
    fn learned(&self, vertex: usize) -> Option<usize> {
        self.learned.get(vertex)
    }

    fn generated(&self, vertex: usize) -> Option<Generated> {
        let table = &self.space.table;
        let entry = table.entry(table.find_generated(vertex)?);
        Some(Generated {
            g: entry.g.get(),
            h: entry.h.get(),
            is_closed: entry.state() != State::Open,
            next: self.space.next_move(vertex),
        })
    }
}
