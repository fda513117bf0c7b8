//! The one loader of map files.
//!
//! A file whose first word is `type` is a MovingAI map, one that begins with a post or with six numbers
//! is a [maze](super::micromouse), any other is a drawing in plain [text].
//! Whatever the file holds, the answer is a world or one line saying where it went wrong.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::micromouse::{MazeProblem, is_num, is_text, parse_num, parse_text};
use super::movingai::{MapProblem, Query, ScenProblem, parse_map, parse_scen};
use super::text::{self, TextProblem};
use super::{AtLine, MAX_CELLS, MarkedGrid, Maze};

/// The largest file read: about as long as the largest world drawn out.
pub const MAX_BYTES: u64 = MAX_CELLS as u64;

/// A file that could not be loaded.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct LoadError {
    /// The file.
    pub path: PathBuf,
    /// Its defect.
    pub problem: LoadProblem,
}

/// A defect of a file.
#[derive(Debug, Error)]
pub enum LoadProblem {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It is larger than any world.
    #[error("the file is larger than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// It is not text.
    #[error("line {line}: not UTF-8 text")]
    NotText {
        /// The line with the first wrong byte, counted from 1.
        line: usize,
    },
    /// It is not a MovingAI map.
    #[error(transparent)]
    Map(#[from] AtLine<MapProblem>),
    /// It is not a drawn map.
    #[error(transparent)]
    Text(#[from] AtLine<TextProblem>),
    /// It is not a maze.
    #[error(transparent)]
    Maze(#[from] AtLine<MazeProblem>),
    /// It is a maze, where a map of cells is asked for.
    #[error("a maze with walls between its cells, where a map of free and blocked cells is needed")]
    Walls,
    /// It is a map of cells, where a maze is asked for.
    #[error("a map of free and blocked cells, where a maze with walls between its cells is needed")]
    Cells,
    /// It is a folder without the files that are asked for.
    #[error("there is no .{0} in this folder")]
    NoSuchFiles(String),
    /// It is not a list of queries.
    #[error(transparent)]
    Scen(#[from] AtLine<ScenProblem>),
}

/// The content of a map file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapFile {
    /// Free and blocked cells.
    Cells(MarkedGrid),
    /// Cells with walls between them.
    Walls(Maze),
}

/// Loads the world in the file at `path`.
pub fn load(path: impl AsRef<Path>) -> Result<MapFile, LoadError> {
    with_path(path.as_ref(), parse)
}

/// Loads the map in the file at `path`.
pub fn load_grid(path: impl AsRef<Path>) -> Result<MarkedGrid, LoadError> {
    with_path(path.as_ref(), parse_grid)
}

/// Loads the maze in the file at `path`.
pub fn load_maze(path: impl AsRef<Path>) -> Result<Maze, LoadError> {
    with_path(path.as_ref(), |bytes| match parse(bytes)? {
        MapFile::Walls(maze) => Ok(maze),
        MapFile::Cells(_) => Err(LoadProblem::Cells),
    })
}

/// The file at `path`; or, when that is a folder, the files in it with one of these extensions, by
/// name.
///
/// # Errors
/// The folder cannot be read, or there is no such file in it.
pub fn list(path: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, LoadError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let is_one = |file: &PathBuf| {
        let extension = file.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| extensions.contains(&extension))
    };
    let list = || {
        let entries: Vec<PathBuf> = path
            .read_dir()?
            .map(|entry| Ok(entry?.path()))
            .collect::<io::Result<_>>()?;
        let mut files: Vec<PathBuf> = entries.into_iter().filter(is_one).collect();
        files.sort();
        match files.is_empty() {
            true => Err(LoadProblem::NoSuchFiles(extensions.join(" or ."))),
            false => Ok(files),
        }
    };
    list().map_err(|problem| LoadError {
        path: path.to_owned(),
        problem,
    })
}

/// The name of a file without its folders.
#[must_use]
pub fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Extensions of micromouse mazes.
pub const MAZE_EXTENSIONS: [&str; 2] = ["txt", "num"];

/// Loads the queries in the `.scen` at `path`; whether they fit a map,
/// [`check`](super::movingai::check) tells.
pub fn load_scen(path: impl AsRef<Path>) -> Result<Vec<Query>, LoadError> {
    with_path(path.as_ref(), parse_queries)
}

/// Reads the map that a file of these bytes would hold.
pub fn parse_grid(bytes: &[u8]) -> Result<MarkedGrid, LoadProblem> {
    match parse(bytes)? {
        MapFile::Cells(loaded) => Ok(loaded),
        MapFile::Walls(_) => Err(LoadProblem::Walls),
    }
}

/// Reads the world that a file of these bytes would hold.
pub fn parse(bytes: &[u8]) -> Result<MapFile, LoadProblem> {
    let text = decode(bytes)?;
    if is_text(text) {
        return Ok(MapFile::Walls(parse_text(text)?));
    }
    if is_num(text) {
        return Ok(MapFile::Walls(parse_num(text)?));
    }
    if text.split_whitespace().next() == Some("type") {
        return Ok(MapFile::Cells(parse_map(text)?.into()));
    }
    Ok(MapFile::Cells(text::parse(text)?))
}

/// Reads the queries that a `.scen` of these bytes would hold.
pub fn parse_queries(bytes: &[u8]) -> Result<Vec<Query>, LoadProblem> {
    Ok(parse_scen(decode(bytes)?)?)
}

fn with_path<T>(
    path: &Path,
    parse: impl Fn(&[u8]) -> Result<T, LoadProblem>,
) -> Result<T, LoadError> {
    read(path)
        .and_then(|bytes| parse(&bytes))
        .map_err(|problem| LoadError {
            path: path.to_owned(),
            problem,
        })
}

fn read(path: &Path) -> Result<Vec<u8>, LoadProblem> {
    let file = File::open(path)?;
    if file.metadata()?.len() > MAX_BYTES {
        return Err(LoadProblem::TooLarge);
    }
    // A pipe or a device does not tell its length beforehand.
    let mut bytes = Vec::new();
    let count = file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if count as u64 > MAX_BYTES {
        return Err(LoadProblem::TooLarge);
    }
    Ok(bytes)
}

/// The text in `bytes`, without the byte order mark that some editors put before it.
fn decode(bytes: &[u8]) -> Result<&str, LoadProblem> {
    if bytes.is_empty() {
        return Err(LoadProblem::Empty);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let (good, _) = bytes.split_at(error.valid_up_to());
        let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
        LoadProblem::NotText { line }
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use planner_core::Cell;

    use super::*;

    #[test]
    fn the_first_word_tells_the_format() {
        let octile = parse_grid(b"type octile\nheight 1\nwidth 3\nmap\n.@G\n").unwrap();
        assert_eq!(octile.grid.to_string(), ".#.\n");
        assert_eq!((octile.start, octile.goal), (None, None));

        let drawn = parse_grid(b"S#G\n").unwrap();
        assert_eq!(drawn.grid, octile.grid);
        assert_eq!(drawn.start, Some(Cell::new(0, 0)));
        assert_eq!(drawn.goal, Some(Cell::new(2, 0)));
    }

    #[test]
    fn a_byte_order_mark_is_ignored() {
        assert_eq!(
            parse_grid("\u{feff}#.\n".as_bytes()).unwrap(),
            parse_grid(b"#.\n").unwrap()
        );
    }

    #[test]
    fn bytes_that_are_not_text_are_refused_with_their_line() {
        let problem = parse_grid(b"..\n.\xff\n").unwrap_err();
        assert_eq!(problem.to_string(), "line 2: not UTF-8 text");
    }

    #[test]
    fn an_empty_file_is_refused() {
        assert!(matches!(parse_grid(b""), Err(LoadProblem::Empty)));
        assert!(matches!(parse_queries(b""), Err(LoadProblem::Empty)));
    }

    #[test]
    fn the_message_names_the_file() {
        let error = load_grid("no/such/file.map").unwrap_err();
        assert!(
            error.to_string().starts_with("no/such/file.map: "),
            "{error}"
        );
    }
}
