//! Tolerances of a robot and its floor, drawn once per run.
//!
//! [`Tolerance::ALL`] lists every one with its name, its meaning and its ranges: that of a new robot on a good
//! floor, and a wide one that no real robot should exceed.

use std::fmt;

use rand::{Rng, RngExt};
use thiserror::Error;

/// Deviations from the nominal robot, and noise. Faults are separate. The default is all zero, which no robot is:
/// [`Tolerances::none`] is the ideal one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerances {
    /// Relative error of each wheel's travel: tracks wear and stretch.
    pub wheel_scale: [f64; 2],
    /// Standard deviation of the share of travel lost to slip.
    pub slip: f64,
    /// Effective track width relative to the nominal one, since tracks scrub sideways.
    pub track_factor: f64,
    /// Motion of the centre in a quarter turn, in millimetres (rms).
    pub scrub_mm: f64,
    /// Largest acceleration that the tracks transmit, along and across, in units of gravity.
    pub traction: f64,
    /// Share of the floor on which a wheel slips more.
    pub patches: f64,
    /// Share of travel lost there by one of the wheels.
    pub patch_slip: f64,
    /// Speed of each motor relative to the nominal one.
    pub motor: [f64; 2],
    /// Duty at which a standing wheel starts to turn.
    pub stiction: f64,
    /// Duty lost to friction by a turning wheel.
    pub friction: f64,
    /// Duty lost in addition while the robot turns in place.
    pub pivot_friction: f64,
    /// Initial battery voltage, in millivolts.
    pub battery_mv: f64,
    /// Voltage sag at full duty, in millivolts.
    pub sag_mv: f64,
    /// Relative error of the gyro's sensitivity.
    pub gyro_scale: f64,
    /// Gyro bias, in degrees per second.
    pub gyro_bias_dps: f64,
    /// Bias drift in a second, in degrees per second (rms).
    pub gyro_drift_dps: f64,
    /// Gyro noise, in degrees per second (rms).
    pub gyro_noise_dps: f64,
    /// Range of the left, front and right receiver relative to the nominal one.
    pub reflectance: [f64; 3],
    /// Range by the left and right LEDs relative to the nominal one.
    pub light: [f64; 2],
    /// Range on the walls of this floor relative to white ones.
    pub wall: f64,
    /// Largest deviation of a single wall's range from that.
    pub wall_variation: f64,
    /// Share of specular reflection: `0` is a matt wall, which reflects alike in all directions.
    pub shine: f64,
    /// Largest loss of range by ambient light, which varies over the floor.
    pub ambient: f64,
    /// Exponent with which the reflected light falls with the distance.
    pub falloff: f64,
    /// Largest relative error of a single pulse's range.
    pub light_noise: f64,
    /// Initial position forward and right of the cell's centre, in millimetres.
    pub initial_offset_mm: [f64; 2],
    /// Initial yaw, in degrees, clockwise.
    pub initial_yaw_deg: f64,
}

/// Interval of values.
pub type Range = (f64, f64);

/// One number of [`Tolerances`]: its name, meaning and ranges.
#[derive(Clone, Copy)]
pub struct Tolerance {
    /// Name, as in `--set NAME=VALUE`. A name without its last part, `motor` for `motor.left`, means all.
    pub name: &'static str,
    /// Meaning and unit.
    pub meaning: &'static str,
    /// Value of an ideal robot.
    pub ideal: f64,
    /// Range of a new robot on a good floor.
    pub nominal: Range,
    /// Range of any robot on any floor, all tolerances together.
    pub wide: Range,
    /// Range of this tolerance alone.
    pub extremes: Range,
    field: fn(&mut Tolerances) -> &mut f64,
}

impl fmt::Debug for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Row of the table: name, meaning, ideal value, nominal and wide range, and the field.
const fn tolerance(
    name: &'static str,
    meaning: &'static str,
    ideal: f64,
    nominal: Range,
    wide: Range,
    field: fn(&mut Tolerances) -> &mut f64,
) -> Tolerance {
    Tolerance {
        name,
        meaning,
        ideal,
        nominal,
        wide,
        extremes: wide,
        field,
    }
}

