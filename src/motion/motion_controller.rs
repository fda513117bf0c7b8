//! Executes one motion command at a time: turns in place, and advances that stop in front of obstacles.

use super::{
    CellSize, PoseEstimator, RADIAN_MDEG, VelocityProfile, WallView, WheelController, scale_by,
};
use crate::{
    boards::BoardConfig,
    calibration::Calibration,
    calibrator::Routine,
    config::{
        ACCELERATION, ADVANCE_SPEED, BACK_UP_UM, BRAKE_DECELERATION, CAREFUL_SPEED,
        CAREFUL_TURN_SPEED, CATCH_UP_PERCENT, CENTER_TOLERANCE_UM, CONTROL_PERIOD, HEADING_KP,
        HEADING_TOLERANCE_MDEG, LATERAL_HEADING_LIMIT, LATERAL_KP, LATERAL_TOLERANCE_UM,
        MOTION_TIMEOUT, OBSTACLE_MARGIN_UM, OBSTACLE_READINGS, POSITION_KP, POSITION_TOLERANCE_UM,
        RANGE_ERROR, SETTLE_STEPS, STILL_UM, STRAIGHTEN_UM, TURN_ACCELERATION, TURN_CLEARANCE_UM,
        TURN_SPEED, UNSURE_TURN_SPEED,
    },
    fault::Fault,
    robot::{Duty, Interval},
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

/// Motion in progress.
#[derive(Clone, Copy, Debug)]
enum Motion {
    Rest,
    /// Turn in place, with its quarter turns to the right.
    Turn(VelocityProfile, i8),
    Straight(Straight, Purpose),
}

/// Purpose of a straight motion.
#[derive(Clone, Copy, Debug)]
enum Purpose {
    /// Backing up before a turn, with its quarter turns.
    BackUp(i8),
    /// Centring before a turn, with its quarter turns.
    Center(i8),
    /// Advancing by a number of cells, unless there is an obstacle.
    Advance(u8),
    /// Braking for an obstacle, with its largest forward position; then returning to a centre.
    Brake(i32),
    /// Driving a distance for calibration.
    Roll,
    /// Moving to the centre of a cell, with the result to return there.
    Finish(MotionResult),
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
    /// Motion at a speed in mm/s.
    fn new(from: i32, to: i32, speed: i32) -> Self {
        Self {
            from,
            direction: if to < from { -1 } else { 1 },
            profile: VelocityProfile::new((to - from).abs(), speed * 1000, ACCELERATION * 1000),
        }
    }

    /// Forward position where the robot should be.
    fn setpoint(&self) -> i32 {
        self.from + self.direction * self.profile.position()
    }
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
    /// Control steps within tolerance.
    settled: u8,
    /// Control steps since the profile ended.
    overtime: u32,
    /// Consecutive readings that found an obstacle.
    obstacle_readings: u8,
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
            settled: 0,
            overtime: 0,
            obstacle_readings: 0,
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
        self.estimator.uncertainty()
    }

    /// Number of walls ahead and ends of walls that confirmed the forward position, wrapping.
    #[must_use]
    pub fn fixes(&self) -> u8 {
        self.estimator.fixes()
    }

    /// Whether no motion is in progress; the motors are off then.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        matches!(self.motion, Motion::Rest)
    }

    /// Drops the current motion: the motors are off from the next step on, and the pose stays an estimate.
    pub fn abort(&mut self) {
        self.begin(Motion::Rest);
    }

    /// Starts a command in place of the current one: slowly while the walls are not calibrated, as they may be
    /// sensed late or at a wrong distance.
    ///
    /// [`MotionCommand::Reset`] takes effect at once and has no result.
    pub fn command(&mut self, command: MotionCommand, calibration: &Calibration) {
        let Pose {
            forward_um: forward,
            lateral_um: lateral,
            ..
        } = self.pose();
        self.ignores_walls = matches!(command, MotionCommand::Pivot(_) | MotionCommand::Roll(_));
        self.is_careful = !self.ignores_walls && !calibration.is_measured(Routine::Walls);
        match command {
            MotionCommand::Turn(quarters)
                if lateral.abs() > LATERAL_TOLERANCE_UM && self.came_from_behind =>
            {
                let to = forward.min(0) - BACK_UP_UM.min(self.cell.um() * 3 / 4);
                self.straight(to, Purpose::BackUp(quarters));
            }
            MotionCommand::Turn(quarters) if forward.abs() > CENTER_TOLERANCE_UM => {
                self.straight(0, Purpose::Center(quarters));
            }
            MotionCommand::Turn(quarters) => self.turn(quarters),
            MotionCommand::Advance(cells) => {
                let to = i32::from(cells) * self.cell.um();
                self.straight(to, Purpose::Advance(cells));
            }
            MotionCommand::Pivot(quarters) => self.turn(quarters),
            MotionCommand::Roll(um) => self.straight(forward + um, Purpose::Roll),
            MotionCommand::Reset(cell_mm) => *self = Self::new(self.board, cell_mm),
            // Not a motion with a goal: the drive task carries it out.
            MotionCommand::OpenLoop(..) => self.abort(),
        }
    }

    /// Begins a straight motion to a forward position.
    fn straight(&mut self, to: i32, purpose: Purpose) {
        let straight = Straight::new(self.pose().forward_um, to, self.speed());
        self.begin(Motion::Straight(straight, purpose));
    }

    /// Speed of straight motions, in mm/s.
    fn speed(&self) -> i32 {
        if self.is_careful {
            CAREFUL_SPEED
        } else {
            ADVANCE_SPEED
        }
    }

    fn turn(&mut self, quarters: i8) {
        let angle = i32::from(quarters.unsigned_abs()) * 90_000;
        let Uncertainty {
            forward_um,
            lateral_um,
            ..
        } = self.uncertainty();
        let speed = if forward_um.max(lateral_um) > TURN_CLEARANCE_UM && !self.ignores_walls {
            UNSURE_TURN_SPEED
        } else if self.is_careful {
            CAREFUL_TURN_SPEED
        } else {
            TURN_SPEED
        };
        let profile = VelocityProfile::new(angle, speed, TURN_ACCELERATION);
        self.begin(Motion::Turn(profile, quarters));
    }

    fn begin(&mut self, motion: Motion) {
        if self.is_at_rest() {
            self.wheels = Default::default();
        }
        self.motion = motion;
        (self.settled, self.overtime, self.obstacle_readings) = (0, 0, 0);
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
            self.begin(Motion::Rest);
            return Ok((None, Some(MotionResult::Lost(fault))));
        }
        let pose = self.pose();
        // In micrometres per second.
        let limit = self.speed() * CATCH_UP_PERCENT * 10;
        let speeds = match &mut self.motion {
            Motion::Rest => return Ok((None, None)),
            Motion::Turn(profile, quarters) => {
                profile.step(input.us);
                let sign = i32::from(quarters.signum());
                let error = sign * profile.position() - pose.yaw_mdeg;
                (0, sign * profile.speed() + error * HEADING_KP)
            }
            Motion::Straight(straight, _) => {
                straight.profile.step(input.us);
                straight_speeds(straight, pose, limit)
            }
        };
        let duties = self.wheel_duties(speeds, input, calibration)?;
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
                let turns = matches!(self.motion, Motion::Turn(..));
                self.estimator.check_slip(by_wheels, turned, turns)?;
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
            let corrected = self.estimator.correct(&known, direction);
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
            Motion::Rest | Motion::Turn(..) => 0,
            Motion::Straight(straight, _) => straight.direction,
        }
    }

    fn wheel_duties(
        &mut self,
        (speed, turn): (i32, i32),
        input: &ControlInput,
        calibration: &Calibration,
    ) -> Result<[Duty; 2], Fault> {
        // Half the track times the yaw rate in radians.
        let difference = scale_by::<{ RADIAN_MDEG as u32 }>(turn, calibration.track_um as i32 / 2);
        let us = input.us;
        let motors = &calibration.motors;
        let [of_left, of_right] = match self.motion {
            Motion::Turn(..) => &motors.turning,
            Motion::Rest | Motion::Straight(..) => &motors.straight,
        };
        let [left, right] = &mut self.wheels;
        let [left_full, right_full] = motors.full_speed;
        Ok([
            left.step(speed + difference, input.wheels[0], us, left_full, of_left)?,
            right.step(
                speed - difference,
                input.wheels[1],
                us,
                right_full,
                of_right,
            )?,
        ])
    }

    /// Counts the steps within tolerance after the end of the profile.
    fn settle(&mut self, input: &ControlInput) -> Result<(), Fault> {
        let (forward_um, yaw_mdeg) = (self.pose().forward_um, self.pose().yaw_mdeg);
        let (profile, is_near) = match &self.motion {
            Motion::Rest => return Ok(()),
            Motion::Turn(profile, quarters) => {
                let error = i32::from(*quarters) * 90_000 - yaw_mdeg;
                (profile, error.abs() < HEADING_TOLERANCE_MDEG)
            }
            // Anywhere will do.
            Motion::Straight(straight, Purpose::Brake(_)) => (&straight.profile, true),
            Motion::Straight(straight, _) => {
                let error = straight.setpoint() - forward_um;
                let is_near =
                    error.abs() < POSITION_TOLERANCE_UM && yaw_mdeg.abs() < HEADING_TOLERANCE_MDEG;
                (&straight.profile, is_near)
            }
        };
        if !profile.is_done() {
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
            Motion::Rest => None,
            Motion::Turn(_, quarters) => {
                self.came_from_behind = false;
                self.estimator.rotate_frame(quarters);
                self.begin(Motion::Rest);
                Some(MotionResult::Done)
            }
            Motion::Straight(_, Purpose::BackUp(quarters)) => {
                // Backs up once only.
                self.came_from_behind = false;
                self.straight(0, Purpose::Center(quarters));
                None
            }
            Motion::Straight(_, Purpose::Center(quarters)) => {
                self.turn(quarters);
                None
            }
            Motion::Straight(_, Purpose::Brake(obstacle)) => {
                // The last cell whose centre the robot has passed.
                let cells = ((forward + CENTER_TOLERANCE_UM) / cell).max(0);
                let is_next =
                    obstacle < (cells + 1) * cell + self.cell.wall_face_um() - OBSTACLE_MARGIN_UM;
                let result = if is_next {
                    MotionResult::Blocked(cells as u8)
                } else {
                    MotionResult::Stopped(cells as u8)
                };
                self.straight(cells * cell, Purpose::Finish(result));
                None
            }
            Motion::Straight(_, Purpose::Advance(cells)) => self.rest(cells, MotionResult::Done),
            Motion::Straight(_, Purpose::Roll) => self.rest(0, MotionResult::Done),
            Motion::Straight(_, Purpose::Finish(result)) => {
                let cells = match result {
                    MotionResult::Blocked(cells) | MotionResult::Stopped(cells) => cells,
                    MotionResult::Done | MotionResult::Lost(_) => 0,
                };
                self.rest(cells, result)
            }
        }
    }

    /// Comes to rest a number of cells further.
    fn rest(&mut self, cells: u8, result: MotionResult) -> Option<MotionResult> {
        self.came_from_behind |= cells > 0;
        self.estimator.advance_frame(cells.into());
        self.begin(Motion::Rest);
        Some(result)
    }

    /// Shortens an advance, or brakes, if there is an obstacle ahead.
    fn avoid_obstacle(&mut self, ahead: Option<Interval>) {
        let Motion::Straight(mut straight, Purpose::Advance(cells)) = self.motion else {
            return;
        };
        let (forward, cell) = (self.pose().forward_um, self.cell.um());
        let front = forward + self.board.front_sensor_mm * 1000;
        let wall = i32::from(cells) * cell + self.cell.wall_face_um() - front;
        let ahead = match ahead {
            // A dazzled receiver sees nothing: anything may be right ahead.
            None if !self.is_careful => Some(Interval { near: 0, far: 0 }),
            ahead => ahead,
        };
        let obstacle = ahead.filter(|range| {
            let error = if self.is_careful {
                scale_by::<{ RANGE_ERROR as u32 }>(range.far, 1)
            } else {
                0
            };
            range.is_in_range() && range.far + error < wall - OBSTACLE_MARGIN_UM
        });
        self.obstacle_readings = match obstacle {
            Some(_) => self.obstacle_readings + 1,
            None => 0,
        };
        let Some(range) = obstacle.filter(|_| self.obstacle_readings >= OBSTACLE_READINGS) else {
            return;
        };
        // Cells in front of the nearest place where it can be.
        let free = (front + range.near - cell / 2) / cell;
        if free > forward / cell && straight.profile.shorten(free * cell - straight.from) {
            let result = MotionResult::Stopped(free as u8);
            self.begin(Motion::Straight(straight, Purpose::Finish(result)));
        } else {
            straight.profile.brake(BRAKE_DECELERATION * 1000);
            let obstacle = front + range.far;
            self.begin(Motion::Straight(straight, Purpose::Brake(obstacle)));
        }
    }
}

