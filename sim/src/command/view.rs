//! `sim view`: a walk in a window.

use std::env;

use clap::{Parser, builder::RangedU64ValueParser};

use super::{
    BadInput, place,
    run::moves,
    window::{self, Look},
};
use crate::catalog::{self, Moves, Name};
pub use place::{Ground, Options as WorldOptions, Place};

const EXAMPLES: &str = "\
Examples:
  sim view                                       the default maze
  sim view --maze 301x301 --open 750 --planner rtd --limit 64
  sim view --map arena.map --compare lss-lrta
  sim view --rooms 70x36 --doors 0.5 --planner rtd --limit 16 --moves 8

In the window, `?` lists the keys. Without a display, `sim run` shows the walk in the terminal.";

/// Options of `view`: those of `run` that a window has a use for.
#[derive(Parser, Debug)]
#[command(name = "sim view", version, after_help = EXAMPLES)]
pub struct Args {
    /// Who plans; `sim planners` tells more about each
    #[arg(
        long,
        value_name = "NAME",
        default_value = "dstar-lite",
        hide_possible_values = true
    )]
    pub planner: Name,

    /// Show another planner in the same world beside it
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    pub compare: Option<Name>,

    /// Move in 4 directions, or in 8 and never across a blocked corner
    #[arg(long, value_name = "4|8", default_value = "4", value_parser = moves)]
    pub moves: Moves,

    /// Know the whole map from the start instead of seeing it on the way
    #[arg(long, conflicts_with = "sense")]
    pub known: bool,

    /// How many cells away the robot sees [default: 1]
    #[arg(long, value_name = "R",
        value_parser = RangedU64ValueParser::<u16>::new().range(1..=255))]
    pub sense: Option<u16>,

    /// Expand at most N cells in a tick, as on the robot; otherwise as many as it takes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,

    /// Per cent of each tick that Real-Time D* keeps for the search around the robot
    #[arg(long, value_name = "PERCENT", default_value_t = catalog::LOCAL_PERCENT, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub local_ratio: u8,

    #[command(flatten)]
    pub place: WorldOptions,

    #[command(flatten)]
    pub first: First,

    #[command(flatten)]
    pub look: Look,
}

/// What the window shows first.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Pictures and measurements")]
pub struct First {
    /// Go to this tick first
    #[arg(long, value_name = "N")]
    pub tick: Option<u64>,

    /// Colour what the robot knows by this value
    #[arg(long, value_name = "VALUE", value_parser = ["map", "g", "rhs", "h", "key"])]
    pub colour: Option<String>,

    /// Pixels for each cell; what fits, if nothing is said
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u16).range(1..=200))]
    pub zoom: Option<u16>,
}

impl Args {
    /// Where the robot walks.
    ///
    /// # Errors
    /// There is no such world.
    pub fn place(&self) -> Result<Place, BadInput> {
        self.place.place()
    }

    /// The seed that worlds and cells are drawn from.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.place.seed
    }

    /// Whether the robot knows the whole map: it was asked for, or doors change and nothing says
    /// that the robot has to see them.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.known || (self.place.doors.is_some() && self.sense.is_none())
    }
}

/// Opens the window, and waits until it is closed.
pub fn run(args: &Args) -> anyhow::Result<()> {
    // A mistake is told here, before anything is built.
    args.place()?;
    window::open(env::args_os().skip(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_run_takes_for_a_world_is_taken_here() {
        let args =
            "sim-view --random 20x10 --density 0.1 --moves 8 --planner rtd --limit 8 --seed 3";
        let args = Args::try_parse_from(args.split(' ')).unwrap();
        let place = args.place().unwrap();
        assert_eq!(place.name, "random 20x10 density 0.1");
        assert_eq!((args.planner, args.seed()), (Name::Rtd, 3));
    }
}
