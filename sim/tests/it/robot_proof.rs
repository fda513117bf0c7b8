//! What the robot must do on any floor and whatever goes wrong, with the noise on.
//!
//! A collision is what the physical model counts, not what the robot notices.

use embassy_time::{Duration, Instant};
use planner_core::{Cell, Side};
use rand::RngExt;
use rayon::prelude::*;
use sim::{
    physics::{
        faults::{FaultKind, InjectedFault},
        floor::Floor,
    },
    run::{ModelRun, Rehearsed, RunOutcome},
    world::{Maze, corridors, random, rng},
};
use tinystar::{fault::Fault, mission::Mission};

/// A contact below this, in millimetres per second, is a touch.
const TOUCH: f64 = 60.0;

fn told(rehearsed: &Rehearsed) -> String {
    serde_json::to_string(rehearsed).unwrap()
}

/// A floor of boxes and a way across it.
fn boxes(seed: u64) -> ModelRun {
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
        let mut rehearsal = ModelRun::new(Floor::around(&grid).unwrap(), home, seed);
        rehearsal.missions = vec![Mission::GoTo(goal)];
        return rehearsal;
    }
}

/// A maze of thin walls with loops in it, and its middle for a goal.
fn labyrinth(seed: u64) -> ModelRun {
    const SIDE: u16 = 8;
    let mut rng = rng::derived(seed, 2);
    // Rooms are at even columns and rows; what is between two of them is a wall or is not.
    let corridors = corridors::corridors(2 * SIDE - 1, 2 * SIDE - 1, 8, &mut rng).unwrap();
    let mut walls = Maze::open(SIDE.into(), SIDE.into()).unwrap();
    for cell in walls.cells() {
        let (x, y) = (2 * cell.x, 2 * cell.y);
        for (side, between) in [
            (Side::South, Cell::new(x, y + 1)),
            (Side::East, Cell::new(x + 1, y)),
        ] {
            let is_wall = corridors.contains(between) && !corridors.is_free(between);
            walls.set_wall(cell, side, is_wall);
        }
    }
    let home = Cell::new(0, SIDE - 1);
    let middle = SIDE / 2;
    let goals =
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| Cell::new(middle - dx, middle - dy));
    let mut rehearsal = ModelRun::new(Floor::new(walls), home, seed);
    rehearsal.missions = vec![Mission::Explore(goals.into_iter().collect())];
    rehearsal
}

/// What is wrong with a run that should have gone well.
fn blame(rehearsed: &Rehearsed) -> Option<&'static str> {
    if rehearsed.outcome != RunOutcome::Done {
        Some("it is not done")
    } else if rehearsed.collisions > 0 {
        Some("it touched something")
    } else if rehearsed.wrong_walls > 0 {
        Some("its map is wrong")
    } else if !rehearsed.motors_off {
        Some("its motors are on")
    } else if rehearsed.garbage > 0 {
        Some("it told nonsense")
    } else if u32::from(rehearsed.worst_tick_expansions) > tinystar::config::LIMIT {
        Some("a tick was not bounded")
    } else {
        None
    }
}

/// Runs all at once; panics with what is wrong with each that went wrong.
fn assert_all<T: Send>(
    runs: impl IntoParallelIterator<Item = T>,
    judge: impl Fn(T) -> Result<(), String> + Sync + Send,
) {
    let wrong: Vec<String> = runs
        .into_par_iter()
        .filter_map(|run| judge(run).err())
        .collect();
    assert!(
        wrong.is_empty(),
        "{} went wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn judge(name: impl std::fmt::Display, rehearsed: &Rehearsed) -> Result<(), String> {
    match blame(rehearsed) {
        Some(why) => Err(format!("{name}: {why}: {}", told(rehearsed))),
        None => Ok(()),
    }
}

#[test]
fn two_hundred_floors_are_crossed_without_touching_anything() {
    assert_all(0..200u64, |seed| {
        judge(seed, &boxes(seed).run(|_| ()).unwrap())
    });
}

#[test]
fn mazes_are_explored_until_they_are_solved_and_then_run() {
    assert_all(0..24u64, |seed| {
        judge(seed, &labyrinth(seed).run(|_| ()).unwrap())
    });
}

/// What may stop the robot when this goes wrong.
fn allowed(kind: FaultKind) -> &'static [Fault] {
    match kind {
        FaultKind::Dropped | FaultKind::Frozen => &[Fault::Proximity],
        FaultKind::Ghost
        | FaultKind::Missed
        | FaultKind::Person
        | FaultKind::Door
        | FaultKind::Power => &[],
        FaultKind::Gyro => &[Fault::Gyro],
        // A wheel that is not seen to turn cannot be told from one that does not.
        FaultKind::Encoder | FaultKind::Motor => &[Fault::Stall, Fault::Slip],
        FaultKind::Slip => &[Fault::Slip, Fault::Stall],
    }
}

/// Whether it can leave a wall on the map that is not there: it was, as far as any sensor can tell.
fn may_mislead(kind: FaultKind) -> bool {
    matches!(kind, FaultKind::Ghost | FaultKind::Door)
}

#[test]
fn whatever_goes_wrong_the_robot_goes_on_or_stops_for_the_right_reason() {
    let runs: Vec<(FaultKind, u64)> = FaultKind::all()
        .flat_map(|kind| (0..20).map(move |seed| (kind, seed)))
        .collect();
    assert_all(runs, |(kind, seed)| {
        let mut rng = rng::derived(seed, 3);
        let mut rehearsal = boxes(1000 + seed);
        rehearsal.missions.push(Mission::Home);
        let at = Instant::from_micros(rng.random_range(1_100_000..12_000_000));
        rehearsal.troubles = vec![InjectedFault {
            kind,
            at,
            lasts: kind.usual(),
        }];
        let rehearsed = rehearsal.run(|_| ()).unwrap();
        let is_right = (rehearsed.motors_off || kind == FaultKind::Power)
            && rehearsed.collision_speed < TOUCH
            && match rehearsed.outcome {
                RunOutcome::Done => {
                    rehearsed.faults.is_empty() && (rehearsed.wrong_walls == 0 || may_mislead(kind))
                }
                RunOutcome::Fault => {
                    let fault = Fault::from_code(rehearsed.faults[0]);
                    fault.is_some_and(|fault| allowed(kind).contains(&fault))
                }
                RunOutcome::PowerCut => kind == FaultKind::Power,
                _ => false,
            };
        let micros = at.as_micros();
        is_right
            .then_some(())
            .ok_or_else(|| format!("{kind} at {micros} us, seed {seed}: {}", told(&rehearsed)))
    });
}

#[test]
fn the_power_may_go_at_every_operation_of_the_flash() {
    let errand = |chip| {
        let mut rehearsal = boxes(7);
        rehearsal.missions.push(Mission::Home);
        rehearsal.chip = chip;
        rehearsal.limit = Duration::from_secs(600);
        rehearsal
    };
    let whole = errand(Default::default()).run(|_| ()).unwrap();
    assert_eq!(judge(7, &whole), Ok(()));
    let operations = whole.chip.operations();
    assert!(operations > 2, "nothing was written");
    assert_all(0..operations, |operation| {
        let mut rehearsal = errand(Default::default());
        rehearsal.chip.cut_in(operation);
        let cut = rehearsal.run(|_| ()).unwrap();
        if cut.outcome != RunOutcome::PowerCut {
            return Err(format!("operation {operation}: {}", told(&cut)));
        }
        // A person puts the robot home and sends it off again.
        let again = errand(cut.chip.powered()).run(|_| ()).unwrap();
        judge(format_args!("after operation {operation}"), &again)
    });
}
