//! `sim scen`: path lengths against those of a MovingAI scenario.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::bail;
use clap::builder::RangedU64ValueParser;
use planner_core::Cell;
use rayon::prelude::*;
use serde::Serialize;

use crate::{
    catalog::{Moves, Name, Task, build_planner},
    environment::KnownWorld,
    error::{BadInput, OrBadInput},
    lab::progress,
    options::planner::PlannerName,
    output::{self, count, duration},
    walk::{Limits, Outcome, walk},
    world::{
        Grid, file,
        movingai::{self, Query, QueryError},
    },
};

/// Tolerance of lengths: the files round to a hundred-thousandth of a cell, and the planners' integer costs
/// are off by a few millionths of the length.
const TOLERANCE: f64 = 0.01;

/// Queries solved before their results are printed.
const CHUNK: usize = 64;

/// Options of `scen`.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The robot knows the map and moves in eight directions, never across a blocked
corner, as in the benchmark. A length is ok if it is within 0.01 of the one in
the file. The exit code is 1 if one is not, or if a start or goal is blocked.
Queries with length 0 between two cells without a path are counted apart.

Maps and scenarios: https://movingai.com/benchmarks/grids.html

Examples:
  sim scen arena.map.scen
  sim scen maze512-8-0.map.scen --planner forward-astar --stride 50
  sim scen arena.map.scen --map elsewhere/arena.map --json")]
pub struct Args {
    /// Scenario file (MovingAI `.scen`)
    #[arg(value_name = "FILE")]
    scen: PathBuf,

    #[command(flatten)]
    planner: PlannerName,

    /// Map file [default: the one that the queries name, beside the scenario]
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,

    /// Answer every K-th query only
    #[arg(long, value_name = "K", default_value_t = 1,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    stride: usize,

    /// Most queries to answer [default: all]
    #[arg(long, value_name = "N",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    queries: Option<usize>,

    /// Print one JSON object per query, and one for all of them
    #[arg(long)]
    json: bool,
}

/// A query and the map that it is about.
struct Problem<'a> {
    /// Counted from 0, as the queries stand in the file.
    index: usize,
    query: &'a Query,
    map: &'a Map,
}

/// A map and its file's name.
struct Map {
    name: String,
    grid: Grid,
}

#[derive(Serialize)]
struct Answer<'a> {
    map: &'a str,
    query: usize,
    optimal: f64,
    /// `None` when no path was found.
    length: Option<f64>,
    ok: bool,
    /// True if the file gives the length 0 and there is no path: no path is what it means.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    no_path: bool,
}

#[derive(Serialize)]
struct Total {
    queries: usize,
    ok: usize,
    /// Queries of length 0 between cells without a path.
    no_path: usize,
}

/// Answers the queries of a scenario.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let queries = file::load_scen(&args.scen).or_bad_input()?;
    let maps = load_maps(args, &queries)?;
    let problems = queries
        .iter()
        .enumerate()
        .step_by(args.stride)
        .take(args.queries.unwrap_or(usize::MAX))
        .map(|(index, query)| {
            let map = &maps[query.map.as_str()];
            let problem = Problem { index, query, map };
            match movingai::check(query, &map.grid) {
                // Some published scenarios have such queries: one that fails, among others.
                Ok(()) | Err(QueryError::Blocked(_)) => Ok(problem),
                Err(error) => Err(bad_query(args, &problem, &error)),
            }
        })
        .collect::<Result<Vec<_>, _>>()?;

    let begin = Instant::now();
    let progress = progress::bar("scen", problems.len() as u64);
    let mut failed = Vec::new();
    let mut no_path = 0;
    for chunk in problems.chunks(CHUNK) {
        let answers: Vec<_> = chunk
            .par_iter()
            .map(|problem| {
                answer(args.planner.planner, problem)
                    .map_err(|error| bad_query(args, problem, &*error))
            })
            .collect::<Result<_, _>>()?;
        if args.json {
            progress.suspend(|| answers.iter().try_for_each(output::json_line))?;
        }
        progress.inc(answers.len() as u64);
        no_path += answers.iter().filter(|answer| answer.no_path).count();
        let is_wrong = |(_, answer): &(_, Answer<'_>)| !answer.ok && !answer.no_path;
        failed.extend(chunk.iter().zip(answers).filter(is_wrong));
    }
    progress.finish_and_clear();

    let total = Total {
        queries: problems.len(),
        ok: problems.len() - failed.len() - no_path,
        no_path,
    };
    if args.json {
        output::json_line(&total)?;
    } else {
        let ns = begin.elapsed().as_nanos() as u64;
        summarize(&mut io::stdout().lock(), args, &total, &failed, ns)?;
    }
    if !failed.is_empty() {
        let (failed, queries) = (failed.len(), total.queries);
        bail!("{failed} of {queries} lengths are not optimal");
    }
    Ok(())
}

