//! A map and a search in one, and the presets.
//!
//! The firmware and the benchmarks use the presets: [`MazeNavigator`], [`GridNavigator`] and
//! [`LargeGridNavigator`].

mod grid;
mod maze;

pub use grid::{GridNavigator, GridNavigatorIn, GridSearch, LargeGridNavigator, LargeGridSearch};
pub use maze::{MazeNavigator, MazeNavigatorIn, MazeSearch};

use crate::{
    BuildError, Cell, CellValues, GoalsError, ObserveError, OffMap,
    chip::call_on_chip,
    inspect::{Inspect, InspectSearch},
    map::{Map, Observation, Occupancy},
    planner::{Budget, Decision, Planner, Stats},
    search::Search,
};

/// Cells that the table of the presets' local search holds: 16 bytes each with 16-bit ids.
pub const ENTRIES: usize = 1024;
/// Values that the local search of [`LargeGridNavigator`] can learn: 4 bytes each.
pub const LEARNED: usize = 1024;
/// Map changes that wait for the presets' global search.
pub const BACKLOG: usize = 64;

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
    /// True if the search has begun on the map as it is now.
    has_begun: bool,
}

impl<M, A> Navigator<M, A> {
    /// A navigator that must [begin](Navigator::begin); until then every cell is outside the map.
    #[must_use]
    pub const fn from_parts(map: M, search: A) -> Self {
        Self {
            map,
            search,
            has_begun: false,
        }
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

    /// Returns the search and the map; before the search has begun, `cell` is outside like every other.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begun(&mut self, cell: Cell) -> Result<(&mut A, &M), OffMap> {
        if self.has_begun {
            Ok((&mut self.search, &self.map))
        } else {
            Err(OffMap(cell))
        }
    }
}

impl<M: Map, A: Search> Navigator<M, A> {
    /// Begins on an unknown world of `width` by `height` cells, with the robot at `start` and the nearest of
    /// `goals` as its goal. Takes time in proportion to the capacity. May be called again.
    ///
    /// # Errors
    /// The size does not fit the capacity or the width of ids and costs, or a cell is outside. Until the
    /// navigator begins again every cell is outside the map.
    pub fn begin(
        &mut self,
        (width, height): (u16, u16),
        start: Cell,
        goals: &[Cell],
    ) -> Result<(), BuildError> {
        self.has_begun = false;
        self.map.resize(width, height)?;
        self.restart(start, goals)
    }

    /// Begins again on the map as it is.
    ///
    /// # Errors
    /// A cell is outside the map. Until the navigator begins again every cell is.
    pub fn restart(&mut self, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        self.has_begun = false;
        self.search.begin(&self.map, start, goals)?;
        self.has_begun = true;
        Ok(())
    }

    /// Records an observation in the map alone: for maps that are known from the start. The navigator must
    /// [restart](Navigator::restart) before the next tick.
    ///
    /// # Errors
    /// The observation is outside the map or of a kind that the map does not hold.
    pub fn preload(&mut self, observation: Observation) -> Result<(), ObserveError> {
        let change = self.map.observe(observation)?;
        self.has_begun &= change.is_none();
        Ok(())
    }
}

impl<M: Map, A: Search> Planner for Navigator<M, A> {
    call_on_chip! {
        fn observe(&mut self, observation: Observation) -> Result<bool, ObserveError> {
            match self.map.observe(observation)? {
                Some(change) if self.has_begun => Ok(self.search.update(&self.map, change)),
                change => Ok(change.is_some()),
            }
        }
    }

