//! Executes motion commands: drives a route of cells without stopping, turns in place, and stops in front of obstacles.
//!
//! A route is a queue of [`Exit`]s, the sides by which the robot leaves its cell and the next ones. The first cell
//! without an exit is *undecided*: it is known to be free, but not what follows. The setpoint is always able to stop
//! in the centre of the undecided cell, so an exit that comes late costs time and nothing else.
//!
//! In a dead end the robot stops and turns in place. To back out of it takes at least 0.2 s longer at [`POSITIONING`], the
//! fastest that the robot moves without sensing what is ahead of it; a test compares both.

use super::{
    CellSize, PoseEstimator, RADIAN_MDEG, Route, SmoothTurn, SpeedLevel, SpeedLimits,
    VelocityProfile, WallView, WheelController, divide,
    profile::stopping_distance,
    scale_by,
    trigonometry::{times_cosine, times_sine},
};
use crate::{
    boards::BoardConfig,
    calibration::Calibration,
    calibrator::Routine,
    config::{
        BACK_UP_UM, BRAKE_DECELERATION, CAREFUL_POSITIONING, CAREFUL_TURN_SPEED, CATCH_UP_SHIFT,
        CENTER_TOLERANCE_UM, CONTROL_PERIOD, HEADING_KP, HEADING_TOLERANCE_MDEG,
        LATERAL_HEADING_LIMIT, LATERAL_KP, LATERAL_TOLERANCE_UM, LOOK_TURN_SPEED, MOTION_TIMEOUT,
        OBSTACLE_MARGIN_SHIFT, OBSTACLE_MARGIN_UM, OBSTACLE_READINGS, POSITION_KP,
        POSITION_TOLERANCE_UM, POSITIONING, RANGE_ERROR, SETTLE_STEPS, SLIP_LOOK_MDEG,
        SLIP_SMOOTH_MDEG, SLIP_STRAIGHT_MDEG, SLIP_TURN_MDEG, SMOOTH_CLEARANCE_UM,
        SMOOTH_HEADING_KP, SMOOTH_LATERAL_KP, STILL_UM, STRAIGHT_CLEARANCE_UM, STRAIGHTEN_UM,
        TURN_ACCELERATION, TURN_CLEARANCE_UM, TURN_LEAD_MDEG, TURN_LEAD_SHIFT, TURN_SPEED,
        UNSURE_TURN_SPEED, UNSURE_UM,
    },
    fault::Fault,
    robot::{Duty, Interval},
    signals::{Exit, MotionCommand, MotionResult, Pose, RouteEnd, Uncertainty},
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

/// Motion in progress.
#[derive(Clone, Copy, Debug)]
enum Motion {
    Rest,
    /// Turn in place, with its quarter turns to the right.
    Turn(VelocityProfile, Turn),
    Straight(Straight, Purpose),
    Smooth(Smooth),
}

/// Turn in place.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Quarter turns to the right.
    quarters: i8,
    /// Yaw at its start, in mdeg.
    from: i32,
    /// Whether the route goes on after it.
    is_on_route: bool,
}

impl Turn {
    /// Turn of a robot that faces its heading.
    const fn new(quarters: i8, is_on_route: bool) -> Self {
        Self {
            quarters,
            from: 0,
            is_on_route,
        }
    }

    /// Angle, in mdeg, positive to the right.
    const fn angle(self) -> i32 {
        self.quarters as i32 * 90_000 - self.from
    }
}

/// Purpose of a straight motion.
#[derive(Clone, Copy, Debug)]
enum Purpose {
    /// Driving the route.
    Route,
    /// Backing up before a turn.
    BackUp(Turn),
    /// Centring before a turn.
    Center(Turn),
    /// Braking for an obstacle, with its largest forward position; then returning to a centre.
    Brake(i32),
    /// Driving a distance for calibration.
    Roll,
    /// Moving to the centre of a cell, a number of cells further, in front of an obstacle; `true` if that is in the
    /// next cell.
    Finish(i8, bool),
}

/// Straight motion, forward or backward.
#[derive(Clone, Copy, Debug)]
struct Straight {
    from: i32,
    /// `1` or `-1`.
    direction: i32,
    profile: VelocityProfile,
}

impl Straight {
    /// Motion from rest to rest.
    fn new(from: i32, to: i32, limits: SpeedLimits) -> Self {
        Self {
            from,
            direction: if to < from { -1 } else { 1 },
            profile: VelocityProfile::new(
                (to - from).abs(),
                limits.straight_mm_s * 1000,
                limits.acceleration_mm_s2 * 1000,
            ),
        }
    }

    /// Forward position where the robot should be.
    fn setpoint(&self) -> i32 {
        self.from + self.direction * self.profile.position()
    }
}

/// Smooth turn in progress.
#[derive(Clone, Copy, Debug)]
struct Smooth {
    /// `1` to the right, `-1` to the left.
    side: i32,
    /// Forward position of its start.
    from: i32,
    /// Distance along its path, in micrometres.
    position: i32,
    speed: i32,
    /// Yaw rate of the last step.
    rate: i32,
}

