//! The mission of a micromouse: its phases, and the moment at which the shortest path is proven.

use planner_core::explore::Phase;
use sim::{
    catalog::{AnyPlanner, Explorer},
    micromouse::name,
};

/// The planner of a run.
pub enum Driver {
    /// Goes to the goal once.
    Single(Box<dyn AnyPlanner>),
    /// Searches, explores, returns and runs.
    Mission(Box<dyn Explorer>),
}

impl Driver {
    pub fn planner(&self) -> &dyn AnyPlanner {
        match self {
            Self::Single(planner) => &**planner,
            Self::Mission(explorer) => &**explorer,
        }
    }

    pub fn planner_mut(&mut self) -> &mut dyn AnyPlanner {
        match self {
            Self::Single(planner) => &mut **planner,
            Self::Mission(explorer) => &mut **explorer,
        }
    }

    /// The explorer, in a mission.
    pub fn explorer(&self) -> Option<&dyn Explorer> {
        match self {
            Self::Single(_) => None,
            Self::Mission(explorer) => Some(&**explorer),
        }
    }
}

/// The names of the phases, in order.
pub const PHASES: [&str; 4] = ["search", "explore", "return", "run"];

/// A phase that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseRecord {
    pub name: &'static str,
    /// Cells entered.
    pub moves: u64,
}

/// The moment at which nothing unknown could make the path shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    pub tick: u64,
    /// Length of the shortest path from the start.
    pub steps: usize,
}

/// The phases of a mission so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mission {
    /// At most one for each of [`PHASES`].
    pub phases: Vec<PhaseRecord>,
    pub proof: Option<Proof>,
}

impl Mission {
    /// Records a tick, and whether the robot moved in it; returns whether a phase begins with it.
    pub fn record(&mut self, explorer: &dyn Explorer, tick: u64, moved: bool) -> bool {
        let name = name(explorer.phase());
        let is_new = self.phases.last().is_none_or(|last| last.name != name);
        if is_new {
            // A wall that somebody draws can send the robot back to an earlier phase.
            self.phases.retain(|phase| phase.name != name);
            self.phases.push(PhaseRecord { name, moves: 0 });
        }
        if let Some(phase) = self.phases.last_mut() {
            phase.moves += u64::from(moved);
        }
        if !explorer.is_solved() {
            self.proof = None;
        } else if self.proof.is_none() {
            let steps = explorer.best_known();
            self.proof = steps.map(|steps| Proof { tick, steps });
        }
        is_new
    }

    /// The phase that the robot is in, as an index of [`PHASES`]; all are over at the end.
    pub fn place(phase: Phase) -> usize {
        match phase {
            Phase::Done => PHASES.len(),
            phase => {
                let name = name(phase);
                PHASES.iter().position(|other| *other == name).unwrap_or(0)
            }
        }
    }
}