/// Forward speed and yaw rate for a straight motion, with a limit of the speed in um/s.
fn straight_speeds(straight: &Straight, pose: Pose, limit: i32) -> (i32, i32) {
    let Straight {
        direction, profile, ..
    } = straight;
    let error = straight.setpoint() - pose.forward_um;
    let speed = (direction * profile.speed() + error * POSITION_KP).clamp(-limit, limit);
    let heading = -direction * scale_by::<1000>(pose.lateral_um, LATERAL_KP);
    let heading = heading.clamp(-LATERAL_HEADING_LIMIT, LATERAL_HEADING_LIMIT);
    let heading =
        scale_by::<{ STRAIGHTEN_UM as u32 }>(heading, profile.remaining().min(STRAIGHTEN_UM));
    (speed, (heading - pose.yaw_mdeg) * HEADING_KP)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::{boards::ZUMO2040, robot::Distances};

    const CALIBRATION: Calibration = Calibration {
        measured: Routine::Walls.bit(),
        ..ZUMO2040.calibration
    };

    /// Robot whose wheels follow their duty with a lag, on a perfect floor.
    struct Plant {
        robot: MotionController,
        speeds: [f64; 2],
        travel: [f64; 2],
        /// Largest forward position so far.
        furthest: f64,
        counts: [i64; 2],
        turned: f64,
        duties: [i32; 2],
        /// Relative strength of each motor.
        strength: [f64; 2],
        /// Obstacle ahead of the front receiver's first position, in millimetres.
        obstacle: Option<f64>,
        gyro_works: bool,
    }

    impl Plant {
        fn new() -> Self {
            Self::in_cells(180)
        }

        fn in_cells(mm: u16) -> Self {
            Self {
                robot: MotionController::new(&ZUMO2040, mm),
                speeds: [0.0; 2],
                travel: [0.0; 2],
                furthest: 0.0,
                counts: [0; 2],
                turned: 0.0,
                duties: [0; 2],
                strength: [1.0; 2],
                obstacle: None,
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
                let distance = ((obstacle - forward) * 1000.0) as i32;
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
            for step in 0..2_000 {
                if let Some(result) = self.control()? {
                    assert_eq!(self.duties, [0; 2], "at rest");
                    return Ok((result, step));
                }
            }
            panic!("{command:?} does not end: {:?}", self.robot);
        }

        fn forward(&self) -> f64 {
            (self.travel[0] + self.travel[1]) / 2.0
        }
    }

    #[test]
    fn an_advance_covers_its_cells() {
        let mut plant = Plant::new();
        for cells in [1, 1, 3] {
            let from = plant.forward();
            let (result, steps) = plant.run(MotionCommand::Advance(cells)).unwrap();
            assert_eq!(result, MotionResult::Done);
            let moved = plant.forward() - from;
            assert!((moved - 180.0 * f64::from(cells)).abs() < 4.0, "{moved}");
            std::println!("{cells} cells: {moved:.1} mm in {} ms", steps * 5);
        }
        // Errors of one motion are corrected by the next.
        assert!((plant.forward() - 900.0).abs() < 4.0, "{}", plant.forward());
    }

    #[test]
    fn only_a_robot_with_calibrated_walls_drives_at_full_speed() {
        for (calibration, limit) in [
            (ZUMO2040.calibration, CAREFUL_SPEED),
            (CALIBRATION, ADVANCE_SPEED),
        ] {
            let mut plant = Plant::new();
            plant.robot.command(MotionCommand::Advance(2), &calibration);
            let mut top: f64 = 0.0;
            while !plant.robot.is_at_rest() {
                plant.control().unwrap();
                top = top.max(plant.speeds[0]);
            }
            let limit = f64::from(limit);
            // The wheel loop overshoots by what the robot gains in the motors' lag.
            let overshoot = f64::from(ACCELERATION) * 0.065;
            assert!(
                (0.95 * limit..limit + overshoot).contains(&top),
                "{limit}: {top}"
            );
        }
    }

    #[test]
    fn an_advance_is_as_long_as_the_cells() {
        for mm in [120, 180, 250] {
            let mut plant = Plant::in_cells(mm);
            // The wall behind the second cell is no obstacle, and corrects nothing.
            plant.obstacle = Some(2.5 * f64::from(mm) - 6.0 - 45.0);
            let (result, _) = plant.run(MotionCommand::Advance(2)).unwrap();
            assert_eq!(result, MotionResult::Done, "{mm}");
            let error = plant.forward() - 2.0 * f64::from(mm);
            assert!(error.abs() < 4.0, "{mm}: {error}");
            assert!(plant.robot.pose().forward_um.abs() < 4_000, "{mm}");
        }
    }

    #[test]
    fn turns_cover_their_angle_and_rotate_the_frame() {
        let mut plant = Plant::new();
        let mut heading = 0.0;
        for quarters in [1, -1, 2, -1, -1] {
            let (result, steps) = plant.run(MotionCommand::Turn(quarters)).unwrap();
            assert_eq!(result, MotionResult::Done);
            heading += 90_000.0 * f64::from(quarters);
            let error = plant.turned - heading;
            assert!(error.abs() < 1_500.0, "{error}");
            assert!(plant.robot.pose().yaw_mdeg.abs() < 1_500);
            std::println!("{quarters} quarters: off by {error:.0} in {} ms", steps * 5);
        }
    }

    #[test]
    fn unequal_motors_still_drive_straight() {
        let mut plant = Plant::new();
        plant.strength = [0.85, 1.0];
        for _ in 0..5 {
            plant.run(MotionCommand::Advance(1)).unwrap();
        }
        assert!(plant.turned.abs() < 1_500.0, "{}", plant.turned);
        assert!((plant.forward() - 900.0).abs() < 5.0, "{}", plant.forward());
    }

    #[test]
    fn an_obstacle_in_the_next_cell_sends_the_robot_back() {
        let mut plant = Plant::new();
        plant.obstacle = Some(120.0);
        let (result, _) = plant.run(MotionCommand::Advance(1)).unwrap();
        assert_eq!(result, MotionResult::Blocked(0));
        assert!(plant.forward().abs() < 4.0, "{}", plant.forward());
    }

    #[test]
    fn an_obstacle_that_appears_behind_half_a_cell_sends_the_robot_back() {
        let mut plant = Plant::new();
        plant.robot.command(MotionCommand::Advance(1), &CALIBRATION);
        while plant.forward() < 100.0 {
            assert_eq!(plant.control(), Ok(None));
        }
        plant.obstacle = Some(170.0);
        let result = loop {
            if let Some(result) = plant.control().unwrap() {
                break result;
            }
        };
        assert_eq!(result, MotionResult::Blocked(0));
        // What is ahead may have been a wall, and moved the estimate by 12 mm.
        assert!(plant.forward().abs() < 16.0, "{}", plant.forward());
    }

    #[test]
    fn an_uncertain_robot_turns_slowly() {
        let steps = |times| {
            let mut plant = Plant::new();
            // Back and forth without a wall in view.
            for _ in 0..times {
                for um in [50_000, -50_000] {
                    plant.robot.estimator.integrate([um; 2], 0, 5_000);
                }
            }
            plant.run(MotionCommand::Turn(1)).unwrap().1
        };
        let (sure, unsure) = (steps(0), steps(30));
        assert!(sure * 5 < 1_500 && unsure * 5 > 2_500, "{sure} {unsure}");
    }

    #[test]
    fn a_dazzled_receiver_stops_the_robot() {
        let mut plant = Plant::new();
        plant.robot.command(MotionCommand::Advance(1), &CALIBRATION);
        for _ in 0..60 {
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
        assert_eq!(results.next(), Some(MotionResult::Blocked(0)));
        assert!(plant.furthest < from + 40.0, "{}", plant.furthest);
    }

    #[test]
    fn wheels_that_slip_lose_the_pose_and_stop() {
        let mut plant = Plant::new();
        plant.robot.command(MotionCommand::Advance(3), &CALIBRATION);
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
    fn an_obstacle_far_ahead_shortens_a_long_advance() {
        for ahead in (150..1200).step_by(7) {
            let mut plant = Plant::new();
            plant.obstacle = Some(f64::from(ahead));
            // Cells the robot fits into: its front receiver is 45 mm ahead of its centre.
            let free = f64::from(ahead + 45 - 49) / 180.0;
            let (result, _) = plant.run(MotionCommand::Advance(8)).unwrap();
            let cells = match result {
                MotionResult::Stopped(cells) => cells,
                MotionResult::Blocked(cells) => {
                    let next = f64::from(cells) + 1.0;
                    assert!(free < next, "{ahead}: cell {next} is free");
                    cells
                }
                MotionResult::Done | MotionResult::Lost(_) => panic!("{ahead}: {result:?}"),
            };
            assert!(f64::from(cells) <= free, "{ahead}: {cells}");
            let error = plant.forward() - 180.0 * f64::from(cells);
            assert!(error.abs() < 30.0, "{ahead}: {error}");
        }
    }

    #[test]
    fn an_advance_shortened_in_time_ends_without_backing_up() {
        let mut plant = Plant::new();
        // In the fifth cell ahead; the fourth is free.
        plant.obstacle = Some(860.0);
        let (result, _) = plant.run(MotionCommand::Advance(8)).unwrap();
        assert_eq!(result, MotionResult::Stopped(4));
        let (forward, furthest) = (plant.forward(), plant.furthest);
        assert!((forward - 720.0).abs() < 4.0, "{forward}");
        assert!(furthest < forward + 2.0, "it backed up from {furthest}");
    }

    #[test]
    fn the_wall_behind_the_destination_is_no_obstacle() {
        let mut plant = Plant::new();
        plant.obstacle = Some(180.0 + 39.0);
        let (result, _) = plant.run(MotionCommand::Advance(1)).unwrap();
        assert_eq!(result, MotionResult::Done);
    }

    #[test]
    fn a_wall_ahead_corrects_odometry() {
        let mut plant = Plant::new();
        // The robot stands 15 mm behind its estimate.
        plant.obstacle = Some(180.0 + 39.0 + 15.0);
        plant.run(MotionCommand::Advance(1)).unwrap();
        assert!((plant.forward() - 195.0).abs() < 5.0, "{}", plant.forward());
    }

    #[test]
    fn a_blocked_wheel_is_a_stall() {
        for strength in [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]] {
            for command in [MotionCommand::Advance(1), MotionCommand::Turn(1)] {
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
        for command in [MotionCommand::Advance(1), MotionCommand::Turn(2)] {
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
        plant.robot.command(MotionCommand::Advance(1), &CALIBRATION);
        for _ in 0..100 {
            assert_eq!(plant.control(), Ok(None));
        }
        plant.robot.abort();
        assert!(plant.robot.pose().forward_um > CENTER_TOLERANCE_UM);
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
        plant.run(MotionCommand::Advance(1)).unwrap();
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
}
