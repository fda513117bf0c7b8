//! Planners side by side: time until the goal and time of the slowest step.
//!
//! All contenders walk in the same maps, one after the other on one thread, and again, as often as
//! asked. A walk is the same each time, so of each step the least time counts: what the machine
//! did beside it drops out. A step's time holds its observations and its planning; what one
//! reading of the clock takes is measured first and taken off. Building a planner is not timed, for
//! nobody.

pub mod clock;
pub mod contender;
pub mod flood_fill;
pub mod known;
pub mod peer;
pub mod race;

use std::io::{self, Write};

use planner_core::{Stats, Work};

use crate::{
    command::value::Size,
    output,
    table::{Align, Table},
};
use contender::Contender;
use race::{Race, Standing};

/// Options.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Of each step the fastest of all repetitions counts; building a planner does not.

Examples:
  sim bench
  sim bench --size 101x101 --open 100 --planner dstar-lite flood-fill
  sim bench --json | jq -r '[.planner, .ratio_to_first] | @tsv'")]
pub struct Args {
    /// Maps that every planner walks in
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    maps: u32,
    /// Width and height of a map
    #[arg(long, value_name = "WxH", default_value = "201x201")]
    size: Size,
    /// Blocked cells of a maze that are made free
    #[arg(long, value_name = "N", default_value_t = 750)]
    open: u32,
    /// Seed of the maps
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Times that every walk is repeated; the fastest of each step counts
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Planners; ratios are to the first [default: all that repair or repeat a search]
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    planner: Vec<Contender>,
    /// Print one JSON object per planner
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// There are no such maps, a planner failed, or standard output is closed.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let race = Race {
        contenders: if args.planner.is_empty() {
            contender::DEFAULT.to_vec()
        } else {
            args.planner.clone()
        },
        maps: args.maps,
        size: (args.size.width, args.size.height),
        openings: args.open,
        seed: args.seed,
        repeat: args.repeat,
        clock_ns: clock::reading_ns() as u64,
    };
    let mut standings = race.run()?;
    standings.sort_by(|a, b| a.run_ns.total_cmp(&b.run_ns));
    if args.json {
        for standing in &standings {
            output::json_line(standing)?;
        }
    } else {
        write!(io::stdout().lock(), "{}", text(&race, &standings))?;
    }
    Ok(())
}

/// The table for people, and what to know about it.
fn text(race: &Race, standings: &[Standing]) -> String {
    let first = race.contenders[0].to_string();
    let to_first = format!("time / {first}");
    let mut table = Table::new(&[
        ("planner", Align::Left),
        ("run (us)", Align::Right),
        (&to_first, Align::Right),
        ("worst step (us)", Align::Right),
        ("worst of all (us)", Align::Right),
        ("expansions", Align::Right),
        ("moves", Align::Right),
    ]);
    for standing in standings {
        table.push([
            standing.planner.to_string(),
            format!("{:.1}", standing.run_ns / 1e3),
            format!("{:.2}", standing.ratio_to_first),
            format!("{:.2}", standing.worst_step_ns / 1e3),
            format!("{:.2}", standing.worst_of_all_ns as f64 / 1e3),
            format!("{:.1}", standing.expansions),
            format!("{:.1}", standing.moves),
        ]);
    }
    let (width, height) = race.size;
    let moves = || standings.iter().map(|standing| standing.moves);
    format!(
        "{} mazes of {width}x{height} with {} openings, seed {}, best of {} for each step\n\n{table}\n\
         - Means over the mazes, times in microseconds. Building a planner is not timed.\n\
         - Reading the clock takes {} ns, which are taken off every step, for all alike.\n\
         - Ways of equal length are chosen differently: from {:.1} to {:.1} moves a maze.\n",
        race.maps,
        race.openings,
        race.seed,
        race.repeat,
        race.clock_ns,
        moves().fold(f64::INFINITY, f64::min),
        moves().fold(0.0, f64::max),
    )
}

/// Books a tick in which a bench planner searched, and expanded so many cells, or did not.
fn book(stats: &mut Stats, searched: Option<u32>) {
    let tick = Work {
        expansions: searched.unwrap_or(0),
        ..Work::default()
    };
    stats.tick = tick;
    stats.searches += u32::from(searched.is_some());
    stats.total.expansions += u64::from(tick.expansions);
    stats.most.expansions = stats.most.expansions.max(tick.expansions);
}
