//! `sim mouse`: a micromouse in a maze, as in a competition.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use planner_core::search::TurnCosts;
use serde::Serialize;

use super::mazes::Mazes;
use crate::{
    catalog::Name,
    error::BadInput,
    lab::table::Table,
    micromouse::{Mouse, MouseRun, PhaseRecord},
    options::{planner::PlannerName, value},
    output,
    walk::Outcome,
    world::Maze,
};

const EXAMPLES: &str = "\
Searches for the goal, explores until the shortest path is proven, returns, and
runs through known cells.

Examples:
  sim mouse                                   the bundled mazes
  sim mouse --map maze.txt
  sim mouse --map mazes --planner rtd-tba --limit 16 --json
  sim mouse --map maze.txt --turns 2,3        straight runs are quicker than turns";

/// Options of `mouse`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Maze file (.txt or .num), or a folder of them [default: the bundled mazes]
    #[arg(long, value_name = "FILE|DIR")]
    map: Option<PathBuf>,
    #[command(flatten)]
    planner: PlannerName,
    /// Most expansions per tick [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    limit: Option<u32>,
    /// Costs of a step and of a quarter turn in the run [default: only steps count]
    #[arg(long, value_name = "STEP,TURN", value_parser = value::turn_costs)]
    turns: Option<TurnCosts>,
    /// Give up after this many ticks
    #[arg(long, value_name = "N", default_value_t = 10_000_000,
        value_parser = clap::value_parser!(u64).range(1..))]
    max_ticks: u64,
    /// Print one JSON object per phase, and one for the whole run
    #[arg(long)]
    json: bool,
}

/// The JSON object of a phase.
#[derive(Serialize)]
struct PhaseLine<'a> {
    planner: Name,
    map: &'a str,
    #[serde(flatten)]
    phase: &'a PhaseRecord,
}

/// The JSON object of a whole run.
#[derive(Serialize)]
struct RunLine<'a> {
    planner: Name,
    map: &'a str,
    /// `done`, `unreachable` or `gave-up`.
    outcome: &'static str,
    solved: bool,
    /// Steps of a shortest path.
    shortest: Option<u32>,
    /// Steps of the run.
    run: Option<u64>,
    moves: u64,
    turns: u64,
    planning_ns: u64,
}

/// Sends a mouse through mazes.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let mouse = Mouse {
        planner: args.planner.for_unknown_map()?,
        limit: args.limit,
        turn_costs: args.turns,
        max_ticks: args.max_ticks,
    };
    let Mazes { mazes, faulty } = Mazes::load(args.map.as_deref())?;
    for (map, maze) in &mazes {
        let run = mouse.run(maze)?;
        if args.json {
            print_json(args, map, maze, &run)?;
        } else {
            print_text(map, maze, &run)?;
        }
    }
    if faulty > 0 {
        let all = mazes.len() + faulty;
        return Err(BadInput(format!("{faulty} of {all} files are no mazes")).into());
    }
    Ok(())
}

fn total(run: &MouseRun, value: fn(&PhaseRecord) -> u64) -> u64 {
    run.phases.iter().map(value).sum()
}

fn print_json(args: &Args, map: &str, maze: &Maze, run: &MouseRun) -> io::Result<()> {
    let planner = args.planner.planner;
    for phase in &run.phases {
        output::json_line(&PhaseLine {
            planner,
            map,
            phase,
        })?;
    }
    output::json_line(&RunLine {
        planner,
        map,
        outcome: match run.outcome {
            Outcome::Arrived => "done",
            Outcome::Unreachable => "unreachable",
            Outcome::GaveUp => "gave-up",
        },
        solved: run.is_solved,
        shortest: maze.shortest(),
        run: run.run().map(|run| run.moves),
        moves: total(run, |phase| phase.moves),
        turns: total(run, |phase| phase.turns),
        planning_ns: total(run, |phase| phase.planning_ns),
    })
}

fn print_text(map: &str, maze: &Maze, run: &MouseRun) -> io::Result<()> {
    let headings = [map, "moves", "turns", "ticks", "expansions", "planned in"];
    let mut table = Table::new(headings);
    for phase in &run.phases {
        table.push([
            phase.phase.to_owned(),
            phase.moves.to_string(),
            phase.turns.to_string(),
            phase.ticks.to_string(),
            phase.expansions.to_string(),
            output::duration(phase.planning_ns),
        ]);
    }
    let shortest = maze
        .shortest()
        .map_or("none".to_owned(), |steps| steps.to_string());
    let end = match run.outcome {
        Outcome::Arrived if run.is_solved => "Solved",
        Outcome::Arrived => "Done",
        Outcome::Unreachable => "No path",
        Outcome::GaveUp => "Gave up",
    };
    writeln!(
        io::stdout().lock(),
        "{table}{end}; shortest path: {shortest}.\n"
    )
}
