//! Wheels and gyro: what they count over a distance and over turns that a person measures.

use super::{DISTANCE_UM, Failed, TURNS_MDEG};
use crate::{calibration::Calibration, signals::Signals};

/// Encoder counts and turn by the gyro at the start and at the end, and what the person measured.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wheels {
    from: Mark,
    to: Mark,
    /// Distance in micrometres, or angle in mdeg.
    measured: Option<i32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    counts: [i32; 2],
    turned_mdeg: i32,
}

impl Wheels {
    /// Notes where the motion starts.
    pub(super) fn mark_start(&mut self, signals: &Signals) {
        self.from = Mark::here(signals);
    }

    /// Notes where the motion ends.
    pub(super) fn mark_end(&mut self, signals: &Signals) {
        self.to = Mark::here(signals);
    }

    /// Takes the value that a person measured.
    pub(super) fn measure(&mut self, value: i32) {
        self.measured = Some(value);
    }

    /// Returns whether a value was measured. The hand may have turned the robot meanwhile, until it lines up.
    pub(super) fn is_measured(&mut self, signals: &Signals) -> bool {
        if self.measured.is_some() {
            self.to.turned_mdeg = signals.drive_sample().turned_mdeg;
        }
        self.measured.is_some()
    }

    /// Calibration by a distance.
    pub(super) fn by_distance(&self, calibration: &mut Calibration) -> Result<(), Failed> {
        let measured = self.measured.filter(|um| (500_000..2_000_000).contains(um));
        let measured = i64::from(measured.ok_or(Failed)?);
        let nm = i64::from(calibration.nm_per_count) * measured / i64::from(DISTANCE_UM);
        calibration.nm_per_count = nm as u32;
        Ok(())
    }

    /// Calibration by turns in place.
    pub(super) fn by_turns(&self, calibration: &mut Calibration) -> Result<(), Failed> {
        let measured = self.measured.ok_or(Failed)?;
        let by_gyro = self.to.turned_mdeg.wrapping_sub(self.from.turned_mdeg);
        if !(TURNS_MDEG / 2..TURNS_MDEG * 2).contains(&by_gyro) {
            return Err(Failed);
        }
        let scale = 1_000_000 + calibration.gyro_ppm;
        let scale = i64::from(scale) * i64::from(measured) / i64::from(by_gyro);
        calibration.gyro_ppm = (scale - 1_000_000) as i32;
        // The wheels, over what the robot turned by itself.
        let [left, right] =
            [0, 1].map(|wheel: usize| self.to.counts[wheel].wrapping_sub(self.from.counts[wheel]));
        let nm = i64::from(left.wrapping_sub(right)) * i64::from(calibration.nm_per_count);
        let turned = i64::from(TURNS_MDEG) * i64::from(measured) / i64::from(by_gyro);
        calibration.track_um = (nm / 1000 * 57_296 / turned.max(1)) as u32;
        Ok(())
    }
}

impl Mark {
    fn here(signals: &Signals) -> Self {
        let sample = signals.drive_sample();
        Self {
            counts: sample.counts,
            turned_mdeg: sample.turned_mdeg,
        }
    }
}
