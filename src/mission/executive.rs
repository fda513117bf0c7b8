//! Mission executive: senses walls, ticks the planner, commands motions and handles their results.

use embassy_time::{Duration, Instant};
use heapless::Deque;
use planner_core::{
    Budget, Cell, Decision, GoalsError, Observation, Planner, Side, Work, explore::Phase,
    map::Occupancy,
};

use super::{
    Activity, Mission,
    relocalisation::{Relocalisation, Search},
    unconfirmed::UnconfirmedWalls,
};
use crate::{
    boards::BoardConfig,
    calibration::Calibration,
    calibrator::{Calibrator, Failed, Progress, Routine},
    config::{
        BIAS_LIFETIME, BIAS_LIFETIME_DEAD_END, BIAS_REST, BIAS_TIMEOUT, CLEAR_UM, CONFIRMING_FIXES,
        DEADLINE, DECIDE_BEHIND_EDGE_UM, DECISION_TIMEOUT, DOUBT_BY_BLOCKED, DOUBT_BY_FREE,
        DOUBT_BY_OUTER_WALL, EXITS, LIMIT, LOAD_TICKS, LOST_DOUBT, MISSING_ENDS,
        MOVED_BY_HAND_MDEG, NO_PATH_WAIT, NO_PATH_WAITS, OBSTACLE_LIFETIME, RELOCALISATIONS,
        RELOCALISED_DOUBT, SAVE_AFTER, SAVE_AFTER_DEAD_END, SAVES_PER_MISSION, SENSE_RETRIES,
        SPIN_PERMILLE, SPIN_TIME, START_STILL, START_TIMEOUT, TEMPORARY_OBSTACLES, UNSURE_UM,
        VOTES, WALLS_PER_TICK,
    },
    fault::Fault,
    log::debug,
    motion::{CellSize, SpeedLevel},
    navigator::{self, Navigator},
    robot::{Distances, Duty},
    sensing::PlausibilityCheck,
    settings::Settings,
    signals::{
        DriveState, Exit, MotionCommand, MotionResult, RouteEnd, Signals, StoreRequest,
        WallReading, turned,
    },
    telemetry::{Command, Direction, Frame, Load, Motor, Refusal, State},
};

/// Current step of the executive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Waiting for a command.
    Rest,
    /// Waiting since an instant until the robot is still.
    Start { since: Instant },
    /// Sensing until wall reading number `until`.
    Sense { until: u32, tries: u8 },
    /// Waiting for the planner's decision since an instant.
    Decide { since: Instant },
    /// Turning in place.
    Turn { to: Side },
    /// Driving a route.
    Drive,
    /// Waiting for a path.
    Wait { until: Instant },
    /// Clearing the map, starting at `wall`; then saving.
    ClearMap { wall: usize },
    /// Setting blocked walls to unknown, starting at `wall`; then sensing.
    Doubt { wall: usize },
    /// Measuring the robot.
    Calibrate,
    /// Waiting for the store; then sensing if a mission is active.
    Save,
    /// Resting until the gyro bias is learned again; then deciding.
    LearnBias { since: Instant },
    /// Setting walls that are not confirmed back to what they were; then relocalising, or reporting a fault.
    Lose(Fault),
    /// Looking for the robot's place.
    Relocalise,
}

/// Obstacle that may go away, on an edge.
#[derive(Clone, Copy, Debug)]
struct TemporaryObstacle {
    cell: Cell,
    side: Side,
    since: Instant,
}

/// Carries out missions, one bounded tick at a time.
pub struct MissionExecutive<'s> {
    signals: &'s Signals,
    board: &'s BoardConfig,
    /// Cell and heading at the start.
    home: (Cell, Side),
    /// Side of a cell, in millimetres.
    cell_mm: u16,
    /// Whether the robot has not moved since it was put home: it stands in the centre of its cell,
    /// whatever a hand did to it before the start.
    is_at_home: bool,
    /// Whether the pose is unknown: a motion was cut short, or the robot was moved by hand.
    is_lost: bool,
    at: Cell,
    heading: Side,
    /// First cell of the route without an exit, with the heading in which it is entered and its number.
    undecided: (Cell, Side, u8),
    /// Number of the last cell whose walls were taken in on the move.
    sensed: Option<u8>,
    /// Whether the left and the right of that cell are clear for a smooth turn.
    is_clear: [bool; 2],
    /// Whether the robot is to stop in the undecided cell.
    stops: bool,
    /// Whether exits were revoked: the robot stops there or in the next cell.
    is_revoked: bool,
    /// Whether the next route goes to the next cell only, to see what stopped the last one.
    approaches: bool,
    /// Speed level of the next run.
    run_level: SpeedLevel,
    mission: Mission,
    /// Index of the next stop of a patrol.
    stop: u8,
    activity: Activity,
    step: Step,
    temporary_obstacles: Deque<TemporaryObstacle, TEMPORARY_OBSTACLES>,
    /// Waits for a path since there last was one.
    waits: u8,
    /// Whether the last advance ended at an obstacle that may be invisible from here.
    was_blocked: bool,
    /// Checks what an uncalibrated robot senses.
    plausibility: PlausibilityCheck,
    /// Wall changes since the map was saved.
    unsaved: u16,
    /// Saves under way in this mission.
    saves: u8,
    unconfirmed: UnconfirmedWalls,
    /// Doubt about the pose: how much the walls sensed last contradict the map.
    doubt: u8,
    /// Cell and heading of the last look, and the walls that were sensed to its left and right.
    last_look: Option<(Cell, Side, [Occupancy; 2])>,
    /// Ends of walls in a row that the map has and the robot did not see.
    missing_ends: u8,
    /// Whether an outer wall was sensed in this mission: the field has walls around it.
    has_outer_walls: bool,
    /// Last rest in which the gyro bias was learned.
    bias_learned: Instant,
    load: Load,
    /// Calibration routine in progress.
    calibrator: Option<Calibrator>,
    /// Search for the robot's place in progress.
    relocalisation: Option<Relocalisation>,
    /// Such searches in this mission.
    relocalisations: u8,
    /// Whether the place was found again and is not confirmed yet.
    is_careful: bool,
    /// Time of the current tick.
    now: Instant,
}

