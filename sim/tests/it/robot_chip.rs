//! Chip runs: the firmware's image, unchanged, on an emulated chip.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::{
    build,
    support::{cli::sim, live_view, robots::CALIBRATED},
};
use emulator::{Board, Event, Image, Reset};
use planner_core::{Cell, Side};
use sim::{
    emulator,
    physics::{floor::Floor, tolerances::Tolerances},
    run::{ChipRun, EmulatedRobot, RunOutcome, RunReport, Step, embed, on_field},
    world::{self, MarkedGrid},
};
use tinystar::{
    boards::ZUMO2040,
    calibration::Calibration,
    calibrator::{Progress, Routine},
    config::{FIELD, WATCHDOG_MOVING},
    fault::Fault,
    mission::{Activity, Field, Mission},
    settings::Settings,
    telemetry::{Command, Frame, Stored},
};

/// Path of the Zumo's image, built as `cargo fw` does.
pub fn path() -> &'static Path {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        Ok(build::images(&repository, &[])?.join("tinystar"))
    });
    match built {
        Ok(path) => path,
        Err(error) => panic!("{error}"),
    }
}

fn image() -> Image {
    Image::read(path()).unwrap_or_else(|error| panic!("{error}"))
}

/// Floor of a map with its start `S` on the image's home, and its goal `G` on the image's field.
fn place(map: &str) -> (Floor, Cell) {
    let MarkedGrid { grid, start, goal } = world::text::parse(map).unwrap();
    let start = start.unwrap();
    let floor = Floor::around(&grid).unwrap();
    let floor = Floor::new(embed(floor.walls(), start).unwrap());
    (floor, on_field(goal.unwrap(), start).unwrap())
}

fn execute(run: &ChipRun) -> RunReport {
    run.run(image()).unwrap_or_else(|error| panic!("{error}"))
}

/// Run to the goal of a map, which is set over USB.
fn to_goal(map: &str, seed: u64) -> ChipRun {
    let (floor, goal) = place(map);
    let mut run = ChipRun::new(floor, seed);
    run.config.missions = vec![Mission::GoTo(goal)];
    run
}

/// The same with faults, executed.
fn go_to_goal(map: &str, seed: u64, faults: &[&str]) -> RunReport {
    let mut run = to_goal(map, seed);
    run.config.faults = faults.iter().map(|typed| typed.parse().unwrap()).collect();
    let report = execute(&run);
    assert_done(&report);
    report
}

/// Asserts that the mission was done without collisions and faults.
fn assert_done(report: &RunReport) {
    assert_eq!(report.outcome, RunOutcome::Done, "{report:#?}");
    assert_eq!((report.collisions, report.garbage), (0, 0), "{report:#?}");
    assert!(report.faults.is_empty() && report.motors_off, "{report:#?}");
    // A quarter of a cell.
    assert!(report.pose_error_mm < 45.0, "{report:#?}");
    // Within the budget, and at the deadline of 8 ms at most.
    assert!(
        (1..=64).contains(&report.worst_tick_expansions),
        "{report:#?}"
    );
    assert!(
        (1..1_000_000).contains(&report.worst_tick_cycles.unwrap()),
        "{report:#?}"
    );
}

#[test]
fn a_goal_set_over_usb_is_reached() {
    let report = go_to_goal("..G\n.#.\nS..\n", 1, &[]);
    assert!(report.cells >= 4, "{report:#?}");
}

#[test]
fn button_a_leads_out_of_a_dead_end_to_the_default_goal() {
    let rows = ".......\n.......\n...G...\n.#####.\n.#...#.\n.#...#.\n.S...#.\n";
    let (floor, goal) = place(rows);
    assert_eq!(goal, tinystar::config::GOAL);
    let report = execute(&ChipRun::new(floor, 2));
    assert_done(&report);
    // Nine by the shortest path; the dead end costs the rest.
    assert!(report.cells >= 12, "{report:#?}");
    assert!(report.stored.contains(&Stored::Saved), "{report:#?}");
}

