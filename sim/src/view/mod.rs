//! Pictures of runs.
//!
//! ```text
//!                          +--> text       plain characters, for a pipe or a log
//!  planner --> Snapshot ---+--> svg        a picture in a file
//!                  |
//!                  +--> Recording --+--> terminal   an animation in color
//!                                   +--> gif        an animation in a file
//!
//!  a robot's pose and telemetry --> DriveFilm         an animation of its drive
//! ```

mod drive;
pub mod gif;
pub mod maze;
mod recording;
mod snapshot;
pub mod svg;
pub mod terminal;
pub mod text;

pub use drive::DriveFilm;
pub use recording::Recording;
pub use snapshot::{Snapshot, Tile, drawn_size, drawn_trail};
