//! Stop in front of an obstacle.

use super::{
    MotionController,
    setpoint::{Motion, Purpose},
};
use crate::{
    config::{
        BRAKE_DECELERATION, OBSTACLE_MARGIN_SHIFT, OBSTACLE_MARGIN_UM, OBSTACLE_READINGS,
        RANGE_ERROR,
    },
    motion::{Route, scale_by},
    robot::Interval,
};

impl MotionController {
    /// Shortens the route, or brakes, if there is an obstacle ahead.
    pub(super) fn avoid_obstacle(&mut self, ahead: Option<Interval>) {
        let Motion::Straight(mut straight, Purpose::Route) = self.motion else {
            return;
        };
        let (forward, cell) = (self.pose().forward_um, self.cell.um());
        let (cells, _) = self.route.straight();
        let front = forward + self.board.front_sensor_mm * 1000;
        let wall = i32::from(cells) * cell + self.cell.wall_face_um() - front;
        let ahead = match ahead {
            // A dazzled receiver sees nothing: anything may be right ahead.
            None if !self.is_careful => Some(Interval { near: 0, far: 0 }),
            ahead => ahead,
        };
        let obstacle = ahead.filter(|range| {
            let margin = if self.is_careful {
                scale_by::<{ RANGE_ERROR as u32 }>(range.far, 1) + OBSTACLE_MARGIN_UM
            } else {
                OBSTACLE_MARGIN_UM.max(range.far >> OBSTACLE_MARGIN_SHIFT)
            };
            range.is_in_range() && range.far + margin < wall
        });
        self.obstacle_readings = match obstacle {
            Some(_) => self.obstacle_readings + 1,
            None => 0,
        };
        let Some(range) = obstacle.filter(|_| self.obstacle_readings >= OBSTACLE_READINGS) else {
            return;
        };
        self.route = Route::default();
        (self.accepts_exits, self.is_at_obstacle) = (false, true);
        // Not by a dazzled receiver.
        self.may_have_touched = range.far > 0 && range.is_within(self.cell.front_near_um());
        // Cells in front of the nearest place where it can be.
        let free = (front + range.near - cell / 2).div_euclid(cell);
        let is_ahead = free * cell > forward;
        let to = free * cell - straight.from;
        let deceleration = BRAKE_DECELERATION * 1000;
        if is_ahead && straight.profile.brake_to(to, deceleration) {
            self.begin(Motion::Straight(
                straight,
                Purpose::Finish(free as i8, false),
            ));
        } else {
            straight.profile.brake(deceleration);
            let obstacle = front + range.far;
            self.begin(Motion::Straight(straight, Purpose::Brake(obstacle)));
        }
    }
}
