//! Tables 1 to 4 of Koenig (2004), "A Comparison of Fast Search Methods for Real-Time Situated
//! Agents": LRTA* with look-aheads of many sizes against D* Lite, in mazes and in grids with random
//! obstacles of 301x301 cells, and what to choose for the paper's three objectives.
//!
//! ```text
//!  Problem --> contender --> AgentResult --> tables: rows ------> Report
//!              (episodes)                  |                    ^
//!                                   prices + objectives --> findings
//! ```
//!
//! The paper's LRTA* is [`LssLrta`](planner_core::local::LssLrta). Its worlds are unknown to the
//! agents, which see the four cells next to them.

pub mod contender;
mod episodes;
mod findings;
pub mod objectives;
pub mod paper;
mod prices;
mod tables;

use rand::RngExt;

use self::{
    contender::AgentResult,
    paper::{DENSITY, Figures, GRIDS, MAZES, SIDE, Terrain},
    tables::Table,
};
use super::{report::Report, sweep::Sweep};
use crate::{
    lab::problem::Problem,
    world::{corridors, random, rng::Rng},
};

/// Mazes when nothing else is asked for: a tenth of the paper's.
pub const RUNS: u32 = 100;
/// Mazes in the paper.
pub const FULL_RUNS: u32 = MAZES;
/// Grids for each maze, as in the paper.
pub const GRIDS_PER_MAZE: u32 = GRIDS / MAZES;

const NAME: &str = "situated-agents";

/// The agents' results in a maze and in the grids that go with it, in the order of the figures.
struct Run {
    maze: Vec<AgentResult>,
    grids: Vec<Vec<AgentResult>>,
}

/// Runs the experiment: so many mazes, and for each of them [`GRIDS_PER_MAZE`] grids.
pub fn measure(sweep: Sweep) -> anyhow::Result<Report> {
    measure_in(SIDE, sweep)
}

/// Runs the experiment in worlds of another size, which the paper's figures are not of.
pub fn measure_in(side: u16, sweep: Sweep) -> anyhow::Result<Report> {
    let [mazes, grids] = [Terrain::Mazes, Terrain::Grids].map(paper::figures);
    let runs = sweep.each(NAME, |_, mut rng| {
        let world = corridors::corridors(side, side, 0, &mut rng)?;
        let maze = solve(Problem::random(world, &mut rng)?, &mazes, &mut rng)?;
        let grids = (0..GRIDS_PER_MAZE).map(|_| {
            let world = random::obstacles(side, side, DENSITY, &mut rng)?;
            solve(Problem::random(world, &mut rng)?, &grids, &mut rng)
        });
        let grids = grids.collect::<anyhow::Result<_>>()?;
        Ok(Run { maze, grids })
    })?;
    let (in_mazes, in_grids): (Vec<_>, Vec<_>) =
        runs.into_iter().map(|run| (run.maze, run.grids)).unzip();
    let table = |terrain, figures, runs| Table {
        terrain,
        figures,
        runs,
    };
    let tables = [
        table(Terrain::Mazes, mazes, in_mazes),
        table(Terrain::Grids, grids, in_grids.concat()),
    ];
    let choices = tables.each_ref().map(prices::Choices::new);
    let mut rows = tables::rows(NAME, &tables);
    rows.extend(choices.iter().flat_map(|choices| choices.rows(NAME)));
    let findings = findings::all(&rows, &tables, &choices);
    Ok(Report {
        experiment: NAME,
        title: format!(
            "Koenig 2004, Tables 1 to 4: {} mazes and {} grids of {side}x{side}, seed {}",
            sweep.runs,
            sweep.runs.saturating_mul(GRIDS_PER_MAZE),
            sweep.seed
        ),
        rows,
        charts: Vec::new(),
        findings,
    })
}

/// Lets all agents walk in one world.
fn solve(problem: Problem, figures: &[Figures], rng: &mut Rng) -> anyhow::Result<Vec<AgentResult>> {
    figures
        .iter()
        .map(|figures| figures.contender.solve(&problem, rng.random()))
        .collect()
}
