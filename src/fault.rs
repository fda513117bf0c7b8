//! Faults that stop the robot, with the codes shown on the display.

use serde::{Deserialize, Serialize};

/// Reason for which the robot stopped. It stays stopped until a person clears the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum Fault {
    /// The program panicked, and the robot was restarted.
    Panic = 1,
    /// The processor took a hard fault, and the robot was restarted.
    HardFault = 2,
    /// A task stopped checking in, and the watchdog restarted the robot.
    Watchdog = 3,
    /// A wheel is driven but does not follow.
    Stall = 4,
    /// Wheel odometry disagrees with the gyro.
    Slip = 5,
    /// No valid proximity reading for too long, readings of an uncalibrated robot that contradict each other, or a
    /// front receiver that sees nothing where a lost robot's side receivers see a wall.
    Proximity = 6,
    /// The encoders cannot be read.
    Encoder = 7,
    /// The gyro cannot be read.
    Gyro = 8,
    /// A planner tick missed its deadline.
    Deadline = 9,
    /// The battery is too low to drive.
    Battery = 10,
    /// A motion did not end in time.
    Motion = 11,
    /// The walls are not where the map or the odometry says, and the robot cannot tell its cell.
    Lost = 12,
}

impl Fault {
    /// All faults.
    pub const ALL: [Self; 12] = [
        Self::Panic,
        Self::HardFault,
        Self::Watchdog,
        Self::Stall,
        Self::Slip,
        Self::Proximity,
        Self::Encoder,
        Self::Gyro,
        Self::Deadline,
        Self::Battery,
        Self::Motion,
        Self::Lost,
    ];

    /// Fault code.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Fault with a code.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.code() == code)
    }

    /// Text on the display; fits a line.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Panic => "program panic",
            Self::HardFault => "hard fault",
            Self::Watchdog => "watchdog",
            Self::Stall => "wheel stalled",
            Self::Slip => "wheels slip",
            Self::Proximity => "proximity",
            Self::Encoder => "encoder",
            Self::Gyro => "gyro",
            Self::Deadline => "plan too slow",
            Self::Battery => "battery low",
            Self::Motion => "motion stuck",
            Self::Lost => "lost",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_codes_are_unique_and_texts_fit_the_display() {
        for fault in Fault::ALL {
            assert_eq!(Fault::from_code(fault.code()), Some(fault));
            assert!(fault.text().len() <= crate::robot::Screen::COLUMNS);
        }
        assert_eq!(Fault::from_code(0), None);
        assert_eq!(Fault::from_code(13), None);
    }
}
