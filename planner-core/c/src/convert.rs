//! Conversions between the types of C and those of planner-core.

use planner_core::{self as planner, BuildError, GoalsError, ObserveError, OffMap};

use crate::types::{Action, Cell, Decision, Occupancy, Phase, Stats, Status, TotalWork, Work};

impl From<Cell> for planner::Cell {
    fn from(cell: Cell) -> Self {
        Self::new(cell.x, cell.y)
    }
}

impl From<planner::Cell> for Cell {
    fn from(cell: planner::Cell) -> Self {
        Self {
            x: cell.x,
            y: cell.y,
        }
    }
}

impl From<planner::map::Occupancy> for Occupancy {
    fn from(occupancy: planner::map::Occupancy) -> Self {
        use planner::map::Occupancy;
        match occupancy {
            Occupancy::Unknown => Self::Unknown,
            Occupancy::Free => Self::Free,
            Occupancy::Blocked => Self::Blocked,
        }
    }
}

impl From<planner::explore::Phase> for Phase {
    fn from(phase: planner::explore::Phase) -> Self {
        use planner::explore::Phase;
        match phase {
            Phase::Search => Self::Search,
            Phase::Explore => Self::Explore,
            Phase::Return => Self::Return,
            Phase::Run => Self::Run,
            Phase::Done => Self::Done,
            Phase::Travel => Self::Travel,
        }
    }
}

impl Decision {
    /// The decision of a planner for a robot that stands `at` a cell.
    #[must_use]
    pub fn new(decision: planner::Decision, at: Cell) -> Self {
        use planner::Decision;
        let (action, next) = match decision {
            Decision::Step(next) => (Action::Step, next.into()),
            Decision::Wait => (Action::Wait, at),
            Decision::Arrived => (Action::Arrived, at),
            Decision::Unreachable => (Action::Unreachable, at),
        };
        Self { action, next }
    }
}

impl From<planner::Work> for Work {
    fn from(work: planner::Work) -> Self {
        Self {
            expansions: work.expansions,
            requeues: work.requeues,
            changes: work.changes,
            visits: work.visits,
            trace_steps: work.trace_steps,
            queue_ops: work.queue_ops,
        }
    }
}

impl From<&planner::Stats> for Stats {
    fn from(stats: &planner::Stats) -> Self {
        let total = stats.total;
        Self {
            total: TotalWork {
                expansions: total.expansions,
                requeues: total.requeues,
                changes: total.changes,
                visits: total.visits,
                trace_steps: total.trace_steps,
                queue_ops: total.queue_ops,
            },
            last_tick: stats.last_tick.into(),
            max_per_tick: stats.max_per_tick.into(),
            searches: stats.searches,
        }
    }
}

impl From<OffMap> for Status {
    fn from(_: OffMap) -> Self {
        Self::OffMap
    }
}

impl From<GoalsError> for Status {
    fn from(error: GoalsError) -> Self {
        match error {
            GoalsError::None => Self::NoGoal,
            GoalsError::TooMany => Self::TooManyGoals,
            GoalsError::OffMap(_) => Self::OffMap,
        }
    }
}

impl From<ObserveError> for Status {
    fn from(error: ObserveError) -> Self {
        match error {
            ObserveError::OffMap(_) => Self::OffMap,
            ObserveError::Unsupported => Self::Unsupported,
            ObserveError::WeightOutOfRange => Self::InvalidValue,
        }
    }
}

impl From<BuildError> for Status {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Empty => Self::EmptyMap,
            BuildError::TooManyCells { .. } | BuildError::TooCostly { .. } => Self::MapTooLarge,
            BuildError::TooLittleMemory { .. } => Self::OutOfMemory,
            BuildError::OffMap(_) => Self::OffMap,
            BuildError::Goals(error) => error.into(),
        }
    }
}
