//! The benchmark files of Sturtevant, "Benchmarks for Grid-Based Pathfinding" (2012).
//!
//! A `.map` holds a world, a `.scen` holds queries about it together with the length of the
//! optimal path. The originals are at movingai.com/benchmarks.

mod map;
mod scen;

pub use map::{parse_map, write_map};
pub use scen::{Query, QueryError, check, parse_scen};
