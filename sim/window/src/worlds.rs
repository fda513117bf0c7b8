//! The worlds to choose from: generated, or out of a file.

use std::{ffi::OsStr, path::Path};

use clap::Parser;
use planner_core::Cell;
use serde::{Deserialize, Serialize};
use sim::{
    options::{
        view::ViewOptions,
        world::{DEFAULT_DENSITY, DEFAULT_OPENINGS, DEFAULT_SIZE},
    },
    world::{Scenario, World},
    world::{
        bundled,
        file::{self, MapFile},
        movingai::{self, Query},
        rng,
    },
};

/// A kind of world that is generated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    #[default]
    Maze,
    Obstacles,
    Rooms,
    Doors,
    /// A bundled one; the seed chooses it.
    Micromouse,
}

impl Kind {
    pub const ALL: [Self; 5] = [
        Self::Maze,
        Self::Obstacles,
        Self::Rooms,
        Self::Doors,
        Self::Micromouse,
    ];

    /// The displayed name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Maze => "Maze",
            Self::Obstacles => "Random obstacles",
            Self::Rooms => "Rooms",
            Self::Doors => "Rooms with doors that open and close",
            Self::Micromouse => "Micromouse maze",
        }
    }
}

/// A world to be generated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choice {
    pub kind: Kind,
    pub width: u16,
    pub height: u16,
    /// Walls of a maze that are opened.
    pub openings: u32,
    /// The share of cells that random obstacles block.
    pub density: f64,
    /// Doors that are tried in a tick, on average.
    pub rate: f64,
    pub seed: u64,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            kind: Kind::Maze,
            width: DEFAULT_SIZE.width,
            height: DEFAULT_SIZE.height,
            openings: DEFAULT_OPENINGS,
            density: DEFAULT_DENSITY,
            rate: 0.5,
            seed: 0,
        }
    }
}

impl From<&ViewOptions> for Choice {
    /// The world that a command line generates; the default where it names a file.
    fn from(args: &ViewOptions) -> Self {
        let (world, other) = (&args.world, Self::default());
        if let Some(seed) = world.map.as_deref().and_then(seed_of_bundled) {
            return Self {
                kind: Kind::Micromouse,
                seed,
                ..other
            };
        }
        let (kind, size) = match (world.maze, world.random, world.rooms, world.doors) {
            (_, Some(size), ..) => (Kind::Obstacles, Some(size)),
            (_, _, Some(size), None) => (Kind::Rooms, Some(size)),
            (_, _, Some(size), Some(_)) => (Kind::Doors, Some(size)),
            (size, ..) => (Kind::Maze, size),
        };
        Self {
            kind,
            width: size.map_or(other.width, |size| size.width),
            height: size.map_or(other.height, |size| size.height),
            openings: match world.maze {
                Some(_) => world.open.unwrap_or(0),
                None => other.openings,
            },
            density: world.density.unwrap_or(other.density),
            rate: world.doors.unwrap_or(other.rate),
            seed: args.world.seed,
        }
    }
}

/// The name of a bundled micromouse maze, for any seed.
pub fn bundled_maze(seed: u64) -> &'static str {
    let names = bundled::MAZE_NAMES;
    names[(seed % names.len() as u64) as usize]
}

/// The seed of a bundled micromouse maze, unless a file of this name is meant.
fn seed_of_bundled(path: &Path) -> Option<u64> {
    let mut names = bundled::MAZE_NAMES.iter();
    let place = names.position(|name| Path::new(name) == path && !path.exists());
    place.map(|place| place as u64)
}

impl Choice {
    /// The options of `sim run` and `sim view` that choose the same world.
    pub fn options(&self) -> String {
        let size = format!("{}x{}", self.width, self.height);
        let world = match self.kind {
            Kind::Maze => format!("--maze {size} --open {}", self.openings),
            Kind::Obstacles => format!("--random {size} --density {:.2}", self.density),
            Kind::Rooms => format!("--rooms {size}"),
            Kind::Doors => format!("--rooms {size} --doors {:.2}", self.rate),
            Kind::Micromouse => return format!("--map {}", bundled_maze(self.seed)),
        };
        format!("{world} --seed {}", self.seed)
    }

