//! `sim experiment subgoals`: rows and findings that follow from the runs.

use std::{fs, path::PathBuf};

use serde_json::Value;
use sim::lab::experiment::subgoals;

use crate::{
    experiments::{find, subgoals},
    support::cli::{folder, sim},
};

#[test]
fn with_every_repair_all_arrive_on_shortest_paths() {
    let report = subgoals(3);
    let repaired = find(&report, "with every repair", "suboptimality_percent");
    assert!(repaired.mean.abs() < 1e-6, "{}", repaired.mean);
    assert_eq!(repaired.runs, 8, "two on each of four maps");
    for row in ["with every repair", "with rootwards"] {
        assert_eq!(find(&report, row, "not_arrived_percent").mean, 0.0);
    }
    let shortest = find(&report, "A*", "cost").mean;
    let costs = report.rows.iter().filter(|row| row.metric.name == "cost");
    assert!(
        costs
            .map(|row| row.mean)
            .all(|cost| cost >= shortest - 1e-6)
    );
    let lrta = find(&report, "LRTA*", "suboptimality_percent");
    assert!(lrta.mean > repaired.mean);
}

#[test]
fn the_papers_figures_are_shown_where_it_gives_them() {
    let report = subgoals(1);
    for (metric, row, paper) in [
        ("cost", "A*", 198.0),
        ("cost", "LRTA*", 39_232.0),
        ("cost", "LRTA*+sub as printed", 220.0),
        ("suboptimality_percent", "LRTA*+sub as printed", 11.0),
        ("first_move_us", "A*", 3_101.0),
        ("total_us", "LRTA*+sub as printed", 251.0),
        ("tree_subgoals", "as printed", 198.0),
        ("tree_subgoals", "as printed, largest", 255.0),
        ("build_s", "as printed", 73.5),
        ("cells", "mean of the maps", 17_789.0),
    ] {
        assert_eq!(
            find(&report, row, metric).paper,
            Some(paper),
            "{metric} {row}"
        );
    }
    assert!(find(&report, "with every repair", "cost").paper.is_none());
    let is_sample = |finding: &String| finding.contains("from a sample");
    assert!(report.findings.iter().any(is_sample));
}

#[test]
fn maps_are_files_and_folders() {
    let files = ["b.map", "a.map", "note.txt"];
    let folder = folder(&files.map(|name| (name, "....\n.##.\n....\n")));
    let names = |paths: &[PathBuf]| -> Vec<String> {
        let maps = subgoals::maps(paths, 0).unwrap();
        maps.into_iter().map(|map| map.name).collect()
    };
    assert_eq!(names(&[folder.path().to_owned()]), ["a", "b"]);
    assert_eq!(names(&[folder.path().join("b.map")]), ["b"]);

    let run = sim("experiment subgoals --json --maps a.map --runs 3 --out results");
    for line in run.within(&folder).exits(0).0.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["experiment"], "subgoals");
        assert!(row["mean"].is_number(), "{line}");
    }
    assert!(folder.path().join("results/subgoals.csv").exists());
    assert!(folder.path().join("results/subgoals.svg").exists());
}

#[test]
fn bad_maps_are_one_line() {
    let folder = folder(&[("walls.map", "##\n##\n")]);
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (map, what) in [
        ("gone.map", "No such file"),
        ("empty", "no .map in this folder"),
        ("walls.map", "no two free cells"),
    ] {
        let run = sim(&format!("experiment subgoals --maps {map}"));
        let line = run.within(&folder).complaint();
        assert!(line.contains(what), "{line}");
    }
}