impl<'s> MissionExecutive<'s> {
    /// Executive of a robot at its home, with the [settings](Signals::settings) in use and the mission to
    /// go to the goal.
    #[must_use]
    pub fn new(signals: &'s Signals, board: &'s BoardConfig) -> Self {
        let settings = signals.settings();
        let field = settings.field;
        signals.set_cell(0, field.home, field.heading);
        Self {
            signals,
            board,
            home: (field.home, field.heading),
            cell_mm: settings.cell_mm,
            is_at_home: true,
            is_lost: false,
            at: field.home,
            heading: field.heading,
            undecided: (field.home, field.heading, 0),
            sensed: None,
            is_clear: [true; 2],
            stops: false,
            is_revoked: false,
            approaches: false,
            run_level: SpeedLevel::Normal,
            mission: default_mission(&settings),
            stop: 0,
            activity: Activity::Idle,
            step: Step::Rest,
            temporary_obstacles: Deque::new(),
            waits: 0,
            was_blocked: false,
            plausibility: PlausibilityCheck::default(),
            unsaved: 0,
            saves: 0,
            unconfirmed: UnconfirmedWalls::default(),
            doubt: 0,
            last_look: None,
            missing_ends: 0,
            has_outer_walls: false,
            bias_learned: Instant::MIN,
            load: Load::default(),
            calibrator: None,
            relocalisation: None,
            relocalisations: 0,
            is_careful: false,
            now: Instant::MIN,
        }
    }

    /// State of the robot by cells; [`Signals::state`] adds the pose.
    #[must_use]
    pub fn state(&self, now: Instant) -> State {
        State {
            ms: now.as_millis() as u32,
            activity: self.activity,
            ..State::new(self.at, self.heading)
        }
    }

    /// Speed level of the next run.
    #[must_use]
    pub fn run_level(&self) -> SpeedLevel {
        self.run_level
    }

    /// Drops the mission after a fault; the pose is lost from here on. Walls that are not confirmed are taken
    /// back, [`WALLS_PER_TICK`] at a time.
    pub fn abort(&mut self, navigator: &mut Navigator) {
        self.cancel_calibration();
        self.relocalisation = None;
        self.take_back_walls(navigator);
        if self.step == Step::Drive && navigator.phase() == Phase::Run {
            self.run_level = self.run_level.slower();
        }
        self.step = Step::Rest;
        self.activity = Activity::Faulty;
        self.is_lost = true;
    }

    /// Drops the mission after the motors were cut. If that ended a motion, the pose is lost: the robot
    /// slid to a stop, and a person takes it away.
    pub fn stop(&mut self) {
        self.cancel_calibration();
        self.relocalisation = None;
        self.is_lost |= matches!(self.step, Step::Turn { .. } | Step::Drive);
        if !matches!(self.step, Step::Save | Step::ClearMap { .. }) {
            self.step = Step::Rest;
        }
        self.rest();
    }

    /// Shows that there is no mission.
    fn rest(&mut self) {
        self.activity = if self.is_lost {
            Activity::Lost
        } else {
            Activity::Idle
        };
    }

    /// Resets cell and pose after a person has put the robot at its home.
    fn reset_to_home(&mut self) {
        (self.at, self.heading) = self.home;
        (self.is_at_home, self.is_lost) = (true, false);
        (self.doubt, self.missing_ends, self.last_look) = (0, 0, None);
        self.is_careful = false;
        self.reset_pose();
        self.rest();
    }

    fn clear_fault(&mut self) {
        if self.signals.fault().is_some() {
            self.signals.reset_fault();
            self.signals.send(Frame::Cleared);
        }
        self.rest();
    }

