//! Driving a route: straights, smooth turns, and the transitions between them.

use super::{
    MotionController,
    setpoint::{Motion, Purpose, Smooth, Straight, Turn},
};
use crate::{
    config::{BRAKE_DECELERATION, SLIP_SMOOTH_MDEG, SMOOTH_CLEARANCE_UM, UNSURE_UM},
    motion::{SpeedLevel, SpeedLimits, VelocityProfile, profile::stopping_distance},
    signals::{Exit, MotionResult},
};

impl MotionController {
    /// Adds an exit to the route, and departs if the robot rests.
    pub(super) fn leave(&mut self, exit: Exit) {
        // The plan task never sends more than the route holds.
        if !self.accepts_exits || !self.route.push(exit) {
            return;
        }
        self.is_slow = self.is_unsure();
        match self.motion {
            Motion::Rest => {
                // A route with an exit has no result yet.
                let _ = self.depart();
            }
            Motion::Straight(_, Purpose::Route) => self.retarget(),
            // The route goes on when it ends.
            Motion::Straight(..) | Motion::Turn(..) | Motion::Smooth(_) => {}
        }
    }

    /// Drops the exits from the cell with a number on, except that of a turn in progress.
    pub(super) fn revoke(&mut self, cell: u8) {
        let is_turning = matches!(self.motion, Motion::Smooth(_) | Motion::Turn(..));
        let keep = cell.wrapping_sub(self.cell_number).max(is_turning.into());
        self.route.truncate(keep);
        self.retarget();
    }

    /// Leaves the cell in whose centre the robot is, or rests there; returns the result of a route that ends.
    pub(super) fn depart(&mut self) -> Option<MotionResult> {
        let quarters = match self.route.first() {
            None => {
                self.begin(Motion::Rest);
                return Some(MotionResult::Done(self.cell_number));
            }
            Some(Exit::Ahead) => {
                let from = self.pose().forward_um;
                self.limits = self.current_limits();
                let straight = Straight::new(from, from, self.limits);
                self.begin(Motion::Straight(straight, Purpose::Route));
                self.retarget();
                return None;
            }
            Some(Exit::Right) => 1,
            Some(Exit::Left) => -1,
            Some(Exit::Back) => 2,
        };
        self.prepare_turn(Turn::new(quarters, true));
        None
    }

    /// Moves the end of the profile to the next place on the route with a limit of the speed: the start of a smooth
    /// turn, or the centre of a cell in which the robot stops.
    fn retarget(&mut self) {
        let Motion::Straight(mut straight, Purpose::Route) = self.motion else {
            return;
        };
        self.limits = self.current_limits();
        let (ahead, exit) = self.route.straight();
        let center = i32::from(ahead) * self.cell.um();
        let turn = center - self.board.turn.entry_um();
        let is_before_turn = straight.setpoint() < turn;
        let (to, speed) = match exit {
            // An undecided cell is entered as if the robot had to turn in it.
            None | Some(Exit::Left | Exit::Right) if is_before_turn => {
                (turn, self.limits.turn_mm_s * 1000)
            }
            _ => (center, 0),
        };
        straight.profile.set_top(self.limits.straight_mm_s * 1000);
        let (length, deceleration) = (to - straight.from, BRAKE_DECELERATION * 1000);
        // Harder after a correction of the pose, or when exits were revoked.
        if !straight.profile.retarget(length, speed)
            && !straight
                .profile
                .brake_to(center - straight.from, deceleration)
        {
            straight.profile.brake(deceleration);
        }
        self.motion = Motion::Straight(straight, Purpose::Route);
        (self.settled, self.overtime) = (0, 0);
    }

    /// Returns whether the position is so uncertain that the robot drives slowly.
    fn is_unsure(&self) -> bool {
        self.uncertainty().position_um() > UNSURE_UM
    }

    /// Limits of the route by now.
    fn current_limits(&self) -> SpeedLimits {
        let slow = self.board.limits(SpeedLevel::Slow);
        if self.is_slow && slow.straight_mm_s < self.route_limits.straight_mm_s {
            slow
        } else {
            self.route_limits
        }
    }

