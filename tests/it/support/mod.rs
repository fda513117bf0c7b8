//! Helpers of several tests.

pub mod flash;
pub mod messages;
