//! Robots that have lost their place: they find it by the walls around them, or stop with a fault.

use embassy_time::{Duration, Instant};
use planner_core::{Cell, Side};
use rand::RngExt;
use rayon::prelude::*;
use sim::{
    physics::faults::{FaultKind, InjectedFault},
    run::{ModelRun, RunOutcome, RunReport, pose_error},
    world::{Maze, rng},
};
use tinystar::{
    config::{LOST_STEPS, START_STILL},
    fault::Fault,
    mission::{Activity, Mission},
};

use crate::robot_proof::{boxes, labyrinth};

/// Distance between estimate and truth above which a robot that goes on has taken another place for its own, in
/// millimetres: half a cell.
const ELSEWHERE: f64 = 90.0;

/// Searches of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Searches {
    all: u32,
    found: u32,
    /// Those in cells whose walls differ from those of all cells nearby.
    unique: u32,
    unique_found: u32,
    /// Robots that went on at another place.
    wrong: u32,
}

impl Searches {
    fn sum(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            found: self.found + other.found,
            unique: self.unique + other.unique,
            unique_found: self.unique_found + other.unique_found,
            wrong: self.wrong + other.wrong,
        }
    }
}

/// Returns whether the walls of a cell differ from those of every cell that is a few steps away.
fn is_unique(walls: &Maze, cell: Cell) -> bool {
    let pattern = |cell| Side::ALL.map(|side| walls.has_wall(cell, side));
    let mut cells = vec![cell];
    for _ in 0..LOST_STEPS {
        for from in cells.clone() {
            for side in Side::ALL {
                let next = walls
                    .beyond(from, side)
                    .filter(|_| !walls.has_wall(from, side));
                if let Some(next) = next.filter(|next| !cells.contains(next)) {
                    cells.push(next);
                }
            }
        }
    }
    cells[1..]
        .iter()
        .all(|&other| pattern(other) != pattern(cell))
}

/// Executes a run and watches its searches.
fn watch(run: ModelRun) -> (Searches, RunReport) {
    let mut searches = Searches::default();
    let mut before = Activity::Idle;
    let mut was_unique = false;
    let walls = run.config.floor.walls().clone();
    let report = run.run_observed(|progress| {
        let Some((state, _)) = &progress.state else {
            return Ok(());
        };
        let physics = progress.physics;
        match (before, state.activity) {
            (Activity::Relocalising, Activity::Relocalising) => {}
            (_, Activity::Relocalising) => {
                let cell = physics.floor().cell(physics.drivetrain().pose().at);
                was_unique = is_unique(&walls, cell);
                searches.all += 1;
                searches.unique += u32::from(was_unique);
            }
            (Activity::Relocalising, Activity::Going) => {
                let (mm, degrees) = pose_error(state, physics);
                searches.found += 1;
                searches.unique_found += u32::from(was_unique);
                searches.wrong += u32::from(mm > ELSEWHERE || degrees > 20.0);
            }
            _ => {}
        }
        before = state.activity;
        Ok(())
    });
    (searches, report.unwrap())
}

/// Adds a fault at a random instant of a range in seconds, for a random time.
fn with_fault(mut run: ModelRun, kind: FaultKind, seed: u64, seconds: f64) -> ModelRun {
    let mut rng = rng::derived(seed, 6);
    let micros = |seconds: f64| (seconds * 1e6) as u64;
    run.config.faults = vec![InjectedFault {
        kind,
        start: Instant::from_micros(micros(rng.random_range(1.1..seconds))) + START_STILL,
        duration: Duration::from_micros(micros(rng.random_range(0.2..2.0))),
    }];
    run
}

#[test]
fn a_robot_that_slips_never_goes_on_at_another_place() {
    let runs: Vec<ModelRun> = (0..40)
        .map(|seed| match seed % 2 {
            0 => with_fault(boxes(7000 + seed), FaultKind::Slip, seed, 8.0),
            _ => with_fault(labyrinth(7000 + seed), FaultKind::Slip, seed, 40.0),
        })
        .collect();
    let judged = runs.into_par_iter().map(|run| {
        let (searches, report) = watch(run);
        assert_eq!(searches.wrong, 0, "{searches:?} {report:?}");
        assert!(report.contact_mm_s < 60.0, "{report:?}");
        assert_eq!(report.wrong_walls, Some(0), "{report:?}");
        let is_right = match report.outcome {
            RunOutcome::Done => true,
            RunOutcome::Fault => {
                let fault = Fault::from_code(report.faults[0]);
                matches!(
                    fault,
                    Some(Fault::Lost | Fault::Slip | Fault::Stall | Fault::Motion)
                )
            }
            _ => false,
        };
        assert!(is_right, "{report:?}");
        searches
    });
    let searches = judged.reduce(Searches::default, Searches::sum);
    println!("{searches:?}");
    assert!(searches.all > 20 && searches.found > 5, "{searches:?}");
}

/// The tracks slip while the gyro keeps the robot on its curve: wheels and gyro disagree by little.
#[test]
fn a_slip_in_a_smooth_turn_is_noticed() {
    let mut run = boxes(6015);
    run.config.missions.push(Mission::Home);
    run.config.faults = vec!["slip@3.088+0.5".parse().unwrap()];
    let (searches, report) = watch(run);
    assert_eq!((searches.all, searches.wrong), (1, 0), "{report:?}");
    assert_eq!(
        (report.collisions, report.wrong_walls),
        (0, Some(0)),
        "{report:?}"
    );
}

#[test]
fn a_robot_that_is_carried_never_goes_on_by_itself() {
    (0..20_u64).into_par_iter().for_each(|seed| {
        let run = with_fault(boxes(7100 + seed), FaultKind::Carried, seed, 8.0);
        let (searches, report) = watch(run);
        assert_eq!(
            (searches.found, searches.wrong),
            (0, 0),
            "{seed}: {report:?}"
        );
        assert!(report.contact_mm_s < 60.0, "{seed}: {report:?}");
    });
}

/// Missions of robots that know the maze from an exploration before.
#[test]
fn four_of_five_robots_find_their_place_where_the_walls_are_unique() {
    let searches = (0..30_u64).into_par_iter().map(|seed| {
        let first = labyrinth(7200 + seed);
        let home = first.config.home;
        let explored = first.clone().run().unwrap();
        assert_eq!(explored.outcome, RunOutcome::Done, "{seed}");
        let mut run = with_fault(first, FaultKind::Slip, seed, 12.0);
        run.config.faults[0].duration = Duration::from_millis(300);
        run.flash = explored.flash.powered();
        let goals = run.config.missions[0].clone();
        run.config.missions = vec![goals, Mission::GoTo(home)];
        let (searches, report) = watch(run);
        assert_eq!(searches.wrong, 0, "{seed}: {report:?}");
        assert_eq!(report.wrong_walls, Some(0), "{seed}: {report:?}");
        searches
    });
    let searches = searches.reduce(Searches::default, Searches::sum);
    println!("{searches:?}");
    assert!(searches.unique >= 8, "{searches:?}");
    assert!(
        searches.unique_found * 5 >= searches.unique * 4,
        "{searches:?}"
    );
}
