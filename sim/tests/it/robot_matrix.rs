//! Matrix of tolerances: each alone at its extremes, and draws of all together, on 12 mazes and 40 floors.
//!
//! A cell of the matrix is clean if all missions are done without a collision and without a wrong wall.

use std::path::PathBuf;

use rand::RngExt;
use rayon::prelude::*;
use sim::{
    physics::{
        floor::Floor,
        tolerances::{Draw, Tolerance},
    },
    run::{ModelRun, RunOutcome, RunReport},
    world::{
        file::{self, MapFile},
        rng,
    },
};
use tinystar::{boards::ZUMO2040, fault::Fault, mission::Mission};

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

/// Executes runs, given with the names of their cells, in parallel: of new robots, or of robots that calibrate
/// themselves first.
fn execute(runs: Vec<(String, ModelRun)>, calibrate: bool) -> Vec<Outcome> {
    runs.into_par_iter()
        .map(|(cell, mut run)| {
            run.calibration = ZUMO2040.calibration;
            if calibrate {
                run.calibrate()
                    .unwrap_or_else(|error| panic!("{cell}: {error}"));
            }
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

/// Asserts that all missions were done without a collision and without a wrong wall.
fn assert_clean(outcomes: &[Outcome]) {
    let failed = lines(outcomes, |outcome| !outcome.report.is_clean());
    assert!(
        failed.is_empty(),
        "{}:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

/// Runs with each tolerance alone at both ends of its range, the others as drawn for a new robot.
fn extremes() -> Vec<(String, ModelRun)> {
    let cells = Tolerance::ALL.iter().flat_map(|tolerance| {
        let (low, high) = tolerance.extremes;
        [(tolerance, low), (tolerance, high)]
    });
    cells
        .zip(0..)
        .map(|((tolerance, value), index)| {
            let mut run = world(index);
            tolerance.set(&mut run.config.tolerances, value);
            (format!("{}={value:.3}", tolerance.name), run)
        })
        .collect()
}

/// Draws of all tolerances together.
fn draws(draw: Draw, count: u64) -> Vec<(String, ModelRun)> {
    let draws = (0..count).map(|index| {
        let mut run = world(index);
        run.config.draw(draw, 9000 + index);
        (format!("draw {index}"), run)
    });
    draws.collect()
}

/// Tolerances whose extremes are outside of what a new robot can have, so that it must be calibrated.
const NEED_CALIBRATION: [&str; 2] = ["reflectance.", "light."];

/// Speed below which a contact does no harm, in millimetres per second.
const TOUCH: f64 = 60.0;

/// Asserts that the robots did their missions, or stopped for a reason that wrong ranges can have, and touched nothing
/// faster than [`TOUCH`].
fn assert_safe(outcomes: &[Outcome]) {
    // A robot off the centre touches a wall: the wheels slip, or a motion does not end.
    let right = [Fault::Proximity, Fault::Lost, Fault::Slip, Fault::Motion].map(Fault::code);
    println!("{}", lines(outcomes, |_| true).join("\n"));
    let failed = lines(outcomes, |outcome| {
        let report = &outcome.report;
        let is_over = match report.outcome {
            RunOutcome::Done => report.faults.is_empty(),
            RunOutcome::Fault => right.contains(&report.faults[0]),
            _ => false,
        };
        !(is_over && report.motors_off && report.contact_mm_s < TOUCH)
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn a_new_robot_is_clean_at_the_extremes_or_stops_before_it_does_harm() {
    let outcomes = execute(extremes(), false);
    assert_eq!(outcomes.len(), 2 * Tolerance::ALL.len());
    let (beyond, within): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(|outcome| {
        let mut names = NEED_CALIBRATION.iter();
        names.any(|name| outcome.cell.starts_with(name))
    });
    assert_eq!(beyond.len(), 10);
    assert_clean(&within);
    assert_safe(&beyond);
}

#[test]
fn new_robots_whose_receivers_see_half_to_twice_as_far_stop_before_they_do_harm() {
    let runs = (0..60).map(|index| {
        let mut run = world(index);
        let mut rng = rng::derived(index, 4);
        let tolerances = &mut run.config.tolerances;
        let factors = tolerances.reflectance.iter_mut();
        for factor in factors.chain(&mut tolerances.light) {
            // Some are as they should be.
            if rng.random_bool(0.4) {
                *factor = 2_f64.powf(rng.random_range(-1.0..=1.0));
            }
        }
        let name = format!("{:.2?} {:.2?}", tolerances.reflectance, tolerances.light);
        (name, run)
    });
    let outcomes = execute(runs.collect(), false);
    assert_safe(&outcomes);
    // They stop because of what they sense, not of what they touch.
    let proximity = Fault::Proximity.code();
    let sensed = lines(&outcomes, |outcome| outcome.report.faults == [proximity]).len();
    let stopped = lines(&outcomes, |outcome| !outcome.report.faults.is_empty()).len();
    assert!(sensed * 3 >= stopped * 2, "{sensed} of {stopped}");
}

#[test]
fn a_hundred_new_robots_without_calibration_are_clean() {
    assert_clean(&execute(draws(Draw::Nominal, 100), false));
}

#[test]
fn each_tolerance_alone_at_its_extremes_is_clean_after_calibration() {
    assert_clean(&execute(extremes(), true));
}

#[test]
fn two_hundred_robots_of_the_wide_ranges_are_clean_after_calibration() {
    assert_clean(&execute(draws(Draw::Wide, 200), true));
}

/// Mazes of the smallest cells into which the robot fits, and taped grids.
#[test]
fn calibrated_robots_drive_in_cells_of_other_sizes() {
    let cells = [168, 200, 250].into_iter().flat_map(|mm| {
        (0..10).map(move |index| {
            let mut run = world(index);
            run.config.floor = run.config.floor.with_cells_of(mm);
            (format!("{mm} mm, {index}"), run)
        })
    });
    assert_clean(&execute(cells.collect(), true));
}
