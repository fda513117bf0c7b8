//! Runs of the robot's own tasks in virtual time.

use std::thread;

use embassy_time::{Duration, Instant};
use planner_core::{Cell, Side, map::Occupancy};
use sim::{
    physics::{devices::ButtonPress, faults::FaultKind, floor::Floor, tolerances::Tolerances},
    run::{ModelRun, Rehearsed, RunOutcome},
    world::{Grid, Maze, random, rng},
};
use tinystar::{
    config::OBSTACLE_LIFETIME, fault::Fault, mission::Mission, robot::Buttons, telemetry::Frame,
};

/// A field of four by four cells with a wall across half of it.
fn half_a_wall() -> Floor {
    let mut walls = Maze::open(4, 4).unwrap();
    walls.set_wall(Cell::new(0, 2), Side::North, true);
    walls.set_wall(Cell::new(1, 2), Side::North, true);
    Floor::new(walls)
}

/// There and back, around the wall.
fn errand(seed: u64) -> ModelRun {
    let mut rehearsal = ModelRun::new(half_a_wall(), Cell::new(0, 3), seed);
    rehearsal.missions = vec![Mission::GoTo(Cell::new(0, 0)), Mission::Home];
    rehearsal.records = true;
    rehearsal
}

/// With something that goes wrong.
fn trouble(typed: &str) -> Rehearsed {
    let mut rehearsal = errand(1);
    rehearsal.troubles = vec![typed.parse().unwrap()];
    rehearsal.run(|_| ()).unwrap()
}

fn told(rehearsed: &Rehearsed) -> String {
    serde_json::to_string(rehearsed).unwrap()
}

#[test]
fn a_robot_goes_around_a_wall_and_comes_home() {
    for seed in 0..3 {
        let rehearsed = errand(seed).run(|_| ()).unwrap();
        let all = told(&rehearsed);
        assert_eq!(rehearsed.outcome, RunOutcome::Done, "seed {seed}: {all}");
        assert_eq!(rehearsed.collisions, 0, "seed {seed}: {all}");
        assert_eq!(rehearsed.wrong_walls, 0, "seed {seed}: {all}");
        assert_eq!(rehearsed.garbage, 0, "seed {seed}: {all}");
        // Seven cells there, by way of the gap, and seven back, if nothing is tried in vain.
        assert!(rehearsed.cells >= 14, "seed {seed}: {all}");
        assert!(rehearsed.pose_error_mm > 0.0 && rehearsed.pose_error_mm < 45.0);
        assert!(rehearsed.motors_off);
    }
}

#[test]
fn the_same_seed_gives_the_same_run_to_the_last_byte() {
    let [first, again, other] = [7, 7, 8].map(|seed| errand(seed).run(|_| ()).unwrap());
    assert_eq!(told(&first), told(&again));
    assert!(!first.record.is_empty());
    assert_eq!(first.record, again.record);
    assert_ne!(first.record, other.record);
}

#[test]
fn runs_on_several_threads_do_not_disturb_each_other() {
    let alone: Vec<String> = (0..4)
        .map(|s| told(&errand(s).run(|_| ()).unwrap()))
        .collect();
    let threads: Vec<_> = (0..4)
        .map(|seed| thread::spawn(move || told(&errand(seed).run(|_| ()).unwrap())))
        .collect();
    let together: Vec<String> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    assert_eq!(alone, together);
}

#[test]
fn a_patrol_is_one_round() {
    let mut rehearsal = errand(2);
    let corners = [Cell::new(0, 0), Cell::new(3, 0), Cell::new(3, 3)];
    rehearsal.missions = vec![Mission::Patrol(corners.into_iter().collect())];
    let rehearsed = rehearsal.run(|_| ()).unwrap();
    assert_eq!(rehearsed.outcome, RunOutcome::Done, "{}", told(&rehearsed));
    assert!(rehearsed.cells >= 7 + 3 + 3, "{}", told(&rehearsed));
}

#[test]
fn a_goal_that_cannot_be_reached_is_told() {
    let mut grid = Grid::filled(4, 4, false).unwrap();
    for cell in [Cell::new(2, 0), Cell::new(2, 1), Cell::new(3, 1)] {
        grid.set_blocked(cell, true);
    }
    let floor = Floor::around(&grid).unwrap();
    let mut rehearsal = ModelRun::new(floor, Cell::new(0, 3), 1);
    rehearsal.missions = vec![Mission::GoTo(Cell::new(3, 0))];
    let rehearsed = rehearsal.run(|_| ()).unwrap();
    assert_eq!(
        rehearsed.outcome,
        RunOutcome::Unreachable,
        "{}",
        told(&rehearsed)
    );
    assert_eq!(rehearsed.collisions, 0);
}

#[test]
fn a_floor_larger_than_the_map_is_refused() {
    let grid = random::obstacles(65, 10, 0.1, &mut rng::seeded(1)).unwrap();
    let floor = Floor::around(&grid).unwrap();
    let error = ModelRun::new(floor, Cell::new(0, 0), 1)
        .run(|_| ())
        .unwrap_err();
    assert!(error.to_string().contains("65x10"), "{error}");
}

#[test]
fn a_robot_without_sight_stops_and_says_why() {
    for typed in ["dropped@4+5", "frozen@4+5"] {
        let rehearsed = trouble(typed);
        assert_eq!(rehearsed.outcome, RunOutcome::Fault, "{}", told(&rehearsed));
        assert_eq!(rehearsed.faults, [Fault::Proximity.code()]);
        assert_eq!(rehearsed.collisions, 0);
        assert!(rehearsed.motors_off);
    }
}

