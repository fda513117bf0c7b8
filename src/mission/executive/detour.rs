//! Detours to known walls, where the position has become uncertain.
//!
//! Without walls in view the uncertainty of the position grows with the travel. A robot therefore goes only as far from
//! the walls that it knows as it can return from, and corrects itself there before it goes on.

use planner_core::{Cell, Side, explore::Phase, map::Occupancy};

use super::{MissionExecutive, Step};
use crate::{
    config::{
        CORRECTED_UM, DETOUR_UM, DETOURS, DETOURS_PER_MISSION, FAILED_DETOURS, REFERENCE_STEPS,
        REFERENCED_UM,
    },
    fault::Fault,
    log::debug,
    mission::references::Position,
    motion::CellSize,
    navigator::Navigator,
};

/// Detour in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detour {
    /// Phase of the planner that goes on after it.
    phase: Phase,
    /// Largest uncertainty of the position so far, in micrometres.
    largest_um: i32,
}

impl MissionExecutive<'_> {
    /// Returns whether the robot can drive to a cell that is some steps ahead by its route, from there to the next one, and
    /// from there to walls that it knows, without becoming too uncertain of its position.
    ///
    /// Called once for each cell of a route: where no wall is near, it looks at all cells within [`REFERENCE_STEPS`].
    pub(super) fn can_return_from(
        &self,
        next: Cell,
        (from, steps): (Cell, u16),
        navigator: &Navigator,
    ) -> bool {
        // An uncalibrated robot does not know its walls well enough.
        if self.detour.is_some() || !self.is_calibrated() {
            return true;
        }
        let position = self.position().driven_along(from, steps).driven_to(next);
        position.is_certain_after(REFERENCE_STEPS)
            || self
                .best_reference(position, navigator)
                .is_none_or(|reference| reference.is_certain_after(0))
    }

    /// Sends the robot to walls that it knows; returns `false` if it knows none that correct its position, cannot reach
    /// them with certainty, or has been to some that did not correct it.
    pub(super) fn begin_detour(&mut self, navigator: &mut Navigator) -> bool {
        // What the walls around it correct is corrected.
        let position = self
            .position()
            .corrected_by(|side| self.is_reference(self.at, side, navigator));
        let Some(reference) = self.best_reference(position, navigator) else {
            return false;
        };
        // Where it cannot reach them, walls that it does not know may be nearer.
        let is_reached = self.detour.is_some() || reference.um() <= DETOUR_UM;
        let is_last = self.detours >= DETOURS || self.mission_detours >= DETOURS_PER_MISSION;
        let has_failed =
            self.failed_detours >= FAILED_DETOURS || (self.failed_detours > 0 && is_last);
        if reference.cell == self.at || has_failed || (!is_reached && position.is_yaw_uncertain) {
            return false;
        }
        if is_last || !is_reached {
            // Its position was corrected, and the goal is still too far from all walls.
            self.signals.raise(Fault::Lost);
            return true;
        }
        debug!("detour to {},{}", reference.cell.x, reference.cell.y);
        self.detours += 1;
        self.mission_detours += 1;
        self.detour.get_or_insert(Detour {
            phase: navigator.phase(),
            largest_um: position.um(),
        });
        // It is on the map.
        let _ = navigator.go_to(&[reference.cell]);
        self.step = Step::Decide { since: self.now };
        true
    }

    /// Goes on with the mission at the end of a detour, unless the other coordinate has to be corrected too.
    pub(super) fn end_detour(&mut self, navigator: &mut Navigator) {
        if self.position().um() <= REFERENCED_UM || !self.begin_detour(navigator) {
            self.resume(navigator);
            self.step = Step::Decide { since: self.now };
        }
    }

    /// Goes on with the mission if a wall has corrected the position during a detour.
    pub(super) fn resume_if_corrected(&mut self, navigator: &mut Navigator) {
        let um = self.position().um();
        if let Some(detour) = &mut self.detour {
            detour.largest_um = detour.largest_um.max(um);
            if um <= REFERENCED_UM && um + CORRECTED_UM < detour.largest_um {
                self.resume(navigator);
            }
        }
    }

    /// Goes on with the mission; counts the detour as failed if it has not corrected the pose.
    pub(super) fn resume(&mut self, navigator: &mut Navigator) {
        debug!("end of a detour");
        let position = self.position();
        let has_failed = position.um() > REFERENCED_UM || position.is_yaw_uncertain;
        self.failed_detours += u8::from(has_failed);
        // The goals were checked when the mission started.
        let _ = match self.detour.take() {
            Some(Detour { phase, .. }) if phase != Phase::Travel => navigator.resume(phase),
            _ => self.begin_planning(navigator),
        };
    }

    fn position(&self) -> Position {
        let uncertainty = self.signals.drive_state().uncertainty;
        let cell_um = CellSize::mm(self.cell_mm).um();
        Position::new(self.at, self.heading, &uncertainty, cell_um)
    }

    /// The best of the walls that correct a position.
    fn best_reference(&self, from: Position, navigator: &Navigator) -> Option<Position> {
        from.best_reference(|cell, side| self.is_reference(cell, side, navigator))
    }

    /// Returns whether there is a wall that corrects the position.
    fn is_reference(&self, cell: Cell, side: Side, navigator: &Navigator) -> bool {
        navigator.map().wall(cell, side) == Ok(Occupancy::Blocked)
            && !self.is_temporary(cell, side)
            && (self.has_outer_walls != Some(false) || !navigator.map().is_outer(cell, side))
    }
}
