//! Many model runs with noise and faults: the robot arrives, or stops for the right reason.
//!
//! Collisions are those of the physics model, not those that the robot notices.

use embassy_time::{Duration, Instant};
use planner_core::Cell;
use rand::RngExt;
use rayon::prelude::*;
use sim::{
    physics::{
        devices::{Cut, FlashMemory, Tear},
        faults::{FaultKind, InjectedFault},
        floor::Floor,
    },
    run::{ModelRun, RunOutcome, RunReport},
    world::{corridors, random, rng},
};
use tinystar::{config::START_STILL, fault::Fault, mission::Mission};

use crate::support::{maps, robots::CALIBRATED};

/// Speed below which a collision is harmless, in millimetres per second.
const TOUCH: f64 = 60.0;
fn json(report: &RunReport) -> String {
    serde_json::to_string(report).unwrap()
}

/// Run across a floor with boxes.
pub fn boxes(seed: u64) -> ModelRun {
    let mut rng = rng::derived(seed, 1);
    loop {
        let side = rng.random_range(7..=16);
        let grid = random::obstacles(side, side, 0.25, &mut rng).unwrap();
        let Some((home, goal)) = grid.random_free_pair(&mut rng) else {
            continue;
        };
        if !grid.reachable(home).is_free(goal) || home == goal {
            continue;
        }
        let mut run = ModelRun::new(Floor::around(&grid).unwrap(), home, seed);
        run.config.missions = vec![Mission::GoTo(goal)];
        run.calibration = CALIBRATED;
        return run;
    }
}

/// Exploration of a maze with loops.
pub fn labyrinth(seed: u64) -> ModelRun {
    const SIDE: u16 = 8;
    let mut rng = rng::derived(seed, 2);
    let corridors = corridors::corridors(2 * SIDE - 1, 2 * SIDE - 1, 8, &mut rng).unwrap();
    let walls = maps::maze_of(&corridors);
    let home = Cell::new(0, SIDE - 1);
    let middle = SIDE / 2;
    let goals =
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| Cell::new(middle - dx, middle - dy));
    let mut run = ModelRun::new(Floor::new(walls), home, seed);
    run.config.missions = vec![Mission::Explore(goals.into_iter().collect())];
    run.calibration = CALIBRATED;
    run
}

/// Reason for which a run has failed.
fn failure(report: &RunReport) -> Option<&'static str> {
    if report.outcome != RunOutcome::Done {
        Some("not done")
    } else if report.collisions > 0 {
        Some("collision")
    } else if report.wrong_walls != Some(0) {
        Some("wrong map")
    } else if !report.motors_off {
        Some("motors on")
    } else if report.garbage > 0 {
        Some("invalid telemetry")
    } else if report.stop_margin_mm.is_some_and(|mm| mm < -4.0) {
        Some("could not have stopped in free cells")
    } else if u32::from(report.worst_tick_expansions) > tinystar::config::LIMIT {
        Some("budget exceeded")
    } else {
        None
    }
}

/// Runs all in parallel; panics with the failures.
fn assert_all<T: Send>(
    runs: impl IntoParallelIterator<Item = T>,
    judge: impl Fn(T) -> Result<(), String> + Sync + Send,
) {
    let failures: Vec<String> = runs
        .into_par_iter()
        .filter_map(|run| judge(run).err())
        .collect();
    assert!(
        failures.is_empty(),
        "{} failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn judge(name: impl std::fmt::Display, report: &RunReport) -> Result<(), String> {
    match failure(report) {
        Some(why) => Err(format!("{name}: {why}: {}", json(report))),
        None => Ok(()),
    }
}

#[test]
fn two_hundred_floors_are_crossed_without_a_collision() {
    assert_all(0..200u64, |seed| judge(seed, &boxes(seed).run().unwrap()));
}

#[test]
fn mazes_are_explored_until_solved_and_then_run() {
    assert_all(0..24u64, |seed| {
        judge(seed, &labyrinth(seed).run().unwrap())
    });
}

/// Faults that the robot may report for an injected fault.
fn allowed(kind: FaultKind) -> &'static [Fault] {
    match kind {
        FaultKind::Dropped | FaultKind::Frozen => &[Fault::Proximity],
        FaultKind::Ghost | FaultKind::Missed | FaultKind::Door | FaultKind::Power => &[],
        // A leg is not where a wall would be: it shifts the estimated position, rarely (1 run in 20) by so much that the
        // ends of walls contradict it, or a corner touches a wall in a slow turn.
        FaultKind::Person => &[Fault::Lost, Fault::Slip],
        FaultKind::Gyro => &[Fault::Gyro],
        // A lost encoder is indistinguishable from a stalled wheel, or from a slip after which the robot has gone on where
        // it did not count all of its way.
        FaultKind::Encoder | FaultKind::Motor => &[Fault::Stall, Fault::Slip, Fault::Lost],
        FaultKind::Slip => &[Fault::Slip, Fault::Stall, Fault::Motion, Fault::Lost],
        // Wheels and gyro disagree in the air, or the walls are not where they were.
        FaultKind::Carried => &[Fault::Slip, Fault::Stall, Fault::Motion, Fault::Lost],
        // Stop, start and menu: not faults.
        FaultKind::ButtonA | FaultKind::ButtonB | FaultKind::ButtonC => &[],
    }
}

