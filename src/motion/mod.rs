//! Motion control in integers, without a clock or a board.
//!
//! ```text
//!  encoders, gyro, walls -> PoseEstimator -> MotionController -> WheelController -> duty
//!                  exits -> Route ------------/ VelocityProfile, SmoothTurn
//! ```
//!
//! Lengths are micrometres, angles thousandths of a degree (mdeg), speeds one of these per second. The
//! frame is the robot's cell in the direction of its heading: forward, and lateral to the right.

mod cell_size;
mod motion_controller;
mod pose_estimator;
mod profile;
mod route;
mod smooth_turn;
mod speed;
mod stillness;
mod trigonometry;
mod uncertainty;
mod wheel_controller;

pub use cell_size::CellSize;
pub use motion_controller::{ControlInput, Duties, MotionController};
pub use pose_estimator::{PoseEstimator, WallView};
pub use profile::VelocityProfile;
pub use route::Route;
pub use smooth_turn::{SmoothTurn, TurnPoint};
pub use speed::{SpeedLevel, SpeedLimits};
pub use stillness::Stillness;
pub use wheel_controller::WheelController;

/// A radian in mdeg.
const RADIAN_MDEG: i32 = 57_296;

/// Returns `value * factor / DIVISOR`, computed in 64 bits.
pub(crate) const fn scale_by<const DIVISOR: u32>(value: i32, factor: i32) -> i32 {
    divide::<DIVISOR>(value as i64 * factor as i64) as i32
}

/// Returns `n / DIVISOR`. By multiplication, unlike `/`: a Cortex-M0 needs up to 4,000 cycles to divide 64 bits.
#[inline(never)]
pub(crate) const fn divide<const DIVISOR: u32>(n: i64) -> i64 {
    // Granlund & Montgomery (1994): exact for numerators below 2^63.
    let (bits, reciprocal) = const {
        assert!(DIVISOR > 1);
        let bits = u32::BITS - (DIVISOR - 1).leading_zeros();
        let reciprocal = (1_u128 << (63 + bits)).div_ceil(DIVISOR as u128);
        (bits, reciprocal as u64)
    };
    let quotient = (high(n.unsigned_abs(), reciprocal) >> (bits - 1)) as i64;
    if n < 0 { -quotient } else { quotient }
}

/// Returns the upper half of a product.
const fn high(a: u64, b: u64) -> u64 {
    const LOW: u64 = u32::MAX as u64;
    let (a, b) = ((a >> 32, a & LOW), (b >> 32, b & LOW));
    let middle = a.0 * b.1 + ((a.1 * b.1) >> 32);
    a.0 * b.0 + (middle >> 32) + ((a.1 * b.0 + (middle & LOW)) >> 32)
}

/// Lateral part of a motion of `um` at a small angle, in micrometres.
const fn lateral(um: i32, mdeg: i32) -> i32 {
    scale_by::<{ RADIAN_MDEG as u32 }>(um, mdeg)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const DIVISOR: u32>() {
        let divisor = i64::from(DIVISOR);
        let mut n = 1_i64;
        for step in 0..20_000 {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step);
            let any = (n >> (step % 63)).max(-i64::MAX);
            let multiple = any / divisor * divisor;
            for n in [
                any,
                multiple,
                multiple.saturating_add(1),
                multiple.saturating_sub(1),
            ] {
                let n = n.max(-i64::MAX);
                assert_eq!(divide::<DIVISOR>(n), n / divisor, "{n} / {divisor}");
            }
        }
        for n in [0, 1, i64::MAX, -i64::MAX] {
            assert_eq!(divide::<DIVISOR>(n), n / divisor);
        }
    }

    #[test]
    fn products_with_a_reciprocal_are_exact_quotients() {
        check::<2>();
        check::<3>();
        check::<7>();
        check::<1000>();
        check::<1024>();
        check::<57_296>();
        check::<1_000_000>();
        check::<{ u32::MAX }>();
    }
}
