//! Matrix of tolerances: each alone at its extremes, and draws of all together, on 12 mazes and 40 floors.
//!
//! A cell of the matrix is clean if all missions are done without a collision and without a wrong wall. What the
//! firmware does not reach yet is named by each test, with the figure it has today.

use std::path::PathBuf;

use rayon::prelude::*;
use sim::{
    physics::{
        floor::Floor,
        tolerances::{Draw, Tolerance},
    },
    run::{ModelRun, RunReport},
    world::file::{self, MapFile},
};
use tinystar::mission::Mission;

use crate::{
    robot_proof::{boxes, labyrinth},
    support::maps,
};

/// One of 12 mazes: those of the repository that take less than 20 minutes, then generated ones.
fn maze(index: u64) -> ModelRun {
    let own: Vec<_> = file::list(&maps::own(), &["txt"]).unwrap();
    let own: Vec<_> = own
        .into_iter()
        .filter(|path| file::name(path).starts_with("maze-"))
        .collect();
    let index = index % 12;
    let is_quick = |path: &&PathBuf| file::name(path) != "maze-large.txt";
    let Some(path) = own.get(index as usize).filter(is_quick) else {
        return labyrinth(2000 + index);
    };
    let MapFile::Walls(maze) = file::load(path).unwrap() else {
        panic!("{} is a maze", path.display());
    };
    let goals = maze.goals.iter().copied().collect();
    let mut run = ModelRun::new(Floor::new(maze.clone()), maze.start, index);
    run.config.missions = vec![Mission::Explore(goals)];
    run
}

/// One of 40 floors with boxes.
fn floor(index: u64) -> ModelRun {
    boxes(3000 + index % 40)
}

/// World of a cell of the matrix: a maze for every fifth, else a floor.
fn world(index: u64) -> ModelRun {
    match index % 5 {
        0 => maze(index / 5),
        _ => floor(index),
    }
}

/// Result of one cell.
struct Outcome {
    cell: String,
    report: RunReport,
}

impl Outcome {
    fn line(&self) -> String {
        let report = serde_json::to_string(&self.report).unwrap();
        format!("{}: {report}", self.cell)
    }
}

/// Executes runs, given with the names of their cells, in parallel.
fn execute(runs: Vec<(String, ModelRun)>) -> Vec<Outcome> {
    runs.into_par_iter()
        .map(|(cell, mut run)| {
            run.config.time_limit = embassy_time::Duration::from_secs(1200);
            let report = run.run().unwrap();
            Outcome { cell, report }
        })
        .collect()
}

/// Lines of the outcomes that fulfil a condition.
fn lines(outcomes: &[Outcome], is: impl Fn(&Outcome) -> bool) -> Vec<String> {
    let outcomes = outcomes.iter().filter(|outcome| is(outcome));
    outcomes.map(Outcome::line).collect()
}

/// Cells in which an uncalibrated robot fails, with what it does. Range factors this far off need a calibration.
const GAPS: &[(&str, &str)] = &[
    (
        "stiction=0.150",
        "stops with fault 11: the wheels do not reach the end of a motion",
    ),
    (
        "reflectance.left=",
        "at 2: touches a wall at 200 mm/s, then fault 5",
    ),
    (
        "reflectance.front=",
        "at 0.5: touches a wall at 244 mm/s; at 2: phantom walls, then fault 5",
    ),
    ("reflectance.right=", "as reflectance.left"),
    (
        "light.left=",
        "at 0.5: touches a wall at 267 mm/s; at 2: phantom walls, then fault 5",
    ),
    (
        "light.right=",
        "at 0.5: touches a wall at 263 mm/s; at 2: finds no path",
    ),
];

/// Each tolerance alone at both ends of its range, the others as drawn for a new robot, without calibration.
///
/// Not reached yet: the cells of [`GAPS`], 8 of 66 on the worlds of this test, 4 of them with a contact at speed.
#[test]
fn each_tolerance_alone_at_its_extremes_is_clean_but_for_known_gaps() {
    let mut runs = Vec::new();
    for (row, tolerance) in Tolerance::ALL.iter().enumerate() {
        let (low, high) = tolerance.extremes;
        for (column, value) in [low, high].into_iter().enumerate() {
            let mut run = world(2 * row as u64 + column as u64);
            tolerance.set(&mut run.config.tolerances, value);
            runs.push((format!("{}={value:.3}", tolerance.name), run));
        }
    }
    let outcomes = execute(runs);
    let is_gap = |outcome: &Outcome| GAPS.iter().any(|(cell, _)| outcome.cell.starts_with(cell));
    let gaps = outcomes.iter().filter(|outcome| is_gap(outcome)).count();
    assert_eq!((outcomes.len(), gaps), (2 * Tolerance::ALL.len(), 11));
    let failed = lines(&outcomes, |outcome| {
        !is_gap(outcome) && !outcome.report.is_clean()
    });
    assert!(
        failed.is_empty(),
        "{}:\n{}",
        failed.len(),
        failed.join("\n")
    );
    // Whatever happens, the robot has stopped.
    let moving = lines(&outcomes, |outcome| !outcome.report.motors_off);
    assert!(moving.is_empty(), "{}", moving.join("\n"));
}

/// Draws of all tolerances together.
fn draws(draw: Draw, count: u64) -> Vec<Outcome> {
    let runs = (0..count).map(|index| {
        let mut run = world(index);
        run.config.draw(draw, 9000 + index);
        (format!("draw {index}"), run)
    });
    execute(runs.collect())
}

#[test]
fn two_hundred_new_robots_without_calibration_are_clean() {
    let outcomes = draws(Draw::Nominal, 200);
    let failed = lines(&outcomes, |outcome| !outcome.report.is_clean());
    assert!(
        failed.is_empty(),
        "{}:\n{}",
        failed.len(),
        failed.join("\n")
    );
}
