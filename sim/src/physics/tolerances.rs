//! Tolerances of a robot and its floor, drawn once per run.

use rand::{Rng, RngExt};

/// Deviations from the nominal robot, and noise. The robot must work with any of these; faults are separate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// Relative error of each wheel's travel: tracks wear and stretch.
    pub wheel_scale: [f64; 2],
    /// Standard deviation of the share of travel lost to slip.
    pub slip: f64,
    /// Effective track width relative to the nominal one, since tracks scrub sideways.
    pub track_factor: f64,
    /// Motion of the centre in a quarter turn, in millimetres (rms).
    pub scrub_mm: f64,
    /// Relative error of the gyro's sensitivity.
    pub gyro_scale: f64,
    /// Gyro bias, in degrees per second.
    pub gyro_bias_dps: f64,
    /// Bias drift in a second, in degrees per second (rms).
    pub gyro_drift_dps: f64,
    /// Gyro noise, in degrees per second (rms).
    pub gyro_noise_dps: f64,
    /// Sensor range relative to white walls.
    pub reflectance: f64,
    /// Largest relative error of a single pulse's range.
    pub light_noise: f64,
    /// Initial battery voltage, in millivolts.
    pub battery_mv: f64,
    /// Initial position forward and right of the cell's centre, in millimetres.
    pub initial_offset_mm: [f64; 2],
    /// Initial yaw, in degrees, clockwise.
    pub initial_yaw_deg: f64,
}

impl Tolerances {
    /// Ideal robot without noise, placed exactly.
    #[must_use]
    pub fn none() -> Self {
        Self {
            wheel_scale: [0.0; 2],
            slip: 0.0,
            track_factor: 1.0,
            scrub_mm: 0.0,
            gyro_scale: 0.0,
            gyro_bias_dps: 0.0,
            gyro_drift_dps: 0.0,
            gyro_noise_dps: 0.0,
            reflectance: 1.0,
            light_noise: 0.0,
            battery_mv: 6000.0,
            initial_offset_mm: [0.0; 2],
            initial_yaw_deg: 0.0,
        }
    }

    /// Draws a robot.
    pub fn drawn(rng: &mut impl Rng) -> Self {
        let mut within = |bound: f64| rng.random_range(-bound..=bound);
        Self {
            wheel_scale: [within(0.005), within(0.005)],
            slip: 0.005,
            track_factor: 1.075 + within(0.075),
            scrub_mm: 1.0,
            gyro_scale: within(0.003),
            gyro_bias_dps: within(1.0),
            gyro_drift_dps: 0.005,
            gyro_noise_dps: 0.1,
            reflectance: 1.0 + within(0.08),
            light_noise: 0.02,
            battery_mv: 5800.0 + within(200.0),
            initial_offset_mm: [within(3.0), within(3.0)],
            initial_yaw_deg: within(1.0),
        }
    }
}
