//! Calibration routines, gears, and a reset of all that was measured.

use super::{Lines, line};
use crate::{
    calibration::Gear,
    calibrator::{DISTANCE_UM, Progress, Routine, TURNS_MDEG},
    signals::Signals,
    telemetry::Command,
};

/// Page of the calibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalibrationPage {
    /// A starts the routine, or ends it with the nominal value.
    Routine(Routine),
    /// A changes the gears.
    Gear,
    /// A resets the calibration.
    Reset,
}

impl CalibrationPage {
    /// Command of button A.
    pub fn command(self, signals: &Signals) -> Command {
        match self {
            Self::Routine(routine) if signals.progress() == Progress::Waiting(routine) => {
                Command::Measured(match routine {
                    Routine::Turns => TURNS_MDEG,
                    _ => DISTANCE_UM,
                })
            }
            Self::Routine(routine) => Command::Calibrate(routine),
            Self::Gear => Command::SetGear(match Gear::of(&signals.calibration()) {
                Gear::Ratio50 => Gear::Ratio75,
                Gear::Ratio75 => Gear::Ratio100,
                Gear::Ratio100 => Gear::Ratio50,
            }),
            Self::Reset => Command::ResetCalibration,
        }
    }

    /// Shows the page.
    pub fn show(self, signals: &Signals, [title, first, second, third]: &mut Lines) {
        let calibration = signals.calibration();
        match self {
            Self::Routine(routine) => {
                line!(title, "measure {}", routine.name());
                line!(
                    first,
                    "{}",
                    match routine {
                        Routine::Motors => "30 cm free",
                        Routine::Turns => "mark ahead",
                        Routine::Distance => "1 m tape ahead",
                        Routine::Walls => "between 2 walls",
                        Routine::Range => "wall ahead",
                    }
                );
                let state = match signals.progress() {
                    Progress::Running(at) if at == routine => "running  B stop",
                    Progress::Waiting(at) if at == routine => match routine {
                        Routine::Turns => "line up, then A",
                        _ => "A if 1000 mm",
                    },
                    Progress::Failed(at) if at == routine => "failed",
                    _ if calibration.is_measured(routine) => "measured",
                    _ => "not measured",
                };
                line!(second, "{state}");
                line!(third, "A start   C next");
            }
            Self::Gear => {
                line!(title, "gears");
                line!(first, "{}", Gear::of(&calibration).name());
                line!(second, "{} nm/count", calibration.nm_per_count);
                line!(third, "A change  C next");
            }
            Self::Reset => {
                line!(title, "forget all");
                line!(first, "measurements");
                line!(third, "A yes     C next");
            }
        }
    }
}
