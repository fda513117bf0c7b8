//! `cargo xtask wcet`: bounds of the time and the stack of a planner tick and of a control step, from the very image
//! that is flashed.
//!
//! ```text
//!  ELF --> thumb: instructions, cycles --> cfg: blocks, loops, calls --+
//!                                                                      +--> path: longest path --> cycles
//!  wcet.toml --> facts: bounds of loops, budgets, each with its reason +
//!                  |
//!                  +--> counted in all runs on the emulated chip: more than a fact allows is an error,
//!                       and so is a fact that no run executes
//! ```
//!
//! Cycles are those of a Cortex-M0+ whose memory never waits: `cargo xtask size` checks that nothing on the way is in
//! flash. Interrupts that preempt a tick come on top, and so do waits for a bank of RAM that DMA uses at the same time.

mod analysis;
mod cfg;
mod counts;
mod drive;
mod facts;
#[cfg(test)]
mod kernels;
mod path;
pub mod placement;
mod program;
mod thumb;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use bench_chip::{Job, Situation, world::Kind};
use clap::Args;
use serde::Serialize;
use tinystar::config;

use crate::{
    cargo::{cargo, root},
    chip::{self, Probes},
};
use analysis::Analysis;
use counts::Counts;
use facts::{File, Root};
use program::Program;

/// Facts about control flow.
const FACTS: &str = "xtask/wcet.toml";
/// Cycles in a millisecond at 125 MHz.
const MILLISECOND: f64 = 125_000.0;
/// The images whose ticks are measured, and the cells along a side of their worlds: the planner of the robot, with one
/// that senses walls, and the other preset.
const MEASURED: [(&str, u16); 2] = [("bench-maze-navigator", 65), ("bench-grid-navigator", 101)];
/// A run that executes the facts that no other does. In this world the robot is at home when it knows the path of least
/// time, so that it plans its run in the same tick.
const RARE: Job = Job {
    limit: 0, // each
    side: 12,
    world: Kind::Random,
    seed: 13,
    situation: Situation::Rare,
};
/// The root whose bound the firmware's limit is chosen by.
const PLANNER_TICK: &str = "planner tick";
/// Largest allowed ratio of a planner tick's bound to the longest tick measured in the worlds of [`MEASURED`].
const MAX_RATIO: f64 = 3.0;
/// Lines of a list.
const SHOWN: usize = 30;

#[derive(Args)]
pub struct Options {
    /// Limits of expansions per tick
    #[arg(long, value_delimiter = ',', default_values_t = [32, 64])]
    limits: Vec<u32>,
    /// ELF file; without, the firmware's for the Zumo 2040
    #[arg(long)]
    image: Option<PathBuf>,
    /// Facts about control flow
    #[arg(long, default_value_os_t = root().join(FACTS))]
    facts: PathBuf,
    /// Worlds of each kind in which ticks are measured; 0: none
    #[arg(long, default_value_t = 1)]
    seeds: u32,
    /// List the loops with their source lines and the facts at them instead
    #[arg(long)]
    loops: bool,
    /// List the bounds of functions too
    #[arg(long)]
    functions: bool,
    /// List the source lines that take most of each longest path too
    #[arg(long)]
    lines: bool,
    /// Also list each fact with the largest count of the runs
    #[arg(long)]
    counts: bool,
    /// Fail if a target is missed, or a fact is executed by no run
    #[arg(long)]
    strict: bool,
    /// One JSON object per line instead of tables
    #[arg(long)]
    json: bool,
}

/// A bound.
#[derive(Debug, Serialize)]
struct Row {
    /// `root`, `budget` (what its units cost at most, as part of the root before it), `primitive`, or `measured` (a root
    /// or primitive of the image that is measured).
    wcet: &'static str,
    name: String,
    limit: u32,
    cycles: i64,
    ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<u64>,
}

impl Row {
    /// The ratio of the bound to the longest measured.
    fn ratio(&self) -> Option<f64> {
        let measured = self.measured.filter(|cycles| *cycles > 0)?;
        Some(self.cycles as f64 / measured as f64)
    }

    /// Returns whether the row is about planner ticks in the worlds of [`MEASURED`].
    fn is_measured_tick(&self) -> bool {
        self.wcet == "measured" && self.name.starts_with(PLANNER_TICK)
    }

    /// Returns whether the bound is beyond its target.
    fn is_missed(&self) -> bool {
        self.target
            .is_some_and(|target| self.cycles > target as i64)
    }
}

