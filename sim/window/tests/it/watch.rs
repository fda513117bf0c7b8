//! Window that monitors a robot, tested without a display and without a robot.

use std::io;

use crate::{
    cable::{RobotEnd, cable},
    recorded::{self, FIELD, HELLO, WAITS, frame},
    support::{click, drag, open, place, press},
};
use egui::Key;
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};
use planner_core::{Cell, Side, map::Occupancy};
use sim::{
    run::RunReport,
    telemetry::{Feed, Link, Monitor, Playback, TRAIL},
};
use sim_window::Watch;
use tinystar::{
    boards::ZUMO2040,
    calibrator::{Progress, Routine},
    navigator::decode_walls,
    robot::{Distances, Interval},
    telemetry::{Command, Frame, Refusal, Sensors, State},
};

fn report(fault: Option<&str>) -> RunReport {
    recorded::report(None, fault)
}

fn window(feed: Feed) -> Harness<'static, Watch> {
    open(Watch::new("a robot", feed, 1.0), Watch::ui)
}

/// Window at the end of a recording.
fn at_the_end(bytes: &[u8]) -> Harness<'static, Watch> {
    let playback = Playback::new(bytes).unwrap();
    let mut window = window(Feed::Recording(Box::new(playback)));
    window.state_mut().seek(u64::MAX);
    settle(&mut window, |watch| !watch.is_seeking());
    window
}

fn settle(window: &mut Harness<'_, Watch>, is_there: impl Fn(&Watch) -> bool) {
    wait(window, |window| is_there(window.state()));
    window.run_steps(2);
}

/// Draws frames until something is seen.
fn wait(window: &mut Harness<'_, Watch>, is_there: impl Fn(&Harness<'_, Watch>) -> bool) {
    let frames = 0..WAITS;
    let is_seen = |window: &mut Harness<'_, Watch>| {
        window.run_steps(1);
        is_there(window)
    };
    assert!(
        frames.into_iter().any(|_| is_seen(window)),
        "it never came to that"
    );
}

/// Asserts that the drawn map is this one.
fn shows(watch: &Watch, map: &[u8]) {
    let bytes = map.iter().enumerate();
    let own: Vec<_> = bytes
        .flat_map(|(index, &byte)| decode_walls(FIELD, index, byte).unwrap())
        .collect();
    // Outer walls are not part of the encoded map.
    let wall = |cell: Cell, side: Side| {
        cell.neighbor(side).map_or(Occupancy::Blocked, |beyond| {
            let same =
                |wall: &&(Cell, Side, Occupancy)| (wall.0, wall.1) == (beyond, side.opposite());
            own.iter().find(same).unwrap().2
        })
    };
    let snapshot = watch.snapshot();
    assert_eq!(snapshot.size, (FIELD.width, FIELD.height));
    let mut known = 0;
    for (index, walls) in snapshot.walls.iter().enumerate() {
        let width = usize::from(FIELD.width);
        let cell = Cell::new((index % width) as u16, (index / width) as u16);
        assert_eq!(
            *walls,
            [Side::North, Side::West].map(|side| wall(cell, side)),
            "{cell:?}"
        );
        known += usize::from(walls.contains(&Occupancy::Free));
    }
    assert!(known > 5, "{known}");
}

#[test]
fn the_map_at_the_end_is_that_of_the_robot() {
    let report = report(None);
    let window = at_the_end(&report.recording);
    let watch = window.state();
    shows(watch, &report.map);
    assert_eq!(watch.snapshot().robot, Cell::new(0, 0));
    assert_eq!(watch.snapshot().start, FIELD.home);
    assert_eq!(watch.snapshot().goals, [Cell::new(0, 0)]);
    assert!(watch.snapshot().trail.len() >= 7);
    assert!(window.query_by_label("done").is_some());
    assert!(window.query_by_label("saved to flash").is_some());
    let losses = "0 damaged, 0 missing, 0 lost by the robot";
    assert!(window.query_by_label_contains(losses).is_some());
}

