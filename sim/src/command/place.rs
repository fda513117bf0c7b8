//! Where a robot walks: the world that the options choose, a start and a goal in it.

use std::path::{Path, PathBuf};

use planner_core::Cell;
use rand::seq::IteratorRandom;

use super::{
    BadInput, OrBadInput,
    value::{self, Size},
};
use crate::world::{
    Grid, Loaded, Walled,
    doors::Doors,
    file::{self, World},
    maze, random, rng, rooms,
};

/// The world of a bare `sim`: with half blocks it fits a terminal of 80 columns and 24 rows.
const DEFAULT_SIZE: Size = Size {
    width: 77,
    height: 37,
};
/// So many that there is often more than one way, so few that it stays a maze.
const DEFAULT_OPENINGS: u32 = 40;
const DEFAULT_DENSITY: f64 = 0.3;

/// The options that choose a world and the ends of the walk.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "World")]
pub struct Options {
    /// A map: a MovingAI `.map`, text with `#` blocked, `.` free, `S` start and `G` goal, or a
    /// micromouse maze
    #[arg(long, value_name = "FILE", group = "world")]
    pub map: Option<PathBuf>,

    /// A maze of corridors one cell wide [default: 77x37 with 40 openings]
    #[arg(long, value_name = "WxH", group = "world")]
    pub maze: Option<Size>,

    /// How many of the maze's walls to open, so that there is more than one way
    #[arg(long, value_name = "N", requires = "maze",
        conflicts_with_all = ["map", "random", "rooms"])]
    pub open: Option<u32>,

    /// A field of random obstacles
    #[arg(long, value_name = "WxH", group = "world")]
    pub random: Option<Size>,

    /// The share of cells that random obstacles block, from 0 to 1 [default: 0.3]
    #[arg(long, value_name = "P", requires = "random",
        conflicts_with_all = ["map", "maze", "rooms"],
        value_parser = value::probability)]
    pub density: Option<f64>,

    /// Rooms joined by doors
    #[arg(long, value_name = "WxH", group = "world")]
    pub rooms: Option<Size>,

    /// Let doors of the rooms open and close, so many in a tick on average; the robot is told,
    /// unless --sense says how far it sees
    #[arg(long, value_name = "RATE", requires = "rooms",
        conflicts_with_all = ["map", "maze", "random"],
        value_parser = value::rate)]
    pub doors: Option<f64>,

    /// Where the robot begins; column and row count from 0 in the upper left corner
    /// [default: the map's own, else a random cell]
    #[arg(long, value_name = "X,Y", value_parser = value::cell)]
    start: Option<Cell>,

    /// Where it is to go [default: the map's own, else a random cell that it can reach]
    #[arg(long, value_name = "X,Y", value_parser = value::cell)]
    goal: Option<Cell>,

    /// What random worlds and cells are drawn from; the same seed gives the same walk
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// What a robot walks on.
#[derive(Clone, Debug)]
pub enum Ground {
    /// Free and blocked cells.
    Cells(Grid),
    /// Cells with walls between them; the goals are those of the maze.
    Walls(Walled),
}

/// A world, what to call it, and two free cells of it.
#[derive(Clone, Debug)]
pub struct Place {
    pub name: String,
    pub ground: Ground,
    pub start: Cell,
    pub goal: Cell,
    /// What changes there.
    pub doors: Option<Doors>,
}

impl Place {
    /// A place in a world of cells; ends of the walk that it does not tell are drawn at random.
    ///
    /// # Errors
    /// An end is blocked or outside, or there is nowhere to walk.
    pub fn in_cells(
        name: String,
        world: Loaded,
        doors: Option<Doors>,
        rng: &mut rng::Rng,
    ) -> Result<Self, BadInput> {
        let Loaded { grid, start, goal } = world;
        for (what, cell) in [("start", start), ("goal", goal)] {
            if let Some(cell) = cell {
                check(&grid, what, cell)?;
            }
        }
        let (start, goal) = match (start, goal) {
            (Some(start), Some(goal)) => Some((start, goal)),
            (Some(start), None) => other_end(&grid, start, rng).map(|goal| (start, goal)),
            (None, Some(goal)) => other_end(&grid, goal, rng).map(|start| (start, goal)),
            (None, None) => grid.random_free_pair(rng),
        }
        .ok_or_else(|| BadInput(format!("{name}: there is nowhere to walk")))?;
        Ok(Self {
            name,
            ground: Ground::Cells(grid),
            start,
            goal,
            doors,
        })
    }

    /// A place in a maze, from its start to its goals.
    #[must_use]
    pub fn in_maze(name: String, maze: Walled) -> Self {
        Self {
            name,
            start: maze.start,
            goal: maze.goals[0],
            ground: Ground::Walls(maze),
            doors: None,
        }
    }
}