#[test]
fn a_robot_that_does_not_know_how_it_turns_stops_and_says_why() {
    let rehearsed = trouble("gyro@4+5");
    assert_eq!(rehearsed.outcome, RunOutcome::Fault, "{}", told(&rehearsed));
    assert_eq!(rehearsed.faults, [Fault::Gyro.code()]);
    assert!(rehearsed.motors_off);
}

#[test]
fn a_robot_waits_for_people_or_goes_around_them() {
    for typed in ["person@3", "door@3"] {
        let rehearsed = trouble(typed);
        assert_eq!(rehearsed.outcome, RunOutcome::Done, "{}", told(&rehearsed));
        assert_eq!(rehearsed.collisions, 0, "{}", told(&rehearsed));
    }
}

/// A wall where there was none may be gone after a while, and need not be seen again for that.
#[test]
fn a_door_is_forgotten_while_the_robot_is_still_on_its_way() {
    let mut rehearsal = errand(1);
    let corners = [(0, 0), (0, 3), (0, 0), (0, 3)].map(|(x, y)| Cell::new(x, y));
    rehearsal.missions = vec![Mission::Patrol(corners.into_iter().collect())];
    // On the way back, which it has seen to be free.
    rehearsal.troubles = vec!["door@18+600".parse().unwrap()];
    let mut walls = Vec::new();
    let rehearsed = rehearsal.run(|glimpse| {
        walls.extend(glimpse.frames.iter().filter_map(|frame| match frame {
            Frame::Wall(cell, side, fact) => Some((glimpse.arena.now(), (*cell, *side), *fact)),
            _ => None,
        }));
    });
    let rehearsed = rehearsed.unwrap();
    assert_eq!(rehearsed.outcome, RunOutcome::Done, "{}", told(&rehearsed));
    let forgotten = walls
        .iter()
        .find(|(_, _, fact)| *fact == Occupancy::Unknown);
    let (when, wall, _) = forgotten.unwrap_or_else(|| panic!("{walls:?}"));
    let (closed, ..) = walls
        .iter()
        .find(|(_, other, fact)| other == wall && *fact == Occupancy::Blocked)
        .unwrap();
    let lasted = Duration::from_micros(when - closed);
    assert!(lasted >= OBSTACLE_LIFETIME, "{lasted}");
}

/// Where the motion ends and the stop begins at one instant, each may come first.
#[test]
fn a_robot_can_be_stopped_at_any_instant_and_started_again() {
    let press = |ms, buttons| ButtonPress::at(Instant::from_millis(ms), buttons);
    for ms in (1_500..6_500).step_by(20) {
        let mut rehearsal = errand(ms);
        rehearsal.presses = vec![
            press(
                ms,
                Buttons {
                    b: true,
                    ..Buttons::default()
                },
            ),
            press(
                ms + 800,
                Buttons {
                    a: true,
                    ..Buttons::default()
                },
            ),
        ];
        let rehearsed = rehearsal.run(|_| ()).unwrap();
        let all = told(&rehearsed);
        assert_eq!(rehearsed.outcome, RunOutcome::Done, "{ms}: {all}");
        assert_eq!(rehearsed.collisions, 0, "{ms}: {all}");
        assert!(rehearsed.pose_error_mm < 45.0, "{ms}: {all}");
    }
}

#[test]
fn whatever_goes_wrong_the_run_ends_and_the_motors_are_off() {
    for kind in FaultKind::all() {
        let rehearsed = trouble(&format!("{kind}@6"));
        let all = told(&rehearsed);
        let expected = match kind {
            FaultKind::Power => matches!(rehearsed.outcome, RunOutcome::PowerCut),
            _ => matches!(rehearsed.outcome, RunOutcome::Done | RunOutcome::Fault),
        };
        assert!(expected, "{kind}: {all}");
        assert!(rehearsed.motors_off, "{kind}: {all}");
    }
}

#[test]
fn after_a_power_cut_in_the_middle_of_writing_the_robot_goes_on() {
    let mut cut = errand(3);
    cut.chip.cut_in(1);
    let cut = cut.run(|_| ()).unwrap();
    assert_eq!(cut.outcome, RunOutcome::PowerCut, "{}", told(&cut));
    assert!(cut.chip.is_off());

    let mut next = errand(4);
    next.chip = cut.chip.powered();
    let next = next.run(|_| ()).unwrap();
    assert_eq!(next.outcome, RunOutcome::Done, "{}", told(&next));
    assert!(next.flash_writes > 0);
}

#[test]
fn what_was_learned_is_known_after_a_restart() {
    let first = errand(5).run(|_| ()).unwrap();
    assert_eq!(first.outcome, RunOutcome::Done, "{}", told(&first));
    // Home was reached by a way that was seen, so nothing new was learned after it was written.
    let mut second = errand(5);
    second.tolerances = Tolerances::none();
    second.chip = first.chip.powered();
    second.missions.clear();
    let second = second.run(|_| ()).unwrap();
    assert_eq!(second.outcome, RunOutcome::Done, "{}", told(&second));
    assert_eq!(second.map, first.map);
    assert!(second.map.iter().any(|&byte| byte != 0));
}
