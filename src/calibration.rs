//! Parameters measured for one robot on one floor, saved in flash.

use serde::{Deserialize, Serialize};

use crate::calibrator::Routine;

/// Measured wheels, gyro, wall sensing and motors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Calibration {
    /// Wheel travel per encoder count, in nanometres.
    pub nm_per_count: u32,
    /// Effective track width in turns, in micrometres: more than the measured width, as tracks scrub.
    pub track_um: u32,
    /// Correction of the gyro's scale, in millionths.
    pub gyro_ppm: i32,
    /// Detection thresholds of the proximity sensors on this floor's walls.
    pub walls: WallCalibration,
    /// Friction and speed of the motors.
    pub motors: MotorCalibration,
    /// Routines that have measured this robot: a [bit](Routine::bit) each.
    pub measured: u8,
}

impl Calibration {
    /// Returns whether all values are plausible.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.nm_per_count >= 10_000
            && self.nm_per_count <= 1_000_000
            && self.track_um >= 30_000
            && self.track_um <= 300_000
            && self.gyro_ppm >= -100_000
            && self.gyro_ppm <= 100_000
            && self.walls.is_valid()
            && self.motors.is_valid()
    }

    /// Returns whether a routine has measured this robot.
    #[must_use]
    pub const fn is_measured(&self, routine: Routine) -> bool {
        self.measured & routine.bit() != 0
    }

    /// The same with the gears of a ratio; distance and motors are to be measured again.
    #[must_use]
    pub const fn with_gear(mut self, gear: Gear) -> Self {
        self.nm_per_count = gear.nm_per_count();
        self.motors.full_speed = [gear.full_speed(); 2];
        self.measured &= !(Routine::Distance.bit() | Routine::Motors.bit());
        self
    }
}

/// Gears of a Zumo: 115.2 mm of track per sprocket turn, 12 counts per motor turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Gear {
    /// 51.45:1.
    Ratio50,
    /// 75.81:1.
    Ratio75,
    /// 100.37:1.
    Ratio100,
}

impl Gear {
    /// All gears.
    pub const ALL: [Self; 3] = [Self::Ratio50, Self::Ratio75, Self::Ratio100];

    /// Wheel travel per encoder count, in nanometres.
    #[must_use]
    pub const fn nm_per_count(self) -> u32 {
        match self {
            Self::Ratio50 => 186_600,
            Self::Ratio75 => 126_600,
            Self::Ratio100 => 95_700,
        }
    }

    /// Wheel speed at full duty and full battery, in millimetres per second.
    #[must_use]
    pub const fn full_speed(self) -> u16 {
        match self {
            Self::Ratio50 => 1_270,
            Self::Ratio75 => 860,
            Self::Ratio100 => 650,
        }
    }

    /// Gear of a calibration: the nearest.
    #[must_use]
    pub fn of(calibration: &Calibration) -> Self {
        match calibration.nm_per_count {
            ..=110_000 => Self::Ratio100,
            110_001..=155_000 => Self::Ratio75,
            _ => Self::Ratio50,
        }
    }

    /// Name on the display.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ratio50 => "50:1",
            Self::Ratio75 => "75:1",
            Self::Ratio100 => "100:1",
        }
    }
}

/// Friction of a motor in one direction, as duty in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Friction {
    /// Duty at which a wheel at rest starts to move.
    pub breakaway: u16,
    /// Duty that a moving wheel loses.
    pub kinetic: u16,
}

/// Measured motors. Arrays are of the left and right wheel, each forward and backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct MotorCalibration {
    /// Wheel speed at full duty without friction, in millimetres per second.
    pub full_speed: [u16; 2],
    /// Friction on a straight line.
    pub straight: [[Friction; 2]; 2],
    /// Friction in a turn in place, where tracks scrub.
    pub turning: [[Friction; 2]; 2],
}

impl MotorCalibration {
    /// Motors with the same friction everywhere.
    #[must_use]
    pub const fn uniform(full_speed: u16, friction: Friction) -> Self {
        Self {
            full_speed: [full_speed; 2],
            straight: [[friction; 2]; 2],
            turning: [[friction; 2]; 2],
        }
    }

    /// Returns whether all values are plausible.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        let mut wheel = 0;
        while wheel < 2 {
            if self.full_speed[wheel] < 300 || self.full_speed[wheel] > 3_000 {
                return false;
            }
            let mut direction = 0;
            while direction < 2 {
                if self.straight[wheel][direction].breakaway > 400
                    || self.straight[wheel][direction].kinetic > 400
                    || self.turning[wheel][direction].breakaway > 400
                    || self.turning[wheel][direction].kinetic > 400
                {
                    return false;
                }
                direction += 1;
            }
            wheel += 1;
        }
        true
    }
}

/// Pulse widths at which walls are detected.
///
/// A receiver detects a wall at a distance from some pulse width on. How wide that is depends on the wall, the
/// LEDs and the receiver; how it grows with the distance is the same for all: a law, by the widths at
/// [`MID_UM`](Self::MID_UM) and [`FAR_UM`](Self::FAR_UM) relative to that at [`NEAR_UM`](Self::NEAR_UM).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct WallCalibration {
    /// Narrowest pulses that detect a wall at [`NEAR_UM`](Self::NEAR_UM), in nanoseconds: left, front and
    /// right receiver, each by the left and the right LEDs.
    pub near_ns: [[u16; 2]; 3],
    /// Width at [`MID_UM`](Self::MID_UM), in per cent of that at [`NEAR_UM`](Self::NEAR_UM).
    pub mid_percent: u16,
    /// Width at [`FAR_UM`](Self::FAR_UM), in per cent of that at [`NEAR_UM`](Self::NEAR_UM).
    pub far_percent: u16,
}

