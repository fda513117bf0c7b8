//! Uncertainty of the pose: bounds that odometry widens and walls narrow.
//!
//! The sensors give intervals, so the bounds are intervals too: half-widths around the estimate that contain
//! the true pose in at least 99 % of control steps.

use super::lateral;
use crate::{
    config::{
        FORWARD_DRIFT_SHIFT, HEADING_PER_WALL_SHIFT, LASTING_PER_WALL_SHIFT, LATERAL_DRIFT_SHIFT,
        PLACED_UM, PLACED_YAW_MDEG, SCRUB_UM, UNSURE_UM, WALL_YAW_MDEG, WALL_YAW_UM,
        YAW_DRIFT_MDEG_S, YAW_SCALE_SHIFT,
    },
    signals::Uncertainty,
};

/// Binary places of a bound: a control step adds less than a micrometre.
const PLACES: u32 = 8;
/// Largest bound, which leaves room for sums: two metres.
const MOST: i32 = 2_000_000 << PLACES;
/// Largest part of a yaw, in mdeg, that counts when a wall narrows it: its product with a distance fits 32 bits.
const MOST_EXCESS: i32 = 200_000;
/// Largest turn that is counted, in mdeg: twenty turns.
const MOST_TURNED: i32 = 7_200_000;
/// Binary places dropped from the squares of what turns add: they fit 32 bits up to a metre.
const COARSE: u32 = 8;
/// Square that a turn by 2^16 mdeg adds.
const SCRUB_SQUARED: u32 = (((SCRUB_UM * SCRUB_UM) as u64 * 65_536 / 90_000) >> COARSE) as u32;

/// Bound of a position, in micrometres, with [`PLACES`] binary places; not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bound {
    /// Uncertainty that grows with the travel.
    drift: i32,
    /// Sum of the squares of what turns have added since it was narrowed, in um² divided by 2^[`COARSE`]: tracks scrub at
    /// random.
    scrub: u32,
    /// Sum of both, kept because a square root takes long.
    width: i32,
}

impl Bound {
    const fn new(width: i32) -> Self {
        let (drift, scrub) = (width, 0);
        Self {
            drift,
            scrub,
            width,
        }
    }

    fn widen(&mut self, drift: i32, scrub: u32) {
        self.drift = (self.drift + drift).min(MOST);
        self.scrub = self.scrub.saturating_add(scrub);
        let scrub = (square_root(self.scrub) << (COARSE / 2 + PLACES)) as i32;
        self.width = (self.drift + scrub).min(MOST);
    }

    /// Narrows to errors from `low` to `high`, in micrometres; returns `false` and stays if it excludes them.
    fn narrow(&mut self, low: i32, high: i32) -> bool {
        let width = self.width;
        let (low, high) = (limited(low).max(-width), limited(high).min(width));
        let narrowed = high.max(-low);
        if low <= high && narrowed < width {
            *self = Self::new(narrowed);
        }
        low <= high
    }
}

/// Half-widths; angles are in mdeg, with [`PLACES`] binary places, and not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    forward: Bound,
    lateral: Bound,
    /// Yaw by odometry, apart from the gyro's scale; its error changes all the time.
    yaw: i32,
    /// Turn whose error by the gyro's scale no wall has corrected yet, in mdeg, with its sign: turning back undoes it.
    turned: i32,
    /// Error of the yaw at which a person put the robot down. It lasts until walls correct it, so all of it counts
    /// sideways.
    placed: i32,
}

impl Bounds {
    /// Bounds of a robot that a person has put into the centre of a cell.
    pub(super) const PLACED: Self = Self {
        forward: Bound::new(PLACED_UM << PLACES),
        lateral: Bound::new(PLACED_UM << PLACES),
        yaw: WALL_YAW_MDEG << PLACES,
        turned: 0,
        placed: PLACED_YAW_MDEG << PLACES,
    };

    /// Bounds of an uncertainty. The yaw beyond [`WALL_YAW_MDEG`] is taken for an error of placement, which lasts.
    pub(super) fn of(uncertainty: Uncertainty) -> Self {
        let yaw = limited(uncertainty.yaw_mdeg);
        let by_odometry = yaw.min(WALL_YAW_MDEG << PLACES);
        Self {
            forward: Bound::new(limited(uncertainty.forward_um)),
            lateral: Bound::new(limited(uncertainty.lateral_um)),
            yaw: by_odometry,
            turned: 0,
            placed: yaw - by_odometry,
        }
    }

    /// The bounds, rounded up.
    pub(super) fn get(self) -> Uncertainty {
        Uncertainty {
            forward_um: (self.forward.width >> PLACES) + 1,
            lateral_um: (self.lateral.width >> PLACES) + 1,
            yaw_mdeg: ((self.yaw + self.yaw_by_scale() + self.placed) >> PLACES) + 1,
        }
    }

