//! Executes motion commands: drives a route of cells without stopping, turns in place, and stops in front of obstacles.
//!
//! A route is a queue of [`Exit`]s, the sides by which the robot leaves its cell and the next ones. The first cell
//! without an exit is *undecided*: it is known to be free, but not what follows. The setpoint is always able to stop
//! in the centre of the undecided cell, so an exit that comes late costs time and nothing else.
//!
//! In a dead end the robot stops and turns in place. To back out of it takes at least 0.2 s longer at
//! [`POSITIONING`](crate::config::POSITIONING), the fastest that the robot moves without sensing what is ahead of it; a
//! test compares both.
//!
//! To be read in this order: `route`, `positioning`, `setpoint`, `obstacle`, `completion`.

mod completion;
mod obstacle;
mod positioning;
mod route;
mod setpoint;

use self::setpoint::{Motion, Purpose, Setpoint, Turn, straight_setpoint};
use super::{
    CellSize, PoseEstimator, RADIAN_MDEG, Route, SpeedLevel, SpeedLimits, WallView,
    WheelController, scale_by,
};
use crate::{
    boards::BoardConfig,
    calibration::Calibration,
    calibrator::Routine,
    config::{
        CATCH_UP_SHIFT, HEADING_KP, LOOK_TURN_SPEED, RELOCALISED_UM, SETTLE_STEPS,
        SLIP_STRAIGHT_MDEG, TURN_LEAD_MDEG, TURN_LEAD_SHIFT, TURN_SPEED,
    },
    fault::Fault,
    robot::Duty,
    signals::{MotionCommand, MotionResult, Pose, Uncertainty},
};

/// Duty of the left and right motor; `None` while the robot rests.
pub type Duties = Option<[Duty; 2]>;

/// Sensor data of one control step.
#[derive(Clone, Copy, Debug)]
pub struct ControlInput {
    /// Duration of the step, in microseconds.
    pub us: u32,
    /// Travel of the left and right wheel, in micrometres.
    pub wheels: [i32; 2],
    /// Turn by the gyro, clockwise, in mdeg; `None` if it could not be read.
    pub turned: Option<i32>,
    /// Proximity reading, if there is a new one.
    pub view: Option<WallView>,
}

/// Executes motion commands.
#[derive(Clone, Copy, Debug)]
pub struct MotionController {
    board: &'static BoardConfig,
    cell: CellSize,
    estimator: PoseEstimator,
    /// Left and right.
    wheels: [WheelController; 2],
    motion: Motion,
    /// Exits of the current cell and the next ones.
    route: Route,
    /// True if exits are accepted: not after an obstacle, until the plan task knows of it.
    accepts_exits: bool,
    /// Number of the current cell, wrapping.
    cell_number: u8,
    /// Quarter turns to the right in place since the cell was entered.
    quarters: i8,
    /// Limits of the route, while the position is certain.
    route_limits: SpeedLimits,
    /// True if the position was uncertain when the last exit was added, and has been since.
    is_slow: bool,
    /// Limits of the current motion.
    limits: SpeedLimits,
    /// Difference between wheels and gyro that is a slip in the current motion, in mdeg.
    slip_limit: i32,
    /// Control steps within tolerance.
    settled: u8,
    /// Control steps since the profile ended.
    overtime: u32,
    /// Consecutive readings that found an obstacle.
    obstacle_readings: u8,
    /// True if an obstacle ended the last route: what is ahead is no wall.
    is_at_obstacle: bool,
    /// True if the cell behind is known to be free: the robot came from there.
    came_from_behind: bool,
    /// True if the last command is one of calibration, for which walls are what is measured.
    ignores_walls: bool,
    /// True if the last command is carried out slowly, because the walls are not calibrated.
    is_careful: bool,
    /// True if the pose was set after the robot was lost, and it was not certain when it turned since.
    was_lost: bool,
    /// True if the obstacle that ended the last route was not seen before it was right ahead: the robot may have touched
    /// it.
    may_have_touched: bool,
}

