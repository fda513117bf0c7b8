//! Experiments, benchmarks, statistics and plots.

pub mod bench;
pub mod experiment;
pub mod plot;
pub mod problem;
pub mod progress;
pub mod significance;
pub mod stats;
pub mod table;
