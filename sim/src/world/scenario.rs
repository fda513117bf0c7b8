//! A world with a start and a goal: one navigation problem.

use std::slice;

use planner_core::{Cell, Observation, Side, map::Occupancy};
use rand::seq::IteratorRandom;

use super::{Grid, Maze, doors::Doors, rng};
use crate::error::BadInput;

/// The world that a robot moves in.
#[derive(Clone, Debug)]
pub enum World {
    /// Free and blocked cells.
    Cells(Grid),
    /// Cells with walls between them.
    Walls(Maze),
}

impl World {
    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        match self {
            Self::Cells(grid) => (grid.width(), grid.height()),
            Self::Walls(maze) => (maze.width(), maze.height()),
        }
    }

    /// All cells, row by row from the north, each row from the west.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        super::cells(self.size())
    }

    /// Returns whether a robot can stand on a cell.
    pub fn is_free(&self, cell: Cell) -> bool {
        match self {
            Self::Cells(grid) => grid.is_free(cell),
            Self::Walls(maze) => maze.contains(cell),
        }
    }

    /// Makes a cell or a wall what an observation says of it; `false` if it is so already, or fixed.
    pub fn edit(&mut self, edit: Observation) -> bool {
        match (self, edit) {
            (Self::Cells(grid), Observation::Cell(cell, occupancy)) => {
                grid.set_blocked(cell, occupancy == Occupancy::Blocked)
            }
            (Self::Walls(maze), Observation::Wall(cell, side, occupancy)) => {
                maze.set_wall(cell, side, occupancy == Occupancy::Blocked)
            }
            _ => false,
        }
    }

    /// The observation of the same cell or wall as it is now.
    pub fn observe_again(&self, observation: Observation) -> Observation {
        match (self, observation) {
            (Self::Cells(grid), Observation::Cell(cell, _)) => grid.observe(cell),
            (Self::Walls(maze), Observation::Wall(cell, side, _)) => maze.observe(cell, side),
            _ => observation,
        }
    }

    /// Observations of the whole world.
    pub fn observations(&self) -> Vec<Observation> {
        match self {
            Self::Cells(grid) => grid.cells().map(|cell| grid.observe(cell)).collect(),
            Self::Walls(maze) => {
                let around = |cell| maze.observe_around(cell);
                maze.cells().flat_map(around).collect()
            }
        }
    }
}

impl Grid {
    pub fn observe(&self, cell: Cell) -> Observation {
        Observation::Cell(cell, occupancy(!self.is_free(cell)))
    }
}

impl Maze {
    /// The observation of the wall on a side of a cell.
    pub fn observe(&self, cell: Cell, side: Side) -> Observation {
        Observation::Wall(cell, side, occupancy(self.has_wall(cell, side)))
    }

    /// The observations of the walls around a cell, clockwise from the north.
    pub fn observe_around(&self, cell: Cell) -> [Observation; 4] {
        [0, 1, 2, 3].map(|turns| self.observe(cell, Side::North.turned(turns)))
    }
}

/// The occupancy of a cell or a wall that was seen.
pub fn occupancy(is_blocked: bool) -> Occupancy {
    match is_blocked {
        true => Occupancy::Blocked,
        false => Occupancy::Free,
    }
}

/// A grid with the start and the goal that its file marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedGrid {
    pub grid: Grid,
    /// A free cell.
    pub start: Option<Cell>,
    /// A free cell.
    pub goal: Option<Cell>,
}

impl From<Grid> for MarkedGrid {
    fn from(grid: Grid) -> Self {
        let (start, goal) = (None, None);
        Self { grid, start, goal }
    }
}

/// A world with a name, a start and a goal.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub name: String,
    pub world: World,
    pub start: Cell,
    /// In a maze, the first of its goals.
    pub goal: Cell,
    /// Doors that open and close while the robot moves.
    pub doors: Option<Doors>,
}

impl Scenario {
    /// A scenario in a world of cells; an unmarked start or goal is drawn at random.
    ///
    /// # Errors
    /// Start or goal is blocked or outside, or the world has no two connected free cells.
    pub fn in_cells(
        name: String,
        world: MarkedGrid,
        doors: Option<Doors>,
        rng: &mut rng::Rng,
    ) -> Result<Self, BadInput> {
        let MarkedGrid { grid, start, goal } = world;
        for (role, cell) in [("start", start), ("goal", goal)] {
            if let Some(cell) = cell {
                check_free(&grid, role, cell)?;
            }
        }
        let (start, goal) = match (start, goal) {
            (Some(start), Some(goal)) => Some((start, goal)),
            (Some(start), None) => random_reachable(&grid, start, rng).map(|goal| (start, goal)),
            (None, Some(goal)) => random_reachable(&grid, goal, rng).map(|start| (start, goal)),
            (None, None) => grid.random_free_pair(rng),
        }
        .ok_or_else(|| BadInput(format!("{name}: no two free cells are connected")))?;
        Ok(Self {
            name,
            world: World::Cells(grid),
            start,
            goal,
            doors,
        })
    }

    /// A scenario in a maze, from its start to its goals.
    ///
    /// # Errors
    /// The start or the first goal is outside the maze.
    pub fn in_maze(name: String, maze: Maze) -> Result<Self, BadInput> {
        let (start, goal) = (maze.start, maze.goals[0]);
        for (role, cell) in [("start", start), ("goal", goal)] {
            if !maze.contains(cell) {
                return Err(outside(role, cell, (maze.width(), maze.height())));
            }
        }
        Ok(Self {
            name,
            world: World::Walls(maze),
            start,
            goal,
            doors: None,
        })
    }

    /// The goals: one cell, or those of the maze.
    pub fn goals(&self) -> &[Cell] {
        match &self.world {
            World::Cells(_) => slice::from_ref(&self.goal),
            World::Walls(maze) => &maze.goals,
        }
    }
}

/// Checks that a robot can stand on a cell.
pub fn check_free(grid: &Grid, role: &str, cell: Cell) -> Result<(), BadInput> {
    let Cell { x, y } = cell;
    if !grid.contains(cell) {
        return Err(outside(role, cell, (grid.width(), grid.height())));
    }
    if !grid.is_free(cell) {
        return Err(BadInput(format!("the {role} {x},{y} is blocked")));
    }
    Ok(())
}

/// The complaint about a cell off the map.
pub(crate) fn outside(role: &str, Cell { x, y }: Cell, (width, height): (u16, u16)) -> BadInput {
    BadInput(format!(
        "the {role} {x},{y} is outside the map of {width}x{height} cells"
    ))
}

/// Another cell that can be reached from a cell.
fn random_reachable(grid: &Grid, from: Cell, rng: &mut rng::Rng) -> Option<Cell> {
    let reachable = grid.reachable(from);
    let others = reachable.free_cells().filter(|&cell| cell != from);
    others.choose(rng)
}