    /// Executes a command.
    ///
    /// # Errors
    /// The command is refused, and nothing has changed.
    pub fn execute(&mut self, command: Command, navigator: &mut Navigator) -> Result<(), Refusal> {
        let is_safe = matches!(
            command,
            Command::Stop | Command::ClearFault | Command::PlacedAtHome
        );
        if self.signals.fault().is_some() && !is_safe {
            return Err(Refusal::Faulty);
        }
        match command {
            Command::SetGoal(cell) => {
                if self.is_active() && matches!(self.mission, Mission::GoTo(_)) {
                    navigator.go_to(&[cell]).map_err(|_| Refusal::Invalid)?;
                    self.signals.set_goals(&[cell]);
                }
                self.mission = Mission::GoTo(cell);
            }
            Command::SetMission(mission) => {
                if self.is_active() {
                    return Err(Refusal::Moving);
                }
                self.mission = mission;
            }
            Command::Start => {
                if self.is_active() {
                    return Err(Refusal::Moving);
                }
                self.start(navigator)?;
            }
            Command::Home => {
                let before = core::mem::replace(&mut self.mission, Mission::Home);
                if let Err(refusal) = self.start(navigator) {
                    self.mission = before;
                    return Err(refusal);
                }
            }
            Command::Stop => {
                self.signals.stop();
                self.stop();
            }
            Command::ClearFault => self.clear_fault(),
            Command::PlacedAtHome => {
                if self.activity.is_active() {
                    return Err(Refusal::Moving);
                }
                self.clear_fault();
                self.reset_to_home();
            }
            Command::SetSettings(settings) => self.set_settings(settings, navigator)?,
            Command::Spin(motor, direction) => {
                self.check_standing()?;
                self.spin(motor, direction);
            }
            Command::RestartToBootloader => {
                self.check_standing()?;
                self.signals.restart_to_bootloader.signal(());
            }
            Command::ForgetMap => {
                self.check_standing()?;
                self.clear_map();
            }
            Command::SetCalibration(calibration) => {
                self.check_standing()?;
                if !calibration.is_valid() {
                    return Err(Refusal::Invalid);
                }
                self.save_calibration(calibration);
            }
            Command::ResetCalibration => {
                self.check_standing()?;
                self.save_calibration(self.board.calibration);
            }
            Command::SetGear(gear) => {
                self.check_standing()?;
                self.save_calibration(self.signals.calibration().with_gear(gear));
            }
            Command::GetCalibration => self.signals.send_calibration(),
            Command::Calibrate(routine) => {
                self.check_standing()?;
                (self.is_at_home, self.is_lost) = (false, true);
                self.rest();
                self.reset_pose();
                self.calibrator = Some(Calibrator::new(routine, self.now));
                self.signals.set_progress(Progress::Running(routine));
                self.step = Step::Calibrate;
            }
            Command::Measured(value) => match &mut self.calibrator {
                Some(calibrator) if calibrator.is_waiting() => calibrator.measure(value),
                _ => return Err(Refusal::Invalid),
            },
            // Answered by the report task.
            Command::GetMap => return Err(Refusal::Unknown),
        }
        Ok(())
    }

    /// Runs one tick: at most [`LIMIT`] expansions and [`WALLS_PER_TICK`] walls.
    pub fn tick(&mut self, navigator: &mut Navigator, now: Instant) {
        self.now = now;
        self.expire_obstacle(navigator);
        self.check_moved_by_hand();
        match self.step {
            Step::Rest => {}
            Step::Start { since } => self.wait_until_still(since),
            Step::Sense { until, tries } => match self.signals.wall_reading.try_get() {
                Some(reading) if reading.count.wrapping_sub(until) < u32::MAX / 2 => {
                    self.sense(&reading, tries, navigator);
                }
                _ => {}
            },
            Step::Decide { since } => self.decide(since, navigator),
            Step::Turn { to } => {
                self.plan(self.at, navigator);
                match self.signals.motion_result.try_take() {
                    None => {}
                    Some(MotionResult::Lost(fault)) => self.lose(fault),
                    Some(_) => {
                        self.heading = to;
                        navigator.turn_to(to);
                        self.begin_sensing();
                    }
                }
            }
            Step::Drive => self.drive(navigator),
            Step::Wait { until } if now >= until => self.retry(navigator),
            Step::Wait { .. } => {}
            Step::ClearMap { wall } => self.clear_walls(wall, navigator),
            Step::Calibrate => self.calibrate(),
            Step::Doubt { wall } => self.doubt_walls(wall, navigator),
            Step::Save => {
                if self.signals.store_done.try_take().is_some() {
                    self.begin_sensing();
                }
            }
            Step::LearnBias { since } => {
                let rested = self.now.saturating_duration_since(since);
                let still = Duration::from_millis(self.signals.still_ms().into());
                if still.min(rested) >= BIAS_REST || rested > BIAS_TIMEOUT {
                    self.bias_learned = self.now;
                    self.decide(self.now, navigator);
                }
            }
            Step::Lose(fault) => {
                if self.take_back_walls(navigator) {
                    self.begin_relocalisation(fault);
                }
            }
            Step::Relocalise => self.relocalise(navigator),
        }
        if self.load.ticks >= LOAD_TICKS {
            self.send_load();
        }
    }

    fn save_calibration(&mut self, calibration: Calibration) {
        self.signals.set_calibration(calibration);
        self.signals.send_calibration();
        self.request_store(StoreRequest::SaveCalibration);
    }

    /// Runs the calibration routine.
    fn calibrate(&mut self) {
        let Some(calibrator) = &mut self.calibrator else {
            self.step = Step::Rest;
            return;
        };
        let routine = calibrator.routine();
        match calibrator.tick(self.signals, self.now) {
            Ok(None) => {
                let waiting = Progress::Waiting(routine);
                if calibrator.is_waiting() && self.signals.progress() != waiting {
                    self.signals.set_progress(waiting);
                }
            }
            Ok(Some(calibration)) => {
                self.calibrator = None;
                self.save_calibration(calibration);
                self.signals.set_progress(Progress::Done(routine));
            }
            Err(Failed) => {
                self.calibrator = None;
                self.signals.stop();
                self.signals.set_progress(Progress::Failed(routine));
                self.step = Step::Rest;
            }
        }
    }

