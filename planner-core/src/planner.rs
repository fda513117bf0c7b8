//! The contract that every planner keeps, so that firmware, simulator and benchmark can hold any.

use crate::{Cell, GoalsError, ObserveError, OffMap, Side, map::Occupancy};
pub use crate::{budget::Budget, inspect::Inspect};

/// Something seen, to be told to [`Planner::observe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Observation {
    /// Whether a cell is blocked.
    Cell(Cell, Occupancy),
    /// Whether a wall stands on one side of a cell.
    Wall(Cell, Side, Occupancy),
    /// What it costs to enter a cell, in multiples of a plain one.
    Weight(Cell, u8),
}

/// What the robot should do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Decision {
    /// Move to this adjacent cell.
    Step(Cell),
    /// Stay: the budget ran out before an answer was found; tick again.
    Wait,
    /// The robot is at its goal.
    Arrived,
    /// No path to the goal exists, as far as the robot knows.
    Unreachable,
}

/// Work done, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Work<N = u32> {
    /// Cells expanded.
    pub expansions: N,
    /// Queue entries that were moved to their true place instead of being expanded.
    pub requeues: N,
    /// Insertions into the queue, removals from it and changes of key.
    pub queue_ops: N,
}

/// What a planner has done since it was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Stats {
    /// Searches started; for an incremental planner, ticks in which it had to work.
    pub searches: u32,
    /// All work.
    pub total: Work<u64>,
    /// The work of the last tick, with that of the observations before it.
    pub tick: Work,
    /// The largest of each kind in one tick.
    pub most: Work,
}

impl Stats {
    /// Books the work of one tick.
    pub(crate) fn book(&mut self, tick: Work) {
        self.tick = tick;
        self.total.expansions += u64::from(tick.expansions);
        self.total.requeues += u64::from(tick.requeues);
        self.total.queue_ops += u64::from(tick.queue_ops);
        self.most.expansions = self.most.expansions.max(tick.expansions);
        self.most.requeues = self.most.requeues.max(tick.requeues);
        self.most.queue_ops = self.most.queue_ops.max(tick.queue_ops);
    }
}

/// A planner: tell it what is seen, tick it under a budget, do what it decides, tell it where the
/// robot now is.
///
/// ```
/// use planner_core::{Budget, Cell, Decision, Observation, OffMap, Planner, map::Occupancy};
///
/// /// Walks a planner to its goal in a world where `wall` says what is blocked.
/// fn walk(planner: &mut impl Planner, from: Cell, wall: &[Cell]) -> Result<Cell, OffMap> {
///     let mut at = from;
///     for &cell in wall {
///         let _ = planner.observe(Observation::Cell(cell, Occupancy::Blocked));
///     }
///     while let Decision::Step(next) = planner.tick(at, Budget::UNLIMITED)? {
///         at = next;
///     }
///     Ok(at)
/// }
/// ```
pub trait Planner {
    /// Takes in what was seen; `true` when it changes what the planner may cross, or its costs.
    ///
    /// # Errors
    /// The observation is outside the map or of a kind the terrain does not have.
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError>;

    /// Plans for a robot that stands `at` a cell, within `budget`.
    ///
    /// # Errors
    /// `at` is outside the map.
    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap>;

    /// Sends the robot elsewhere. What was learned about the map stays.
    ///
    /// # Errors
    /// `goal` is outside the map; the old goals stay.
    fn set_goal(&mut self, goal: Cell) -> Result<(), GoalsError> {
        self.set_goals(&[goal])
    }

    /// Sends the robot to the nearest of several cells.
    ///
    /// # Errors
    /// There are none, or more than [`Goals::MAX`](crate::Goals::MAX), or one is outside the map; the
    /// old goals stay.
    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError>;

    /// What was done so far.
    fn stats(&self) -> &Stats;
}

/// A planner that is lent is a planner.
impl<P: Planner + ?Sized> Planner for &mut P {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        (**self).observe(seen)
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        (**self).tick(at, budget)
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        (**self).set_goals(goals)
    }

    fn stats(&self) -> &Stats {
        (**self).stats()
    }
}