impl Smooth {
    /// Advances by `us` microseconds; returns the setpoint for a robot at `pose`.
    fn step(&mut self, turn: &SmoothTurn, us: u32, pose: Pose) -> Setpoint {
        self.position += divide::<1_000_000>(i64::from(self.speed) * i64::from(us)) as i32;
        let rate = self.side * turn.rate(self.position, self.speed);
        let turn_change = rate - core::mem::replace(&mut self.rate, rate);
        let point = turn.at(self.position);
        let yaw = self.side * point.yaw_mdeg;
        let forward = self.from + point.forward_um - pose.forward_um;
        let lateral = self.side * point.lateral_um - pose.lateral_um;
        let along = times_cosine(forward, yaw) + times_sine(lateral, yaw);
        let across = times_cosine(lateral, yaw) - times_sine(forward, yaw);
        let heading = (yaw - pose.yaw_mdeg) * SMOOTH_HEADING_KP;
        Setpoint {
            speed: self.speed + along * POSITION_KP,
            speed_change: 0,
            turn: rate + heading + scale_by::<1000>(across, SMOOTH_LATERAL_KP),
            turn_change,
        }
    }
}

/// Speeds that the wheels are to follow, and their changes in this control step by plan, without feedback.
#[derive(Clone, Copy, Debug)]
struct Setpoint {
    /// In micrometres per second.
    speed: i32,
    speed_change: i32,
    /// Yaw rate in mdeg/s.
    turn: i32,
    turn_change: i32,
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
    /// Whether exits are accepted: not after an obstacle, until the plan task knows of it.
    accepts_exits: bool,
    /// Number of the current cell, wrapping.
    cell_number: u8,
    /// Quarter turns to the right in place since the cell was entered.
    quarters: i8,
    /// Limits of the route, while the position is certain.
    route_limits: SpeedLimits,
    /// Whether the position was uncertain when the last exit was added, and has been since.
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
    /// Whether an obstacle ended the last route: what is ahead is no wall.
    is_at_obstacle: bool,
    /// Whether the cell behind is known to be free: the robot came from there.
    came_from_behind: bool,
    /// Whether the last command is one of calibration, for which walls are what is measured.
    ignores_walls: bool,
    /// Whether the last command is carried out slowly, because the walls are not calibrated.
    is_careful: bool,
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

