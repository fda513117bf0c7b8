//! Options that choose a planner and its conditions.

use clap::builder::RangedU64ValueParser;

use super::value;
use crate::{
    catalog::{Moves, Name},
    environment::Sensor,
    error::BadInput,
};

/// The planner by its name.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct PlannerName {
    /// Planner to use; `sim planners` lists them
    #[arg(
        long,
        value_name = "NAME",
        default_value_t = PlannerName::DEFAULT,
        hide_possible_values = true
    )]
    pub planner: Name,
}

impl PlannerName {
    /// The planner of all commands unless another is named.
    pub const DEFAULT: Name = Name::DstarLite;

    /// The planner, for a map that is not known.
    ///
    /// # Errors
    /// It needs a known map.
    pub fn for_unknown_map(self) -> Result<Name, BadInput> {
        match self.planner.is_known_map_only() {
            true => Err(BadInput(format!("{} needs a known map", self.planner))),
            false => Ok(self.planner),
        }
    }
}

/// The planner, and its conditions.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct PlannerOptions {
    #[command(flatten)]
    pub name: PlannerName,

    /// Number of directions to move in; with 8, never across a blocked corner
    #[arg(long, value_name = "4|8", default_value = "4", value_parser = value::moves)]
    pub moves: Moves,

    /// Know the whole map from the start instead of sensing it on the way
    #[arg(long, conflicts_with = "sense")]
    pub known: bool,

    /// Sensor range in cells [default: 1]
    #[arg(long, value_name = "R",
        value_parser = RangedU64ValueParser::<u16>::new().range(1..=255))]
    pub sense: Option<u16>,

    /// Most expansions per tick, as on the robot [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,

    /// Share of each tick, in per cent, that Real-Time D* keeps for its local search [default: 96 for rtd-tba, else 50]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub local_ratio: Option<u8>,
}

impl PlannerOptions {
    /// The planner.
    pub fn planner(&self) -> Name {
        self.name.planner
    }

    /// The robot's sensor.
    pub fn sensor(&self) -> Sensor {
        Sensor::new(self.sense.unwrap_or(1), self.moves)
    }
}
