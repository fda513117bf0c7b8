//! Numbers of the Pololu Zumo 2040 with 75:1 motors, measured on white walls.

use super::BoardConfig;
use crate::{calibration::Calibration, store::FlashRange};

/// Numbers of the Zumo 2040.
pub const ZUMO2040: BoardConfig = BoardConfig {
    calibration: Calibration {
        // 115.2 mm of track per sprocket turn; 12 counts per motor turn; gears of 75.81:1.
        nm_per_count: 126_600,
        track_um: 99_000,
        range_permille: 1000,
        blocked_at: 8,
        free_at: 6,
    },
    front_sensor_mm: 45,
    side_sensor_mm: 45,
    side_sensor_forward_mm: 30,
    // Ranges grow with the square root of the pulse width.
    front_range_mm: [49, 87, 126, 163, 202, 240],
    own_range_mm: [61, 109, 157, 204, 253, 300],
    cross_range_mm: [38, 68, 98, 127, 157, 186],
    wall_level: 11,
    top_speed: 860,
    friction_feedforward: 25,
    // Four NiMH cells of 1.1 V.
    battery_low_mv: 4_400,
    battery_absent_mv: 2_000,
    // The last 64 KiB of a Pico's 2 MiB, so that one memory.x serves all boards.
    store: FlashRange::new(0x1F_0000..0x20_0000),
};