/// Range factor of a receiver or of a side's LEDs. Alone it is 0.5 to 2.0; together, receiver and LEDs share that
/// range.
const fn range_factor(
    name: &'static str,
    meaning: &'static str,
    field: fn(&mut Tolerances) -> &mut f64,
) -> Tolerance {
    const ROOT: f64 = std::f64::consts::SQRT_2;
    Tolerance {
        extremes: (0.5, 2.0),
        ..tolerance(name, meaning, 1.0, (0.98, 1.02), (1.0 / ROOT, ROOT), field)
    }
}

impl Tolerance {
    /// All tolerances.
    #[rustfmt::skip]
    pub const ALL: &[Self] = &[
        tolerance("wheel.left", "relative error of the left wheel's travel",
            0.0, (-0.005, 0.005), (-0.02, 0.02), |t| &mut t.wheel_scale[0]),
        tolerance("wheel.right", "relative error of the right wheel's travel",
            0.0, (-0.005, 0.005), (-0.02, 0.02), |t| &mut t.wheel_scale[1]),
        tolerance("slip", "share of travel lost to slip (rms)",
            0.0, (0.005, 0.005), (0.005, 0.01), |t| &mut t.slip),
        tolerance("track", "effective track width relative to 99 mm",
            1.0, (1.0, 1.15), (0.95, 1.2), |t| &mut t.track_factor),
        tolerance("scrub", "motion of the centre in a quarter turn, in mm (rms)",
            0.0, (1.0, 1.0), (0.5, 1.5), |t| &mut t.scrub_mm),
        tolerance("traction", "largest acceleration of the tracks, in g",
            0.7, (0.6, 0.8), (0.4, 0.9), |t| &mut t.traction),
        tolerance("patches", "share of the floor on which a wheel slips more",
            0.0, (0.0, 0.0), (0.0, 0.05), |t| &mut t.patches),
        tolerance("patch_slip", "share of travel lost there",
            0.0, (0.0, 0.05), (0.05, 0.1), |t| &mut t.patch_slip),
        tolerance("motor.left", "speed of the left motor relative to the nominal one",
            1.0, (0.97, 1.03), (0.9, 1.1), |t| &mut t.motor[0]),
        tolerance("motor.right", "speed of the right motor relative to the nominal one",
            1.0, (0.97, 1.03), (0.9, 1.1), |t| &mut t.motor[1]),
        tolerance("stiction", "duty at which a standing wheel starts to turn",
            0.03, (0.03, 0.06), (0.0, 0.15), |t| &mut t.stiction),
        tolerance("friction", "duty lost by a turning wheel",
            0.03, (0.02, 0.04), (0.0, 0.1), |t| &mut t.friction),
        tolerance("pivot_friction", "duty lost in addition in a turn in place",
            0.0, (0.0, 0.02), (0.0, 0.05), |t| &mut t.pivot_friction),
        tolerance("battery", "initial battery voltage, in mV",
            6000.0, (5600.0, 6000.0), (4800.0, 6200.0), |t| &mut t.battery_mv),
        tolerance("sag", "voltage sag at full duty, in mV",
            500.0, (400.0, 600.0), (200.0, 900.0), |t| &mut t.sag_mv),
        tolerance("gyro_scale", "relative error of the gyro's sensitivity",
            0.0, (-0.003, 0.003), (-0.02, 0.02), |t| &mut t.gyro_scale),
        tolerance("gyro_bias", "gyro bias, in degrees/s",
            0.0, (-1.0, 1.0), (-2.0, 2.0), |t| &mut t.gyro_bias_dps),
        tolerance("gyro_drift", "drift of the gyro bias in a second, in degrees/s (rms)",
            0.0, (0.005, 0.005), (0.005, 0.01), |t| &mut t.gyro_drift_dps),
        tolerance("gyro_noise", "gyro noise, in degrees/s (rms)",
            0.0, (0.1, 0.1), (0.05, 0.2), |t| &mut t.gyro_noise_dps),
        range_factor("reflectance.left", "range of the left receiver", |t| &mut t.reflectance[0]),
        range_factor("reflectance.front", "range of the front receiver", |t| &mut t.reflectance[1]),
        range_factor("reflectance.right", "range of the right receiver", |t| &mut t.reflectance[2]),
        range_factor("light.left", "range by the left LEDs", |t| &mut t.light[0]),
        range_factor("light.right", "range by the right LEDs", |t| &mut t.light[1]),
        tolerance("wall", "range on the walls of this floor relative to white ones",
            1.0, (0.94, 1.06), (0.85, 1.15), |t| &mut t.wall),
        tolerance("wall_variation", "largest deviation of a single wall's range",
            0.0, (0.0, 0.02), (0.0, 0.08), |t| &mut t.wall_variation),
        tolerance("shine", "share of specular reflection",
            0.0, (0.0, 0.1), (0.0, 0.5), |t| &mut t.shine),
        tolerance("ambient", "largest loss of range by ambient light",
            0.0, (0.0, 0.02), (0.0, 0.08), |t| &mut t.ambient),
        tolerance("falloff", "exponent of the light's fall with distance",
            2.0, (2.0, 2.0), (1.9, 2.1), |t| &mut t.falloff),
        tolerance("light_noise", "largest relative error of a single pulse's range",
            0.0, (0.02, 0.02), (0.01, 0.04), |t| &mut t.light_noise),
        tolerance("place.forward", "initial position forward of the centre, in mm",
            0.0, (-3.0, 3.0), (-5.0, 5.0), |t| &mut t.initial_offset_mm[0]),
        tolerance("place.right", "initial position right of the centre, in mm",
            0.0, (-3.0, 3.0), (-5.0, 5.0), |t| &mut t.initial_offset_mm[1]),
        tolerance("place.yaw", "initial yaw, in degrees, clockwise",
            0.0, (-1.0, 1.0), (-3.0, 3.0), |t| &mut t.initial_yaw_deg),
    ];