impl MotionController {
    /// Controller of a robot at rest in the centre of a cell of a size in millimetres.
    #[must_use]
    pub fn new(board: &'static BoardConfig, cell_mm: u16) -> Self {
        let cell = CellSize::mm(cell_mm);
        Self {
            board,
            cell,
            estimator: PoseEstimator::new(board, cell),
            wheels: Default::default(),
            motion: Motion::Rest,
            route: Route::default(),
            accepts_exits: true,
            cell_number: 0,
            quarters: 0,
            route_limits: board.limits(SpeedLevel::Careful),
            is_slow: false,
            limits: board.limits(SpeedLevel::Careful),
            slip_limit: SLIP_STRAIGHT_MDEG,
            settled: 0,
            overtime: 0,
            obstacle_readings: 0,
            is_at_obstacle: false,
            came_from_behind: false,
            ignores_walls: false,
            is_careful: true,
            was_lost: false,
            may_have_touched: false,
        }
    }

    /// Estimated pose.
    #[must_use]
    pub fn pose(&self) -> Pose {
        self.estimator.pose()
    }

    /// Uncertainty of the estimated pose.
    #[must_use]
    pub fn uncertainty(&self) -> Uncertainty {
        let mut uncertainty = self.estimator.uncertainty();
        // The gyro's samples are up to 8 ms old.
        let rate = match &self.motion {
            Motion::Turn(profile, _) => profile.speed(),
            Motion::Smooth(smooth) => smooth.rate.abs(),
            Motion::Rest | Motion::Straight(..) => 0,
        };
        uncertainty.yaw_mdeg += rate >> 7;
        uncertainty
    }

    /// Number of walls ahead and ends of walls that confirmed the forward position, wrapping.
    #[must_use]
    pub fn fixes(&self) -> u8 {
        self.estimator.fixes()
    }

    /// As [`PoseEstimator::driven`].
    #[must_use]
    pub fn driven(&self) -> [i32; 4] {
        self.estimator.driven()
    }

    /// Number of the cell in whose frame the pose is, wrapping; increases by one from cell to cell.
    #[must_use]
    pub fn cell_number(&self) -> u8 {
        self.cell_number
    }

    /// Quarter turns to the right in place since the cell was entered.
    #[must_use]
    pub fn quarters(&self) -> i8 {
        self.quarters
    }

    /// Speed by plan, in micrometres per second; negative backward.
    #[must_use]
    pub fn speed(&self) -> i32 {
        match &self.motion {
            Motion::Rest | Motion::Turn(..) => 0,
            Motion::Straight(straight, _) => straight.direction * straight.profile.speed(),
            Motion::Smooth(smooth) => smooth.speed,
        }
    }

