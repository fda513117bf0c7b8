//! Planning tasks, and the planners that solve them by [name](Name).

use std::slice;

use planner_core::{
    BuildError, Cell,
    graph::Moves as MoveKind,
    map::{CellMap, Map, Uniform, WallMap},
    storage::{Allocate, BLOCK, Boxed},
};
use serde::{Deserialize, Serialize};
use sim_planners::Robot;
pub use sim_planners::{
    AnyPlanner, Explorer, LOCAL_CELLS, Name, SUBGOAL_VALUES, TREE_CELLS, memory,
};

use crate::world::{Grid, Maze, World};

/// The moves of the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moves {
    /// Along rows and columns.
    #[default]
    Four,
    /// Also diagonally, never across a blocked corner.
    Eight,
}

/// A planning task.
#[derive(Clone, Copy, Debug)]
pub struct Task<'w> {
    /// Width and height of the map.
    pub size: (u16, u16),
    pub moves: Moves,
    pub start: Cell,
    /// The robot goes to the nearest.
    pub goals: &'w [Cell],
    /// The map of a world of cells, if it is known from the start.
    pub known: Option<&'w Grid>,
    /// Limit of expansions per tick; also the look-ahead of a planner without a global search.
    pub limit: Option<u32>,
    /// Share of a tick that Real-Time D* keeps for its local search, in per cent; `None` is the
    /// [planner's own](Name::local_percent).
    pub local_percent: Option<u8>,
    /// True if re-queues of Anytime D* in Real-Time D* are not charged: an experiment, not a planner for robots.
    pub free_requeues: bool,
}

impl<'w> Task<'w> {
    /// A task with four moves in an unknown world.
    pub fn new(size: (u16, u16), start: Cell, goal: &'w Cell) -> Self {
        Self {
            size,
            moves: Moves::Four,
            start,
            goals: slice::from_ref(goal),
            known: None,
            limit: None,
            local_percent: None,
            free_requeues: false,
        }
    }

    /// A task in an unknown maze, from its start to its goals.
    pub fn in_maze(maze: &'w Maze) -> Self {
        Self {
            goals: &maze.goals,
            ..Self::new((maze.width(), maze.height()), maze.start, &maze.start)
        }
    }

    fn robot(&self) -> Robot<'w> {
        Robot {
            start: self.start,
            goals: self.goals,
            look_ahead: self.limit.unwrap_or(LOOK_AHEAD),
            local_percent: self.local_percent,
            free_requeues: self.free_requeues,
        }
    }
}

/// Look-ahead of a [`Task`] without a limit.
pub const LOOK_AHEAD: u32 = 64;

/// Builds a planner for a task on cells.
///
/// # Errors
/// The map does not fit 32 bits, or start or goal is outside.
pub fn build_planner(name: Name, task: &Task<'_>) -> Result<Box<dyn AnyPlanner>, BuildError> {
    let (robot, size) = (&task.robot(), task.size);
    match task.moves {
        Moves::Four => sim_planners::with_four_moves(name, robot, cell_map(size, task.known)?),
        Moves::Eight => sim_planners::with_eight_moves(name, robot, cell_map(size, task.known)?),
    }
}

/// Builds a planner for a task in a world, of which it knows all or nothing.
///
/// # Errors
/// The map does not fit 32 bits, or start or goal is outside.
pub fn build_planner_in(
    name: Name,
    world: &World,
    is_known: bool,
    task: &Task<'_>,
) -> Result<Box<dyn AnyPlanner>, BuildError> {
    match world {
        World::Cells(grid) => {
            let known = is_known.then_some(grid);
            build_planner(name, &Task { known, ..*task })
        }
        World::Walls(maze) => {
            let mut robot = task.robot();
            if name.is_known_map_only() {
                // A subgoal tree has a single goal.
                robot.goals = &robot.goals[..1];
            }
            sim_planners::in_maze(name, &robot, wall_map(maze, is_known)?)
        }
    }
}

/// Builds an explorer of a maze of which only the size is known, for a task that begins at home.
///
/// # Errors
/// The maze does not fit 32 bits, or the planner needs a known map.
pub fn build_explorer(
    name: Name,
    maze: &Maze,
    task: &Task<'_>,
) -> Result<Box<dyn Explorer>, BuildError> {
    sim_planners::explorer(name, &task.robot(), wall_map(maze, false)?)
}

/// A map of cells that knows a grid, or nothing.
///
/// # Errors
/// The size is zero.
pub fn cell_map<M: MoveKind>(
    (width, height): (u16, u16),
    known: Option<&Grid>,
) -> Result<CellMap<Boxed, M>, BuildError> {
    let words = CellMap::vertices(width, height).div_ceil(BLOCK);
    let mut map = CellMap::in_storage(Boxed::allocate(words, 0), Uniform);
    map.resize(width, height)?;
    if let Some(grid) = known {
        for cell in grid.cells() {
            // Sizes that differ are the caller's mistake; cells outside stay unknown.
            let _ = map.observe(grid.observe(cell));
        }
    }
    Ok(map)
}

/// A map of walls that knows a maze, or nothing.
///
/// # Errors
/// The size is zero.
pub fn wall_map(maze: &Maze, is_known: bool) -> Result<WallMap<Boxed>, BuildError> {
    let (width, height) = (maze.width(), maze.height());
    let blocks = WallMap::vertices(width, height).div_ceil(BLOCK);
    let mut map = WallMap::in_storage(Boxed::allocate(blocks, [0; BLOCK]));
    map.resize(width, height)?;
    if is_known {
        for observation in maze.cells().flat_map(|cell| maze.observe_around(cell)) {
            // The walls of a maze are on its map.
            let _ = map.observe(observation);
        }
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use planner_core::{Budget, Decision};

    use super::*;

    #[test]
    fn every_planner_reaches_its_goal_in_an_empty_world() {
        let (start, goal) = (Cell::new(0, 0), Cell::new(8, 5));
        for &name in Name::all() {
            let mut planner = build_planner(name, &Task::new((9, 9), start, &goal)).unwrap();
            let (mut at, mut moves) = (start, 0);
            while let Decision::Step(next) = planner.tick(at, Budget::UNLIMITED).unwrap() {
                (at, moves) = (next, moves + 1);
                assert!(moves <= 13, "{name}");
            }
            assert_eq!((at, moves), (goal, 13), "{name}");
        }
    }

    #[test]
    fn a_goal_outside_the_map_is_an_error() {
        let outside = Cell::new(9, 0);
        let task = Task::new((9, 9), Cell::new(0, 0), &outside);
        let error = build_planner(Name::DstarLite, &task).err();
        assert!(matches!(error, Some(BuildError::OffMap(_))), "{error:?}");
    }

    #[test]
    fn the_limit_sets_the_look_ahead() {
        let mut maze = Maze::open(200, 200).unwrap();
        maze.goals = vec![Cell::new(199, 0)];
        let first_tick = |limit| {
            let task = Task {
                limit,
                ..Task::in_maze(&maze)
            };
            let mut explorer = build_explorer(Name::LssLrta, &maze, &task).unwrap();
            explorer.tick(maze.start, Budget::UNLIMITED).unwrap();
            explorer.stats().last_tick.expansions
        };
        let more = first_tick(Some(2 * LOOK_AHEAD)) - first_tick(None);
        assert_eq!(more, LOOK_AHEAD);
    }
}