    /// Value in some tolerances.
    pub fn get(&self, tolerances: &Tolerances) -> f64 {
        *(self.field)(&mut tolerances.clone())
    }

    /// Sets the value.
    pub fn set(&self, tolerances: &mut Tolerances, value: f64) {
        *(self.field)(tolerances) = value;
    }
}

/// Tolerances of a run, before they are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Draw {
    /// Ideal robot without noise, placed exactly.
    None,
    /// New robot on a good floor.
    #[default]
    Nominal,
    /// Any robot on any floor.
    Wide,
}

impl Tolerances {
    /// Ideal robot without noise, placed exactly.
    pub fn none() -> Self {
        let mut ideal = Self::default();
        for tolerance in Tolerance::ALL {
            tolerance.set(&mut ideal, tolerance.ideal);
        }
        ideal
    }

    /// Draws a new robot on a good floor.
    pub fn drawn(rng: &mut impl Rng) -> Self {
        Self::draw(Draw::Nominal, rng)
    }

    /// Draws a robot.
    pub fn draw(draw: Draw, rng: &mut impl Rng) -> Self {
        let mut tolerances = Self::none();
        for tolerance in Tolerance::ALL {
            // Drawn for an ideal robot too, so that what is drawn afterwards is the same.
            let share: f64 = rng.random();
            let (low, high) = match draw {
                Draw::None => (tolerance.ideal, tolerance.ideal),
                Draw::Nominal => tolerance.nominal,
                Draw::Wide => tolerance.wide,
            };
            tolerance.set(&mut tolerances, low + share * (high - low));
        }
        tolerances
    }
}

/// Value for one tolerance or a group of them, as `NAME=VALUE`.
///
/// ```
/// use sim::physics::tolerances::{Setting, Tolerances};
///
/// let mut tolerances = Tolerances::none();
/// "reflectance=1.2".parse::<Setting>()?.apply(&mut tolerances);
/// "reflectance.left=1.4".parse::<Setting>()?.apply(&mut tolerances);
/// assert_eq!(tolerances.reflectance, [1.4, 1.2, 1.2]);
/// # Ok::<(), sim::physics::tolerances::ParseSettingError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    name: String,
    value: f64,
}