    /// Whether no motion is in progress; the motors are off then.
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
        self.ignores_walls = matches!(
            command,
            MotionCommand::Pivot(_)
                | MotionCommand::Roll(_)
                | MotionCommand::Face(_)
                | MotionCommand::Halt
        );
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
                self.slip_limit = SLIP_LOOK_MDEG;
            }
            MotionCommand::Roll(um) => self.straight(self.pose().forward_um + um, Purpose::Roll),
            MotionCommand::Reset(cell_mm) => *self = Self::new(self.board, cell_mm),
            MotionCommand::Halt => self.lose(),
            MotionCommand::Place(cell_mm, pose, uncertainty) => {
                *self = Self::new(self.board, cell_mm);
                self.estimator.place(pose, uncertainty);
            }
            // Not a motion with a goal: the drive task carries it out.
            MotionCommand::OpenLoop(..) => self.abort(),
        }
    }

    /// Adds an exit to the route, and departs if the robot rests.
    fn leave(&mut self, exit: Exit) {
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
            Motion::Straight(_, Purpose::Route) => self.aim(),
            // The route goes on when it ends.
            Motion::Straight(..) | Motion::Turn(..) | Motion::Smooth(_) => {}
        }
    }

    /// Drops the exits from the cell with a number on, except that of a turn in progress.
    fn revoke(&mut self, cell: u8) {
        let is_turning = matches!(self.motion, Motion::Smooth(_) | Motion::Turn(..));
        let keep = cell.wrapping_sub(self.cell_number).max(is_turning.into());
        self.route.truncate(keep);
        self.aim();
    }

    /// Leaves the cell in whose centre the robot is, or rests there; returns the result of a route that ends.
    fn depart(&mut self) -> Option<MotionResult> {
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
                self.aim();
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
    fn aim(&mut self) {
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

    /// Whether the position is so uncertain that the robot drives slowly.
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

    /// Begins a straight motion from rest to a forward position, apart from the route.
    fn straight(&mut self, to: i32, purpose: Purpose) {
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
    fn prepare_turn(&mut self, turn: Turn) {
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

    fn turn_in_cell(&mut self, turn: Turn) {
        let (pose, uncertainty) = (self.pose(), self.uncertainty());
        let forward = pose.forward_um.abs() + uncertainty.forward_um / 2;
        let lateral = pose.lateral_um.abs() + uncertainty.lateral_um / 2;
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

    fn turn(&mut self, turn: Turn, speed: i32) {
        let profile = VelocityProfile::new(turn.angle().abs(), speed, TURN_ACCELERATION);
        self.begin(Motion::Turn(profile, turn));
        self.slip_limit = SLIP_TURN_MDEG;
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

    /// Passes from one part of the route to the next.
    fn follow_route(&mut self) {
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
                    self.aim();
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
                self.aim();
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
        self.aim();
    }

    /// Compares wheels, gyro and walls, and corrects the pose. A robot at rest is never lost: it may be carried.
    fn check_pose(&mut self, input: &ControlInput, by_wheels: i32) -> Result<(), Fault> {
        let is_at_rest = self.is_at_rest();
        match input.turned {
            _ if is_at_rest => self.estimator.rest(),
            Some(turned) => {
                let limit = self.slip_limit;
                self.estimator.check_slip(by_wheels, turned, limit)?;
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

    /// Counts the steps within tolerance after the end of the profile.
    fn settle(&mut self, input: &ControlInput) -> Result<(), Fault> {
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
    fn finish(&mut self) -> Option<MotionResult> {
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

    /// Shortens the route, or brakes, if there is an obstacle ahead.
    fn avoid_obstacle(&mut self, ahead: Option<Interval>) {
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

/// Setpoint of a straight motion, with a limit of the speed in um/s.
fn straight_setpoint(straight: &Straight, pose: Pose, limit: i32) -> Setpoint {
    let Straight {
        direction, profile, ..
    } = straight;
    let error = straight.setpoint() - pose.forward_um;
    let speed = (direction * profile.speed() + error * POSITION_KP).clamp(-limit, limit);
    let heading = -direction * scale_by::<1000>(pose.lateral_um, LATERAL_KP);
    let mut heading = heading.clamp(-LATERAL_HEADING_LIMIT, LATERAL_HEADING_LIMIT);
    if profile.ends_at_rest() {
        let remaining = profile.remaining().clamp(0, STRAIGHTEN_UM);
        heading = scale_by::<{ STRAIGHTEN_UM as u32 }>(heading, remaining);
    }
    Setpoint {
        speed,
        speed_change: direction * profile.change(),
        turn: (heading - pose.yaw_mdeg) * HEADING_KP,
        turn_change: 0,
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::{boards::ZUMO2040, robot::Distances};

    use Exit::{Ahead, Back, Left, Right};

    const CALIBRATION: Calibration = Calibration {
        measured: Routine::Walls.bit(),
        ..ZUMO2040.calibration
    };

    /// Robot whose wheels follow their duty with a lag, on a perfect floor.
    struct Plant {
        robot: MotionController,
        speeds: [f64; 2],
        travel: [f64; 2],
        /// Position forward and to the right of the start, in millimetres.
        at: [f64; 2],
        /// Largest forward position so far.
        furthest: f64,
        counts: [i64; 2],
        turned: f64,
        duties: [i32; 2],
        /// Relative strength of each motor.
        strength: [f64; 2],
        /// Obstacle ahead of the front receiver's first position, in millimetres.
        obstacle: Option<f64>,
        /// Share of its distance at which it is sensed.
        sensed_at: f64,
        gyro_works: bool,
    }

    impl Plant {
        fn new() -> Self {
            Self::in_cells(180)
        }

        fn in_cells(mm: u16) -> Self {
            // It was put down straight.
            let mut robot = MotionController::new(&ZUMO2040, mm);
            let straight = Uncertainty {
                yaw_mdeg: 0,
                ..robot.uncertainty()
            };
            robot.estimator.place(Pose::default(), straight);
            Self {
                robot,
                speeds: [0.0; 2],
                travel: [0.0; 2],
                at: [0.0; 2],
                furthest: 0.0,
                counts: [0; 2],
                turned: 0.0,
                duties: [0; 2],
                strength: [1.0; 2],
                obstacle: None,
                sensed_at: 1.0,
                gyro_works: true,
            }
        }

        fn step(&mut self) -> ControlInput {
            let before = self.turned;
            for _ in 0..5 {
                for wheel in 0..2 {
                    let duty = f64::from(self.duties[wheel]) / 1000.0;
                    // Friction takes 3 %.
                    let duty = duty.signum() * (duty.abs() - 0.03).max(0.0);
                    let target = duty
                        * f64::from(CALIBRATION.motors.full_speed[wheel])
                        * self.strength[wheel];
                    self.speeds[wheel] += (target - self.speeds[wheel]) / 60.0;
                    self.travel[wheel] += self.speeds[wheel] / 1000.0;
                }
                let difference = self.speeds[0] - self.speeds[1];
                self.turned += difference / 99.0 * 57_296.0 / 1000.0;
                let moved = (self.speeds[0] + self.speeds[1]) / 2000.0;
                let (sin, cos) = (self.turned / 57_296.0).sin_cos();
                self.at[0] += moved * cos;
                self.at[1] += moved * sin;
            }
            let mm_per_count = f64::from(CALIBRATION.nm_per_count) / 1e6;
            let wheels = [0, 1].map(|wheel| {
                let counts = (self.travel[wheel] / mm_per_count).floor() as i64;
                let moved = counts - core::mem::replace(&mut self.counts[wheel], counts);
                (moved * i64::from(CALIBRATION.nm_per_count) / 1000) as i32
            });
            let forward = self.forward();
            self.furthest = self.furthest.max(forward);
            let view = self.obstacle.map(|obstacle| {
                let distance = ((obstacle - forward) * self.sensed_at * 1000.0) as i32;
                let thresholds = [0, 49, 87, 126, 163, 202, 240].map(|mm| mm * 1000);
                let far = thresholds.iter().position(|&far| distance <= far);
                let nothing = Interval::beyond(thresholds[6]);
                let distances = Distances {
                    front: Some(far.filter(|&far| far > 0).map_or(nothing, |far| Interval {
                        near: thresholds[far - 1],
                        far: thresholds[far],
                    })),
                    ..Distances::all(nothing)
                };
                WallView {
                    distances,
                    age_us: 0,
                }
            });
            ControlInput {
                us: 5_000,
                wheels,
                turned: self.gyro_works.then_some((self.turned - before) as i32),
                view,
            }
        }

        /// Makes one control step.
        fn control(&mut self) -> Result<Option<MotionResult>, Fault> {
            let input = self.step();
            let (duties, result) = self.robot.step(&input, &CALIBRATION)?;
            self.duties = duties.map_or([0; 2], |duties| duties.map(Duty::get));
            Ok(result)
        }

        /// Executes a command; returns its result and the number of control steps.
        fn run(&mut self, command: MotionCommand) -> Result<(MotionResult, u32), Fault> {
            self.robot.command(command, &CALIBRATION);
            self.finish()
        }

        /// Drives a route whose exits are all known at its start.
        fn drive(&mut self, exits: &[Exit]) -> Result<(MotionResult, u32), Fault> {
            for &exit in exits {
                self.leave(exit);
            }
            self.finish()
        }

        fn leave(&mut self, exit: Exit) {
            let command = MotionCommand::Leave(exit, SpeedLevel::Search);
            self.robot.command(command, &CALIBRATION);
        }

        fn finish(&mut self) -> Result<(MotionResult, u32), Fault> {
            for step in 0..2_000 {
                if let Some(result) = self.control()? {
                    assert_eq!(self.duties, [0; 2], "at rest");
                    return Ok((result, step));
                }
            }
            panic!("it does not end: {:?}", self.robot);
        }

        fn forward(&self) -> f64 {
            self.at[0]
        }

        /// Asserts that the robot stands at a place, in millimetres, with a heading in degrees.
        fn assert_at(&self, at: [f64; 2], heading: f64) {
            let [dx, dy] = [self.at[0] - at[0], self.at[1] - at[1]];
            assert!(dx.hypot(dy) < 6.0, "{:?}", self.at);
            let error = self.turned / 1000.0 - heading;
            assert!(error.abs() < 1.5, "{error}");
            assert!(self.robot.pose().forward_um.abs() < 5_000);
        }
    }

    /// Blocked a number of cells from the one with a number.
    fn blocked(from: u8, cells: i8) -> MotionResult {
        MotionResult::Blocked(RouteEnd {
            from,
            quarters: 0,
            cells,
        })
    }

    #[test]
    fn a_straight_route_covers_its_cells() {
        let mut plant = Plant::new();
        let mut number = 0;
        for cells in [1, 1, 3, 8] {
            let from = plant.forward();
            let (result, steps) = plant.drive(&[Ahead; 8][..cells]).unwrap();
            number += cells as u8;
            assert_eq!(result, MotionResult::Done(number));
            let moved = plant.forward() - from;
            assert!((moved - 180.0 * cells as f64).abs() < 6.0, "{moved}");
            std::println!("{cells} cells: {moved:.1} mm in {} ms", steps * 5);
        }
        // Errors of one motion are corrected by the next.
        assert!(
            (plant.forward() - 13.0 * 180.0).abs() < 5.0,
            "{}",
            plant.forward()
        );
    }

    #[test]
    fn a_route_with_turns_ends_in_the_centre_of_its_last_cell() {
        for (exits, at, heading) in [
            (&[Ahead, Right, Ahead][..], [180.0, 360.0], 90.0),
            (&[Ahead, Left, Ahead], [180.0, -360.0], -90.0),
            (&[Ahead, Right, Left, Right, Left], [540.0, 360.0], 0.0),
            (&[Ahead, Right, Right, Ahead], [-180.0, 180.0], 180.0),
            (&[Ahead, Right, Right, Right, Right], [180.0, 0.0], 360.0),
            // From rest, and back: in place.
            (&[Left, Ahead], [0.0, -360.0], -90.0),
            (&[Ahead, Ahead, Back, Ahead, Left], [0.0, 180.0], 90.0),
        ] {
            let mut plant = Plant::new();
            let (result, steps) = plant.drive(exits).unwrap();
            assert_eq!(result, MotionResult::Done(exits.len() as u8), "{exits:?}");
            std::println!("{exits:?}: {} ms", steps * 5);
            plant.assert_at(at, heading);
        }
    }

    #[test]
    fn exits_that_come_while_the_robot_moves_keep_it_moving() {
        let mut plant = Plant::new();
        plant.leave(Ahead);
        let mut slowest: f64 = 1e9;
        for cell in 1..6_u8 {
            // Decided where the walls of the cell are known.
            while plant.robot.cell_number() < cell || plant.robot.pose().forward_um < -86_000 {
                assert_eq!(plant.control(), Ok(None));
                if cell > 1 {
                    slowest = slowest.min(plant.speeds[0].min(plant.speeds[1]));
                }
            }
            plant.leave(Ahead);
        }
        assert!(slowest > 250.0, "{slowest}");
        assert_eq!(plant.finish().unwrap().0, MotionResult::Done(6));
    }

    #[test]
    fn a_turn_that_is_decided_too_late_is_made_in_place() {
        let mut plant = Plant::new();
        plant.leave(Ahead);
        while plant.robot.cell_number() < 1 || plant.robot.pose().forward_um < -60_000 {
            assert_eq!(plant.control(), Ok(None));
        }
        plant.leave(Right);
        let (result, _) = plant.finish().unwrap();
        assert_eq!(result, MotionResult::Done(2));
        plant.assert_at([180.0, 180.0], 90.0);
    }

    #[test]
    fn without_an_exit_the_robot_stops_in_the_undecided_cell_whenever_that_was() {
        for exits in [
            &[Ahead][..],
            &[Ahead, Ahead, Ahead],
            &[Ahead, Right],
            &[Ahead, Left, Ahead],
        ] {
            let mut plant = Plant::new();
            let (result, _) = plant.drive(exits).unwrap();
            assert_eq!(result, MotionResult::Done(exits.len() as u8));
            // It never was further than its last cell.
            let most = 180.0 * exits.iter().take_while(|&&exit| exit == Ahead).count() as f64;
            assert!(plant.furthest < most + 6.0, "{exits:?}: {}", plant.furthest);
        }
    }

    #[test]
    fn the_robot_can_stop_in_free_cells_at_every_control_step() {
        for exits in [&[Ahead; 8][..], &[Ahead, Right, Left, Ahead, Ahead, Left]] {
            let mut plant = Plant::new();
            exits.iter().for_each(|&exit| plant.leave(exit));
            while !plant.robot.is_at_rest() {
                plant.control().unwrap();
                let margin = plant.robot.stop_margin_um().unwrap_or(0);
                assert!(margin > -2_500, "{margin}: {:?}", plant.robot);
            }
        }
        // Exits that vanish break it.
        let mut plant = Plant::new();
        (0..8).for_each(|_| plant.leave(Ahead));
        while plant.speeds[0] < 450.0 || plant.robot.pose().forward_um < 0 {
            plant.control().unwrap();
        }
        plant.robot.route = Route::default();
        assert!(plant.robot.stop_margin_um().unwrap() < -2_500);
    }

    #[test]
    fn only_a_robot_with_calibrated_walls_drives_at_full_speed() {
        for (calibration, level) in [
            (ZUMO2040.calibration, SpeedLevel::Careful),
            (CALIBRATION, SpeedLevel::Search),
        ] {
            let mut plant = Plant::new();
            for _ in 0..4 {
                let command = MotionCommand::Leave(Ahead, SpeedLevel::Search);
                plant.robot.command(command, &calibration);
            }
            let mut top: f64 = 0.0;
            while !plant.robot.is_at_rest() {
                plant.control().unwrap();
                top = top.max(plant.speeds[0]);
            }
            let limit = f64::from(ZUMO2040.limits(level).straight_mm_s);
            assert!((0.95 * limit..1.1 * limit).contains(&top), "{limit}: {top}");
        }
    }

    #[test]
    fn a_route_is_as_long_as_its_cells() {
        for mm in [168, 180, 250] {
            let mut plant = Plant::in_cells(mm);
            let side = f64::from(mm);
            // The wall behind the second cell is no obstacle, and corrects nothing.
            plant.obstacle = Some(2.5 * side - 6.0 - 45.0);
            let (result, _) = plant.drive(&[Ahead, Ahead]).unwrap();
            assert_eq!(result, MotionResult::Done(2), "{mm}");
            let error = plant.forward() - 2.0 * side;
            assert!(error.abs() < 5.0, "{mm}: {error}");
            let mut plant = Plant::in_cells(mm);
            plant.drive(&[Ahead, Right, Left]).unwrap();
            plant.assert_at([2.0 * side, side], 0.0);
        }
    }

    #[test]
    fn turns_cover_their_angle_and_rotate_the_frame() {
        let mut plant = Plant::new();
        let mut heading = 0.0;
        for quarters in [1, -1, 2, -1, -1] {
            let (result, steps) = plant.run(MotionCommand::Turn(quarters)).unwrap();
            assert_eq!(result, MotionResult::Done(0));
            heading += 90_000.0 * f64::from(quarters);
            let error = plant.turned - heading;
            assert!(error.abs() < 1_500.0, "{error}");
            assert!(plant.robot.pose().yaw_mdeg.abs() < 1_500);
            std::println!("{quarters} quarters: off by {error:.0} in {} ms", steps * 5);
        }
    }

    #[test]
    fn a_robot_off_the_centre_returns_to_it_before_a_turn() {
        for off_mm in [20, -20] {
            let mut plant = Plant::new();
            let pose = Pose {
                forward_um: off_mm * 1000,
                ..Pose::default()
            };
            let place = MotionCommand::Place(180, pose, plant.robot.uncertainty());
            plant.robot.command(place, &CALIBRATION);
            plant.run(MotionCommand::Turn(1)).unwrap();
            plant.assert_at([-f64::from(off_mm), 0.0], 90.0);
        }
    }

    #[test]
    fn unequal_motors_still_drive_straight() {
        let mut plant = Plant::new();
        plant.strength = [0.85, 1.0];
        for _ in 0..5 {
            plant.drive(&[Ahead]).unwrap();
        }
        assert!(plant.turned.abs() < 1_500.0, "{}", plant.turned);
        assert!((plant.forward() - 900.0).abs() < 6.0, "{}", plant.forward());
    }

    #[test]
    fn an_obstacle_in_the_next_cell_sends_the_robot_back() {
        let mut plant = Plant::new();
        plant.obstacle = Some(120.0);
        let (result, _) = plant.drive(&[Ahead]).unwrap();
        assert_eq!(result, blocked(0, 0));
        assert!(plant.forward().abs() < 4.0, "{}", plant.forward());
    }

    #[test]
    fn an_obstacle_that_appears_behind_half_a_cell_sends_the_robot_back() {
        let mut plant = Plant::new();
        plant.leave(Ahead);
        while plant.forward() < 90.0 {
            assert_eq!(plant.control(), Ok(None));
        }
        plant.obstacle = Some(190.0);
        let (result, _) = plant.finish().unwrap();
        // It was in the frame of the next cell already.
        assert_eq!(result, blocked(1, -1));
        // What is ahead may have been a wall, and moved the estimate by 12 mm.
        assert!(plant.forward().abs() < 16.0, "{}", plant.forward());
    }

    #[test]
    fn a_robot_that_may_be_off_the_centre_turns_slowly() {
        let ms = |prepare: fn(&mut PoseEstimator)| {
            let mut plant = Plant::new();
            prepare(&mut plant.robot.estimator);
            plant.run(MotionCommand::Turn(1)).unwrap().1 * 5
        };
        let sure = ms(|_| ());
        // Back and forth without a wall in view.
        let uncertain = ms(|estimator| {
            for _ in 0..30 {
                for um in [50_000, -50_000] {
                    estimator.integrate([um; 2], 0, 5_000);
                }
            }
        });
        let beside = ms(|estimator| {
            for (um, turned) in [(0, 90_000), (10_000, 0), (0, -90_000)] {
                estimator.integrate([um; 2], turned, 5_000);
            }
        });
        assert!(
            sure < 1_500 && uncertain > 2_500 && beside > 2_500,
            "{sure} {uncertain} {beside}"
        );
    }

    #[test]
    fn a_wheel_that_runs_away_in_a_slow_turn_is_noticed_within_six_degrees() {
        let mut plant = Plant::new();
        let new = ZUMO2040.calibration;
        plant.robot.command(MotionCommand::Turn(1), &new);
        let mut planned = 0;
        let fault = loop {
            let mut input = plant.step();
            // The left encoder is dead.
            input.wheels[0] = 0;
            planned += CAREFUL_TURN_SPEED / 200;
            match plant.robot.step(&input, &new) {
                Ok((duties, _)) => plant.duties = duties.unwrap().map(Duty::get),
                Err(fault) => break fault,
            }
        };
        let excess = plant.turned - f64::from(planned);
        assert!(fault == Fault::Stall && excess < 6_000.0, "{excess}");
    }

    #[test]
    fn a_dazzled_receiver_stops_the_robot() {
        let mut plant = Plant::new();
        plant.leave(Ahead);
        for _ in 0..30 {
            assert_eq!(plant.control(), Ok(None));
        }
        let from = plant.forward();
        let view = WallView {
            distances: Distances {
                front: None,
                ..Distances::all(Interval::beyond(240_000))
            },
            age_us: 0,
        };
        let mut results = (0..400).filter_map(|_| {
            let mut input = plant.step();
            input.view = Some(view);
            let (duties, result) = plant.robot.step(&input, &CALIBRATION).unwrap();
            plant.duties = duties.map_or([0; 2], |duties| duties.map(Duty::get));
            result
        });
        assert_eq!(results.next(), Some(blocked(0, 0)));
        assert!(plant.furthest < from + 40.0, "{}", plant.furthest);
    }

    #[test]
    fn wheels_that_slip_lose_the_pose_and_stop() {
        let mut plant = Plant::new();
        for _ in 0..3 {
            plant.leave(Ahead);
        }
        for _ in 0..80 {
            assert_eq!(plant.control(), Ok(None));
        }
        // The left track loses its grip: the gyro turns, the wheels do not.
        let mut lost = (0..100).filter_map(|_| {
            let mut input = plant.step();
            input.turned = input.turned.map(|turned| turned - 250);
            plant.robot.step(&input, &CALIBRATION).unwrap().1
        });
        assert_eq!(lost.next(), Some(MotionResult::Lost(Fault::Slip)));
        assert!(plant.robot.is_at_rest());
    }

    #[test]
    fn an_obstacle_far_ahead_shortens_a_long_route() {
        for ahead in (150..1200).step_by(7) {
            let mut plant = Plant::new();
            plant.obstacle = Some(f64::from(ahead));
            // Cells the robot fits into: its front receiver is 45 mm ahead of its centre.
            let free = f64::from(ahead + 45 - 49) / 180.0;
            let (result, _) = plant.drive(&[Ahead; 8]).unwrap();
            let cells = match result {
                MotionResult::Stopped(end) => i32::from(end.from) + i32::from(end.cells),
                MotionResult::Blocked(end) => {
                    let cells = i32::from(end.from) + i32::from(end.cells);
                    let next = f64::from(cells) + 1.0;
                    // Within the margin of an obstacle, too.
                    assert!(free < next + 0.14, "{ahead}: cell {next} is free");
                    cells
                }
                MotionResult::Done(_) | MotionResult::Lost(_) => panic!("{ahead}: {result:?}"),
            };
            assert!(f64::from(cells) <= free, "{ahead}: {cells}");
            let error = plant.forward() - 180.0 * f64::from(cells);
            assert!(error.abs() < 30.0, "{ahead}: {error}");
            // It was never touched.
            assert!(
                plant.furthest < f64::from(ahead) - 4.0,
                "{ahead}: {}",
                plant.furthest
            );
            assert_eq!(i32::from(plant.robot.cell_number()), cells);
        }
    }

    #[test]
    fn a_route_shortened_in_time_ends_without_backing_up() {
        let mut plant = Plant::new();
        // In the fifth cell ahead; the fourth is free.
        plant.obstacle = Some(880.0);
        let (result, _) = plant.drive(&[Ahead; 8]).unwrap();
        assert!(matches!(result, MotionResult::Stopped(_)), "{result:?}");
        let (forward, furthest) = (plant.forward(), plant.furthest);
        assert!((forward - 720.0).abs() < 6.0, "{forward}");
        assert!(furthest < forward + 3.0, "it backed up from {furthest}");
    }

    #[test]
    fn an_obstacle_after_a_turn_in_place_is_told_with_the_turn() {
        let mut plant = Plant::new();
        plant.leave(Right);
        while plant.at[1] < 30.0 {
            assert_eq!(plant.control(), Ok(None));
        }
        plant.obstacle = Some(60.0);
        let end = RouteEnd {
            from: 0,
            quarters: 1,
            cells: 0,
        };
        assert_eq!(plant.finish().unwrap().0, MotionResult::Blocked(end));
        assert_eq!(plant.robot.quarters(), 0);
    }

    #[test]
    fn exits_are_dropped_after_an_obstacle_until_they_are_accepted_again() {
        let mut plant = Plant::new();
        plant.obstacle = Some(120.0);
        plant.drive(&[Ahead]).unwrap();
        plant.obstacle = None;
        plant.leave(Ahead);
        assert!(
            plant.robot.is_at_rest(),
            "sent before the obstacle was known"
        );
        plant
            .robot
            .command(MotionCommand::AcceptExits, &CALIBRATION);
        let (result, _) = plant.drive(&[Ahead]).unwrap();
        assert_eq!(result, MotionResult::Done(1));
    }

    #[test]
    fn the_wall_behind_the_destination_is_no_obstacle() {
        let mut plant = Plant::new();
        plant.obstacle = Some(180.0 + 39.0);
        let (result, _) = plant.drive(&[Ahead]).unwrap();
        assert_eq!(result, MotionResult::Done(1));
    }

    #[test]
    fn a_bright_wall_behind_the_destination_is_no_obstacle() {
        for sensed_at in [0.85, 1.15] {
            let mut plant = Plant::new();
            (plant.obstacle, plant.sensed_at) = (Some(180.0 + 39.0), sensed_at);
            let (result, _) = plant.drive(&[Ahead]).unwrap();
            assert_eq!(result, MotionResult::Done(1), "{sensed_at}");
        }
    }

    #[test]
    fn a_robot_far_off_the_middle_stops_instead_of_a_smooth_turn() {
        for (lateral_um, is_smooth) in [(0, true), (10_000, true), (20_000, false)] {
            let mut plant = Plant::new();
            let uncertainty = plant.robot.uncertainty();
            for exit in [Ahead, Right, Ahead] {
                plant.leave(exit);
            }
            while plant.forward() < 90.0 {
                assert_eq!(plant.control(), Ok(None));
            }
            let mut pose = plant.robot.pose();
            // So wide that it does not get back to the middle before.
            pose.lateral_um = lateral_um;
            let wide = Uncertainty {
                lateral_um: 20_000,
                ..uncertainty
            };
            plant.robot.estimator.place(pose, wide);
            let mut least = i32::MAX;
            while plant.robot.cell_number() < 2 {
                assert_eq!(plant.control(), Ok(None));
                least = least.min(plant.robot.speed());
            }
            assert_eq!(least > 0, is_smooth, "{lateral_um}");
        }
    }

    #[test]
    fn a_robot_that_becomes_certain_of_its_position_speeds_up_at_once() {
        let mut plant = Plant::new();
        let certain = plant.robot.uncertainty();
        let unsure = Uncertainty {
            lateral_um: UNSURE_UM + 1_000,
            ..certain
        };
        plant.robot.estimator.place(Pose::default(), unsure);
        for _ in 0..4 {
            plant.leave(Ahead);
        }
        let top = |plant: &mut Plant| {
            let speeds = (0..60).map(|_| {
                assert_eq!(plant.control(), Ok(None));
                plant.robot.speed()
            });
            speeds.max().unwrap()
        };
        assert_eq!(top(&mut plant), 100_000);
        let pose = plant.robot.pose();
        plant.robot.estimator.place(pose, certain);
        assert!(top(&mut plant) > 200_000);
    }

    #[test]
    fn a_wall_ahead_corrects_odometry() {
        let mut plant = Plant::new();
        // The robot stands 15 mm behind its estimate.
        plant.obstacle = Some(180.0 + 39.0 + 15.0);
        plant.drive(&[Ahead]).unwrap();
        let estimate = f64::from(plant.robot.pose().forward_um) / 1000.0;
        let error = plant.forward() - 195.0 - estimate;
        assert!(error.abs() < 5.0, "{error}");
    }

    #[test]
    fn a_blocked_wheel_is_a_stall() {
        for strength in [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]] {
            for command in [
                MotionCommand::Leave(Ahead, SpeedLevel::Search),
                MotionCommand::Turn(1),
            ] {
                let mut plant = Plant::new();
                plant.strength = strength;
                let fault = plant.run(command).unwrap_err();
                assert_eq!(fault, Fault::Stall, "{strength:?} {command:?}");
            }
        }
    }

    #[test]
    fn wheel_odometry_replaces_a_missing_gyro() {
        let mut plant = Plant::new();
        plant.gyro_works = false;
        plant.run(MotionCommand::Turn(1)).unwrap();
        assert!((plant.turned - 90_000.0).abs() < 2_000.0);
    }

    #[test]
    fn an_aborted_motion_ends_at_once_without_a_result() {
        for command in [
            MotionCommand::Leave(Ahead, SpeedLevel::Search),
            MotionCommand::Turn(2),
        ] {
            let mut plant = Plant::new();
            plant.robot.command(command, &CALIBRATION);
            for _ in 0..80 {
                assert_eq!(plant.control(), Ok(None));
            }
            assert_ne!(plant.duties, [0; 2], "{command:?}");
            plant.robot.abort();
            assert!(plant.robot.is_at_rest());
            assert_eq!(plant.control(), Ok(None), "{command:?}");
            assert_eq!(plant.duties, [0; 2], "{command:?}");
        }
    }

    #[test]
    fn reset_puts_the_pose_into_the_centre_of_the_cell() {
        let mut plant = Plant::new();
        plant.robot.command(
            MotionCommand::Leave(Ahead, SpeedLevel::Search),
            &CALIBRATION,
        );
        for _ in 0..100 {
            assert_eq!(plant.control(), Ok(None));
        }
        plant.robot.abort();
        assert!(plant.robot.pose().forward_um.abs() > CENTER_TOLERANCE_UM);
        plant.robot.command(MotionCommand::Reset(180), &CALIBRATION);
        assert_eq!(plant.robot.pose(), Pose::default());
        assert!(plant.robot.is_at_rest());
    }

    #[test]
    fn a_robot_that_was_reset_does_not_back_up_before_a_turn() {
        let shift = |robot: &mut MotionController| {
            // 10 mm to the right, at ten degrees.
            for (travel, turned) in [(0, 10_000), (57_600, 0), (0, -10_000), (-57_600, 0)] {
                robot.estimator.integrate([travel, travel], turned, 5_000);
            }
            assert!(robot.pose().lateral_um > LATERAL_TOLERANCE_UM);
        };
        let mut plant = Plant::new();
        plant.drive(&[Ahead]).unwrap();
        let mut robot = plant.robot;
        shift(&mut robot);
        let mut copy = robot;
        copy.command(MotionCommand::Turn(1), &CALIBRATION);
        assert_eq!(copy.direction(), -1, "it came from there");

        robot.command(MotionCommand::Reset(180), &CALIBRATION);
        shift(&mut robot);
        robot.command(MotionCommand::Turn(1), &CALIBRATION);
        assert_eq!(robot.direction(), 0, "what is behind it is not known");
    }

    /// Seconds of a profile.
    fn seconds(mut profile: VelocityProfile) -> f64 {
        let mut steps = 0;
        while !profile.is_done() {
            profile.step(5_000);
            steps += 1;
        }
        0.005 * f64::from(steps)
    }

    /// Profile from rest to a speed.
    fn departure(length: i32, limits: SpeedLimits) -> VelocityProfile {
        let top = limits.straight_mm_s * 1000;
        let mut profile = VelocityProfile::new(length, top, limits.acceleration_mm_s2 * 1000);
        assert!(profile.retarget(length, limits.turn_mm_s * 1000));
        profile
    }

    #[test]
    fn turning_in_a_dead_end_is_faster_than_backing_out_of_it() {
        let turn = ZUMO2040.turn;
        let search = ZUMO2040.limits(SpeedLevel::Search);
        let pivot = |mdeg| seconds(VelocityProfile::new(mdeg, TURN_SPEED, TURN_ACCELERATION));
        let arc = f64::from(turn.length_um()) / 1000.0 / f64::from(search.turn_mm_s);
        for cells in 1..=4 {
            let um = 180_000 * cells;
            // Both leave the first cell with another exit by it, at the speed of smooth turns.
            let turned = pivot(180_000) + seconds(departure(um - turn.entry_um(), search)) + arc;
            let backed = |limits: SpeedLimits| {
                let acceleration = limits.acceleration_mm_s2 * 1000;
                let back = VelocityProfile::new(um, limits.straight_mm_s * 1000, acceleration);
                seconds(back) + pivot(90_000) + seconds(departure(turn.entry_um(), search))
            };
            // As fast as the robot moves without sensing what is ahead of it.
            let loss = backed(POSITIONING) - turned;
            assert!(loss > 0.2, "{cells}: {loss}");
            // As if it sensed what is behind it.
            let gain = turned - backed(search);
            assert!((0.2..0.4).contains(&gain), "{cells}: {gain}");
        }
    }
}
