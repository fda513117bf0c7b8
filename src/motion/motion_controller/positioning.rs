//! Motions apart from the route: straights to a position, centring, and turns in place.

use super::{
    MotionController,
    setpoint::{Motion, Purpose, Straight, Turn},
};
use crate::{
    config::{
        BACK_UP_UM, CAREFUL_POSITIONING, CAREFUL_TURN_SPEED, CENTER_TOLERANCE_UM,
        LATERAL_TOLERANCE_UM, POSITIONING, SLIP_SLOW_TURN_MDEG, SLIP_TURN_MDEG,
        STRAIGHT_CLEARANCE_UM, TURN_ACCELERATION, TURN_CLEARANCE_UM, TURN_SPEED, UNSURE_TURN_SPEED,
    },
    motion::{SpeedLevel, SpeedLimits, VelocityProfile},
    signals::Pose,
};

impl MotionController {
    /// Begins a straight motion from rest to a forward position, apart from the route.
    pub(super) fn straight(&mut self, to: i32, purpose: Purpose) {
        let is_unsure =
            self.uncertainty().position_um() > STRAIGHT_CLEARANCE_UM && !self.ignores_walls;
        self.limits = if is_unsure || self.is_careful {
            SpeedLimits {
                straight_mm_s: CAREFUL_POSITIONING,
                ..self.board.limits(SpeedLevel::Careful)
            }
        } else {
            POSITIONING
        };
        let straight = Straight::new(self.pose().forward_um, to, self.limits);
        self.begin(Motion::Straight(straight, purpose));
    }

    /// Begins a turn in place, after centring the robot if it is too far off the centre of its cell.
    pub(super) fn prepare_turn(&mut self, turn: Turn) {
        let Pose {
            forward_um,
            lateral_um,
            ..
        } = self.pose();
        if lateral_um.abs() > LATERAL_TOLERANCE_UM && self.came_from_behind {
            let to = forward_um.min(0) - BACK_UP_UM.min(self.cell.um() * 3 / 4);
            self.straight(to, Purpose::BackUp(turn));
        } else if forward_um.abs() > CENTER_TOLERANCE_UM {
            self.straight(0, Purpose::Center(turn));
        } else {
            self.turn_in_cell(turn);
        }
    }

    pub(super) fn turn_in_cell(&mut self, turn: Turn) {
        let (pose, uncertainty) = (self.pose(), self.uncertainty());
        self.was_lost &= uncertainty.position_um() > TURN_CLEARANCE_UM;
        // A robot that was lost may be anywhere within its uncertainty.
        let share = if self.was_lost { 1 } else { 2 };
        let forward = pose.forward_um.abs() + uncertainty.forward_um / share;
        let lateral = pose.lateral_um.abs() + uncertainty.lateral_um / share;
        let is_unsure = forward.max(lateral) > TURN_CLEARANCE_UM && !self.ignores_walls;
        let speed = if is_unsure {
            UNSURE_TURN_SPEED
        } else if self.is_careful {
            CAREFUL_TURN_SPEED
        } else {
            TURN_SPEED
        };
        self.turn(turn, speed);
    }

    pub(super) fn turn(&mut self, turn: Turn, speed: i32) {
        let profile = VelocityProfile::new(turn.angle().abs(), speed, TURN_ACCELERATION);
        self.begin(Motion::Turn(profile, turn));
        self.slip_limit = if speed > CAREFUL_TURN_SPEED {
            SLIP_TURN_MDEG
        } else {
            SLIP_SLOW_TURN_MDEG
        };
    }
}