/// Map that a robot loads from flash.
fn stored_map(robot: &mut EmulatedRobot) -> Vec<u8> {
    robot.power_on().unwrap();
    let mut map = Vec::new();
    let mut has_asked = false;
    for _ in 0..5000 {
        for frame in robot.step().unwrap().frames {
            match frame {
                Frame::State(_) if !has_asked => {
                    has_asked = true;
                    robot.command(&Command::GetMap);
                }
                Frame::Map { offset, bytes, .. } => {
                    assert_eq!(usize::from(offset), map.len());
                    map.extend(bytes);
                }
                Frame::Accepted(_) => {
                    robot.power_off().unwrap();
                    return map;
                }
                _ => {}
            }
        }
    }
    panic!("no map in 5 s, only {} bytes", map.len());
}

#[test]
fn a_power_cut_during_a_save_leaves_the_previous_map() {
    let (floor, goal) = place("...\n.#G\nS..\n");
    let mut run = ChipRun::new(floor, 3);
    let mut robot = EmulatedRobot::new(image(), run.hardware()).unwrap();
    let blank = stored_map(&mut robot);
    let mut run_to = |robot: &mut EmulatedRobot, goal: Cell, cut: Option<u32>| {
        // The ends of walls on the way back confirm the map.
        run.config.missions = vec![Mission::GoTo(goal), Mission::Home];
        robot.replace_hardware(run.hardware());
        if let Some(operations) = cut {
            let emulator = robot.emulator();
            emulator.cut_power_in_flash_operation(operations).unwrap();
        }
        let report = run.run_robot(robot, |_| Ok(())).unwrap();
        robot.power_off().unwrap();
        report
    };

    // In the first save.
    let cut = run_to(&mut robot, goal, Some(4));
    assert_eq!(cut.outcome, RunOutcome::PowerCut, "{cut:#?}");
    assert_eq!(cut.stored, [], "{cut:#?}");
    assert!(stored_map(&mut robot) == blank, "{cut:#?}");
    let first = run_to(&mut robot, goal, None);
    assert_done(&first);
    assert_eq!(first.stored.last(), Some(&Stored::Saved), "{first:#?}");
    let kept = stored_map(&mut robot);
    assert!(kept != blank);

    // In a later save, with a changed map.
    let north = Cell::new(FIELD.home.x, FIELD.home.y - 2);
    let cut = run_to(&mut robot, north, Some(4));
    assert_eq!(cut.outcome, RunOutcome::PowerCut, "{cut:#?}");
    assert_eq!(cut.stored, [], "{cut:#?}");
    assert!(stored_map(&mut robot) == kept, "{cut:#?}");
    let second = run_to(&mut robot, north, None);
    assert_done(&second);
    assert_eq!(second.stored.last(), Some(&Stored::Saved), "{second:#?}");
    assert!(stored_map(&mut robot) != kept, "{second:#?}");
}

/// Runs a robot for a number of milliseconds with button A held or not.
fn step_for(robot: &mut EmulatedRobot, ms: u32, button: bool) -> Vec<Step> {
    robot.hold([button, false, false]);
    (0..ms).map(|_| robot.step().unwrap()).collect()
}

/// Runs a robot until a condition holds; returns the milliseconds.
fn step_until(robot: &mut EmulatedRobot, what: &str, done: impl Fn(&Step) -> bool) -> u64 {
    let steps = (1..=30_000).find(|_| done(&robot.step().unwrap()));
    steps.unwrap_or_else(|| panic!("not in 30 s: {what}"))
}

fn is_moving(step: &Step) -> bool {
    step.outputs.duty != [0, 0]
}

/// Last activity that steps report.
fn last_activity(steps: &[Step]) -> Option<Activity> {
    let frames = steps.iter().flat_map(|step| &step.frames);
    frames.rev().find_map(|frame| match frame {
        Frame::State(state) => Some(state.activity),
        _ => None,
    })
}

/// Robot of a run that is switched on and has started up.
fn started(run: &ChipRun) -> EmulatedRobot {
    let mut robot = EmulatedRobot::new(image(), run.hardware()).unwrap();
    robot.power_on().unwrap();
    step_for(&mut robot, 1000, false);
    robot
}

