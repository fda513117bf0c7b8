//! Numbers of a Pico robot built with the Zumo's tracks, gears and sensor positions. A robot with other
//! wheels changes them here, or sends a calibration.

use super::{BoardConfig, ZUMO2040};
use crate::{calibration::Calibration, calibrator::Routine};

/// Numbers of the Pico robot.
pub const PICO: BoardConfig = BoardConfig {
    calibration: Calibration {
        // The sensors measure distances themselves, and have no pulse widths to calibrate.
        measured: Routine::Walls.bit() | Routine::Range.bit(),
        ..ZUMO2040.calibration
    },
    // The board cannot measure its battery.
    battery_divider: 1,
    ..ZUMO2040
};
