//! `sim bench`: planners side by side.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::ensure;

use super::mazes::Mazes;
use crate::{
    error::{BadInput, print_error},
    lab::{
        bench::{
            clock,
            contender::{self, Contender},
            runner::{Bench, BenchResult, Entry},
        },
        table::Table,
    },
    options::value::Size,
    output,
};

/// Options of `bench`.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Of each step the fastest of all repetitions counts. Building a planner is not
timed.

Examples:
  sim bench
  sim bench --size 101x101 --open 100 --planner dstar-lite flood-fill
  sim bench --real-time rtd-tba --limit 8,32,128
  sim bench --mice
  sim bench --json | jq -r '[.planner, .ratio_to_first] | @tsv'")]
pub struct Args {
    /// Number of maps
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    maps: u32,
    /// Size of a map
    #[arg(long, value_name = "WxH", default_value = "201x201")]
    size: Size,
    /// Number of blocked cells of a maze to open
    #[arg(long, value_name = "N", default_value_t = 750)]
    open: u32,
    /// Micromouse mazes instead: a file or a folder [default: the bundled mazes]
    #[arg(long, value_name = "FILE|DIR", num_args = 0..=1,
        conflicts_with_all = ["maps", "size", "open", "seed"])]
    mice: Option<Option<PathBuf>>,
    /// Seed of the maps
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Repetitions of every run; the fastest of each step counts
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Planners; ratios are to the first [default: all incremental and repeated searches]
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    planner: Vec<Contender>,
    /// Real-time planners, run at each limit [default: Real-Time D* and local searches]
    #[arg(long, value_name = "NAME", num_args = 0.., value_delimiter = ',')]
    real_time: Option<Vec<Contender>>,
    /// Limits of the real-time planners, in expansions per tick
    #[arg(long, value_name = "N", num_args = 1.., value_delimiter = ',', default_values_t = LIMITS,
        value_parser = clap::value_parser!(u32).range(1..))]
    limit: Vec<u32>,
    /// Print one JSON object per planner
    #[arg(long)]
    json: bool,
}

/// From a fraction of a millisecond on a microcontroller to a desktop.
const LIMITS: [u32; 3] = [8, 64, 512];

impl Args {
    /// The planners without a limit, then each real-time planner at each limit. Named planners replace the
    /// defaults.
    fn entries(&self) -> Vec<Entry> {
        let (planners, real_time) = match (&self.planner[..], &self.real_time) {
            ([], None) if self.mice.is_some() => (contender::IN_MAZES, &contender::REAL_TIME[..1]),
            ([], None) => (contender::DEFAULT, contender::REAL_TIME),
            (planners, None) => (planners, &[][..]),
            ([], Some(real_time)) => (&contender::DEFAULT[..1], &real_time[..]),
            (planners, Some(real_time)) => (planners, &real_time[..]),
        };
        let limited = |&contender: &Contender| {
            let at = move |&limit: &u32| Entry {
                contender,
                limit: Some(limit),
            };
            self.limit.iter().map(at)
        };
        let unlimited = planners.iter().copied().map(Entry::from);
        unlimited
            .chain(real_time.iter().flat_map(limited))
            .collect()
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let bench = Bench {
        entries: args.entries(),
        maps: args.maps,
        size: (args.size.width, args.size.height),
        openings: args.open,
        seed: args.seed,
        repeat: args.repeat,
        clock_ns: clock::reading_ns() as u64,
    };
    let (mut results, maps) = match &args.mice {
        None => (bench.run()?, bench.to_string()),
        Some(path) => run_in_mazes(&bench, path.as_deref())?,
    };
    // Planners without a limit are sorted by time.
    results.sort_by(|a, b| match (a.limit, b.limit) {
        (None, None) => a.run_ns.total_cmp(&b.run_ns),
        (a, b) => a.is_some().cmp(&b.is_some()),
    });
    if args.json {
        for result in &results {
            output::json_line(result)?;
        }
    } else {
        write!(io::stdout().lock(), "{}", text(&bench, &maps, &results))?;
    }
    Ok(())
}

/// Runs in mazes, and describes them.
fn run_in_mazes(bench: &Bench, path: Option<&Path>) -> anyhow::Result<(Vec<BenchResult>, String)> {
    let Mazes { mazes, faulty } = Mazes::load(path)?;
    let all = mazes.len();
    let mut reachable = Vec::with_capacity(all);
    for (name, maze) in mazes {
        match maze.shortest() {
            Some(_) => reachable.push(maze),
            None if all == 1 => {
                return Err(BadInput(format!("{name}: no goal can be reached")).into());
            }
            None => print_error(&format!("{name}: no goal can be reached")),
        }
    }
    ensure!(
        !reachable.is_empty(),
        BadInput("there is no maze to run in".to_owned())
    );
    let mut maps = format!("{} mazes", reachable.len());
    let cut_off = all - reachable.len();
    if faulty + cut_off > 0 {
        maps += &format!(" ({faulty} faulty, {cut_off} without a path)");
    }
    Ok((bench.run_in_mazes(&reachable)?, maps))
}

/// The table, with notes.
fn text(bench: &Bench, maps: &str, results: &[BenchResult]) -> String {
    let first = bench.entries[0].contender.to_string();
    let to_first = format!("time / {first}");
    let mut table = Table::new([
        "planner",
        "run (us)",
        &to_first,
        "worst step (us)",
        "worst of all (us)",
        "expansions",
        "moves",
    ]);
    let (limited, unlimited): (Vec<_>, Vec<_>) =
        results.iter().partition(|result| result.limit.is_some());
    for result in &unlimited {
        table.push([
            result.planner.to_string(),
            format!("{:.1}", result.run_ns / 1e3),
            format!("{:.2}", result.ratio_to_first),
            format!("{:.2}", result.worst_step_ns / 1e3),
            format!("{:.2}", result.worst_of_all_ns as f64 / 1e3),
            format!("{:.1}", result.expansions),
            format!("{:.1}", result.moves),
        ]);
    }
    let moves = || unlimited.iter().map(|result| result.moves);
    let mut text = format!(
        "{maps}, best of {} for each step\n\n{table}\n\
         - Means over the mazes, times in microseconds. Building a planner is not timed.\n\
         - Reading the clock takes {} ns, which are subtracted from every step.\n\
         - Ties between paths are broken differently: from {:.1} to {:.1} moves a maze.\n",
        bench.repeat,
        bench.clock_ns,
        moves().fold(f64::INFINITY, f64::min),
        moves().fold(0.0, f64::max),
    );
    if !limited.is_empty() {
        let first = results
            .iter()
            .find(|s| s.planner == bench.entries[0].contender);
        let moves = first.map_or(f64::NAN, |first| first.moves);
        text += &format!("\n{}", limited_table(&limited, moves));
    }
    text
}

/// The table of the planners with a limit; moves are relative to the first contender.
fn limited_table(results: &[&BenchResult], first_moves: f64) -> Table {
    let mut table = Table::new([
        "under a limit",
        "expansions per tick",
        "median tick (us)",
        "99.9 % (us)",
        "worst (us)",
        "run (us)",
        "ticks",
        "moves / unlimited",
    ]);
    for result in results {
        let us = |ns: u64| format!("{:.2}", ns as f64 / 1e3);
        table.push([
            result.planner.to_string(),
            result.limit.unwrap_or(0).to_string(),
            us(result.median_tick_ns),
            us(result.tick_999_ns),
            us(result.worst_of_all_ns),
            format!("{:.1}", result.run_ns / 1e3),
            format!("{:.1}", result.ticks),
            format!("{:.2}", result.moves / first_moves),
        ]);
    }
    table
}
