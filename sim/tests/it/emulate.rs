//! The image that is flashed, unchanged, on an emulated chip in a simulated world.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::{build, support::news};
use emulator::{Event, Image, Reset};
use planner_core::Cell;
use sim::{
    emulator,
    physics::floor::Floor,
    run::{ChipRun, Emulated, EmulatedRobot, RunOutcome, Step, embed, on_field},
    world::MarkedGrid,
};
use tinystar::{
    config::{FIELD, WATCHDOG},
    fault::Fault,
    mission::{Activity, Mission},
    telemetry::{Command, Frame, Stored},
};

/// The path of the Zumo's image, built as `cargo fw` does.
fn path() -> &'static Path {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        Ok(build::images(&repository, &["fw"], "chip")?.join("tinystar"))
    });
    match built {
        Ok(path) => path,
        Err(error) => panic!("{error}"),
    }
}

fn image() -> Image {
    Image::read(path()).unwrap_or_else(|error| panic!("{error}"))
}

/// A map with its start `S` on the image's home, and its goal `G` on the image's field.
fn place(map: &str) -> (Floor, Cell) {
    let file = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
    std::fs::write(&file, map).unwrap();
    let MarkedGrid { grid, start, goal } = sim::world::file::load_grid(file.path()).unwrap();
    let start = start.unwrap();
    let floor = Floor::around(&grid).unwrap();
    let floor = Floor::new(embed(floor.walls(), start).unwrap());
    (floor, on_field(goal.unwrap(), start).unwrap())
}

