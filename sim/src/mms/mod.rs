//! A mouse for mms, the micromouse simulator, which takes commands from standard output and replies on
//! standard input.
//!
//! ```text
//!  mms  <--- commands, a line each ----  Link <- drive <- MazeExplorer
//!       ---- replies, a line each ---->
//! ```
//!
//! Columns and rows count from 0 in the south-west corner, where the mouse begins, facing north.

mod driver;
mod link;

pub use driver::drive;
pub use link::{Link, MmsError};