pub fn run(options: &Options) -> Result<()> {
    let path = match &options.image {
        Some(path) => path.clone(),
        None => {
            cargo("fw").run_quietly()?;
            chip::path("tinystar")?
        }
    };
    let file = File::read(&options.facts)?;
    if options.loops {
        return list_loops(&path, &file);
    }
    let mut rows = bounds(&path, &file, options)?;
    let mut counts = Counts::default();
    if options.seeds > 0 {
        if options.image.is_none() {
            let longest = driven(&path, &file, &mut counts)?;
            for row in rows.iter_mut().filter(|row| row.limit == config::LIMIT) {
                row.measured = longest.get(&row.name).copied();
            }
        }
        chip::build("s")?;
        for (image, side) in MEASURED {
            rows.extend(measured(image, side, &file, options, &mut counts)?);
        }
    }
    if options.json {
        for row in &rows {
            println!("{}", serde_json::to_string(row)?);
        }
        counts.print_json()?;
    } else {
        print(&rows);
        if options.counts {
            counts.print();
        }
        if options.seeds > 0 {
            println!("{} facts hold in all runs", counts.len());
            counts
                .idle()
                .for_each(|fact| println!("  no run executes {fact}"));
        }
    }
    let idle: Vec<&str> = counts.idle().collect();
    ensure!(
        !options.strict || idle.is_empty(),
        "no run executes these facts, so nothing checks them: {}; add a run that does, or remove them",
        idle.join("; ")
    );
    for row in &rows {
        ensure!(
            row.measured
                .is_none_or(|measured| measured as i64 <= row.cycles),
            "{}: {:?} cycles were measured, more than the bound",
            row.name,
            row.measured
        );
        ensure!(
            row.name != PLANNER_TICK || row.cycles as u64 <= config::tick_cycles(row.limit),
            "{} at limit {}: more than config::tick_cycles",
            row.name,
            row.limit
        );
        ensure!(
            !options.strict
                || !row.is_measured_tick()
                || row.ratio().is_some_and(|times| times <= MAX_RATIO),
            "{} at limit {}: the bound is more than {MAX_RATIO} times what was measured",
            row.name,
            row.limit
        );
        ensure!(
            !(options.strict && row.is_missed()),
            "{} at limit {}: more than its target",
            row.name,
            row.limit
        );
    }
    Ok(())
}

/// The longest calls of the roots in a drive of the robot, by name.
fn driven(path: &Path, file: &File, counts: &mut Counts) -> Result<HashMap<String, u64>> {
    let program = Program::read(path)?;
    let analysis = Analysis::new(&program, file, root(), config::LIMIT)?;
    let mut names = HashMap::new();
    for entry in &file.root {
        names.insert(analysis.find(&entry.function)?, entry.name.clone());
    }
    let functions: Vec<u32> = names.keys().copied().collect();
    let checks = analysis.checks()?;
    let counters: Vec<_> = checks.iter().map(|check| check.counter.clone()).collect();
    let probes = Probes {
        functions: &functions,
        counted: &analysis.counted()?,
        counters: &counters,
    };
    let (calls, largest) = drive::measure(path, probes)?;
    counts.compare("a drive", &analysis, &checks, &largest)?;
    calls
        .into_iter()
        .map(|calls| {
            let name = &names[&calls.function];
            ensure!(calls.calls > 0, "{name} is not called in the drive");
            Ok((name.clone(), calls.longest))
        })
        .collect()
}

fn list_loops(path: &Path, file: &File) -> Result<()> {
    let program = Program::read(path)?;
    let analysis = Analysis::new(&program, file, root(), 1)?;
    for entry in &file.root {
        println!("{}", entry.name);
        for line in analysis.describe_loops(analysis.find(&entry.function)?)? {
            println!("{line}");
        }
    }
    Ok(())
}

/// Checks that every loop of a planner tick and of a control step has a bound, that the bounds are within their targets,
/// that no tick that is measured takes longer than its bound, and that every fact is executed in a run, within what it
/// allows.
pub fn check() -> Result<()> {
    run(&Options {
        limits: vec![config::LIMIT],
        image: None,
        facts: root().join(FACTS),
        seeds: 1,
        loops: false,
        functions: false,
        lines: false,
        counts: false,
        strict: true,
        json: false,
    })
}

/// The bounds of all roots and primitives of an image.
fn bounds(path: &Path, file: &File, options: &Options) -> Result<Vec<Row>> {
    let program = Program::read(path)?;
    let mut rows = Vec::new();
    for &limit in &options.limits {
        let analysis = Analysis::new(&program, file, root(), limit)?;
        // Another image need not have everything.
        let may_lack = options.image.is_some();
        for (number, entry) in file.root.iter().enumerate() {
            let at = match analysis.find_if_present(&entry.function)? {
                None if may_lack => continue,
                found => found.with_context(|| format!("the image lacks {}", entry.function))?,
            };
            let time = analysis.time(at)?;
            rows.push(Row {
                stack: Some(analysis.stack(at)?),
                target: target(entry, limit),
                ..row("root", entry.name.clone(), limit, time.cycles)
            });
            for paid in analysis.paid(&time)? {
                let name = format!("{} at {} cycles: {}", paid.units, paid.price, paid.name);
                rows.push(row("budget", name, limit, paid.units * paid.price));
            }
            if options.functions && !options.json {
                println!("{} at limit {limit}, without what budgets pay:", entry.name);
                for (cycles, name) in analysis.functions(at, &time.prices)?.iter().take(SHOWN) {
                    println!("  {cycles:>9} {name}");
                }
            }
            if options.lines
                && !options.json
                && let Some(cost) = analysis.longest(at, &time.prices)?
            {
                print_lines(&entry.name, &analysis.lines_of(&cost));
            }
            if number == 0 {
                for primitive in &file.primitive {
                    let name = primitive.name.clone();
                    let cost = match analysis.primitive(primitive, at, &time.prices)? {
                        None if may_lack => continue,
                        cost => cost.with_context(|| format!("the image lacks {name}"))?,
                    };
                    if options.lines && !options.json {
                        print_lines(&name, &analysis.lines_of(&cost));
                    }
                    rows.push(row("primitive", name, limit, cost.cycles));
                }
            }
        }
        ensure!(!rows.is_empty(), "the image has none of the roots");
        for fact in analysis.unused() {
            eprintln!("note: the image has nothing that this fact is about: {fact}");
        }
    }
    Ok(rows)
}

