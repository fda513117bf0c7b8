//! One moment of a run, as every view draws it.

use std::collections::HashSet;

use planner_core::{Cell, Inspect, map::Occupancy};

use super::maze::{self, MazeDrawing};
use crate::world::{Scenario, World, cells};

/// A tile of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    /// Not seen yet.
    Unknown,
    /// Not seen yet, but searched: the planner presumes it free.
    UnknownSearched,
    /// Seen free.
    Free,
    /// Seen free, and searched.
    FreeSearched,
    /// Seen blocked.
    Blocked,
    /// The robot has been there.
    Walked,
    Start,
    Goal,
    Robot,
}

impl Tile {
    /// All tiles.
    pub const ALL: [Self; 9] = [
        Self::Unknown,
        Self::UnknownSearched,
        Self::Free,
        Self::FreeSearched,
        Self::Blocked,
        Self::Walked,
        Self::Start,
        Self::Goal,
        Self::Robot,
    ];

    /// Appearance in the views.
    pub fn look(self) -> Look {
        let (name, character, ansi, rgb) = match self {
            Self::Unknown => ("unknown", ' ', 245, 0xc9_ce_d6),
            Self::UnknownSearched => ("unknown, searched", ' ', 67, 0xa3_bc_dc),
            Self::Free => ("free", '.', 255, 0xf6_f8_fa),
            Self::FreeSearched => ("free, searched", ':', 153, 0xcf_e4_fb),
            Self::Blocked => ("blocked", '#', 237, 0x24_29_2f),
            Self::Walked => ("walked", 'o', 214, 0xfd_d9_a0),
            Self::Start => ("start", 'S', 33, 0x1f_6f_eb),
            Self::Goal => ("goal", 'G', 40, 0x1a_9c_46),
            Self::Robot => ("robot", '@', 196, 0xd1_24_2f),
        };
        Look {
            name,
            character,
            ansi,
            rgb,
        }
    }
}

/// Appearance of a tile.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The name in a legend.
    pub name: &'static str,
    /// In plain text; unknown cells stay blank.
    pub character: char,
    /// The color among the 256 that terminals share.
    pub ansi: u8,
    /// The color in a picture.
    pub rgb: u32,
}

/// A moment of a run: the robot and its map.
///
/// A maze is drawn with cells, as [`maze`] says; all cells here are those of the drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Columns and rows.
    pub size: (u16, u16),
    /// The ground, row by row: no start, goal or robot among them.
    pub ground: Vec<Tile>,
    pub start: Cell,
    pub goal: Cell,
    pub robot: Cell,
}

impl Snapshot {
    /// Draws what a planner knows whose robot has come along `trail` from the start.
    pub fn new(scenario: &Scenario, planner: &dyn Inspect, trail: &[Cell]) -> Self {
        let Scenario { start, goal, .. } = *scenario;
        let ends = [start, goal, *trail.last().unwrap_or(&start)];
        Self::of_run(&scenario.world, planner, ends, trail, trail)
    }

    /// Draws what a planner knows of a world whose robot has visited cells, and has come along `trail`; `ends` are
    /// the start, the goal and the robot.
    pub fn of_run(
        world: &World,
        planner: &dyn Inspect,
        ends: [Cell; 3],
        visited: &[Cell],
        trail: &[Cell],
    ) -> Self {
        let size = drawn_size(world);
        match world {
            World::Cells(_) => Self::of(planner, size, ends, &visited.iter().copied().collect()),
            World::Walls(maze) => {
                let drawing = MazeDrawing::new(planner, maze, visited);
                let walked = maze::trail(trail).into_iter().collect();
                Self::of(&drawing, size, ends.map(maze::drawn), &walked)
            }
        }
    }

    /// Draws a map, with the start, the goal and the robot on it.
    pub fn of(
        map: &dyn Inspect,
        size: (u16, u16),
        [start, goal, robot]: [Cell; 3],
        walked: &HashSet<Cell>,
    ) -> Self {
        let tile = |cell| match (map.occupancy(cell), map.is_expanded(cell)) {
            _ if walked.contains(&cell) => Tile::Walked,
            (Occupancy::Blocked, _) => Tile::Blocked,
            (Occupancy::Free, true) => Tile::FreeSearched,
            (Occupancy::Free, false) => Tile::Free,
            (Occupancy::Unknown, true) => Tile::UnknownSearched,
            (Occupancy::Unknown, false) => Tile::Unknown,
        };
        Self {
            size,
            ground: cells(size).map(tile).collect(),
            start,
            goal,
            robot,
        }
    }

    /// The same moment in the true world, of which all is seen.
    pub fn in_world(&self, world: &World) -> Self {
        match world {
            World::Cells(grid) => self.with_blocked(|cell| !grid.is_free(cell)),
            World::Walls(maze) => self.with_blocked(|cell| maze::is_blocked(maze, cell)),
        }
    }

    /// Replaces all but the trail.
    fn with_blocked(&self, is_blocked: impl Fn(Cell) -> bool) -> Self {
        let tile = |(cell, &tile)| match tile {
            Tile::Walked => Tile::Walked,
            _ if is_blocked(cell) => Tile::Blocked,
            _ => Tile::Free,
        };
        Self {
            ground: cells(self.size).zip(&self.ground).map(tile).collect(),
            ..*self
        }
    }

    /// The tile of a cell, with start, goal and robot.
    pub fn tile(&self, cell: Cell) -> Tile {
        if cell == self.robot {
            Tile::Robot
        } else if cell == self.goal {
            Tile::Goal
        } else if cell == self.start {
            Tile::Start
        } else {
            self.ground[usize::from(cell.y) * usize::from(self.size.0) + usize::from(cell.x)]
        }
    }

    /// The ground of each row.
    pub fn rows(&self) -> impl Iterator<Item = &[Tile]> {
        self.ground.chunks(self.size.0.into())
    }
}

/// Columns and rows of the drawing of a world.
pub fn drawn_size(world: &World) -> (u16, u16) {
    match world {
        World::Cells(_) => world.size(),
        World::Walls(maze) => maze::size(maze),
    }
}

/// A trail in cells of the drawing.
pub fn drawn_trail(world: &World, trail: &[Cell]) -> Vec<Cell> {
    match world {
        World::Cells(_) => trail.to_vec(),
        World::Walls(_) => maze::trail(trail),
    }
}
