//! A search that consists of a local search and nothing else.

use core::marker::PhantomData;

use super::{Learning, LocalSearch, Problem};
use crate::{
    BuildError, Cell, CellValues, Goals, GoalsError, OffMap,
    graph::{Graph, cell_after},
    inspect::InspectSearch,
    map::{AsFree, Change, Map, Revision, UnknownPolicy},
    planner::{Budget, Decision, Stats, Work},
    search::Search,
};

/// A local search as a planner that always moves: each tick it searches around the robot, or follows the path
/// that such a search found.
///
/// A search expands as many cells as the budget allows, but no more than the look-ahead. Without a single
/// expansion a robot that has no path to follow waits.
///
/// [`Decision::Unreachable`] is certain, as far as is known, but it comes only when the robot or the goal is at
/// a blocked cell, or when the look-ahead has expanded every cell that can be reached. Where more cells than
/// that can be reached, but not the goal, the robot moves about for ever.
///
/// ```
/// use planner_core::{local::{LocalConfig, LocalPlanner, LssLrta}, prelude::*};
///
/// const N: usize = capacity(33, 33);
/// let search = LocalPlanner::new(LssLrta::<Array<N>, Bits16, 64>::new(LocalConfig::DEFAULT), 17);
/// let mut planner = Navigator::from_parts(CellMap::<Array<N>>::new(), search);
/// let (mut at, goal) = (Cell::new(3, 2), Cell::new(3, 9));
/// planner.begin((33, 33), at, &[goal])?;
/// for x in 0..8 {
///     planner.observe(Observation::Cell(Cell::new(x, 5), Occupancy::Blocked))?;
/// }
/// while let Decision::Step(next) = planner.tick(at, Budget::limit(17))? {
///     at = next;
/// }
/// assert_eq!(at, goal);
/// assert!(planner.stats().max_per_tick.expansions <= 17);
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct LocalPlanner<L, U = AsFree> {
    search: L,
    /// The bitwise complement, so that a planner without a limit is all zero.
    not_look_ahead: u32,
    goals: Goals,
    stats: Stats,
    revision: Revision,
    unknown: PhantomData<U>,
}

impl<L> LocalPlanner<L> {
    /// A planner that expands at most `look_ahead` cells per search: `u32::MAX` leaves it to the budget, and
    /// is what makes a static all zero.
    #[must_use]
    pub const fn new(search: L, look_ahead: u32) -> Self {
        Self::with_policy(search, look_ahead)
    }
}

impl<L, U> LocalPlanner<L, U> {
    /// Like [`LocalPlanner::new`], with another policy for unknown space.
    #[must_use]
    pub const fn with_policy(search: L, look_ahead: u32) -> Self {
        Self {
            search,
            not_look_ahead: !look_ahead,
            goals: Goals::NONE,
            stats: Stats::ZERO,
            revision: Revision::ZERO,
            unknown: PhantomData,
        }
    }

    /// Returns the search around the robot.
    pub fn search(&self) -> &L {
        &self.search
    }
}

impl<L: Learning, U: UnknownPolicy> LocalPlanner<L, U> {
    /// Returns the h-value that a search starting now would use for a cell.
    ///
    /// # Errors
    /// The cell is outside the map.
    pub fn h<M: Map>(&self, map: &M, cell: Cell) -> Result<usize, OffMap> {
        let graph = map.view::<U>();
        let vertex = graph.grid().vertex(cell)?;
        let heuristic = self.goals.heuristic(&graph, cell);
        Ok(self.search.learned(vertex).unwrap_or(heuristic))
    }
}

impl<L: LocalSearch, U: UnknownPolicy> Search for LocalPlanner<L, U> {
    fn begin<M: Map>(&mut self, map: &M, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        const {
            assert!(
                L::KEEPS_ALL,
                "a search that may lose values needs a global search"
            );
        }
        (self.goals, self.revision) = (Goals::NONE, Revision::of(map));
        let graph = map.view::<U>();
        graph.grid().vertex(start)?;
        let goals = Goals::new(graph.grid(), goals)?;
        self.search.begin(&graph)?;
        (self.goals, self.stats) = (goals, Stats::ZERO);
        Ok(())
    }

    fn update<M: Map>(&mut self, map: &M, change: Change) -> bool {
        self.revision.advance();
        let change = change.seen_as::<U>();
        if let Some(change) = change {
            self.search.update(&map.view::<U>(), change);
        }
        change.is_some()
    }

    fn tick<M: Map>(&mut self, map: &M, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.revision.check(map);
        let graph = map.view::<U>();
        let robot = graph.grid().vertex(at)?;
        self.search.upkeep();
        let mut work = Work::ZERO;
        let decision = if self.goals.contains(at) {
            Decision::Arrived
        } else if !self.goals.any_passable(&graph) {
            Decision::Unreachable
        } else {
            let problem = Problem {
                graph,
                robot,
                at,
                goals: &self.goals,
                distances: (),
            };
            let limit = Budget::limit(budget.expansions.min(!self.not_look_ahead));
            self.search.step(&problem, limit, &mut work)
        };
        self.stats.record_tick(work);
        Ok(decision)
    }

    fn set_goals<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError> {
        self.goals = Goals::new(map.view::<U>().grid(), goals)?;
        self.search.forget();
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<L: Learning, U: UnknownPolicy> InspectSearch for LocalPlanner<L, U> {
    fn is_expanded<M: Map>(&self, map: &M, cell: Cell) -> bool {
        match map.view::<U>().grid().vertex(cell) {
            Ok(vertex) => self.search.learned(vertex).is_some(),
            Err(_) => false,
        }
    }

    fn values<M: Map>(&self, map: &M, cell: Cell) -> CellValues {
        let (Ok(vertex), Ok(h)) = (map.view::<U>().grid().vertex(cell), self.h(map, cell)) else {
            return CellValues::default();
        };
        let generated = self.search.generated(vertex);
        let frontier = generated.filter(|generated| !generated.is_closed);
        CellValues {
            g: generated.map(|generated| generated.g),
            rhs: None,
            h: Some(h),
            key: frontier.map(|frontier| (frontier.g.saturating_add(frontier.h), frontier.g)),
            is_open: frontier.is_some(),
            is_closed: generated.is_some_and(|generated| generated.is_closed),
        }
    }

    fn next_on_path<M: Map>(&self, map: &M, cell: Cell) -> Option<Cell> {
        let vertex = map.view::<U>().grid().vertex(cell).ok()?;
        let next = self.search.generated(vertex)?.next?;
        Some(cell_after(cell, next))
    }
}
