//! `sim mouse`: a micromouse's tour of a maze, as in a competition.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use planner_core::search::TurnCosts;
use serde::Serialize;

use crate::{
    catalog::Name,
    lab::table::{Align, Table},
    mouse::{End, Mouse, Stretch, Tale},
    output,
    world::{Maze, file},
};
use crate::{
    error::{BadInput, OrBadInput},
    options::value,
};

const EXAMPLES: &str = "\
Search to the goal, explore until the shortest way is proven, return, and run over what is known.

Examples:
  sim mouse --map maze.txt
  sim mouse --map mazes --planner rtd --limit 16 --json
  sim mouse --map maze.txt --turns 2,3        straight runs are quicker than turns";

/// Options of `mouse`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A maze, drawn or in numbers, or a folder of them
    #[arg(long, value_name = "FILE|DIR")]
    map: PathBuf,
    /// Who plans until the run
    #[arg(
        long,
        value_name = "NAME",
        default_value = "dstar-lite",
        hide_possible_values = true
    )]
    planner: Name,
    /// Expand at most N cells in a tick
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    limit: Option<u32>,
    /// What a step and a quarter turn cost in the run; otherwise only steps count
    #[arg(long, value_name = "STEP,TURN", value_parser = value::turn_costs)]
    turns: Option<TurnCosts>,
    /// Give up after so many ticks
    #[arg(long, value_name = "N", default_value_t = 10_000_000,
        value_parser = clap::value_parser!(u64).range(1..))]
    max_ticks: u64,
    /// Print one JSON object per phase, and one for the tour
    #[arg(long)]
    json: bool,
}

/// A phase, as scripts read it.
#[derive(Serialize)]
struct PhaseLine<'a> {
    planner: Name,
    map: &'a str,
    #[serde(flatten)]
    stretch: &'a Stretch,
}

/// A tour, as scripts read it.
#[derive(Serialize)]
struct TourLine<'a> {
    planner: Name,
    map: &'a str,
    outcome: End,
    solved: bool,
    /// Steps of a shortest way.
    shortest: Option<u32>,
    /// Steps of the run.
    run: Option<u64>,
    moves: u64,
    turns: u64,
    planning_ns: u64,
}

/// Sends a mouse through mazes.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.planner.is_known_map_only() {
        let planner = args.planner;
        return Err(BadInput(format!("{planner} needs a map that it knows")).into());
    }
    let mouse = Mouse {
        planner: args.planner,
        limit: args.limit,
        turns: args.turns,
        max_ticks: args.max_ticks,
    };
    let paths = file::list(&args.map, &file::MAZE_EXTENSIONS).or_bad_input()?;
    let mut faulty = 0;
    for path in &paths {
        let maze = match file::load_maze(path) {
            Ok(maze) => maze,
            // One faulty file of a folder does not keep the others from being run in.
            Err(error) if paths.len() > 1 => {
                eprintln!("error: {error}");
                faulty += 1;
                continue;
            }
            Err(error) => return Err(error).or_bad_input()?,
        };
        let tale = mouse.tour(&maze)?;
        let map = file::name(path);
        if args.json {
            print_json(args, &map, &maze, &tale)?;
        } else {
            print_text(&map, &maze, &tale)?;
        }
    }
    if faulty > 0 {
        let all = paths.len();
        return Err(BadInput(format!("{faulty} of {all} files are no mazes")).into());
    }
    Ok(())
}

fn total(tale: &Tale, value: fn(&Stretch) -> u64) -> u64 {
    tale.stretches.iter().map(value).sum()
}

fn print_json(args: &Args, map: &str, maze: &Maze, tale: &Tale) -> io::Result<()> {
    let planner = args.planner;
    for stretch in &tale.stretches {
        output::json_line(&PhaseLine {
            planner,
            map,
            stretch,
        })?;
    }
    output::json_line(&TourLine {
        planner,
        map,
        outcome: tale.end,
        solved: tale.is_solved,
        shortest: maze.shortest(),
        run: tale.run().map(|run| run.moves),
        moves: total(tale, |stretch| stretch.moves),
        turns: total(tale, |stretch| stretch.turns),
        planning_ns: total(tale, |stretch| stretch.planning_ns),
    })
}

fn print_text(map: &str, maze: &Maze, tale: &Tale) -> io::Result<()> {
    let mut table = Table::new(&[
        (map, Align::Left),
        ("moves", Align::Right),
        ("turns", Align::Right),
        ("ticks", Align::Right),
        ("expansions", Align::Right),
        ("planned in", Align::Right),
    ]);
    for stretch in &tale.stretches {
        table.push([
            stretch.phase.to_owned(),
            stretch.moves.to_string(),
            stretch.turns.to_string(),
            stretch.ticks.to_string(),
            stretch.expansions.to_string(),
            output::duration(stretch.planning_ns),
        ]);
    }
    let shortest = maze
        .shortest()
        .map_or("none".to_owned(), |steps| steps.to_string());
    let end = match tale.end {
        End::Done if tale.is_solved => "Solved",
        End::Done => "Done",
        End::Unreachable => "There is no way",
        End::GaveUp => "Gave up",
    };
    writeln!(
        io::stdout().lock(),
        "{table}{end}; the shortest way: {shortest}.\n"
    )
}
