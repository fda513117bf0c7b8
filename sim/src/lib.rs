//! The desktop side of tinystar: worlds, walks, experiments, benchmarks and pictures.

pub mod catalog;
pub mod walk;
pub mod world;
