//! Commands of a person or a program.

use super::{MissionExecutive, Step, start::default_mission};
use crate::{
    calibrator::{Calibrator, Progress},
    config::{SPIN_PERMILLE, SPIN_TIME},
    mission::Mission,
    navigator::{self, Navigator},
    robot::Duty,
    settings::Settings,
    signals::{MotionCommand, StoreRequest},
    telemetry::{Command, Direction, Frame, Motor, Refusal},
};

impl MissionExecutive<'_> {
    /// Executes a command.
    ///
    /// # Errors
    /// The command is refused, and nothing has changed.
    pub fn execute(&mut self, command: Command, navigator: &mut Navigator) -> Result<(), Refusal> {
        let is_safe = matches!(
            command,
            Command::Stop | Command::ClearFault | Command::PlacedAtHome
        );
        if self.signals.fault().is_some() && !is_safe {
            return Err(Refusal::Faulty);
        }
        match command {
            Command::SetGoal(cell) => {
                if self.is_active() && matches!(self.mission, Mission::GoTo(_)) {
                    navigator.go_to(&[cell]).map_err(|_| Refusal::Invalid)?;
                    self.signals.set_goals(&[cell]);
                }
                self.mission = Mission::GoTo(cell);
            }
            Command::SetMission(mission) => {
                if self.is_active() {
                    return Err(Refusal::Moving);
                }
                self.mission = mission;
            }
            Command::Start => {
                if self.is_active() {
                    return Err(Refusal::Moving);
                }
                self.start(navigator)?;
            }
            Command::Home => {
                let before = core::mem::replace(&mut self.mission, Mission::Home);
                if let Err(refusal) = self.start(navigator) {
                    self.mission = before;
                    return Err(refusal);
                }
            }
            Command::Stop => {
                self.signals.stop();
                self.stop();
            }
            Command::ClearFault => self.clear_fault(),
            Command::PlacedAtHome => {
                if self.activity.is_active() {
                    return Err(Refusal::Moving);
                }
                self.clear_fault();
                // At once, since the robot stands: they were sensed before its pose was lost.
                while self.is_lost && !self.take_back_walls(navigator) {}
                self.reset_to_home();
            }
            Command::SetSettings(settings) => self.set_settings(settings, navigator)?,
            Command::Spin(motor, direction) => {
                self.check_standing()?;
                self.spin(motor, direction);
            }
            Command::RestartToBootloader => {
                self.check_standing()?;
                self.signals.restart_to_bootloader.signal(());
            }
            Command::ForgetMap => {
                self.check_standing()?;
                self.clear_map();
            }
            Command::SetCalibration(calibration) => {
                self.check_standing()?;
                if !calibration.is_valid() {
                    return Err(Refusal::Invalid);
                }
                self.save_calibration(calibration);
            }
            Command::ResetCalibration => {
                self.check_standing()?;
                self.save_calibration(self.board.calibration);
            }
            Command::SetGear(gear) => {
                self.check_standing()?;
                self.save_calibration(self.signals.calibration().with_gear(gear));
            }
            Command::GetCalibration => self.signals.send_calibration(),
            Command::Calibrate(routine) => {
                self.check_standing()?;
                (self.is_at_home, self.is_lost) = (false, true);
                self.rest();
                self.reset_pose();
                self.calibrator = Some(Calibrator::new(routine, self.now));
                self.signals.set_progress(Progress::Running(routine));
                self.step = Step::Calibrate;
            }
            Command::Measured(value) => match &mut self.calibrator {
                Some(calibrator) if calibrator.is_waiting() => calibrator.measure(value),
                _ => return Err(Refusal::Invalid),
            },
            // Answered by the report task.
            Command::GetMap => return Err(Refusal::Unknown),
        }
        Ok(())
    }

    fn clear_fault(&mut self) {
        if self.signals.fault().is_some() {
            self.signals.reset_fault();
            self.signals.send(Frame::Cleared);
        }
        self.rest();
    }

    /// Resets cell and pose after a person has put the robot at its home.
    fn reset_to_home(&mut self) {
        (self.at, self.heading) = self.home;
        (self.is_at_home, self.is_lost) = (true, false);
        (self.doubt, self.missing_ends, self.last_reading) = (0, 0, None);
        self.is_careful = false;
        self.reset_pose();
        self.rest();
    }

    fn check_standing(&self) -> Result<(), Refusal> {
        if self.is_active() || self.step != Step::Rest {
            Err(Refusal::Moving)
        } else {
            Ok(())
        }
    }

    fn set_settings(
        &mut self,
        settings: Settings,
        navigator: &mut Navigator,
    ) -> Result<(), Refusal> {
        self.check_standing()?;
        if !settings.is_valid() {
            return Err(Refusal::Invalid);
        }
        if !settings.fits(self.board) {
            return Err(Refusal::CellTooSmall);
        }
        let field = settings.field;
        let before = self.signals.settings();
        let is_new_map = (field, settings.cell_mm) != (before.field, before.cell_mm);
        if is_new_map {
            // Fails only for an invalid field.
            navigator::begin(navigator, field).map_err(|_| Refusal::Invalid)?;
            self.temporary_obstacles.clear();
            self.unconfirmed.clear();
            self.edges_ahead.clear();
            self.home = (field.home, field.heading);
            self.cell_mm = settings.cell_mm;
            self.is_lost |= !self.is_at_home;
            if self.is_at_home {
                self.reset_to_home();
            } else {
                (self.at, self.heading) = self.home;
                self.rest();
            }
            self.signals.send(Frame::Forgotten);
        }
        self.mission = default_mission(&settings);
        self.signals.send(Frame::Settings(settings.clone()));
        self.signals.set_settings(settings);
        self.request_store(if is_new_map {
            StoreRequest::DeleteMap
        } else {
            StoreRequest::SaveCalibration
        });
        Ok(())
    }

    /// Drives one motor; nothing knows where the robot is then.
    fn spin(&mut self, motor: Motor, direction: Direction) {
        let duty = Duty::permille(match direction {
            Direction::Forward => SPIN_PERMILLE,
            Direction::Backward => -SPIN_PERMILLE,
        });
        let duties = match motor {
            Motor::Left => [duty, Duty::default()],
            Motor::Right => [Duty::default(), duty],
        };
        (self.is_at_home, self.is_lost) = (false, true);
        self.rest();
        self.send_motion(MotionCommand::OpenLoop(
            duties,
            SPIN_TIME.as_millis() as u16,
        ));
    }

    fn clear_map(&mut self) {
        self.temporary_obstacles.clear();
        self.unconfirmed.clear();
        self.edges_ahead.clear();
        self.signals.send(Frame::Forgotten);
        self.step = Step::ClearMap { wall: 0 };
    }
}
