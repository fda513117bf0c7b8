//! Table 1 of Likhachev & Koenig (2006), "Incremental Heuristic Search in Games: The Quest for
//! Speed": D* Lite on a binary heap and on buckets, in mazes of 201x201 cells.
//!
//! Runs go on in parallel, but within a run the contenders follow one another on the same thread
//! and the same maze, each first in a third of the runs, and the ratio of runtimes is that of their
//! sums: what slows the machine down for a while slows all of them.

use std::fmt::Display;

use planner_core::Cell;
use rand::seq::SliceRandom;

use super::{
    report::Report,
    row::{EXPANSIONS, EXPANSIONS_RATIO, Metric, Paper, RUNTIME, RUNTIME_RATIO, Row},
    sweep::Sweep,
};
use crate::{
    catalog::Name,
    lab::{
        bench::clock,
        problem::{Measured, Problem},
        stats::{Summary, ratio, summary},
    },
    world::{Grid, corridors, rng},
};

/// Mazes in the paper.
pub const RUNS: u32 = 5_000;

const NAME: &str = "buckets";
const SIDE: u16 = 201;
const OPENINGS: u32 = 750;

struct Contender {
    name: Name,
    expansions: Paper,
    runtime_us: Paper,
}

/// "D* Lite (Larger G-Values)".
const HEAP: Contender = Contender {
    name: Name::DstarLiteHeapLargerG,
    expansions: Paper::new(11_416.4, 229.1),
    runtime_us: Paper::new(10_439.7, 210.9),
};

/// "D* Lite (Buckets)". The paper does not say in which order a bucket is emptied.
const BUCKETS: Contender = Contender {
    name: Name::DstarLite,
    expansions: Paper::new(11_632.5, 232.7),
    runtime_us: Paper::new(4_448.8, 89.2),
};

const BUCKETS_LIFO: Contender = Contender {
    name: Name::DstarLiteLifo,
    ..BUCKETS
};

const CONTENDERS: [Contender; 3] = [HEAP, BUCKETS, BUCKETS_LIFO];

/// Metrics compared with the heap: the metric, its value in a run and in the paper.
type Ratio = (Metric, fn(&Measured) -> f64, fn(&Contender) -> Paper);

const RATIOS: [Ratio; 2] = [
    (EXPANSIONS_RATIO, |m| m.expansions, |c| c.expansions),
    (RUNTIME_RATIO, |m| m.runtime_us, |c| c.runtime_us),
];

/// A frame of a game at 60 Hz, in microseconds.
const FRAME_US: f64 = 1_000_000.0 / 60.0;

/// Planning time per move, observations included.
const MOVE_TIME: Metric = Metric::time("move_us", "planning time per move (microseconds)", 3);

/// Characters that can each plan a move within a frame, if planning had all of it.
const CHARACTERS: Metric = Metric::time(
    "characters_per_frame",
    "characters per frame at 60 Hz, a move each",
    0,
);

/// Fewer openings, to see how much the expansions depend on them.
const FEWER_OPENINGS: u32 = 700;

type Maze = fn(&mut rng::Rng) -> anyhow::Result<Grid>;

/// Other kinds of mazes, each with its suffix of the row's name.
const OTHER_MAZES: [(&str, Maze); 2] = [
    ("walls only", without_walls),
    ("700 openings", |rng| {
        Ok(corridors::corridors(SIDE, SIDE, FEWER_OPENINGS, rng)?)
    }),
];

/// The results of a run.
struct Run {
    /// In the paper's maze, in the order of the contenders.
    contenders: [Measured; 3],
    /// By the heap in the other mazes.
    others: [Measured; 2],
}