    /// Drops a calibration routine.
    fn cancel_calibration(&mut self) {
        if let Some(calibrator) = self.calibrator.take() {
            let failed = Progress::Failed(calibrator.routine());
            self.signals.set_progress(failed);
        }
    }

    /// Whether wall sensing is calibrated.
    fn is_calibrated(&self) -> bool {
        self.signals.calibration().is_measured(Routine::Walls)
    }

    fn is_active(&self) -> bool {
        self.activity.is_active()
    }

    fn check_standing(&self) -> Result<(), Refusal> {
        if self.is_active() || self.step != Step::Rest {
            Err(Refusal::Moving)
        } else {
            Ok(())
        }
    }

    fn start(&mut self, navigator: &mut Navigator) -> Result<(), Refusal> {
        if self.is_lost {
            return Err(Refusal::Lost);
        }
        self.send_load();
        self.stop = 0;
        self.begin_planning(navigator)
            .map_err(|_| Refusal::Invalid)?;
        self.activity = match self.activity {
            Activity::Going | Activity::NoPath => Activity::Going,
            _ => Activity::Starting,
        };
        (self.waits, self.saves, self.relocalisations) = (0, 0, 0);
        self.plausibility = PlausibilityCheck::default();
        match self.step {
            Step::Rest | Step::Wait { .. } => self.begin_sensing(),
            // Continues, and senses afterwards.
            Step::Save
            | Step::ClearMap { .. }
            | Step::Start { .. }
            | Step::Sense { .. }
            | Step::Decide { .. }
            | Step::Turn { .. }
            | Step::Drive
            | Step::Calibrate
            | Step::Doubt { .. }
            | Step::LearnBias { .. }
            | Step::Lose(_)
            | Step::Relocalise => {}
        }
        Ok(())
    }

    /// Gives the navigator the goals of the mission, from where the robot is.
    fn begin_planning(&mut self, navigator: &mut Navigator) -> Result<(), GoalsError> {
        let home = [self.home.0];
        let (goals, explores): (&[Cell], bool) = match &self.mission {
            Mission::GoTo(cell) => (core::slice::from_ref(cell), false),
            Mission::Home => (&home, false),
            Mission::Patrol(stops) => {
                let next = usize::from(self.stop);
                (stops.get(next..=next).unwrap_or(&[]), false)
            }
            Mission::Explore(goals) => (goals, true),
        };
        if explores {
            self.plan_runs(navigator);
            navigator.set_explore_by_time(self.signals.settings().explores_by_time);
            navigator.set_goals(goals)?;
        } else {
            navigator.go_to(goals)?;
        }
        navigator.turn_to(self.heading);
        self.signals.set_goals(goals);
        Ok(())
    }

    /// Plans runs by time, at the speed level of the next one.
    fn plan_runs(&self, navigator: &mut Navigator) {
        let cell = CellSize::mm(self.cell_mm);
        let calibration = self.signals.calibration();
        let limits = navigator::run_limits(self.board, self.run_level, &calibration, cell);
        // Limits that allow no plan by time leave the shortest path.
        if navigator::plan_runs(navigator, limits).is_err() {
            debug!("runs are planned by cells");
        }
    }

    /// Starts once the robot has been still for [`START_STILL`] since it was told to.
    fn wait_until_still(&mut self, since: Instant) {
        let waited = self.now.saturating_duration_since(since);
        let still = Duration::from_millis(self.signals.still_ms().into()).min(waited);
        let left = START_STILL.checked_sub(still).unwrap_or(Duration::MIN);
        self.signals.set_countdown_ms(left.as_millis() as u32);
        if left == Duration::MIN {
            debug!("started");
            if self.is_at_home {
                // A hand may have turned it since.
                self.reset_pose();
            }
            self.activity = Activity::Going;
            self.bias_learned = self.now;
            self.begin_sensing();
        } else if waited > START_TIMEOUT {
            self.step = Step::Rest;
            self.rest();
        }
    }

    /// Notices that a resting robot was turned by hand, which loses the pose unless it stands at home.
    fn check_moved_by_hand(&mut self) {
        let rests = matches!(
            self.step,
            Step::Rest | Step::Start { .. } | Step::Wait { .. }
        );
        let is_turned = self.signals.drive_state().pose.yaw_mdeg.abs() > MOVED_BY_HAND_MDEG;
        if rests && is_turned && !self.is_at_home && !self.is_lost {
            self.is_lost = true;
            self.step = Step::Rest;
            self.rest();
        }
    }

    fn set_settings(
        &mut self,
        settings: Settings,
        navigator: &mut Navigator,
    ) -> Result<(), Refusal> {
        self.check_standing()?;
        if !settings.is_valid() {
            return Err(Refusal::Invalid);
        }
        if !settings.fits(self.board) {
            return Err(Refusal::CellTooSmall);
        }
        let field = settings.field;
        let before = self.signals.settings();
        let is_new_map = (field, settings.cell_mm) != (before.field, before.cell_mm);
        if is_new_map {
            // Fails only for an invalid field.
            navigator::begin(navigator, field).map_err(|_| Refusal::Invalid)?;
            self.temporary_obstacles.clear();
            self.unconfirmed.clear();
            self.home = (field.home, field.heading);
            self.cell_mm = settings.cell_mm;
            self.is_lost |= !self.is_at_home;
            if self.is_at_home {
                self.reset_to_home();
            } else {
                (self.at, self.heading) = self.home;
                self.rest();
            }
            self.signals.send(Frame::Forgotten);
        }
        self.mission = default_mission(&settings);
        self.signals.send(Frame::Settings(settings.clone()));
        self.signals.set_settings(settings);
        self.request_store(if is_new_map {
            StoreRequest::DeleteMap
        } else {
            StoreRequest::SaveCalibration
        });
        Ok(())
    }

