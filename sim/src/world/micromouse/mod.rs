//! The files that micromouse mazes come in.
//!
//! ```text
//!  o---o---o      0 0 0 1 1 1
//!  |     G |      0 1 1 0 0 1
//!  o   o   o      1 0 0 1 1 1
//!  | S |   |      1 1 1 1 0 0
//!  o---o---o
//!    text            num
//! ```
//!
//! In a text, the first line is the north edge, `S` marks the start and `G` the goals. In numbers, a
//! line is a cell: its column and row, counted from 0 in the south-west corner, and whether there is a
//! wall to the north, east, south and west; start and goals are where competitions have them.

mod num;
mod text;

pub use num::{draw as draw_num, is_num, parse as parse_num};
pub use text::{draw as draw_text, is_text, parse as parse_text};
