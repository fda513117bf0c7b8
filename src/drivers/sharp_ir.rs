//! Analog infrared distance sensors by Sharp, converted to proximity levels.
//!
//! The constants are those of a GP2Y0A51SK0F, 20 to 150 mm, by the typical curve of its data sheet: 0.4 V
//! at 150 mm and about 2 V at 20 mm. A missing sensor reads like one with nothing in range.

use crate::{boards::BoardConfig, robot::Levels};

/// Output voltage times distance from the focal point, in mV mm.
const MV_MM: u32 = 60_000;
/// From the focal point to the front of the lens, in millimetres.
const LENS_MM: u32 = 10;
/// Largest distance, in millimetres.
const MAX_MM: u32 = 150;

/// Distance in millimetres from a 12-bit ADC value with a 3.3 V reference; `None` if out of range.
#[must_use]
pub const fn distance_mm(raw: u16) -> Option<i32> {
    let mv = raw as u32 * 3300 / 4096;
    match MV_MM.checked_div(mv) {
        Some(behind_lens) if behind_lens <= MAX_MM + LENS_MM => {
            Some(behind_lens.saturating_sub(LENS_MM) as i32)
        }
        _ => None,
    }
}

/// Proximity levels of distances to the left, ahead and to the right, in millimetres, by the ranges of
/// the board.
#[must_use]
pub fn levels(
    left: Option<i32>,
    front: Option<i32>,
    right: Option<i32>,
    board: &BoardConfig,
) -> Levels {
    let level = |distance: Option<i32>, ranges: &[i32]| {
        distance.map_or(0, |mm| {
            ranges.iter().filter(|&&range| mm <= range).count() as u8
        })
    };
    Levels {
        front: [level(front, &board.front_range_mm); 2],
        left: [
            level(left, &board.own_range_mm),
            level(left, &board.cross_range_mm),
        ],
        right: [
            level(right, &board.cross_range_mm),
            level(right, &board.own_range_mm),
        ],
    }
}

#[cfg(test)]
mod tests {
    use heapless::Vec;

    use super::*;
    use crate::{boards::PICO, config::WALL_FACE_MM};

    #[test]
    fn the_curve_matches_the_data_sheet_and_is_monotonic() {
        assert_eq!(distance_mm(2482), Some(20)); // 2.0 V
        assert_eq!(distance_mm(497), Some(140)); // 0.4 V
        assert_eq!(distance_mm(0), None);
        assert_eq!(distance_mm(300), None);
        let seen: Vec<_, 4096> = (0..4096).rev().map_while(distance_mm).collect();
        assert!(seen.is_sorted());
        assert!(seen.len() > 3600 && seen[0] < 20);
        assert!(seen.iter().all(|&mm| (0..=150).contains(&mm)));
    }

    #[test]
    fn a_wall_of_this_cell_is_detected() {
        let wall = Some(WALL_FACE_MM - PICO.side_sensor_mm);
        let near = levels(wall, wall, wall, &PICO);
        for [one, other] in [near.front, near.left, near.right] {
            assert!(one + other >= PICO.calibration.blocked_at, "{near:?}");
        }
        assert_eq!(near.left, [near.right[1], near.right[0]]);
        assert_eq!(levels(None, None, None, &PICO), Levels::default());
    }

    #[test]
    fn each_sensor_maps_to_its_own_receiver() {
        let one = levels(Some(50), None, None, &PICO);
        assert_eq!((one.front, one.right), ([0; 2], [0; 2]));
        assert!(one.left[0] > one.left[1], "its own LEDs reach further");
        let one = levels(None, Some(50), None, &PICO);
        assert_eq!((one.left, one.right), ([0; 2], [0; 2]));
        assert!(one.front[0] > 0);
    }
}
