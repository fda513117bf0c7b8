//! Numbers that differ from board to board: dimensions, sensors, motors, battery, flash layout.

#[path = "board/pico/config.rs"]
mod pico;
#[path = "board/zumo2040/config.rs"]
mod zumo2040;

pub use pico::PICO;
pub use zumo2040::ZUMO2040;

use crate::{
    calibration::{Calibration, WallCalibration},
    config::{CELL_MM, TOP_ACCELERATION, TOP_SPEED, WALL_FACE_MM},
    motion::{SmoothTurn, SpeedLevel, SpeedLimits},
    store::FlashRange,
};

/// Numbers of one board, passed to the tasks that need them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardConfig {
    /// Wheel geometry and wall thresholds of an uncalibrated robot.
    pub calibration: Calibration,
    /// Smooth turns of a route.
    pub turn: SmoothTurn,
    /// Limits of the speed levels: careful, slow, search, normal, fast.
    pub speed_limits: [SpeedLimits; 5],
    /// Lag of the motors, in control steps.
    pub motor_lag_steps: i32,
    /// From the centre of the robot to its furthest corner, in millimetres: the radius of a turn.
    pub turning_radius_mm: i32,
    /// From the centre of the robot forward to its front receiver, in millimetres.
    pub front_sensor_mm: i32,
    /// From the centre of the robot sideways to its side receivers, in millimetres.
    pub side_sensor_mm: i32,
    /// From the centre of the robot forward to its side receivers, in millimetres.
    pub side_sensor_forward_mm: i32,
    /// Ratio of the battery's voltage divider.
    pub battery_divider: u32,
    /// Battery voltage below which the robot stops, in millivolts.
    pub battery_low_mv: u32,
    /// Battery voltage below which the robot is taken to run on USB, in millivolts.
    pub battery_absent_mv: u32,
    /// Flash that holds the wall map and the calibration, as in `memory.x`.
    pub store: FlashRange,
}

impl BoardConfig {
    /// Limits of a speed level.
    #[must_use]
    pub const fn limits(&self, level: SpeedLevel) -> SpeedLimits {
        self.speed_limits[level as usize]
    }

    /// Checks the limits of a speed level.
    const fn assert_safe(&self, limits: SpeedLimits) {
        let SpeedLimits {
            straight_mm_s,
            turn_mm_s,
            acceleration_mm_s2,
        } = limits;
        assert!(0 < turn_mm_s && turn_mm_s <= straight_mm_s && straight_mm_s <= TOP_SPEED);
        assert!(acceleration_mm_s2 <= TOP_ACCELERATION);
        assert!(
            turn_mm_s * turn_mm_s / (2 * acceleration_mm_s2) * 1000 < self.turn.entry_um(),
            "a robot that may turn in a cell can also stop in its centre"
        );
    }

    /// Checks the numbers against each other and against [`config`](crate::config).
    const fn assert_valid(&self) {
        assert!(self.calibration.is_valid());
        let mut level = 0;
        while level < self.speed_limits.len() {
            self.assert_safe(self.speed_limits[level]);
            level += 1;
        }
        assert!(self.front_sensor_mm < CELL_MM / 2);
        assert!(
            (WALL_FACE_MM - self.side_sensor_mm) * 1000 == WallCalibration::NEAR_UM
                && (WALL_FACE_MM - self.front_sensor_mm) * 1000 == WallCalibration::NEAR_UM,
            "the calibration measures walls of a cell"
        );
        assert!(self.battery_absent_mv < self.battery_low_mv);
    }
}

const _: () = {
    ZUMO2040.assert_valid();
    PICO.assert_valid();
};
