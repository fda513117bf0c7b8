//! `cargo xtask bench-chip`: what planners cost on the chip, in cycles.
//!
//! Cycles are those of the emulated processor: exact and the same every time. Planners run from RAM, as in the
//! firmware, and what else is in a tick from flash: the first world of each row is run again with the waits of a
//! flash memory, and what a tick then takes longer is printed. A tick is all that a planner does between two moves,
//! observations included.

mod costs;

use anyhow::{Result, ensure};
use bench_chip::{Job, Situation, world::Kind};
use clap::Args;
use planner_core::Work;
use rayon::prelude::*;
use serde::Serialize;

use crate::chip::{self, Run, Watch};

const SIDES: [u16; 5] = [33, 65, 101, 129, 161];
/// Cycles in a millisecond at 125 MHz.
const MILLISECOND: u64 = 125_000;
/// Lines of a profile.
const SHOWN: usize = 20;

#[derive(Args)]
pub struct Options {
    /// One JSON object per line instead of tables
    #[arg(long)]
    json: bool,
    /// Count cycles by function instead, in a maze of 101x101
    #[arg(long)]
    profile: bool,
    /// Measure the cycles of each kind of work instead, and write the table that `sim experiment --by cycles` reads
    #[arg(long)]
    costs: bool,
    /// Planners to measure, without targets [default: all, with targets]
    #[arg(long, value_delimiter = ',')]
    planner: Vec<String>,
    /// Cells along a side of the worlds, without targets [default: 33 to as many as fit]
    #[arg(long, value_delimiter = ',')]
    side: Vec<u16>,
    /// Worlds of each kind and size
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,
    /// Optimisation level of the images
    #[arg(long, default_value = "s")]
    opt_level: String,
}

/// A planner with its limit of expansions in a tick.
#[derive(Clone, Copy)]
struct Contender {
    name: &'static str,
    image: &'static str,
    /// 0: none.
    limit: u32,
    largest: u16,
}

const fn contender(name: &'static str, image: &'static str, limit: u32, largest: u16) -> Contender {
    Contender {
        name,
        image,
        limit,
        largest,
    }
}

const BUCKETS: Contender = contender("dstar-lite", "bench-dstar-lite", 0, 129);
const UNIT: Contender = contender("dstar-lite", "bench-dstar-lite", 1, 129);
const HEAP: Contender = contender("dstar-lite-heap", "bench-dstar-lite-heap", 0, 101);
/// The preset for grids of cells.
const ROBOT: Contender = contender("grid-navigator", "bench-grid-navigator", 64, 129);
/// The preset that the robot runs.
const MAZE: Contender = contender("maze-navigator", "bench-maze-navigator", 64, 65);
/// The preset for large grids of cells.
const LARGE: Contender = contender(
    "large-grid-navigator",
    "bench-large-grid-navigator",
    32,
    161,
);
const CONTENDERS: [Contender; 11] = [
    BUCKETS,
    UNIT,
    HEAP,
    contender("grid-navigator", "bench-grid-navigator", 8, 129),
    contender("grid-navigator", "bench-grid-navigator", 32, 129),
    ROBOT,
    contender("maze-navigator", "bench-maze-navigator", 8, 65),
    MAZE,
    contender("lss-lrta", "bench-lss-lrta", 64, 129),
    LARGE,
    Contender { limit: 64, ..LARGE },
];

/// Measurements of one contender in worlds of one kind and size.
#[derive(Clone, Debug, Serialize)]
struct Row {
    bench: &'static str,
    planner: &'static str,
    limit: u32,
    side: u16,
    world: &'static str,
    runs: u32,
    arrived: u32,
    ticks: u64,
    expansions: u64,
    requeues: u64,
    /// By a unit, an expansion or a re-queue: what ticks with units take beyond what ticks without take. None
    /// where a tick is a unit, or the image has no room for the work of each tick.
    cycles_per_unit: Option<f64>,
    /// All cycles by all units.
    all_cycles_per_unit: f64,
    mean_tick_cycles: f64,
    /// The mean of ticks without a unit.
    idle_tick_cycles: f64,
    worst_tick_cycles: u64,
    /// Waits for flash per tick, the mean over the first world.
    flash_wait_cycles: f64,
    planner_bytes: u32,
}

