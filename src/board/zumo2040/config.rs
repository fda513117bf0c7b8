//! Numbers of the Pololu Zumo 2040 with 75:1 motors.

use super::BoardConfig;
use crate::{
    calibration::{Calibration, Friction, MotorCalibration, WallCalibration},
    motion::{SmoothTurn, SpeedLimits},
    store::FlashRange,
};

/// Numbers of the Zumo 2040.
pub const ZUMO2040: BoardConfig = BoardConfig {
    calibration: Calibration {
        // 115.2 mm of track per sprocket turn; 12 counts per motor turn; gears of 75.81:1.
        nm_per_count: 126_600,
        track_um: 99_000,
        gyro_ppm: 0,
        // White walls. A guess: nobody has measured them yet.
        walls: WallCalibration {
            near_ns: [[128, 332], [200, 200], [332, 128]],
            mid_percent: WallCalibration::MID_PERCENT,
            far_percent: WallCalibration::FAR_PERCENT,
        },
        motors: MotorCalibration::uniform(
            860,
            Friction {
                breakaway: 25,
                kinetic: 25,
            },
        ),
        measured: 0,
    },
    // The outer wheel is 1.8 times as fast as the robot: 550 mm/s of 860 at 300 mm/s. Enters and leaves 76 mm from the
    // centre of a cell, so that it fits cells of 168 mm.
    turn: SmoothTurn::new(60_000, 30_000),
    speed_limits: [
        // A wall that is touched, as it was sensed at a wrong distance, is touched at less than 60 mm/s.
        SpeedLimits {
            straight_mm_s: 55,
            turn_mm_s: 55,
            acceleration_mm_s2: 600,
        },
        // Stopping takes 9 mm.
        SpeedLimits {
            straight_mm_s: 100,
            turn_mm_s: 100,
            acceleration_mm_s2: 600,
        },
        // Walls are sensed every 5 mm; tracks keep 0.4 g of traction on the worst floor, of which turns need 0.15.
        SpeedLimits {
            straight_mm_s: 500,
            turn_mm_s: 300,
            acceleration_mm_s2: 1500,
        },
        // As fast in turns as the outer wheel allows.
        SpeedLimits {
            straight_mm_s: 600,
            turn_mm_s: 300,
            acceleration_mm_s2: 1500,
        },
        SpeedLimits {
            straight_mm_s: 700,
            turn_mm_s: 320,
            acceleration_mm_s2: 2000,
        },
    ],
    // 60 ms: unmeasured.
    motor_lag_steps: 12,
    // 98 mm long and wide.
    turning_radius_mm: 70,
    front_sensor_mm: 45,
    side_sensor_mm: 45,
    side_sensor_forward_mm: 30,
    battery_divider: 11,
    // Four NiMH cells of 1.1 V.
    battery_low_mv: 4_400,
    battery_absent_mv: 2_000,
    // The last 64 KiB of a Pico's 2 MiB, so that one memory.x serves all boards.
    store: FlashRange::new(0x1F_0000..0x20_0000),
};
