//! The preset for mazes: Real-Time D* that explores a map of walls.

use super::{GridSearch, Navigator, grid};
use crate::{
    Cell, GoalsError, Side,
    explore::{MazeExplorer, Phase},
    local::Tba,
    map::WallMap,
    queue::Buckets,
    rtd::{LocalRatio, Rtd},
    search::{DStarLite, RunSearch, RunTimes},
    storage::{Allocate, Array, BLOCK, Storage, blocks},
    width::{Bits16, Width},
};

/// The search of [`MazeNavigator`]: a [`MazeExplorer`] whose robot is moved by Real-Time D*.
pub type MazeSearch<S, W = Bits16> = MazeExplorer<GridSearch<S, W>, S, W, Buckets<16>>;

/// A robot in a maze with walls between cells, in `CAPACITY` blocks: it goes to a cell, or finds the goal,
/// explores until the shortest path is proven, returns and runs.
///
/// ```
/// use planner_core::prelude::*;
///
/// let mut robot = MazeNavigator::<{ maze_capacity(16, 16) }>::new();
/// let (mut at, goal) = (Cell::new(0, 15), Cell::new(7, 7));
/// robot.begin((16, 16), at, &[goal])?;
/// while robot.phase() != Phase::Done {
///     for side in Side::ALL {
///         robot.observe(Observation::Wall(at, side, Occupancy::Free))?; // read your sensors here
///     }
///     if let Decision::Step(next) = robot.tick(at, Budget::limit(64))? {
///         at = next; // drive your motors here
///     }
/// }
/// assert!(robot.is_solved() && at == goal);
/// # Ok::<(), planner_core::Error>(())
/// ```
pub type MazeNavigator<const CAPACITY: usize> = MazeNavigatorIn<Array<CAPACITY>>;

/// [`MazeNavigator`] in storage `S`, with ids and costs of width `W`.
pub type MazeNavigatorIn<S, W = Bits16> = Navigator<WallMap<S>, MazeSearch<S, W>>;

impl<W: Width, const N: usize> MazeNavigatorIn<Array<N>, W> {
    /// A navigator in arrays, all zero, that must [begin](Navigator::begin).
    #[must_use]
    pub const fn new() -> Self {
        let search = MazeExplorer::new(
            grid::search(),
            DStarLite::new(),
            DStarLite::new(),
            RunSearch::new(),
        );
        Self::from_parts(WallMap::new(), search)
    }
}

impl<S: Allocate, W: Width> MazeNavigatorIn<S, W> {
    /// A navigator for mazes of up to `width` by `height` cells that must [begin](Navigator::begin).
    #[must_use]
    pub fn allocate(width: u16, height: u16) -> Self {
        let blocks = blocks(WallMap::vertices(width, height));
        let robot = Rtd::new(
            DStarLite::allocate(Buckets::new(), blocks),
            Tba::allocate(blocks),
            LocalRatio::PRESET,
        );
        let search = MazeExplorer::new(
            robot,
            DStarLite::allocate(Buckets::new(), blocks),
            DStarLite::allocate(Buckets::new(), blocks),
            RunSearch::allocate(blocks),
        );
        let map = WallMap::in_storage(S::allocate(blocks, [0; BLOCK]));
        Self::from_parts(map, search)
    }
}

impl<S: Storage, W: Width> MazeNavigatorIn<S, W> {
    /// Returns the phase of the mission.
    pub fn phase(&self) -> Phase {
        self.search.phase()
    }

    /// Returns whether the shortest path is proven, or that of least time if the robot explores by time.
    pub fn is_solved(&self) -> bool {
        self.search.is_solved()
    }

    /// Sends the robot to the nearest of several cells without exploring.
    /// [`Planner::set_goals`](crate::Planner::set_goals) begins to explore again.
    ///
    /// # Errors
    /// There are none or too many, or one is outside the maze; the robot goes on as before.
    pub fn go_to(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        let (search, map) = self.begun(goals.first().copied().unwrap_or_default())?;
        search.go_to(map, goals)
    }

    /// Stops exploring: the robot returns home, and then runs by the shortest path known by then.
    ///
    /// # Errors
    /// The navigator has not begun.
    pub fn go_home(&mut self) -> Result<(), GoalsError> {
        let (search, map) = self.begun(Cell::default())?;
        search.go_home(map)
    }

    /// Sets the times of motion: runs then take the path of least time.
    pub fn set_run_times(&mut self, times: RunTimes) {
        self.search.set_run_times(times);
    }

    /// Explores until the path of least time is known, not the shortest. Without times of motion nothing changes.
    pub fn set_explore_by_time(&mut self, by_time: bool) {
        self.search.set_explore_by_time(by_time);
    }

    /// Prefers to go straight ahead among equally short steps.
    pub fn set_prefer_straight(&mut self, prefer: bool) {
        self.search.set_prefer_straight(prefer);
    }

    /// Sets the heading of a robot that has turned in place, or was put down. Else it is inferred from its moves.
    pub fn turn_to(&mut self, heading: Side) {
        self.search.turn_to(heading);
    }

    /// Returns the time of the run that was planned last, in microseconds: from rest to rest, turns in place included.
    /// `None` before it is planned, and if it is planned by cells.
    pub fn run_time_us(&self) -> Option<u64> {
        let run = self.search.run();
        let tick_us = u64::from(run.times()?.tick_us());
        (self.search.phase() == Phase::Run)
            .then(|| run.time())
            .flatten()
            .map(|ticks| (ticks as u64).saturating_mul(tick_us))
    }

    /// Runs once more, from home. The map stays.
    ///
    /// # Errors
    /// The navigator has not begun.
    pub fn run_again(&mut self) -> Result<(), GoalsError> {
        let (search, map) = self.begun(Cell::default())?;
        search.run_again(map)
    }
}
