//! The robot's estimate of its pose against the truth of the physics model.

use planner_core::Cell;
use rand::RngExt;
use rayon::prelude::*;
use sim::{
    physics::{
        faults::{FaultKind, InjectedFault},
        floor::Floor,
        model::{PhysicsModel, angle},
        parameters::CELL,
    },
    run::{ModelRun, RunOutcome, RunReport},
    world::{Maze, rng},
};
use tinystar::{
    config::{CONTROL_PERIOD, SAVES_PER_MISSION},
    fault::Fault,
    mission::Mission,
    signals::Uncertainty,
    telemetry::State,
};

use crate::{
    robot_proof::{boxes, labyrinth},
    support::robots::CALIBRATED,
};

/// Control steps of runs, and those in which the truth lies outside of the stated uncertainty.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    all: u64,
    outside: [u64; 3],
}

impl Steps {
    fn sum(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            outside: [0, 1, 2].map(|value| self.outside[value] + other.outside[value]),
        }
    }
}

/// Difference of two values on a circle.
fn wrapped(difference: f64, around: f64) -> f64 {
    (difference + around / 2.0).rem_euclid(around) - around / 2.0
}

/// Errors of the estimate in millimetres and degrees, forward, lateral and yaw. The estimator knows its place in a cell
/// only, so whole cells and quarter turns do not count; the plan task takes note of those after the motion.
fn errors(state: &State, physics: &PhysicsModel) -> [f64; 3] {
    let truth = physics.drivetrain().pose();
    let (center, heading) = (physics.floor().middle(state.at), angle(state.heading));
    let (east, south) = (truth.at[0] - center[0], truth.at[1] - center[1]);
    let (sin, cos) = heading.sin_cos();
    let yaw = (truth.heading - heading).to_degrees() - f64::from(state.yaw_ddeg) / 10.0;
    [
        wrapped(east * sin - south * cos - f64::from(state.forward_mm), CELL),
        wrapped(east * cos + south * sin - f64::from(state.lateral_mm), CELL),
        wrapped(yaw, 90.0),
    ]
}

/// Executes a run and compares its pose with the truth at every control step.
fn compare(run: ModelRun) -> (Steps, RunReport) {
    let mut steps = Steps::default();
    let mut next = embassy_time::Instant::MIN;
    let report = run.run_observed(|progress| {
        let Some((state, uncertainty)) = &progress.state else {
            return Ok(());
        };
        // In the second half of a turn, the frame of the plan task is not that of the estimator.
        let is_comparable = state.activity.is_active() && state.yaw_ddeg.abs() < 450;
        if progress.now >= next && is_comparable {
            next = progress.now + CONTROL_PERIOD;
            let Uncertainty {
                forward_um,
                lateral_um,
                yaw_mdeg,
            } = *uncertainty;
            // The state is in whole millimetres and tenths of a degree.
            let bounds = [
                f64::from(forward_um) / 1000.0 + 1.0,
                f64::from(lateral_um) / 1000.0 + 1.0,
                f64::from(yaw_mdeg) / 1000.0 + 0.1,
            ];
            steps.all += 1;
            for (value, error) in errors(state, progress.physics).into_iter().enumerate() {
                steps.outside[value] += u64::from(error.abs() > bounds[value]);
            }
        }
        Ok(())
    });
    (steps, report.unwrap())
}

/// Four missions on a floor without walls inside.
fn open_floor(seed: u64) -> ModelRun {
    let mut rng = rng::derived(seed, 4);
    let mut cell = || Cell::new(rng.random_range(0..16), rng.random_range(0..16));
    let floor = Floor::new(Maze::open(16, 16).unwrap());
    let mut run = ModelRun::new(floor, cell(), seed);
    run.config.missions = (0..4).map(|_| Mission::GoTo(cell())).collect();
    run
}

/// Asserts that the truth is inside in at least 99 % of the control steps.
fn assert_inside(runs: impl IntoParallelIterator<Item = ModelRun>) {
    let runs = runs.into_par_iter().map(|run| compare(run).0);
    let Steps { all, outside } = runs.reduce(Steps::default, Steps::sum);
    assert!(all > 10_000, "{all} steps are no proof");
    for (value, outside) in ["forward", "lateral", "yaw"].into_iter().zip(outside) {
        assert!(outside * 100 <= all, "{value}: {outside} of {all} steps");
    }
}

#[test]
fn the_true_pose_is_inside_the_uncertainty_on_floors_of_boxes() {
    assert_inside((0..40).map(boxes).collect::<Vec<_>>());
}

#[test]
fn the_true_pose_is_inside_the_uncertainty_in_mazes() {
    assert_inside((0..4).map(labyrinth).collect::<Vec<_>>());
}

#[test]
fn the_true_pose_is_inside_the_uncertainty_on_an_open_floor() {
    let runs = (0..20).map(|seed| ModelRun {
        calibration: CALIBRATED,
        ..open_floor(seed)
    });
    assert_inside(runs.collect::<Vec<_>>());
}

#[test]
fn on_an_open_floor_the_robot_arrives_or_says_that_it_is_lost() {
    (0..20).into_par_iter().for_each(|seed| {
        let report = open_floor(seed).run().unwrap();
        let is_right = match report.outcome {
            RunOutcome::Done => true,
            // A corner that touches a wall in a slow turn is noticed as slip.
            RunOutcome::Fault => {
                let fault = Fault::from_code(report.faults[0]);
                matches!(fault, Some(Fault::Lost | Fault::Slip))
            }
            _ => false,
        };
        assert!(is_right, "{seed}: {report:?}");
        assert!(report.contact_mm_s < 60.0, "{seed}: {report:?}");
        assert_eq!(report.wrong_walls, Some(0), "{seed}: {report:?}");
    });
}

/// Long bursts at random instants, in mazes: the map that is left has no wrong wall, neither in RAM nor in flash.
#[test]
fn a_slip_burst_of_seconds_leaves_no_wrong_wall() {
    (0..12).into_par_iter().for_each(|seed| {
        let mut rng = rng::derived(seed, 5);
        let mut run = labyrinth(seed);
        let floor = run.config.floor.clone();
        let home = run.config.home;
        let micros = |range| embassy_time::Duration::from_micros(range);
        run.config.faults = vec![InjectedFault {
            kind: FaultKind::Slip,
            start: embassy_time::Instant::MIN + micros(rng.random_range(3_000_000..60_000_000)),
            duration: micros(rng.random_range(500_000..8_000_000)),
        }];
        let report = run.run().unwrap();
        assert!(report.contact_mm_s < 60.0, "{seed}: {report:?}");
        assert_eq!(report.wrong_walls, Some(0), "{seed}: {report:?}");
        // A page and its erase for each save, and some for the first.
        let most = 3 * (u64::from(SAVES_PER_MISSION) + 1);
        assert!(report.flash_writes <= most, "{seed}: {report:?}");

        let mut restarted = ModelRun::new(floor, home, seed);
        restarted.flash = report.flash.powered();
        let restarted = restarted.run().unwrap();
        assert_eq!(restarted.wrong_walls, Some(0), "{seed}: {restarted:?}");
    });
}
