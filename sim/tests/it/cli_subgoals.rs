//! `sim subgoals`: trees in a file, and the robot that follows them.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::cli::{self, fields, sorted};

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
    let other = MAP.replacen("########", "#####.##", 1);
    cli::folder(&[
        ("a.map", MAP),
        ("b.map", &other),
        ("blocked.map", "##\n##\n"),
    ])
}

fn sim(folder: &TempDir, words: &str) -> cli::Sim {
    cli::sim(words).within(folder)
}

fn object(folder: &TempDir, words: &str) -> Value {
    sim(folder, words).object()
}

#[test]
fn json_of_subgoals_has_the_documented_fields() {
    let folder = folder();
    let report = object(&folder, "subgoals --map a.map -o a.sub --json");
    let all = "map fingerprint cells moves trees nodes smallest largest bytes expansions build_ns";
    assert_eq!(fields(&report), sorted(all));
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
    let [one, two, again] = [("one", "1"), ("two", "2"), ("again", "2")].map(|(file, threads)| {
        let words = format!("subgoals --map a.map --all --moves 8 -o {file}.sub");
        let mut run = sim(&folder, &words);
        run.0.env("RAYON_NUM_THREADS", threads);
        run.text();
        fs::read(folder.path().join(format!("{file}.sub"))).unwrap()
    });
    assert!(one == two && two == again);
}

const FOLLOW: &str = "run --json --known --planner subgoal-lrta --map a.map";

#[test]
fn a_tree_from_a_file_gives_the_same_run_as_one_built_on_line() {
    let folder = folder();
    for moves in [4, 8] {
        sim(
            &folder,
            &format!("subgoals --map a.map --moves {moves} -o a.sub"),
        )
        .text();
        let run = format!("{FOLLOW} --trail --moves {moves}");
        let grown = object(&folder, &run);
        let read = object(&folder, &format!("{run} --tree a.sub"));
        assert_eq!(grown["outcome"], "arrived");
        assert_eq!(grown["trail"], read["trail"]);
        assert_eq!(read["max_expansions_per_tick"], 1);
        let best = format!("run --map a.map --known --json --moves {moves}");
        assert_eq!(
            read["cost"],
            object(&folder, &best)["cost"],
            "a shortest path"
        );
    }
}

#[test]
fn every_goal_of_a_file_is_reachable() {
    let folder = folder();
    sim(&folder, "subgoals --map a.map --all -o all.sub").text();
    let two = "--goal 9,8 --goal 3,4 --goal 9,8";
    let report = object(
        &folder,
        &format!("subgoals --map a.map -o two.sub --json {two}"),
    );
    assert_eq!(report["trees"], 2, "each goal once");
    for goal in ["9,8", "3,4"] {
        for file in ["all.sub", "two.sub"] {
            let run = object(&folder, &format!("{FOLLOW} --goal {goal} --tree {file}"));
            assert_eq!(run["outcome"], "arrived", "{goal} {file}");
        }
    }
}

#[test]
fn the_summary_counts_trees_and_bytes() {
    let out = sim(&folder(), "subgoals --map a.map --all -o a.sub").text();
    assert!(out.contains("trees for a.map, 4 moves"), "{out}");
    assert!(out.contains("bytes to a.sub"), "{out}");
}

#[test]
fn bad_input_is_one_line() {
    let folder = folder();
    for (words, what) in [
        ("--map gone.map", "No such file"),
        ("--map blocked.map", "marks no goal"),
        ("--map blocked.map --all", "no cell is free"),
        ("--map a.map --goal 1,1", "is blocked"),
        ("--map a.map --goal 77,1", "outside the map"),
        ("--map a.map --goal 1", "a cell is its column"),
        ("--map a.map --goal 0,0 --all", "cannot be used with"),
        ("--map a.map --moves 6", "4 or 8"),
    ] {
        let line = sim(&folder, &format!("subgoals -o x.sub {words}")).complaint();
        assert!(line.contains(what), "{words}: {line}");
    }
    let line = sim(&folder, "subgoals --map a.map -o no/such/x.sub").complaint();
    assert!(line.contains("cannot write no/such/x.sub"), "{line}");
    assert!(!folder.path().join("x.sub").exists());
}

#[test]
fn a_file_that_does_not_fit_is_refused() {
    let folder = folder();
    sim(&folder, "subgoals --map a.map -o a.sub").text();
    let good = fs::read(folder.path().join("a.sub")).unwrap();
    let mut damaged = good.clone();
    damaged[40] ^= 4;
    let mut newer = good.clone();
    newer[4] = 2;
    for (name, bytes) in [
        ("damaged.sub", &damaged[..]),
        ("newer.sub", &newer),
        ("short.sub", &good[..good.len() - 9]),
        ("empty.sub", &[]),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let follow = "run --known --planner subgoal-lrta --json";
    for (words, what) in [
        ("--map b.map --tree a.sub", "made for map"),
        ("--map a.map --moves 8 --tree a.sub", "made for map"),
        ("--map a.map --tree damaged.sub", "damaged"),
        ("--map a.map --tree newer.sub", "version 2"),
        ("--map a.map --tree short.sub", "bytes of subgoal trees"),
        ("--map a.map --tree empty.sub", "no subgoal trees"),
        ("--map a.map --tree gone.sub", "No such file"),
        (
            "--map a.map --goal 0,4 --tree a.sub",
            "no tree for the goal 0,4",
        ),
    ] {
        let line = sim(&folder, &format!("{follow} {words}")).complaint();
        assert!(line.contains(what), "{words}: {line}");
    }
    for (words, what) in [
        ("--known", "dstar-lite follows no subgoal trees"),
        ("--planner subgoal-lrta", "--known"),
    ] {
        let line = sim(&folder, &format!("run --map a.map --tree a.sub {words}")).complaint();
        assert!(line.contains(what), "{words}: {line}");
    }
}