    /// Drives one motor; nothing knows where the robot is then.
    fn spin(&mut self, motor: Motor, direction: Direction) {
        let duty = Duty::permille(match direction {
            Direction::Forward => SPIN_PERMILLE,
            Direction::Backward => -SPIN_PERMILLE,
        });
        let duties = match motor {
            Motor::Left => [duty, Duty::default()],
            Motor::Right => [Duty::default(), duty],
        };
        (self.is_at_home, self.is_lost) = (false, true);
        self.rest();
        self.send_motion(MotionCommand::OpenLoop(
            duties,
            SPIN_TIME.as_millis() as u16,
        ));
    }

    /// Sends a motion command. The channel has room unless drive has failed.
    fn send_motion(&self, command: MotionCommand) {
        if self.signals.motion_commands.try_send(command).is_err() {
            self.signals.raise(Fault::Motion);
        }
    }

    fn begin_motion(&mut self, command: MotionCommand) {
        self.is_at_home = false;
        self.was_blocked = false;
        self.signals.motion_result.reset();
        self.send_motion(command);
    }

    /// Senses from here if a mission is active, once the robot is still at its start; rests otherwise.
    fn begin_sensing(&mut self) {
        match self.activity {
            Activity::Starting => {
                let since = self.now;
                self.step = Step::Start { since };
            }
            Activity::Going | Activity::NoPath => self.sense_again(0),
            _ => self.step = Step::Rest,
        }
    }

    fn sense_again(&mut self, tries: u8) {
        let reading = self.signals.wall_reading.try_get();
        let count = reading.map_or(0, |reading| reading.count);
        self.step = Step::Sense {
            until: count.wrapping_add(VOTES as u32),
            tries,
        };
    }

    /// Resets the pose to the centre of the cell, in the robot's heading.
    fn reset_pose(&mut self) {
        self.signals.set_cell(0, self.at, self.heading);
        self.send_motion(MotionCommand::Reset(self.cell_mm));
    }