#[test]
fn the_planned_route_is_drawn_up_to_the_undecided_cell_with_its_decision_point() {
    let mut window = at_the_end(&report(None).recording);
    assert!(window.state().snapshot().route.path.is_empty(), "done");
    let mut routes = 0;
    for ms in (2000..8000).step_by(100) {
        window.state_mut().seek(ms);
        settle(&mut window, |watch| !watch.is_seeking());
        let route = &window.state().snapshot().route;
        let Some(&[x, y]) = route.path.last() else {
            continue;
        };
        routes += 1;
        // The centre of a cell, and less than half a cell before it.
        assert_eq!((x % 1000, y % 1000), (500, 500), "{ms}");
        let [far_x, far_y] = [route.decision[0] - x, route.decision[1] - y].map(i32::abs);
        assert!(
            far_x + far_y > 400 && far_x + far_y < 500,
            "{ms}: {route:?}"
        );
        assert!(window.query_by_label_contains("decides on ").is_some());
    }
    assert!(routes >= 5, "{routes}");
}

#[test]
fn a_recording_is_played_in_its_own_time() {
    let mut window = at_the_end(&report(None).recording);
    window.state_mut().seek(2000);
    click(&mut window, "Play");
    assert!(window.state().is_playing());
    // A frame of this window lasts a quarter of a second, of which a tenth of a second counts.
    window.run_steps(6);
    window.get_by_label("Pause").click();
    window.run_steps(2);
    let ms = window.state().monitor().robot.ms();
    assert!((2500..=3500).contains(&ms), "{ms}");
    window.run_steps(20);
    assert_eq!(window.state().monitor().robot.ms(), ms, "it waits");
    for second in [3_u32, 4, 5] {
        if second == 3 {
            window.state_mut().seek(2000);
            window.run_steps(2);
        }
        press(&mut window, Key::ArrowRight);
        let ms = window.state().monitor().robot.ms();
        assert!(ms.abs_diff(1000 * second) <= 200, "{ms}");
    }
    press(&mut window, Key::ArrowLeft);
    assert!(window.state().monitor().robot.ms().abs_diff(4000) <= 200);
    window.key_press(Key::Space);
    settle(&mut window, Watch::is_over);
    assert!(!window.state().is_playing());
    assert!(window.query_by_label("done").is_some());
}

#[test]
fn a_fault_is_shown_with_its_code_and_its_text() {
    let window = at_the_end(&report(Some("gyro@3+9")).recording);
    let stopped = window.query_by_label("The robot has stopped: fault 8: gyro.");
    assert!(stopped.is_some());
    assert!(window.query_by_label("stopped by a fault").is_some());
}

#[test]
fn damaged_frames_are_counted_and_the_rest_is_shown() {
    let report = report(None);
    let mut record = report.recording.clone();
    record.splice(50..50, *b"\0noise\0");
    // In the middle of the last frame but some, which is a state like many.
    let near_the_end = record.len() - 30;
    record[near_the_end] ^= 64;
    let window = at_the_end(&record);
    let stats = window.state().monitor().stats;
    assert!((2..=4).contains(&stats.damaged), "{stats:?}");
    let text = format!("{} damaged", stats.damaged);
    assert!(window.query_by_label_contains(&text).is_some());
    shows(window.state(), &report.map);
}

/// Scripted robot.
struct Robot {
    end: RobotEnd,
    number: u16,
}

impl Robot {
    /// Robot that has reported its field, and its window.
    fn new() -> (Self, Harness<'static, Watch>) {
        let (cable, end) = cable();
        let mut cable = Some(cable);
        let link = Link::new(move || cable.take().ok_or_else(|| io::ErrorKind::NotFound.into()));
        let mut window = window(Feed::Live(link.unwrap()));
        let mut robot = Self { end, number: 7 };
        assert_eq!(robot.next(), Command::GetMap, "that is asked first");
        robot.say(&HELLO);
        settle(&mut window, |watch| watch.monitor().stats.frames == 1);
        (robot, window)
    }

    fn say(&mut self, what: &Frame) {
        let mut bytes = vec![0];
        bytes.extend(frame(self.number, what));
        self.end.say.send(bytes).unwrap();
        self.number += 1;
    }

    /// Next command received.
    fn next(&self) -> Command {
        self.end.next().body
    }
}

