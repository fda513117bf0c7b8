//! Model runs: the firmware's tasks on the physics model.

use std::thread;

use embassy_time::{Duration, Instant};
use planner_core::{Cell, Side, explore::Phase, map::Occupancy};
use sim::{
    physics::{devices::ButtonPress, floor::Floor, tolerances::Tolerances},
    run::{ModelRun, PhaseReport, RunOutcome, RunReport},
    world::{Grid, Maze, bundled, random, rng},
};
use tinystar::{
    config::OBSTACLE_LIFETIME, fault::Fault, mission::Mission, robot::Buttons, telemetry::Frame,
};

use crate::support::robots::CALIBRATED;

/// Floor of 4x4 cells with a wall across half of it.
fn half_a_wall() -> Floor {
    let mut walls = Maze::open(4, 4).unwrap();
    walls.set_wall(Cell::new(0, 2), Side::North, true);
    walls.set_wall(Cell::new(1, 2), Side::North, true);
    Floor::new(walls)
}

/// Run around the wall and back.
fn round_trip(seed: u64) -> ModelRun {
    let mut run = ModelRun::new(half_a_wall(), Cell::new(0, 3), seed);
    run.config.missions = vec![Mission::GoTo(Cell::new(0, 0)), Mission::Home];
    run.records = true;
    run.calibration = CALIBRATED;
    run
}

/// Round trip with an injected fault.
fn with_fault(typed: &str) -> RunReport {
    let mut run = round_trip(1);
    run.config.faults = vec![typed.parse().unwrap()];
    run.run().unwrap()
}

fn json(report: &RunReport) -> String {
    serde_json::to_string(report).unwrap()
}

#[test]
fn the_robot_goes_around_a_wall_and_returns_home() {
    for seed in 0..3 {
        let report = round_trip(seed).run().unwrap();
        let all = json(&report);
        assert_eq!(report.outcome, RunOutcome::Done, "seed {seed}: {all}");
        assert_eq!(report.collisions, 0, "seed {seed}: {all}");
        assert_eq!(report.wrong_walls, Some(0), "seed {seed}: {all}");
        assert_eq!(report.garbage, 0, "seed {seed}: {all}");
        // At least seven cells there, through the gap, and seven back.
        assert!(report.cells >= 14, "seed {seed}: {all}");
        assert!(report.pose_error_mm > 0.0 && report.pose_error_mm < 45.0);
        assert!(report.motors_off);
    }
}

/// Exploration of the first bundled maze.
fn exploration(explores_by_time: bool) -> RunReport {
    let (_, maze) = bundled::mazes().next().unwrap();
    let mut run = ModelRun::new(Floor::new(maze.clone()), maze.start, 3);
    let goals = maze.goals.iter().copied().collect();
    run.config.missions = vec![Mission::Explore(goals)];
    run.calibration = CALIBRATED;
    run.explores_by_time = explores_by_time;
    let report = run.run().unwrap();
    assert!(report.is_clean(), "{}", json(&report));
    report
}

#[test]
fn the_phases_of_an_exploration_are_told_apart() {
    let report = exploration(false);
    let phases: Vec<_> = report.phases.iter().map(|phase| phase.phase).collect();
    let [search, explore] = [Phase::Search, Phase::Explore];
    assert_eq!(phases, [search, explore, Phase::Return, Phase::Run]);
    let sum = |of: fn(&PhaseReport) -> u64| report.phases.iter().map(of).sum::<u64>();
    assert_eq!(sum(|phase| phase.cells), report.cells);
    assert_eq!(sum(|phase| phase.decisions), report.decisions);
    assert_eq!(sum(|phase| phase.decisions_late), report.decisions_late);
    let seconds: f64 = report.phases.iter().map(|phase| phase.seconds).sum();
    assert!(
        (0.0..4.0).contains(&(report.seconds - seconds)),
        "{seconds}"
    );
    let run = &report.phases[3];
    assert_eq!(Some(run.cells), report.run_cells);
    assert!((run.seconds - report.run_seconds.unwrap()).abs() < 0.001);
    let search = &report.phases[0];
    assert!(run.top_speed > search.top_speed && run.seconds_per_cell < search.seconds_per_cell);
}