/// Runs the experiment.
pub fn measure(sweep: Sweep) -> anyhow::Result<Report> {
    let runs = sweep.each(NAME, run)?;
    let means = |value: fn(&Measured) -> f64| {
        [0, 1, 2].map(|i| summary(runs.iter().map(|run| value(&run.contenders[i]))))
    };
    let expansions = means(|measured| measured.expansions);
    let runtimes = means(|measured| measured.runtime_us);
    let others = [0, 1].map(|i| summary(runs.iter().map(|run| run.others[i].expansions)));

    let mut rows = Vec::new();
    let mut push = |row: &dyn Display, metric, measured, paper| {
        rows.push(Row::new(NAME, row, metric, measured, paper));
    };
    for (contender, measured) in CONTENDERS.iter().zip(expansions) {
        let paper = Some(contender.expansions);
        push(&contender.name, EXPANSIONS, measured, paper);
    }
    for ((maze, _), measured) in OTHER_MAZES.into_iter().zip(others) {
        let row = format!("{}, {maze}", HEAP.name);
        push(&row, EXPANSIONS, measured, Some(HEAP.expansions));
    }
    for (contender, measured) in CONTENDERS.iter().zip(runtimes) {
        let paper = Some(contender.runtime_us);
        push(&contender.name, RUNTIME, measured, paper);
    }
    let to_heap = |i: usize, value: fn(&Measured) -> f64| {
        let pair = |run: &Run| (value(&run.contenders[i]), value(&run.contenders[0]));
        ratio(&runs.iter().map(pair).collect::<Vec<_>>())
    };
    for (metric, value, paper) in RATIOS {
        for (i, contender) in CONTENDERS.iter().enumerate().skip(1) {
            let paper = Paper::mean(paper(contender).mean / paper(&HEAP).mean);
            push(&contender.name, metric, to_heap(i, value), Some(paper));
        }
    }

    for (i, contender) in CONTENDERS.iter().enumerate() {
        let pairs: Vec<_> = runs
            .iter()
            .map(|run| &run.contenders[i])
            .map(|measured| (measured.runtime_us, measured.moves))
            .collect();
        let frame = pairs
            .iter()
            .map(|&(runtime_us, moves)| (FRAME_US * moves, runtime_us));
        let frame: Vec<_> = frame.collect();
        push(&contender.name, MOVE_TIME, ratio(&pairs), None);
        push(&contender.name, CHARACTERS, ratio(&frame), None);
    }

    let requeues = means(|measured| measured.requeues);
    let moves = means(|measured| measured.moves);
    Ok(Report {
        experiment: NAME,
        title: format!(
            "Likhachev & Koenig 2006, Table 1: {} mazes of {SIDE}x{SIDE}, seed {}",
            sweep.runs, sweep.seed
        ),
        rows,
        charts: Vec::new(),
        findings: vec![
            on_walls(expansions[0], others[0]),
            on_openings(expansions, others[1]),
            on_order(expansions),
            on_requeues(expansions[0], requeues[0]),
            on_runtime(expansions, requeues, runtimes, moves),
            on_frames(runtimes, moves),
        ],
    })
}

fn run(index: u32, mut rng: rng::Rng) -> anyhow::Result<Run> {
    let problem = Problem::in_maze((SIDE, SIDE), OPENINGS, &mut rng)?;
    let contenders = problem.solve_in_turn(CONTENDERS.map(|contender| contender.name), index)?;
    let mut other = |maze: Maze| Problem::random(maze(&mut rng)?, &mut rng)?.solve(HEAP.name);
    let others = [other(OTHER_MAZES[0].1)?, other(OTHER_MAZES[1].1)?];
    Ok(Run { contenders, others })
}

/// The other reading of "remove 750 walls": pillars, at odd columns and odd rows, all stay.
fn without_walls(rng: &mut rng::Rng) -> anyhow::Result<Grid> {
    let mut grid = corridors::corridors(SIDE, SIDE, 0, rng)?;
    let is_wall = |cell: &Cell| !grid.is_free(*cell) && cell.x % 2 != cell.y % 2;
    let mut walls: Vec<Cell> = grid.cells().filter(is_wall).collect();
    let (removed, _) = walls.partial_shuffle(rng, OPENINGS as usize);
    for &cell in removed.iter() {
        grid.set_blocked(cell, false);
    }
    Ok(grid)
}

/// Deviation of a mean from the paper's, in per cent.
fn off(measured: f64, paper: f64) -> f64 {
    100.0 * (measured - paper).abs() / paper
}

