//! A micromouse in a maze: it searches, explores until the best way is proven, returns and runs.

use std::time::Instant;

use anyhow::Context;
use planner_core::{
    Budget, Cell, Decision, Planner, Side,
    explore::{MazeExplorer, Phase},
    map::Unknown,
    queue::{Buckets, Fifo},
    search::{DStarLite, TurnAware, TurnCosts},
    terrain::{Manhattan, Terrain, Walls},
    width::Bits32,
};
use serde::Serialize;

use crate::{
    catalog::{LOOK_AHEAD, Mind, Name, Task, with_mouse},
    walk::look_at_wall,
    world::{
        Maze,
        maze::{SIDES, neighbour},
    },
};

type W = Bits32;
type Queue = Buckets<16, Fifo>;
type Search<'m> = DStarLite<'m, W, Walls<'m>, Queue>;

/// How a mouse goes about it.
#[derive(Clone, Copy, Debug)]
pub struct Mouse {
    /// Who moves it while it searches, explores and returns.
    pub planner: Name,
    /// The most expansions in a tick.
    pub limit: Option<u32>,
    /// What moving costs in the run; without it, only steps count.
    pub turns: Option<TurnCosts>,
    /// The mouse gives up after so many ticks.
    pub max_ticks: u64,
}

/// One phase of a tour.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stretch {
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

/// How a tour ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    Done,
    Unreachable,
    GaveUp,
}

/// What a tour was like.
#[derive(Clone, Debug, PartialEq)]
pub struct Tale {
    pub end: End,
    /// Whether the best way was proven to be.
    pub is_solved: bool,
    pub stretches: Vec<Stretch>,
}

impl Tale {
    /// The last phase, if it is the run.
    #[must_use]
    pub fn run(&self) -> Option<&Stretch> {
        self.stretches
            .last()
            .filter(|stretch| stretch.phase == "run")
    }
}

/// What scripts call a phase.
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
    /// Sends a mouse on its tour through a maze.
    ///
    /// # Errors
    /// A planner cannot be built for the maze.
    pub fn tour(&self, maze: &Maze) -> anyhow::Result<Tale> {
        with_tour(self.planner, maze, self.limit, |tour| {
            self.tour_with(maze, tour)
        })?
    }

    fn budget(&self) -> Budget {
        self.limit.map_or(Budget::UNLIMITED, Budget::limit)
    }

    fn tour_with(&self, maze: &Maze, tour: &mut MouseTour<'_, '_>) -> anyhow::Result<Tale> {
        let mut log = Log::new(maze.start);
        for _ in 0..self.max_ticks {
            if tour.phase() == Phase::Run && self.turns.is_some() {
                break;
            }
            let begin = Instant::now();
            for side in SIDES {
                tour.observe(look_at_wall(maze, log.at, side))?;
            }
            let decision = tour.tick(log.at, self.budget())?;
            log.tick(begin, name(tour.phase()), decision, tour);
            let end = match decision {
                Decision::Arrived => End::Done,
                Decision::Unreachable => End::Unreachable,
                Decision::Step(_) | Decision::Wait => continue,
            };
            return Ok(log.tell(end, tour.is_solved()));
        }
        let is_solved = tour.is_solved();
        match self.turns {
            Some(costs) if tour.phase() == Phase::Run => self.run(maze, costs, log, is_solved),
            _ => Ok(log.tell(End::GaveUp, is_solved)),
        }
    }

    /// The run of a mouse that has to turn, over what it has seen.
    fn run(
        &self,
        maze: &Maze,
        costs: TurnCosts,
        mut log: Log,
        is_solved: bool,
    ) -> anyhow::Result<Tale> {
        let (width, height) = (maze.width(), maze.height());
        let mut map = vec![0; Walls::words(width, height)];
        let mut nodes = vec![
            Default::default();
            TurnAware::<W, Walls, Queue>::nodes(Walls::vertices(width, height))
        ];
        let mut known = Walls::<Manhattan>::new(width, height, &mut map, Unknown::AsBlocked)?;
        for &cell in log.stretches.iter().flat_map(|stretch| &stretch.trail) {
            for side in SIDES {
                known.observe(look_at_wall(maze, cell, side))?;
            }
        }
        let robot = (log.at, log.heading);
        let goal = maze.goals[0];
        let mut planner =
            TurnAware::<W, _, _>::new(known, Queue::new(), &mut nodes, costs, robot, goal)?;
        planner.set_goals(&maze.goals)?;
        for _ in 0..self.max_ticks {
            let begin = Instant::now();
            let decision = planner.tick(log.at, self.budget())?;
            log.tick(begin, name(Phase::Run), decision, &planner);
            let end = match decision {
                Decision::Arrived => End::Done,
                Decision::Unreachable => End::Unreachable,
                Decision::Step(_) | Decision::Wait => continue,
            };
            return Ok(log.tell(end, is_solved));
        }
        Ok(log.tell(End::GaveUp, is_solved))
    }
}