    /// Yaw by the gyro's scale.
    fn yaw_by_scale(self) -> i32 {
        (self.turned.abs() << PLACES) >> YAW_SCALE_SHIFT
    }

    /// Widens by a travel in micrometres, not negative, and a turn in mdeg, over some microseconds.
    pub(super) fn widen(&mut self, travel: i32, turned: i32, us: u32) {
        // Millionths of a second times thousandths of a degree, by 2^20 instead of 10^6: 5 % less.
        let drift = (us.min(100_000) as i32 * YAW_DRIFT_MDEG_S) >> (20 - PLACES);
        let turned = turned.clamp(-180_000, 180_000);
        let scrub = (turned.unsigned_abs() * SCRUB_SQUARED) >> 16;
        let travel = travel.min(100_000) << PLACES;
        let by_yaw = lateral(
            travel,
            ((self.yaw >> 2) + self.yaw_by_scale() + self.placed) >> PLACES,
        );
        self.yaw = (self.yaw + drift).min(MOST);
        self.turned = (self.turned + turned).clamp(-MOST_TURNED, MOST_TURNED);
        self.forward.widen(travel >> FORWARD_DRIFT_SHIFT, scrub);
        self.lateral
            .widen(by_yaw + (travel >> LATERAL_DRIFT_SHIFT), scrub);
    }

    /// Exchanges forward and lateral, as an odd number of quarter turns does.
    pub(super) fn swap(&mut self) {
        (self.forward, self.lateral) = (self.lateral, self.forward);
    }

    /// Narrows the forward bound to errors of the estimate from `low` to `high`, in micrometres. If the bound
    /// excludes them, it stays, and the result is `false`: what is ahead is no wall.
    pub(super) fn narrow_forward(&mut self, low: i32, high: i32) -> bool {
        self.forward.narrow(low, high)
    }

    /// Narrows the lateral bound to errors of the estimate from `low` to `high`, in micrometres. If the bound
    /// excludes them, it is widened to them: a wall beside the robot is always one.
    ///
    /// Returns a correction of the estimate: an uncertain robot is taken to be in the middle of where it may be.
    pub(super) fn narrow_lateral(&mut self, low: i32, high: i32) -> i32 {
        let width = self.lateral.width;
        if !self.lateral.narrow(low, high) {
            let widest = limited(low).abs().max(limited(high).abs());
            self.lateral = Bound::new(widest);
        } else if width > UNSURE_UM << PLACES {
            let (low, high) = (limited(low).max(-width), limited(high).min(width));
            self.lateral = Bound::new((high - low) / 2);
            return i32::midpoint(low, high) >> PLACES;
        }
        0
    }

    /// Sets the forward bound, in micrometres.
    pub(super) fn fix_forward(&mut self, um: i32) {
        self.forward = Bound::new(um << PLACES);
    }

    /// Narrows the yaw after a distance in micrometres along a wall, which shows the drift sideways. Errors that last,
    /// those of placement and of the gyro's scale, are narrowed only while the lateral bound is small.
    pub(super) fn follow_wall(&mut self, driven: i32) {
        let driven = driven.min(10_000);
        // A distance of 2^shift takes most of it away.
        let narrowed = |yaw: i32, floor: i32, shift: u32| {
            let excess = (yaw - (floor << PLACES)).clamp(0, MOST_EXCESS << PLACES) >> PLACES;
            yaw - (((excess * driven) >> shift) << PLACES)
        };
        self.yaw = narrowed(self.yaw, WALL_YAW_MDEG, HEADING_PER_WALL_SHIFT);
        if self.lateral.width <= WALL_YAW_UM << PLACES {
            self.placed = narrowed(self.placed, 0, LASTING_PER_WALL_SHIFT);
            // With fewer places, so that the product fits.
            self.turned -= ((self.turned >> PLACES) * driven) >> (LASTING_PER_WALL_SHIFT - PLACES);
        }
    }
}

