//! Runs calibration routines.

use super::{MissionExecutive, Step};
use crate::{
    calibration::Calibration,
    calibrator::{Failed, Progress, Routine},
    signals::StoreRequest,
};

impl MissionExecutive<'_> {
    /// Returns whether wall sensing is calibrated.
    pub(super) fn is_calibrated(&self) -> bool {
        self.signals.calibration().is_measured(Routine::Walls)
    }

    pub(super) fn save_calibration(&mut self, calibration: Calibration) {
        self.signals.set_calibration(calibration);
        self.signals.send_calibration();
        self.request_store(StoreRequest::SaveCalibration);
    }

    /// Runs the calibration routine.
    pub(super) fn calibrate(&mut self) {
        let Some(calibrator) = &mut self.calibrator else {
            self.step = Step::Rest;
            return;
        };
        let routine = calibrator.routine();
        match calibrator.tick(self.signals, self.now) {
            Ok(None) => {
                let waiting = Progress::Waiting(routine);
                if calibrator.is_waiting() && self.signals.progress() != waiting {
                    self.signals.set_progress(waiting);
                }
            }
            Ok(Some(calibration)) => {
                self.calibrator = None;
                self.save_calibration(calibration);
                self.signals.set_progress(Progress::Done(routine));
            }
            Err(Failed) => {
                self.calibrator = None;
                self.signals.stop();
                self.signals.set_progress(Progress::Failed(routine));
                self.step = Step::Rest;
            }
        }
    }

    /// Drops a calibration routine.
    pub(super) fn cancel_calibration(&mut self) {
        if let Some(calibrator) = self.calibrator.take() {
            let failed = Progress::Failed(calibrator.routine());
            self.signals.set_progress(failed);
        }
    }
}
