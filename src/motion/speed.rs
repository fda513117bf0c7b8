//! Speed levels, and the limits of motions at each.

use crate::calibration::Calibration;

/// Speed level of the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum SpeedLevel {
    /// While wall sensing is not calibrated, or the place in the cell is not known: a contact does no harm.
    #[default]
    Careful,
    /// While the position is uncertain.
    Slow,
    /// Among walls that are sensed on the move.
    Search,
    /// Over known cells.
    Normal,
    /// Over known cells, after a run at the normal speed.
    Fast,
}

impl SpeedLevel {
    /// Level of the run after one that succeeded.
    #[must_use]
    pub const fn faster(self) -> Self {
        match self {
            Self::Careful | Self::Slow => Self::Search,
            Self::Search => Self::Normal,
            Self::Normal | Self::Fast => Self::Fast,
        }
    }

    /// Level of the run after one that failed.
    #[must_use]
    pub const fn slower(self) -> Self {
        match self {
            Self::Fast => Self::Normal,
            Self::Normal | Self::Search | Self::Slow | Self::Careful => Self::Search,
        }
    }
}

/// Limits of motions on a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpeedLimits {
    /// Speed on a straight line, in mm/s.
    pub straight_mm_s: i32,
    /// Speed in smooth turns, in mm/s.
    pub turn_mm_s: i32,
    /// Acceleration and deceleration, in mm/s².
    pub acceleration_mm_s2: i32,
}

impl SpeedLimits {
    /// The limits, reduced to what the motors can follow: two thirds of their top speed on a straight line. In a smooth
    /// turn of the usual radius the outer wheel is 1.8 times as fast as the robot.
    #[must_use]
    pub fn within(self, calibration: &Calibration) -> Self {
        let [left, right] = calibration.motors.full_speed;
        let full = i32::from(left.min(right));
        Self {
            straight_mm_s: self.straight_mm_s.min(full * 2 / 3),
            turn_mm_s: self.turn_mm_s.min(full * 3 / 8),
            ..self
        }
    }
}
