//! Options that choose a world, a start and a goal.

use std::{path::PathBuf, sync::Once};

use planner_core::Cell;

use super::{
    planner::PlannerOptions,
    value::{self, Size},
};
use crate::{
    error::{BadInput, OrBadInput, print_error},
    world::{
        Grid, MarkedGrid, Maze, Scenario, bundled, corridors,
        doors::Doors,
        file::{self, MapFile},
        random, rng, rooms,
    },
};

/// The world of a bare `sim`: with half blocks it fits a terminal of 80 columns and 24 rows.
pub const DEFAULT_SIZE: Size = Size {
    width: 77,
    height: 37,
};
/// Enough openings for several paths, few enough that it stays a maze.
pub const DEFAULT_OPENINGS: u32 = 40;
/// Share of cells that random obstacles block.
pub const DEFAULT_DENSITY: f64 = 0.3;

/// The world, the start and the goal.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "World")]
pub struct WorldOptions {
    /// Map file: a MovingAI `.map`, text with `#` blocked, `.` free, `S` start and `G` goal, or a
    /// micromouse maze; or a bundled maze, such as maze-easy.txt
    #[arg(long, value_name = "FILE", group = "world")]
    pub map: Option<PathBuf>,

    /// Maze of corridors one cell wide [default: 77x37 with 40 openings]
    #[arg(long, value_name = "WxH", group = "world")]
    pub maze: Option<Size>,

    /// Number of blocked cells of the maze to open, so that there are several paths
    #[arg(long, value_name = "N", requires = "maze",
        conflicts_with_all = ["map", "random", "rooms"])]
    pub open: Option<u32>,

    /// Field of random obstacles
    #[arg(long, value_name = "WxH", group = "world")]
    pub random: Option<Size>,

    /// Share of cells that random obstacles block, from 0 to 1 [default: 0.3]
    #[arg(long, value_name = "P", requires = "random",
        conflicts_with_all = ["map", "maze", "rooms"],
        value_parser = value::probability)]
    pub density: Option<f64>,

    /// Rooms joined by doors
    #[arg(long, value_name = "WxH", group = "world")]
    pub rooms: Option<Size>,

    /// Mean number of doors that open or close per tick; the robot is told of each change unless
    /// --sense is given
    #[arg(long, value_name = "RATE", requires = "rooms",
        conflicts_with_all = ["map", "maze", "random"],
        value_parser = value::rate)]
    pub doors: Option<f64>,

    /// Start cell; columns and rows count from 0 in the upper left corner
    /// [default: the map's own, else random]
    #[arg(long, value_name = "X,Y", value_parser = value::cell)]
    start: Option<Cell>,

    /// Goal cell [default: the map's own, else a random reachable one]
    #[arg(long, value_name = "X,Y", value_parser = value::cell)]
    goal: Option<Cell>,

    /// Seed of random worlds and cells; the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

impl WorldOptions {
    /// Loads or generates the scenario; without options, a maze.
    ///
    /// # Errors
    /// There is no such world, or start or goal does not fit it.
    pub fn scenario(&self) -> Result<Scenario, BadInput> {
        self.scenario_or(DEFAULT_SIZE, DEFAULT_OPENINGS)
    }

    /// Loads or generates the scenario; without options, a maze of this size.
    pub fn scenario_or(&self, size: Size, openings: u32) -> Result<Scenario, BadInput> {
        let mut rng = rng::seeded(self.seed);
        let mut doors = None;
        let (name, mut world) = if let Some(path) = &self.map {
            let bundled = bundled::maze(path).filter(|_| !path.exists());
            let map = bundled.map(|maze| Ok(MapFile::Walls(maze)));
            match map.unwrap_or_else(|| file::load(path)).or_bad_input()? {
                MapFile::Cells(grid) => (file::name(path), grid),
                MapFile::Walls(mut maze) => {
                    match self.start {
                        Some(start) => maze.start = start,
                        // A sweep makes the scenario many times.
                        None => NOTED.call_once(|| note_assumed_start(&file::name(path), &maze)),
                    }
                    if let Some(goal) = self.goal {
                        maze.goals = vec![goal];
                    }
                    return Scenario::in_maze(file::name(path), maze);
                }
            }
        } else if let Some(size) = self.random {
            let density = self.density.unwrap_or(DEFAULT_DENSITY);
            let grid = random::obstacles(size.width, size.height, density, &mut rng);
            let name = format!("random {size} density {density}");
            (name, grid.or_bad_input()?.into())
        } else if let Some(size) = self.rooms {
            let rooms = rooms::rooms(size.width, size.height, &mut rng);
            let mut rooms = rooms.or_bad_input()?;
            match self.doors {
                None => (format!("rooms {size}"), rooms.grid.into()),
                Some(rate) => {
                    doors = Some(Doors::new(&mut rooms, rate, rng.clone()));
                    let name = format!("rooms {size} doors {rate}");
                    let far = Cell::new(rooms.grid.width() - 1, rooms.grid.height() - 1);
                    (name, between(rooms.grid, Cell::new(0, 0), far))
                }
            }
        } else {
            let (size, open) = match self.maze {
                Some(size) => (size, self.open.unwrap_or(0)),
                None => (size, openings),
            };
            let grid = corridors::corridors(size.width, size.height, open, &mut rng);
            let grid = grid.or_bad_input()?;
            let name = match open {
                0 => format!("maze {size}"),
                _ => format!("maze {size} open {open}"),
            };
            match self.maze {
                Some(_) => (name, grid.into()),
                // From side to side: towards a corner, all of it would be on a shortest path and searched at once.
                None => {
                    // Rooms of a maze are at even places.
                    let middle = grid.height() / 4 * 2;
                    let (left, right) = (0, grid.width() - 1);
                    let world = between(grid, Cell::new(left, middle), Cell::new(right, middle));
                    (name, world)
                }
            }
        };
        world.start = self.start.or(world.start);
        world.goal = self.goal.or(world.goal);
        Scenario::in_cells(name, world, doors, &mut rng)
    }

    /// Returns whether the robot knows the whole map: on request, and where doors move and it has no sensor.
    pub fn is_known(&self, planner: &PlannerOptions) -> bool {
        planner.known || (self.doors.is_some() && planner.sense.is_none())
    }
}

/// Set once the assumed start of the map file has been noted.
static NOTED: Once = Once::new();

/// Says on standard error that the drawing of a maze marks no start.
pub fn note_assumed_start(name: &str, maze: &Maze) {
    if maze.is_start_assumed {
        print_error(&format!(
            "note: {name} marks no start S; the robot starts in the lower left corner"
        ));
    }
}

/// A world to be crossed from one cell to another.
fn between(grid: Grid, start: Cell, goal: Cell) -> MarkedGrid {
    MarkedGrid {
        start: Some(start),
        goal: Some(goal),
        grid,
    }
}
