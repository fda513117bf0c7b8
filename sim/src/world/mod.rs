//! Worlds, scenarios in them, and file formats.
//!
//! A [`World`] is a [`Grid`] of free and blocked cells or a [`Maze`] with walls between cells: the truth, of
//! which a robot may know only a part. Worlds are generated from a seed or read from a file:
//!
//! ```text
//!  seed -> rng -> corridors | random | rooms | caves --+
//!                                                      +--> World --> Scenario
//!  file -> movingai | text | micromouse ---------------+
//! ```
//!
//! The same seed gives the same world on every machine. A faulty file gives an error of one line, with the
//! file, the line in it and the defect.

pub mod adversarial;
pub mod bundled;
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

pub use grid::{Grid, MAX_CELLS, MAX_SIDE, SizeError, cells};
pub use line::AtLine;
pub use maze::Maze;
pub use scenario::{MarkedGrid, Scenario, World};
