//! Result of a run.

use planner_core::{Cell, explore::Phase};
use serde::Serialize;
use tinystar::{
    mission::Mission,
    telemetry::{State, Stored},
};

use crate::physics::{
    devices::FlashMemory,
    geometry::Pose,
    model::{PhysicsModel, angle},
};

/// End of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunOutcome {
    /// All missions are done.
    Done,
    /// The robot stopped with a fault.
    Fault,
    /// The robot was stopped in a motion, or moved by hand, and does not know its pose.
    Lost,
    /// The goal is unreachable, and the robot reported it.
    Unreachable,
    /// A command was refused.
    Refused,
    /// The watchdog reset the robot.
    Reset,
    /// Power was lost.
    PowerCut,
    /// The time limit was reached.
    TimeUp,
    /// The tasks, or the chip, stopped doing anything.
    #[default]
    Stuck,
}

/// Part of a run in one phase.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseReport {
    pub phase: Phase,
    /// Simulated time.
    pub seconds: f64,
    /// Cells that the robot entered.
    pub cells: u64,
    /// Time by cells.
    pub seconds_per_cell: f64,
    /// Highest speed, in millimetres per second.
    pub top_speed: f64,
    /// Exits of routes that the robot decided on.
    pub decisions: u64,
    /// Those that came too late for a smooth turn.
    pub decisions_late: u64,
}

impl PhaseReport {
    /// Phase that begins.
    pub(super) fn new(phase: Phase) -> Self {
        Self {
            phase,
            seconds: 0.0,
            cells: 0,
            seconds_per_cell: 0.0,
            top_speed: 0.0,
            decisions: 0,
            decisions_late: 0,
        }
    }

    /// Adds time and cells.
    pub(super) fn add(&mut self, seconds: f64, cells: u64) {
        self.seconds += seconds;
        self.cells += cells;
        self.seconds_per_cell = self.seconds / self.cells.max(1) as f64;
    }
}

/// Result of a run, on the model or on the chip.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RunReport {
    /// End of the run.
    pub outcome: RunOutcome,
    /// Missions, as they are typed.
    pub mission: String,
    /// Cells that the robot entered.
    pub cells: u64,
    /// Simulated time from the start of the first mission.
    pub seconds: f64,
    /// The same by cells.
    pub seconds_per_cell: f64,
    /// The same by phases, in order, as the robot reports them: its planner is ahead of it.
    pub phases: Vec<PhaseReport>,
    /// Time of the last run from home to the goal of an exploration, from rest to rest; none before it is done.
    pub run_seconds: Option<f64>,
    /// Cells of that run.
    pub run_cells: Option<u64>,
    /// Least time of such a run through the cells that the robot knows, as it plans it; on the model only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned_run_seconds: Option<f64>,
    /// Least time of such a run by a robot that knows the maze, at the limits of the firmware; on the model only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_bound_seconds: Option<f64>,
    /// Highest speed, in millimetres per second.
    pub top_speed: f64,
    /// Exits of routes that the robot decided on.
    pub decisions: u64,
    /// Those that came too late for a smooth turn.
    pub decisions_late: u64,
    /// Least distance that was left if the robot had stopped in cells known to be free, in millimetres; on the model
    /// only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_margin_mm: Option<f64>,
    /// Number of collisions.
    pub collisions: usize,
    /// Speed of the fastest collision, in millimetres per second.
    pub collision_speed: f64,
    /// The same, by the name that scripts use.
    pub contact_mm_s: f64,
    /// Longest distance driven with the motors off, in millimetres.
    pub coast_mm: f64,
    /// Longest time for which a task was due but did not run, in microseconds; on the model only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_delay_us: Option<u64>,
    /// Codes of the faults reported by the robot.
    pub faults: Vec<u8>,
    /// Most expansions of one planner tick.
    pub worst_tick_expansions: u16,
    /// Longest planner tick in cycles, by the chip's own clock, interrupts included; none on the model.
    pub worst_tick_cycles: Option<u64>,
    /// Flash pages written and sectors erased.
    pub flash_writes: u64,
    /// Largest position error of the robot's estimate while standing, in millimetres.
    pub pose_error_mm: f64,
    /// Largest heading error of the robot's estimate while standing, in degrees.
    pub heading_error_deg: f64,
    /// Wrong walls in the final map, apart from temporary obstacles; on the model only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong_walls: Option<usize>,
    /// True if the motors are off at the end.
    pub motors_off: bool,
    /// Telemetry messages that could not be decoded.
    pub garbage: u64,
    /// Log of the image; on the chip only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs: Option<Vec<String>>,
    /// States of the map in flash, as reported; on the chip, reports before USB is connected are lost.
    #[serde(skip)]
    pub stored: Vec<Stored>,
    /// Flash for the next run; on the model only.
    #[serde(skip)]
    pub flash: FlashMemory,
    /// Final wall map, as it is stored; on the model only.
    #[serde(skip)]
    pub map: Vec<u8>,
    /// Recorded telemetry, if requested.
    #[serde(skip)]
    pub recording: Vec<u8>,
}

