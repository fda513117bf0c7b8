//! `sim run`: one planner in one scenario.

use std::{
    fs,
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use clap::Parser;
use planner_core::{Cell, Stats};
use serde::Serialize;

use crate::{
    catalog::{self, AnyPlanner, Moves, Name, Task},
    environment::SimulatedWorld,
    error::BadInput,
    options::{planner::PlannerOptions, world::WorldOptions},
    output::{self, count, duration, grouped},
    subgoals,
    view::{
        Recording, Snapshot, drawn_size, drawn_trail, gif::Film, svg as svg_view,
        terminal::Animation, text,
    },
    walk::{Limits, Outcome, Walk, walk_watched},
    world::{Scenario, World},
};

const EXAMPLES: &str = "\
Examples:
  sim run                                          the default maze, animated
  sim run --maze 61x35 --open 40 --seed 7          another maze
  sim run --random 79x39 --density 0.35 --moves 8  obstacles, diagonal moves too
  sim run --rooms 70x36 --limit 10                 at most 10 expansions in a tick
  sim run --rooms 70x36 --doors 0.5 --planner rtd-tba --limit 16 --moves 8
                                                   doors that open and close
  sim run --map arena.map --start 1,11 --goal 40,12 --svg arena.svg
  sim run --rooms 70x36 --gif rooms.gif            an animation in a file
  sim run --maze 201x201 --open 750 --planner forward-astar --json

A map of your own is a text file:
  S.#.....
  ..#.###.
  ........
  .####..G";

/// Options of `run`.
#[derive(Parser, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    planner: PlannerOptions,

    /// Follow the subgoal tree in this file of `sim subgoals`, with the planner subgoal-lrta
    #[arg(long, value_name = "FILE", requires = "known")]
    tree: Option<PathBuf>,

    /// Give up after this many ticks
    #[arg(long, value_name = "N", default_value_t = 10_000_000,
        value_parser = clap::value_parser!(u64).range(1..))]
    max_ticks: u64,

    #[command(flatten)]
    world: WorldOptions,

    /// Draw the planner's map at the end, and the trail
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    svg: Option<PathBuf>,

    /// Draw the run as an animation: the world, and beside it what the robot knows
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    gif: Option<PathBuf>,

    /// Print one JSON object instead of pictures and text
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Add the cells walked to the JSON object, or to the text
    #[arg(long, help_heading = "Output")]
    trail: bool,

    /// Print the summary only
    #[arg(long, short, visible_alias = "no-watch", help_heading = "Output")]
    quiet: bool,
}

/// The JSON object of a run.
#[derive(Serialize)]
struct Report<'a> {
    planner: Name,
    map: &'a str,
    seed: u64,
    start: [u16; 2],
    goal: [u16; 2],
    outcome: Outcome,
    moves: u64,
    cost: f64,
    searches: u32,
    expansions: u64,
    requeues: u64,
    ticks: u64,
    waits: u64,
    max_expansions_per_tick: u32,
    max_requeues_per_tick: u32,
    max_queue_ops_per_tick: u32,
    planning_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    trail: Option<Vec<[u16; 2]>>,
}

/// A finished run, with what was recorded of it.
struct Run {
    walk: Walk,
    stats: Stats,
    /// The planner's map at the end, if it is to be drawn.
    end: Option<Snapshot>,
    recording: Recording,
    film: Film,
}

/// Runs a planner in a scenario.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let scenario = args.world.scenario()?;
    let has_cells_options = args.planner.moves == Moves::Eight || args.planner.sense.is_some();
    if matches!(scenario.world, World::Walls(_)) && (has_cells_options || args.tree.is_some()) {
        let rule = "in a maze a robot moves in 4 directions and senses the walls around its cell";
        return Err(BadInput(format!("{}: {rule}", scenario.name)).into());
    }
    let size = drawn_size(&scenario.world);
    let animation = (!args.json && !args.quiet).then(|| Animation::new(size));
    let mut animation = animation.flatten();
    let tree = args.tree.as_deref().map(|path| read_tree(args, path));
    let tree = tree.transpose()?;
    let mut planner = build_planner(args, &scenario, tree.as_deref())?;
    let run = record(args, &scenario, &mut *planner, animation.is_some())?;

    if let (Some(path), Some(end)) = (&args.svg, &run.end) {
        let heading = format!("{} on {}", args.planner.planner(), scenario.name);
        let trail = drawn_trail(&scenario.world, &run.walk.trail);
        let svg = svg_view::draw(end, &trail, &heading);
        svg::save(path, &svg).map_err(|error| output::unwritable(path, &error))?;
    }
    if let Some(path) = &args.gif {
        run.film.write(path)?;
    }
    let report = report(args, &scenario, &run);
    if args.json {
        return Ok(output::json_line(&report)?);
    }
    match &mut animation {
        Some(animation) => animation.play(&run.recording)?,
        None if args.quiet => {}
        None => {
            let picture = run.end.as_ref().and_then(text::draw).unwrap_or_default();
            io::stdout().lock().write_all(picture.as_bytes())?;
        }
    }
    summarize(&mut io::stdout().lock(), &report)?;
    Ok(())
}

/// The content of a file of subgoal trees.
fn read_tree(args: &Args, path: &Path) -> Result<Vec<u8>, BadInput> {
    let planner = args.planner.planner();
    if planner != Name::SubgoalLrta {
        return Err(BadInput(format!("{planner} follows no subgoal trees")));
    }
    fs::read(path).map_err(|error| BadInput(format!("{}: {error}", path.display())))
}

