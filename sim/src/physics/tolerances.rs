//! How a robot differs from its drawings: drawn once for each run.

use rand::{Rng, RngExt};

/// What no two robots have alike, and what shakes them.
///
/// Not to be mistaken for faults, which are wrappers around the parts: a robot must do its work
/// with any of these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// How much further than told each wheel goes on the floor: tracks wear and stretch.
    pub wheel_scale: [f64; 2],
    /// How fast the share of a wheel's way that is lost to slip changes: its standard deviation.
    pub slip: f64,
    /// How much wider than it is the track seems in a turn, since tracks scrub sideways.
    pub track_factor: f64,
    /// How far a quarter turn in place moves the middle of the robot, in millimetres (rms).
    pub scrub_mm: f64,
    /// How much more than the truth the gyro tells: its sensitivity.
    pub gyro_scale: f64,
    /// What the gyro tells at rest, in degrees per second.
    pub gyro_bias_dps: f64,
    /// How far that wanders in a second, in degrees per second (rms): the chip warms up.
    pub gyro_drift_dps: f64,
    /// The gyro's noise, in degrees per second (rms).
    pub gyro_noise_dps: f64,
    /// How far walls are seen, relative to white ones.
    pub reflectance: f64,
    /// How far the range of a single pulse of light is off, at most.
    pub light_noise: f64,
    /// The battery's voltage at the beginning of the run, in millivolts.
    pub battery_mv: f64,
    /// How the robot is put into its cell: ahead and to the right of its middle in millimetres, ...
    pub put_mm: [f64; 2],
    /// ... and how far clockwise, in degrees.
    pub put_deg: f64,
}

impl Tolerances {
    /// A robot as drawn, on a floor as planned, put down exactly.
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
            put_mm: [0.0; 2],
            put_deg: 0.0,
        }
    }

    /// One robot of many.
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
            put_mm: [within(3.0), within(3.0)],
            put_deg: within(1.0),
        }
    }
}
