//! How fast a robot without a gyro turns: what its wheels say.

use crate::calibration::Calibration;

/// How fast the robot turns clockwise, in thousandths of a degree per second, when its left wheel has
/// gone so many counts more than its right one in so many microseconds.
///
/// ```
/// use tinystar::{config::CALIBRATION, parts::wheels::clockwise};
///
/// // The outside of the tracks has gone once around in a second: half of it on either side.
/// let counts = 99_000.0 * 3.14159 / 126.6 * 2.0;
/// assert_eq!(clockwise(counts as i32, 1_000_000, &CALIBRATION) / 1000, 359);
/// ```
#[must_use]
pub fn clockwise(counts: i32, micros: u64, calibration: &Calibration) -> i32 {
    /// A radian, in thousandths of a degree.
    const RADIAN: i64 = 57_296;
    let nm = i64::from(counts) * i64::from(calibration.nm_per_count);
    let millionths = nm.saturating_mul(RADIAN) / i64::from(calibration.track_um.max(1));
    let micros = i64::try_from(micros).unwrap_or(i64::MAX);
    // No time has passed: nothing has turned.
    let rate = millionths
        .saturating_mul(1000)
        .checked_div(micros)
        .unwrap_or(0);
    rate.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::CALIBRATION;

    #[test]
    fn straight_is_no_turn_and_right_is_up() {
        assert_eq!(clockwise(0, 5000, &CALIBRATION), 0);
        assert!(clockwise(1, 5000, &CALIBRATION) > 0);
        assert_eq!(
            clockwise(-7, 5000, &CALIBRATION),
            -clockwise(7, 5000, &CALIBRATION)
        );
    }

    #[test]
    fn whatever_comes_there_is_an_answer() {
        assert_eq!(clockwise(1, 0, &CALIBRATION), 0);
        assert_eq!(clockwise(i32::MAX, 1, &CALIBRATION), i32::MAX);
        assert_eq!(clockwise(i32::MIN, 1, &CALIBRATION), i32::MIN);
        assert_eq!(clockwise(i32::MAX, u64::MAX, &CALIBRATION), 0);
    }
}