/// Returns whether a person does something to the robot, after which it may not know its pose.
fn is_by_hand(kind: FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::Carried | FaultKind::ButtonA | FaultKind::ButtonB | FaultKind::ButtonC
    )
}

/// Returns whether the injected fault can leave a wrong wall on the map.
fn may_leave_wrong_wall(kind: FaultKind) -> bool {
    // Who stands there when the robot stops is on its map, as a temporary obstacle that is not stored.
    matches!(kind, FaultKind::Door | FaultKind::Person)
}

#[test]
fn under_every_fault_the_robot_continues_or_stops_for_the_right_reason() {
    let runs: Vec<(FaultKind, u64)> = FaultKind::all()
        .flat_map(|kind| (0..20).map(move |seed| (kind, seed)))
        .collect();
    assert_all(runs, |(kind, seed)| {
        let mut rng = rng::derived(seed, 3);
        let mut run = boxes(1000 + seed);
        run.config.missions.push(Mission::Home);
        // From the first motion on.
        let start = Instant::from_micros(rng.random_range(1_100_000..12_000_000)) + START_STILL;
        run.config.faults = vec![InjectedFault {
            kind,
            start,
            duration: kind.default_duration(),
        }];
        let report = run.run().unwrap();
        let is_right = report.motors_off
            && report.contact_mm_s < TOUCH
            && match report.outcome {
                RunOutcome::Done => {
                    report.faults.is_empty()
                        && (report.wrong_walls == Some(0) || may_leave_wrong_wall(kind))
                }
                RunOutcome::Fault => {
                    let fault = Fault::from_code(report.faults[0]);
                    fault.is_some_and(|fault| allowed(kind).contains(&fault))
                        && (report.wrong_walls == Some(0) || may_leave_wrong_wall(kind))
                }
                RunOutcome::PowerCut => kind == FaultKind::Power,
                // Stopped or moved by a person.
                RunOutcome::Lost => is_by_hand(kind),
                _ => false,
            };
        let micros = start.as_micros();
        is_right
            .then_some(())
            .ok_or_else(|| format!("{kind} at {micros} us, seed {seed}: {}", json(&report)))
    });
}

#[test]
fn a_power_cut_in_any_flash_operation_is_survived() {
    let round_trip = |flash| {
        let mut run = boxes(7);
        run.config.missions.push(Mission::Home);
        run.flash = flash;
        run.config.time_limit = Duration::from_secs(600);
        run
    };
    let whole = round_trip(FlashMemory::default()).run().unwrap();
    assert_eq!(judge(7, &whole), Ok(()));
    let operations = whole.flash.operations();
    assert!(operations > 2, "nothing was written");
    assert_all(0..operations, |operation| {
        let mut run = round_trip(FlashMemory::default());
        run.flash = run.flash.cut(Cut {
            after: operation,
            tear: Tear::FirstHalf,
        });
        let cut = run.run().unwrap();
        if cut.outcome != RunOutcome::PowerCut || !cut.flash.is_off() {
            return Err(format!("operation {operation}: {}", json(&cut)));
        }
        // The robot is put home and started again.
        let again = round_trip(cut.flash.powered()).run().unwrap();
        if again.flash_writes == 0 {
            return Err(format!("nothing written after operation {operation}"));
        }
        judge(format_args!("after operation {operation}"), &again)
    });
}
