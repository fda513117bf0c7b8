//! Micromouse mazes that a command runs in: a file, the files of a folder, or the bundled ones.

use std::path::Path;

use crate::{
    error::{BadInput, OrBadInput, print_error},
    options::world::note_assumed_start,
    world::{Maze, bundled, file},
};

/// Mazes with their names.
#[derive(Default)]
pub struct Mazes {
    pub mazes: Vec<(String, Maze)>,
    /// Files of the folder that are no mazes.
    pub faulty: usize,
}

impl Mazes {
    /// Loads mazes; without a path, the bundled ones. Each faulty file of a folder is reported on standard error.
    ///
    /// # Errors
    /// The file is no maze, or the folder has no maze files.
    pub fn load(path: Option<&Path>) -> Result<Self, BadInput> {
        let Some(path) = path else {
            let mazes = bundled::mazes().map(|(name, maze)| (name.to_owned(), maze));
            let (mazes, faulty) = (mazes.collect(), 0);
            return Ok(Self { mazes, faulty });
        };
        let paths = file::list(path, &file::MAZE_EXTENSIONS).or_bad_input()?;
        let mut loaded = Self::default();
        for path in &paths {
            match file::load_maze(path) {
                Ok(maze) => {
                    let name = file::name(path);
                    note_assumed_start(&name, &maze);
                    loaded.mazes.push((name, maze));
                }
                Err(error) if paths.len() == 1 => return Err(error).or_bad_input(),
                // One faulty file of a folder does not keep the others from being run in.
                Err(error) => {
                    print_error(&format!("error: {error}"));
                    loaded.faulty += 1;
                }
            }
        }
        Ok(loaded)
    }
}
