//! Figure 2 of Hernández & Baier (2011), "Fast Subgoaling for Pathfinding via Real-Time Search": A*,
//! LRTA* and LRTA* with subgoals on known maps with eight moves, and what each repair of the paper's
//! algorithms is worth.

use std::{path::PathBuf, time::Instant};

use anyhow::Context;
use planner_core::{
    Cell, Navigator,
    graph::Eight,
    local::SuccessorOrder,
    storage::Boxed,
    subgoal::{ExitRule, FirstGoal, Rules as Following, SubgoalLrta, Switching, Tree as _, Values},
    width::Bits32,
};
use rand::seq::SliceRandom;

use super::{
    claim,
    report::Report,
    row::{Metric, Paper, Row},
    sweep::Sweep,
};
use crate::{
    catalog::{AnyPlanner, Moves, Name, Task, build_planner},
    environment::KnownWorld,
    error::{BadInput, OrBadInput},
    lab::{
        bench::clock,
        progress,
        stats::{Summary, ratio, summary},
    },
    output::{count, grouped},
    subgoals,
    walk::{Limits, Outcome, walk},
    world::{Grid, corridors, file, random, rng, rooms},
};

/// Problems on each map in the paper.
pub const RUNS: u32 = 500;

const NAME: &str = "subgoals";

/// Unblocked cells of a map in the paper, on average.
const PAPER_CELLS: f64 = 17_789.0;
/// Seconds for all trees of a map in the paper, on average.
const PAPER_BUILD_S: f64 = 73.5;
/// Per cent above optimal in the paper.
const PAPER_SUBOPTIMALITY: f64 = 11.0;

/// Ticks for each cell of the map, after which a robot will not arrive any more.
const TICKS_PER_CELL: u64 = 50;

/// A map to walk on.
#[derive(Clone, Debug)]
pub struct Map {
    pub name: String,
    pub grid: Grid,
}

/// The extent of the experiment.
#[derive(Clone, Debug)]
pub struct Plan {
    pub maps: Vec<Map>,
    /// Problems on each map, and their seed.
    pub sweep: Sweep,
    /// Trees that are grown on each map to time them; all if there are no more cells.
    pub goals: usize,
}

const COST: Metric = Metric::new("cost", "cost (cell lengths)", 1);

const SUBOPTIMALITY: Metric =
    Metric::new("suboptimality_percent", "cost above optimal (per cent)", 2);

const NOT_ARRIVED: Metric = Metric::new(
    "not_arrived_percent",
    "runs that do not arrive (per cent)",
    2,
);

const FIRST_MOVE: Metric =
    Metric::time("first_move_us", "time to the first move (microseconds)", 2);

const TOTAL: Metric = Metric::time("total_us", "time in all (microseconds)", 1);

const TREE: Metric = Metric::new("tree_subgoals", "subgoals in a tree", 1);

const CELLS: Metric = Metric::new("cells", "free cells of a map", 0);

const BUILD: Metric = Metric::time("build_s", "time for all trees of a map (seconds)", 2);

