//! The papers' experiments, each in a file of its own.
//!
//! An experiment makes worlds from a seed, lets contenders walk in all of them and sets what it
//! measures beside what the paper says:
//!
//! ```text
//!  Sweep --(run number, rng)--> Problem -> contenders -> Measured --(stats)--> Row -> Report
//!  runs, seed                   world, start, goal                             + Paper
//! ```
//!
//! To add one, write a file with `pub fn measure(sweep: Sweep) -> anyhow::Result<Report>` and name
//! it in `Experiment`. Everything but times is the same for the same seed, on any machine.

pub mod buckets;
pub mod claim;
pub mod replanning;
pub mod report;
pub mod row;
pub mod subgoals;
pub mod sweep;

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::builder::RangedU64ValueParser;
use sweep::Sweep;

/// Options.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Each prints what the paper says beside what is measured, with 95 % confidence intervals.

Examples:
  sim experiment buckets
  sim experiment replanning --runs 500 --out results
  sim experiment subgoals --maps den601d.map brc200d.map --runs 100
  sim experiment buckets --runs 1000 --json | jq -c 'select(.metric == \"expansions\")'")]
pub struct Args {
    #[command(subcommand)]
    experiment: Experiment,
}

/// The experiments.
#[derive(clap::Subcommand, Debug)]
enum Experiment {
    /// D* Lite on a heap and on buckets in 201x201 mazes (Likhachev & Koenig 2006, Table 1)
    Buckets {
        /// Mazes
        #[arg(long, value_name = "N", default_value_t = buckets::RUNS, value_parser = clap::value_parser!(u32).range(1..))]
        runs: u32,
        #[command(flatten)]
        options: Options,
    },
    /// Repeated A*, Adaptive A* and D* Lite in 101x101 mazes (Fast Trajectory Replanning)
    Replanning {
        /// Mazes
        #[arg(long, value_name = "N", default_value_t = replanning::RUNS, value_parser = clap::value_parser!(u32).range(1..))]
        runs: u32,
        #[command(flatten)]
        options: Options,
    },
    /// LRTA* with subgoals on known maps (Hernández & Baier 2011, Figure 2)
    Subgoals {
        /// Problems on each map
        #[arg(long, value_name = "N", default_value_t = subgoals::RUNS, value_parser = clap::value_parser!(u32).range(1..))]
        runs: u32,
        /// Maps, or folders of MovingAI's `.map` files [default: four that are generated]
        #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
        maps: Vec<PathBuf>,
        /// Time the trees of N goals on each map and scale that up [default: all goals]
        #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
        goals: Option<usize>,
        #[command(flatten)]
        options: Options,
    },
}

/// What all experiments take.
#[derive(clap::Args, Debug)]
struct Options {
    /// Seed of the worlds
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Write the rows as CSV and as a picture (SVG) into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object per row
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// A planner failed, or the results cannot be written.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let sweep = |&runs: &u32, options: &Options| Sweep {
        runs,
        seed: options.seed,
    };
    let (report, options) = match &args.experiment {
        Experiment::Buckets { runs, options } => (buckets::measure(sweep(runs, options))?, options),
        Experiment::Replanning { runs, options } => {
            (replanning::measure(sweep(runs, options))?, options)
        }
        Experiment::Subgoals {
            runs,
            maps,
            goals,
            options,
        } => {
            let plan = subgoals::Plan {
                maps: subgoals::maps(maps, options.seed)?,
                sweep: sweep(runs, options),
                goals: goals.unwrap_or(usize::MAX),
            };
            (subgoals::measure(&plan)?, options)
        }
    };
    if options.json {
        report.print_json()?;
    } else {
        write!(io::stdout().lock(), "{report}")?;
    }
    if let Some(folder) = &options.out {
        for path in report.write(folder)? {
            eprintln!("wrote {}", path.display());
        }
    }
    Ok(())
}
