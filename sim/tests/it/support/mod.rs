//! Helpers of several tests.

pub mod cable;
pub mod news;
pub mod tasks;