impl RunReport {
    /// Time of the run by that of the plan.
    pub fn driven_by_planned(&self) -> Option<f64> {
        Some(self.run_seconds? / self.planned_run_seconds?)
    }

    /// Time of the run by its lower bound.
    pub fn driven_by_lower_bound(&self) -> Option<f64> {
        Some(self.run_seconds? / self.lower_bound_seconds?)
    }

    /// Returns whether the missions are done, without a collision and without a wrong wall.
    pub fn is_clean(&self) -> bool {
        self.outcome == RunOutcome::Done
            && self.collisions == 0
            && self.wrong_walls.is_none_or(|walls| walls == 0)
    }
}

/// Position and heading error of the robot's estimate, in millimetres and degrees.
pub fn pose_error(state: &State, physics: &PhysicsModel) -> (f64, f64) {
    let truth = physics.drivetrain().pose();
    let cell = Pose {
        at: physics.floor().middle(state.at),
        heading: angle(state.heading),
    };
    let [x, y] = cell.point(state.forward_mm.into(), state.lateral_mm.into());
    let distance = f64::hypot(truth.at[0] - x, truth.at[1] - y);
    let yaw = f64::from(state.yaw_ddeg) / 10.0;
    let error = (truth.heading - cell.heading).to_degrees() - yaw;
    let error = (error + 180.0).rem_euclid(360.0) - 180.0;
    (distance, error.abs())
}

/// Returns whether a mission's goal is unreachable even without temporary obstacles.
pub(super) fn is_unreachable(mission: &Mission, home: Cell, physics: &PhysicsModel) -> bool {
    let walls = physics.floor().walls();
    let at = physics.floor().cell(physics.drivetrain().pose().at);
    let distances = walls.distances(&[at]);
    let is_reachable = |cell: &Cell| {
        let index = walls.index(*cell);
        index.is_some_and(|index| distances[index].is_some())
    };
    match mission {
        Mission::GoTo(cell) => !is_reachable(cell),
        Mission::Home => !is_reachable(&home),
        Mission::Patrol(cells) => !cells.iter().all(is_reachable),
        Mission::Explore(cells) => !cells.iter().any(is_reachable),
    }
}

#[cfg(test)]
mod tests {
    use planner_core::Side;

    use super::*;
    use crate::{
        physics::{floor::Floor, tolerances::Tolerances},
        world::Maze,
    };

    /// The centre of cell 2,1 is at (450, 270).
    #[test]
    fn pose_errors_match_a_hand_computation() {
        let floor = Floor::new(Maze::open(4, 3).unwrap());
        let home = Cell::new(0, 0);
        let mut physics = PhysicsModel::new(floor, home, Side::North, Tolerances::none(), 0);
        // 30 mm forward and 40 mm right of the centre, in each direction, and 5 degrees to the right or the left.
        for (heading, yaw_ddeg, estimate, degrees) in [
            (Side::North, 50, [490.0, 240.0], 5.0),
            (Side::East, 50, [480.0, 310.0], 95.0),
            (Side::South, -50, [410.0, 300.0], 175.0),
            (Side::West, -50, [420.0, 230.0], 265.0),
        ] {
            let state = State {
                forward_mm: 30,
                lateral_mm: 40,
                yaw_ddeg,
                ..State::new(Cell::new(2, 1), heading)
            };
            // After turns in both directions, and to both sides of the estimate.
            for truth in [degrees - 363.0, degrees - 3.0, degrees + 723.0] {
                physics.drivetrain_mut().put_at(Pose {
                    at: [estimate[0] - 3.0, estimate[1] + 4.0],
                    heading: f64::to_radians(truth),
                });
                let (mm, degrees) = pose_error(&state, &physics);
                assert!((mm - 5.0).abs() < 1e-9, "{heading:?}: {mm}");
                assert!((degrees - 3.0).abs() < 1e-9, "{heading:?}: {degrees}");
            }
        }
    }
}
