//! `sim watch` without a window, and links to robots.

use std::{
    fs, io,
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::support::{
    cable::{RobotEnd, cable},
    cli::sim,
    recorded::{self, FIELD, HELLO, WAITS, frame},
};
use planner_core::{Cell, Side, map::Occupancy};
use serde_json::Value;
use sim::{
    run::RunReport,
    telemetry::{
        Answer, Connection, Event, Link, Monitor, PlannedRoute, Playback, Received, draw, summary,
    },
};
use tempfile::NamedTempFile;
use tinystar::{
    mission::Mission,
    navigator::decode_walls,
    telemetry::{Command, Frame, Refusal, State, codec::Message},
};

/// Run around a wall and back, with an optional fault.
fn report(fault: Option<&str>) -> RunReport {
    recorded::report(Some(Mission::Home), fault)
}

fn file(bytes: &[u8]) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    fs::write(&file, bytes).unwrap();
    file
}

/// Output for a recording.
fn watch(bytes: &[u8], how: &str) -> String {
    sim("watch").arg(how).arg(file(bytes).path()).text()
}

fn objects(bytes: &[u8]) -> Vec<Value> {
    sim("watch --json").arg(file(bytes).path()).objects()
}

fn hello(number: u16) -> Vec<u8> {
    frame(number, &HELLO)
}

fn at_the_end(bytes: &[u8]) -> Monitor {
    let mut playback = Playback::new(bytes).unwrap();
    playback.seek(playback.length());
    playback.work(|| false);
    playback.monitor().clone()
}

#[test]
fn at_the_end_of_a_recording_the_map_is_that_of_the_robot() {
    let report = report(None);
    let monitor = at_the_end(&report.recording);
    let bytes = report.map.iter().enumerate();
    let walls = bytes.flat_map(|(index, &byte)| decode_walls(FIELD, index, byte).unwrap());
    let is_inner = |cell: Cell, side| {
        let beyond = cell.neighbor(side).unwrap();
        beyond.x < FIELD.width && beyond.y < FIELD.height
    };
    let mut known = 0;
    for (cell, side, fact) in walls.filter(|&(cell, side, _)| is_inner(cell, side)) {
        assert_eq!(monitor.robot.wall(cell, side), fact, "{cell:?} {side:?}");
        known += usize::from(fact != Occupancy::Unknown);
    }
    assert!(known > 10, "{known}");
    assert_eq!(monitor.robot.state.unwrap().at, FIELD.home);
    assert_eq!(monitor.connection, Connection::Ended);

    let text = watch(&report.recording, "--text");
    let picture = draw(&monitor.robot, (160, 100));
    assert!(text.starts_with(&picture), "{text}\n{picture}");
    assert!(text.contains("\ndone, at 0,3 looking "), "{text}");
    assert!(
        text.contains(" 0 damaged, 0 missing, 0 lost by the robot\n"),
        "{text}"
    );
}

#[test]
fn the_planned_turn_the_decision_point_and_the_speed_are_told_on_the_move() {
    let mut playback = Playback::new(&report(None).recording).unwrap();
    let (mut turns, mut last) = (0, f64::INFINITY);
    let mut approaches = 0;
    for ms in (0..playback.length()).step_by(100) {
        playback.seek(ms);
        playback.work(|| false);
        let monitor = playback.monitor();
        let Some(route) = PlannedRoute::of(&monitor.robot) else {
            continue;
        };
        let told = summary(monitor, "robot");
        let speed = monitor.robot.state.unwrap().speed_mm_s;
        assert!(told.contains(&format!("\n{speed} mm/s, ")), "{told}");
        assert!(told.contains("decides on "), "{told}");
        turns += usize::from(told.contains("left in ") || told.contains("right in "));
        approaches += usize::from(route.to_decision_mm() < last);
        last = route.to_decision_mm();
        assert!(last <= 8.0 * 180.0, "{told}");
    }
    assert!(turns >= 10, "{turns}");
    assert!(approaches >= 10, "{approaches}");
}