#[test]
fn a_robot_that_explores_by_time_runs_the_fastest_path_of_the_maze() {
    let [by_cells, by_time] = [false, true].map(exploration);
    for report in [&by_cells, &by_time] {
        let ratio = report.driven_by_planned().unwrap();
        assert!((0.95..=1.05).contains(&ratio), "{ratio}");
    }
    assert!(by_cells.planned_run_seconds > by_cells.lower_bound_seconds);
    assert_eq!(by_time.planned_run_seconds, by_time.lower_bound_seconds);
    assert!(by_time.run_seconds < by_cells.run_seconds);
}

#[test]
fn the_same_seed_gives_an_identical_run() {
    let [first, again, other] = [7, 7, 8].map(|seed| round_trip(seed).run().unwrap());
    assert_eq!(json(&first), json(&again));
    assert!(!first.recording.is_empty());
    assert_eq!(first.recording, again.recording);
    assert_ne!(first.recording, other.recording);
}

#[test]
fn parallel_runs_are_independent() {
    let alone: Vec<String> = (0..4)
        .map(|s| json(&round_trip(s).run().unwrap()))
        .collect();
    let threads: Vec<_> = (0..4)
        .map(|seed| thread::spawn(move || json(&round_trip(seed).run().unwrap())))
        .collect();
    let together: Vec<String> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    assert_eq!(alone, together);
}

#[test]
fn a_patrol_ends_after_one_round() {
    let mut run = round_trip(2);
    let corners = [Cell::new(0, 0), Cell::new(3, 0), Cell::new(3, 3)];
    run.config.missions = vec![Mission::Patrol(corners.into_iter().collect())];
    let report = run.run().unwrap();
    assert_eq!(report.outcome, RunOutcome::Done, "{}", json(&report));
    assert!(report.cells >= 7 + 3 + 3, "{}", json(&report));
}

#[test]
fn an_unreachable_goal_is_reported() {
    let mut grid = Grid::filled(4, 4, false).unwrap();
    for cell in [Cell::new(2, 0), Cell::new(2, 1), Cell::new(3, 1)] {
        grid.set_blocked(cell, true);
    }
    let floor = Floor::around(&grid).unwrap();
    let mut run = ModelRun::new(floor, Cell::new(0, 3), 1);
    run.config.missions = vec![Mission::GoTo(Cell::new(3, 0))];
    let report = run.run().unwrap();
    assert_eq!(report.outcome, RunOutcome::Unreachable, "{}", json(&report));
    assert_eq!(report.collisions, 0);
}

#[test]
fn a_floor_larger_than_the_map_is_an_error() {
    let grid = random::obstacles(65, 10, 0.1, &mut rng::seeded(1)).unwrap();
    let floor = Floor::around(&grid).unwrap();
    let error = ModelRun::new(floor, Cell::new(0, 0), 1).run().unwrap_err();
    assert!(error.to_string().contains("65x10"), "{error}");
}

#[test]
fn lost_proximity_readings_stop_the_robot() {
    for typed in ["dropped@4+5", "frozen@4+5"] {
        let report = with_fault(typed);
        assert_eq!(report.outcome, RunOutcome::Fault, "{}", json(&report));
        assert_eq!(report.faults, [Fault::Proximity.code()]);
        assert_eq!(report.collisions, 0);
        assert!(report.motors_off);
    }
}

#[test]
fn a_lost_gyro_stops_the_robot() {
    let report = with_fault("gyro@4+5");
    assert_eq!(report.outcome, RunOutcome::Fault, "{}", json(&report));
    assert_eq!(report.faults, [Fault::Gyro.code()]);
    assert!(report.motors_off);
}

#[test]
fn a_power_fault_ends_the_run() {
    let report = with_fault("power@4");
    assert_eq!(report.outcome, RunOutcome::PowerCut, "{}", json(&report));
    assert!(report.motors_off && report.faults.is_empty());
}