/// A tour whose robot is moved by a planner of the catalog.
pub type MouseTour<'m, 'p> = MazeExplorer<'m, &'p mut dyn Mind, W, Walls<'m>, Queue>;

/// Builds a tour of a maze of which nothing is known but its size, its start and its goals, and lends
/// it.
///
/// # Errors
/// A planner cannot be built for the maze.
pub fn with_tour<R>(
    name: Name,
    maze: &Maze,
    limit: Option<u32>,
    user: impl FnOnce(&mut MouseTour<'_, '_>) -> R,
) -> anyhow::Result<R> {
    let (width, height) = (maze.width(), maze.height());
    let (home, goal) = (maze.start, maze.goals[0]);
    let task = Task {
        look_ahead: limit.unwrap_or(LOOK_AHEAD),
        ..Task::new((width, height), home, goal)
    };
    let tour = |robot: &mut dyn Mind| {
        let vertices = Walls::vertices(width, height);
        let mut maps = [(); 2].map(|()| vec![0; Walls::words(width, height)]);
        let mut nodes = [(); 2].map(|()| vec![Default::default(); Search::nodes(vertices)]);
        let [free, blocked] = &mut maps;
        let [best_nodes, safe_nodes] = &mut nodes;
        let free = Walls::new(width, height, free, Unknown::AsFree)?;
        let best = Search::new(free, Queue::new(), best_nodes, home, goal)?;
        let blocked = Walls::new(width, height, blocked, Unknown::AsBlocked)?;
        let safe = Search::new(blocked, Queue::new(), safe_nodes, home, goal)?;
        let mut tour = MazeExplorer::new(robot, best, safe, home, &maze.goals)?;
        anyhow::Ok(user(&mut tour))
    };
    with_mouse(name, maze, false, task, tour).with_context(|| name.to_string())?
}

/// What a mouse has done so far.
struct Log {
    at: Cell,
    heading: Side,
    stretches: Vec<Stretch>,
}

impl Log {
    fn new(at: Cell) -> Self {
        Self {
            at,
            heading: Side::North,
            stretches: Vec::new(),
        }
    }

    fn tick(
        &mut self,
        begin: Instant,
        phase: &'static str,
        decision: Decision,
        planner: &impl Planner,
    ) {
        let planning_ns = begin.elapsed().as_nanos() as u64;
        if self.stretches.last().is_none_or(|last| last.phase != phase) {
            self.stretches.push(Stretch {
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
        let work = planner.stats().tick;
        let Some(stretch) = self.stretches.last_mut() else {
            return;
        };
        stretch.ticks += 1;
        stretch.planning_ns += planning_ns;
        stretch.expansions += u64::from(work.expansions);
        stretch.requeues += u64::from(work.requeues);
        stretch.max_expansions_per_tick = stretch.max_expansions_per_tick.max(work.expansions);
        if let Decision::Step(next) = decision {
            let side = SIDES
                .into_iter()
                .find(|&side| neighbour(self.at, side) == next);
            let heading = side.unwrap_or(self.heading);
            stretch.turns += quarter_turns(self.heading, heading);
            stretch.moves += 1;
            stretch.trail.push(next);
            (self.at, self.heading) = (next, heading);
        }
    }

    fn tell(self, end: End, is_solved: bool) -> Tale {
        Tale {
            end,
            is_solved,
            stretches: self.stretches,
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
    fn a_local_search_looks_as_far_as_its_limit_goes() {
        let mut maze = Maze::open(200, 200).unwrap();
        maze.goals = vec![Cell::new(199, 0)];
        let first_tick = |limit| {
            let tick = |tour: &mut MouseTour<'_, '_>| {
                tour.tick(maze.start, Budget::UNLIMITED).unwrap();
                tour.stats().tick.expansions
            };
            with_tour(Name::LssLrta, &maze, limit, tick).unwrap()
        };
        let more = first_tick(Some(2 * LOOK_AHEAD)) - first_tick(None);
        assert_eq!(more, LOOK_AHEAD);
    }
}
