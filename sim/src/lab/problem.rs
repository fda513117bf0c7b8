//! A problem in an unknown world, and the work of a planner on it.

use std::ops::ControlFlow;

use anyhow::{Context, ensure};
use planner_core::Cell;
use rand::Rng;

use crate::{
    catalog::{AnyPlanner, Moves, Name, Task, build_planner},
    environment::{Sensor, SimulatedWorld},
    walk::{Limits, Outcome, Walk, walk_watched},
    world::{Grid, Maze, World, corridors},
};

/// A robot at `start` of an unknown world with four moves; it sees the cells next to it, or the walls around it.
#[derive(Clone, Debug)]
pub struct Problem {
    pub world: World,
    pub start: Cell,
    /// Of a maze, the first of its goals.
    pub goal: Cell,
}

/// The work of a planner until the robot arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub expansions: f64,
    pub requeues: f64,
    pub searches: f64,
    pub moves: f64,
    /// Time for observations and planning.
    pub runtime_us: f64,
}

impl Problem {
    /// From the start of a maze to its goals.
    pub fn of(maze: Maze) -> Self {
        Self {
            start: maze.start,
            goal: maze.goals[0],
            world: World::Walls(maze),
        }
    }

    /// Start and goal at random in a world, the goal within reach.
    ///
    /// # Errors
    /// No two free cells of the world are connected.
    pub fn random(world: Grid, rng: &mut impl Rng) -> anyhow::Result<Self> {
        let (start, goal) = world
            .random_free_pair(rng)
            .context("the world has no two connected free cells")?;
        Ok(Self {
            world: World::Cells(world),
            start,
            goal,
        })
    }

    /// A random problem in a maze of corridors with openings.
    pub fn in_maze(
        (width, height): (u16, u16),
        openings: u32,
        rng: &mut impl Rng,
    ) -> anyhow::Result<Self> {
        Self::random(corridors::corridors(width, height, openings, rng)?, rng)
    }

    /// The planning task.
    pub fn task(&self) -> Task<'_> {
        match &self.world {
            World::Cells(_) => Task::new(self.world.size(), self.start, &self.goal),
            World::Walls(maze) => Task::in_maze(maze),
        }
    }

    /// Walks a planner to the goal, with a limit of expansions per tick.
    pub fn walk(&self, planner: &mut dyn AnyPlanner, limit: Option<u32>) -> anyhow::Result<Walk> {
        self.walk_watched(planner, limit, |_, _| ())
    }

    /// Walks a planner to the goal as [`Problem::walk`] does; `watch` is called after each tick.
    pub fn walk_watched(
        &self,
        planner: &mut dyn AnyPlanner,
        limit: Option<u32>,
        mut watch: impl FnMut(&dyn AnyPlanner, Cell),
    ) -> anyhow::Result<Walk> {
        let cells = self.world.cells().count() as u64;
        // A wall is learned at least once in as many moves as there are cells.
        let limits = Limits::new(limit, cells.saturating_mul(cells));
        let sensor = Sensor::new(1, Moves::Four);
        let mut world = SimulatedWorld::new(self.world.clone(), Some(sensor), None);
        let start = self.start;
        let walk = walk_watched(planner, &mut world, start, limits, |planner, _, tick| {
            watch(planner, tick.at);
            Ok(ControlFlow::Continue(()))
        })?;
        ensure!(
            walk.outcome == Outcome::Arrived,
            "the robot did not arrive: {:?} after {} moves",
            walk.outcome,
            walk.moves()
        );
        Ok(walk)
    }

    /// Has a planner solve the problem.
    pub fn solve(&self, name: Name) -> anyhow::Result<Measured> {
        let mut planner = build_planner(name, &self.task())?;
        self.measure(&mut *planner)
            .with_context(|| name.to_string())
    }

    /// Has a planner that was made for the problem solve it.
    pub fn measure(&self, planner: &mut dyn AnyPlanner) -> anyhow::Result<Measured> {
        self.measure_watched(planner, |_, _| ())
    }

    /// Has a planner solve the problem as [`Problem::measure`] does; `watch` is called after each tick.
    pub fn measure_watched(
        &self,
        planner: &mut dyn AnyPlanner,
        watch: impl FnMut(&dyn AnyPlanner, Cell),
    ) -> anyhow::Result<Measured> {
        let walk = self.walk_watched(planner, None, watch)?;
        let stats = planner.stats();
        Ok(Measured {
            expansions: stats.total.expansions as f64,
            requeues: stats.total.requeues as f64,
            searches: stats.searches.into(),
            moves: walk.moves() as f64,
            runtime_us: walk.planning_ns() as f64 / 1_000.0,
        })
    }

    /// Has planners solve the problem one after the other, on this thread, beginning with the one
    /// at `first` (counted round), so that over many problems none is always timed first.
    pub fn solve_in_turn<const N: usize>(
        &self,
        names: [Name; N],
        first: u32,
    ) -> anyhow::Result<[Measured; N]> {
        let mut measured = [None; N];
        for place in 0..N {
            let turn = (first as usize + place) % N;
            measured[turn] = Some(self.solve(names[turn])?);
        }
        Ok(measured.map(|measured| measured.expect("each has had its turn")))
    }
}
