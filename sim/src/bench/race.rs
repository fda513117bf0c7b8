//! The contenders on the same maps, in turn, one at a time.

use anyhow::ensure;
use planner_core::Cell;
use serde::Serialize;

use super::contender::Contender;
use crate::{command::OrBadInput, problem::Problem, progress, stats::summary, world::rng};

/// What to run.
#[derive(Clone, Debug)]
pub struct Race {
    pub contenders: Vec<Contender>,
    pub maps: u32,
    /// Width and height of a map.
    pub size: (u16, u16),
    /// Blocked cells made free in a map.
    pub openings: u32,
    pub seed: u64,
    /// How often each walk is repeated.
    pub repeat: u32,
    /// What reading the clock takes, to be taken off every step.
    pub clock_ns: u64,
}

/// How a contender fared; means over the maps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The kind of maps.
    pub bench: String,
    pub planner: Contender,
    pub maps: u32,
    /// Time for all steps to the goal, each at its fastest.
    pub run_ns: f64,
    /// Time for the slowest of these steps.
    pub worst_step_ns: f64,
    pub expansions: f64,
    pub moves: f64,
    /// `run_ns` over that of the first contender.
    pub ratio_to_first: f64,
    /// The slowest step on any map.
    #[serde(skip)]
    pub worst_of_all_ns: u64,
}

/// A contender's walk on one map.
struct Lap {
    trail: Vec<Cell>,
    /// The least time that each step took.
    step_ns: Vec<u64>,
    expansions: u64,
}

impl Race {
    /// Runs it.
    ///
    /// # Errors
    /// There are no such maps, or a planner failed, or walked another way when it walked again.
    pub fn run(&self) -> anyhow::Result<Vec<Standing>> {
        let bar = progress::bar("bench", self.maps.into());
        let mut laps: Vec<Vec<Lap>> = self.contenders.iter().map(|_| Vec::new()).collect();
        for map in 0..self.maps {
            let mut rng = rng::derived(self.seed, map.into());
            let problem = Problem::in_maze(self.size, self.openings, &mut rng).or_bad_input()?;
            let on_map = self.run_on(&problem)?;
            for (laps, lap) in laps.iter_mut().zip(on_map) {
                laps.push(lap);
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(self.standings(&laps))
    }

    /// Every contender once, then every contender again, as often as asked.
    fn run_on(&self, problem: &Problem) -> anyhow::Result<Vec<Lap>> {
        let mut best: Vec<Option<Lap>> = self.contenders.iter().map(|_| None).collect();
        for _ in 0..self.repeat {
            for (&contender, best) in self.contenders.iter().zip(&mut best) {
                let lap = lap(contender, problem)?;
                match best {
                    None => *best = Some(lap),
                    Some(best) => best.improve(contender, &lap)?,
                }
            }
        }
        let mut laps: Vec<Lap> = best.into_iter().flatten().collect();
        for step in laps.iter_mut().flat_map(|lap| &mut lap.step_ns) {
            *step = step.saturating_sub(self.clock_ns);
        }
        Ok(laps)
    }

    fn standings(&self, laps: &[Vec<Lap>]) -> Vec<Standing> {
        let (width, height) = self.size;
        let bench = format!("maze-{width}x{height}-open-{}", self.openings);
        let mut first = None;
        let standing = |(&planner, laps): (&Contender, &Vec<Lap>)| {
            let mean = |value: fn(&Lap) -> u64| summary(laps.iter().map(|l| value(l) as f64)).mean;
            let run_ns = mean(Lap::run_ns);
            Standing {
                bench: bench.clone(),
                planner,
                maps: self.maps,
                run_ns,
                worst_step_ns: mean(Lap::worst_step_ns),
                expansions: mean(|lap| lap.expansions),
                moves: mean(|lap| lap.trail.len() as u64 - 1),
                ratio_to_first: run_ns / *first.get_or_insert(run_ns),
                worst_of_all_ns: laps.iter().map(Lap::worst_step_ns).max().unwrap_or(0),
            }
        };
        self.contenders.iter().zip(laps).map(standing).collect()
    }
}

fn lap(contender: Contender, problem: &Problem) -> anyhow::Result<Lap> {
    contender.with(problem, |planner| {
        let walk = problem.walk(planner, |_, _| ())?;
        Ok(Lap {
            trail: walk.trail,
            step_ns: walk.tick_ns,
            expansions: planner.stats().total.expansions,
        })
    })?
}

impl Lap {
    fn run_ns(&self) -> u64 {
        self.step_ns.iter().sum()
    }

    fn worst_step_ns(&self) -> u64 {
        self.step_ns.iter().copied().max().unwrap_or(0)
    }

    /// Keeps the faster of each step. Both laps did the same work, or there would be no sense in
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