#[test]
fn the_robot_waits_for_obstacles_or_goes_around_them() {
    for typed in ["person@3", "door@3"] {
        let report = with_fault(typed);
        assert_eq!(report.outcome, RunOutcome::Done, "{}", json(&report));
        assert_eq!(report.collisions, 0, "{}", json(&report));
    }
}

#[test]
fn a_temporary_obstacle_is_forgotten_during_the_mission() {
    let mut forgotten = 0;
    // On the way back, where the edge was free before.
    for door in ["door@7+600", "door@8+600", "door@9+600", "door@10+600"] {
        let mut run = round_trip(1);
        let corners = [[(0, 0), (0, 3)]; 4];
        let corners = corners.as_flattened().iter();
        let corners = corners.map(|&(x, y)| Cell::new(x, y));
        run.config.missions = vec![Mission::Patrol(corners.collect())];
        run.config.faults = vec![door.parse().unwrap()];
        let mut walls = Vec::new();
        let report = run.run_observed(|progress| {
            walls.extend(progress.frames.iter().filter_map(|frame| match frame {
                Frame::Wall(cell, side, fact) => Some((progress.now, (*cell, *side), *fact)),
                _ => None,
            }));
            Ok(())
        });
        let report = report.unwrap();
        assert_eq!(report.outcome, RunOutcome::Done, "{}", json(&report));
        let mut unknown = walls
            .iter()
            .filter(|(.., fact)| *fact == Occupancy::Unknown);
        // A door that closes where the robot does not drive is not seen.
        let Some((when, wall, _)) = unknown.next() else {
            continue;
        };
        let (closed, ..) = walls
            .iter()
            .find(|(_, other, fact)| other == wall && *fact == Occupancy::Blocked)
            .unwrap();
        let lasted = *when - *closed;
        assert!(lasted >= OBSTACLE_LIFETIME, "{door}: {lasted}");
        forgotten += 1;
    }
    assert!(forgotten > 0);
}

/// Covers the race between a stop and the end of a motion.
#[test]
fn a_robot_can_be_stopped_at_any_instant_and_started_again_if_it_stood() {
    let press = |ms, [a, b]: [bool; 2]| {
        let none = Buttons::default();
        ButtonPress::at(Instant::from_millis(ms), Buttons { a, b, ..none })
    };
    let (mut lost, mut done) = (0, 0);
    for ms in (1_500..6_500).step_by(20) {
        let mut run = round_trip(ms);
        run.presses = vec![press(ms, [false, true]), press(ms + 800, [true, false])];
        let report = run.run().unwrap();
        let all = json(&report);
        match report.outcome {
            RunOutcome::Done => done += 1,
            RunOutcome::Lost => lost += 1,
            _ => panic!("{ms}: {all}"),
        }
        assert_eq!(report.collisions, 0, "{ms}: {all}");
        assert!(report.motors_off, "{ms}: {all}");
        assert!(report.pose_error_mm < 45.0, "{ms}: {all}");
    }
    // Before the first motion and between motions it knows its pose.
    assert!(lost > 100 && done > 20, "{lost} {done}");
}

#[test]
fn a_robot_that_is_carried_to_its_home_and_started_at_once_keeps_straight() {
    for seed in 0..4 {
        let mut run = round_trip(seed);
        run.config.faults = vec!["carried@0.2+1.5".parse().unwrap()];
        let report = run.run().unwrap();
        let all = json(&report);
        assert_eq!(report.outcome, RunOutcome::Done, "seed {seed}: {all}");
        assert_eq!(report.collisions, 0, "seed {seed}: {all}");
        // Of the whole mission, so that a turn learned in the hand would show.
        assert!(report.pose_error_mm < 20.0, "seed {seed}: {all}");
    }
}

#[test]
fn a_robot_that_is_carried_away_during_a_mission_stops() {
    for seed in 0..4 {
        let mut run = round_trip(seed);
        run.config.faults = vec!["carried@5+3".parse().unwrap()];
        let report = run.run().unwrap();
        let all = json(&report);
        let is_stopped = matches!(report.outcome, RunOutcome::Fault | RunOutcome::Lost);
        assert!(is_stopped, "seed {seed}: {all}");
        assert!(report.motors_off, "seed {seed}: {all}");
    }
}

