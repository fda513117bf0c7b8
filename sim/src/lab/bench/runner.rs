//! The contenders on the same maps, in turn, one at a time.

use std::fmt;

use anyhow::{Context, ensure};
use planner_core::Cell;
use serde::Serialize;

use super::contender::Contender;
use crate::{
    error::OrBadInput,
    lab::{problem::Problem, progress, stats::summary},
    world::{Maze, rng},
};

/// A contender, with its limit of expansions per tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub contender: Contender,
    pub limit: Option<u32>,
}

impl From<Contender> for Entry {
    fn from(contender: Contender) -> Self {
        Self {
            contender,
            limit: None,
        }
    }
}

/// A benchmark.
#[derive(Clone, Debug)]
pub struct Bench {
    pub entries: Vec<Entry>,
    pub maps: u32,
    /// Width and height of a map.
    pub size: (u16, u16),
    /// Blocked cells made free in a map.
    pub openings: u32,
    pub seed: u64,
    /// Repetitions of each run.
    pub repeat: u32,
    /// Time to read the clock, which is subtracted from every step.
    pub clock_ns: u64,
}

impl fmt::Display for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, height) = self.size;
        write!(
            f,
            "{} mazes of {width}x{height} with {} openings, seed {}",
            self.maps, self.openings, self.seed
        )
    }
}

/// The result of a contender; means over the maps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchResult {
    /// The kind of maps.
    pub bench: String,
    pub planner: Contender,
    /// The most expansions in a tick.
    pub limit: Option<u32>,
    pub maps: u32,
    /// Time for all steps to the goal, each at its fastest.
    pub run_ns: f64,
    /// Time for the slowest of these steps.
    pub worst_step_ns: f64,
    pub expansions: f64,
    pub moves: f64,
    /// `run_ns` over that of the first contender.
    pub ratio_to_first: f64,
    /// Ticks to the goal, with those in which the robot stood.
    pub ticks: f64,
    /// The time that half of all ticks on all maps stay below.
    pub median_tick_ns: u64,
    /// The time that all but a thousandth of all ticks stay below.
    pub tick_999_ns: u64,
    /// The slowest tick on any map.
    pub worst_of_all_ns: u64,
}

/// A contender's walk on one map.
struct BenchRun {
    trail: Vec<Cell>,
    /// The least time that each step took.
    step_ns: Vec<u64>,
    expansions: u64,
}

impl Bench {
    /// Runs it.
    pub fn run(&self) -> anyhow::Result<Vec<BenchResult>> {
        let bar = progress::bar("bench", self.maps.into());
        let maps = (0..self.maps).map(|map| {
            let mut rng = rng::derived(self.seed, map.into());
            let problem = Problem::in_maze(self.size, self.openings, &mut rng).or_bad_input()?;
            bar.inc(1);
            self.run_on(&problem)
        });
        let maps = maps.collect::<anyhow::Result<Vec<_>>>()?;
        bar.finish_and_clear();
        let (width, height) = self.size;
        let bench = format!("maze-{width}x{height}-open-{}", self.openings);
        Ok(self.results(&bench, &maps))
    }

    /// Runs it in mazes with walls between their cells instead, from the start to a goal.
    pub fn run_in_mazes(&self, mazes: &[Maze]) -> anyhow::Result<Vec<BenchResult>> {
        let problems = mazes.iter().cloned().map(Problem::of);
        let runs = problems.map(|problem| self.run_on(&problem));
        Ok(self.results("mice", &runs.collect::<anyhow::Result<Vec<_>>>()?))
    }

    /// Every contender once, then every contender again, as often as asked.
    fn run_on(&self, problem: &Problem) -> anyhow::Result<Vec<BenchRun>> {
        let mut best: Vec<Option<BenchRun>> = self.entries.iter().map(|_| None).collect();
        for _ in 0..self.repeat {
            for (&entry, best) in self.entries.iter().zip(&mut best) {
                let run = BenchRun::new(entry, problem)?;
                match best {
                    None => *best = Some(run),
                    Some(best) => best.improve(entry.contender, &run)?,
                }
            }
        }
        let mut runs: Vec<BenchRun> = best.into_iter().flatten().collect();
        for step in runs.iter_mut().flat_map(|run| &mut run.step_ns) {
            *step = step.saturating_sub(self.clock_ns);
        }
        Ok(runs)
    }

    fn results(&self, bench: &str, maps: &[Vec<BenchRun>]) -> Vec<BenchResult> {
        let mut first = None;
        let result = |(place, entry): (usize, &Entry)| {
            let runs: Vec<&BenchRun> = maps.iter().map(|runs| &runs[place]).collect();
            let mean =
                |value: fn(&BenchRun) -> u64| summary(runs.iter().map(|l| value(l) as f64)).mean;
            let run_ns = mean(BenchRun::run_ns);
            let mut ticks: Vec<u64> = runs.iter().flat_map(|run| run.step_ns.clone()).collect();
            ticks.sort_unstable();
            // The tick that so many thousandths of all are not slower than.
            let rank = |thousandths: usize| {
                let place = (ticks.len() * thousandths).div_ceil(1000);
                ticks.get(place.saturating_sub(1)).copied().unwrap_or(0)
            };
            BenchResult {
                bench: bench.to_owned(),
                planner: entry.contender,
                limit: entry.limit,
                maps: runs.len() as u32,
                run_ns,
                worst_step_ns: mean(BenchRun::worst_step_ns),
                expansions: mean(|run| run.expansions),
                moves: mean(|run| run.trail.len() as u64 - 1),
                ratio_to_first: run_ns / *first.get_or_insert(run_ns),
                ticks: mean(|run| run.step_ns.len() as u64),
                median_tick_ns: rank(500),
                tick_999_ns: rank(999),
                worst_of_all_ns: runs
                    .iter()
                    .map(|run| run.worst_step_ns())
                    .max()
                    .unwrap_or(0),
            }
        };
        self.entries.iter().enumerate().map(result).collect()
    }
}

impl BenchRun {
    fn new(Entry { contender, limit }: Entry, problem: &Problem) -> anyhow::Result<Self> {
        let mut planner = contender.build(problem, limit)?;
        let walk = problem.walk(&mut *planner, limit);
        let walk = walk.with_context(|| contender.to_string())?;
        Ok(Self {
            trail: walk.trail,
            step_ns: walk.tick_ns,
            expansions: planner.stats().total.expansions,
        })
    }

    fn run_ns(&self) -> u64 {
        self.step_ns.iter().sum()
    }

    fn worst_step_ns(&self) -> u64 {
        self.step_ns.iter().copied().max().unwrap_or(0)
    }

    /// Keeps the faster of each step. Both runs did the same work, or there would be no sense in
    /// it.
    fn improve(&mut self, contender: Contender, again: &Self) -> anyhow::Result<()> {
        ensure!(
            self.trail == again.trail && self.expansions == again.expansions,
            "{contender} did not do the same again"
        );
        for (kept, &found) in self.step_ns.iter_mut().zip(&again.step_ns) {
            *kept = found.min(*kept);
        }
        Ok(())
    }
}
