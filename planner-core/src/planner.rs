//! The interface of every planner to firmware, simulator and benchmarks.

use crate::{Cell, GoalsError, ObserveError, OffMap};
pub use crate::{budget::Budget, map::Observation};

/// The next action of the robot.
// As words: a copy of six bytes is a call on the chip.
#[repr(align(4))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Decision {
    /// Move to this adjacent cell.
    Step(Cell),
    /// Stay and tick again: the budget ran out before a decision was found.
    Wait,
    /// The robot is at a goal.
    Arrived,
    /// No path to a goal exists, as far as is known.
    Unreachable,
}

/// Work done, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Work<N = u32> {
    /// Cells expanded; those of time-bounded A* are visits.
    pub expansions: N,
    /// Queue entries that were moved to the place of their current key instead of being expanded.
    pub requeues: N,
    /// Changes of the map that were absorbed.
    pub changes: N,
    /// Quarters of an expansion: one for a cell that time-bounded A* expands, takes over or learns the value of, two for a
    /// vertex of a sweep, four for a table that is cleared.
    pub visits: N,
    /// Sixteenths of an expansion: one for a neighbor of a cell that time-bounded A* visits, two more if it joins OPEN,
    /// two for an edge of a path that is traced and for a visited cell among several goals.
    pub trace_steps: N,
    /// Insertions into queues, removals from them and changes of key.
    pub queue_ops: N,
}

impl<N: Copy> Work<N> {
    /// The same amount of each kind.
    const fn of_each(amount: N) -> Self {
        Self {
            expansions: amount,
            requeues: amount,
            changes: amount,
            visits: amount,
            trace_steps: amount,
            queue_ops: amount,
        }
    }
}

impl Work {
    /// No work.
    pub const ZERO: Self = Self::of_each(0);

    /// Combines each kind of work with that of another.
    fn zip<N, R>(self, other: Work<N>, combine: impl Fn(u32, N) -> R) -> Work<R> {
        Work {
            expansions: combine(self.expansions, other.expansions),
            requeues: combine(self.requeues, other.requeues),
            changes: combine(self.changes, other.changes),
            visits: combine(self.visits, other.visits),
            trace_steps: combine(self.trace_steps, other.trace_steps),
            queue_ops: combine(self.queue_ops, other.queue_ops),
        }
    }

    /// Adds the work of another search.
    pub(crate) fn add(&mut self, other: Self) {
        *self = self.zip(other, u32::saturating_add);
    }
}

/// Statistics of a planner since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Stats {
    /// Searches started; of an incremental planner, ticks with expansions or visits.
    pub searches: u32,
    /// Total work.
    pub total: Work<u64>,
    /// Work of the last tick and of the observations before it.
    pub last_tick: Work,
    /// Maximum of each kind of work in one tick.
    pub max_per_tick: Work,
}

impl Stats {
    pub(crate) const ZERO: Self = Self {
        searches: 0,
        total: Work::of_each(0),
        last_tick: Work::ZERO,
        max_per_tick: Work::ZERO,
    };

    /// Records the work of one tick.
    pub(crate) fn record(&mut self, tick: Work) {
        self.last_tick = tick;
        self.total = tick.zip(self.total, |tick, total| total + u64::from(tick));
        self.max_per_tick = tick.zip(self.max_per_tick, u32::max);
    }

    /// Records the work of one tick of an incremental or real-time planner.
    pub(crate) fn record_tick(&mut self, tick: Work) {
        self.searches += u32::from(tick.expansions + tick.visits > 0);
        self.record(tick);
    }
}

/// A planner with its map: observe, tick under a budget, carry out the decision, tick again from where the
/// robot then is.
///
/// [`Navigator`](crate::Navigator) makes one of any map and any [`Search`](crate::search::Search).
///
/// ```
/// use planner_core::prelude::*;
///
/// /// Drives a planner to its goal in a world where the cells of `blocked` are blocked.
/// fn drive(planner: &mut dyn Planner, start: Cell, blocked: &[Cell]) -> Result<Cell, planner_core::Error> {
///     let mut at = start;
///     for &cell in blocked {
///         planner.observe(Observation::Cell(cell, Occupancy::Blocked))?;
///     }
///     while let Decision::Step(next) = planner.tick(at, Budget::UNLIMITED)? {
///         at = next;
///     }
///     Ok(at)
/// }
/// ```
pub trait Planner {
    /// Records an observation; `true` when it changes which cells can be entered, or their costs.
    ///
    /// # Errors
    /// The observation is outside the map or of a kind that the map does not hold.
    fn observe(&mut self, observation: Observation) -> Result<bool, ObserveError>;

    /// Records observations in their order; `true` when one of them changes which cells can be entered, or their costs.
    ///
    /// # Errors
    /// As for [`Planner::observe`]; the observations before are recorded.
    fn observe_all(&mut self, observations: &[Observation]) -> Result<bool, ObserveError> {
        let mut matters = false;
        for &observation in observations {
            matters |= self.observe(observation)?;
        }
        Ok(matters)
    }

    /// Plans for a robot that stands `at` a cell, within `budget`.
    ///
    /// # Errors
    /// `at` is outside the map.
    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap>;

    /// Sends the robot to another goal. The map stays.
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

    /// Returns the statistics.
    fn stats(&self) -> &Stats;
}
