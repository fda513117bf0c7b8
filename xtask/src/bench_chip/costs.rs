//! `cargo xtask bench-chip --costs`: cycles of each kind of work, as a table for `sim experiment --by cycles`.

use std::fs;

use anyhow::{Context, Result};
use bench_chip::{Job, Situation, world::Kind};
use planner_core::{Budget, Work};
use serde::Serialize;

use crate::{cargo::root, chip};

/// The table, part of the simulator.
const TABLE: &str = "sim/src/lab/experiment/real_time/costs.json";
const SIDE: u16 = 101;
/// Expansions in a tick: small enough for ticks with a few kinds of work.
const LIMITS: [u32; 3] = [2, 8, 64];

/// The searches that are measured, with the images in which they do all the work.
const SEARCHES: [(&str, &str); 4] = [
    ("dstar-lite", "bench-rtd-noop"),
    ("tba", "bench-tba"),
    ("lss-lrta", "bench-lss-lrta"),
    ("lrta", "bench-lrta"),
];

/// A kind of work, by name and count.
type Count = (&'static str, fn(&Work) -> u32);

/// The kinds of work.
const KINDS: [Count; 5] = [
    ("expansion", |work| work.expansions),
    ("requeue", |work| work.requeues),
    ("trace_step", |work| work.trace_steps),
    ("visit", |work| work.visits),
    ("change", |work| work.changes),
];

/// Mean cycles of the work of a search; none where it does no such work, or hardly any.
#[derive(Debug, Serialize, PartialEq)]
struct Costs {
    search: &'static str,
    /// One expansion of the budget, by the mixture of work in these runs.
    unit: f64,
    /// A tick without work, observations included.
    idle: f64,
    expansion: Option<f64>,
    requeue: Option<f64>,
    trace_step: Option<f64>,
    visit: Option<f64>,
    change: Option<f64>,
}

/// Measures the costs in worlds of all kinds and writes the table.
pub fn write(seeds: u32, json: bool) -> Result<()> {
    let mut table = Vec::new();
    for (search, image) in SEARCHES {
        let mut ticks = Vec::new();
        for (world, limit) in Kind::ALL.into_iter().flat_map(|w| LIMITS.map(|l| (w, l))) {
            for seed in 1..=seeds {
                let job = Job {
                    limit,
                    side: SIDE,
                    world,
                    seed,
                    situation: Situation::Usual,
                };
                let run = chip::run(image, job, chip::Watch::Laps)?;
                ticks.extend(run.laps.into_iter().zip(run.work));
            }
        }
        let costs = costs(search, &ticks);
        if json {
            println!("{}", serde_json::to_string(&costs)?);
        } else {
            println!("{costs:?}");
        }
        table.push(costs);
    }
    let text = serde_json::to_string_pretty(&table)? + "\n";
    fs::write(root().join(TABLE), text).with_context(|| format!("cannot write {TABLE}"))
}

/// Costs from the cycles and the work of each tick: those with the least squared error.
fn costs(search: &'static str, ticks: &[(u64, Work)]) -> Costs {
    // Work that is in less than one tick of a hundred is too rare for a figure.
    let ticks_with = |kind: usize| ticks.iter().filter(move |tick| KINDS[kind].1(&tick.1) > 0);
    let seen: Vec<usize> = (0..KINDS.len())
        .filter(|&kind| 100 * ticks_with(kind).count() > ticks.len())
        .collect();
    // Normal equations: a row for each kind of work that was seen and one for the idle tick, the sums of cycles last.
    let unknowns = seen.len() + 1;
    let mut rows = vec![vec![0.0; unknowns + 1]; unknowns];
    let (mut cycles, mut spent) = (0.0, 0.0);
    for (lap, work) in ticks {
        let counts = seen.iter().map(|&kind| f64::from(KINDS[kind].1(work)));
        let values: Vec<f64> = counts.chain([1.0, *lap as f64]).collect();
        for (row, factor) in rows.iter_mut().zip(&values) {
            for (sum, value) in row.iter_mut().zip(&values) {
                *sum += factor * value;
            }
        }
        cycles += *lap as f64;
        spent += charged(work);
    }
    let solution = solve(rows);
    let idle = solution.last().copied().unwrap_or(0.0);
    let of = |kind| {
        let place = seen.iter().position(|&other| other == kind)?;
        Some(solution[place].round())
    };
    Costs {
        search,
        unit: ((cycles - idle * ticks.len() as f64) / spent.max(1.0)).round(),
        idle: idle.round(),
        expansion: of(0),
        requeue: of(1),
        trace_step: of(2),
        visit: of(3),
        change: of(4),
    }
}

/// Work at its price, in expansions.
fn charged(work: &Work) -> f64 {
    const PARTS: u32 = 64;
    let parts = |work: Work| f64::from(u32::MAX - Budget::UNLIMITED.after(work).expansions);
    // Prices are fractions of an expansion, and sums are rounded up: charge a multiple.
    let times = |count: u32| count.saturating_mul(PARTS);
    parts(Work {
        expansions: times(work.expansions),
        requeues: times(work.requeues),
        changes: times(work.changes),
        visits: times(work.visits),
        trace_steps: times(work.trace_steps),
        ..Work::ZERO
    }) / f64::from(PARTS)
}

/// Solves linear equations, the right side last in each row, by elimination with the largest pivot.
fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for column in 0..n {
        let size = |row: &usize| rows[*row][column].abs();
        let pivot = (column..n).max_by(|a, b| size(a).total_cmp(&size(b)));
        rows.swap(column, pivot.unwrap_or(column));
        let pivot = rows[column].clone();
        for row in (0..n).filter(|&row| row != column) {
            let factor = rows[row][column] / pivot[column];
            for (value, subtrahend) in rows[row].iter_mut().zip(&pivot) {
                *value -= factor * subtrahend;
            }
        }
    }
    (0..n).map(|row| rows[row][n] / rows[row][row]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_those_that_explain_the_cycles_of_all_ticks() {
        let work = |expansions, requeues, trace_steps| Work {
            expansions,
            requeues,
            trace_steps,
            ..Work::ZERO
        };
        let ticks = [
            (100, work(0, 0, 0)),
            (100 + 2 * 500, work(2, 0, 0)),
            (100 + 500 + 3 * 70, work(1, 3, 0)),
            (100 + 500 + 70 + 4 * 11, work(1, 1, 4)),
            (100 + 3 * 500 + 8 * 11, work(3, 0, 8)),
        ];
        let costs = costs("test", &ticks);
        assert_eq!(costs.idle, 100.0);
        let found = [costs.expansion, costs.requeue, costs.trace_step];
        assert_eq!(found, [Some(500.0), Some(70.0), Some(11.0)]);
        assert_eq!((costs.visit, costs.change), (None, None));
        let units = 2.0 + 1.75 + 1.5 + 3.5;
        let cycles = f64::from(1000 + 710 + 614 + 1588);
        assert_eq!(costs.unit, (cycles / units).round());
    }
}
