//! `sim robot` on the command line.

use serde_json::Value;
use tinystar::telemetry::{Frame, codec::FrameDecoder};

use crate::support::{
    cli::{self, sim},
    live_view,
};

/// A folder with maps.
fn folder() -> tempfile::TempDir {
    cli::folder(&[
        ("wall.txt", "..#.\n..#.\n....\nS..G\n"),
        ("row.txt", "S.G\n"),
    ])
}

#[test]
fn a_run_is_one_line_of_json() {
    let folder = folder();
    let words = "robot --map wall.txt --mission goto:3,0 --mission home --json --seed 5 --frames f";
    let line = sim(words).within(&folder).object();
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
    let frames: Vec<Frame> = std::fs::read(folder.path().join("f"))
        .unwrap()
        .into_iter()
        .filter_map(|byte| decoder.feed(byte))
        .map(|message| message.unwrap().body)
        .collect();
    assert!(matches!(frames[0], Frame::Hello { .. }));
    assert!(frames.iter().any(|frame| matches!(frame, Frame::Wall(..))));
}

#[test]
fn a_run_ends_at_the_time_limit() {
    let line = sim("robot --time-limit 3 --json").object();
    assert_eq!(line["outcome"], "time-up", "{line}");
    assert!(line["seconds"].as_f64().unwrap() <= 3.0, "{line}");
}

#[test]
fn a_fault_is_printed_with_its_code() {
    let text = sim("robot --seed 1 --fault gyro@3+9").text();
    assert!(text.contains("Stopped by fault 8 (gyro) after"), "{text}");
}

#[test]
fn in_a_pipe_the_live_view_prints_lines() {
    let folder = folder();
    let run = sim("robot --ideal --watch --map row.txt");
    let text = run.within(&folder).text();
    let lines = live_view::status_lines(&text);
    assert_eq!(lines.first().unwrap(), "at 0,0: idle", "{lines:?}");
    let travelling = "at 1,0: on its way to 2,0";
    assert!(lines.iter().any(|line| line == travelling), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "at 2,0: done", "{lines:?}");
}

#[test]
fn a_set_tolerance_replaces_the_drawn_one() {
    let folder = folder();
    let run = |words: &str| {
        let words = format!("robot --map row.txt --json --seed 3 {words}");
        sim(&words).within(&folder).object()
    };
    // Wheels that never start to turn.
    let stuck = run("--set stiction=2");
    assert_eq!(stuck["outcome"], "fault", "{stuck}");
    assert_eq!(stuck["cells"], 0, "{stuck}");
    assert_eq!(run("--ideal"), run("--tolerances none"));
    assert_ne!(run("--tolerances nominal"), run("--tolerances none"));
    assert_eq!(run("--tolerances nominal"), run(""));
}

#[test]
fn a_sweep_prints_the_distribution_of_its_runs() {
    let folder = folder();
    let run = |words: &str| {
        let words = format!("robot --map row.txt --json {words}");
        sim(&words).within(&folder).object()
    };
    let sweep = run("--sweep 4 --seed 7");
    assert_eq!(sweep["runs"], 4, "{sweep}");
    assert_eq!(sweep["outcomes"]["done"], sweep["done"], "{sweep}");
    assert_eq!(
        sweep,
        run("--sweep 4 --seed 7"),
        "the same seeds give the same runs"
    );
    let alone: Vec<f64> = (7..11)
        .map(|seed| run(&format!("--seed {seed}"))["seconds"].as_f64().unwrap())
        .collect();
    let max = alone.iter().copied().fold(0.0, f64::max);
    assert_eq!(
        sweep["seconds"]["max"].as_f64(),
        Some(max),
        "{sweep} {alone:?}"
    );

    let failed = run("--sweep 2 --set stiction=2");
    assert_eq!(failed["failed"], serde_json::json!([0, 1]), "{failed}");
    assert_eq!(failed["clean"], 0);
    let text = sim("robot --map row.txt --sweep 2 --set stiction=2")
        .within(&folder)
        .text();
    assert!(text.contains("Not clean: seeds 0 1"), "{text}");
}

#[test]
fn bad_input_is_one_line_that_says_what_is_wrong() {
    for (words, what) in [
        ("--random 65x3", "at most 64x64 cells"),
        ("--mission goto:99,1", "outside the map of 15x15 cells"),
        ("--mission fly", "a mission is"),
        ("--fault goat@3", "KIND@SECONDS"),
        ("--fault gyro@3 --fault gyro@5", "more than one fault gyro"),
        ("--rooms 20x20 --doors 0.1", "--fault door@SECONDS"),
        ("--time-limit 0", "--time-limit"),
        ("--watch --json", "cannot be used with"),
        ("--map no/such/file", "no/such/file"),
        ("--set goat=1", "stiction, friction, pivot_friction"),
        ("--set stiction", "NAME=VALUE"),
        ("--set stiction=much", "much is not a number"),
        ("--tolerances huge", "nominal"),
        ("--cell 90", "needs at least 168 mm"),
        ("--cell 90 --sweep 2", "needs at least 168 mm"),
        ("--cell 5", "--cell"),
        ("--sweep 0", "--sweep"),
        ("--sweep 2 --watch", "cannot be used with"),
        ("--sweep 2 --random 65x3", "at most 64x64 cells"),
    ] {
        let line = sim(&format!("robot {words}")).complaint();
        assert!(line.contains(what), "{words}: {line}");
    }
}
