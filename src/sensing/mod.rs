//! Wall sensing: distances in; walls out.

mod detector;
mod plausibility;

pub use detector::{Place, WallDetector};
pub use plausibility::PlausibilityCheck;