fn run(emulation: &ChipRun) -> Emulated {
    emulation
        .run(image())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The mission was done, nothing was touched and nothing went wrong.
fn assert_done(told: &Emulated) {
    assert_eq!(told.outcome, RunOutcome::Done, "{told:#?}");
    assert_eq!((told.collisions, told.garbage), (0, 0), "{told:#?}");
    assert!(told.faults.is_empty() && told.motors_off, "{told:#?}");
    // A cell is 180 mm; with half of that, the robot would be elsewhere than it thinks.
    assert!(told.pose_error_mm < 45.0, "{told:#?}");
    // The planner's bound, and a tick that is far from its deadline of 8 ms.
    assert!((1..=64).contains(&told.worst_tick_expansions), "{told:#?}");
    assert!(
        (1..1_000_000).contains(&told.worst_tick_cycles),
        "{told:#?}"
    );
}

#[test]
fn a_goal_set_over_usb_is_reached() {
    let (floor, goal) = place("..G\n.#.\nS..\n");
    let mut emulation = ChipRun::new(floor, 1);
    emulation.missions = vec![Mission::GoTo(goal)];
    let told = run(&emulation);
    assert_done(&told);
    assert!(told.cells >= 4, "{told:#?}");
}

#[test]
fn a_press_of_the_button_leads_out_of_a_dead_end_to_the_images_own_goal() {
    let (floor, goal) = place(
        "\
.......
.......
...G...
.#####.
.#...#.
.#...#.
.S...#.
",
    );
    assert_eq!(goal, tinystar::config::GOAL);
    let told = run(&ChipRun::new(floor, 2));
    assert_done(&told);
    // Nine by the shortest way; the pocket costs the rest.
    assert!(told.cells >= 12, "{told:#?}");
    assert!(told.stored.contains(&Stored::Saved), "{told:#?}");
}

/// Switches a robot on and asks for its map, which it has from flash; then switches it off.
fn kept_map(robot: &mut EmulatedRobot) -> Vec<u8> {
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
fn a_power_cut_while_the_map_is_written_leaves_the_map_before_it() {
    let (floor, goal) = place("...\n.#G\nS..\n");
    let mut emulation = ChipRun::new(floor, 3);
    let mut robot = EmulatedRobot::new(image(), emulation.world()).unwrap();
    let blank = kept_map(&mut robot);
    let mut run_to = |robot: &mut EmulatedRobot, goal: Cell, cut: Option<u32>| {
        emulation.missions = vec![Mission::GoTo(goal)];
        robot.put(emulation.world());
        if let Some(operations) = cut {
            let emulator = robot.emulator();
            emulator.cut_power_in_flash_operation(operations).unwrap();
        }
        let told = emulation.run_on(robot).unwrap();
        robot.power_off().unwrap();
        told
    };

    // Into the very first write, ...
    let cut = run_to(&mut robot, goal, Some(4));
    assert_eq!(cut.outcome, RunOutcome::PowerCut, "{cut:#?}");
    assert_eq!(cut.stored, [], "{cut:#?}");
    assert!(kept_map(&mut robot) == blank, "{cut:#?}");
    let first = run_to(&mut robot, goal, None);
    assert_done(&first);
    assert_eq!(first.stored, [Stored::Saved], "{first:#?}");
    let kept = kept_map(&mut robot);
    assert!(kept != blank);

    // ... and into a later one, elsewhere, so that there is something new to be kept.
    let north = Cell::new(FIELD.home.x, FIELD.home.y - 2);
    let cut = run_to(&mut robot, north, Some(4));
    assert_eq!(cut.outcome, RunOutcome::PowerCut, "{cut:#?}");
    assert_eq!(cut.stored, [], "{cut:#?}");
    assert!(kept_map(&mut robot) == kept, "{cut:#?}");
    let second = run_to(&mut robot, north, None);
    assert_done(&second);
    assert_eq!(second.stored, [Stored::Saved], "{second:#?}");
    assert!(kept_map(&mut robot) != kept, "{second:#?}");
}

#[test]
fn a_program_that_hangs_is_restarted_by_the_watchdog_and_stands_still() {
    let (floor, _) = place("....\n..G.\n....\n....\n....\nS...\n");
    let mut robot = EmulatedRobot::new(image(), ChipRun::new(floor, 7).world()).unwrap();
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

    // A jump to itself where every tick of the clock goes.
    let handler = robot.emulator().image().symbol("TIMER_IRQ_0").unwrap() & !1;
    let code = robot.emulator().read(handler, 2).unwrap();
    robot.emulator().write(handler, &[0xFE, 0xE7]).unwrap();
    let is_reset = |step: &Step| {
        let mut events = step.outputs.events.iter().map(|(_, event)| event);
        events.any(|event| *event == Event::WatchdogReset(Reset::WatchdogTimer))
    };
    let waited = (0..2000)
        .position(|_| is_reset(&robot.step().unwrap()))
        .expect("a watchdog that bites within 2 s");
    assert!(u64::try_from(waited).unwrap() <= WATCHDOG.as_millis());

    robot.emulator().write(handler, &code).unwrap();
    let after = drive_for(&mut robot, 2000, false);
    // From the first slice in which the chip had no part in what went before.
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
fn a_wheel_that_stalls_ends_with_the_motors_off_and_its_fault() {
    let (floor, _) = place("....\n..G.\n....\n....\n....\nS...\n");
    let mut emulation = ChipRun::new(floor, 4);
    emulation.troubles = vec!["motor@2.5".parse().unwrap()];
    let told = run(&emulation);
    assert_eq!(told.outcome, RunOutcome::Fault, "{told:#?}");
    assert_eq!(told.faults, [Fault::Stall.code()], "{told:#?}");
    // The motor has its power back by now, if it were given any.
    assert!(told.motors_off, "{told:#?}");
}

#[test]
fn a_door_that_closes_in_the_way_is_gone_around() {
    let (floor, goal) = place("..G\n.#.\nS..\n");
    let mut emulation = ChipRun::new(floor, 5);
    emulation.missions = vec![Mission::GoTo(goal)];
    emulation.troubles = vec!["door@2.5+600".parse().unwrap()];
    let told = run(&emulation);
    assert_done(&told);
    assert!(told.cells > 4, "{told:#?}");
}

#[test]
fn a_door_that_opens_again_is_waited_for() {
    let (floor, goal) = place("G\n.\n.\nS\n");
    let mut emulation = ChipRun::new(floor, 6);
    emulation.missions = vec![Mission::GoTo(goal)];
    emulation.troubles = vec!["door@1.2+12".parse().unwrap()];
    let told = run(&emulation);
    assert_done(&told);
    assert!(told.seconds > 12.0, "{told:#?}");
}

fn sim(args: &[&str]) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::cargo_bin("sim").unwrap();
    command.arg("emulate").args(args);
    command
}

#[test]
fn the_command_prints_one_line_of_json_with_cells_as_the_map_counts_them() {
    let map = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
    std::fs::write(&map, "G.\n.#\nS.\n").unwrap();
    let elf = path().to_str().unwrap();
    let out = sim(&["--ideal", "--json", "--elf", elf, "--mission", "goto:0,1"])
        .arg("--map")
        .arg(map.path())
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    let line: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
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
fn in_a_pipe_the_chip_is_watched_line_by_line_with_cells_as_the_map_counts_them() {
    let map = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
    std::fs::write(&map, "#G\n#S\n").unwrap();
    let elf = path().to_str().unwrap();
    let out = sim(&["--ideal", "--watch", "--elf", elf])
        .arg("--map")
        .arg(map.path())
        .output()
        .unwrap();
    let news = news::news(&out.stdout);
    assert_eq!(news.first().unwrap(), "at 1,1: idle", "{news:?}");
    assert!(
        news.iter().any(|news| news == "at 1,1: on its way to 1,0"),
        "{news:?}"
    );
    assert_eq!(news.last().unwrap(), "at 1,0: done", "{news:?}");
}

#[test]
fn what_cannot_be_emulated_is_refused_in_one_line() {
    let not_an_image = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&not_an_image, "not an image").unwrap();
    for (args, what) in [
        (["--elf", "no/such/image"], "type: cargo fw"),
        (
            ["--elf", not_an_image.path().to_str().unwrap()],
            "not an image for the chip",
        ),
        (["--fault", "frozen@3"], "cannot happen to a chip"),
        (["--maze", "65x65"], "reaches beyond"),
        (["--mission", "goto:9,9"], "outside the map"),
        (["--watch", "--json"], "cannot be used with"),
    ] {
        let out = sim(&args).output().unwrap();
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(
            stderr.contains(what) && stderr.lines().count() == 1,
            "{args:?}: {stderr}"
        );
    }
}