#[test]
fn a_recording_can_be_sought_in_both_directions() {
    let record = report(None).recording;
    let mut playback = Playback::new(&record).unwrap();
    let mut moments = Vec::new();
    for second in [2, 5, 9] {
        playback.seek(1000 * second);
        playback.work(|| false);
        assert_eq!(playback.now(), 1000 * second);
        let robot = &playback.monitor().robot;
        assert!(
            robot.ms().abs_diff(1000 * second as u32) <= 200,
            "{}",
            robot.ms()
        );
        moments.push((playback.monitor().stats, robot.trail.clone()));
    }
    let mut revisions = vec![playback.monitor().revision];
    for (second, moment) in [2, 5, 9].into_iter().zip(&moments).rev() {
        playback.seek(1000 * second);
        while playback.is_seeking() {
            // In as many pieces as there are frames.
            playback.work(|| true);
        }
        let now = playback.monitor();
        assert_eq!((now.stats, now.robot.trail.clone()), *moment);
        assert!(!revisions.contains(&now.revision) || second == 9);
        revisions.push(now.revision);
    }
}

#[test]
fn every_frame_is_one_json_object() {
    let report = report(Some("gyro@3+9"));
    let all = objects(&report.recording);
    let (end, frames) = all.split_last().unwrap();
    assert_eq!(end["frames"], frames.len());
    assert_eq!((&end["damaged"], &end["missing"]), (&0.into(), &0.into()));
    assert_eq!(frames[0]["frame"], "hello");
    assert_eq!(frames[0]["home"], serde_json::json!([0, 3]));
    for (number, frame) in frames.iter().enumerate() {
        assert_eq!(frame["number"], number);
    }
    let fault = frames
        .iter()
        .find(|frame| frame["frame"] == "fault")
        .unwrap();
    assert_eq!(
        (&fault["code"], &fault["text"]),
        (&8.into(), &"gyro".into())
    );
    let last = frames
        .iter()
        .rfind(|frame| frame["frame"] == "state")
        .unwrap();
    assert_eq!(last["activity"], "faulty");
    assert!(watch(&report.recording, "--text").contains("\nfault 8: gyro\n"));
}

#[test]
fn damaged_frames_are_counted() {
    let whole = report(None).recording;
    let mut record = whole.clone();
    let middle = record.len() / 2;
    for byte in &mut record[middle..middle + 40] {
        *byte ^= 0x5a;
    }
    record.splice(100..100, [0, 1, 2, 3, 0, 255]);
    let all = objects(&record);
    let damaged: Vec<_> = all
        .iter()
        .filter(|object| object["damaged"].is_string())
        .collect();
    let end = all.last().unwrap();
    assert!(damaged.len() > 1, "{damaged:?}");
    assert_eq!(end["damaged"], damaged.len());
    assert_eq!(damaged.last().unwrap()["count"], damaged.len());
    let frames = end["frames"].as_u64().unwrap();
    let sent = at_the_end(&whole).stats.frames;
    assert!(frames < sent && frames + 12 > sent, "{frames} of {sent}");
    let last = at_the_end(&record);
    assert_eq!(last.robot.state, at_the_end(&whole).robot.state);
}

#[test]
fn a_truncated_stream_is_reported() {
    let mut record = report(None).recording;
    record.truncate(record.len() / 2);
    while record.last() == Some(&0) {
        record.pop();
    }
    let all = objects(&record);
    assert_eq!(
        all[all.len() - 2],
        serde_json::json!({"damaged": "cut", "count": 1})
    );
    assert_eq!(all[all.len() - 1]["damaged"], 1);
    assert!(watch(&record, "--text").contains(", 1 damaged,"));
}

#[test]
fn missing_frames_are_reported_and_a_restart_is_no_loss() {
    let stream = [
        hello(0),
        frame(1, &Frame::Next(Cell::new(0, 2))),
        frame(5, &Frame::Lost(7)),
        hello(0),
        frame(1, &Frame::Cleared),
    ];
    let all = objects(&stream.concat());
    assert_eq!(all[2]["missing"], 3);
    assert!(all[3].get("missing").is_none());
    let end = serde_json::json!(
        {"frames": 5, "damaged": 0, "missing": 3, "lost": 7, "restarts": 1});
    assert_eq!(all[5], end);
}

#[test]
fn an_unseen_restart_is_detected_by_the_time() {
    let state = |ms, x| {
        Frame::State(State {
            ms,
            ..State::new(Cell::new(x, 0), Side::East)
        })
    };
    let wall = Frame::Wall(Cell::new(0, 0), Side::East, Occupancy::Free);
    let frames = [
        wall,
        state(5000, 0),
        state(5100, 1),
        state(100, 0),
        state(200, 0),
    ];
    let mut stream = hello(8);
    for (number, what) in (9..).zip(&frames) {
        stream.extend(frame(number, what));
    }
    let monitor = at_the_end(&stream);
    assert_eq!(monitor.stats.restarts, 1);
    assert_eq!(monitor.robot.trail, [Cell::new(0, 0)]);
    assert_eq!(
        monitor.robot.wall(Cell::new(1, 0), Side::West),
        Occupancy::Free
    );
    assert_eq!(
        Playback::new(&stream).unwrap().length(),
        200,
        "time goes on"
    );
}