fn nearer<'a>(a: (f64, &'a str), b: (f64, &'a str)) -> &'a str {
    if a.0 <= b.0 { a.1 } else { b.1 }
}

fn on_walls(cells: Summary, walls_only: Summary) -> String {
    let [cells, walls_only] = [cells, walls_only].map(|s| off(s.mean, HEAP.expansions.mean));
    format!(
        "\"Remove {OPENINGS} walls\" is read as: make {OPENINGS} blocked cells free, pillars included. \
         So read, the heap's expansions are {cells:.1} % off the paper's; with only walls between two \
         rooms removed, {walls_only:.1} %. The paper's mazes are nearer to those with {}.",
        nearer(
            (cells, "any blocked cell opened"),
            (walls_only, "only such walls opened")
        ),
    )
}

fn on_openings([heap, fifo, _]: [Summary; 3], fewer: Summary) -> String {
    let [heap, fifo, fewer] = [(heap, HEAP), (fifo, BUCKETS), (fewer, HEAP)]
        .map(|(measured, contender)| measured.mean / contender.expansions.mean);
    let cause = if (heap - fifo).abs() < (heap - 1.0).abs() {
        "they are off by much the same, which points to the mazes"
    } else {
        "they are off by different amounts, which points to the planners"
    };
    format!(
        "The heap expands {heap:.3} times what the paper's does, buckets {fifo:.3} times: {cause}. \
         With {FEWER_OPENINGS} instead of {OPENINGS} cells opened it would be {fewer:.3} times on \
         the heap."
    )
}

/// Judged by the ratio to the heap, which hardly depends on the mazes.
fn on_order([heap, fifo, lifo]: [Summary; 3]) -> String {
    let paper = BUCKETS.expansions.mean / HEAP.expansions.mean;
    let [lifo, fifo] = [lifo, fifo].map(|s| s.mean / heap.mean);
    format!(
        "The paper does not say in which order a bucket is emptied. Its buckets expand {paper:.3} \
         times what its heap does; here {lifo:.3} times, last in, first out, and {fifo:.3} times, \
         first in, first out: {} is nearer.",
        nearer(
            (off(lifo, paper), "last in, first out"),
            (off(fifo, paper), "first in, first out")
        ),
    )
}

fn on_requeues(expansions: Summary, requeues: Summary) -> String {
    let paper = HEAP.expansions.mean;
    format!(
        "Entries moved to their true place in the queue are not counted as expansions: {:.1} a run \
         on the heap. Counted, it would be {:.1} % off the paper instead of {:.1} %.",
        requeues.mean,
        off(expansions.mean + requeues.mean, paper),
        off(expansions.mean, paper),
    )
}

fn on_runtime(
    expansions: [Summary; 3],
    requeues: [Summary; 3],
    runtimes: [Summary; 3],
    moves: [Summary; 3],
) -> String {
    let per_unit = |i: usize| {
        let units = expansions[i].mean + requeues[i].mean;
        1_000.0 * runtimes[i].mean / units
    };
    format!(
        "The paper's runtimes are of a Pentium IV at 2 GHz, so compare the ratio. Here an expansion \
         or re-queue takes {:.1} ns on the heap and {:.1} ns on buckets, which holds {:.0} ns for \
         reading the clock at each of {:.0} moves.",
        per_unit(0),
        per_unit(1),
        clock::reading_ns(),
        moves[1].mean,
    )
}

/// The paper's headline: buckets let a game plan for twice as many characters.
fn on_frames([heap, buckets, _]: [Summary; 3], moves: [Summary; 3]) -> String {
    let characters = |runtime: Summary, moves: Summary| FRAME_US * moves.mean / runtime.mean;
    let (on_heap, on_buckets) = (characters(heap, moves[0]), characters(buckets, moves[1]));
    let paper = HEAP.runtime_us.mean / BUCKETS.runtime_us.mean;
    format!(
        "A frame of {:.1} ms at 60 Hz has time for a move of {on_heap:.0} characters on the heap and of {on_buckets:.0} on \
         buckets, if planning has all of it: {:.2} times as many. The paper concludes twice as many; its runtimes make \
         it {paper:.2}.",
        FRAME_US / 1_000.0,
        on_buckets / on_heap,
    )
}