#[test]
fn the_map_survives_a_restart() {
    let first = round_trip(5).run().unwrap();
    assert_eq!(first.outcome, RunOutcome::Done, "{}", json(&first));
    let mut second = round_trip(5);
    second.config.tolerances = Tolerances::none();
    second.flash = first.flash.powered();
    second.config.missions.clear();
    let second = second.run().unwrap();
    assert_eq!(second.outcome, RunOutcome::Done, "{}", json(&second));
    // What the robot saw last was not confirmed, and is not stored.
    let bits = |map: &[u8]| map.iter().map(|byte| byte.count_ones()).sum::<u32>();
    let both: Vec<u8> = std::iter::zip(&second.map, &first.map)
        .map(|(second, first)| second & first)
        .collect();
    assert_eq!(second.map, both);
    assert!(bits(&second.map) * 4 >= bits(&first.map) * 3);
}

/// A board that ran another program before: its flash is not blank.
#[test]
fn a_dirty_store_is_prepared_without_a_fault_or_a_reset() {
    for fill in [0x00, 0x5A, 0xF0] {
        let mut run = round_trip(6);
        run.flash.bytes.fill(fill);
        let report = run.run().unwrap();
        let all = json(&report);
        assert_eq!(report.outcome, RunOutcome::Done, "{fill:#x}: {all}");
        assert!(report.faults.is_empty(), "{fill:#x}: {all}");
        assert!(report.flash_writes >= 16, "{fill:#x}: {all}");
    }
}

/// The door may be none: walls that are sensed where there are none shut a robot in.
#[test]
fn a_new_robot_that_waits_for_a_path_in_vain_stops() {
    let floor = Floor::new(Maze::open(1, 4).unwrap());
    let mut run = ModelRun::new(floor, Cell::new(0, 3), 5);
    run.config.missions = vec![Mission::GoTo(Cell::new(0, 0))];
    run.config.faults = vec!["door@2.4+600".parse().unwrap()];
    let report = run.run().unwrap();
    let stopped = (report.outcome, &report.faults[..]);
    let expected = (RunOutcome::Fault, &[Fault::Proximity.code()][..]);
    assert_eq!(stopped, expected, "{}", json(&report));
}

/// A door closes in a corridor for longer than three waits for a path.
#[test]
fn a_long_wait_for_a_path_keeps_the_learned_map_in_flash() {
    let corridor = |missions: &[Mission]| {
        let floor = Floor::new(Maze::open(1, 4).unwrap());
        let mut run = ModelRun::new(floor, Cell::new(0, 3), 5);
        run.config.missions = missions.to_vec();
        // Here only walls ahead confirm the position, which takes calibrated sensors.
        run.calibration = CALIBRATED;
        run
    };
    let there = Mission::GoTo(Cell::new(0, 0));
    let first = corridor(&[there.clone(), Mission::Home]).run().unwrap();
    assert_eq!(first.outcome, RunOutcome::Done, "{}", json(&first));

    let mut shut = corridor(&[there]);
    shut.config.faults = vec!["door@2.4+600".parse().unwrap()];
    shut.config.time_limit = Duration::from_secs(60);
    shut.flash = first.flash.powered();
    let mut doubted = 0;
    let shut = shut.run_observed(|progress| {
        let frames = progress.frames.iter();
        doubted += frames.filter(|frame| **frame == Frame::Doubted).count();
        Ok(())
    });
    let shut = shut.unwrap();
    assert_eq!(shut.outcome, RunOutcome::TimeUp, "{}", json(&shut));
    assert!(doubted > 0, "{}", json(&shut));

    let mut later = corridor(&[]);
    later.flash = shut.flash.powered();
    let later = later.run().unwrap();
    assert!(first.map.iter().any(|&byte| byte != 0));
    assert_eq!(later.map, first.map, "{}", json(&later));
}