#[test]
fn standard_input_is_followed_live() {
    let record = report(None).recording;
    let file = watch(&record, "--text");
    let piped = sim("watch - --text").stdin(&record).text();
    let picture = |text: &str| text.lines().take(9).collect::<Vec<_>>().join("\n");
    assert_eq!(picture(&piped), picture(&file));
    assert!(piped.contains("\n-: ended, "), "{piped}");
    let frames = objects(&record).len();
    let lines = sim("watch - --json").stdin(&record).objects();
    // Besides the connection.
    assert_eq!(lines.len(), frames + 1);
}

#[test]
fn bad_input_is_one_line_that_says_what_is_wrong() {
    let nonsense = file(b"this is\0no recording of a robot");
    let empty = file(b"");
    for (source, what) in [
        ("/no/such/port", "no such port or file"),
        (
            nonsense.path().to_str().unwrap(),
            "not a recording of a robot",
        ),
        (empty.path().to_str().unwrap(), "not a recording of a robot"),
        (std::env::temp_dir().to_str().unwrap(), "is a folder"),
    ] {
        for how in ["--json", "--text", "--speed=2"] {
            let line = sim("watch").arg(source).arg(how).complaint();
            assert!(line.contains(what), "{source} {how}: {line}");
        }
    }
    let (_, error) = sim("watch - --text").stdin(b"hello\0").exits(2);
    assert!(error.contains("no telemetry received"), "{error}");
    sim("watch - --speed=0").complaint();
}

/// Asserts that the next command that a robot gets is this one.
fn assert_gets(robot: &RobotEnd, number: u16, body: Command) {
    assert_eq!(robot.next(), Message { number, body });
}

/// Handles events until a condition holds.
fn until(link: &Link, monitor: &mut Monitor, is_there: impl Fn(&Monitor) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    for _ in 0..WAITS {
        if is_there(monitor) {
            return events;
        }
        if let Some(event) = link.wait(Duration::from_millis(10)).unwrap() {
            monitor.handle(&event);
            events.push(event);
        }
    }
    panic!("it never came to that: {events:?}");
}

#[test]
fn a_lost_robot_is_reconnected_and_its_map_requested() {
    let (first, robot) = cable();
    let wires = Arc::new(Mutex::new(vec![first]));
    let more = Arc::clone(&wires);
    let link = Link::new(move || {
        more.lock()
            .unwrap()
            .pop()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    });
    let link = link.unwrap();
    let mut monitor = Monitor::default();
    assert_gets(&robot, 0, Command::GetMap);
    // The rest of a frame from before the connection is no damage.
    robot.say.send(b"end\0".to_vec()).unwrap();
    robot.say.send(hello(9)).unwrap();
    link.send(Command::Start);
    assert_gets(&robot, 1, Command::Start);
    until(&link, &mut monitor, |monitor| monitor.stats.frames == 1);
    assert_eq!(monitor.stats.damaged, 0);
    drop(robot);
    until(&link, &mut monitor, |monitor| {
        matches!(monitor.connection, Connection::Disconnected(_))
    });

    // Dropped while disconnected.
    link.send(Command::ForgetMap);
    let (second, robot) = cable();
    wires.lock().unwrap().push(second);
    assert_gets(&robot, 0, Command::GetMap);
    until(&link, &mut monitor, |monitor| {
        monitor.connection == Connection::Connected
    });
    robot.say.send(frame(700, &Frame::Cleared)).unwrap();
    until(&link, &mut monitor, |monitor| monitor.stats.frames == 2);
    assert_eq!(monitor.stats.missing, 0, "disconnected meanwhile");
    link.send(Command::Stop);
    assert_gets(&robot, 1, Command::Stop);
}

