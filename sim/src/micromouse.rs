//! A micromouse in a maze: it searches, explores until the shortest path is proven, returns and runs.

use std::ops::ControlFlow;

use anyhow::Context;
use planner_core::{
    Budget, Cell, Decision, Planner, Side, Stats,
    explore::{MazeExplorer, Phase},
    map::Unknown,
    queue::{Buckets, Fifo},
    search::{DStarLite, TurnAware, TurnCosts},
    terrain::{Manhattan, Terrain, Walls},
    width::Bits32,
};
use serde::Serialize;

use crate::{
    catalog::{AnyPlanner, LOOK_AHEAD, Name, Task, with_mouse},
    environment::{KnownWorld, SimulatedWorld},
    walk::{Limits, Outcome, Tick, walk_watched},
    world::{Maze, World},
};

type W = Bits32;
type Queue = Buckets<16, Fifo>;
type Search<'m> = DStarLite<'m, W, Walls<'m>, Queue>;

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

/// The record of one phase.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// Whether the path of the run was proven to be a shortest one.
    pub is_solved: bool,
    pub phases: Vec<PhaseRecord>,
}

impl MouseRun {
    /// The last phase, if it is the run.
    #[must_use]
    pub fn run(&self) -> Option<&PhaseRecord> {
        self.phases.last().filter(|phase| phase.phase == "run")
    }
}

/// The name of a phase in JSON.
#[must_use]
pub fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::Search => "search",
        Phase::Explore => "explore",
        Phase::Return => "return",
        Phase::Run | Phase::Done => "run",
    }
}

impl Mouse {
    /// Sends a mouse through all phases in a maze.
    ///
    /// # Errors
    /// A planner cannot be built for the maze.
    pub fn run(&self, maze: &Maze) -> anyhow::Result<MouseRun> {
        with_explorer(self.planner, maze, self.limit, |explorer| {
            self.run_with(maze, explorer)
        })?
    }

    fn limits(&self) -> Limits {
        Limits {
            budget: self.limit.map_or(Budget::UNLIMITED, Budget::limit),
            max_ticks: self.max_ticks,
        }
    }

    fn run_with(&self, maze: &Maze, explorer: &mut Explorer<'_, '_>) -> anyhow::Result<MouseRun> {
        let mut log = PhaseLog::new(maze.start);
        let mut world = SimulatedWorld::new(World::Walls(maze.clone()), None, None);
        let is_run = |explorer: &Explorer<'_, '_>| {
            self.turn_costs.filter(|_| explorer.phase() == Phase::Run)
        };
        let watch = |explorer: &Explorer<'_, '_>, _: &mut _, tick: &Tick| {
            log.record(name(explorer.phase()), tick, explorer.stats());
            Ok(match is_run(explorer) {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            })
        };
        let walk = walk_watched(explorer, &mut world, maze.start, self.limits(), watch)?;
        let is_solved = explorer.is_solved();
        let outcome = match (walk.outcome, is_run(explorer)) {
            (Outcome::GaveUp, Some(costs)) => self.run_with_turns(maze, costs, &mut log)?,
            (outcome, _) => outcome,
        };
        Ok(MouseRun {
            outcome,
            is_solved,
            phases: log.phases,
        })
    }

    /// The run of a mouse whose turns cost time, over the cells that it has visited.
    fn run_with_turns(
        &self,
        maze: &Maze,
        costs: TurnCosts,
        log: &mut PhaseLog,
    ) -> anyhow::Result<Outcome> {
        let (width, height) = (maze.width(), maze.height());
        let mut map = vec![0; Walls::words(width, height)];
        let mut nodes = vec![
            Default::default();
            TurnAware::<W, Walls, Queue>::nodes(Walls::vertices(width, height))
        ];
        let mut known = Walls::<Manhattan>::new(width, height, &mut map, Unknown::AsBlocked)?;
        for &cell in log.phases.iter().flat_map(|phase| &phase.trail) {
            for observation in maze.observe_around(cell) {
                known.observe(observation)?;
            }
        }
        let robot = (log.at, log.heading);
        let goal = maze.goals[0];
        let mut planner =
            TurnAware::<W, _, _>::new(known, Queue::new(), &mut nodes, costs, robot, goal)?;
        planner.set_goals(&maze.goals)?;
        let (start, limits) = (log.at, self.limits());
        let walk = walk_watched(
            &mut planner,
            &mut KnownWorld,
            start,
            limits,
            |planner, _, tick| {
                log.record(name(Phase::Run), tick, planner.stats());
                Ok(ControlFlow::Continue(()))
            },
        )?;
        Ok(walk.outcome)
    }
}