impl WallCalibration {
    /// Distance from a receiver to a wall of the robot's cell, in micrometres.
    pub const NEAR_UM: i32 = 39_000;
    /// Half a cell further.
    pub const MID_UM: i32 = Self::NEAR_UM + 90_000;
    /// A cell further: the wall of the next cell.
    pub const FAR_UM: i32 = Self::NEAR_UM + 180_000;
    /// Law of light that spreads in all directions: twice the distance needs four times the light.
    pub const MID_PERCENT: u16 = 1094;
    /// As [`MID_PERCENT`](Self::MID_PERCENT), at [`FAR_UM`](Self::FAR_UM).
    pub const FAR_PERCENT: u16 = 3153;

    /// Returns whether all values are plausible.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        let mut receiver = 0;
        while receiver < self.near_ns.len() {
            let [left, right] = self.near_ns[receiver];
            if left < 10 || left > 9_000 || right < 10 || right > 9_000 {
                return false;
            }
            receiver += 1;
        }
        // From a light that hardly spreads to one that is absorbed as well.
        self.mid_percent >= 200
            && self.mid_percent <= 5_000
            && self.far_percent >= self.mid_percent + self.mid_percent / 4
            && self.far_percent <= 20_000
    }

    /// Distance at which a pulse of a width is just detected by a receiver and LEDs whose width at
    /// [`NEAR_UM`](Self::NEAR_UM) is `near_ns`, in micrometres.
    #[must_use]
    pub fn distance(&self, near_ns: u16, width_ns: u16) -> i32 {
        let root = root(u64::from(width_ns) * 100, u64::from(near_ns));
        let [near, mid, far] = self.roots();
        let (from, to, start, length) = if root <= near {
            (0, near, 0, Self::NEAR_UM)
        } else if root <= mid {
            (near, mid, Self::NEAR_UM, Self::MID_UM - Self::NEAR_UM)
        } else {
            (mid, far, Self::MID_UM, Self::FAR_UM - Self::MID_UM)
        };
        // At most 60 times a cell.
        start + (i64::from(root - from) * i64::from(length) / i64::from(to - from)) as i32
    }

    /// Width of a pulse that is just detected at a distance, in nanoseconds; the inverse of
    /// [`distance`](Self::distance).
    #[must_use]
    pub fn width_ns(&self, near_ns: u16, distance_um: i32) -> u16 {
        let [near, mid, far] = self.roots();
        let (from, to, start, length) = if distance_um <= Self::NEAR_UM {
            (0, near, 0, Self::NEAR_UM)
        } else if distance_um <= Self::MID_UM {
            (near, mid, Self::NEAR_UM, Self::MID_UM - Self::NEAR_UM)
        } else {
            (mid, far, Self::MID_UM, Self::FAR_UM - Self::MID_UM)
        };
        let part = i64::from(distance_um - start) * i64::from(to - from) / i64::from(length);
        let root = (i64::from(from) + part) as u64;
        // The root is less than 2^24 and the width less than 2^14.
        let width = (((root * root) * u64::from(near_ns)) >> 32) / 100;
        width.min(u16::MAX.into()) as u16
    }

    /// Square roots of the widths at the three distances, in per cent, with 16 binary places.
    fn roots(&self) -> [u32; 3] {
        [100, self.mid_percent, self.far_percent].map(|percent| root(percent.into(), 1))
    }
}

/// Square root of a quotient, with 16 binary places.
fn root(dividend: u64, divisor: u64) -> u32 {
    ((dividend << 32) / divisor).isqrt() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAWS: [(u16, u16); 3] = [
        (WallCalibration::MID_PERCENT, WallCalibration::FAR_PERCENT),
        (500, 1000),
        (2000, 9000),
    ];

    #[test]
    fn width_and_distance_are_inverse_under_any_law() {
        for (mid_percent, far_percent) in LAWS {
            let walls = WallCalibration {
                near_ns: [[300; 2]; 3],
                mid_percent,
                far_percent,
            };
            assert!(walls.is_valid());
            for near_ns in [150, 300, 1300] {
                for mm in (20..250).step_by(7) {
                    let width = walls.width_ns(near_ns, mm * 1000);
                    if width > 9_000 {
                        continue;
                    }
                    let distance = walls.distance(near_ns, width);
                    // A nanosecond is up to 1.3 % of a width, and half of that of a distance.
                    assert!(
                        (distance - mm * 1000).abs() <= 12 * mm,
                        "{mm} mm: {distance}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_default_law_is_the_inverse_square() {
        let walls = WallCalibration {
            near_ns: [[300; 2]; 3],
            mid_percent: WallCalibration::MID_PERCENT,
            far_percent: WallCalibration::FAR_PERCENT,
        };
        for times in 2..6_u16 {
            let distance = walls.distance(300, 300 * times * times);
            let expected = i32::from(times) * WallCalibration::NEAR_UM;
            assert!((distance - expected).abs() < 300, "{distance}");
        }
    }
}
