//! Helpers of several tests.

pub mod messages;
