//! Wall sensing: distances in; walls out.

mod detector;

pub use detector::{Place, WallDetector};