/// A variant of following trees, named after what it repairs.
type Variant = (&'static str, ExitRule, FirstGoal, Switching);

const VARIANTS: [Variant; 8] = {
    use ExitRule::{Reached, Safe, Stale};
    use FirstGoal::{Nearest, NearestExit, TrueSub};
    use Switching::{Any, Rootwards};
    [
        ("LRTA*+sub as printed", Reached, NearestExit, Any),
        ("without lines 10, 11", Stale, NearestExit, Any),
        ("with the goal in the tree", Reached, Nearest, Any),
        ("with safe exits", Safe, NearestExit, Any),
        ("with rootwards", Reached, NearestExit, Rootwards),
        ("with the true Sub", Reached, TrueSub, Any),
        (
            "with the true Sub and rootwards",
            Reached,
            TrueSub,
            Rootwards,
        ),
        ("with every repair", Safe, TrueSub, Rootwards),
    ]
};

/// A*, LRTA* and the variants.
const CONTENDERS: usize = 2 + VARIANTS.len();
const ASTAR: usize = 0;
const LRTA: usize = 1;
const AS_PRINTED: usize = 2;
const STALE: usize = 3;
const ROOTWARDS: usize = 6;
const TRUE_SUB: usize = 7;
const TRUE_SUB_ROOTWARDS: usize = 8;
const REPAIRED: usize = 9;

const EXITS: [(ExitRule, &str); 3] = [
    (ExitRule::Reached, "as printed"),
    (ExitRule::Stale, "without lines 10, 11"),
    (ExitRule::Safe, "safe exits"),
];

/// The rules whose trees are grown for all goals of a map.
const TIMED: [(ExitRule, &str); 2] = [EXITS[0], EXITS[2]];

/// The paper's figures for A*, LRTA* and LRTA* with subgoals.
const PAPER_COST: [f64; 3] = [198.0, 39_232.0, 220.0];
const PAPER_FIRST_US: [f64; 3] = [3_101.0, 1.0, 24.0];
const PAPER_TOTAL_US: [f64; 3] = [3_101.0, 34_446.0, 251.0];

/// The result of one run.
#[derive(Clone, Copy)]
struct RunResult {
    arrived: bool,
    cost: f64,
    first_us: f64,
    total_us: f64,
}

/// All runs on one problem.
struct Run {
    /// A*, LRTA*, and the variants in the order of [`VARIANTS`].
    results: [RunResult; CONTENDERS],
    /// Subgoals without the goal, in the order of [`EXITS`].
    trees: [f64; EXITS.len()],
}

/// The cost of all trees of a map.
struct Built {
    cells: f64,
    /// In the order of [`TIMED`]: seconds, scaled up to all cells, and sizes of the trees.
    rules: Vec<(f64, Vec<f64>)>,
    is_sample: bool,
}

/// The maps in files and in folders of `.map` files, or else some that are generated.
pub fn maps(paths: &[PathBuf], seed: u64) -> anyhow::Result<Vec<Map>> {
    if paths.is_empty() {
        return generated(seed);
    }
    let mut files = Vec::new();
    for path in paths {
        files.extend(file::list(path, &["map"]).or_bad_input()?);
    }
    let mut maps = Vec::new();
    for path in files {
        let grid = file::load_grid(&path).or_bad_input()?.grid;
        let name = path.file_stem().unwrap_or(path.as_os_str());
        let name = name.to_string_lossy().into_owned();
        if grid.random_free_pair(&mut rng::seeded(0)).is_none() {
            return Err(BadInput(format!("{name}: no two free cells are connected")).into());
        }
        maps.push(Map { name, grid });
    }
    Ok(maps)
}

/// Rooms, two fields of random obstacles and a maze: each with depressions of another kind.
fn generated(seed: u64) -> anyhow::Result<Vec<Map>> {
    const SIDE: u16 = 81;
    let rng = |index| rng::derived(seed, u64::MAX - index);
    let random = |density, index| random::obstacles(SIDE, SIDE, density, &mut rng(index));
    let maps = [
        ("rooms", rooms::rooms(SIDE, SIDE, &mut rng(1))?.grid),
        ("random-20", random(0.2, 2)?),
        ("random-35", random(0.35, 3)?),
        ("maze", corridors::corridors(SIDE, SIDE, 120, &mut rng(4))?),
    ];
    let map = |(name, grid): (&str, _)| Map {
        name: name.to_owned(),
        grid,
    };
    Ok(maps.map(map).into())
}

/// Runs the experiment.
pub fn measure(plan: &Plan) -> anyhow::Result<Report> {
    let Plan { maps, sweep, goals } = plan;
    let all = Sweep {
        runs: sweep.runs.saturating_mul(maps.len() as u32),
        seed: sweep.seed,
    };
    let runs = all.each(NAME, |index, mut rng| {
        let map = &maps[index as usize % maps.len()];
        run(map, &mut rng).with_context(|| map.name.clone())
    })?;
    let built = build(maps, *goals, sweep.seed)?;
    Ok(Report {
        experiment: NAME,
        title: format!(
            "Hernández & Baier 2011, Figure 2: {} on {} with eight moves, seed {}",
            count(runs.len() as u64, "problem", "problems"),
            count(maps.len() as u64, "map", "maps"),
            sweep.seed
        ),
        rows: rows(&runs, maps, &built),
        charts: Vec::new(),
        findings: findings(&runs, &built),
    })
}

fn run(map: &Map, rng: &mut rng::Rng) -> anyhow::Result<Run> {
    let grid = &map.grid;
    let (start, goal) = grid
        .random_free_pair(rng)
        .context("the map has no two connected free cells")?;
    let by_name = |name, limit| {
        let task = Task {
            moves: Moves::Eight,
            known: Some(grid),
            ..Task::new((grid.width(), grid.height()), start, &goal)
        };
        let mut planner = build_planner(name, &task)?;
        run_planner(&mut *planner, grid, start, limit)
    };
    let astar = by_name(Name::ForwardAstar, None)?;
    let mut results = [astar; CONTENDERS];
    results[LRTA] = by_name(Name::Lrta, Some(1))?;

    let known = subgoals::known_map::<Eight>(grid)?;
    let mut trees = [0.0; EXITS.len()];
    for (i, (rule, _)) in EXITS.into_iter().enumerate() {
        let mut tree = subgoals::empty_tree(&known, rule)?;
        subgoals::grow(&mut tree, &known, goal);
        trees[i] = tree.len() as f64 - 1.0;
        let variants = results[AS_PRINTED..].iter_mut().zip(VARIANTS);
        for (result, (_, _, first, switching)) in variants.filter(|(_, v)| v.1 == rule) {
            let rules = Following {
                first,
                switching,
                ..Following::default()
            };
            let values = Values::<Boxed, Bits32>::allocate(u16::MAX.into());
            let order = SuccessorOrder::Fixed;
            let search = SubgoalLrta::<_, _, _>::new(&mut tree, values, rules, order);
            let map = subgoals::known_map::<Eight>(grid)?;
            let mut planner = Navigator::from_parts(map, search);
            planner.restart(start, &[goal])?;
            *result = run_planner(&mut planner, grid, start, None)?;
        }
    }
    Ok(Run { results, trees })
}

fn run_planner(
    planner: &mut dyn AnyPlanner,
    grid: &Grid,
    start: Cell,
    limit: Option<u32>,
) -> anyhow::Result<RunResult> {
    let limits = Limits::new(limit, TICKS_PER_CELL * grid.cells().count() as u64);
    let walk = walk(planner, &mut KnownWorld, start, limits)?;
    Ok(RunResult {
        arrived: walk.outcome == Outcome::Arrived,
        cost: walk.cost(),
        first_us: walk.tick_ns.first().map_or(0.0, |&ns| ns as f64 / 1e3),
        total_us: walk.planning_ns() as f64 / 1e3,
    })
}

/// Grows the trees of every goal of every map, or of as many as are asked for.
fn build(maps: &[Map], limit: usize, seed: u64) -> anyhow::Result<Vec<Built>> {
    let mut goals: Vec<Vec<Cell>> = Vec::new();
    for (index, map) in maps.iter().enumerate() {
        let mut free: Vec<Cell> = map.grid.free_cells().collect();
        let mut rng = rng::derived(seed, (1 << 40) + index as u64);
        let (sample, _) = free.partial_shuffle(&mut rng, limit);
        goals.push(sample.to_vec());
    }
    let trees: usize = goals.iter().map(Vec::len).sum();
    let progress = progress::bar("trees", (trees * TIMED.len()) as u64);
    let mut built = Vec::new();
    for (map, goals) in maps.iter().zip(&goals) {
        let cells = map.grid.free_cells().count();
        let known = subgoals::known_map::<Eight>(&map.grid)?;
        let mut rules = Vec::new();
        for (rule, _) in TIMED {
            let begin = Instant::now();
            let sizes = subgoals::grow_each(&known, rule, goals, |tree, _| {
                progress.inc(1);
                tree.len() as f64 - 1.0
            })?;
            let seconds = begin.elapsed().as_secs_f64();
            rules.push((seconds * cells as f64 / goals.len() as f64, sizes));
        }
        built.push(Built {
            cells: cells as f64,
            rules,
            is_sample: goals.len() < cells,
        });
    }
    progress.finish_and_clear();
    Ok(built)
}

/// The costs of two contenders, where both arrived.
fn pairs(runs: &[Run], first: usize, second: usize) -> Vec<(f64, f64)> {
    let pair = |run: &Run| {
        let (a, b) = (run.results[first], run.results[second]);
        (a.arrived && b.arrived).then_some((a.cost, b.cost))
    };
    runs.iter().filter_map(pair).collect()
}

/// Per cent that the costs of a contender are above the shortest ones.
fn suboptimality(runs: &[Run], contender: usize) -> Summary {
    let ratio = ratio(&pairs(runs, contender, ASTAR));
    Summary {
        mean: 100.0 * (ratio.mean - 1.0),
        ci95: ratio.ci95.map(|ci| 100.0 * ci),
        ..ratio
    }
}

/// The mean of a number of each run.
fn mean(runs: &[Run], value: impl Fn(&Run) -> f64) -> Summary {
    summary(runs.iter().map(value))
}

fn rows(runs: &[Run], maps: &[Map], built: &[Built]) -> Vec<Row> {
    let labels = ["A*", "LRTA*"].into_iter().chain(VARIANTS.map(|v| v.0));
    let contenders: Vec<(usize, &str)> = labels.enumerate().collect();
    let mut rows = Vec::new();
    let mut push = |row: &str, metric, measured, paper: Option<f64>| {
        let paper = paper.map(Paper::mean);
        rows.push(Row::new(NAME, row, metric, measured, paper));
    };
    for &(i, label) in &contenders {
        let costs = pairs(runs, i, ASTAR);
        let costs = summary(costs.iter().map(|pair| pair.0));
        push(label, COST, costs, PAPER_COST.get(i).copied());
    }
    for &(i, label) in &contenders[1..] {
        let paper = match i {
            LRTA => Some(100.0 * (PAPER_COST[LRTA] / PAPER_COST[ASTAR] - 1.0)),
            AS_PRINTED => Some(PAPER_SUBOPTIMALITY),
            _ => None,
        };
        push(label, SUBOPTIMALITY, suboptimality(runs, i), paper);
    }
    for &(i, label) in &contenders[1..] {
        let stuck = mean(runs, |run| if run.results[i].arrived { 0.0 } else { 100.0 });
        push(label, NOT_ARRIVED, stuck, None);
    }
    for &(i, label) in &contenders {
        let time = mean(runs, |run| run.results[i].first_us);
        push(label, FIRST_MOVE, time, PAPER_FIRST_US.get(i).copied());
    }
    for &(i, label) in &contenders {
        let time = mean(runs, |run| run.results[i].total_us);
        push(label, TOTAL, time, PAPER_TOTAL_US.get(i).copied());
    }
    let printed = |rule, figure| (rule == ExitRule::Reached).then_some(figure);
    for (i, (rule, label)) in EXITS.into_iter().enumerate() {
        push(
            label,
            TREE,
            mean(runs, |run| run.trees[i]),
            printed(rule, 198.0),
        );
    }
    for (i, (rule, label)) in TIMED.into_iter().enumerate() {
        let sizes = || {
            built
                .iter()
                .flat_map(|built| built.rules[i].1.iter().copied())
        };
        let least = sizes().fold(f64::INFINITY, f64::min);
        let most = sizes().fold(0.0, f64::max);
        for (end, size, figure) in [("smallest", least, 0.0), ("largest", most, 255.0)] {
            let row = format!("{label}, {end}");
            push(&row, TREE, Summary::exact(size), printed(rule, figure));
        }
    }
    let cells = summary(built.iter().map(|built| built.cells));
    push("mean of the maps", CELLS, cells, Some(PAPER_CELLS));
    for (i, (_, label)) in TIMED.into_iter().enumerate() {
        let seconds = |built: &Built| built.rules[i].0;
        let all = summary(built.iter().map(seconds));
        push(label, BUILD, all, Some(PAPER_BUILD_S));
        for (map, built) in maps.iter().zip(built) {
            let cells = grouped(built.cells as u64);
            let row = format!("{label}, {} ({cells} cells)", map.name);
            push(&row, BUILD, summary([seconds(built)]), None);
        }
    }
    rows
}

fn findings(runs: &[Run], built: &[Built]) -> Vec<String> {
    let shorter = |claim, first, second| claim::less(claim, &pairs(runs, first, second));
    vec![
        on_cost(runs),
        shorter(
            "The true Sub instead of the nearest subgoal makes paths shorter",
            TRUE_SUB,
            AS_PRINTED,
        ),
        shorter(
            "Safe exits, beside the true Sub and rootwards, make them shorter still",
            REPAIRED,
            TRUE_SUB_ROOTWARDS,
        ),
        shorter("Lines 10 and 11 make paths shorter", AS_PRINTED, STALE),
        on_circles(runs),
        on_trees(runs),
        on_time(runs),
        on_building(built),
    ]
}

fn on_cost(runs: &[Run]) -> String {
    let [printed, sub, repaired] =
        [AS_PRINTED, TRUE_SUB, REPAIRED].map(|variant| suboptimality(runs, variant).mean);
    let verdict = |percent: f64| match percent < PAPER_SUBOPTIMALITY {
        true => "below",
        false => "not below",
    };
    let (printed_is, repaired_is) = (verdict(printed), verdict(repaired));
    format!(
        "Ways are {printed:.1} % longer than the shortest as printed, {sub:.2} % with the true Sub \
         alone and {repaired:.2} % with every repair. The paper says {PAPER_SUBOPTIMALITY} %: as \
         printed it is {printed_is} that here, with every repair {repaired_is}."
    )
}

fn on_circles(runs: &[Run]) -> String {
    let stuck = |i: usize| runs.iter().filter(|run| !run.results[i].arrived).count();
    let [printed, rootwards, repaired] = [AS_PRINTED, ROOTWARDS, REPAIRED].map(stuck);
    format!(
        "Of {}, {printed} do not arrive as printed, {rootwards} with rootwards alone and {repaired} \
         with every repair, in {TICKS_PER_CELL} ticks for each cell of the map.",
        count(runs.len() as u64, "run", "runs"),
    )
}

fn on_trees(runs: &[Run]) -> String {
    let [printed, stale, safe] = [0, 1, 2].map(|i| mean(runs, |run| run.trees[i]).mean);
    format!(
        "A tree has {printed:.0} subgoals as printed, {stale:.0} without lines 10 and 11 and \
         {safe:.0} with safe exits, {:.2} times as many as printed.",
        safe / printed,
    )
}

fn on_time(runs: &[Run]) -> String {
    let [astar, lrta, repaired] =
        [ASTAR, LRTA, REPAIRED].map(|i| mean(runs, |run| run.results[i].total_us).mean);
    format!(
        "With every repair, planning takes {:.1} times less than A* and {:.1} times less than LRTA* \
         (the paper, as printed: {:.1} and {:.1}). Each tick holds {:.0} ns for reading the clock.",
        astar / repaired,
        lrta / repaired,
        PAPER_TOTAL_US[0] / PAPER_TOTAL_US[2],
        PAPER_TOTAL_US[1] / PAPER_TOTAL_US[2],
        clock::reading_ns(),
    )
}

/// Work grows with the square of the cells, so that is how times of other maps are compared.
fn on_building(built: &[Built]) -> String {
    let scaled = |i: usize| {
        let seconds = |built: &Built| {
            let scale = PAPER_CELLS / built.cells;
            built.rules[i].0 * scale * scale
        };
        summary(built.iter().map(seconds)).mean
    };
    let [printed, safe] = [scaled(0), scaled(1)];
    let verdict = |seconds: f64| match seconds < PAPER_BUILD_S {
        true => "less than",
        false => "not less than",
    };
    let sampled = match built.iter().any(|built| built.is_sample) {
        true => " Times are scaled up from a sample of the goals.",
        false => "",
    };
    format!(
        "For a map of the paper's size, {} cells, all trees would take {printed:.1} s as printed and \
         {safe:.1} s with safe exits, on {}: {} and {} the paper's {PAPER_BUILD_S} s.{sampled}",
        grouped(PAPER_CELLS as u64),
        count(rayon::current_num_threads() as u64, "thread", "threads"),
        verdict(printed),
        verdict(safe),
    )
}