/// Builds the planner that the options choose.
fn build_planner<'t>(
    args: &Args,
    scenario: &Scenario,
    tree: Option<&'t [u8]>,
) -> Result<Box<dyn AnyPlanner + 't>, BadInput> {
    let (options, map) = (&args.planner, &scenario.name);
    let planner = options.planner();
    let is_known = args.world.is_known(options);
    let task = Task {
        moves: options.moves,
        limit: options.limit,
        local_percent: options.local_ratio,
        goals: scenario.goals(),
        ..Task::new(scenario.world.size(), scenario.start, &scenario.goal)
    };
    if let (Some(path), Some(bytes), World::Cells(grid)) = (&args.tree, tree, &scenario.world) {
        let ends = (scenario.start, scenario.goal);
        return subgoals::packed_planner(bytes, grid, task.moves, ends)
            .map_err(|error| BadInput(format!("{}: {error}", path.display())));
    }
    catalog::build_planner_in(planner, &scenario.world, is_known, &task)
        .map_err(|error| BadInput(format!("{planner} on {map}: {error}")))
}

/// Runs a planner, and records the run if it is to be animated or saved.
fn record(
    args: &Args,
    scenario: &Scenario,
    planner: &mut dyn AnyPlanner,
    is_animated: bool,
) -> anyhow::Result<Run> {
    let sensor = (!args.world.is_known(&args.planner)).then(|| args.planner.sensor());
    let mut world = SimulatedWorld::new(scenario.world.clone(), sensor, scenario.doors.clone());
    let limits = Limits::new(args.planner.limit, args.max_ticks);
    let (mut recording, mut film) = (Recording::default(), Film::default());
    let (mut trail, mut ticks) = (vec![scenario.start], 0);
    let start = scenario.start;
    let walk = walk_watched(
        planner,
        &mut world,
        start,
        limits,
        |planner, world, tick| {
            ticks += 1;
            if trail.last() != Some(&tick.at) {
                trail.push(tick.at);
            }
            let is_last = tick.outcome.is_some() || ticks == args.max_ticks;
            let draw = || Snapshot::new(scenario, planner, &trail);
            if is_animated {
                recording.tick(is_last, draw);
            }
            if args.gif.is_some() {
                film.tick(is_last, || (draw(), world.world()));
            }
            Ok(ControlFlow::Continue(()))
        },
    )?;
    let is_drawn = args.svg.is_some() || !(args.json || args.quiet || is_animated);
    Ok(Run {
        end: is_drawn.then(|| Snapshot::new(scenario, planner, &walk.trail)),
        stats: *planner.stats(),
        walk,
        recording,
        film,
    })
}

fn report<'a>(args: &Args, scenario: &'a Scenario, run: &Run) -> Report<'a> {
    let Run { walk, stats, .. } = run;
    let pair = |cell: Cell| [cell.x, cell.y];
    Report {
        planner: args.planner.planner(),
        map: &scenario.name,
        seed: args.world.seed,
        start: pair(scenario.start),
        goal: pair(scenario.goal),
        outcome: walk.outcome,
        moves: walk.moves(),
        cost: walk.cost(),
        searches: stats.searches,
        expansions: stats.total.expansions,
        requeues: stats.total.requeues,
        ticks: walk.ticks(),
        waits: walk.waits,
        max_expansions_per_tick: stats.max_per_tick.expansions,
        max_requeues_per_tick: stats.max_per_tick.requeues,
        max_queue_ops_per_tick: stats.max_per_tick.queue_ops,
        planning_ns: walk.planning_ns(),
        trail: args
            .trail
            .then(|| walk.trail.iter().copied().map(pair).collect()),
    }
}

fn summarize(out: &mut impl Write, report: &Report<'_>) -> io::Result<()> {
    let ([sx, sy], [gx, gy]) = (report.start, report.goal);
    let moves = count(report.moves, "move", "moves");
    writeln!(
        out,
        "{} on {}, seed {}, from {sx},{sy} to {gx},{gy}",
        report.planner, report.map, report.seed
    )?;
    match report.outcome {
        Outcome::Arrived => write!(out, "Arrived after {moves}")?,
        Outcome::Unreachable => write!(out, "No path; proven after {moves}")?,
        Outcome::GaveUp => write!(out, "Gave up after {moves}")?,
    }
    if report.cost != report.moves as f64 {
        write!(out, " (length {:.2})", report.cost)?;
    }
    let ticks = count(report.ticks, "tick", "ticks");
    match report.waits {
        0 => writeln!(out, ", {ticks}.")?,
        waits => writeln!(out, ", {ticks} ({} waiting).", grouped(waits))?,
    }
    writeln!(
        out,
        "Planned in {}: {}, {}, at most {} in one tick.",
        duration(report.planning_ns),
        count(report.searches.into(), "search", "searches"),
        count(report.expansions, "expansion", "expansions"),
        grouped(report.max_expansions_per_tick.into()),
    )?;
    if let Some(trail) = &report.trail {
        let cells: Vec<String> = trail.iter().map(|[x, y]| format!("{x},{y}")).collect();
        writeln!(out, "Trail: {}", cells.join(" "))?;
    }
    Ok(())
}
