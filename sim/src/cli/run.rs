//! `sim run`: one robot, one walk.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::Parser;
use planner_core::{Cell, Inspect, Stats};
use serde::Serialize;
use svg::Document;

use crate::{
    catalog::{self, Mind, Moves, Name, Task},
    error::BadInput,
    options::{planner::PlannerOptions, world::WorldOptions},
    output::{self, count, duration, grouped},
    subgoals,
    view::{Scene, gif::Film, maze as maze_view, svg as picture, terminal::Animation, text},
    walk::{Outcome, Rules, Walk, walk, walk_in},
    world::{Scenario, World},
};

const EXAMPLES: &str = "\
Examples:
  sim run                                            the default maze, animated
  sim run --maze 61x35 --open 40 --seed 7            another maze
  sim run --random 79x39 --density 0.35 --moves 8    a field of obstacles, diagonal moves too
  sim run --rooms 70x36 --limit 10                   at most 10 expansions in each tick
  sim run --rooms 70x36 --doors 0.5 --planner rtd --limit 16 --moves 8
                                                     doors that open and close on the way
  sim run --map arena.map --start 1,11 --goal 40,12 --svg arena.svg
  sim run --rooms 70x36 --gif rooms.gif               a film of the walk
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

    /// Follow the tree in this file of `sim subgoals`, with the planner subgoal-lrta
    #[arg(long, value_name = "FILE", requires = "known")]
    tree: Option<PathBuf>,

    /// Give up after so many ticks
    #[arg(long, value_name = "N", default_value_t = 10_000_000,
        value_parser = clap::value_parser!(u64).range(1..))]
    max_ticks: u64,

    #[command(flatten)]
    world: WorldOptions,

    /// Draw what the robot knows at the end, and the way it took
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    svg: Option<PathBuf>,

    /// Film the walk
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    gif: Option<PathBuf>,

    /// Print one JSON object instead of pictures and text
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Put the cells walked into the JSON object, or below the text
    #[arg(long, help_heading = "Output")]
    trail: bool,

    /// Print the summary alone, without animation or picture
    #[arg(long, short, visible_alias = "no-watch", help_heading = "Output")]
    quiet: bool,
}

/// What one walk was like, as scripts read it.
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

/// A walk and what was to be kept of the planner.
struct Done {
    walk: Walk,
    stats: Stats,
    svg: Option<Document>,
    text: Option<String>,
}

/// Walks a robot through a world.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let place = args.world.scenario()?;
    let has_cells_options = args.planner.moves == Moves::Eight || args.planner.sense.is_some();
    if matches!(place.world, World::Walls(_)) && (has_cells_options || args.tree.is_some()) {
        let rule = "in a maze a robot moves in 4 directions and sees the walls around its cell";
        return Err(BadInput(format!("{}: {rule}", place.name)).into());
    }
    let tree = args.tree.as_deref().map(|path| read_tree(args, path));
    let sensor = (!args.world.is_known(&args.planner)).then(|| args.planner.sensor());
    let trip = Trip {
        args,
        place: &place,
        tree: tree.transpose()?,
        rules: Rules {
            sensor: sensor.as_ref(),
            doors: place.doors.as_ref(),
            budget: args.planner.budget(),
            max_ticks: args.max_ticks,
        },
    };

    // The walk is measured first and watched afterwards: drawing would disturb the clock, and the
    // animation has to know how long it will be.
    let done = trip.measure()?;
    if let (Some(path), Some(svg)) = (&args.svg, &done.svg) {
        svg::save(path, svg).with_context(|| path.display().to_string())?;
    }
    let report = report(args, &place, &done);
    if let Some(path) = &args.gif {
        trip.film(path, report.ticks)
            .with_context(|| path.display().to_string())?;
    }
    if args.json {
        return Ok(output::json_line(&report)?);
    }
    if !args.quiet && !trip.watch(report.ticks)? {
        let picture = done.text.as_deref().unwrap_or_default();
        io::stdout().lock().write_all(picture.as_bytes())?;
    }
    summarise(&mut io::stdout().lock(), &report)?;
    Ok(())
}