/// Prints the source lines that take most of a path; what budgets pay is not in it.
fn print_lines(name: &str, lines: &[(i64, String)]) {
    println!("{name}:");
    for (cycles, place) in lines.iter().take(SHOWN) {
        println!("  {cycles:>9} {place}");
    }
}

fn target(root: &Root, limit: u32) -> Option<u64> {
    let target = root.target.get(&limit.to_string());
    target.or_else(|| root.target.get("any")).copied()
}

fn row(wcet: &'static str, name: String, limit: u32, cycles: i64) -> Row {
    Row {
        wcet,
        name,
        limit,
        cycles,
        ms: cycles as f64 / MILLISECOND,
        stack: None,
        target: None,
        measured: None,
    }
}

/// The bounds of functions of the image that is measured, and their longest calls there: the planner's roots, and
/// primitives that are functions.
fn measured(
    image: &str,
    side: u16,
    file: &File,
    options: &Options,
    counts: &mut Counts,
) -> Result<Vec<Row>> {
    let program = Program::read(&chip::path(image)?)?;
    let mut rows = Vec::new();
    for &limit in &options.limits {
        let analysis = Analysis::new(&program, file, root(), limit)?;
        let mut tick = None;
        let mut bounds = Vec::new();
        for entry in &file.root {
            // The image has no robot to control.
            let Some(at) = analysis.find_if_present(&entry.function)? else {
                continue;
            };
            let time = analysis.time(at)?;
            let target = target(entry, limit);
            bounds.push((entry.name.as_str(), vec![at], time.cycles, target));
            tick.get_or_insert((at, time.prices));
        }
        let (at, prices) = tick.context("no root is measured")?;
        for primitive in &file.primitive {
            let Some(function) = &primitive.function_only else {
                continue;
            };
            // Not every image has all of them.
            let Some(cost) = analysis.primitive(primitive, at, &prices)? else {
                continue;
            };
            let cycles = cost.cycles;
            let functions = analysis.named(at, function)?;
            bounds.push((primitive.name.as_str(), functions, cycles, None));
        }
        let probed = bounds.iter().flat_map(|(_, at, _, _)| at);
        let functions: Vec<u32> = probed.copied().collect();
        let checks = analysis.checks()?;
        let counters: Vec<_> = checks.iter().map(|check| check.counter.clone()).collect();
        let probes = Probes {
            functions: &functions,
            counted: &analysis.counted()?,
            counters: &counters,
        };
        let mut longest = HashMap::<u32, u64>::new();
        let usual = |world, seed| Job {
            limit,
            side,
            world,
            seed,
            situation: Situation::Usual,
        };
        let worlds = Kind::ALL.into_iter();
        let jobs = worlds.flat_map(|world| (1..=options.seeds).map(move |seed| usual(world, seed)));
        for job in jobs.chain([Job { limit, ..RARE }]) {
            let run = chip::run_with_probes(image, job, chip::Watch::Laps, probes)?;
            let name = format!("{image}, {job:?}");
            counts.compare(&name, &analysis, &checks, &run.counters)?;
            for calls in run.calls {
                let known = longest.entry(calls.function).or_default();
                *known = calls.longest.max(*known);
            }
        }
        for (name, functions, cycles, target) in bounds {
            let longest = functions.iter().filter_map(|at| longest.get(at)).max();
            rows.push(Row {
                measured: longest.copied().filter(|cycles| *cycles > 0),
                target,
                ..row("measured", format!("{name}, {image}"), limit, cycles)
            });
        }
    }
    Ok(rows)
}

fn print(rows: &[Row]) {
    println!(
        "{:64} {:>5} {:>9} {:>8} {:>9} {:>9} {:>5} {:>6}",
        "", "limit", "cycles", "ms", "target", "measured", "times", "stack"
    );
    for row in rows {
        let indent = match row.wcet {
            "root" | "measured" => "",
            "budget" => "  of which ",
            _ => "  part: ",
        };
        let number = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
        println!(
            "{:64} {:>5} {:>9} {:>8.3} {:>9} {:>9} {:>5} {:>6}{}",
            format!("{indent}{}", row.name),
            row.limit,
            row.cycles,
            row.ms,
            number(row.target),
            number(row.measured),
            row.ratio()
                .map_or_else(String::new, |times| format!("{times:.1}")),
            number(row.stack.map(u64::from)),
            if row.is_missed() { "  MISSED" } else { "" }
        );
    }
}
