//! The worlds that planners are tried in.
//!
//! A world is a [`Grid`] of free and blocked cells: the truth, of which a robot may know only a
//! part. Worlds are generated, from a seed, or read from a file:
//!
//! ```text
//!  seed -> rng -> maze | random | rooms | caves ---+
//!                                          +--> Grid -> random_free_pair -> a run
//!  file -> movingai | text ----------------+
//! ```
//!
//! The same seed gives the same world on every machine. A faulty file gives one line that names
//! the file, the line in it and what is wrong there, never a panic.

pub mod caves;
pub mod corridors;
pub mod doors;
pub mod file;
pub mod maze;
pub mod micromouse;
pub mod movingai;
pub mod random;
pub mod rng;
pub mod rooms;
pub mod scenario;
pub mod text;

mod grid;
mod line;
mod reach;

pub use grid::{Grid, MAX_CELLS, MAX_SIDE, SizeError};
pub use line::AtLine;
pub use maze::Maze;
pub use scenario::{MarkedGrid, Scenario, World};
