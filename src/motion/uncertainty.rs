//! Uncertainty of the pose: bounds that odometry widens and walls narrow.
//!
//! The sensors give intervals, so the bounds are intervals too: half-widths around the estimate that contain
//! the true pose in at least 99 % of control steps.

use super::lateral;
use crate::{
    config::{
        FORWARD_DRIFT_SHIFT, HEADING_PER_WALL_SHIFT, LATERAL_DRIFT_SHIFT, PLACED_UM,
        PLACED_YAW_MDEG, SCRUB_UM_PER_DEGREE, WALL_YAW_MDEG, YAW_DRIFT_MDEG_S, YAW_SCALE_SHIFT,
    },
    signals::Uncertainty,
};

/// Binary places of a bound: a control step adds less than a micrometre.
const PLACES: u32 = 8;
/// Largest bound, which leaves room for sums: two metres.
const MOST: i32 = 2_000_000 << PLACES;

/// Half-widths in micrometres and mdeg, with [`PLACES`] binary places; not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    forward: i32,
    lateral: i32,
    yaw: i32,
}

impl Bounds {
    /// Bounds of a robot that a person has put into the centre of a cell.
    pub(super) const PLACED: Self = Self {
        forward: PLACED_UM << PLACES,
        lateral: PLACED_UM << PLACES,
        yaw: PLACED_YAW_MDEG << PLACES,
    };

    /// Bounds of an uncertainty.
    pub(super) const fn of(uncertainty: Uncertainty) -> Self {
        Self {
            forward: limited(uncertainty.forward_um),
            lateral: limited(uncertainty.lateral_um),
            yaw: limited(uncertainty.yaw_mdeg),
        }
    }

    /// The bounds, rounded up.
    pub(super) const fn get(self) -> Uncertainty {
        Uncertainty {
            forward_um: (self.forward >> PLACES) + 1,
            lateral_um: (self.lateral >> PLACES) + 1,
            yaw_mdeg: (self.yaw >> PLACES) + 1,
        }
    }

    /// Widens by a travel in micrometres and a turn in mdeg, neither negative, over some microseconds.
    pub(super) fn widen(&mut self, travel: i32, turned: i32, us: u32) {
        // Millionths of a second times thousandths of a degree, by 2^20 instead of 10^6: 5 % less.
        let drift = (us.min(100_000) as i32 * YAW_DRIFT_MDEG_S) >> (20 - PLACES);
        let scrub = (turned.min(360_000) * SCRUB_UM_PER_DEGREE) >> (10 - PLACES);
        let travel = travel.min(100_000) << PLACES;
        let by_yaw = lateral(travel, self.yaw >> (PLACES + 2));
        self.yaw = (self.yaw + drift + (turned << PLACES >> YAW_SCALE_SHIFT)).min(MOST);
        self.forward = (self.forward + (travel >> FORWARD_DRIFT_SHIFT) + scrub).min(MOST);
        self.lateral = (self.lateral + by_yaw + (travel >> LATERAL_DRIFT_SHIFT) + scrub).min(MOST);
    }

    /// Exchanges forward and lateral, as an odd number of quarter turns does.
    pub(super) fn swap(&mut self) {
        core::mem::swap(&mut self.forward, &mut self.lateral);
    }

    /// Narrows the forward bound to errors of the estimate from `low` to `high`, in micrometres. If the bound
    /// excludes them, it stays, and the result is `false`: what is ahead is no wall.
    pub(super) fn narrow_forward(&mut self, low: i32, high: i32) -> bool {
        let narrowed = intersect(self.forward, low, high);
        self.forward = narrowed.unwrap_or(self.forward);
        narrowed.is_some()
    }

    /// Narrows the lateral bound to errors of the estimate from `low` to `high`, in micrometres. If the bound
    /// excludes them, it is widened to them: a wall beside the robot is always one.
    pub(super) fn narrow_lateral(&mut self, low: i32, high: i32) {
        let widest = limited(low).abs().max(limited(high).abs());
        self.lateral = intersect(self.lateral, low, high).unwrap_or(widest);
    }

    /// Sets the forward bound, in micrometres.
    pub(super) fn fix_forward(&mut self, um: i32) {
        self.forward = um << PLACES;
    }

    /// Narrows the yaw after a distance in micrometres along a wall, which shows the drift sideways.
    pub(super) fn follow_wall(&mut self, driven: i32) {
        let floor = WALL_YAW_MDEG << PLACES;
        let excess = (self.yaw - floor).max(0) >> PLACES;
        // A distance of 2^HEADING_PER_WALL_SHIFT takes most of it away.
        let less = (excess * driven.min(10_000)) >> HEADING_PER_WALL_SHIFT;
        self.yaw -= less << PLACES;
    }
}

/// Intersects a bound with errors from `low` to `high`, in micrometres; `None` if they exclude each other.
fn intersect(bound: i32, low: i32, high: i32) -> Option<i32> {
    let (low, high) = (limited(low).max(-bound), limited(high).min(bound));
    (low <= high).then(|| high.max(-low))
}

/// A length in micrometres as a bound; what is too long is cut off.
const fn limited(um: i32) -> i32 {
    let most = MOST >> PLACES;
    let um = if um > most {
        most
    } else if um < -most {
        -most
    } else {
        um
    };
    um << PLACES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_widen_with_travel_and_time_and_never_overflow() {
        let mut bounds = Bounds::PLACED;
        let before = bounds.get();
        // A cell at 200 mm/s.
        for _ in 0..180 {
            bounds.widen(1_000, 0, 5_000);
        }
        let after = bounds.get();
        assert!(after.forward_um - before.forward_um >= 1_400, "0.8 %");
        assert!(after.lateral_um > before.lateral_um && after.yaw_mdeg > before.yaw_mdeg);
        for _ in 0..1_000_000 {
            bounds.widen(i32::MAX, 360_000, u32::MAX);
        }
        assert_eq!(bounds.get().lateral_um, (MOST >> PLACES) + 1);
    }

    #[test]
    fn a_reading_narrows_bounds_to_what_both_allow() {
        let mut bounds = Bounds::PLACED;
        bounds.fix_forward(20_000);
        bounds.narrow_forward(-5_000, 100_000);
        assert_eq!(bounds.get().forward_um, 20_001, "one end is as it was");
        bounds.narrow_forward(-5_000, 8_000);
        assert_eq!(bounds.get().forward_um, 8_001);
        bounds.narrow_forward(-30_000, -12_000);
        assert_eq!(bounds.get().forward_um, 8_001, "no wall");
        bounds.narrow_forward(i32::MIN, i32::MAX);
        assert_eq!(bounds.get().forward_um, 8_001);
        bounds.narrow_lateral(-30_000, -12_000);
        assert_eq!(bounds.get().lateral_um, 30_001, "the reading is believed");
    }

    #[test]
    fn a_turn_exchanges_forward_and_lateral() {
        let mut bounds = Bounds::PLACED;
        bounds.fix_forward(3_000);
        bounds.swap();
        assert_eq!(bounds.get().lateral_um, 3_001);
        assert_eq!(bounds.get().forward_um, PLACED_UM + 1);
    }

    #[test]
    fn a_wall_beside_the_robot_narrows_its_yaw() {
        let mut bounds = Bounds::PLACED;
        bounds.yaw = 10_000 << PLACES;
        for _ in 0..400 {
            bounds.follow_wall(2_000);
        }
        let yaw = bounds.get().yaw_mdeg;
        assert!((WALL_YAW_MDEG..WALL_YAW_MDEG + 200).contains(&yaw), "{yaw}");
    }
}
