//! Runs of the robot in a simulated world: the firmware's tasks in virtual time ([`ModelRun`]), or the
//! firmware's image on an emulated chip ([`ChipRun`]).
//!
//! ```text
//!  RunConfig --> ModelRun, ChipRun --> Progress, step by step
//!                      ^   \
//!            Operator -+    +--> RunReport
//! ```
//!
//! Both take a [`RunConfig`], show their [`Progress`] and return a [`RunReport`]. The same operator
//! starts the missions and gathers the statistics in both.

mod calibration;
mod chip;
mod client;
mod field;
mod hardware;
mod lower_bound;
mod model;
mod operator;
mod report;
mod robot;
mod sweep;

pub use calibration::{CalibrationFailed, CalibrationRun};
pub use chip::{ChipRun, EmulatedRobot, SLICE, Step, instant};
pub use field::{FieldTooSmall, embed, on_field, on_map};
pub use hardware::FaultyHardware;
pub use lower_bound::lower_bound_seconds;
pub use model::{CellTooSmall, MapTooSmall, ModelRun};
pub use report::{PhaseReport, RunOutcome, RunReport, pose_error};
pub use sweep::{Distribution, SweepReport};

use std::io;

use embassy_time::{Duration, Instant};
use planner_core::{Cell, Side};
use rand::RngExt;
use thiserror::Error;
use tinystar::{
    mission::Mission,
    signals::Uncertainty,
    telemetry::{Frame, State},
};

use crate::{
    physics::{
        faults::InjectedFault,
        floor::Floor,
        geometry::Pose,
        model::{PhysicsModel, placed},
        tolerances::{Draw, Tolerances},
    },
    world::rng,
};

/// World, robot, missions and faults of a run.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// Floor with its walls.
    pub floor: Floor,
    /// Cell in which the robot starts.
    pub home: Cell,
    /// Heading with which the robot starts.
    pub heading: Side,
    /// Missions, executed in turn; a patrol ends after one round.
    pub missions: Vec<Mission>,
    pub tolerances: Tolerances,
    /// Seed of its noise.
    pub seed: u64,
    /// Injected faults, at most one of each kind.
    pub faults: Vec<InjectedFault>,
    /// Simulated time after which the run ends.
    pub time_limit: Duration,
}

impl RunConfig {
    /// Run of a robot drawn from a seed, without missions and faults.
    pub fn new(floor: Floor, home: Cell, heading: Side, seed: u64, time_limit: Duration) -> Self {
        let mut rng = rng::seeded(seed);
        Self {
            floor,
            home,
            heading,
            missions: Vec::new(),
            tolerances: Tolerances::drawn(&mut rng),
            seed: rng.random(),
            faults: Vec::new(),
            time_limit,
        }
    }

    /// Pose in which a person puts the robot at its home.
    pub fn placed(&self) -> Pose {
        placed(&self.floor, self.home, self.heading, &self.tolerances)
    }

    /// Draws the robot again, from other ranges.
    pub fn draw(&mut self, draw: Draw, seed: u64) {
        self.tolerances = Tolerances::draw(draw, &mut rng::seeded(seed));
    }

    /// Physics model with the robot at its home.
    pub fn physics(&self) -> PhysicsModel {
        PhysicsModel::new(
            self.floor.clone(),
            self.home,
            self.heading,
            self.tolerances,
            self.seed,
        )
    }
}

/// One step of a run, as an observer sees it.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Simulated time.
    pub now: Instant,
    /// Telemetry since the last step.
    pub frames: &'a [Frame],
    /// Ground truth.
    pub physics: &'a PhysicsModel,
    /// State of the robot by its own tasks, with the uncertainty of its pose; on the model only.
    pub state: Option<(State, Uncertainty)>,
}

/// A run could not be started or finished.
#[derive(Debug, Error)]
pub enum RunError {
    /// The floor is larger than the robot's map.
    #[error(transparent)]
    MapTooSmall(#[from] MapTooSmall),
    /// The robot does not fit into the cells.
    #[error(transparent)]
    CellTooSmall(#[from] CellTooSmall),
    /// The emulator failed.
    #[error(transparent)]
    Emulator(#[from] emulator::Error),
    /// The observer failed, which ended the run.
    #[error(transparent)]
    Observer(#[from] io::Error),
}
