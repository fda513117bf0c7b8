//! What there is to see of a walk.

use std::collections::HashSet;

use planner_core::{Cell, Inspect, map::Occupancy};

/// A robot on its way, and what it knows.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub planner: &'a dyn Inspect,
    /// Width and height of the map.
    pub size: (u16, u16),
    pub start: Cell,
    pub goal: Cell,
    pub robot: Cell,
    /// The cells that the robot has been on.
    pub walked: &'a HashSet<Cell>,
}

impl Scene<'_> {
    /// What there is to see of a cell.
    #[must_use]
    pub fn look(&self, cell: Cell) -> Look {
        if cell == self.robot {
            Look::Robot
        } else if cell == self.goal {
            Look::Goal
        } else if cell == self.start {
            Look::Start
        } else {
            self.ground(cell)
        }
    }

    /// What there is to see of a cell that nothing stands on.
    #[must_use]
    pub fn ground(&self, cell: Cell) -> Look {
        if self.walked.contains(&cell) {
            return Look::Walked;
        }
        match (self.planner.fact(cell), self.planner.is_expanded(cell)) {
            (Occupancy::Blocked, _) => Look::Blocked,
            (Occupancy::Free, true) => Look::FreeSearched,
            (Occupancy::Free, false) => Look::Free,
            (Occupancy::Unknown, true) => Look::UnknownSearched,
            (Occupancy::Unknown, false) => Look::Unknown,
        }
    }
}

/// What a cell looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Not seen yet.
    Unknown,
    /// Not seen yet, but searched: the planner hopes to pass there.
    UnknownSearched,
    /// Seen free.
    Free,
    /// Seen free, and searched.
    FreeSearched,
    /// Seen blocked.
    Blocked,
    /// The robot has been there.
    Walked,
    Start,
    Goal,
    Robot,
}

impl Look {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Unknown,
        Self::UnknownSearched,
        Self::Free,
        Self::FreeSearched,
        Self::Blocked,
        Self::Walked,
        Self::Start,
        Self::Goal,
        Self::Robot,
    ];

    /// What a legend calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::UnknownSearched => "unknown, searched",
            Self::Free => "free",
            Self::FreeSearched => "free, searched",
            Self::Blocked => "blocked",
            Self::Walked => "walked",
            Self::Start => "start",
            Self::Goal => "goal",
            Self::Robot => "robot",
        }
    }
}