/// The same on a map.
fn powered(map: &str, seed: u64) -> EmulatedRobot {
    started(&ChipRun::new(place(map).0, seed))
}

const OPEN: &str = "....\n..G.\n....\n....\n....\nS...\n";
const RING: &str = "#####\n#..G#\n#.#.#\n#.#.#\n#S..#\n#####\n";

#[test]
fn the_watchdog_restarts_a_hanging_program_before_it_has_driven_5_cm() {
    let mut robot = powered(OPEN, 7);
    step_for(&mut robot, 100, true);
    robot.hold([false; 3]);
    step_until(&mut robot, "a motion", is_moving);
    // At full speed.
    let driving = step_for(&mut robot, 500, false);
    assert!(driving.iter().all(is_moving));

    // Patches the timer interrupt with an endless loop.
    let handler = robot.emulator().image().symbol("TIMER_IRQ_0").unwrap() & !1;
    let code = robot.emulator().read(handler, 2).unwrap();
    robot.emulator().write(handler, &[0xFE, 0xE7]).unwrap();
    let hung = robot.physics().drivetrain().pose();
    let waited = step_until(&mut robot, "a watchdog reset", |step| {
        let mut events = step.outputs.events.iter().map(|(_, event)| event);
        events.any(|event| *event == Event::WatchdogReset(Reset::WatchdogTimer))
    });
    assert!(waited <= WATCHDOG_MOVING.as_millis(), "{waited} ms");

    robot.emulator().write(handler, &code).unwrap();
    let after = step_for(&mut robot, 2000, false);
    // The first slice may contain the end of the last run.
    for step in &after[1..] {
        assert_eq!(step.outputs.duty, [0, 0], "{step:?}");
    }
    let rest = robot.physics().drivetrain().pose();
    let driven = f64::hypot(rest.at[0] - hung.at[0], rest.at[1] - hung.at[1]);
    assert!(driven <= 50.0, "{driven} mm");
    assert_eq!(last_activity(&after), Some(Activity::Faulty));
}

#[test]
fn b_cuts_the_motors_within_20_ms_in_a_turn_and_the_pose_is_lost() {
    let mut robot = powered("S.G\n", 8);
    let goal = Cell::new(FIELD.home.x + 2, FIELD.home.y);
    robot.command(&Command::SetGoal(goal));
    step_for(&mut robot, 100, true);
    robot.hold([false; 3]);
    let is_turning = |step: &Step| {
        let [left, right] = step.outputs.duty;
        left > 0 && right < 0
    };
    step_until(&mut robot, "a turn", is_turning);
    for ms in [0, 60, 150] {
        let turning = step_for(&mut robot, ms, false);
        assert!(turning.iter().all(is_turning), "{ms}");
    }
    robot.hold([false, true, false]);
    let took = step_until(&mut robot, "motors off", |step| !is_moving(step));
    assert!(took <= 20, "{took} ms");
    let stopped = step_for(&mut robot, 500, false);
    assert!(!stopped.iter().any(is_moving));
    assert_eq!(last_activity(&stopped), Some(Activity::Lost));

    // A does not start it; held, it says that the robot is at home.
    step_for(&mut robot, 100, true);
    let refused = step_for(&mut robot, 1500, false);
    assert!(!refused.iter().any(is_moving));
    step_for(&mut robot, 1200, true);
    let home = step_for(&mut robot, 300, false);
    assert_eq!(last_activity(&home), Some(Activity::Idle));
}

#[test]
fn a_robot_that_was_carried_and_turned_starts_straight() {
    let (floor, goal) = place("..G\n...\nS..\n");
    let mut run = ChipRun::new(floor, 9);
    run.config.tolerances = Tolerances::none();
    let mut robot = EmulatedRobot::new(image(), run.hardware()).unwrap();
    robot.power_on().unwrap();
    robot.carry(120_000);
    step_for(&mut robot, 2000, false);
    robot.carry(0);
    robot.command(&Command::SetGoal(goal));
    // Set down for 0.7 s, and started.
    step_for(&mut robot, 600, false);
    step_for(&mut robot, 100, true);
    robot.hold([false; 3]);
    let waited = step_until(&mut robot, "a motion", is_moving);
    assert!((1000..1400).contains(&waited), "moved after {waited} ms");
    step_until(&mut robot, "the goal", |step| {
        step.frames.iter().any(|frame| match frame {
            Frame::State(state) => {
                assert_eq!(state.fault, None);
                state.activity == Activity::Done
            }
            _ => false,
        })
    });
    let at = robot.physics().drivetrain().pose().at;
    let [x, y] = robot.physics().floor().middle(goal);
    let off = f64::hypot(at[0] - x, at[1] - y);
    assert!(off < 15.0, "{off} mm off the goal");
}