impl Row {
    /// `with_flash` is the first run again, with waits for flash.
    fn new(contender: Contender, side: u16, world: Kind, runs: &[Run], with_flash: &Run) -> Self {
        let booked: Vec<(u64, u32)> = runs
            .iter()
            .flat_map(|run| run.laps.iter().copied().zip(run.work.iter().map(units)))
            .collect();
        let idle = idle_cost(&booked);
        let sum = |of: fn(&Run) -> u64| runs.iter().map(of).sum::<u64>();
        let laps = runs.iter().flat_map(|run| run.laps.iter().copied());
        let cycles = laps.clone().sum();
        let ticks = sum(|run| u64::from(run.report.ticks));
        let expansions = sum(|run| u64::from(run.report.expansions));
        let requeues = sum(|run| u64::from(run.report.requeues));
        Self {
            bench: "chip",
            planner: contender.name,
            limit: contender.limit,
            side,
            world: world.name(),
            runs: runs.len() as u32,
            arrived: runs.iter().filter(|run| run.report.arrived).count() as u32,
            ticks,
            expansions,
            requeues,
            cycles_per_unit: (contender.limit != 1 && !booked.is_empty())
                .then(|| unit_cost(&booked, idle)),
            all_cycles_per_unit: ratio(cycles, expansions + requeues),
            mean_tick_cycles: ratio(cycles, ticks),
            idle_tick_cycles: idle,
            worst_tick_cycles: laps.max().unwrap_or(0),
            flash_wait_cycles: mean_lap(with_flash) - runs.first().map_or(0.0, mean_lap),
            planner_bytes: runs.iter().map(|run| run.report.bytes).max().unwrap_or(0),
        }
    }
}

/// Expansions and re-queues.
fn units(work: &Work) -> u32 {
    work.expansions + work.requeues
}

fn mean_lap(run: &Run) -> f64 {
    ratio(run.laps.iter().sum(), run.laps.len() as u64)
}

/// Cycles of a tick without a unit, from the cycles and the units of each tick.
fn idle_cost(ticks: &[(u64, u32)]) -> f64 {
    let idle = ticks.iter().filter(|(_, units)| *units == 0);
    ratio(
        idle.clone().map(|(cycles, _)| cycles).sum(),
        idle.count() as u64,
    )
}

/// Cycles of a unit beyond an idle tick, from the cycles and the units of each tick.
fn unit_cost(ticks: &[(u64, u32)], idle: f64) -> f64 {
    let busy = ticks.iter().filter(|(_, units)| *units > 0);
    let cycles: u64 = busy.clone().map(|(cycles, _)| cycles).sum();
    let units: u32 = busy.clone().map(|(_, units)| units).sum();
    if units == 0 {
        0.0
    } else {
        (cycles as f64 - idle * busy.count() as f64) / f64::from(units)
    }
}

fn ratio(of: u64, by: u64) -> f64 {
    if by == 0 { 0.0 } else { of as f64 / by as f64 }
}

/// A figure that the chip must keep.
#[derive(Debug, Serialize)]
struct Target {
    target: &'static str,
    at_most: f64,
    measured: f64,
    met: bool,
}

fn target(target: &'static str, at_most: f64, measured: f64) -> Target {
    Target {
        target,
        at_most,
        measured,
        met: measured <= at_most,
    }
}

fn targets(rows: &[Row]) -> Vec<Target> {
    let of = |contender: Contender| {
        rows.iter()
            .filter(move |row| row.planner == contender.name && row.limit == contender.limit)
    };
    let maze = |contender: Contender| {
        of(contender)
            .find(|row| row.side == 101 && row.world == Kind::Maze.name())
            .and_then(|row| row.cycles_per_unit)
            .unwrap_or(f64::NAN)
    };
    let worst = |contender: Contender, side: Option<u16>| {
        of(contender)
            .filter(|row| side.is_none_or(|side| side == row.side))
            .map(|row| row.worst_tick_cycles)
            .max()
            .unwrap_or(0)
    };
    let unit = of(UNIT)
        .map(|row| row.worst_tick_cycles as f64 - row.idle_tick_cycles)
        .fold(0.0, f64::max);
    let bytes = of(ROBOT)
        .filter(|row| row.side == 101)
        .map(|row| row.planner_bytes);
    vec![
        target(
            "D* Lite in mazes of 101x101: cycles per unit",
            270.0,
            maze(BUCKETS),
        ),
        target(
            "D* Lite: cycles of an expansion or four re-queues with their scan of the buckets, beyond a tick without",
            2_000.0,
            unit,
        ),
        target(
            "RTD* with limit 64: cycles of the worst tick",
            MILLISECOND as f64,
            worst(ROBOT, None) as f64,
        ),
        target(
            "RTD* with limit 64: worst tick at 101x101 by that at 33x33",
            1.05,
            ratio(worst(ROBOT, Some(101)), worst(ROBOT, Some(33))),
        ),
        target(
            "RTD* for 101x101: bytes of RAM, of 264 KB less 64 KB",
            200.0 * 1024.0,
            f64::from(bytes.max().unwrap_or(0)),
        ),
        target(
            "D* Lite in mazes of 101x101: buckets by heap, cycles per unit",
            1.0,
            maze(BUCKETS) / maze(HEAP),
        ),
    ]
}

