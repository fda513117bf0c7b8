//! The robot's planners and their memory: Real-Time D* gets it about, and a [`MazeExplorer`] around it knows
//! when a maze is solved.

use planner_core::{
    Budget, BuildError, Cell, Decision, GoalsError, Observation, Planner, Side, Work,
    explore::Phase, map::Occupancy, navigator::MazeNavigator, rtd::LocalRatio,
    storage::maze_capacity,
};

use crate::{
    config::{LIMIT, LOCAL_RATIO, SIDE},
    mission::Field,
};

/// Memory of a [`Brain`].
pub type Memory = MazeNavigator<{ maze_capacity(SIDE, SIDE) }>;

/// Memory of a [`Brain`], before its first use: all zero.
pub const MEMORY: Memory = Memory::new();

/// The robot's planners.
///
/// ```
/// use tinystar::{brain::{self, Brain}, config::FIELD, planner::{Cell, Decision}};
///
/// let mut memory = Box::new(brain::MEMORY);
/// let mut brain = Brain::new(FIELD, &mut memory)?;
/// let (at, goal) = (FIELD.home, Cell::new(FIELD.home.x, FIELD.home.y - 2));
/// brain.go(&[goal])?;
/// assert_eq!(brain.tick(at), Decision::Step(Cell::new(at.x, at.y - 1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Brain<'m> {
    field: Field,
    navigator: &'m mut Memory,
}

impl<'m> Brain<'m> {
    /// Knows nothing of a field but its size.
    ///
    /// # Errors
    /// The field is larger than there is memory for, or its home is outside.
    pub fn new(field: Field, navigator: &'m mut Memory) -> Result<Self, BuildError> {
        let robot = navigator.search_mut().robot_mut();
        robot.set_ratio(LocalRatio::percent(LOCAL_RATIO));
        navigator.begin((field.width, field.height), field.home, &[field.home])?;
        navigator.go_to(&[field.home])?;
        Ok(Self { field, navigator })
    }

    /// The floor.
    #[must_use]
    pub fn field(&self) -> Field {
        self.field
    }

    /// Takes in what is known of a wall. What is outside the field is not asked about.
    pub fn observe(&mut self, cell: Cell, side: Side, fact: Occupancy) {
        // Walls have no other errors than being outside, and those there are known.
        let _ = self.navigator.observe(Observation::Wall(cell, side, fact));
    }

    /// Goes to the nearest of these cells.
    ///
    /// # Errors
    /// There are none or too many, or one is outside; it goes on as before.
    pub fn go(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.navigator.go_to(goals)
    }

    /// Finds the nearest of these cells, and then the best way there.
    ///
    /// # Errors
    /// There are none or too many, or one is outside; it goes on as before.
    pub fn explore(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.navigator.set_goals(goals)
    }

    /// Plans for a robot that is or soon will be `at` a cell, within [`LIMIT`]. Nowhere is reached from
    /// outside the field.
    pub fn tick(&mut self, at: Cell) -> Decision {
        let decision = self.navigator.tick(at, Budget::limit(LIMIT));
        decision.unwrap_or(Decision::Unreachable)
    }

    /// The work of the last tick.
    #[must_use]
    pub fn work(&self) -> Work {
        self.navigator.stats().last_tick
    }

    /// How far an exploration has come.
    #[must_use]
    pub fn phase(&self) -> Option<Phase> {
        Some(self.navigator.phase()).filter(|&phase| phase != Phase::Travel)
    }

    /// Whether the best way is proven.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.navigator.is_solved()
    }
}
