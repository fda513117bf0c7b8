//! Helpers of several tests.

pub mod cable;
pub mod cli;
pub mod flash;
pub mod maps;
pub mod news;
#[cfg(unix)]
pub mod port;
pub mod recorded;
pub mod robots;
pub mod tasks;