    /// Returns whether no motion is in progress; the motors are off then.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        matches!(self.motion, Motion::Rest)
    }

    /// Drops the current motion and the route: the motors are off from the next step on, and the pose stays an
    /// estimate.
    pub fn abort(&mut self) {
        self.route = Route::default();
        self.begin(Motion::Rest);
    }

    /// As [`abort`](Self::abort), for a robot that is lost: exits that were sent before it was known are dropped.
    fn lose(&mut self) {
        self.abort();
        self.accepts_exits = false;
    }

    /// Starts a command in place of the current one, or adds an exit to the route: slowly while the walls are not
    /// calibrated, as they may be sensed late or at a wrong distance.
    ///
    /// [`MotionCommand::Reset`] takes effect at once and has no result.
    pub fn command(&mut self, command: MotionCommand, calibration: &Calibration) {
        if matches!(command, MotionCommand::Leave(..) | MotionCommand::Turn(_)) {
            self.is_at_obstacle = false;
        }
        self.ignores_walls = match command {
            MotionCommand::Pivot(_)
            | MotionCommand::Roll(_)
            | MotionCommand::Face(_)
            | MotionCommand::Creep(_)
            | MotionCommand::Halt => true,
            // Walls belong to the nearest lines between cells, if at all.
            MotionCommand::Place(_, _, uncertainty) => uncertainty.position_um() > RELOCALISED_UM,
            _ => false,
        };
        self.is_careful = !self.ignores_walls && !calibration.is_measured(Routine::Walls);
        match command {
            MotionCommand::Leave(exit, level) => {
                let level = if self.is_careful {
                    SpeedLevel::Careful
                } else {
                    level
                };
                self.route_limits = self.board.limits(level).within(calibration);
                self.leave(exit);
            }
            MotionCommand::Revoke(cell) => self.revoke(cell),
            MotionCommand::AcceptExits => self.accepts_exits = true,
            MotionCommand::Turn(quarters) => self.prepare_turn(Turn::new(quarters, false)),
            MotionCommand::Pivot(quarters) => self.turn(Turn::new(quarters, false), TURN_SPEED),
            MotionCommand::Face(quarters) => {
                let turn = Turn {
                    from: self.pose().yaw_mdeg,
                    ..Turn::new(quarters, false)
                };
                self.turn(turn, LOOK_TURN_SPEED);
            }
            MotionCommand::Roll(um) => self.straight(self.pose().forward_um + um, Purpose::Roll),
            MotionCommand::Creep(um) => {
                self.is_careful = true;
                self.straight(self.pose().forward_um + um, Purpose::Roll);
            }
            MotionCommand::Reset(cell_mm) => *self = Self::new(self.board, cell_mm),
            MotionCommand::Halt => self.lose(),
            MotionCommand::Place(cell_mm, pose, uncertainty) => {
                let ignores_walls = self.ignores_walls;
                *self = Self {
                    ignores_walls,
                    was_lost: true,
                    ..Self::new(self.board, cell_mm)
                };
                self.estimator.place(pose, uncertainty);
            }
            // Not a motion with a goal: the drive task carries it out.
            MotionCommand::OpenLoop(..) => self.abort(),
        }
    }

    fn begin(&mut self, motion: Motion) {
        if self.is_at_rest() {
            self.wheels = Default::default();
        }
        self.motion = motion;
        (self.settled, self.overtime, self.obstacle_readings) = (0, 0, 0);
        self.slip_limit = SLIP_STRAIGHT_MDEG;
    }

    /// Runs one control step.
    ///
    /// # Errors
    /// The robot does not follow and must be stopped.
    #[inline(never)] // runs from RAM: see memory.x
    pub fn step(
        &mut self,
        input: &ControlInput,
        calibration: &Calibration,
    ) -> Result<(Duties, Option<MotionResult>), Fault> {
        let by_wheels = PoseEstimator::wheel_turn(input.wheels, calibration);
        self.estimator
            .integrate(input.wheels, input.turned.unwrap_or(by_wheels), input.us);
        if let Err(fault) = self.check_pose(input, by_wheels) {
            self.lose();
            return Ok((None, Some(MotionResult::Lost(fault))));
        }
        self.follow_route();
        // Apart from the others: three cases need no table of jumps.
        if self.is_at_rest() {
            return Ok((None, None));
        }
        let pose = self.pose();
        let setpoint = match &mut self.motion {
            Motion::Rest => return Ok((None, None)),
            Motion::Turn(profile, turn) => {
                profile.step(input.us);
                let sign = turn.angle().signum();
                let error = turn.from + sign * profile.position() - pose.yaw_mdeg;
                // A wheel whose encoder is dead runs away.
                if -sign * error > TURN_LEAD_MDEG + (profile.top() >> TURN_LEAD_SHIFT) {
                    return Err(Fault::Stall);
                }
                Setpoint {
                    speed: 0,
                    speed_change: 0,
                    turn: sign * profile.speed() + error * HEADING_KP,
                    turn_change: sign * profile.change(),
                }
            }
            Motion::Straight(straight, _) => {
                straight.profile.step(input.us);
                // A route that was slowed down is still as fast as its profile.
                let top = (self.limits.straight_mm_s * 1000).max(straight.profile.speed());
                let careful = self.board.limits(SpeedLevel::Careful).straight_mm_s * 1000;
                // A robot that may touch a wall does not catch up.
                let excess = if top > careful {
                    top >> CATCH_UP_SHIFT
                } else {
                    0
                };
                straight_setpoint(straight, pose, top + excess)
            }
            Motion::Smooth(smooth) => smooth.step(&self.board.turn, input.us, pose),
        };
        let duties = self.wheel_duties(setpoint, input, calibration)?;
        self.settle(input)?;
        if self.settled < SETTLE_STEPS {
            return Ok((Some(duties), None));
        }
        let result = self.finish();
        Ok(((!self.is_at_rest()).then_some(duties), result))
    }

    /// Compares wheels, gyro and walls, and corrects the pose. A robot at rest is never lost: it may be carried.
    fn check_pose(&mut self, input: &ControlInput, by_wheels: i32) -> Result<(), Fault> {
        let is_at_rest = self.is_at_rest();
        match input.turned {
            _ if is_at_rest => self.estimator.rest(),
            Some(turned) => {
                let limit = self.slip_limit;
                self.estimator.check_slip(by_wheels, turned, limit)?;
                if matches!(self.motion, Motion::Smooth(_)) {
                    self.estimator.check_smooth_turn()?;
                }
            }
            None => {}
        }
        if let Some(view) = &input.view
            && !self.ignores_walls
        {
            let direction = self.direction();
            let mut known = *view;
            if self.is_careful {
                // Uncalibrated, a wall ahead may be sensed at any distance: it stops the robot, and corrects nothing.
                known.distances.front = None;
            }
            // Edges that the route crosses are free: what is seen there is no wall.
            let first = match self.motion {
                _ if self.is_at_obstacle => i32::MAX,
                Motion::Straight(_, Purpose::Route) => self.route.straight().0.into(),
                _ => 0,
            };
            let corrected = self.estimator.correct(&known, direction, first);
            if !is_at_rest {
                corrected?;
            }
            self.avoid_obstacle(view.distances.front);
        }
        Ok(())
    }

    /// `1` if the robot moves forward, `-1` if backward, `0` if neither.
    fn direction(&self) -> i32 {
        match &self.motion {
            Motion::Rest | Motion::Turn(..) | Motion::Smooth(_) => 0,
            Motion::Straight(straight, _) => straight.direction,
        }
    }

    fn wheel_duties(
        &mut self,
        setpoint: Setpoint,
        input: &ControlInput,
        calibration: &Calibration,
    ) -> Result<[Duty; 2], Fault> {
        // Half the track times the yaw rate in radians.
        let half_track = calibration.track_um as i32 / 2;
        let by_turn = |turn| scale_by::<{ RADIAN_MDEG as u32 }>(turn, half_track);
        let (speed, difference) = (setpoint.speed, by_turn(setpoint.turn));
        // Motors lag: what the speed will have changed by then is added now.
        let lag = self.board.motor_lag_steps;
        let (change, by_lag) = (
            setpoint.speed_change * lag,
            by_turn(setpoint.turn_change * lag),
        );
        let us = input.us;
        let motors = &calibration.motors;
        let [of_left, of_right] = match self.motion {
            Motion::Turn(..) => &motors.turning,
            Motion::Rest | Motion::Straight(..) | Motion::Smooth(_) => &motors.straight,
        };
        let [left, right] = &mut self.wheels;
        let [left_full, right_full] = motors.full_speed;
        let [moved_left, moved_right] = input.wheels;
        let speeds = [
            (speed + difference, change + by_lag),
            (speed - difference, change - by_lag),
        ];
        Ok([
            left.step(speeds[0], moved_left, us, left_full, of_left)?,
            right.step(speeds[1], moved_right, us, right_full, of_right)?,
        ])
    }
}

#[cfg(test)]
mod tests;