/// Invalid setting of a tolerance.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseSettingError {
    /// Not of the form `NAME=VALUE`.
    #[error("a tolerance is NAME=VALUE, like stiction=0.12")]
    Form,
    /// No tolerance has this name.
    #[error("there is no tolerance {0}; there are: {names}", names = names())]
    Name(String),
    /// The value is not a finite number.
    #[error("{0} is not a number")]
    Value(String),
}

fn names() -> String {
    let names: Vec<_> = Tolerance::ALL.iter().map(|t| t.name).collect();
    names.join(", ")
}

impl std::str::FromStr for Setting {
    type Err = ParseSettingError;

    fn from_str(text: &str) -> Result<Self, ParseSettingError> {
        let (name, value) = text.split_once('=').ok_or(ParseSettingError::Form)?;
        let setting = Self {
            name: name.to_owned(),
            value: value
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .ok_or_else(|| ParseSettingError::Value(value.to_owned()))?,
        };
        if !Tolerance::ALL.iter().any(|t| setting.applies_to(t)) {
            return Err(ParseSettingError::Name(setting.name));
        }
        Ok(setting)
    }
}

impl Setting {
    fn applies_to(&self, tolerance: &Tolerance) -> bool {
        let rest = tolerance.name.strip_prefix(self.name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Sets the tolerance, or all of the group.
    pub fn apply(&self, tolerances: &mut Tolerances) {
        for tolerance in Tolerance::ALL {
            if self.applies_to(tolerance) {
                tolerance.set(tolerances, self.value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::rng;

    #[test]
    fn every_tolerance_has_a_field_of_its_own() {
        for (index, one) in Tolerance::ALL.iter().enumerate() {
            let mut tolerances = Tolerances::none();
            one.set(&mut tolerances, 1234.5);
            for (other_index, other) in Tolerance::ALL.iter().enumerate() {
                let expected = if index == other_index {
                    1234.5
                } else {
                    other.ideal
                };
                assert_eq!(other.get(&tolerances), expected, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn nominal_ranges_lie_in_wide_ones_and_those_in_the_extremes() {
        let contains = |outer: Range, inner: Range| outer.0 <= inner.0 && inner.1 <= outer.1;
        for tolerance in Tolerance::ALL {
            let Tolerance {
                nominal,
                wide,
                extremes,
                ..
            } = *tolerance;
            assert!(nominal.0 <= nominal.1, "{tolerance:?}");
            assert!(contains(extremes, wide), "{tolerance:?}");
            // A floor without patches has no slip on them.
            assert!(
                contains(wide, nominal) || tolerance.name == "patch_slip",
                "{tolerance:?}"
            );
        }
    }

    #[test]
    fn drawn_values_lie_in_their_ranges_and_fill_them() {
        for draw in [Draw::Nominal, Draw::Wide] {
            let robots: Vec<_> = (0..200)
                .map(|seed| Tolerances::draw(draw, &mut rng::seeded(seed)))
                .collect();
            for tolerance in Tolerance::ALL {
                let (low, high) = match draw {
                    Draw::Wide => tolerance.wide,
                    _ => tolerance.nominal,
                };
                let values = robots.iter().map(|robot| tolerance.get(robot));
                assert!(
                    values.clone().all(|v| (low..=high).contains(&v)),
                    "{tolerance:?}"
                );
                let (min, max) = values.fold((high, low), |(a, b), v| (v.min(a), v.max(b)));
                assert!(max - min >= 0.9 * (high - low), "{tolerance:?}");
            }
        }
        assert_eq!(
            Tolerances::draw(Draw::None, &mut rng::seeded(1)),
            Tolerances::none()
        );
    }

    #[test]
    fn invalid_settings_are_errors() {
        let parse = |text: &str| text.parse::<Setting>().unwrap_err();
        assert_eq!(parse("stiction"), ParseSettingError::Form);
        assert!(matches!(parse("stict=1"), ParseSettingError::Name(_)));
        assert!(matches!(parse("stiction=x"), ParseSettingError::Value(_)));
        assert!(matches!(parse("stiction=NaN"), ParseSettingError::Value(_)));
        assert!(
            parse("goat=1")
                .to_string()
                .contains("reflectance.left, reflectance.front")
        );
    }
}
