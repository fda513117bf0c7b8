//! `sim mms`: our planners as a mouse in mms.

use std::io;

use crate::error::BadInput;
use crate::{
    catalog::Name,
    mms::{self, Link},
};

const EXAMPLES: &str = "\
Run command of a mouse for mms. The mouse searches, explores until the shortest path is proven, returns and
runs; after a reset it starts again with the map that it has.

Examples:
  sim mms
  sim mms --planner rtd";

/// Options of `mms`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Planner until the run
    #[arg(
        long,
        value_name = "NAME",
        default_value = "dstar-lite",
        hide_possible_values = true
    )]
    planner: Name,
}

/// Drives a mouse in mms.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.planner.is_known_map_only() {
        let planner = args.planner;
        return Err(BadInput(format!("{planner} needs a known map")).into());
    }
    let link = Link::new(io::stdin().lock(), io::BufWriter::new(io::stdout().lock()));
    mms::drive(link, args.planner, |message| eprintln!("{message}"))
}
