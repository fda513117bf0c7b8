//! Analog infrared distance sensors by Sharp.
//!
//! The constants are those of a GP2Y0A51SK0F, 20 to 150 mm, by the typical curve of its data sheet: 0.4 V
//! at 150 mm and about 2 V at 20 mm. A missing sensor reads like one with nothing in range.

use crate::robot::Interval;

/// Output voltage times distance from the focal point, in mV um.
const MV_UM: u32 = 60_000_000;
/// From the focal point to the front of the lens, in micrometres.
const LENS_UM: u32 = 10_000;
/// Largest distance, in micrometres.
const MAX_UM: u32 = 150_000;
/// Below this distance, the voltage falls again, in micrometres.
const MIN_UM: i32 = 20_000;
/// Share of a distance, as its divisor, by which a sensor may be off: the spread of the data sheet's curve.
const ACCURACY: i32 = 20;

/// Distance from a 12-bit ADC value with a 3.3 V reference.
///
/// ```
/// use tinystar::{drivers::sharp_ir::distance, robot::Interval};
///
/// assert_eq!(distance(1400), Interval { near: 41_077, far: 45_399 });
/// assert!(!distance(0).is_in_range());
/// ```
#[must_use]
pub const fn distance(raw: u16) -> Interval {
    let mv = raw as u32 * 3300 / 4096;
    match MV_UM.checked_div(mv) {
        Some(behind_lens) if behind_lens <= MAX_UM + LENS_UM => {
            let um = behind_lens.saturating_sub(LENS_UM) as i32;
            let near = if um > MIN_UM { um - um / ACCURACY } else { 0 };
            let far = um + um / ACCURACY;
            Interval {
                near,
                far: if far > MIN_UM { far } else { MIN_UM },
            }
        }
        _ => Interval::beyond(MAX_UM as i32 - MAX_UM as i32 / ACCURACY),
    }
}

#[cfg(test)]
mod tests {
    use heapless::Vec;

    use super::*;
    use crate::{
        boards::PICO,
        config::{FRONT_NEAR_UM, FRONT_WALL_UM, SIDE_NEAR_UM, WALL_FACE_MM},
    };

    #[test]
    fn the_curve_matches_the_data_sheet_and_is_monotonic() {
        let holds = |raw, um| {
            let Interval { near, far } = distance(raw);
            near < um && um <= far
        };
        assert!(holds(2482, 20_000)); // 2.0 V
        assert!(holds(497, 140_000)); // 0.4 V
        assert!(!distance(0).is_in_range());
        assert!(!distance(300).is_in_range());
        let all: Vec<_, 4096> = (0..4096).rev().map(distance).collect();
        assert!(all.is_sorted_by_key(|interval| interval.near));
        assert!(all.is_sorted_by_key(|interval| interval.far));
        assert!(all.iter().all(|interval| interval.near < interval.far));
    }

    #[test]
    fn walls_of_this_cell_and_of_the_next_are_told_apart() {
        let wall = (WALL_FACE_MM - PICO.side_sensor_mm) * 1000;
        let raw = |um: i32| (MV_UM / (um as u32 + LENS_UM) * 4096 / 3300) as u16;
        let near = distance(raw(wall));
        assert!(near.is_within(SIDE_NEAR_UM) && near.is_within(FRONT_NEAR_UM));
        assert!(distance(raw(wall + 180_000)).is_beyond(FRONT_WALL_UM));
    }
}
