//! `sim robot` on the command line.

use serde_json::Value;
use tinystar::telemetry::{Frame, codec::FrameDecoder};

use crate::support::{cli::sim, news};

/// A folder with maps.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wall.txt"), "..#.\n..#.\n....\nS..G\n").unwrap();
    std::fs::write(folder.path().join("row.txt"), "S.G\n").unwrap();
    folder
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
    let news = news::news(&text);
    assert_eq!(news.first().unwrap(), "at 0,0: idle", "{news:?}");
    let way = "at 1,0: on its way to 2,0";
    assert!(news.iter().any(|news| news == way), "{news:?}");
    assert_eq!(news.last().unwrap(), "at 2,0: done", "{news:?}");
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
    ] {
        let line = sim(&format!("robot {words}")).complaint();
        assert!(line.contains(what), "{words}: {line}");
    }
}
