//! Yaw rate by wheel odometry, for a robot without a gyro.

use crate::calibration::Calibration;

/// Yaw rate in thousandths of a degree per second, clockwise, from the counts of the left wheel less
/// those of the right one in a number of microseconds.
///
/// ```
/// use tinystar::{boards::PICO, drivers::wheel_odometry::yaw_rate};
///
/// // One turn in place per second.
/// let counts = 99_000.0 * 3.14159 / 126.6 * 2.0;
/// assert_eq!(yaw_rate(counts as i32, 1_000_000, &PICO.calibration) / 1000, 359);
/// ```
#[must_use]
pub fn yaw_rate(counts: i32, micros: u64, calibration: &Calibration) -> i32 {
    /// A radian, in thousandths of a degree.
    const RADIAN: i64 = 57_296;
    let nm = i64::from(counts) * i64::from(calibration.nm_per_count);
    let millionths = nm.saturating_mul(RADIAN) / i64::from(calibration.track_um.max(1));
    let micros = i64::try_from(micros).unwrap_or(i64::MAX);
    // Zero if no time has passed.
    let rate = millionths
        .saturating_mul(1000)
        .checked_div(micros)
        .unwrap_or(0);
    rate.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::PICO;

    const CALIBRATION: Calibration = PICO.calibration;

    #[test]
    fn the_yaw_rate_is_zero_straight_on_and_positive_to_the_right() {
        assert_eq!(yaw_rate(0, 5000, &CALIBRATION), 0);
        assert!(yaw_rate(1, 5000, &CALIBRATION) > 0);
        assert_eq!(
            yaw_rate(-7, 5000, &CALIBRATION),
            -yaw_rate(7, 5000, &CALIBRATION)
        );
    }

    #[test]
    fn extreme_inputs_saturate() {
        assert_eq!(yaw_rate(1, 0, &CALIBRATION), 0);
        assert_eq!(yaw_rate(i32::MAX, 1, &CALIBRATION), i32::MAX);
        assert_eq!(yaw_rate(i32::MIN, 1, &CALIBRATION), i32::MIN);
        assert_eq!(yaw_rate(i32::MAX, u64::MAX, &CALIBRATION), 0);
    }
}
