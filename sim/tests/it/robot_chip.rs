//! Chip runs: the firmware's image, unchanged, on an emulated chip.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::{
    build,
    support::{cli::sim, news},
};
use emulator::{Event, Image, Reset};
use planner_core::Cell;
use sim::{
    emulator,
    physics::floor::Floor,
    run::{ChipRun, EmulatedRobot, RunOutcome, RunReport, Step, embed, on_field},
    world::{self, MarkedGrid},
};
use tinystar::{
    config::{FIELD, WATCHDOG},
    fault::Fault,
    mission::{Activity, Mission},
    telemetry::{Command, Frame, Stored},
};

/// Path of the Zumo's image, built as `cargo fw` does.
fn path() -> &'static Path {
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

/// Run to the goal of a map, with faults; the goal is set over USB.
fn go_to_goal(map: &str, seed: u64, faults: &[&str]) -> RunReport {
    let (floor, goal) = place(map);
    let mut run = ChipRun::new(floor, seed);
    run.config.missions = vec![Mission::GoTo(goal)];
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
        run.config.missions = vec![Mission::GoTo(goal)];
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
    assert_eq!(first.stored, [Stored::Saved], "{first:#?}");
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
    assert_eq!(second.stored, [Stored::Saved], "{second:#?}");
    assert!(stored_map(&mut robot) != kept, "{second:#?}");
}

#[test]
fn the_watchdog_restarts_a_hanging_program_with_the_motors_off() {
    let (floor, _) = place("....\n..G.\n....\n....\n....\nS...\n");
    let mut robot = EmulatedRobot::new(image(), ChipRun::new(floor, 7).hardware()).unwrap();
    robot.power_on().unwrap();
    let drive_for = |robot: &mut EmulatedRobot, ms: u32, button: bool| {
        robot.hold([button, false, false]);
        let steps = (0..ms).map(|_| robot.step().unwrap());
        steps.collect::<Vec<_>>()
    };
    drive_for(&mut robot, 1000, false);
    drive_for(&mut robot, 100, true);
    let driving = drive_for(&mut robot, 1000, false);
    assert_ne!(driving.last().unwrap().outputs.duty, [0, 0]);

    // Patches the timer interrupt with an endless loop.
    let handler = robot.emulator().image().symbol("TIMER_IRQ_0").unwrap() & !1;
    let code = robot.emulator().read(handler, 2).unwrap();
    robot.emulator().write(handler, &[0xFE, 0xE7]).unwrap();
    let is_reset = |step: &Step| {
        let mut events = step.outputs.events.iter().map(|(_, event)| event);
        events.any(|event| *event == Event::WatchdogReset(Reset::WatchdogTimer))
    };
    let waited = (0..2000)
        .position(|_| is_reset(&robot.step().unwrap()))
        .expect("a watchdog reset within 2 s");
    assert!(u64::try_from(waited).unwrap() <= WATCHDOG.as_millis());

    robot.emulator().write(handler, &code).unwrap();
    let after = drive_for(&mut robot, 2000, false);
    // The first slice may contain the end of the last run.
    for step in &after[1..] {
        assert_eq!(step.outputs.duty, [0, 0], "{step:?}");
    }
    let states = after.iter().flat_map(|step| &step.frames);
    let activities: Vec<_> = states
        .filter_map(|frame| match frame {
            Frame::State(state) => Some(state.activity),
            _ => None,
        })
        .collect();
    assert!(
        activities.last() == Some(&Activity::Faulty),
        "{activities:?}"
    );
}

#[test]
fn a_stalled_wheel_is_a_fault_with_the_motors_off() {
    let (floor, _) = place("....\n..G.\n....\n....\n....\nS...\n");
    let mut run = ChipRun::new(floor, 4);
    run.config.faults = vec!["motor@2.5".parse().unwrap()];
    let report = execute(&run);
    assert_eq!(report.outcome, RunOutcome::Fault, "{report:#?}");
    assert_eq!(report.faults, [Fault::Stall.code()], "{report:#?}");
    // The injected fault is over by now.
    assert!(report.motors_off, "{report:#?}");
}

#[test]
fn a_closing_door_is_avoided() {
    let report = go_to_goal("..G\n.#.\nS..\n", 5, &["door@2.5+600"]);
    assert!(report.cells > 4, "{report:#?}");
}

#[test]
fn the_robot_waits_for_a_door_to_open() {
    let report = go_to_goal("G\n.\n.\nS\n", 6, &["door@1.2+12"]);
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
fn in_a_pipe_the_live_view_prints_lines_in_cells_of_the_map() {
    let news = news::news(&emulate("#G\n#S\n", "--watch"));
    assert_eq!(news.first().unwrap(), "at 1,1: idle", "{news:?}");
    let way = "at 1,1: on its way to 1,0";
    assert!(news.iter().any(|news| news == way), "{news:?}");
    assert_eq!(news.last().unwrap(), "at 1,0: done", "{news:?}");
}

#[test]
fn bad_input_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("text"), "not an image").unwrap();
    for (words, what) in [
        ("--elf no/such/image", "type: cargo fw"),
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