/// A board that ran another program before: its flash is not blank.
#[test]
fn a_dirty_store_is_prepared_without_a_fault_or_a_reset() {
    const STORE: u32 = 0x101F_0000;
    let run = to_goal("..G\n.#.\nS..\n", 1);
    let mut robot = EmulatedRobot::new(image(), run.hardware()).unwrap();
    let leftovers: Vec<u8> = (0..0x1_0000_u32).map(|at| ((at * 7) >> 3) as u8).collect();
    robot.emulator().write(STORE, &leftovers).unwrap();
    let report = run.run_robot(&mut robot, |_| Ok(())).unwrap();
    assert_done(&report);
    assert!(report.flash_writes >= 16, "{report:#?}");
}

#[test]
fn the_display_is_set_up_after_it_is_ready() {
    let mut robot = powered(OPEN, 1);
    let picture = robot.emulator().picture().unwrap();
    let lit = (0..64).flat_map(|y| (0..128).map(move |x| (x, y)));
    let lit = lit.filter(|&(x, y)| picture.lit(x, y)).count();
    assert!(lit > 100, "{lit} pixels");
}

#[test]
fn settings_survive_a_restart_and_a_command_restarts_to_the_bootloader() {
    let mut robot = powered(OPEN, 1);
    let field = Field {
        width: 16,
        height: 16,
        home: Cell::new(0, 15),
        heading: Side::North,
    };
    let settings = Settings::of_field(field);
    robot.command(&Command::SetSettings(settings.clone()));
    step_for(&mut robot, 500, false);
    robot.power_off().unwrap();
    robot.power_on().unwrap();
    step_for(&mut robot, 1000, false);
    robot.command(&Command::RestartToBootloader);
    let mut frames = Vec::new();
    let halted = (0..1000).any(|_| {
        let step = robot.step().unwrap();
        frames.extend(step.frames);
        let mut events = step.outputs.events.into_iter();
        events.any(|(_, event)| event == Event::Halted("usb-boot".to_owned()))
    });
    assert!(halted);
    assert!(frames.contains(&Frame::Settings(settings)), "{frames:?}");
    assert!(frames.contains(&Frame::Accepted(0)), "{frames:?}");
}

/// The other board, with its own sensors at its own pins: no gyro, no display.
#[test]
fn the_pico_image_reaches_a_goal() {
    let mut run = to_goal("..G\n.#.\nS..\n", 1);
    run.board = Board::Pico;
    run.config.tolerances = Tolerances::none();
    let pico = Image::read(path().with_file_name("pico")).unwrap();
    let report = run.run(pico).unwrap_or_else(|error| panic!("{error}"));
    assert_done(&report);
    assert!(report.cells >= 4, "{report:#?}");
}

#[test]
fn a_stalled_wheel_or_a_slip_burst_is_a_fault_before_anything_is_touched() {
    for (injected, reported) in [
        ("motor@3.5", &[Fault::Stall][..]),
        ("slip@3.5+8", &[Fault::Slip, Fault::Lost]),
    ] {
        let mut run = ChipRun::new(place(OPEN).0, 4);
        run.config.faults = vec![injected.parse().unwrap()];
        let report = execute(&run);
        assert_eq!(report.outcome, RunOutcome::Fault, "{report:#?}");
        let fault = Fault::from_code(report.faults[0]).unwrap();
        assert!(reported.contains(&fault), "{report:#?}");
        // The motor has recovered by now.
        assert!(report.motors_off && report.collisions == 0, "{report:#?}");
    }
}

