//! Wall sensing: proximity levels in; walls and distances out.

mod detector;
pub mod range;

pub use detector::WallDetector;
