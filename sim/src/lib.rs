//! The desktop side of tinystar: worlds, walks, experiments, benchmarks and pictures.

pub mod bench;
pub mod catalog;
pub mod command;
pub mod experiment;
pub mod output;
pub mod view;
pub mod walk;
pub mod world;