#[test]
fn a_calibrated_robot_that_slips_looks_for_its_place_and_goes_on_or_reports_the_slip() {
    let mut run = to_goal(RING, 15);
    let mut robot = calibrated(&run);
    run.config.faults = vec!["slip@5+0.8".parse().unwrap()];
    robot.replace_hardware(run.hardware());
    let report = run.run_robot(&mut robot, |_| Ok(())).unwrap();
    // The drive takes 4 s, and turning slowly through four quarters another 15.
    assert!(report.seconds > 20.0, "{report:#?}");
    assert!(
        report.collision_speed < 60.0 && report.motors_off,
        "{report:#?}"
    );
    match report.outcome {
        RunOutcome::Done => assert!(report.faults.is_empty(), "{report:#?}"),
        _ => assert_eq!(report.faults, [Fault::Slip.code()], "{report:#?}"),
    }
}

#[test]
fn a_closing_door_is_avoided() {
    let report = go_to_goal("..G\n.#.\nS..\n", 5, &["door@3.5+600"]);
    assert!(report.cells > 4, "{report:#?}");
}

#[test]
fn the_robot_waits_for_a_door_to_open() {
    let report = go_to_goal("G\n.\n.\nS\n", 6, &["door@2.2+12"]);
    assert!(report.seconds > 12.0, "{report:#?}");
}

/// `sim emulate` of the image on a map, in a folder of its own.
fn emulate(map: &str, words: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("map.txt"), map).unwrap();
    let command = sim("emulate --ideal --map map.txt --elf").arg(path());
    command.words(words).within(&folder).text()
}

#[test]
fn the_command_prints_one_line_of_json_in_cells_of_the_map() {
    let line = emulate("G.\n.#\nS.\n", "--json --mission goto:0,1");
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["outcome"], "done", "{line}");
    assert_eq!(line["mission"], "goto:0,1", "{line}");
    assert_eq!(
        (&line["cells"], &line["collisions"]),
        (&1.into(), &0.into())
    );
    for number in ["seconds", "worst_tick_cycles", "flash_writes"] {
        assert!(line[number].as_f64().unwrap() > 0.0, "{number}: {line}");
    }
}

#[test]
fn recorded_telemetry_has_the_planning_time_of_the_chip() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("map.txt"), "G\n.\nS\n").unwrap();
    let run = sim("emulate --ideal --map map.txt --frames f --elf").arg(path());
    run.within(&folder).exits(0);
    let frames = sim("watch f --json").within(&folder).objects();
    assert!(frames.iter().any(|frame| frame["frame"] == "hello"));
    let last = frames.last().unwrap();
    assert_eq!((&last["damaged"], &last["missing"]), (&0.into(), &0.into()));
    let longest = frames.iter().filter_map(|frame| frame["worst_us"].as_u64());
    assert!(longest.max() > Some(0), "no planning time in {frames:?}");
}

#[test]
fn in_a_pipe_the_live_view_prints_lines_in_cells_of_the_map() {
    let lines = live_view::status_lines(&emulate("#G\n#S\n", "--watch"));
    assert_eq!(lines.first().unwrap(), "at 1,1: idle", "{lines:?}");
    let travelling = "at 1,1: on its way to 1,0";
    assert!(lines.iter().any(|line| line == travelling), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "at 1,0: done", "{lines:?}");
}

#[test]
fn bad_input_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("text"), "not an image").unwrap();
    for (words, what) in [
        ("--elf no/such/image", "no/such/image"),
        ("--elf text", "not an image for the chip"),
        ("--fault frozen@3", "cannot be injected"),
        ("--maze 65x65", "reaches beyond"),
        ("--mission goto:9,9", "outside the map"),
        ("--watch --json", "cannot be used with"),
    ] {
        let line = sim(&format!("emulate {words}")).within(&folder).complaint();
        assert!(line.contains(what), "{words}: {line}");
    }
}

