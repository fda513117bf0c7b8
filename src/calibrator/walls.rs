//! Wall sensing: thresholds by sweeps of the pulse width, between two walls and before one.

use embassy_time::Duration;

use super::{Failed, PAUSE};
use crate::{calibration::WallCalibration, motion::CellSize, robot::Thresholds, signals::Signals};

/// Sweeps whose thresholds are averaged.
const SWEEPS: u32 = 4;
/// Distance to back up between two places before one wall, in micrometres.
pub(super) const BACK_UM: i32 = WallCalibration::MID_UM - WallCalibration::NEAR_UM;

/// Measured thresholds at one place.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// Sum of the widths, in nanoseconds.
    widths: [[u32; 2]; 3],
    /// Sweeps that detected anything.
    counts: [[u32; 2]; 3],
}

impl Sum {
    fn add(&mut self, thresholds: &Thresholds) {
        let widths = self.widths.as_flattened_mut().iter_mut();
        let counts = self.counts.as_flattened_mut().iter_mut();
        for ((sum, count), &width) in widths.zip(counts).zip(thresholds.as_flattened()) {
            if let Some(width) = width {
                *sum += u32::from(width);
                *count += 1;
            }
        }
    }

    /// Mean width; `None` unless every sweep detected something.
    fn mean(&self, receiver: usize, leds: usize) -> Option<u32> {
        let (sum, count) = (self.widths[receiver][leds], self.counts[receiver][leds]);
        (count == SWEEPS).then_some(sum / SWEEPS)
    }
}

/// Sweeps at up to four places.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sweeps {
    /// Sweeps at the current place.
    taken: u32,
    sums: [Sum; 4],
}

impl Sweeps {
    /// Takes [`SWEEPS`] sweeps after a pause, and pauses again; returns whether that is done.
    pub(super) fn tick(
        &mut self,
        place: usize,
        begins: bool,
        age: Duration,
        signals: &Signals,
    ) -> Result<bool, Failed> {
        if begins {
            self.taken = 0;
            signals.sweep_result.reset();
        }
        if age < PAUSE {
            return Ok(false);
        }
        match signals.sweep_result.try_take() {
            Some(None) => return Err(Failed),
            Some(Some(thresholds)) => {
                if let Some(sum) = self.sums.get_mut(place) {
                    sum.add(&thresholds);
                }
                self.taken += 1;
            }
            None if age > PAUSE * 20 => return Err(Failed),
            None => {}
        }
        if self.taken < SWEEPS {
            if !signals.is_sweeping() {
                signals.sweep_request.signal(());
            }
            return Ok(false);
        }
        // A motion needs a fresh reading.
        let reading = signals.wall_reading.try_get();
        Ok(reading.is_some_and(|reading| reading.taken.elapsed() < Duration::from_millis(30)))
    }

    /// Thresholds at a wall of this cell. Opposite walls are equally far from the centre, so that the mean
    /// of both does not depend on where between them the robot stands.
    pub(super) fn near_widths(
        &self,
        walls: &WallCalibration,
        cell: CellSize,
    ) -> Result<[[u16; 2]; 3], Failed> {
        // Widths at the wall of this cell, for one of a thousand at the distance of the calibration.
        let per_thousand = u32::from(walls.width_ns(1000, cell.receiver_um())).max(1);
        let mut near_ns = [[0; 2]; 3];
        for (receiver, widths) in near_ns.iter_mut().enumerate() {
            // The front receiver faces the walls after one quarter turn and after three.
            let [one, other] = if receiver == 1 { [1, 3] } else { [0, 2] };
            for (leds, width) in widths.iter_mut().enumerate() {
                let [a, b] = [one, other].map(|at: usize| self.sums[at].mean(receiver, leds));
                let (a, b) = (a.ok_or(Failed)?, b.ok_or(Failed)?);
                if a.max(b) > 3 * a.min(b) {
                    return Err(Failed);
                }
                // Widths grow with the square of the distance.
                let root = ((a << 8).isqrt() + (b << 8).isqrt()) / 2;
                let here = (root * root + 128) >> 8;
                *width = (here * 1000 / per_thousand).min(u16::MAX.into()) as u16;
            }
        }
        Ok(near_ns)
    }

    /// Fits the law of the thresholds by three distances from a wall ahead.
    pub(super) fn fit_law(
        &self,
        walls: &mut WallCalibration,
        cell: CellSize,
    ) -> Result<(), Failed> {
        const FRONT: usize = 1;
        let near_ns = walls.near_ns[FRONT];
        // Where the robot was put, by the thresholds between two walls.
        let mut at = 0;
        for (leds, &near) in near_ns.iter().enumerate() {
            let width = self.sums[0].mean(FRONT, leds).ok_or(Failed)?;
            at += walls.distance(near, width as u16) / 2;
        }
        if (at - cell.receiver_um()).abs() > cell.receiver_um() / 2 {
            return Err(Failed);
        }
        let percent = |place: usize, nominal: i32, from: i32| {
            let mut sum = 0;
            for (leds, &near) in near_ns.iter().enumerate() {
                sum += self.sums[place].mean(FRONT, leds)? * 50 / u32::from(near);
            }
            // To the nominal distance, by the inverse square.
            let (nominal, from) = (i64::from(nominal / 100), i64::from(from / 100));
            Some((i64::from(sum) * nominal * nominal / (from * from)) as u16)
        };
        // Dark walls are not seen that far; then the law stays.
        if let Some(mid) = percent(1, WallCalibration::MID_UM, at + BACK_UM) {
            walls.mid_percent = mid;
            let far = percent(2, WallCalibration::FAR_UM, at + 2 * BACK_UM);
            let ratio = u32::from(WallCalibration::FAR_PERCENT);
            walls.far_percent = far.unwrap_or_else(|| {
                (u32::from(mid) * ratio / u32::from(WallCalibration::MID_PERCENT)) as u16
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::ZUMO2040;

    #[test]
    fn walls_measured_in_cells_of_any_size_give_the_same_calibration() {
        let walls = ZUMO2040.calibration.walls;
        for mm in [168, 180, 200, 250] {
            let cell = CellSize::mm(mm);
            let mut sweeps = Sweeps::default();
            let swept = walls
                .near_ns
                .map(|widths| widths.map(|near| Some(walls.width_ns(near, cell.receiver_um()))));
            for sum in &mut sweeps.sums {
                for _ in 0..SWEEPS {
                    sum.add(&swept);
                }
            }
            let found = sweeps.near_widths(&walls, cell).unwrap();
            let pairs = found
                .as_flattened()
                .iter()
                .zip(walls.near_ns.as_flattened());
            for (found, expected) in pairs {
                assert!(found.abs_diff(*expected) <= 3, "{mm}: {found}, {expected}");
            }
        }
    }
}
