//! `sim mms`: a mouse in mms, the micromouse simulator.

use std::io;

use planner_core::search::TurnCosts;

use crate::{
    mms::{self, Link},
    options::{planner::PlannerName, value},
};

const EXAMPLES: &str = "\
Run command of a mouse for mms. The mouse searches, explores until the shortest
path is proven, returns and runs; after a reset it starts again with the map
that it has. The path that it drives is highlighted.

In the dialog of mms: Name tinystar; Directory, the folder of the repository;
Build Command cargo build --release; Run Command target/release/sim mms.

Examples:
  sim mms
  sim mms --planner rtd-tba
  sim mms --turns                 a run with few turns, as mms scores it";

/// Options of `mms`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    planner: PlannerName,
    /// Costs of a step and of a quarter turn in the run; without a value those of mms [default: only steps count]
    #[arg(long, value_name = "STEP,TURN", num_args = 0..=1, default_missing_value = "1,1",
        value_parser = value::turn_costs)]
    turns: Option<TurnCosts>,
}

/// Drives a mouse in mms.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let planner = args.planner.for_unknown_map()?;
    let link = Link::new(io::stdin().lock(), io::BufWriter::new(io::stdout().lock()));
    mms::drive(link, planner, args.turns, |message| eprintln!("{message}"))
}