/// Runs a calibration routine over USB. A person measures the distance from the start when asked for it.
fn calibrate(robot: &mut EmulatedRobot, routine: Routine) -> Calibration {
    let from = robot.physics().drivetrain().pose().at;
    robot.command(&Command::Calibrate(routine));
    for _ in 0..60_000 {
        for frame in robot.step().unwrap().frames {
            match frame {
                Frame::Calibration(_, Progress::Waiting(_)) => {
                    let to = robot.physics().drivetrain().pose().at;
                    let driven = f64::hypot(to[0] - from[0], to[1] - from[1]);
                    robot.command(&Command::Measured((driven * 1000.0) as i32));
                }
                Frame::Calibration(_, Progress::Failed(_)) => panic!("{routine:?} failed"),
                Frame::Calibration(calibration, Progress::Done(_)) => return calibration,
                _ => {}
            }
        }
    }
    panic!("{routine:?} does not end");
}

/// Calibration that a robot reports.
fn reported_calibration(robot: &mut EmulatedRobot) -> Calibration {
    robot.command(&Command::GetCalibration);
    for _ in 0..1000 {
        for frame in robot.step().unwrap().frames {
            if let Frame::Calibration(calibration, _) = frame {
                return calibration;
            }
        }
    }
    panic!("no calibration in a second");
}

#[test]
fn a_calibration_over_usb_is_stored_and_used_after_a_restart() {
    // Walls on both sides, and room for a metre ahead.
    let mut run = to_goal("#G#\n#.#\n#.#\n#.#\n#.#\n#.#\n#.#\n#.#\n#S#\n", 12);
    // Walls of which nobody knew, and wheels 2 % larger than they should be.
    run.config.tolerances.wall = 1.5;
    run.config.tolerances.wheel_scale = [0.02; 2];
    let mut robot = started(&run);
    assert_eq!(reported_calibration(&mut robot), ZUMO2040.calibration);

    calibrate(&mut robot, Routine::Walls);
    step_for(&mut robot, 500, false);
    let calibrated = calibrate(&mut robot, Routine::Distance);
    let is_near = |value: f64, expected: f64, share: f64| (value / expected - 1.0).abs() < share;
    for (found, nominal) in calibrated
        .walls
        .near_ns
        .iter()
        .flatten()
        .zip(ZUMO2040.calibration.walls.near_ns.iter().flatten())
    {
        let expected = f64::from(*nominal) / (1.5 * 1.5);
        let is_found = (f64::from(*found) - expected).abs() < 0.12 * expected + 8.0;
        assert!(is_found, "{found}, not {expected}");
    }
    let travel = f64::from(calibrated.nm_per_count);
    assert!(is_near(travel, 126_628.0 * 1.02, 0.006), "{travel}");
    step_for(&mut robot, 1000, false);
    robot.power_off().unwrap();

    // Put back to its home.
    robot.replace_hardware(run.hardware());
    robot.power_on().unwrap();
    step_for(&mut robot, 1000, false);
    assert_eq!(reported_calibration(&mut robot), calibrated);
    robot.power_off().unwrap();
    let report = run.run_robot(&mut robot, |_| Ok(())).unwrap();
    assert_done(&report);
    // Nine cells at more than 100 mm/s, the speed of an uncalibrated robot.
    assert!(report.seconds < 8.0 * 1.7, "{report:#?}");
}

/// Robot of a run that is switched off and has a calibration in its flash.
fn calibrated(run: &ChipRun) -> EmulatedRobot {
    let mut robot = started(run);
    robot.command(&Command::SetCalibration(CALIBRATED));
    step_for(&mut robot, 1000, false);
    robot.power_off().unwrap();
    robot
}

#[test]
fn a_calibrated_robot_explores_and_runs_without_stopping() {
    let (floor, goal) = place(RING);
    let mut run = ChipRun::new(floor, 14);
    run.config.missions = vec![Mission::Explore([goal].into_iter().collect())];
    let mut robot = calibrated(&run);
    let report = run.run_robot(&mut robot, |_| Ok(())).unwrap();
    assert_done(&report);
    println!(
        "{:.2} s per cell, longest tick {:?} cycles",
        report.seconds_per_cell, report.worst_tick_cycles
    );
    assert!(report.top_speed > 400.0, "{report:#?}");
    assert!(report.decisions_late * 5 <= report.decisions, "{report:#?}");
}
