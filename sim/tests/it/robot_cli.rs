//! `sim robot` on the command line.

use crate::support::news;
use assert_cmd::Command;
use serde_json::Value;
use tinystar::telemetry::{Frame, codec::FrameDecoder};

fn sim(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("sim").unwrap();
    command.arg("robot").args(args);
    command
}

#[test]
fn a_run_is_one_line_of_json() {
    let map = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
    std::fs::write(&map, "..#.\n..#.\n....\nS..G\n").unwrap();
    let path = map.path().to_str().unwrap();
    let frames = tempfile::NamedTempFile::new().unwrap();
    let out = sim(&[
        "--map",
        path,
        "--mission",
        "goto:3,0",
        "--mission",
        "home",
        "--json",
    ])
    .args(["--seed", "5", "--frames", frames.path().to_str().unwrap()])
    .output()
    .unwrap();
    assert!(out.status.success(), "{out:?}");
    let line: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(line["outcome"], "done", "{line}");
    assert_eq!(line["mission"], "goto:3,0 home");
    assert_eq!(line["collisions"], 0, "{line}");
    // At least six cells there and six back.
    assert!(line["cells"].as_u64().unwrap() >= 12, "{line}");
    assert_eq!(line["faults"], Value::Array(Vec::new()));
    for number in [
        "seconds",
        "worst_tick_expansions",
        "flash_writes",
        "pose_error_mm",
    ] {
        assert!(line[number].as_f64().unwrap() > 0.0, "{number}: {line}");
    }
    assert!(line["worst_tick_cycles"].is_null());

    let mut decoder = FrameDecoder::new();
    let frames_sent: Vec<Frame> = std::fs::read(&frames)
        .unwrap()
        .into_iter()
        .filter_map(|byte| decoder.feed(byte))
        .map(|message| message.unwrap().body)
        .collect();
    assert!(matches!(frames_sent[0], Frame::Hello { .. }));
    assert!(
        frames_sent
            .iter()
            .any(|frame| matches!(frame, Frame::Wall(..)))
    );
}

#[test]
fn a_run_ends_at_the_time_limit() {
    let out = sim(&["--time-limit", "3", "--json"]).output().unwrap();
    let line: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(line["outcome"], "time-up", "{line}");
    assert!(line["seconds"].as_f64().unwrap() <= 3.0, "{line}");
}

#[test]
fn a_fault_is_printed_with_its_code() {
    let out = sim(&["--seed", "1", "--fault", "gyro@3+9"])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("Stopped by fault 8 (gyro) after"), "{text}");
}

#[test]
fn in_a_pipe_the_live_view_prints_lines() {
    let map = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
    std::fs::write(&map, "S.G\n").unwrap();
    let out = sim(&["--ideal", "--watch", "--map"])
        .arg(map.path())
        .output()
        .unwrap();
    let news = news::news(&out.stdout);
    assert_eq!(news.first().unwrap(), "at 0,0: idle", "{news:?}");
    assert!(
        news.iter().any(|news| news == "at 1,0: on its way to 2,0"),
        "{news:?}"
    );
    assert_eq!(news.last().unwrap(), "at 2,0: done", "{news:?}");
}

#[test]
fn bad_input_is_one_line_that_says_what_is_wrong() {
    for (args, what) in [
        (vec!["--random", "65x3"], "at most 64x64 cells"),
        (
            vec!["--mission", "goto:99,1"],
            "outside the map of 15x15 cells",
        ),
        (vec!["--mission", "fly"], "a mission is"),
        (vec!["--fault", "goat@3"], "KIND@SECONDS"),
        (
            vec!["--fault", "gyro@3", "--fault", "gyro@5"],
            "more than one fault gyro",
        ),
        (
            vec!["--rooms", "20x20", "--doors", "0.1"],
            "--fault door@SECONDS",
        ),
        (vec!["--time-limit", "0"], "--time-limit"),
        (vec!["--watch", "--json"], "cannot be used with"),
        (vec!["--map", "no/such/file"], "no/such/file"),
    ] {
        let out = sim(&args).output().unwrap();
        let text = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains(what), "{args:?}: {text}");
    }
}
