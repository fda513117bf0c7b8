//! End of a motion: tolerance, time and result.

use super::{
    ControlInput, MotionController,
    setpoint::{Motion, Purpose},
};
use crate::{
    config::{
        CENTER_TOLERANCE_UM, CONTROL_PERIOD, HEADING_TOLERANCE_MDEG, MOTION_TIMEOUT,
        OBSTACLE_MARGIN_UM, POSITION_TOLERANCE_UM, STILL_UM,
    },
    fault::Fault,
    signals::{MotionResult, RouteEnd},
};

impl MotionController {
    /// Counts the steps within tolerance after the end of the profile.
    pub(super) fn settle(&mut self, input: &ControlInput) -> Result<(), Fault> {
        let (forward_um, yaw_mdeg) = (self.pose().forward_um, self.pose().yaw_mdeg);
        let (profile, is_near) = match &self.motion {
            Motion::Rest | Motion::Smooth(_) => return Ok(()),
            Motion::Turn(profile, turn) => {
                let error = i32::from(turn.quarters) * 90_000 - yaw_mdeg;
                (profile, error.abs() < HEADING_TOLERANCE_MDEG)
            }
            // Anywhere will do.
            Motion::Straight(straight, Purpose::Brake(_)) => (&straight.profile, true),
            Motion::Straight(straight, purpose) => {
                let error = straight.setpoint() - forward_um;
                let tolerance = match purpose {
                    // What turns and exits need.
                    Purpose::Route => CENTER_TOLERANCE_UM,
                    _ => POSITION_TOLERANCE_UM,
                };
                let is_near = error.abs() < tolerance && yaw_mdeg.abs() < HEADING_TOLERANCE_MDEG;
                (&straight.profile, is_near)
            }
        };
        if !profile.is_done() || !profile.ends_at_rest() {
            return Ok(());
        }
        self.overtime += 1;
        if u64::from(self.overtime) * CONTROL_PERIOD.as_ticks() > MOTION_TIMEOUT.as_ticks() {
            return Err(Fault::Motion);
        }
        let is_still = input.wheels.iter().all(|travel| travel.abs() < STILL_UM);
        self.settled = if is_near && is_still {
            self.settled + 1
        } else {
            0
        };
        Ok(())
    }

    /// Ends the current motion: starts the next part of the command, or returns the result.
    pub(super) fn finish(&mut self) -> Option<MotionResult> {
        let forward = self.pose().forward_um;
        let cell = self.cell.um();
        match self.motion {
            Motion::Rest | Motion::Smooth(_) => None,
            Motion::Turn(_, turn) => {
                self.came_from_behind = false;
                self.estimator.rotate_frame(turn.quarters);
                self.quarters = (self.quarters + turn.quarters) % 4;
                if turn.is_on_route {
                    // The robot faces its exit now.
                    self.route.face_first();
                } else {
                    self.begin(Motion::Rest);
                }
                self.depart()
            }
            Motion::Straight(_, Purpose::Route) => self.depart(),
            Motion::Straight(_, Purpose::BackUp(turn)) => {
                // Backs up once only.
                self.came_from_behind = false;
                self.straight(0, Purpose::Center(turn));
                None
            }
            Motion::Straight(_, Purpose::Center(turn)) => {
                self.turn_in_cell(turn);
                None
            }
            Motion::Straight(_, Purpose::Brake(obstacle)) => {
                // The last cell whose centre the robot has passed.
                let cells = (forward + CENTER_TOLERANCE_UM).div_euclid(cell);
                let next = (cells + 1) * cell + self.cell.wall_face_um() - OBSTACLE_MARGIN_UM;
                self.straight(cells * cell, Purpose::Finish(cells as i8, obstacle < next));
                None
            }
            Motion::Straight(_, Purpose::Roll) => {
                self.begin(Motion::Rest);
                Some(MotionResult::Done(self.cell_number))
            }
            Motion::Straight(_, Purpose::Finish(cells, is_next)) => {
                self.came_from_behind = cells > 0 || (cells == 0 && self.came_from_behind);
                self.estimator.advance_frame(cells.into());
                let end = RouteEnd {
                    from: self.cell_number,
                    quarters: self.quarters,
                    cells,
                    may_have_touched: core::mem::take(&mut self.may_have_touched),
                };
                // The plan task gives the cell the robot's heading.
                self.cell_number = self.cell_number.wrapping_add_signed(cells);
                self.quarters = 0;
                self.begin(Motion::Rest);
                Some(if is_next {
                    MotionResult::Blocked(end)
                } else {
                    MotionResult::Stopped(end)
                })
            }
        }
    }
}
