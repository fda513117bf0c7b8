//! Observations: sensed walls are checked and written to the map.

use planner_core::{Cell, Side, map::Occupancy};

use super::{
    MissionExecutive, Step,
    map::{observe_wall, wall},
};
use crate::{
    config::{
        BIAS_LIFETIME, BIAS_LIFETIME_DEAD_END, CONFIRMING_FIXES, LOST_DOUBT, MISSING_ENDS,
        SAVE_AFTER, SAVE_AFTER_DEAD_END, SAVES_PER_MISSION, SENSE_RETRIES, VOTES, WALL_UNSEEN,
    },
    fault::Fault,
    log::debug,
    mission::Activity,
    motion::CellSize,
    navigator::Navigator,
    robot::Distances,
    signals::WallReading,
    telemetry::Frame,
};

impl MissionExecutive<'_> {
    /// Senses from here if a mission is active, once the robot is still at its start; rests otherwise.
    pub(super) fn begin_sensing(&mut self) {
        match self.activity {
            Activity::Starting => {
                let since = self.now;
                self.step = Step::Start { since };
            }
            Activity::Going | Activity::NoPath => self.sense_again(0),
            _ => self.step = Step::Rest,
        }
    }

    pub(super) fn sense_again(&mut self, tries: u8) {
        let reading = self.signals.wall_reading.try_get();
        let count = reading.map_or(0, |reading| reading.count);
        self.step = Step::Sense {
            until: count.wrapping_add(VOTES as u32),
            tries,
        };
    }

    /// Maps the walls around a standing robot.
    pub(super) fn sense(&mut self, reading: &WallReading, tries: u8, navigator: &mut Navigator) {
        if reading.front == Occupancy::Unknown && tries < SENSE_RETRIES {
            self.sense_again(tries + 1);
            return;
        }
        if !self.is_plausible(reading) {
            self.sense_again(tries);
            return;
        }
        // A false reading is gone by now; a wall that the robot has driven against is still there.
        if core::mem::take(&mut self.may_have_touched)
            && self.is_calibrated()
            && reading.front == Occupancy::Blocked
        {
            self.lose(Fault::Lost);
            return;
        }
        let place = (self.at, self.heading);
        if self.misses_wall(reading.front, place, navigator) {
            let since = *self.wall_unseen.get_or_insert(self.now);
            if self.now.saturating_duration_since(since) < WALL_UNSEEN {
                self.sense_again(0);
                return;
            }
        }
        // It was blinded: what it saw free may be blocked.
        let was_blinded = self.wall_unseen.is_some() && reading.front == Occupancy::Blocked;
        if was_blinded && !self.take_back_walls(navigator) {
            self.sense_again(0);
            return;
        }
        self.wall_unseen = None;
        if !self.map_walls(reading, place, navigator) {
            return;
        }
        // A robot in a dead end turns anyway.
        let is_dead_end = self.is_dead_end((self.at, self.heading), navigator);
        if self.is_save_due(is_dead_end) {
            self.saves += 1;
            self.save();
        } else if self.is_bias_due(is_dead_end) {
            let since = self.now;
            self.step = Step::LearnBias { since };
        } else {
            self.decide(self.now, navigator);
        }
    }

    /// Maps the walls ahead, left and right of a robot in a cell with a heading; returns `false` if they show that
    /// it is lost.
    pub(super) fn map_walls(
        &mut self,
        reading: &WallReading,
        (at, heading): (Cell, Side),
        navigator: &mut Navigator,
    ) -> bool {
        let drive = self.signals.drive_state();
        self.is_careful &= drive.fixes < CONFIRMING_FIXES || self.is_unsure();
        let doubt = self.doubt;
        self.check_map(reading, (at, heading), navigator);
        if self.doubt <= doubt {
            // What contradicts the map confirms nothing.
            self.unconfirmed.confirm(drive.fixes);
            self.edges_ahead.confirm(drive.fixes, self.now);
        }
        self.check_ends(reading, (at, heading), navigator);
        if self.doubt >= LOST_DOUBT || self.missing_ends >= MISSING_ENDS {
            self.lose(Fault::Lost);
            return false;
        }
        let Distances { front, left, right } = reading.distances;
        let cell = CellSize::mm(self.cell_mm);
        let side_um = cell.side_near_um();
        for (side, sensed, distance, wall_um) in [
            (heading, reading.front, front, cell.front_near_um()),
            (heading.left(), reading.left, left, side_um),
            (heading.right(), reading.right, right, side_um),
        ] {
            let is_ahead = side == heading;
            let occupancy = match sensed {
                // The last motion proved otherwise.
                Occupancy::Free if is_ahead && self.was_blocked => continue,
                // An undecided edge ahead is not entered.
                Occupancy::Unknown if is_ahead => Occupancy::Blocked,
                Occupancy::Unknown => continue,
                decided => decided,
            };
            let before = wall(navigator, at, side);
            self.observe((at, side), occupancy, navigator);
            let is_new = before != Occupancy::Free && wall(navigator, at, side) == Occupancy::Free;
            if is_ahead && is_new {
                self.edges_ahead.push(at, side, before, self.now);
            }
            // On the move, thresholds are further apart than the wall is from what is before it.
            let is_wall =
                !drive.is_at_rest || distance.is_some_and(|distance| distance.is_within(wall_um));
            if occupancy == Occupancy::Blocked && !is_wall {
                self.mark_temporary((at, side), navigator);
            }
        }
        true
    }

    pub(super) fn observe(
        &mut self,
        (cell, side): (Cell, Side),
        occupancy: Occupancy,
        navigator: &mut Navigator,
    ) {
        let before = wall(navigator, cell, side);
        if !observe_wall(navigator, cell, side, occupancy) {
            return;
        }
        debug!("wall {},{} {}: {}", cell.x, cell.y, side, occupancy);
        self.unsaved = self.unsaved.saturating_add(1);
        let fixes = self.signals.drive_state().fixes;
        self.unconfirmed.push(cell, side, before, fixes);
        self.signals.send(Frame::Wall(cell, side, occupancy));
        if (before, occupancy) == (Occupancy::Free, Occupancy::Blocked) {
            self.mark_temporary((cell, side), navigator);
        }
    }

    /// Returns whether the walls sensed at rest are usable. Those of an uncalibrated robot are checked, and a fault stops
    /// it if its receivers see further or less far than guessed.
    fn is_plausible(&mut self, reading: &WallReading) -> bool {
        if self.is_calibrated() {
            return true;
        }
        let (place, cell) = ((self.at, self.heading), CellSize::mm(self.cell_mm));
        let checked = self.plausibility.update(reading, place, cell);
        checked.unwrap_or_else(|fault| {
            self.signals.raise(fault);
            false
        })
    }

    /// Returns whether a cell that is entered with a heading has no other exit.
    fn is_dead_end(&self, (at, heading): (Cell, Side), navigator: &Navigator) -> bool {
        let sides = [heading.left(), heading, heading.right()];
        let is_blocked = |side| wall(navigator, at, side) == Occupancy::Blocked;
        sides.into_iter().all(is_blocked)
    }

    /// Returns whether the map is to be saved at the next stop.
    pub(super) fn is_save_due(&self, is_dead_end: bool) -> bool {
        let after = if is_dead_end {
            SAVE_AFTER_DEAD_END
        } else {
            SAVE_AFTER
        };
        self.unsaved >= after && self.saves < SAVES_PER_MISSION
    }

    /// Returns whether the robot is to learn its gyro bias at the next stop.
    pub(super) fn is_bias_due(&self, is_dead_end: bool) -> bool {
        let lifetime = if is_dead_end {
            BIAS_LIFETIME_DEAD_END
        } else {
            BIAS_LIFETIME
        };
        self.now.saturating_duration_since(self.bias_learned) >= lifetime
    }
}