    /// Distance that is left, in micrometres, if the robot stops as hard as planned before the centre of the undecided
    /// cell; `None` unless it drives a route. Rounding makes it negative by less than the travel of a control step.
    #[must_use]
    pub fn stop_margin_um(&self) -> Option<i32> {
        match &self.motion {
            Motion::Straight(straight, Purpose::Route) => {
                let (ahead, exit) = self.route.straight();
                let center = i32::from(ahead) * self.cell.um();
                // Beyond a smooth turn lies at least half a cell that is known to be free.
                let is_turn = matches!(exit, Some(Exit::Left | Exit::Right));
                let free = if is_turn {
                    center + self.cell.um() / 2
                } else {
                    center
                };
                Some(free - straight.setpoint() - straight.profile.stopping_distance())
            }
            // The centre of the next cell is known to be free.
            Motion::Smooth(smooth) => {
                let turn = &self.board.turn;
                let left = turn.length_um() - smooth.position + self.cell.um() - turn.entry_um();
                Some(left - stopping_distance(smooth.speed, self.limits.acceleration_mm_s2 * 1000))
            }
            Motion::Rest | Motion::Turn(..) | Motion::Straight(..) => None,
        }
    }

    /// Passes from one part of the route to the next.
    pub(super) fn follow_route(&mut self) {
        let speeds_up = self.is_slow && !self.is_unsure();
        if speeds_up {
            self.is_slow = false;
        }
        match self.motion {
            Motion::Straight(straight, Purpose::Route) => {
                if self.pose().forward_um > self.cell.next_cell_um()
                    && self.route.first() == Some(Exit::Ahead)
                {
                    self.enter_next_cell();
                }
                if straight.profile.is_done() && !straight.profile.ends_at_rest() {
                    self.end_straight();
                } else if speeds_up {
                    self.retarget();
                }
            }
            Motion::Smooth(smooth) if smooth.position >= self.board.turn.length_um() => {
                self.end_smooth_turn(smooth);
            }
            _ => {}
        }
    }

    /// Moves the frame to the next cell of the route, which lies ahead.
    fn enter_next_cell(&mut self) {
        self.route.pop();
        self.cell_number = self.cell_number.wrapping_add(1);
        self.quarters = 0;
        self.estimator.advance_frame(1);
        self.came_from_behind = true;
        if let Motion::Straight(straight, _) = &mut self.motion {
            straight.from -= self.cell.um();
        }
    }

    /// At the place where a smooth turn would begin: turns if the cell's exit says so.
    fn end_straight(&mut self) {
        let Motion::Straight(straight, _) = self.motion else {
            return;
        };
        let (ahead, exit) = self.route.straight();
        let off = self.pose().lateral_um.abs() + self.uncertainty().lateral_um / 2;
        let is_clear = off <= SMOOTH_CLEARANCE_UM;
        let side = match exit {
            Some(Exit::Right) if is_clear => 1,
            Some(Exit::Left) if is_clear => -1,
            // Goes on, or stops in the centre.
            _ => {
                self.retarget();
                return;
            }
        };
        let from = i32::from(ahead) * self.cell.um() - self.board.turn.entry_um();
        self.begin(Motion::Smooth(Smooth {
            side,
            from,
            position: straight.setpoint() - from,
            speed: straight.profile.speed(),
            rate: 0,
        }));
        self.slip_limit = SLIP_SMOOTH_MDEG;
    }

    /// Goes on straight after a smooth turn, in the frame of the next cell.
    fn end_smooth_turn(&mut self, smooth: Smooth) {
        self.estimator.rotate_frame(smooth.side as i8);
        let beyond = smooth.position - self.board.turn.length_um();
        let straight = Straight {
            from: self.board.turn.entry_um() + beyond,
            direction: 1,
            profile: VelocityProfile::from_speed(
                smooth.speed,
                0,
                self.limits.straight_mm_s * 1000,
                self.limits.acceleration_mm_s2 * 1000,
            ),
        };
        self.begin(Motion::Straight(straight, Purpose::Route));
        self.enter_next_cell();
        self.retarget();
    }
}