/// The square root, rounded down, in a tenth of the time that [`u32::isqrt`] may take on the chip.
fn square_root(square: u32) -> u32 {
    let (mut rest, mut root) = (square, 0);
    for place in (0..16).rev() {
        let tried = (root + root + (1 << place)) << place;
        if tried <= rest {
            rest -= tried;
            root += 1 << place;
        }
    }
    root
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
    fn square_roots_are_rounded_down() {
        let squares = (0..=0xffff).flat_map(|root: u32| [root * root, root * root + 2 * root]);
        for square in squares {
            assert_eq!(square_root(square), square.isqrt());
        }
    }

    #[test]
    fn an_uncertain_robot_is_in_the_middle_of_where_it_may_be() {
        let mut bounds = Bounds::PLACED;
        for (bound, [low, high], middle, left) in [
            (40_000, [-10_000, 100_000], 15_000, 25_001),
            (40_000, [-100_000, 10_000], -15_000, 25_001),
            // A robot that is not uncertain keeps its estimate.
            (28_000, [-10_000, 100_000], 0, 28_001),
        ] {
            bounds.lateral = Bound::new(bound << PLACES);
            assert_eq!(bounds.narrow_lateral(low, high), middle);
            assert_eq!(bounds.get().lateral_um, left);
        }
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
    fn four_quarter_turns_add_twice_as_much_as_one() {
        let mut bounds = Bounds::PLACED;
        let mut added = |quarters| {
            bounds.fix_forward(3_000);
            for _ in 0..quarters * 90 {
                bounds.widen(0, 1_000, 5_000);
            }
            bounds.get().forward_um - 3_000
        };
        for (quarters, um) in [(1, SCRUB_UM), (4, 2 * SCRUB_UM), (9, 3 * SCRUB_UM)] {
            assert!((added(quarters) - um).abs() < 30, "{quarters}");
        }
    }

    /// A robot that was put down at an angle drifts sideways until a wall has shown it.
    #[test]
    fn the_initial_yaw_error_counts_fully_until_a_wall_corrects_it() {
        let drive = |bounds: &mut Bounds| {
            let before = bounds.get().lateral_um;
            for _ in 0..180 {
                bounds.widen(1_000, 0, 2_000);
            }
            bounds.get().lateral_um - before
        };
        let mut bounds = Bounds::PLACED;
        // Three degrees are 9.4 mm in a cell.
        assert!(drive(&mut bounds) >= 9_400);
        // The wall is seen, and not how far away.
        for _ in 0..500 {
            bounds.follow_wall(2_000);
        }
        assert!(drive(&mut bounds) >= 9_400);
        for _ in 0..1_000 {
            bounds.narrow_lateral(-4_000, 4_000);
            bounds.follow_wall(2_000);
        }
        assert!(drive(&mut bounds) < 3_000);
    }

    #[test]
    fn bounds_of_an_uncertainty_drift_like_those_it_is_of() {
        let drive = |mut bounds: Bounds| {
            bounds.widen(100_000, 0, 2_000);
            bounds.get()
        };
        let [before, after] = [Bounds::PLACED, Bounds::of(Bounds::PLACED.get())].map(drive);
        assert!((0..5).contains(&(after.lateral_um - before.lateral_um)));
    }

    /// Two turns about and a quarter turn to the same side: a scale of 0.4 % is 1.8 degrees.
    #[test]
    fn the_error_of_the_gyros_scale_counts_fully_sideways() {
        let mut bounds = Bounds::PLACED;
        let mut drive = || {
            let before = bounds.get().lateral_um;
            for _ in 0..720 {
                bounds.widen(1_000, 0, 2_000);
            }
            let drift = bounds.get().lateral_um - before;
            for _ in 0..450 {
                bounds.widen(0, 1_000, 5_000);
            }
            drift
        };
        let [straight, turned] = [drive(), drive()];
        assert!(turned >= straight + 22_000, "{straight} {turned}");
    }

    #[test]
    fn turning_back_undoes_the_error_of_the_gyros_scale() {
        let mut bounds = Bounds::PLACED;
        let mut yaw_after = |turned| {
            for _ in 0..90 {
                bounds.widen(0, turned, 1);
            }
            bounds.get().yaw_mdeg
        };
        let [there, back, again] = [1_000, -1_000, -1_000].map(&mut yaw_after);
        assert!(
            there >= back + 350 && again == there,
            "{there} {back} {again}"
        );
        bounds.narrow_lateral(-4_000, 4_000);
        for _ in 0..2_000 {
            bounds.follow_wall(2_000);
        }
        assert!(bounds.turned.abs() < 1_000);
    }

    #[test]
    fn a_wall_narrows_the_yaw_of_a_robot_that_has_seen_none_for_hours() {
        let mut bounds = Bounds::PLACED;
        for _ in 0..200_000 {
            bounds.widen(0, 0, 100_000);
        }
        let before = bounds.get().yaw_mdeg;
        bounds.follow_wall(10_000);
        assert!(before > 400_000 && bounds.get().yaw_mdeg < before);
    }

    #[test]
    fn a_wall_beside_the_robot_narrows_its_yaw() {
        let mut bounds = Bounds::PLACED;
        bounds.yaw = 10_000 << PLACES;
        for _ in 0..400 {
            bounds.follow_wall(2_000);
        }
        bounds.placed = 0;
        let yaw = bounds.get().yaw_mdeg;
        assert!((WALL_YAW_MDEG..WALL_YAW_MDEG + 200).contains(&yaw), "{yaw}");
    }
}
