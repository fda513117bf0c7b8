//! What differs from robot to robot and from floor to floor; kept in flash.

use serde::{Deserialize, Serialize};

use crate::robot::Levels;

/// What was measured of this robot on this floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Calibration {
    /// Way of a wheel for one count of its encoder, in nanometres.
    pub nm_per_count: u32,
    /// Between the tracks, in micrometres; as wide as the robot turns, which is more than it measures.
    pub track_um: u32,
    /// How far the walls of this floor are seen, in thousandths of what white ones are.
    pub range_permille: u16,
    /// Levels of both lights at which something is in the way: `1..=12`.
    pub blocked_at: u8,
    /// Levels of both lights at or below which nothing is; in between, it stays what it was.
    pub free_at: u8,
}

impl Calibration {
    /// Whether a robot can drive with it.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.nm_per_count >= 10_000
            && self.nm_per_count <= 1_000_000
            && self.track_um >= 30_000
            && self.track_um <= 300_000
            && self.range_permille >= 300
            && self.range_permille <= 3000
            && self.free_at < self.blocked_at
            && self.blocked_at <= 2 * Levels::MAX
    }
}
