//! One moment of a run, as it is drawn.
//!
//! Plain data, so that whatever fills it can be watched: a planner in a simulated world, or a robot that
//! reports what it knows.

use planner_core::{Cell, CellValues, map::Occupancy};
use sim::{
    world::World,
    world::{Maze, maze::SIDES},
};

/// A cost as it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cost {
    /// The planner keeps none.
    #[default]
    None,
    Finite(u32),
    Infinite,
}

impl Cost {
    /// The cost, if it is a number.
    #[must_use]
    pub fn finite(self) -> Option<u32> {
        match self {
            Self::Finite(cost) => Some(cost),
            Self::None | Self::Infinite => None,
        }
    }
}

impl From<Option<usize>> for Cost {
    fn from(cost: Option<usize>) -> Self {
        match cost {
            None => Self::None,
            Some(CellValues::INFINITE) => Self::Infinite,
            // A path of four billion is as good as none.
            Some(cost) => u32::try_from(cost).map_or(Self::Infinite, Self::Finite),
        }
    }
}

/// What there is to see of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellStill {
    pub fact: Occupancy,
    /// Whether a search has been there and what it found still counts.
    pub is_searched: bool,
    /// Whether it is in the open list.
    pub is_open: bool,
    /// Whether the last tick expanded it.
    pub is_fresh: bool,
    /// Whether the robot has been there.
    pub is_walked: bool,
    pub g: Cost,
    pub rhs: Cost,
    pub h: Cost,
    /// Of a cell in the open list.
    pub key: Option<(u32, u32)>,
}

impl CellStill {
    /// Takes over what a planner keeps of the cell.
    pub fn keep(&mut self, values: CellValues) {
        let word = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        self.g = values.g.into();
        self.rhs = values.rhs.into();
        self.h = values.h.into();
        self.key = values
            .key
            .map(|(first, second)| (word(first), word(second)));
        self.is_open = values.is_open;
    }
}

/// Where a robot is that does not jump from cell to cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pose {
    /// From the west and the north edge of the map, in thousandths of a cell.
    pub at: [i32; 2],
    /// Clockwise from north, in tenths of a degree.
    pub heading: i32,
}

/// One moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Still {
    /// Columns and rows.
    pub size: (u16, u16),
    /// Row by row from the north; always as many as `size` says.
    pub cells: Vec<CellStill>,
    /// In a maze, what is known of the north and the west wall of each cell; empty elsewhere.
    pub walls: Vec<[Occupancy; 2]>,
    pub robot: Cell,
    /// Where it is within its cell and where it looks, if that is known.
    pub pose: Option<Pose>,
    pub start: Cell,
    pub goals: Vec<Cell>,
    /// The last part of the way that the robot came.
    pub trail: Vec<Cell>,
    /// The way it means to go.
    pub plan: Vec<Cell>,
    /// Another number whenever something else is to be seen.
    pub revision: u64,
}

impl Still {
    /// The number of a cell, if it is on the map.
    #[must_use]
    pub fn index(&self, cell: Cell) -> Option<usize> {
        let (width, height) = self.size;
        (cell.x < width && cell.y < height)
            .then(|| usize::from(cell.y) * usize::from(width) + usize::from(cell.x))
    }

    /// What there is to see of a cell.
    #[must_use]
    pub fn cell(&self, cell: Cell) -> Option<&CellStill> {
        self.cells.get(self.index(cell)?)
    }

    /// Shows a world as it is.
    pub fn show_truth(&mut self, ground: &World) {
        self.size = size(ground);
        self.cells.clear();
        self.walls.clear();
        match ground {
            World::Cells(grid) => self.cells.extend(grid.cells().map(|cell| CellStill {
                fact: fact(!grid.is_free(cell)),
                ..CellStill::default()
            })),
            World::Walls(maze) => {
                let free = CellStill {
                    fact: Occupancy::Free,
                    ..CellStill::default()
                };
                self.cells.extend(maze.cells().map(|_| free));
                self.walls
                    .extend(maze.cells().map(|cell| walls(maze, cell)));
            }
        }
    }
}

/// Columns and rows of what a robot walks on.
#[must_use]
pub fn size(ground: &World) -> (u16, u16) {
    match ground {
        World::Cells(grid) => (grid.width(), grid.height()),
        World::Walls(maze) => (maze.width(), maze.height()),
    }
}

fn walls(maze: &Maze, cell: Cell) -> [Occupancy; 2] {
    let [north, _, _, west] = SIDES;
    [north, west].map(|side| fact(maze.has_wall(cell, side)))
}

fn fact(is_blocked: bool) -> Occupancy {
    match is_blocked {
        true => Occupancy::Blocked,
        false => Occupancy::Free,
    }
}
