//! A micromouse in a maze: it searches, explores until the shortest path is proven, returns and runs.

use std::ops::ControlFlow;

use anyhow::Context;
use planner_core::{
    Budget, Cell, Decision, Navigator, Planner, Side, Stats,
    explore::Phase,
    map::{AsBlocked, Map, WallMap},
    queue::Buckets,
    search::{TurnAware, TurnCosts},
    storage::{Boxed, blocks},
    width::Bits32,
};
use serde::Serialize;

use crate::{
    catalog::{AnyExplorer, LOOK_AHEAD, Name, Task, build_explorer, wall_map},
    environment::{KnownWorld, SimulatedWorld},
    walk::{Limits, Outcome, Tick, walk_watched},
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
        Phase::Travel => "travel",
    }
}

impl Mouse {
    /// Sends a mouse through all phases in a maze.
    ///
    /// # Errors
    /// A planner cannot be built for the maze.
    pub fn run(&self, maze: &Maze) -> anyhow::Result<MouseRun> {
        self.run_with(maze, &mut *explorer(self.planner, maze, self.limit)?)
    }

    fn limits(&self) -> Limits {
        Limits {
            budget: self.limit.map_or(Budget::UNLIMITED, Budget::limit),
            max_ticks: self.max_ticks,
        }
    }

    fn run_with(&self, maze: &Maze, explorer: &mut AnyExplorer) -> anyhow::Result<MouseRun> {
        let mut log = PhaseLog::new(maze.start);
        let mut world = SimulatedWorld::new(World::Walls(maze.clone()), None, None);
        let is_run =
            |explorer: &AnyExplorer| self.turn_costs.filter(|_| explorer.phase() == Phase::Run);
        let watch = |explorer: &AnyExplorer, _: &mut _, tick: &Tick| {
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
        let mut known = wall_map(maze, false)?;
        for &cell in log.phases.iter().flat_map(|phase| &phase.trail) {
            for observation in maze.observe_around(cell) {
                let _ = known.observe(observation)?;
            }
        }
        type Search = TurnAware<Boxed, Bits32, Buckets<16>, AsBlocked>;
        let blocks = blocks(WallMap::vertices(maze.width(), maze.height()));
        let search = Search::allocate(Buckets::new(), blocks, costs);
        let mut planner = Navigator::from_parts(known, search);
        planner.restart(log.at, &maze.goals)?;
        planner.search_mut().turn_to(log.heading);
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

/// Builds an explorer of a maze of which only size, start and goals are known.
///
/// # Errors
/// The planner cannot be built for the maze.
pub fn explorer(name: Name, maze: &Maze, limit: Option<u32>) -> anyhow::Result<Box<AnyExplorer>> {
    let task = Task {
        look_ahead: limit.unwrap_or(LOOK_AHEAD),
        ..Task::new((maze.width(), maze.height()), maze.start, maze.goals[0])
    };
    build_explorer(name, maze, task).with_context(|| name.to_string())
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
            let mut explorer = explorer(Name::LssLrta, &maze, limit).unwrap();
            explorer.tick(maze.start, Budget::UNLIMITED).unwrap();
            explorer.stats().last_tick.expansions
        };
        let more = first_tick(Some(2 * LOOK_AHEAD)) - first_tick(None);
        assert_eq!(more, LOOK_AHEAD);
    }
}
