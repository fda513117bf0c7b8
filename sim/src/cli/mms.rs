//! `sim mms`: our planners as a mouse in mms.

use std::io;

use crate::error::BadInput;
use crate::{
    catalog::Name,
    mms::{Driver, Link},
};

const EXAMPLES: &str = "\
Give mms this as the run command of a mouse: it searches, explores until the shortest way is proven,
returns and runs, and begins again from the start, with the map it has, when the button is pressed.

Examples:
  sim mms
  sim mms --planner rtd";

/// Options of `mms`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Who plans until the run
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
        return Err(BadInput(format!("{planner} needs a map that it knows")).into());
    }
    let link = Link::new(io::stdin().lock(), io::BufWriter::new(io::stdout().lock()));
    Driver::new(link, args.planner)?.drive(|message| eprintln!("{message}"))
}
