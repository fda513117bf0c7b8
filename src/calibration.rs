//! Parameters measured for one robot on one floor, saved in flash.

use serde::{Deserialize, Serialize};

use crate::robot::Levels;

/// Measured wheel geometry and wall thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Calibration {
    /// Wheel travel per encoder count, in nanometres.
    pub nm_per_count: u32,
    /// Effective track width in turns, in micrometres: more than the measured width, as tracks scrub.
    pub track_um: u32,
    /// Sensor range on this floor's walls, in thousandths of that on white ones.
    pub range_permille: u16,
    /// Sum of both levels from which an edge counts as blocked: `1..=12`.
    pub blocked_at: u8,
    /// Sum of both levels up to which an edge counts as free; in between, the last vote is repeated.
    pub free_at: u8,
}

impl Calibration {
    /// Whether all values are plausible.
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
