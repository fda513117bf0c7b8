//! `sim mms`: a mouse in mms, the micromouse simulator.

use std::io;

use crate::{
    mms::{self, Link},
    options::planner::PlannerName,
};

const EXAMPLES: &str = "\
Run command of a mouse for mms. The mouse searches, explores until the shortest path is proven, returns and
runs; after a reset it starts again with the map that it has.

Examples:
  sim mms
  sim mms --planner rtd-tba";

/// Options of `mms`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    planner: PlannerName,
}

/// Drives a mouse in mms.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let planner = args.planner.for_unknown_map()?;
    let link = Link::new(io::stdin().lock(), io::BufWriter::new(io::stdout().lock()));
    mms::drive(link, planner, |message| eprintln!("{message}"))
}
