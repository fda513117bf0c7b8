//! One moment of a run as plain data: of a simulated run, or of a robot that reports what it knows.

use planner_core::{Cell, CellValues, Side, map::Occupancy};
use sim::world::{World, scenario::occupancy};

/// A cost as it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cost {
    /// The planner holds none.
    #[default]
    None,
    Finite(u32),
    Infinite,
}

impl Cost {
    /// The cost, if it is a number.
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

/// A cell as it is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellSnapshot {
    pub occupancy: Occupancy,
    /// True if a search has expanded it and still holds the result.
    pub is_searched: bool,
    /// True if it is in the OPEN list.
    pub is_open: bool,
    /// True if the last tick expanded it.
    pub is_fresh: bool,
    /// True if the robot has been there.
    pub is_walked: bool,
    pub g: Cost,
    pub rhs: Cost,
    pub h: Cost,
    /// Of a cell in the OPEN list.
    pub key: Option<(u32, u32)>,
}

impl CellSnapshot {
    /// Sets the values that the planner holds.
    pub fn set_values(&mut self, values: CellValues) {
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

/// A point, from the west and the north edge of the map, in thousandths of a cell.
pub type MapPoint = [i32; 2];

/// The route of a robot that moves continuously.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The path, with its smooth turns; empty while there is no route.
    pub path: Vec<MapPoint>,
    /// Decision point of the robot.
    pub decision: MapPoint,
}

/// The pose of a robot that moves continuously.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pose {
    pub at: MapPoint,
    /// Clockwise from north, in tenths of a degree.
    pub heading: i32,
}

/// One moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Columns and rows.
    pub size: (u16, u16),
    /// Row by row from the north; always as many as `size` says.
    pub cells: Vec<CellSnapshot>,
    /// In a maze, what is known of the north and the west wall of each cell; empty elsewhere.
    pub walls: Vec<[Occupancy; 2]>,
    pub robot: Cell,
    /// The pose within the cell, if it is known.
    pub pose: Option<Pose>,
    pub start: Cell,
    pub goals: Vec<Cell>,
    /// The last part of the trail.
    pub trail: Vec<Cell>,
    /// The planned path.
    pub plan: Vec<Cell>,
    /// Planned route of a robot that moves continuously.
    pub route: Route,
    /// Changes whenever the drawing does.
    pub revision: u64,
}

impl Snapshot {
    /// The index of a cell, if it is on the map.
    pub fn index(&self, cell: Cell) -> Option<usize> {
        let (width, height) = self.size;
        (cell.x < width && cell.y < height)
            .then(|| usize::from(cell.y) * usize::from(width) + usize::from(cell.x))
    }

    /// A cell as it is drawn.
    pub fn cell(&self, cell: Cell) -> Option<&CellSnapshot> {
        self.cells.get(self.index(cell)?)
    }

    /// Draws the true world.
    pub fn draw_world(&mut self, world: &World) {
        self.size = world.size();
        self.cells.clear();
        self.cells.extend(world.cells().map(|cell| CellSnapshot {
            occupancy: occupancy(!world.is_free(cell)),
            ..CellSnapshot::default()
        }));
        self.walls.clear();
        if let World::Walls(maze) = world {
            let walls =
                |cell| [Side::North, Side::West].map(|side| occupancy(maze.has_wall(cell, side)));
            self.walls.extend(maze.cells().map(walls));
        }
    }
}
