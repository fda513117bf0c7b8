//! What people look at.
//!
//! A [`Scene`] tells what there is to see of a cell, a [`Look`]; the views draw it:
//!
//! ```text
//!                      +--> terminal   colours, redrawn in place
//!  planner -> Scene ---+--> text       plain characters, for a pipe or a log
//!                      +--> svg        a file to keep
//!                      +--> gif        a file that moves
//! ```

pub mod gif;
pub mod maze;
mod scene;
pub mod svg;
pub mod terminal;
pub mod text;

pub use scene::{Look, Scene};
