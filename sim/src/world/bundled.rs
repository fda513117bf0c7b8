//! The worlds in `sim/worlds`, compiled in: what commands run in when no map is given.

use std::path::Path;

use super::{MarkedGrid, Maze, file, micromouse};

/// Micromouse mazes, easiest first: file name and drawing.
const MAZES: [(&str, &str); 4] = [
    ("maze-easy.txt", include_str!("../../worlds/maze-easy.txt")),
    (
        "maze-medium.txt",
        include_str!("../../worlds/maze-medium.txt"),
    ),
    ("maze-hard.txt", include_str!("../../worlds/maze-hard.txt")),
    (
        "maze-large.txt",
        include_str!("../../worlds/maze-large.txt"),
    ),
];

/// File name of the cave map.
pub const CAVE: &str = "cave.txt";

/// Micromouse mazes with their file names: three of 16x16 cells, easiest first, and one of 32x32.
pub fn mazes() -> impl Iterator<Item = (&'static str, Maze)> {
    // A test reads every one of them.
    MAZES
        .iter()
        .filter_map(|&(name, text)| Some((name, micromouse::parse_text(text).ok()?)))
}

/// File names of the micromouse mazes, easiest first.
pub const MAZE_NAMES: [&str; 4] = [MAZES[0].0, MAZES[1].0, MAZES[2].0, MAZES[3].0];

/// The bundled maze with this file name.
pub fn maze(name: &Path) -> Option<Maze> {
    let found = MAZES.iter().find(|maze| Path::new(maze.0) == name);
    found.and_then(|(_, text)| micromouse::parse_text(text).ok())
}

/// The cave map, with a start and a goal.
///
/// # Errors
/// None: a test reads it.
pub fn cave() -> Result<MarkedGrid, file::LoadProblem> {
    file::parse_grid(include_bytes!("../../worlds/cave.txt"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundled_world_can_be_read() {
        assert_eq!(mazes().count(), MAZES.len());
        assert!(mazes().all(|(_, maze)| maze.shortest().is_some()));
        let cave = cave().unwrap();
        assert!(cave.start.is_some() && cave.goal.is_some());
    }
}