fn bad_query(args: &Args, problem: &Problem<'_>, error: &dyn std::error::Error) -> BadInput {
    let (scen, index) = (args.scen.display(), problem.index);
    BadInput(format!("{scen}: query {index}: {error}"))
}

/// The maps that the queries are about, by the names that the queries give them.
fn load_maps<'q>(args: &Args, queries: &'q [Query]) -> Result<BTreeMap<&'q str, Map>, BadInput> {
    let mut maps = BTreeMap::new();
    for query in queries {
        if !maps.contains_key(query.map.as_str()) {
            let path = match &args.map {
                Some(path) => path.clone(),
                None => find_map(&args.scen, &query.map)?,
            };
            let map = Map {
                name: file::name(&path),
                grid: file::load_grid(&path).or_bad_input()?.grid,
            };
            maps.insert(query.map.as_str(), map);
        }
    }
    Ok(maps)
}

/// The map beside a scenario: under the name that its queries give, whatever folder they put it
/// in, or under the scenario's own name without `.scen`.
fn find_map(scen: &Path, name: &str) -> Result<PathBuf, BadInput> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    [scen.with_file_name(base), scen.with_extension("")]
        .into_iter()
        .find(|path| path.is_file() && path != scen)
        .ok_or_else(|| {
            let scen = scen.display();
            BadInput(format!(
                "{scen}: its map {base:?} is not beside it; use --map"
            ))
        })
}

fn answer<'a>(planner: Name, problem: &Problem<'a>) -> anyhow::Result<Answer<'a>> {
    let Problem { index, query, map } = *problem;
    let length = length(planner, query, &map.grid)?;
    Ok(Answer {
        map: &map.name,
        query: index,
        optimal: query.optimal,
        length,
        no_path: length.is_none() && query.optimal == 0.0 && query.start != query.goal,
        ok: length.is_some_and(|length| (length - query.optimal).abs() <= TOLERANCE),
    })
}

/// The length of the planner's path, if it arrives.
fn length(planner: Name, query: &Query, grid: &Grid) -> anyhow::Result<Option<f64>> {
    if movingai::check(query, grid).is_err() {
        return Ok(None);
    }
    let task = Task {
        moves: Moves::Eight,
        known: Some(grid),
        ..Task::new((grid.width(), grid.height()), query.start, &query.goal)
    };
    // A robot that has not arrived after a tick for each cell is not on a shortest path.
    let limits = Limits::new(None, grid.cells().count() as u64 + 1);
    let mut planner = build_planner(planner, &task)?;
    let walk = walk(&mut *planner, &mut KnownWorld, query.start, limits)?;
    Ok((walk.outcome == Outcome::Arrived).then(|| walk.cost()))
}

fn summarize(
    out: &mut impl Write,
    args: &Args,
    total: &Total,
    failed: &[(&Problem<'_>, Answer<'_>)],
    ns: u64,
) -> io::Result<()> {
    for (Problem { index, query, map }, answer) in failed {
        let at = |cell: Cell| format!("{},{}", cell.x, cell.y);
        let found = match (movingai::check(query, &map.grid), answer.length) {
            (Err(error), _) => error.to_string(),
            (Ok(()), Some(length)) => format!("length {length:.5}"),
            (Ok(()), None) => "no path".to_owned(),
        };
        writeln!(
            out,
            "query {index} from {} to {}: {found}, optimal {:.5}",
            at(query.start),
            at(query.goal),
            query.optimal
        )?;
    }
    writeln!(
        out,
        "{} on {}: {} of {} optimal, {} ({} each).",
        args.planner.planner,
        file::name(&args.scen),
        output::grouped(total.ok as u64),
        count(total.queries as u64, "length", "lengths"),
        duration(ns),
        duration(ns / total.queries.max(1) as u64),
    )?;
    match total.no_path {
        0 => Ok(()),
        queries => writeln!(
            out,
            "{} of length 0 between cells without a path, as the file has it.",
            count(queries as u64, "query", "queries"),
        ),
    }
}
