//! Command-line options that several programs or commands share.

pub mod planner;
pub mod value;
pub mod view;
pub mod watch;
pub mod window;
pub mod world;