    /// Takes in the walls around a standing robot.
    fn sense(&mut self, reading: &WallReading, tries: u8, navigator: &mut Navigator) {
        if reading.front == Occupancy::Unknown && tries < SENSE_RETRIES {
            self.sense_again(tries + 1);
            return;
        }
        if !self.is_plausible(reading) {
            self.sense_again(tries);
            return;
        }
        if !self.take_in(reading, (self.at, self.heading), navigator) {
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

    /// Takes in the walls ahead, left and right of a robot in a cell with a heading; returns `false` if they show that
    /// it is lost.
    fn take_in(
        &mut self,
        reading: &WallReading,
        (at, heading): (Cell, Side),
        navigator: &mut Navigator,
    ) -> bool {
        let drive = self.signals.drive_state();
        self.unconfirmed.confirm(drive.fixes);
        self.is_careful &= drive.fixes < CONFIRMING_FIXES;
        self.check_map(reading, (at, heading), navigator);
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
            self.observe((at, side), occupancy, navigator);
            // On the move, thresholds are further apart than the wall is from what is before it.
            let is_wall =
                !drive.is_at_rest || distance.is_some_and(|distance| distance.is_within(wall_um));
            if occupancy == Occupancy::Blocked && !is_wall {
                self.mark_temporary((at, side), navigator);
            }
        }
        true
    }

    /// Whether a cell that is entered with a heading has no other exit.
    fn is_dead_end(&self, (at, heading): (Cell, Side), navigator: &Navigator) -> bool {
        let sides = [heading.left(), heading, heading.right()];
        let is_blocked = |side| wall(navigator, at, side) == Occupancy::Blocked;
        sides.into_iter().all(is_blocked)
    }

    /// Whether the map is to be saved at the next stop.
    fn is_save_due(&self, is_dead_end: bool) -> bool {
        let after = if is_dead_end {
            SAVE_AFTER_DEAD_END
        } else {
            SAVE_AFTER
        };
        self.unsaved >= after && self.saves < SAVES_PER_MISSION
    }

    /// Whether the robot is to learn its gyro bias at the next stop.
    fn is_bias_due(&self, is_dead_end: bool) -> bool {
        let lifetime = if is_dead_end {
            BIAS_LIFETIME_DEAD_END
        } else {
            BIAS_LIFETIME
        };
        self.now.saturating_duration_since(self.bias_learned) >= lifetime
    }

    /// Whether the walls sensed at rest can be used. Those of an uncalibrated robot are checked, and a fault stops it if
    /// its receivers see further or less far than guessed.
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

    /// Compares the walls that are sensed with the map: what contradicts it raises the doubt about the pose, a
    /// look without a contradiction lowers it.
    fn check_map(
        &mut self,
        reading: &WallReading,
        (at, heading): (Cell, Side),
        navigator: &Navigator,
    ) {
        let sides = [
            (heading, reading.front),
            (heading.left(), reading.left),
            (heading.right(), reading.right),
        ];
        let (mut doubt, mut confirms) = (0, false);
        for (side, sensed) in sides {
            let is_outer = navigator.map().is_outer(at, side);
            self.has_outer_walls |= is_outer && sensed == Occupancy::Blocked;
            doubt += match (wall(navigator, at, side), sensed) {
                (Occupancy::Blocked, Occupancy::Free) if is_outer => {
                    DOUBT_BY_OUTER_WALL * u8::from(self.has_outer_walls)
                }
                (Occupancy::Blocked, Occupancy::Free) if !self.is_temporary(at, side) => {
                    DOUBT_BY_FREE
                }
                (Occupancy::Free, Occupancy::Blocked) => DOUBT_BY_BLOCKED,
                (known, sensed) => {
                    confirms |= known == sensed && known != Occupancy::Unknown;
                    0
                }
            };
        }
        self.doubt = if doubt > 0 {
            self.doubt + doubt
        } else {
            self.doubt.saturating_sub(u8::from(confirms))
        };
    }

    /// What the map has of a wall; unknown if it is a temporary obstacle.
    fn permanent_wall(&self, cell: Cell, side: Side, navigator: &Navigator) -> Occupancy {
        if self.is_temporary(cell, side) {
            Occupancy::Unknown
        } else {
            wall(navigator, cell, side)
        }
    }

    /// Counts the ends of walls between the last cell and this one that the map has and the robot did not see: it may
    /// drive against something, and sense the same walls again and again.
    fn check_ends(
        &mut self,
        reading: &WallReading,
        (at, heading): (Cell, Side),
        navigator: &Navigator,
    ) {
        let now = [reading.left, reading.right];
        let last = self.last_look.replace((at, heading, now));
        let Some((cell, _, before)) =
            last.filter(|&(cell, to, _)| to == heading && cell.neighbor(to) == Some(at))
        else {
            return;
        };
        let sides = [heading.left(), heading.right()].into_iter();
        for (side, (before, now)) in sides.zip(before.into_iter().zip(now)) {
            let known = [cell, at].map(|cell| self.permanent_wall(cell, side, navigator));
            let is_known = |of: [Occupancy; 2]| !of.contains(&Occupancy::Unknown);
            if is_known(known) && is_known([before, now]) && known[0] != known[1] {
                let is_missing = before == now;
                self.missing_ends = if is_missing { self.missing_ends + 1 } else { 0 };
            }
        }
    }

    /// Stops because the pose is not known. Once all walls are taken back that are not confirmed, the robot looks for its
    /// place, or reports `fault`.
    fn lose(&mut self, fault: Fault) {
        debug!("lost at {},{}", self.at.x, self.at.y);
        self.is_lost = true;
        self.signals.motion_commands.clear();
        self.send_motion(MotionCommand::Halt);
        self.step = Step::Lose(fault);
    }

    fn begin_relocalisation(&mut self, fault: Fault) {
        if !self.is_calibrated() || self.relocalisations >= RELOCALISATIONS {
            self.signals.raise(fault);
            return;
        }
        self.relocalisations += 1;
        self.activity = Activity::Relocalising;
        self.relocalisation = Some(Relocalisation::new(
            fault,
            self.signals,
            self.board,
            self.now,
        ));
        self.step = Step::Relocalise;
    }

    /// Looks for the robot's place; goes on slowly once it is found.
    fn relocalise(&mut self, navigator: &mut Navigator) {
        let Some(mut search) = self.relocalisation.take() else {
            self.step = Step::Rest;
            return;
        };
        let permanent = |cell, side| self.permanent_wall(cell, side, navigator);
        match search.tick(self.signals, self.board, permanent, self.now) {
            Search::Running => self.relocalisation = Some(search),
            Search::Found((cell, heading)) => {
                debug!("found at {},{}", cell.x, cell.y);
                (self.at, self.heading) = (cell, heading);
                (self.is_lost, self.is_careful) = (false, true);
                (self.was_blocked, self.approaches) = (false, false);
                (self.doubt, self.missing_ends, self.last_look) = (RELOCALISED_DOUBT, 0, None);
                self.activity = Activity::Going;
                // Another place is another problem. The goals were checked when the mission started.
                let _ = self.begin_planning(navigator);
                self.begin_sensing();
            }
            Search::Failed => self.signals.raise(search.fault()),
        }
    }

    /// Sets up to [`WALLS_PER_TICK`] walls that are not confirmed back to what they were; returns whether that
    /// were all.
    fn take_back_walls(&mut self, navigator: &mut Navigator) -> bool {
        for _ in 0..WALLS_PER_TICK {
            let Some(learned) = self.unconfirmed.take_newest() else {
                return true;
            };
            let (cell, side, before) = (learned.cell, learned.side, learned.before);
            if observe_wall(navigator, cell, side, before) {
                self.signals.send(Frame::Wall(cell, side, before));
            }
        }
        false
    }

    fn observe(
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

    /// Marks an obstacle as temporary; it is sensed again later.
    fn mark_temporary(&mut self, (cell, side): (Cell, Side), navigator: &mut Navigator) {
        if self.is_temporary(cell, side) {
            return;
        }
        if !self.is_calibrated()
            && let Err(fault) = self.plausibility.meet_obstacle()
        {
            self.signals.raise(fault);
        }
        if self.temporary_obstacles.is_full() {
            self.forget_oldest_obstacle(navigator);
        }
        let since = self.now;
        // There is room now.
        let _ = self
            .temporary_obstacles
            .push_back(TemporaryObstacle { cell, side, since });
    }

    /// Whether a wall is a temporary obstacle.
    fn is_temporary(&self, cell: Cell, side: Side) -> bool {
        let mut obstacles = self.temporary_obstacles.iter();
        obstacles.any(|obstacle| (obstacle.cell, obstacle.side) == (cell, side))
    }

    fn expire_obstacle(&mut self, navigator: &mut Navigator) {
        let oldest = self.temporary_obstacles.front();
        let age = oldest.map(|oldest| self.now.saturating_duration_since(oldest.since));
        if age >= Some(OBSTACLE_LIFETIME) {
            self.forget_oldest_obstacle(navigator);
        }
    }

    fn forget_obstacles(&mut self, navigator: &mut Navigator) {
        while self.forget_oldest_obstacle(navigator) {}
    }

    /// Sets the oldest temporary obstacle to unknown; returns `false` if there is none.
    fn forget_oldest_obstacle(&mut self, navigator: &mut Navigator) -> bool {
        let Some(TemporaryObstacle { cell, side, .. }) = self.temporary_obstacles.pop_front()
        else {
            return false;
        };
        if wall(navigator, cell, side) == Occupancy::Blocked
            && observe_wall(navigator, cell, side, Occupancy::Unknown)
        {
            self.signals
                .send(Frame::Wall(cell, side, Occupancy::Unknown));
        }
        true
    }

    /// Ticks the planner for a robot that is or will be at a cell.
    fn plan(&mut self, at: Cell, navigator: &mut Navigator) -> Decision {
        let phase = navigator.phase();
        let start = Instant::now();
        let decision = navigator.tick(at, Budget::limit(LIMIT));
        let took = start.elapsed();
        if took > DEADLINE {
            self.signals.raise(Fault::Deadline);
        }
        self.record_load(phase, navigator.stats().last_tick, took);
        if navigator.phase() != phase {
            self.send_load();
        }
        // Nothing is reachable from off the navigator.
        decision.unwrap_or(Decision::Unreachable)
    }

    fn record_load(&mut self, phase: Phase, work: Work, took: Duration) {
        let (expansions, requeues) = (work.expansions, work.requeues);
        let clamp = |count: u32| count.min(u16::MAX.into()) as u16;
        let load = &mut self.load;
        load.phase = phase;
        load.ticks += 1;
        load.expansions = load.expansions.saturating_add(expansions);
        load.requeues = load.requeues.saturating_add(requeues);
        load.worst_expansions = load.worst_expansions.max(clamp(expansions));
        load.worst_requeues = load.worst_requeues.max(clamp(requeues));
        load.worst_us = load.worst_us.max(took.as_micros() as u32);
    }

    fn send_load(&mut self) {
        if self.load.ticks > 0 {
            let load = core::mem::take(&mut self.load);
            self.signals.send(Frame::Load(load));
        }
    }

    /// Leaves for where the planner decides, which has been asked since an instant.
    fn decide(&mut self, since: Instant, navigator: &mut Navigator) {
        let waited = self.now.saturating_duration_since(since);
        match self.plan(self.at, navigator) {
            Decision::Step(next) => {
                self.activity = Activity::Going;
                self.move_to(next, navigator);
            }
            Decision::Wait if waited < DECISION_TIMEOUT => self.step = Step::Decide { since },
            Decision::Arrived => self.arrive(navigator),
            Decision::Wait | Decision::Unreachable => {
                debug!("no path from {},{}", self.at.x, self.at.y);
                self.activity = Activity::NoPath;
                self.step = Step::Wait {
                    until: self.now + NO_PATH_WAIT,
                };
            }
        }
    }

    /// Leaves for an adjacent cell if the edge is known to be free; faces and senses it otherwise.
    fn move_to(&mut self, next: Cell, navigator: &mut Navigator) {
        let Some(side) = Side::between(self.at, next) else {
            // No planner steps further than to a neighbor.
            self.step = Step::Decide { since: self.now };
            return;
        };
        if wall(navigator, self.at, side) == Occupancy::Free {
            let number = self.signals.drive_state().cell;
            self.is_at_home = false;
            self.was_blocked = false;
            (self.stops, self.is_revoked) = (false, false);
            self.undecided = (self.at, self.heading, number);
            self.sensed = Some(number);
            self.signals.motion_result.reset();
            self.leave(side, next, navigator);
            self.step = Step::Drive;
        } else if side == self.heading {
            // The edge must be sensed as free first.
            self.sense_again(0);
        } else {
            let quarters = quarter_turns(self.heading, side);
            self.begin_motion(MotionCommand::Turn(quarters));
            self.step = Step::Turn { to: side };
        }
    }

    /// Gives the undecided cell an exit to an adjacent cell, which is then undecided.
    fn leave(&mut self, side: Side, next: Cell, navigator: &Navigator) {
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

    /// Whether the position is so uncertain that the robot stops in every cell.
    fn is_unsure(&self) -> bool {
        self.signals.drive_state().uncertainty.position_um() > UNSURE_UM
    }

    /// Drives a route: takes in the walls on the move, and decides how to leave the undecided cell before the robot
    /// must brake for it.
    fn drive(&mut self, navigator: &mut Navigator) {
        let drive = self.signals.drive_state();
        let (cell, heading) = self.signals.cell(drive.cell);
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

    /// Takes in the walls of a cell, once per cell, when the robot is far enough in it and all three are decided;
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
        if !self.take_in(reading, place, navigator) {
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
            self.undecided = (cell, heading, reading.cell);
            (self.stops, self.is_revoked) = (true, true);
            self.send_motion(MotionCommand::Revoke(reading.cell));
        }
        true
    }

    /// Whether nothing was seen in the cell to a side, if the robot turns there.
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
        } = end;
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

    fn arrive(&mut self, navigator: &mut Navigator) {
        if let Mission::Patrol(stops) = &self.mission {
            self.stop = (self.stop + 1) % stops.len().max(1) as u8;
            let next = stops.get(usize::from(self.stop));
            let next = next.copied().unwrap_or(self.at);
            // Its stops were checked when the mission started.
            if navigator.go_to(&[next]).is_ok() {
                self.signals.set_goals(&[next]);
                self.save();
                return;
            }
        }
        // An exploration ends with a run.
        if matches!(self.mission, Mission::Explore(_)) {
            self.run_level = self.run_level.faster();
        }
        self.activity = Activity::Done;
        // Temporary obstacles are not saved.
        self.forget_obstacles(navigator);
        self.save();
    }

    /// Saves the map if it has changed; the robot stands.
    fn save(&mut self) {
        if self.unsaved == 0 {
            self.begin_sensing();
        } else {
            self.request_store(StoreRequest::SaveMap);
        }
    }

    fn request_store(&mut self, request: StoreRequest) {
        if request != StoreRequest::SaveCalibration {
            // Those that are not confirmed are left out.
            self.unsaved = self.unconfirmed.walls().count() as u16;
        }
        let temporary = self.temporary_obstacles.iter();
        let temporary = temporary.map(|obstacle| (obstacle.cell, obstacle.side));
        self.signals
            .set_withheld(self.unconfirmed.walls().chain(temporary));
        self.signals.store_done.reset();
        self.signals.store_request.signal(request);
        self.step = Step::Save;
    }

    /// Senses again after a wait for a path: forgets temporary obstacles, and at last doubts every blocked
    /// wall. Free ones contradict nothing, and flash keeps all until they are sensed to be different.
    fn retry(&mut self, navigator: &mut Navigator) {
        self.waits += 1;
        // What was ahead may have gone.
        self.was_blocked = false;
        self.forget_obstacles(navigator);
        if self.waits >= 2 * NO_PATH_WAITS && !self.is_calibrated() {
            // Walls of which it cannot be sure shut it in.
            self.signals.raise(Fault::Proximity);
        } else if self.waits.is_multiple_of(NO_PATH_WAITS) {
            if self.is_calibrated() {
                self.waits = 0;
            }
            self.signals.send(Frame::Doubted);
            self.step = Step::Doubt { wall: 0 };
        } else {
            self.begin_sensing();
        }
    }

    /// Sets the blocked ones of the next [`WALLS_PER_TICK`] walls to unknown, in RAM only.
    fn doubt_walls(&mut self, first: usize, navigator: &mut Navigator) {
        for number in first..first + WALLS_PER_TICK {
            let Some((cell, side)) = navigator.map().nth_wall(number) else {
                self.begin_sensing();
                return;
            };
            if wall(navigator, cell, side) == Occupancy::Blocked {
                observe_wall(navigator, cell, side, Occupancy::Unknown);
            }
        }
        self.step = Step::Doubt {
            wall: first + WALLS_PER_TICK,
        };
    }

    fn clear_map(&mut self) {
        self.temporary_obstacles.clear();
        self.unconfirmed.clear();
        self.signals.send(Frame::Forgotten);
        self.step = Step::ClearMap { wall: 0 };
    }

    /// Clears the next [`WALLS_PER_TICK`] walls.
    fn clear_walls(&mut self, wall: usize, navigator: &mut Navigator) {
        for number in wall..wall + WALLS_PER_TICK {
            let Some((cell, side)) = navigator.map().nth_wall(number) else {
                self.request_store(StoreRequest::DeleteMap);
                return;
            };
            observe_wall(navigator, cell, side, Occupancy::Unknown);
        }
        self.step = Step::ClearMap {
            wall: wall + WALLS_PER_TICK,
        };
    }
}

/// Mission of a robot that was not given another.
fn default_mission(settings: &Settings) -> Mission {
    let goal = settings.goals.first().copied();
    Mission::GoTo(goal.unwrap_or(settings.field.home))
}

/// Occupancy of a wall; off the map, everything is blocked.
fn wall(navigator: &Navigator, cell: Cell, side: Side) -> Occupancy {
    let wall = navigator.map().wall(cell, side);
    wall.unwrap_or(Occupancy::Blocked)
}

/// Passes an observation to the navigator; returns whether the map changed. Outer walls never change.
fn observe_wall(navigator: &mut Navigator, cell: Cell, side: Side, to: Occupancy) -> bool {
    let before = wall(navigator, cell, side);
    // Fails only off the map.
    let _ = navigator.observe(Observation::Wall(cell, side, to));
    wall(navigator, cell, side) != before
}

/// Quarter turns to the right from one heading to another: `-1..=2`.
fn quarter_turns(from: Side, to: Side) -> i8 {
    match (to as usize + 4 - from as usize) % 4 {
        3 => -1,
        turns => turns as i8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_take_the_shorter_direction() {
        for from in Side::ALL {
            assert_eq!(quarter_turns(from, from), 0);
            assert_eq!(quarter_turns(from, from.right()), 1);
            assert_eq!(quarter_turns(from, from.left()), -1);
            assert_eq!(quarter_turns(from, from.opposite()), 2);
        }
    }
}
