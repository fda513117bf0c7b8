//! Maps on disk: the repository's own, and a larger set where there is one beside the repository.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use planner_core::{Cell, Side};
use sim::world::{Grid, Maze, file};

/// The maze whose cells are the even columns and rows of corridors, and whose walls are between them.
pub fn maze_of(corridors: &Grid) -> Maze {
    let [width, height] = [corridors.width(), corridors.height()].map(|side| side.div_ceil(2));
    let mut maze = Maze::open(width.into(), height.into()).unwrap();
    for cell in maze.cells() {
        let (x, y) = (2 * cell.x, 2 * cell.y);
        maze.set_wall(cell, Side::East, !corridors.is_free(Cell::new(x + 1, y)));
        maze.set_wall(cell, Side::South, !corridors.is_free(Cell::new(x, y + 1)));
    }
    maze
}

/// The folder of the repository's own maps.
pub fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds")
}

/// The repository's micromouse mazes, then those of the larger set.
pub fn mazes() -> Vec<PathBuf> {
    let mut files = files(&own(), "txt");
    files.retain(|path| file::name(path).starts_with("maze-"));
    let larger = larger("micromouse");
    files.extend(larger.iter().flat_map(|folder| self::files(folder, "txt")));
    files
}

/// The repository's MovingAI maps, then those of the larger set; each has its `.scen` beside it.
pub fn movingai() -> Vec<PathBuf> {
    let folders = [Some(own()), larger("movingai")];
    let files = folders.iter().flatten().map(|folder| files(folder, "map"));
    files.flatten().collect()
}

/// A folder of the larger set. Says so when there is none.
fn larger(collection: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/maps")
        .join(collection);
    if folder.is_dir() {
        return Some(folder);
    }
    // Written directly: a test that passes keeps what `eprintln` prints to itself.
    let line =
        format!("skipped: ../shared/maps/{collection} is not there; tested on sim/worlds alone\n");
    io::stderr().write_all(line.as_bytes()).unwrap();
    None
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    file::list(folder, &[extension]).unwrap()
}
