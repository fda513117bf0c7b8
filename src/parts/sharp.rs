//! Analog distance sensors by Sharp, and the levels a Zumo's receivers would see at that distance.
//!
//! The constants are those of a GP2Y0A51SK0F, 20 to 150 mm, by the typical curve of its data sheet: 0.4 V
//! at 150 mm and some 2 V at 20 mm. A sensor that is not plugged in looks like one that sees nothing.

use crate::{
    config::{CROSS_RANGE_MM, FRONT_RANGE_MM, OWN_RANGE_MM},
    robot::Levels,
};

/// Volts times distance, in millivolts and millimetres: the output falls with the distance ...
const MV_MM: u32 = 60_000;
/// ... behind the lens, in millimetres.
const LENS_MM: u32 = 10;
/// Where its sight ends, in millimetres.
const FAR_MM: u32 = 150;

/// The distance in millimetres that 12 bits of a converter against 3.3 V stand for; `None` is nothing near.
#[must_use]
pub const fn distance_mm(raw: u16) -> Option<i32> {
    let mv = raw as u32 * 3300 / 4096;
    match MV_MM.checked_div(mv) {
        Some(behind_lens) if behind_lens <= FAR_MM + LENS_MM => {
            Some(behind_lens.saturating_sub(LENS_MM) as i32)
        }
        _ => None,
    }
}

/// What the receivers of a Zumo would see of what is so near to the left, ahead and to the right.
#[must_use]
pub fn levels(left: Option<i32>, front: Option<i32>, right: Option<i32>) -> Levels {
    let seen = |distance: Option<i32>, ranges: &[i32]| {
        distance.map_or(0, |mm| {
            ranges.iter().filter(|&&range| mm <= range).count() as u8
        })
    };
    Levels {
        front: [seen(front, &FRONT_RANGE_MM); 2],
        left: [seen(left, &OWN_RANGE_MM), seen(left, &CROSS_RANGE_MM)],
        right: [seen(right, &CROSS_RANGE_MM), seen(right, &OWN_RANGE_MM)],
    }
}

#[cfg(test)]
mod tests {
    use heapless::Vec;

    use super::*;
    use crate::config::{CALIBRATION, SIDE_SENSOR_MM, WALL_FACE_MM};

    #[test]
    fn the_curve_passes_the_data_sheets_points_and_only_falls() {
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
    fn a_wall_of_this_cell_is_in_the_way_and_one_of_the_next_is_not() {
        let wall = Some(WALL_FACE_MM - SIDE_SENSOR_MM);
        let near = levels(wall, wall, wall);
        for [one, other] in [near.front, near.left, near.right] {
            assert!(one + other >= CALIBRATION.blocked_at, "{near:?}");
        }
        assert_eq!(near.left, [near.right[1], near.right[0]]);
        assert_eq!(levels(None, None, None), Levels::default());
    }

    #[test]
    fn each_sensor_has_its_own_receiver() {
        let one = levels(Some(50), None, None);
        assert_eq!((one.front, one.right), ([0; 2], [0; 2]));
        assert!(one.left[0] > one.left[1], "its own light is seen best");
        let one = levels(None, Some(50), None);
        assert_eq!((one.left, one.right), ([0; 2], [0; 2]));
        assert!(one.front[0] > 0);
    }
}
