//! A micromouse in a maze: it searches, explores until the shortest path is proven, returns and runs.

use std::ops::ControlFlow;

use anyhow::{Context, ensure};
use planner_core::{
    Cell, Decision, Navigator, Planner, Side, Stats,
    explore::Phase,
    map::{AsBlocked, Map, WallMap},
    queue::Buckets,
    search::{TurnAware, TurnCosts},
    storage::{Boxed, blocks},
    width::Bits32,
};
use serde::Serialize;

use crate::{
    catalog::{self, Explorer, Name, Task, build_explorer},
    environment::{KnownWorld, SimulatedWorld},
    walk::{Limits, Outcome, Tick, walk, walk_watched},
    world::{Maze, World},
};

/// Planner and limits of a mouse.
#[derive(Clone, Copy, Debug)]
pub struct Mouse {
    /// The planner until the run.
    pub planner: Name,
    /// Most expansions per tick.
    pub limit: Option<u32>,
    /// Costs of steps and turns in the run; without them, only steps count.
    pub turn_costs: Option<TurnCosts>,
    /// The mouse gives up after this many ticks.
    pub max_ticks: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PhaseRecord {
    pub phase: &'static str,
    pub moves: u64,
    /// Quarter turns.
    pub turns: u64,
    pub ticks: u64,
    pub expansions: u64,
    pub requeues: u64,
    pub max_expansions_per_tick: u32,
    pub planning_ns: u64,
    #[serde(skip)]
    pub trail: Vec<Cell>,
}

/// The record of all phases.
#[derive(Clone, Debug, PartialEq)]
pub struct MouseRun {
    pub outcome: Outcome,
    /// True if the path of the run was proven to be a shortest one.
    pub is_solved: bool,
    pub phases: Vec<PhaseRecord>,
}

impl MouseRun {
    /// The last phase, if it is the run.
    pub fn run(&self) -> Option<&PhaseRecord> {
        self.phases.last().filter(|phase| phase.phase == "run")
    }
}

/// The name of a phase in JSON.
pub fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::Search => "search",
        Phase::Explore => "explore",
        Phase::Return => "return",
        Phase::Run | Phase::Done => "run",
        Phase::Travel => "travel",
    }
}

impl Mouse {
    /// Sends a mouse through all phases in a maze.
    pub fn run(&self, maze: &Maze) -> anyhow::Result<MouseRun> {
        let task = Task {
            limit: self.limit,
            ..Task::in_maze(maze)
        };
        let mut explorer =
            build_explorer(self.planner, maze, &task).with_context(|| self.planner.to_string())?;
        let mut log = PhaseLog {
            at: maze.start,
            heading: Side::North,
            phases: Vec::new(),
        };
        let mut world = SimulatedWorld::new(World::Walls(maze.clone()), None, None);
        let turn_costs =
            |explorer: &dyn Explorer| self.turn_costs.filter(|_| explorer.phase() == Phase::Run);
        let (start, limits) = (maze.start, self.limits());
        let walk = walk_watched(
            &mut *explorer,
            &mut world,
            start,
            limits,
            |explorer, _, tick| {
                log.record(name(explorer.phase()), tick, explorer.stats());
                Ok(match turn_costs(explorer) {
                    Some(_) => ControlFlow::Break(()),
                    None => ControlFlow::Continue(()),
                })
            },
        )?;
        let outcome = match (walk.outcome, turn_costs(&*explorer)) {
            (Outcome::GaveUp, Some(costs)) => self.run_with_turns(maze, costs, &mut log)?,
            (outcome, _) => outcome,
        };
        Ok(MouseRun {
            outcome,
            is_solved: explorer.is_solved(),
            phases: log.phases,
        })
    }

    fn limits(&self) -> Limits {
        Limits::new(self.limit, self.max_ticks)
    }