#[test]
fn command_numbers_restart_after_a_restart_and_after_a_loss() {
    let (wire, robot) = cable();
    let mut wire = Some(wire);
    let link =
        Link::new(move || wire.take().ok_or_else(|| io::ErrorKind::NotFound.into())).unwrap();
    let mut monitor = Monitor::default();
    assert_eq!(robot.next().number, 0);
    robot.say.send([vec![0], hello(0)].concat()).unwrap();
    assert_gets(&robot, 0, Command::GetMap);
    link.send(Command::Home);
    assert_gets(&robot, 1, Command::Home);
    let why = Refusal::OutOfOrder;
    let refused = Frame::Refused {
        number: Some(1),
        why,
    };
    robot.say.send(frame(1, &refused)).unwrap();
    let is_refused = |monitor: &Monitor| {
        monitor.commands.back().is_some_and(|(_, command, answer)| {
            *command == Command::Home && *answer == Answer::Refused(why)
        })
    };
    until(&link, &mut monitor, is_refused);
    link.send(Command::Home);
    assert_gets(&robot, 0, Command::Home);
}

#[cfg(unix)]
mod port {
    use std::{os::unix::fs::symlink, process::Stdio};

    use super::*;
    use crate::support::port::Port;

    fn answers(monitor: &Monitor) -> Vec<Answer> {
        monitor
            .commands
            .iter()
            .map(|(_, _, answer)| *answer)
            .collect()
    }

    #[test]
    fn a_robot_on_a_port_reports_its_map_and_answers_commands() {
        let port = Port::new(FIELD);
        let link = Link::port(&port.name).unwrap();
        let mut monitor = Monitor::default();
        until(&link, &mut monitor, |monitor| {
            answers(monitor) == [Answer::Accepted]
        });
        assert_eq!(monitor.robot.field, Some(FIELD));
        assert_eq!(
            monitor.robot.wall(Cell::new(1, 2), Side::North),
            Occupancy::Blocked
        );

        link.send(Command::SetGoal(Cell::new(4, 0)));
        link.send(Command::SetGoal(Cell::new(0, 4)));
        link.send(Command::Start);
        let expected = [
            Answer::Accepted,
            Answer::Accepted,
            Answer::Refused(Refusal::Invalid),
            Answer::Refused(Refusal::Faulty),
        ];
        let heard = until(&link, &mut monitor, |monitor| answers(monitor) == expected);
        assert_eq!(monitor.robot.goals, [Cell::new(4, 0)]);
        let is_bad = |event: &Event| {
            matches!(
                event,
                Event::Received(Received::Invalid(_) | Received::Truncated)
            )
        };
        assert!(!heard.iter().any(is_bad));
        assert_eq!((monitor.stats.missing, monitor.stats.damaged), (0, 0));
    }

    /// Ports can be symbolic links, as in /dev/serial/by-id.
    #[test]
    fn a_robot_plugged_into_another_port_is_reconnected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robot");
        let port = Port::new(FIELD);
        symlink(&port.name, &path).unwrap();
        let link = Link::port(path.to_str().unwrap()).unwrap();
        let mut monitor = Monitor::default();
        until(&link, &mut monitor, |monitor| {
            answers(monitor) == [Answer::Accepted]
        });
        drop(port);
        until(&link, &mut monitor, |monitor| {
            matches!(monitor.connection, Connection::Disconnected(_))
        });
        let port = Port::new(FIELD);
        fs::remove_file(&path).unwrap();
        symlink(&port.name, &path).unwrap();
        until(&link, &mut monitor, |monitor| {
            answers(monitor) == [Answer::Accepted]
        });
        assert_eq!(monitor.connection, Connection::Connected);
    }

    #[test]
    fn a_port_is_followed_as_json_for_a_time() {
        let port = Port::new(FIELD);
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("sim"))
            .args(["watch", &port.name, "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = io::BufRead::lines(io::BufReader::new(child.stdout.take().unwrap()));
        let objects: Vec<Value> = lines
            .take(6)
            .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
            .collect();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(objects[0]["link"], "there");
        assert_eq!(objects[1]["sent"], "get map");
        let frames = [2, 3, 4, 5].map(|line| &objects[line]["frame"]);
        assert_eq!(frames, ["hello", "settings", "map", "accepted"]);
    }

    #[test]
    fn piped_text_of_a_live_robot_needs_a_time() {
        let Port { name, .. } = &Port::new(FIELD);
        let line = sim("watch --text").arg(name).complaint();
        assert!(line.contains("--for SECONDS"), "{line}");
        let text = sim("watch --text --for 1").arg(name).text();
        assert!(text.contains("\nget map: accepted\n"), "{text}");
        let lines = sim("watch --json --for 1").arg(name).objects();
        let last = lines.last().unwrap();
        assert_eq!((&last["frames"], &last["damaged"]), (&4.into(), &0.into()));
    }
}
