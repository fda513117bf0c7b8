//! A mouse for mms, the micromouse simulator: it is asked and told on standard output, and answers on
//! standard input.
//!
//! ```text
//!  mms  <--- commands, a line each ----  Link <- Driver <- MazeExplorer
//!       ---- replies, a line each ---->
//! ```
//!
//! Columns and rows count from 0 in the south-west corner, where the mouse begins, facing north.

mod driver;
mod link;

pub use driver::Driver;
pub use link::{Link, MmsError};
