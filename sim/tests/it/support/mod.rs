//! Helpers of several tests.

pub mod cable;
pub mod cli;
pub mod flash;
pub mod live_view;
pub mod maps;
#[cfg(unix)]
pub mod port;
pub mod recorded;
pub mod robots;
pub mod tasks;
