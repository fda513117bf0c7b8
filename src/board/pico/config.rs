//! Numbers of a Pico robot built with the Zumo's tracks, gears and sensor positions. A robot with other
//! wheels changes them here, or sends a calibration.

use super::{BoardConfig, zumo2040::WHITE_WALLS};
use crate::{
    calibration::{Calibration, Friction, MotorCalibration},
    store::FlashRange,
};

/// Numbers of the Pico robot.
pub const PICO: BoardConfig = BoardConfig {
    calibration: Calibration {
        nm_per_count: 126_600,
        track_um: 99_000,
        gyro_ppm: 0,
        // Not used: the sensors measure distances themselves.
        walls: WHITE_WALLS,
        motors: MotorCalibration::uniform(
            860,
            Friction {
                breakaway: 25,
                kinetic: 25,
            },
        ),
        measured: 0,
    },
    front_sensor_mm: 45,
    side_sensor_mm: 45,
    side_sensor_forward_mm: 30,
    // The board cannot measure its battery.
    battery_divider: 1,
    battery_low_mv: 4_400,
    battery_absent_mv: 2_000,
    store: FlashRange::new(0x1F_0000..0x20_0000),
};
