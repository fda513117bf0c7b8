//! A planner that has a local search and nothing else.

use super::{Learning, LocalSearch, inspect};
use crate::{
    BuildError, Cell, CellValues, Goals, GoalsError, ObserveError, OffMap,
    map::Occupancy,
    planner::{Budget, Decision, Inspect, Observation, Planner, Stats, Work},
    terrain::{Terrain, fact_at, step_cell},
};

/// A planner that always moves: each tick it searches around the robot, or follows the path that
/// such a search found.
///
/// A search expands as many cells as the budget allows, but no more than the look-ahead. Without a
/// single expansion a robot that has no path to follow waits.
///
/// [`Decision::Unreachable`] is certain, as far as the robot knows, but it comes only when the robot or
/// the goal is at a blocked cell, or when the look-ahead has expanded every cell that can be reached.
/// Where more cells than that can be reached, but not the goal, the robot moves about for ever.
///
/// ```
/// use planner_core::local::{Agent, Follow, Learned, LookAhead, LssLrta, SuccessorOrder};
/// use planner_core::{Budget, Cell, Decision, Observation, Planner};
/// use planner_core::map::{Occupancy, Unknown};
/// use planner_core::terrain::{Cells, Four, Uniform};
/// use planner_core::width::Bits16;
///
/// let mut bits = [0; Cells::<Four>::words(33, 33)];
/// let mut values = [0; Cells::<Four>::vertices(33, 33)];
/// let terrain = Cells::<Four>::new(33, 33, &mut bits, Unknown::AsFree, Uniform)?;
/// let learned = Learned::<Bits16>::new(&terrain, &mut values)?;
/// let (look_ahead, order) = (LookAhead::AStar, SuccessorOrder::Fixed);
/// let search = LssLrta::<_, 64>::new(learned, look_ahead, Follow::Path, order);
///
/// let (mut at, goal) = (Cell::new(3, 2), Cell::new(3, 9));
/// let mut agent = Agent::new(terrain, search, 17, goal)?;
/// for x in 0..8 {
///     agent.observe(Observation::Cell(Cell::new(x, 5), Occupancy::Blocked))?;
/// }
/// while let Decision::Step(next) = agent.tick(at, Budget::limit(17))? {
///     at = next;
/// }
/// assert_eq!(at, goal);
/// assert!(agent.stats().most.expansions <= 17);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Agent<T, L> {
    terrain: T,
    search: L,
    look_ahead: u32,
    goals: Goals,
    stats: Stats,
}

impl<T: Terrain, L: LocalSearch<T>> Agent<T, L> {
    /// A planner that knows what `terrain` knows and what `search` has learned about the way to
    /// `goal`, and expands at most `look_ahead` cells per search.
    ///
    /// # Errors
    /// `goal` is outside the map.
    pub fn new(terrain: T, search: L, look_ahead: u32, goal: Cell) -> Result<Self, BuildError> {
        terrain.grid().vertex(goal)?;
        Ok(Self {
            terrain,
            search,
            look_ahead,
            goals: Goals::one(goal),
            stats: Stats::default(),
        })
    }
}

impl<T, L> Agent<T, L> {
    /// What the robot knows of the world.
    pub fn terrain(&self) -> &T {
        &self.terrain
    }

    /// The search around the robot.
    pub fn search(&self) -> &L {
        &self.search
    }
}

impl<T: Terrain, L: Learning> Agent<T, L> {
    /// The h-value that a search starting now would use for a cell.
    ///
    /// # Errors
    /// The cell is outside the map.
    pub fn h(&self, cell: Cell) -> Result<usize, OffMap> {
        let vertex = self.terrain.grid().vertex(cell)?;
        let estimate = self.goals.estimate(&self.terrain, cell);
        Ok(self.search.learned(vertex).unwrap_or(estimate))
    }
}

impl<T: Terrain, L: LocalSearch<T>> Planner for Agent<T, L> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let change = self.terrain.observe(seen)?;
        if change.is_some() {
            self.search.world_changed();
        }
        Ok(change.is_some())
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        let robot = (self.terrain.grid().vertex(at)?, at);
        self.search.upkeep();
        let mut work = Work::default();
        let limit = self.look_ahead.min(budget.expansions);
        let decision = if self.goals.contains(at) {
            Decision::Arrived
        } else if !self.terrain.is_open(robot.0) || !self.goals.any_open(&self.terrain) {
            Decision::Unreachable
        } else {
            let (terrain, goals) = (&self.terrain, &self.goals);
            match self.search.step(terrain, robot, goals, limit, &mut work) {
                Some(next) => Decision::Step(next),
                None if limit == 0 => Decision::Wait,
                None => Decision::Unreachable,
            }
        };
        self.stats.searches += u32::from(work.expansions > 0);
        self.stats.book(work);
        Ok(decision)
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.goals = Goals::new(self.terrain.grid(), goals)?;
        self.search.forget();
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<T: Terrain, L: Learning> Inspect for Agent<T, L> {
    fn fact(&self, cell: Cell) -> Occupancy {
        fact_at(&self.terrain, cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        match self.terrain.grid().vertex(cell) {
            Ok(vertex) => self.search.learned(vertex).is_some(),
            Err(_) => false,
        }
    }

    fn values(&self, cell: Cell) -> CellValues {
        match self.terrain.grid().vertex(cell) {
            Ok(vertex) => {
                let estimate = self.goals.estimate(&self.terrain, cell);
                inspect::values(&self.search, vertex, estimate)
            }
            Err(_) => CellValues::default(),
        }
    }

    fn after(&self, cell: Cell) -> Option<Cell> {
        let vertex = self.terrain.grid().vertex(cell).ok()?;
        let next = self.search.generated(vertex)?.next?;
        Some(step_cell(cell, next))
    }
}
