//! The experiments of "Fast Trajectory Replanning for Computer Games": Repeated Forward and
//! Backward A*, Adaptive A* and D* Lite in the same 50 mazes of 101x101 cells.
//!
//! The handout sets these comparisons as a task and gives no table. Its one figure is that of an
//! example of 5x5 cells: in the first two searches Repeated Forward A* expands 23 cells, Adaptive
//! A* 20.

use anyhow::Context;

use super::{
    claim,
    report::Report,
    row::{EXPANSIONS, MOVES, Metric, Paper, RUNTIME, Row, SEARCHES},
    sweep::Sweep,
};
use crate::{
    catalog::{Name, build_planner},
    lab::{
        problem::{Measured, Problem},
        stats::{Summary, summary},
    },
    world::{World, text},
};

/// Mazes in the handout.
pub const RUNS: u32 = 50;

const NAME: &str = "replanning";
const SIDE: u16 = 101;
const OPENINGS: u32 = 100;

const CONTENDERS: [Name; 7] = [
    Name::ForwardAstar,
    Name::ForwardAstarSmallerG,
    Name::BackwardAstar,
    Name::AdaptiveAstar,
    Name::DstarLiteHeap,
    Name::DstarLiteHeapLargerG,
    Name::DstarLite,
];

type Run = [Measured; CONTENDERS.len()];

type Value = fn(&Measured) -> f64;

const METRICS: [(Metric, Value); 4] = [
    (EXPANSIONS, |measured| measured.expansions),
    (SEARCHES, |measured| measured.searches),
    (MOVES, |measured| measured.moves),
    (RUNTIME, |measured| measured.runtime_us),
];

/// Claims that the first contender needs fewer expansions than the second.
const CLAIMS: [(&str, Name, Name); 4] = [
    (
        "With ties broken towards larger g, as the handout does, Forward A* expands fewer cells than \
         with smaller g first",
        Name::ForwardAstar,
        Name::ForwardAstarSmallerG,
    ),
    (
        "Forward A* expands fewer cells than Backward A*, which the handout leaves open",
        Name::ForwardAstar,
        Name::BackwardAstar,
    ),
    (
        "Adaptive A* \"will often expand fewer states\" than Forward A*",
        Name::AdaptiveAstar,
        Name::ForwardAstar,
    ),
    (
        "D* Lite with larger g first \"tends to expand fewer cells\" than with smaller g \
         (Likhachev & Koenig 2006)",
        Name::DstarLiteHeapLargerG,
        Name::DstarLiteHeap,
    ),
];

/// Rows A to E, columns 1 to 5: the agent in E3, the target in E5.
const EXAMPLE: &str = "\
.....
..#..
..#..
..#..
..A#T
";

const EXAMPLE_SEARCHES: u32 = 2;

const EXAMPLE_EXPANSIONS: Metric = Metric {
    name: "example_expansions",
    title: "expansions, 5x5 example",
    decimals: 0,
    ..EXPANSIONS
};

/// Figures 5 and 7.
const EXAMPLE_FIGURES: [(Name, f64); 2] = [(Name::ForwardAstar, 23.0), (Name::AdaptiveAstar, 20.0)];

/// Runs the experiment.
pub fn measure(sweep: Sweep) -> anyhow::Result<Report> {
    let runs = sweep.each(NAME, |index, mut rng| {
        Problem::in_maze((SIDE, SIDE), OPENINGS, &mut rng)?.solve_in_turn(CONTENDERS, index)
    })?;
    let mut rows = Vec::new();
    for (metric, value) in METRICS {
        for (i, name) in CONTENDERS.into_iter().enumerate() {
            let measured = summary(runs.iter().map(|run| value(&run[i])));
            rows.push(Row::new(NAME, name, metric, measured, None));
        }
    }
    for (name, figure) in EXAMPLE_FIGURES {
        let measured = Summary::exact(example(name)?);
        let paper = Some(Paper::mean(figure));
        rows.push(Row::new(NAME, name, EXAMPLE_EXPANSIONS, measured, paper));
    }
    Ok(Report {
        experiment: NAME,
        title: format!(
            "Fast Trajectory Replanning: {} mazes of {SIDE}x{SIDE}, seed {}",
            sweep.runs, sweep.seed
        ),
        rows,
        charts: Vec::new(),
        findings: CLAIMS
            .into_iter()
            .map(|(claim, first, second)| claim::less(claim, &pairs(&runs, first, second)))
            .collect(),
    })
}

fn pairs(runs: &[Run], first: Name, second: Name) -> Vec<(f64, f64)> {
    let place = |name| CONTENDERS.iter().position(|&contender| contender == name);
    let (Some(first), Some(second)) = (place(first), place(second)) else {
        return Vec::new();
    };
    let expansions = |run: &Run| (run[first].expansions, run[second].expansions);
    runs.iter().map(expansions).collect()
}

/// Cells that a planner expands in the first searches of the handout's example.
fn example(name: Name) -> anyhow::Result<f64> {
    let drawn = text::parse(EXAMPLE)?;
    let problem = Problem {
        world: World::Cells(drawn.grid),
        start: drawn.start.context("the example has an agent")?,
        goal: drawn.goal.context("the example has a target")?,
    };
    let mut planner = build_planner(name, &problem.task())?;
    let mut expansions = 0;
    problem.walk_watched(&mut *planner, None, |planner, _| {
        if planner.stats().searches <= EXAMPLE_SEARCHES {
            expansions = planner.stats().total.expansions;
        }
    })?;
    Ok(expansions as f64)
}
