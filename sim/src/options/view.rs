//! Options of `sim view`.

use clap::Parser;

use super::{planner::PlannerOptions, window::WindowOptions, world::WorldOptions};
use crate::{catalog::Name, error::BadInput, world::Scenario};

const EXAMPLES: &str = "\
Examples:
  sim view                                       the default maze
  sim view --maze 301x301 --open 750 --planner rtd-tba --limit 64
  sim view --map arena.map --compare lss-lrta
  sim view --rooms 70x36 --doors 0.5 --planner rtd-tba --limit 16 --moves 8

In the window, `?` lists the keys. Without a display, `sim run` shows the run in the terminal.";

/// Options of `view`.
#[derive(Parser, Debug)]
#[command(name = "sim view", version, after_help = EXAMPLES)]
pub struct ViewOptions {
    #[command(flatten)]
    pub planner: PlannerOptions,

    /// Show a second planner in the same world beside the first
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    pub compare: Option<Name>,

    #[command(flatten)]
    pub world: WorldOptions,

    #[command(flatten)]
    pub initial: InitialView,

    #[command(flatten)]
    pub window: WindowOptions,
}

/// The first thing that the window shows.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Pictures and measurements")]
pub struct InitialView {
    /// Go to this tick first
    #[arg(long, value_name = "N")]
    pub tick: Option<u64>,

    /// Color cells by this value
    #[arg(long, visible_alias = "colour", value_name = "VALUE",
        value_parser = ["map", "g", "rhs", "h", "key"])]
    pub color: Option<String>,
}

impl ViewOptions {
    /// Loads or generates the scenario.
    pub fn scenario(&self) -> Result<Scenario, BadInput> {
        self.world.scenario()
    }

    /// Returns whether the robot knows the whole map.
    pub fn is_known(&self) -> bool {
        self.world.is_known(&self.planner)
    }
}