/// One planner's way through one place.
struct Trip<'a> {
    args: &'a Args,
    place: &'a Scenario,
    /// The content of the file of trees, if there is one to follow.
    tree: Option<Vec<u8>>,
    rules: Rules<'a>,
}

fn read_tree(args: &Args, path: &Path) -> Result<Vec<u8>, BadInput> {
    let (planner, path_text) = (args.planner.planner, path.display());
    if planner != Name::SubgoalLrta {
        return Err(BadInput(format!("{planner} follows no subgoal trees")));
    }
    fs::read(path).map_err(|error| BadInput(format!("{path_text}: {error}")))
}

impl Trip<'_> {
    fn with_planner<R>(&self, user: impl FnOnce(&mut dyn Mind) -> R) -> anyhow::Result<R> {
        let (planner, map) = (self.args.planner.planner, &self.place.name);
        let bad_input = |error| BadInput(format!("{planner} on {map}: {error}")).into();
        let is_known = self.args.world.is_known(&self.args.planner);
        let size = match &self.place.world {
            World::Cells(grid) => (grid.width(), grid.height()),
            World::Walls(maze) => (maze.width(), maze.height()),
        };
        let mut task = Task {
            moves: self.args.planner.moves,
            look_ahead: self.args.planner.limit.unwrap_or(catalog::LOOK_AHEAD),
            local_percent: self.args.planner.local_ratio,
            ..Task::new(size, self.place.start, self.place.goal)
        };
        let user = |planner: &mut dyn Mind| user(planner);
        let grid = match &self.place.world {
            World::Cells(grid) => grid,
            World::Walls(maze) => {
                return catalog::with_mouse(planner, maze, is_known, task, user).map_err(bad_input);
            }
        };
        task.known = is_known.then_some(grid);
        if let (Some(path), Some(bytes)) = (&self.args.tree, &self.tree) {
            return subgoals::with_packed(bytes, grid, task.moves, task.goal, user)
                .map_err(|error| BadInput(format!("{}: {error}", path.display())).into());
        }
        catalog::with_planner(planner, task, user).map_err(bad_input)
    }

    fn walk(&self, planner: &mut dyn Mind, watch: impl FnMut(&dyn Mind, Cell)) -> Walk {
        let start = self.place.start;
        match &self.place.world {
            World::Cells(grid) => walk(planner, grid, start, self.rules, watch),
            World::Walls(maze) => {
                let limits = (self.rules.budget, self.rules.max_ticks);
                walk_in(planner, &mut &*maze, start, limits, watch)
            }
        }
    }

    /// Columns and rows of the picture.
    fn size(&self) -> (u16, u16) {
        match &self.place.world {
            World::Cells(grid) => (grid.width(), grid.height()),
            World::Walls(maze) => maze_view::size(maze),
        }
    }

    /// Shows a robot that has come along a trail.
    fn show<R>(
        &self,
        planner: &dyn Mind,
        trail: &[Cell],
        show: impl FnOnce(&Scene<'_>, &[Cell]) -> R,
    ) -> R {
        let Scenario { start, goal, .. } = *self.place;
        let robot = *trail.last().unwrap_or(&start);
        let draw = |planner: &dyn Inspect, [start, goal, robot]: [Cell; 3], trail: &[Cell]| {
            let scene = Scene {
                planner,
                size: self.size(),
                start,
                goal,
                robot,
                walked: &trail.iter().copied().collect(),
            };
            show(&scene, trail)
        };
        match &self.place.world {
            World::Cells(_) => draw(planner, [start, goal, robot], trail),
            World::Walls(maze) => {
                let drawn = maze_view::Drawn::new(planner, maze, trail);
                let places = [start, goal, robot].map(maze_view::place);
                draw(&drawn, places, &maze_view::trail(trail))
            }
        }
    }

    fn measure(&self) -> anyhow::Result<Done> {
        self.with_planner(|planner| {
            let walk = self.walk(planner, |_, _| ());
            let heading = format!("{} on {}", self.args.planner.planner, self.place.name);
            let (svg, text) = self.show(planner, &walk.trail, |scene, trail| {
                let svg = self.args.svg.as_ref();
                let svg = svg.map(|_| picture::draw(scene, trail, &heading));
                (svg, text::draw(scene))
            });
            Done {
                svg,
                text,
                stats: *planner.stats(),
                walk,
            }
        })
    }

    /// Films a walk of so many ticks.
    fn film(&self, path: &Path, ticks: u64) -> anyhow::Result<()> {
        let mut film = Film::new(path, self.size(), ticks)?;
        self.replay(|planner, trail| match film.tick() {
            true => self.show(planner, trail, |scene, _| film.show(scene)),
            false => Ok(()),
        })
    }

    /// Walks again, and shows each tick and the trail so far, as long as that goes well.
    fn replay(
        &self,
        mut show: impl FnMut(&dyn Mind, &[Cell]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut trail = vec![self.place.start];
        let mut shown = Ok(());
        self.with_planner(|planner| {
            self.walk(planner, |planner, robot| {
                if trail.last() != Some(&robot) {
                    trail.push(robot);
                }
                if shown.is_ok() {
                    shown = show(planner, &trail);
                }
            });
        })?;
        shown
    }

    /// Shows a walk of so many ticks in the terminal; `false` when there is none to show it in.
    fn watch(&self, ticks: u64) -> anyhow::Result<bool> {
        let Some(mut animation) = Animation::new(self.size(), ticks) else {
            return Ok(false);
        };
        self.replay(|planner, trail| match animation.tick() {
            true => Ok(self.show(planner, trail, |scene, _| animation.show(scene))?),
            false => Ok(()),
        })?;
        Ok(true)
    }
}

fn report<'a>(args: &Args, place: &'a Scenario, done: &Done) -> Report<'a> {
    let Done { walk, stats, .. } = done;
    let pair = |cell: Cell| [cell.x, cell.y];
    Report {
        planner: args.planner.planner,
        map: &place.name,
        seed: args.world.seed,
        start: pair(place.start),
        goal: pair(place.goal),
        outcome: walk.outcome,
        moves: walk.moves(),
        cost: walk.cost(),
        searches: stats.searches,
        expansions: stats.total.expansions,
        requeues: stats.total.requeues,
        ticks: walk.tick_ns.len() as u64,
        waits: walk.waits,
        max_expansions_per_tick: stats.most.expansions,
        max_requeues_per_tick: stats.most.requeues,
        max_queue_ops_per_tick: stats.most.queue_ops,
        planning_ns: walk.planning_ns(),
        trail: args
            .trail
            .then(|| walk.trail.iter().copied().map(pair).collect()),
    }
}

fn summarise(out: &mut impl Write, report: &Report<'_>) -> io::Result<()> {
    let ([sx, sy], [gx, gy]) = (report.start, report.goal);
    let moves = count(report.moves, "move", "moves");
    writeln!(
        out,
        "{} on {}, seed {}, from {sx},{sy} to {gx},{gy}",
        report.planner, report.map, report.seed
    )?;
    match report.outcome {
        Outcome::Arrived => write!(out, "Arrived after {moves}")?,
        Outcome::Unreachable => write!(out, "There is no way: sure of it after {moves}")?,
        Outcome::GaveUp => write!(out, "Gave up after {moves}")?,
    }
    if report.cost != report.moves as f64 {
        write!(out, " (length {:.2})", report.cost)?;
    }
    let ticks = count(report.ticks, "tick", "ticks");
    match report.waits {
        0 => writeln!(out, ", {ticks}.")?,
        waits => writeln!(out, ", {ticks} ({} spent thinking).", grouped(waits))?,
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
