//! `sim subgoals`: trees in a file, and the robot that follows them.

use std::fs;

use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::Value;
use tempfile::TempDir;

const MAP: &str = "\
S.........
.########.
........#.
.######.#.
.#......#.
.#.######.
.#........
.########.
.........G
";

/// A folder with a map in it.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.map"), MAP).unwrap();
    let other = MAP.replacen("########", "#####.##", 1);
    fs::write(folder.path().join("b.map"), other).unwrap();
    fs::write(folder.path().join("blocked.map"), "##\n##\n").unwrap();
    folder
}

fn sim(folder: &TempDir, args: &[&str], code: i32) -> (String, String) {
    let mut command = cargo_bin_cmd!("sim");
    let assert = command.current_dir(folder).args(args).assert();
    let output = assert.get_output();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{args:?}: {out}{err}");
    (out, err)
}

fn object(folder: &TempDir, args: &[&str]) -> Value {
    let (out, err) = sim(folder, args, 0);
    assert_eq!((out.lines().count(), err.as_str()), (1, ""), "{args:?}");
    serde_json::from_str(&out).unwrap()
}

/// The one line of complaint about bad input.
fn complaint(folder: &TempDir, args: &[&str]) -> String {
    let (out, err) = sim(folder, args, 2);
    assert!(out.is_empty() && err.starts_with("error: "), "{out}{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    err
}

#[test]
fn json_of_subgoals_has_the_documented_fields() {
    let folder = folder();
    let args = ["subgoals", "--map", "a.map", "-o", "a.sub", "--json"];
    let report = object(&folder, &args);
    let fields: Vec<&str> = report
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut expected = vec![
        "map",
        "fingerprint",
        "cells",
        "moves",
        "trees",
        "nodes",
        "smallest",
        "largest",
        "bytes",
        "expansions",
        "build_ns",
    ];
    expected.sort_unstable();
    assert_eq!(fields, expected);
    let cells = MAP.chars().filter(|&c| c != '#' && c != '\n').count();
    assert_eq!(report["cells"], cells);
    assert_eq!(
        (&report["trees"], &report["expansions"]),
        (&1.into(), &cells.into())
    );
    let bytes = fs::read(folder.path().join("a.sub")).unwrap();
    assert_eq!(report["bytes"], bytes.len());
}

#[test]
fn the_same_map_gives_the_same_file_on_any_number_of_threads() {
    let folder = folder();
    for (file, threads) in [("one.sub", "1"), ("two.sub", "2"), ("again.sub", "2")] {
        let mut command = cargo_bin_cmd!("sim");
        command
            .env("RAYON_NUM_THREADS", threads)
            .current_dir(&folder);
        command.args([
            "subgoals", "--map", "a.map", "--all", "--moves", "8", "-o", file,
        ]);
        command.assert().code(0).stderr("");
    }
    let [one, two, again] =
        ["one.sub", "two.sub", "again.sub"].map(|file| fs::read(folder.path().join(file)).unwrap());
    assert!(one == two && two == again);
}

#[test]
fn a_tree_from_a_file_gives_the_same_run_as_one_built_on_line() {
    let folder = folder();
    for moves in ["4", "8"] {
        sim(
            &folder,
            &[
                "subgoals", "--map", "a.map", "--moves", moves, "-o", "a.sub",
            ],
            0,
        );
        let run = [
            "run",
            "--map",
            "a.map",
            "--known",
            "--planner",
            "subgoal-lrta",
            "--json",
        ];
        let run = [&run[..], &["--trail", "--moves", moves]].concat();
        let grown = object(&folder, &run);
        let read = object(&folder, &[&run[..], &["--tree", "a.sub"]].concat());
        assert_eq!(grown["outcome"], "arrived");
        assert_eq!(grown["trail"], read["trail"]);
        assert_eq!(read["max_expansions_per_tick"], 1);
        let best = object(
            &folder,
            &[
                "run", "--map", "a.map", "--known", "--json", "--moves", moves,
            ],
        );
        assert_eq!(read["cost"], best["cost"], "a shortest way");
    }
}

#[test]
fn every_goal_of_a_file_is_reachable() {
    let folder = folder();
    sim(
        &folder,
        &["subgoals", "--map", "a.map", "--all", "-o", "all.sub"],
        0,
    );
    let two = ["--goal", "9,8", "--goal", "3,4", "--goal", "9,8"];
    let report = object(
        &folder,
        &[
            &["subgoals", "--map", "a.map", "-o", "two.sub", "--json"],
            &two[..],
        ]
        .concat(),
    );
    assert_eq!(report["trees"], 2, "each goal once");
    for goal in ["9,8", "3,4"] {
        for file in ["all.sub", "two.sub"] {
            let args = [
                "run",
                "--map",
                "a.map",
                "--known",
                "--planner",
                "subgoal-lrta",
            ];
            let args = [&args[..], &["--goal", goal, "--tree", file, "--json"]].concat();
            assert_eq!(
                object(&folder, &args)["outcome"],
                "arrived",
                "{goal} {file}"
            );
        }
    }
}

#[test]
fn the_summary_counts_trees_and_bytes() {
    let folder = folder();
    let (out, _) = sim(
        &folder,
        &["subgoals", "--map", "a.map", "--all", "-o", "a.sub"],
        0,
    );
    assert!(out.contains("trees for a.map, 4 moves"), "{out}");
    assert!(out.contains("bytes to a.sub"), "{out}");
}

#[test]
fn bad_input_is_one_line() {
    let folder = folder();
    for (args, what) in [
        (&["--map", "gone.map"][..], "No such file"),
        (&["--map", "blocked.map"], "marks no goal"),
        (&["--map", "blocked.map", "--all"], "no cell is free"),
        (&["--map", "a.map", "--goal", "1,1"], "is blocked"),
        (&["--map", "a.map", "--goal", "77,1"], "outside the map"),
        (&["--map", "a.map", "--goal", "1"], "a cell is its column"),
        (
            &["--map", "a.map", "--goal", "0,0", "--all"],
            "cannot be used with",
        ),
        (&["--map", "a.map", "--moves", "6"], "4 or 8"),
    ] {
        let args = [&["subgoals", "-o", "x.sub"], args].concat();
        let line = complaint(&folder, &args);
        assert!(line.contains(what), "{args:?}: {line}");
    }
    let (_, line) = sim(
        &folder,
        &["subgoals", "--map", "a.map", "-o", "no/such/x.sub"],
        1,
    );
    assert!(line.contains("cannot write no/such/x.sub"), "{line}");
    assert!(!folder.path().join("x.sub").exists());
}

#[test]
fn a_file_that_does_not_fit_is_refused() {
    let folder = folder();
    sim(&folder, &["subgoals", "--map", "a.map", "-o", "a.sub"], 0);
    let good = fs::read(folder.path().join("a.sub")).unwrap();
    let mut damaged = good.clone();
    damaged[40] ^= 4;
    let mut newer = good.clone();
    newer[4] = 2;
    fs::write(folder.path().join("damaged.sub"), damaged).unwrap();
    fs::write(folder.path().join("newer.sub"), newer).unwrap();
    fs::write(folder.path().join("short.sub"), &good[..good.len() - 9]).unwrap();
    fs::write(folder.path().join("empty.sub"), "").unwrap();
    let run = ["run", "--known", "--planner", "subgoal-lrta", "--json"];
    for (args, what) in [
        (&["--map", "b.map", "--tree", "a.sub"][..], "made for map"),
        (
            &["--map", "a.map", "--moves", "8", "--tree", "a.sub"],
            "made for map",
        ),
        (&["--map", "a.map", "--tree", "damaged.sub"], "damaged"),
        (&["--map", "a.map", "--tree", "newer.sub"], "version 2"),
        (
            &["--map", "a.map", "--tree", "short.sub"],
            "bytes of subgoal trees",
        ),
        (
            &["--map", "a.map", "--tree", "empty.sub"],
            "no subgoal trees",
        ),
        (&["--map", "a.map", "--tree", "gone.sub"], "No such file"),
        (
            &["--map", "a.map", "--goal", "0,4", "--tree", "a.sub"],
            "no tree for the goal 0,4",
        ),
    ] {
        let line = complaint(&folder, &[&run[..], args].concat());
        assert!(line.contains(what), "{args:?}: {line}");
    }
    let other = ["run", "--map", "a.map", "--known", "--tree", "a.sub"];
    assert!(complaint(&folder, &other).contains("dstar-lite follows no subgoal trees"));
    let unknown = [
        "run",
        "--map",
        "a.map",
        "--planner",
        "subgoal-lrta",
        "--tree",
        "a.sub",
    ];
    assert!(complaint(&folder, &unknown).contains("--known"));
}