    /// Generates the world.
    ///
    /// # Errors
    /// There is no such world; why, in one line.
    pub fn scenario(&self) -> Result<Scenario, String> {
        let options = self.options();
        let words = ["sim-view"].into_iter().chain(options.split(' '));
        let args = ViewOptions::try_parse_from(words).map_err(|error| error.to_string())?;
        args.scenario().map_err(|error| error.to_string())
    }
}

/// The content of a file.
#[derive(Debug)]
pub enum Found {
    Scenario(Box<Scenario>),
    /// Starts and goals on a map, whose name is told.
    Queries(Vec<Query>, String),
}

/// Reads a map, a maze or a list of queries; its name tells which of the two last.
///
/// # Errors
/// It is none of them; why, in one line.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Found, String> {
    let name = file::name(path);
    let say = |problem: &dyn std::fmt::Display| format!("{name}: {problem}");
    if path.extension() == Some(OsStr::new("scen")) {
        let queries = file::parse_queries(bytes).map_err(|problem| say(&problem))?;
        let map = queries.first().map(|query| query.map.clone());
        let map = map.ok_or_else(|| say(&"there are no queries in it"))?;
        return Ok(Found::Queries(queries, map));
    }
    let scenario = match file::parse(bytes).map_err(|problem| say(&problem))? {
        MapFile::Walls(maze) => Scenario::in_maze(name, maze),
        MapFile::Cells(world) => Scenario::in_cells(name, world, None, &mut rng::seeded(0)),
    };
    let scenario = scenario.map_err(|error| error.to_string())?;
    Ok(Found::Scenario(scenario.into()))
}

/// A scenario with the start and the goal of a query.
///
/// # Errors
/// The query does not fit the scenario.
pub fn ask(scenario: &Scenario, query: &Query) -> Result<Scenario, String> {
    let World::Cells(grid) = &scenario.world else {
        return Err(format!("{} is a maze; a .scen is for maps", scenario.name));
    };
    movingai::check(query, grid).map_err(|error| error.to_string())?;
    let (start, goal): (Cell, Cell) = (query.start, query.goal);
    Ok(Scenario {
        start,
        goal,
        ..scenario.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_world_is_generated() {
        for kind in Kind::ALL {
            let choice = Choice {
                kind,
                ..Choice::default()
            };
            let scenario = choice.scenario().unwrap();
            let size = match kind {
                Kind::Micromouse => (16, 16),
                _ => (77, 37),
            };
            assert_eq!(scenario.world.size(), size, "{kind:?}");
            assert_eq!(scenario.doors.is_some(), kind == Kind::Doors);
        }
        let none = Choice {
            density: 1.0,
            kind: Kind::Obstacles,
            ..Choice::default()
        };
        assert!(none.scenario().unwrap_err().contains("no two free cells"));
    }

    #[test]
    fn the_panel_shows_the_world_of_a_bare_command_line() {
        let args = ViewOptions::try_parse_from(["sim-view"]).unwrap();
        let choice = Choice::from(&args);
        let size = args.scenario().unwrap().world.size();
        assert_eq!((choice.width, choice.height), size);
    }

    #[test]
    fn files_are_recognized_by_content_and_errors_name_the_line() {
        let read = |name: &str, text: &str| read(Path::new(name), text.as_bytes());
        assert!(matches!(read("a.map", "S.G\n"), Ok(Found::Scenario(_))));
        let maze = "o---o---o\n| S   G |\no---o---o\n";
        let Ok(Found::Scenario(scenario)) = read("a.txt", maze) else {
            panic!("a maze is a scenario");
        };
        assert!(matches!(scenario.world, World::Walls(_)));
        assert_eq!(
            read("dir/b.map", "S?G\n").unwrap_err().split(':').next(),
            Some("b.map")
        );
        assert!(read("a.scen", "version 1\n").is_err());
    }
}
