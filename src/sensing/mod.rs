//! Wall sensing: distances in; walls out.

mod detector;
mod plausibility;

pub use detector::{ReadingPose, WallDetector};
pub use plausibility::PlausibilityCheck;