#[test]
fn the_sensor_panel_shows_what_the_robot_measures() {
    let (mut robot, mut window) = Robot::new();
    let mut calibration = ZUMO2040.calibration;
    calibration.measured = Routine::Walls.bit() | Routine::Range.bit() | Routine::Motors.bit();
    robot.say(&Frame::Calibration(calibration, Progress::Idle));
    robot.say(&Frame::Sensors(Sensors {
        ms: 100,
        raw: [0b101, 0, 4095],
        distances: Distances {
            left: Some(Interval {
                near: 39_000,
                far: 61_000,
            }),
            front: Some(Interval::beyond(240_000)),
            right: None,
        },
        counts: [123, -45],
        yaw_rate: -1_250,
        yaw_bias: Some(70),
        duty: [150, -200],
        battery_mv: Some(5_400),
    }));
    settle(&mut window, |watch| watch.monitor().stats.frames == 3);
    for row in [
        "39 to 61 mm (raw 000000000101)",
        "over 240 mm (raw 000000000000)",
        "unclear (raw 111111111111)",
        "123 left, -45 right",
        "-1.25 °/s, bias 0.07",
        "150 ‰ left, -200 ‰ right",
        "5.40 V",
        "not calibrated: turns, distance",
    ] {
        assert!(window.query_by_label(row).is_some(), "{row}");
    }
}

#[test]
fn a_click_on_a_cell_sets_the_goal() {
    let (mut robot, mut window) = Robot::new();
    let goal = Cell::new(4, 1);
    let size = (FIELD.width, FIELD.height);
    let at = place(&window, "the robot's map", size, (4.5, 1.5));
    drag(&mut window, &[at]);
    assert_eq!(robot.next(), Command::SetGoal(goal));
    assert!(robot.end.hear.try_recv().is_err(), "a click is one command");
    settle(&mut window, |watch| watch.monitor().commands.len() == 2);
    assert!(window.query_by_label("goal 4,1: pending").is_some());
    robot.say(&Frame::Goals([goal].into_iter().collect()));
    robot.say(&Frame::Accepted(1));
    settle(&mut window, |watch| watch.snapshot().goals == [goal]);
    // A frame of its own, which may come later.
    wait(&mut window, |window| {
        window.query_by_label("goal 4,1: accepted").is_some()
    });
}

#[test]
fn commands_are_sent_and_refusals_are_shown() {
    let (mut robot, mut window) = Robot::new();
    for (label, command) in [
        ("Start", Command::Start),
        ("Stop", Command::Stop),
        ("Home", Command::Home),
    ] {
        click(&mut window, label);
        assert_eq!(robot.next(), command);
    }
    settle(&mut window, |watch| watch.monitor().commands.len() == 4);
    robot.say(&Frame::Refused {
        number: Some(3),
        why: Refusal::Faulty,
    });
    let text = "home: refused: the robot has a fault";
    wait(&mut window, |window| window.query_by_label(text).is_some());
}

#[test]
fn clearing_the_map_needs_confirmation() {
    let (robot, mut window) = Robot::new();
    click(&mut window, "Clear map…");
    click(&mut window, "Cancel");
    assert!(window.query_by_label("Cancel").is_none());
    click(&mut window, "Clear map…");
    click(&mut window, "Clear");
    assert_eq!(robot.next(), Command::ForgetMap, "and nothing before it");
}

#[test]
fn a_lost_robot_is_reported_and_gets_no_commands() {
    let (robot, mut window) = Robot::new();
    drop(robot);
    wait(&mut window, |window| {
        window.query_by_label_contains("Disconnected (").is_some()
    });
    assert!(window.get_by_label("Start").accesskit_node().is_disabled());
}

#[test]
fn the_number_of_shapes_does_not_grow_with_the_run() {
    let mut shapes = Vec::new();
    for rounds in [TRAIL as u32, 4 * TRAIL as u32] {
        let mut record = Vec::new();
        let corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(x, y)| Cell::new(x, y));
        let states = (0..2 * rounds).map(|round| {
            Frame::State(State {
                ms: round,
                ..State::new(corners[round as usize % 4], Side::North)
            })
        });
        for (number, what) in (0..).zip([HELLO].into_iter().chain(states)) {
            record.extend(frame(number, &what));
        }
        let window = at_the_end(&record);
        let robot: &Monitor = window.state().monitor();
        assert_eq!(robot.stats.frames, u64::from(2 * rounds) + 1);
        shapes.push(window.output().shapes.len());
    }
    assert!(
        shapes[0] > TRAIL && shapes[1] <= shapes[0] + TRAIL / 4,
        "{shapes:?}"
    );
}
