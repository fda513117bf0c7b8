//! Route of a robot that drives: cells are sensed and exits decided on the move.

use planner_core::{Cell, Decision, Side, explore::Phase, map::Occupancy};

use super::{MissionExecutive, map::wall};
use crate::{
    config::{CLEAR_UM, DECIDE_BEHIND_EDGE_UM, EXITS, UNSURE_UM},
    log::debug,
    motion::{CellSize, SpeedLevel},
    navigator::Navigator,
    robot::Distances,
    signals::{DriveState, Exit, MotionCommand, MotionResult, RouteEnd, WallReading, turned},
    telemetry::Frame,
};

impl MissionExecutive<'_> {
    /// Gives the undecided cell an exit to an adjacent cell, which is then undecided.
    pub(super) fn leave(&mut self, side: Side, next: Cell, navigator: &Navigator) {
        let (cell, heading, number) = self.undecided;
        debug!("from {},{} to {},{}", cell.x, cell.y, next.x, next.y);
        let level = match navigator.phase() {
            _ if self.is_careful => SpeedLevel::Careful,
            Phase::Run => self.run_level,
            _ => SpeedLevel::Search,
        };
        let number = number.wrapping_add(1);
        self.undecided = (next, side, number);
        self.signals.set_cell(number, next, side);
        self.signals.send(Frame::Next(next));
        self.send_motion(MotionCommand::Leave(Exit::between(heading, side), level));
    }

    /// Drives a route: takes in the walls on the move, and decides how to leave the undecided cell before the robot
    /// must brake for it.
    pub(super) fn drive(&mut self, navigator: &mut Navigator) {
        let drive = self.signals.drive_state();
        let (cell, heading) = self.signals.cell(drive.cell);
        if let Some(side) = Side::between(self.at, cell) {
            self.edges_ahead.cross(self.at, side, drive.fixes);
        }
        (self.at, self.heading) = (cell, turned(heading, drive.quarters));
        match self.signals.motion_result.try_take() {
            None | Some(MotionResult::Done(_)) => {
                // The state was read before, so an obstacle would be known.
                let is_at_end = drive.cell == self.undecided.2 || self.is_revoked;
                if drive.is_at_rest && is_at_end {
                    self.count_late(!self.stops);
                    self.begin_sensing();
                    return;
                }
            }
            Some(MotionResult::Blocked(end)) => {
                self.end_route(end);
                let edge = (self.at, self.heading);
                self.observe(edge, Occupancy::Blocked, navigator);
                self.mark_temporary(edge, navigator);
                self.was_blocked = true;
                return;
            }
            Some(MotionResult::Stopped(end)) => {
                self.approaches = true;
                self.end_route(end);
                return;
            }
            Some(MotionResult::Lost(fault)) => {
                self.lose(fault);
                return;
            }
        }
        // The guesses for an uncalibrated robot are wrong on the move: it stops in each cell, and looks.
        if !self.is_calibrated() {
            self.stops = true;
            self.plan(self.undecided.0, navigator);
            return;
        }
        if let Some(reading) = self.signals.wall_reading.try_get()
            && !self.sense_on_the_move(&reading, navigator)
        {
            return;
        }
        self.extend_route(&drive, navigator);
    }

    /// Maps the walls of a cell, once per cell, when the robot is far enough in it and all three are decided;
    /// returns `false` if they show that it is lost.
    fn sense_on_the_move(&mut self, reading: &WallReading, navigator: &mut Navigator) -> bool {
        let edge = CellSize::mm(self.cell_mm).um() / 2;
        let walls = [reading.front, reading.left, reading.right];
        let is_decided = !walls.contains(&Occupancy::Unknown);
        let is_inside = reading.forward_um >= DECIDE_BEHIND_EDGE_UM - edge;
        let is_ahead = self.undecided.2.wrapping_sub(reading.cell) < EXITS as u8;
        let is_new = self.sensed != Some(reading.cell) && !reading.is_turned;
        if !(is_new && is_decided && is_inside && is_ahead) {
            return true;
        }
        self.sensed = Some(reading.cell);
        let place = self.signals.cell(reading.cell);
        if self.misses_wall(reading.front, place, navigator) {
            // Stops in front of it, and looks.
            self.stop_at(reading.cell);
            return true;
        }
        if !self.map_walls(reading, place, navigator) {
            return false;
        }
        let clear_um = CellSize::mm(self.cell_mm).between_um(CLEAR_UM);
        let Distances { left, right, .. } = reading.distances;
        self.is_clear = [left, right].map(|distance| {
            distance.is_some_and(|range| !range.is_in_range() || range.is_beyond(clear_um))
        });
        let (cell, heading) = place;
        let (_, side) = self.signals.cell(reading.cell.wrapping_add(1));
        let has_exit = reading.cell != self.undecided.2;
        let is_free = wall(navigator, cell, side) == Occupancy::Free;
        if has_exit && !(is_free && self.is_clear_to(heading, side)) {
            debug!("route is blocked at {},{}", cell.x, cell.y);
            self.stop_at(reading.cell);
        }
        true
    }

    /// Revokes the exits of a cell of the route and of those behind it.
    fn stop_at(&mut self, number: u8) {
        let (cell, heading) = self.signals.cell(number);
        self.undecided = (cell, heading, number);
        (self.stops, self.is_revoked) = (true, true);
        self.send_motion(MotionCommand::Revoke(number));
    }

    /// Returns whether nothing was seen in the cell to a side, if the robot turns there.
    fn is_clear_to(&self, heading: Side, side: Side) -> bool {
        let [left, right] = self.is_clear;
        match Exit::between(heading, side) {
            Exit::Left => left,
            Exit::Right => right,
            // The front receiver sees it, or the robot stops anyway.
            Exit::Ahead | Exit::Back => true,
        }
    }

    /// Decides how to leave the undecided cell, if its walls are known.
    fn extend_route(&mut self, drive: &DriveState, navigator: &mut Navigator) {
        let (cell, heading, number) = self.undecided;
        let ahead = number.wrapping_sub(drive.cell);
        let is_due = ahead == 0;
        self.approaches &= !is_due;
        if self.approaches || usize::from(ahead) + 1 >= EXITS {
            return;
        }
        let decision = self.plan(cell, navigator);
        let is_sensed = self.sensed == Some(number);
        // A run leads over known edges: what the robot senses beside them changes nothing.
        let is_run = navigator.phase() == Phase::Run;
        let sides = [heading, heading.left(), heading.right()];
        let is_unknown = |side| wall(navigator, cell, side) == Occupancy::Unknown;
        if self.stops || (!is_sensed && !is_run && sides.into_iter().any(is_unknown)) {
            return;
        }
        let next = match decision {
            Decision::Step(next) => next,
            Decision::Wait => return,
            Decision::Arrived | Decision::Unreachable => {
                self.stops = true;
                return;
            }
        };
        let Some(side) = Side::between(cell, next) else {
            return;
        };
        let is_dead_end = side == heading.opposite();
        // A run stops for nothing.
        let is_stop_due =
            !is_run && (self.is_save_due(is_dead_end) || self.is_bias_due(is_dead_end));
        if is_due && (is_stop_due || self.is_unsure()) {
            self.stops = true;
            return;
        }
        if is_sensed && !self.is_clear_to(heading, side) {
            // Turns in place, and looks.
            self.stops = true;
        } else if wall(navigator, cell, side) == Occupancy::Free {
            let is_late = is_due && drive.pose.forward_um > -self.board.turn.entry_um();
            self.count_late(is_late);
            self.leave(side, next, navigator);
        }
    }

    /// Returns whether the position is so uncertain that the robot stops in every cell.
    pub(super) fn is_unsure(&self) -> bool {
        self.signals.drive_state().uncertainty.position_um() > UNSURE_UM
    }

    /// Counts a decision on a route, and whether it came too late for a smooth turn.
    fn count_late(&mut self, is_late: bool) {
        self.load.decisions = self.load.decisions.saturating_add(1);
        self.load.late = self.load.late.saturating_add(u16::from(is_late));
    }

    /// Continues where an obstacle ended the route.
    fn end_route(&mut self, end: RouteEnd) {
        let RouteEnd {
            from,
            quarters,
            cells,
            may_have_touched,
        } = end;
        self.may_have_touched = may_have_touched;
        let (cell, heading) = self.signals.cell(from);
        (self.at, self.heading) = (cell, turned(heading, quarters));
        let side = if cells < 0 {
            self.heading.opposite()
        } else {
            self.heading
        };
        for _ in 0..cells.unsigned_abs() {
            self.at = self.at.neighbor(side).unwrap_or(self.at);
        }
        self.signals
            .set_cell(from.wrapping_add_signed(cells), self.at, self.heading);
        self.send_motion(MotionCommand::AcceptExits);
        self.begin_sensing();
    }
}
