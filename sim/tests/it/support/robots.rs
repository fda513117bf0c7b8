//! Robots that are used by several tests.

use tinystar::{boards::ZUMO2040, calibration::Calibration, calibrator::Routine};

/// Calibration of a robot whose walls are measured and are what the board assumes: it drives at full speed.
pub const CALIBRATED: Calibration = Calibration {
    measured: Routine::Walls.bit(),
    ..ZUMO2040.calibration
};