    call_on_chip! {
        fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
            let (search, map) = self.begun(at)?;
            search.tick(map, at, budget)
        }
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        let (search, map) = self.begun(goals.first().copied().unwrap_or_default())?;
        search.set_goals(map, goals)
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
        self.has_begun && self.search.is_expanded(&self.map, cell)
    }

    fn values(&self, cell: Cell) -> CellValues {
        match self.has_begun {
            true => self.search.values(&self.map, cell),
            false => CellValues::default(),
        }
    }

    fn next_on_path(&self, cell: Cell) -> Option<Cell> {
        match self.has_begun {
            true => self.search.next_on_path(&self.map, cell),
            false => None,
        }
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::{
        local::{LocalConfig, LocalPlanner, LssLrta, SuccessorOrder},
        map::CellMap,
        queue::{Buckets, Heap, LargerG},
        search::{Adaptive, AnytimeDStar, DStarLite, RepeatedAStar, TurnAware},
        storage::{Array, Boxed, capacity},
        subgoal::{ExitRule, Grown, Rules, SubgoalLrta, Values},
        width::Bits16,
    };

    const SIZE: (u16, u16) = (9, 7);
    const START: Cell = Cell::new(0, 0);
    const GOAL: Cell = Cell::new(8, 6);

    /// Walks to the goal and returns the number of steps.
    fn walk(navigator: &mut impl Planner, start: Cell) -> usize {
        let (mut at, mut steps) = (start, 0);
        for _ in 0..1000 {
            match navigator.tick(at, Budget::limit(40)).unwrap() {
                Decision::Step(next) => (at, steps) = (next, steps + 1),
                Decision::Wait => {}
                Decision::Arrived => return steps,
                Decision::Unreachable => break,
            }
        }
        panic!("{at:?} after {steps} steps");
    }

    /// Every call of a navigator that has not begun is an error, and none of them changes that.
    fn check_unusable<M: Map, A: Search + InspectSearch>(navigator: &mut Navigator<M, A>) {
        let at = Cell::new(1, 1);
        assert_eq!(navigator.tick(at, Budget::UNLIMITED), Err(OffMap(at)));
        let refused = Err(GoalsError::OffMap(OffMap(GOAL)));
        assert_eq!(navigator.set_goals(&[GOAL]), refused);
        assert_eq!(navigator.values(at), CellValues::default());
        assert_eq!(navigator.next_on_path(at), None);
        assert!(!navigator.is_expanded(at));
        assert_eq!(navigator.tick(at, Budget::UNLIMITED), Err(OffMap(at)));
    }

    /// Failures of `begin`, before the first success and after it, on smaller and larger maps.
    fn check<M: Map, A: Search + InspectSearch>(mut navigator: Navigator<M, A>) {
        let outside = Cell::new(50, 50);
        check_unusable(&mut navigator);
        for (size, start, goal) in [
            (SIZE, START, outside),
            (SIZE, outside, GOAL),
            ((0, 7), START, START),
            ((200, 200), START, GOAL),
        ] {
            for _ in 0..2 {
                assert!(navigator.begin(size, start, &[goal]).is_err());
                check_unusable(&mut navigator);
                assert!(navigator.begin(size, start, &[]).is_err());
                check_unusable(&mut navigator);
            }
            navigator.begin(SIZE, START, &[GOAL]).unwrap();
            assert_eq!(walk(&mut navigator, START), 14);
        }
        for (width, height) in [(3, 12), (9, 7), (14, 2), (1, 1), (12, 8)] {
            let goal = Cell::new(width - 1, height - 1);
            navigator.begin((width, height), START, &[goal]).unwrap();
            assert_eq!(walk(&mut navigator, START), usize::from(width + height) - 2);
        }
        assert!(navigator.restart(START, &[outside]).is_err());
        check_unusable(&mut navigator);
        navigator.restart(START, &[GOAL]).unwrap();
        assert_eq!(walk(&mut navigator, START), 14);
    }

    fn on_cells<A: Search + InspectSearch>(search: A) {
        const N: usize = capacity(12, 8);
        check(Navigator::from_parts(CellMap::<Array<N>>::new(), search));
    }

    #[test]
    fn a_navigator_whose_begin_failed_refuses_every_call_until_it_begins() {
        const N: usize = capacity(12, 8);
        type Adapting = RepeatedAStar<Boxed, Bits16, Heap<Boxed, u64, LargerG>, Adaptive>;
        check(GridNavigator::<N>::new());
        check(GridNavigatorIn::<Boxed>::allocate(12, 8));
        on_cells(DStarLite::<Array<N>>::new());
        on_cells(AnytimeDStar::<Array<N>>::new());
        on_cells(Adapting::allocate(Heap::allocate(N), N));
        on_cells(LocalPlanner::new(
            LssLrta::<Array<N>>::new(LocalConfig::DEFAULT),
            40,
        ));
        on_cells(TurnAware::<Array<N>, Bits16, Buckets<2>>::new());
        let tree = Grown::<Array<N>, Array<16>>::allocate(Buckets::new(), N, 16, ExitRule::Safe);
        on_cells(SubgoalLrta::<_, Array<16>>::new(
            tree,
            Values::new(),
            Rules::default(),
            SuccessorOrder::Fixed,
        ));
    }
}
