//! Numbers of a Pico robot built with the Zumo's tracks, gears and sensor positions. A robot with other
//! wheels changes them here, or sends a calibration.

use super::BoardConfig;
use crate::{calibration::Calibration, store::FlashRange};

/// Numbers of the Pico robot.
pub const PICO: BoardConfig = BoardConfig {
    calibration: Calibration {
        nm_per_count: 126_600,
        track_um: 99_000,
        range_permille: 1000,
        blocked_at: 8,
        free_at: 6,
    },
    front_sensor_mm: 45,
    side_sensor_mm: 45,
    side_sensor_forward_mm: 30,
    // Distances at which `sharp_ir::levels` changes; the sensors measure distance themselves.
    front_range_mm: [49, 87, 126, 163, 202, 240],
    own_range_mm: [61, 109, 157, 204, 253, 300],
    cross_range_mm: [38, 68, 98, 127, 157, 186],
    wall_level: 11,
    top_speed: 860,
    friction_feedforward: 25,
    // The board cannot measure its battery.
    battery_low_mv: 4_400,
    battery_absent_mv: 2_000,
    store: FlashRange::new(0x1F_0000..0x20_0000),
};