pub fn run(options: &Options) -> Result<()> {
    chip::build(&options.opt_level)?;
    if options.profile {
        return profile(options);
    }
    if options.costs {
        return costs::write(options.seeds, options.json);
    }
    let is_asked_for = |contender: &Contender| {
        options.planner.is_empty() || options.planner.iter().any(|name| name == contender.name)
    };
    let contenders: Vec<_> = CONTENDERS.into_iter().filter(is_asked_for).collect();
    ensure!(!contenders.is_empty(), "no such planner");
    let sides = match options.side.is_empty() {
        true => &SIDES[..],
        false => &options.side,
    };
    let rows = measure(&contenders, sides, options.seeds)?;
    let targets = match options.planner.is_empty() && options.side.is_empty() {
        true => targets(&rows),
        false => Vec::new(),
    };
    if options.json {
        for row in &rows {
            println!("{}", serde_json::to_string(row)?);
        }
        for target in &targets {
            println!("{}", serde_json::to_string(target)?);
        }
    } else {
        print_table(&rows);
        println!();
        for target in &targets {
            let met = if target.met { "met" } else { "MISSED" };
            let [measured, at_most] = [target.measured, target.at_most].map(figure);
            println!("{met:6}  {}: {measured}, at most {at_most}", target.target);
        }
    }
    Ok(())
}

/// All runs, as many at a time as there are processors: the figures do not depend on it.
fn measure(contenders: &[Contender], sides: &[u16], seeds: u32) -> Result<Vec<Row>> {
    let cases = contenders.iter().flat_map(|&contender| {
        let sides = sides.iter().copied();
        let sides = sides.filter(move |&side| side <= contender.largest);
        sides.flat_map(move |side| Kind::ALL.map(|world| (contender, side, world)))
    });
    let cases: Vec<_> = cases.collect();
    let measure = |(contender, side, world): (Contender, u16, Kind)| {
        let run = |seed, watch| {
            let job = Job {
                limit: contender.limit,
                side,
                world,
                seed,
                situation: Situation::Usual,
            };
            chip::run(contender.image, job, watch)
        };
        let runs = (1..=seeds).into_par_iter();
        let runs: Vec<_> = runs
            .map(|seed| run(seed, Watch::Laps))
            .collect::<Result<_>>()?;
        let with_flash = run(1, Watch::LapsWithFlash)?;
        Ok(Row::new(contender, side, world, &runs, &with_flash))
    };
    cases.into_par_iter().map(measure).collect()
}

fn print_table(rows: &[Row]) {
    println!(
        "planner              limit side world   arrived  ticks    units cycles per   \
         with its  mean tick  worst tick       ms      flash"
    );
    println!(
        "                                                                      unit       \
         tick     cycles      cycles at 125 MHz waits/tick"
    );
    for row in rows {
        let limit = match row.limit {
            0 => "-".to_owned(),
            limit => limit.to_string(),
        };
        println!(
            "{:20} {limit:>5} {:>4} {:7} {:>7} {:>6} {:>8} {:>10} {:>10.0} {:>10.0} {:>11} {:>8.3} {:>10.0}",
            row.planner,
            row.side,
            row.world,
            format!("{}/{}", row.arrived, row.runs),
            row.ticks,
            row.expansions + row.requeues,
            row.cycles_per_unit
                .map_or_else(|| "-".to_owned(), |cycles| format!("{cycles:.0}")),
            row.all_cycles_per_unit,
            row.mean_tick_cycles,
            row.worst_tick_cycles,
            row.worst_tick_cycles as f64 / MILLISECOND as f64,
            row.flash_wait_cycles
        );
    }
}

fn profile(options: &Options) -> Result<()> {
    for contender in CONTENDERS
        .into_iter()
        .filter(|contender| contender.limit != 1)
    {
        let job = Job {
            limit: contender.limit,
            side: 101,
            world: Kind::Maze,
            seed: 1,
            situation: Situation::Usual,
        };
        let run = chip::run(contender.image, job, Watch::Profile)?;
        let Some(profile) = run.profile else { continue };
        if !options.json {
            println!(
                "\n{} with limit {}: {} cycles",
                contender.name, contender.limit, profile.total
            );
        }
        for function in profile.functions.iter().take(SHOWN) {
            let share = 100.0 * ratio(function.cycles, profile.total);
            if options.json {
                let row = serde_json::json!({
                    "profile": contender.name, "limit": contender.limit,
                    "function": function.name, "cycles": function.cycles, "percent": share,
                });
                println!("{row}");
            } else {
                println!("{share:5.1} %  {:>10}  {}", function.cycles, function.name);
            }
        }
    }
    Ok(())
}

/// Whole if large, with decimals if small.
fn figure(value: f64) -> String {
    if value < 100.0 {
        format!("{value:.3}")
    } else {
        format!("{value:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_costs_what_a_tick_takes_beyond_an_idle_one() {
        let ticks = [(100, 0), (120, 0), (510, 2), (1110, 5)];
        let idle = idle_cost(&ticks);
        assert_eq!(idle, 110.0);
        assert_eq!(unit_cost(&ticks, idle), (510.0 + 1110.0 - 220.0) / 7.0);
        assert_eq!((idle_cost(&[]), unit_cost(&[(100, 0)], 100.0)), (0.0, 0.0));
    }

    #[test]
    fn a_target_that_was_not_measured_is_missed() {
        assert!(!target("", 300.0, f64::NAN).met);
        assert!(target("", 300.0, 300.0).met);
    }
}
