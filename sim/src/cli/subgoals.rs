//! `sim subgoals`: the subgoal trees of a map, in a file.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use planner_core::{
    Cell,
    graph::{Eight, Four, Moves as MoveKind},
    map::{AsFree, Map},
    subgoal::{
        ExitRule, Tree as _,
        packed::{Cover, fingerprint},
    },
};
use serde::Serialize;

use crate::{
    catalog::Moves,
    error::{BadInput, OrBadInput},
    lab::progress,
    options::value,
    output::{self, count, duration, grouped},
    subgoals,
    world::{Grid, MarkedGrid, bundled, file, scenario::check_free},
};

/// Options of `subgoals`.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A subgoal tree leads a robot around every dead end of a known map, with one
expansion per move (Hernández & Baier 2011). It belongs to one goal, one map and
one set of moves. A file of one or a few trees also holds the first subgoal of
every cell; the file of --all does not.

Examples:
  sim subgoals                       the bundled cave, nothing written
  sim subgoals --map cave.txt -o cave.sub
  sim run --map cave.txt --known --planner subgoal-lrta --tree cave.sub
  sim subgoals --map den601d.map --moves 8 --all -o den601d.sub --json")]
pub struct Args {
    /// Map file: a MovingAI `.map`, or text with `#` blocked and `.` free [default: the bundled cave]
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,

    /// Goal of a tree; may be repeated [default: the map's own]
    #[arg(long, value_name = "X,Y", value_parser = value::cell, conflicts_with = "all")]
    goal: Vec<Cell>,

    /// Build a tree for every free cell
    #[arg(long)]
    all: bool,

    /// Number of directions to move in; with 8, never across a blocked corner
    #[arg(long, value_name = "4|8", default_value = "4", value_parser = value::moves)]
    moves: Moves,

    /// The file to write [default: none]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The JSON object of the trees.
#[derive(Serialize)]
struct Report {
    map: String,
    /// Fingerprint of the map, eight hexadecimal digits; also in the file.
    fingerprint: String,
    cells: usize,
    moves: u8,
    trees: usize,
    /// Subgoals of all trees, goals included.
    nodes: u64,
    smallest: usize,
    largest: usize,
    bytes: usize,
    expansions: u64,
    /// Time to build, on all processors.
    build_ns: u64,
}

/// One packed tree.
struct Grown {
    bytes: Vec<u8>,
    nodes: usize,
    expansions: u64,
}

/// Builds trees and writes them.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let (map, loaded) = match &args.map {
        Some(path) => (file::name(path), file::load_grid(path).or_bad_input()?),
        None => (bundled::CAVE.to_owned(), bundled::cave().or_bad_input()?),
    };
    let goals = goals(args, &map, &loaded)?;
    let report = match args.moves {
        Moves::Four => grow::<Four>(args, map, &loaded.grid, &goals),
        Moves::Eight => grow::<Eight>(args, map, &loaded.grid, &goals),
    }?;
    if args.json {
        output::json_line(&report)?;
    } else {
        summarize(&mut io::stdout().lock(), &report, args.out.as_deref())?;
    }
    Ok(())
}

/// The goals, row by row and each once.
fn goals(args: &Args, map: &str, loaded: &MarkedGrid) -> Result<Vec<Cell>, BadInput> {
    let grid = &loaded.grid;
    if args.all {
        let goals: Vec<Cell> = grid.free_cells().collect();
        return match goals.is_empty() {
            true => Err(BadInput(format!("{map}: no cell is free"))),
            false => Ok(goals),
        };
    }
    let mut goals = args.goal.clone();
    if goals.is_empty() {
        goals.extend(loaded.goal);
    }
    if goals.is_empty() {
        return Err(BadInput(format!(
            "{map} marks no goal; use --goal or --all"
        )));
    }
    for &goal in &goals {
        check_free(grid, "goal", goal)?;
    }
    goals.sort_by_key(|goal| (goal.y, goal.x));
    goals.dedup();
    Ok(goals)
}

fn grow<M: MoveKind + Send + Sync>(
    args: &Args,
    map: String,
    grid: &Grid,
    goals: &[Cell],
) -> anyhow::Result<Report> {
    let known = subgoals::known_map::<M>(grid).or_bad_input()?;
    let cover = match args.all {
        true => Cover::LeftOut,
        false => Cover::Written,
    };
    let progress = progress::bar("subgoals", goals.len() as u64);
    let begin = Instant::now();
    let trees = subgoals::grow_each(&known, ExitRule::default(), goals, |tree, work| {
        progress.inc(1);
        subgoals::packed_tree(tree, grid, cover).map(|bytes| Grown {
            bytes,
            nodes: tree.len(),
            expansions: work.expansions.into(),
        })
    });
    progress.finish_and_clear();
    let build_ns = begin.elapsed().as_nanos() as u64;
    let complain = |error: &dyn std::error::Error| BadInput(format!("{map}: {error}"));
    let trees = trees.map_err(|error| complain(&error))?;
    let trees: Vec<Grown> = trees
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|error| complain(&error))?;

    let sizes = || trees.iter().map(|tree| tree.nodes);
    let mut report = Report {
        map: map.clone(),
        fingerprint: format!("{:08x}", fingerprint(&known.view::<AsFree>())),
        cells: grid.free_cells().count(),
        moves: M::COUNT as u8,
        trees: trees.len(),
        nodes: sizes().map(|nodes| nodes as u64).sum(),
        smallest: sizes().min().unwrap_or(0),
        largest: sizes().max().unwrap_or(0),
        bytes: 0,
        expansions: trees.iter().map(|tree| tree.expansions).sum(),
        build_ns,
    };
    let trees: Vec<Vec<u8>> = trees.into_iter().map(|tree| tree.bytes).collect();
    let bytes =
        subgoals::pack(&known.view::<AsFree>(), &trees, cover).map_err(|error| complain(&error))?;
    report.bytes = bytes.len();
    if let Some(path) = &args.out {
        output::write_file(path, bytes)?;
    }
    Ok(report)
}

fn summarize(out: &mut impl Write, report: &Report, file: Option<&Path>) -> io::Result<()> {
    writeln!(
        out,
        "{} for {}, {} moves: {} ({} to {} a tree).",
        count(report.trees as u64, "tree", "trees"),
        report.map,
        report.moves,
        count(report.nodes, "subgoal", "subgoals"),
        report.smallest,
        report.largest,
    )?;
    writeln!(
        out,
        "Built in {}: {}.",
        duration(report.build_ns),
        count(report.expansions, "expansion", "expansions"),
    )?;
    let bytes = grouped(report.bytes as u64);
    match file {
        Some(file) => writeln!(out, "Wrote {bytes} bytes to {}.", file.display()),
        None => writeln!(out, "A file of {bytes} bytes; -o FILE writes it."),
    }
}
