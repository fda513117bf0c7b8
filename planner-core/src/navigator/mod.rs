//! A map and a search in one: what people use.
//!
//! The presets [`GridNavigator`] and [`MazeNavigator`] are what the firmware runs and what is benchmarked.

mod grid;
mod maze;

pub use grid::{GridNavigator, GridNavigatorIn, GridSearch};
pub use maze::{MazeNavigator, MazeNavigatorIn, MazeSearch};

use crate::{
    BuildError, Cell, CellValues, GoalsError, ObserveError, OffMap,
    inspect::{Inspect, InspectSearch},
    local::{Follow, LocalConfig, entries},
    map::{Map, Observation, Occupancy},
    planner::{Budget, Decision, Planner, Stats},
    search::Search,
};

/// Entries of the presets' local search: up to 64 expansions with four moves, 37 with eight.
const ENTRIES: usize = entries(64, 4);
/// Map changes that wait for the presets' global search.
pub const BACKLOG: usize = 64;
/// Options of the presets' local search: plans anew in each step, which finds shorter paths. All zero.
const LOCAL: LocalConfig = LocalConfig {
    follow: Follow::ReplanEachStep,
    ..LocalConfig::DEFAULT
};

/// A map `M` and a search `A` on it.
///
/// ```
/// use planner_core::{prelude::*, search::DStarLite};
///
/// const N: usize = capacity(20, 10);
/// let mut navigator = Navigator::from_parts(CellMap::<Array<N>>::new(), DStarLite::<Array<N>>::new());
/// navigator.begin((20, 10), Cell::new(0, 0), &[Cell::new(19, 9)])?;
/// navigator.observe(Observation::Cell(Cell::new(0, 1), Occupancy::Blocked))?;
/// assert_eq!(navigator.tick(Cell::new(0, 0), Budget::UNLIMITED)?, Decision::Step(Cell::new(1, 0)));
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Navigator<M, A> {
    map: M,
    search: A,
}

impl<M, A> Navigator<M, A> {
    /// A navigator that must [begin](Navigator::begin); until then every cell is outside the map.
    #[must_use]
    pub const fn from_parts(map: M, search: A) -> Self {
        Self { map, search }
    }

    /// Returns the map.
    pub fn map(&self) -> &M {
        &self.map
    }

    /// Returns the search.
    pub fn search(&self) -> &A {
        &self.search
    }

    /// Returns the search, to be configured.
    pub fn search_mut(&mut self) -> &mut A {
        &mut self.search
    }

    /// Calls a method of the search that needs the map.
    pub fn with_search<T>(&mut self, call: impl FnOnce(&mut A, &M) -> T) -> T {
        call(&mut self.search, &self.map)
    }
}

impl<M: Map, A: Search> Navigator<M, A> {
    /// Begins on an unknown world of `width` by `height` cells, with the robot at `start` and on its way to the
    /// nearest of `goals`. Takes time in proportion to the capacity. May be called again.
    ///
    /// # Errors
    /// The size does not fit the capacity or the width of ids and costs, or a cell is outside.
    pub fn begin(
        &mut self,
        (width, height): (u16, u16),
        start: Cell,
        goals: &[Cell],
    ) -> Result<(), BuildError> {
        self.map.resize(width, height)?;
        self.restart(start, goals)
    }

    /// Begins again on the map as it is.
    ///
    /// # Errors
    /// A cell is outside the map.
    pub fn restart(&mut self, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        self.search.begin(&self.map, start, goals)
    }

    /// Records an observation before the first [`restart`](Navigator::restart), which takes it in with the rest
    /// of the map: for maps that are known from the start.
    ///
    /// # Errors
    /// The observation is outside the map or of a kind that the map does not hold.
    pub fn preload(&mut self, observation: Observation) -> Result<(), ObserveError> {
        let _ = self.map.observe(observation)?;
        Ok(())
    }
}

impl<M: Map, A: Search> Planner for Navigator<M, A> {
    #[inline(always)]
    fn observe(&mut self, observation: Observation) -> Result<bool, ObserveError> {
        match self.map.observe(observation)? {
            Some(change) => Ok(self.search.update(&self.map, change)),
            None => Ok(false),
        }
    }

    #[inline(always)]
    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.search.tick(&self.map, at, budget)
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.search.set_goals(&self.map, goals)
    }

    fn stats(&self) -> &Stats {
        self.search.stats()
    }
}

impl<M: Map, A: InspectSearch> Inspect for Navigator<M, A> {
    fn occupancy(&self, cell: Cell) -> Occupancy {
        self.map.occupancy(cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        self.search.is_expanded(&self.map, cell)
    }

    fn values(&self, cell: Cell) -> CellValues {
        self.search.values(&self.map, cell)
    }

    fn next_on_path(&self, cell: Cell) -> Option<Cell> {
        self.search.next_on_path(&self.map, cell)
    }
}