/// A maze explorer whose robot is driven by a planner of the catalog.
pub type Explorer<'m, 'p> = MazeExplorer<'m, &'p mut dyn AnyPlanner, W, Walls<'m>, Queue>;

/// Builds an explorer of a maze of which only size, start and goals are known, and lends it.
///
/// # Errors
/// A planner cannot be built for the maze.
pub fn with_explorer<R>(
    name: Name,
    maze: &Maze,
    limit: Option<u32>,
    user: impl FnOnce(&mut Explorer<'_, '_>) -> R,
) -> anyhow::Result<R> {
    let (width, height) = (maze.width(), maze.height());
    let (home, goal) = (maze.start, maze.goals[0]);
    let task = Task {
        look_ahead: limit.unwrap_or(LOOK_AHEAD),
        ..Task::new((width, height), home, goal)
    };
    let build = |robot: &mut dyn AnyPlanner| {
        let vertices = Walls::vertices(width, height);
        let mut maps = [(); 2].map(|()| vec![0; Walls::words(width, height)]);
        let mut nodes = [(); 2].map(|()| vec![Default::default(); Search::nodes(vertices)]);
        let [free, blocked] = &mut maps;
        let [best_nodes, safe_nodes] = &mut nodes;
        let free = Walls::new(width, height, free, Unknown::AsFree)?;
        let best = Search::new(free, Queue::new(), best_nodes, home, goal)?;
        let blocked = Walls::new(width, height, blocked, Unknown::AsBlocked)?;
        let safe = Search::new(blocked, Queue::new(), safe_nodes, home, goal)?;
        let mut explorer = MazeExplorer::new(robot, best, safe, home, &maze.goals)?;
        anyhow::Ok(user(&mut explorer))
    };
    with_mouse(name, maze, false, task, build).with_context(|| name.to_string())?
}

/// The phases so far.
struct PhaseLog {
    at: Cell,
    heading: Side,
    phases: Vec<PhaseRecord>,
}

impl PhaseLog {
    fn new(at: Cell) -> Self {
        Self {
            at,
            heading: Side::North,
            phases: Vec::new(),
        }
    }

    fn record(&mut self, phase: &'static str, tick: &Tick, stats: &Stats) {
        if self.phases.last().is_none_or(|last| last.phase != phase) {
            self.phases.push(PhaseRecord {
                phase,
                moves: 0,
                turns: 0,
                ticks: 0,
                expansions: 0,
                requeues: 0,
                max_expansions_per_tick: 0,
                planning_ns: 0,
                trail: vec![self.at],
            });
        }
        let Some(record) = self.phases.last_mut() else {
            return;
        };
        let work = stats.tick;
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
#[must_use]
pub fn quarter_turns(from: Side, to: Side) -> u64 {
    let turns = (to as u64 + 4 - from as u64) % 4;
    turns.min(4 - turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_sets_the_look_ahead() {
        let mut maze = Maze::open(200, 200).unwrap();
        maze.goals = vec![Cell::new(199, 0)];
        let first_tick = |limit| {
            let tick = |explorer: &mut Explorer<'_, '_>| {
                explorer.tick(maze.start, Budget::UNLIMITED).unwrap();
                explorer.stats().tick.expansions
            };
            with_explorer(Name::LssLrta, &maze, limit, tick).unwrap()
        };
        let more = first_tick(Some(2 * LOOK_AHEAD)) - first_tick(None);
        assert_eq!(more, LOOK_AHEAD);
    }
}
