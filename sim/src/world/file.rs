//! The one loader of map files.
//!
//! A file whose first word is `type` is a MovingAI map, one that begins with a post or with six numbers
//! is a [maze](super::micromouse), any other is a drawing in plain [text].
//! Whatever the file holds, the answer is a world or one line saying where it went wrong.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{
    AtLine, MAX_CELLS, MarkedGrid, Maze,
    micromouse::{is_num, is_text, parse_num, parse_text},
    movingai::{Query, parse_map, parse_scen},
    text,
};

/// The largest file read: about as long as the largest world drawn out.
pub const MAX_BYTES: u64 = MAX_CELLS as u64;

/// A file that could not be loaded.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct LoadError {
    pub path: PathBuf,
    pub problem: LoadProblem,
}

/// A defect of a file.
#[derive(Debug, Error)]
pub enum LoadProblem {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error("the file is larger than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
    #[error("the file is empty")]
    Empty,
    /// A line is not what its format has there.
    #[error(transparent)]
    Line(#[from] AtLine),
    #[error("a maze with walls between its cells, where a map of free and blocked cells is needed")]
    Walls,
    #[error("a map of free and blocked cells, where a maze with walls between its cells is needed")]
    Cells,
    #[error("there is no .{0} in this folder")]
    NoSuchFiles(String),
}

impl LoadProblem {
    fn of(self, path: &Path) -> LoadError {
        LoadError {
            path: path.to_owned(),
            problem: self,
        }
    }
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
    list().map_err(|problem| problem.of(path))
}

/// The name of a file without its folders.
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
    let parsed = read(path).and_then(|bytes| parse(&bytes));
    parsed.map_err(|problem| problem.of(path))
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
        AtLine::new(line, "not UTF-8 text")
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}
