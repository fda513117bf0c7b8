//! Sine and cosine in integers, by a table.

/// Binary places of a sine.
const PLACES: u32 = 15;
/// Binary places of the step of the table, in mdeg.
const STEP: u32 = 10;
/// Entries up to 90 degrees, and one more for interpolation.
const ENTRIES: usize = (90_000 >> STEP) + 2;

/// Sines in steps of 1.024 degrees.
static SINES: [u16; ENTRIES] = {
    let mut sines = [0; ENTRIES];
    let mut entry = 0;
    while entry < ENTRIES {
        sines[entry] = taylor(entry as i128) as u16;
        entry += 1;
    }
    sines
};

/// Sine of a multiple of 1.024 degrees, by its Taylor series.
const fn taylor(multiple: i128) -> i128 {
    /// 1.024 degrees in radians, with 40 binary places.
    const STEP_RADIANS: i128 = 19_650_660_422;
    let x = multiple * STEP_RADIANS;
    let (mut term, mut sum, mut n) = (x, x, 1);
    while n < 20 {
        term = -((((term * x) >> 40) * x) >> 40) / ((n + 1) * (n + 2));
        sum += term;
        n += 2;
    }
    (sum + (1 << (39 - PLACES))) >> (40 - PLACES)
}

/// Returns `value` times the sine of an angle in mdeg, less than a full turn either way.
#[must_use]
pub const fn times_sine(value: i32, mdeg: i32) -> i32 {
    let (mut angle, mut is_negative) = (mdeg.unsigned_abs(), mdeg < 0);
    if angle >= 180_000 {
        (angle, is_negative) = (angle - 180_000, !is_negative);
    }
    if angle > 90_000 {
        angle = 180_000_u32.saturating_sub(angle);
    }
    let entry = (angle >> STEP) as usize;
    let part = (angle & ((1 << STEP) - 1)) as i32;
    let (low, high) = (SINES[entry] as i32, SINES[entry + 1] as i32);
    let sine = low + (((high - low) * part) >> STEP);
    // Rounded, so that small errors do not add up.
    let product = ((value as i64 * sine as i64 + (1 << (PLACES - 1))) >> PLACES) as i32;
    if is_negative { -product } else { product }
}

/// Returns `value` times the cosine of an angle in mdeg, less than three quarters of a turn either way.
#[must_use]
pub const fn times_cosine(value: i32, mdeg: i32) -> i32 {
    times_sine(value, 90_000 - mdeg.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_and_cosines_are_right_to_a_ten_thousandth() {
        for mdeg in (-269_000..=269_000).step_by(37) {
            let radians = f64::from(mdeg) / 1000.0 * core::f64::consts::PI / 180.0;
            let (sine, cosine) = radians.sin_cos();
            let error = |is: i32, should: f64| (f64::from(is) - 1e6 * should).abs();
            assert!(error(times_sine(1_000_000, mdeg), sine) < 100.0, "{mdeg}");
            assert!(
                error(times_cosine(1_000_000, mdeg), cosine) < 100.0,
                "{mdeg}"
            );
        }
    }
}