impl Options {
    /// The place that the options choose.
    pub fn place(&self) -> Result<Place, BadInput> {
        self.place_or(DEFAULT_SIZE, DEFAULT_OPENINGS)
    }

    /// The place that the options choose; a maze, unless they do.
    pub fn place_or(&self, size: Size, openings: u32) -> Result<Place, BadInput> {
        if let Some(path) = &self.map
            && let World::Walls(maze) = file::load_world(path).or_bad_input()?
        {
            return self.in_maze(file_name(path), maze);
        }
        let mut rng = rng::seeded(self.seed);
        let (name, world, doors) = self.world(size, openings, &mut rng)?;
        let world = Loaded {
            start: self.start.or(world.start),
            goal: self.goal.or(world.goal),
            ..world
        };
        Place::in_cells(name, world, doors, &mut rng)
    }

    /// A place in a maze, whose own start and goals are taken unless others are asked for.
    fn in_maze(&self, name: String, mut maze: Walled) -> Result<Place, BadInput> {
        maze.start = self.start.unwrap_or(maze.start);
        if let Some(goal) = self.goal {
            maze.goals = vec![goal];
        }
        let size = (maze.width(), maze.height());
        for (what, &cell) in [("start", &maze.start), ("goal", &maze.goals[0])] {
            if !maze.contains(cell) {
                return Err(outside(what, cell, size));
            }
        }
        Ok(Place::in_maze(name, maze))
    }

    fn world(
        &self,
        size: Size,
        openings: u32,
        rng: &mut rng::Rng,
    ) -> Result<(String, Loaded, Option<Doors>), BadInput> {
        if let Some((size, rate)) = self.rooms.zip(self.doors) {
            let mut rooms = rooms::rooms(size.width, size.height, rng).or_bad_input()?;
            let doors = Doors::new(&mut rooms, rate, rng.clone());
            let name = format!("rooms {size} doors {rate}");
            return Ok((name, corner_to_corner(rooms.grid), Some(doors)));
        }
        let (name, world) = self.still_world(size, openings, rng)?;
        Ok((name, world, None))
    }

    fn still_world(
        &self,
        default: Size,
        openings: u32,
        rng: &mut rng::Rng,
    ) -> Result<(String, Loaded), BadInput> {
        if let Some(path) = &self.map {
            return Ok((file_name(path), file::load(path).or_bad_input()?));
        }
        if let Some(size) = self.random {
            let density = self.density.unwrap_or(DEFAULT_DENSITY);
            let grid = random::obstacles(size.width, size.height, density, rng).or_bad_input()?;
            return Ok((format!("random {size} density {density}"), unmarked(grid)));
        }
        if let Some(size) = self.rooms {
            let grid = rooms::rooms(size.width, size.height, rng)
                .or_bad_input()?
                .grid;
            return Ok((format!("rooms {size}"), unmarked(grid)));
        }
        if let Some(size) = self.maze {
            let open = self.open.unwrap_or(0);
            return Ok((maze_name(size, open), unmarked(corridors(size, open, rng)?)));
        }
        let grid = corridors(default, openings, rng)?;
        let name = maze_name(default, openings);
        Ok((name, corner_to_corner(grid)))
    }
}

/// A world to be crossed from the upper left corner to the lower right one.
fn corner_to_corner(grid: Grid) -> Loaded {
    let corner = Cell::new(grid.width() - 1, grid.height() - 1);
    Loaded {
        grid,
        start: Some(Cell::new(0, 0)),
        goal: Some(corner),
    }
}

fn corridors(size: Size, open: u32, rng: &mut rng::Rng) -> Result<Grid, BadInput> {
    maze::corridors(size.width, size.height, open, rng).or_bad_input()
}

fn maze_name(size: Size, open: u32) -> String {
    match open {
        0 => format!("maze {size}"),
        _ => format!("maze {size} open {open}"),
    }
}

fn unmarked(grid: Grid) -> Loaded {
    Loaded {
        grid,
        start: None,
        goal: None,
    }
}

/// Whether a robot can stand on a cell.
pub fn check(grid: &Grid, what: &str, cell: Cell) -> Result<(), BadInput> {
    let Cell { x, y } = cell;
    if !grid.contains(cell) {
        return Err(outside(what, cell, (grid.width(), grid.height())));
    }
    if !grid.is_free(cell) {
        return Err(BadInput(format!("the {what} {x},{y} is blocked")));
    }
    Ok(())
}

fn outside(what: &str, Cell { x, y }: Cell, (width, height): (u16, u16)) -> BadInput {
    BadInput(format!(
        "the {what} {x},{y} is outside the map of {width}x{height} cells"
    ))
}

/// A file's name without the folders it is in.
pub fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Another cell that can be reached from `end`, as `end` can be from there.
fn other_end(grid: &Grid, end: Cell, rng: &mut rng::Rng) -> Option<Cell> {
    let reached = grid.reachable(end);
    reached.free_cells().filter(|&cell| cell != end).choose(rng)
}