    /// The run of a mouse whose turns cost time, over the cells that it has visited.
    fn run_with_turns(
        &self,
        maze: &Maze,
        costs: TurnCosts,
        log: &mut PhaseLog,
    ) -> anyhow::Result<Outcome> {
        let visited = log.phases.iter().flat_map(|phase| &phase.trail);
        let visited: Vec<Cell> = visited.copied().collect();
        let mut planner = turn_aware(maze, &visited, (log.at, log.heading), costs)?;
        let (start, limits) = (log.at, self.limits());
        let record = |planner: &TurnPlanner, _: &mut _, tick: &Tick| {
            log.record(name(Phase::Run), tick, planner.stats());
            Ok(ControlFlow::Continue(()))
        };
        let walk = walk_watched(&mut planner, &mut KnownWorld, start, limits, record)?;
        Ok(walk.outcome)
    }
}

/// A planner whose paths count turns.
type TurnPlanner = Navigator<WallMap<Boxed>, TurnAware<Boxed, Bits32, Buckets<16>, AsBlocked>>;

/// Builds the planner of a run over visited cells, from a cell and a heading to the goals of the maze.
fn turn_aware(
    maze: &Maze,
    visited: &[Cell],
    (at, heading): (Cell, Side),
    costs: TurnCosts,
) -> anyhow::Result<TurnPlanner> {
    let mut map = catalog::wall_map(maze, false)?;
    for &cell in visited {
        for observation in maze.observe_around(cell) {
            // The search begins on the map as it then is.
            let _ = map.observe(observation)?;
        }
    }
    let blocks = blocks(WallMap::vertices(maze.width(), maze.height()));
    let mut search = TurnAware::allocate(Buckets::<16>::new(), blocks);
    search.set_costs(costs);
    let mut planner = Navigator::from_parts(map, search);
    planner.restart(at, &maze.goals)?;
    planner.search_mut().turn_to(heading);
    Ok(planner)
}

/// The cells of a run over visited cells that costs least with turns, without the first.
///
/// # Errors
/// The visited cells do not lead to a goal.
pub fn path_with_turns(
    maze: &Maze,
    visited: &[Cell],
    from: (Cell, Side),
    costs: TurnCosts,
) -> anyhow::Result<Vec<Cell>> {
    let mut planner = turn_aware(maze, visited, from, costs)?;
    let walk = walk(
        &mut planner,
        &mut KnownWorld,
        from.0,
        Limits::new(None, u64::MAX),
    )?;
    ensure!(
        walk.outcome == Outcome::Arrived,
        "no path over visited cells"
    );
    Ok(walk.trail[1..].to_vec())
}

/// The phases so far.
struct PhaseLog {
    at: Cell,
    heading: Side,
    phases: Vec<PhaseRecord>,
}

impl PhaseLog {
    fn record(&mut self, phase: &'static str, tick: &Tick, stats: &Stats) {
        if self.phases.last().is_none_or(|last| last.phase != phase) {
            self.phases.push(PhaseRecord {
                phase,
                trail: vec![self.at],
                ..PhaseRecord::default()
            });
        }
        let Some(record) = self.phases.last_mut() else {
            return;
        };
        let work = stats.last_tick;
        record.ticks += 1;
        record.planning_ns += tick.planning_ns;
        record.expansions += u64::from(work.expansions);
        record.requeues += u64::from(work.requeues);
        record.max_expansions_per_tick = record.max_expansions_per_tick.max(work.expansions);
        if let Decision::Step(next) = tick.decision {
            let heading = Side::between(self.at, next).unwrap_or(self.heading);
            record.turns += quarter_turns(self.heading, heading);
            record.moves += 1;
            record.trail.push(next);
            (self.at, self.heading) = (next, heading);
        }
    }
}

/// Quarter turns from one heading to another, the shorter way.
pub fn quarter_turns(from: Side, to: Side) -> u64 {
    let turns = (to as u64 + 4 - from as u64) % 4;
    turns.min(4 - turns)
}
