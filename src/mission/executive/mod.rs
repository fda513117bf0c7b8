//! Mission executive: senses walls, ticks the planner, commands motions and handles their results.
//!
//! To be read in this order: `commands`, `start`, `observation`, `decision`, `route`; then `doubt`,
//! `temporary_obstacles`, `map` and `calibration`.

mod calibration;
mod commands;
mod decision;
mod doubt;
mod map;
mod observation;
mod route;
mod start;
mod temporary_obstacles;

use embassy_time::{Duration, Instant};
use heapless::Deque;
use planner_core::{Cell, Side, explore::Phase, map::Occupancy};

use self::{start::default_mission, temporary_obstacles::TemporaryObstacle};
use super::{
    Activity, Mission, edges_ahead::EdgesAhead, relocalisation::Relocalisation,
    unconfirmed::UnconfirmedWalls,
};
use crate::{
    boards::BoardConfig,
    calibrator::Calibrator,
    config::{BIAS_REST, BIAS_TIMEOUT, LOAD_TICKS, TEMPORARY_OBSTACLES},
    fault::Fault,
    motion::SpeedLevel,
    navigator::Navigator,
    sensing::PlausibilityCheck,
    signals::{MotionCommand, MotionResult, Signals},
    telemetry::{Load, State},
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

/// Carries out missions, one bounded tick at a time.
pub struct MissionExecutive<'s> {
    signals: &'s Signals,
    board: &'s BoardConfig,
    /// Cell and heading at the start.
    home: (Cell, Side),
    /// Side of a cell, in millimetres.
    cell_mm: u16,
    /// True if the robot has not moved since it was put home: it stands in the centre of its cell,
    /// whatever a hand did to it before the start.
    is_at_home: bool,
    /// True if the pose is unknown: a motion was cut short, or the robot was moved by hand.
    is_lost: bool,
    at: Cell,
    heading: Side,
    /// First cell of the route without an exit, with the heading in which it is entered and its number.
    undecided: (Cell, Side, u8),
    /// Number of the last cell whose walls were taken in on the move.
    sensed: Option<u8>,
    /// True if the left and the right of that cell are clear for a smooth turn.
    is_clear: [bool; 2],
    /// True if the robot is to stop in the undecided cell.
    stops: bool,
    /// True if exits were revoked: the robot stops there or in the next cell.
    is_revoked: bool,
    /// True if the next route goes to the next cell only, to see what stopped the last one.
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
    /// True if the last advance ended at an obstacle that may be invisible from here.
    was_blocked: bool,
    /// True if the robot may have pushed against what ended the last route.
    may_have_touched: bool,
    /// Checks what an uncalibrated robot senses.
    plausibility: PlausibilityCheck,
    /// Wall changes since the map was saved.
    unsaved: u16,
    /// Saves during this mission.
    saves: u8,
    unconfirmed: UnconfirmedWalls,
    edges_ahead: EdgesAhead,
    /// Time since which the robot stands in front of a wall of its map that it does not see.
    wall_unseen: Option<Instant>,
    /// Doubt about the pose: how much the walls sensed last contradict the map.
    doubt: u8,
    /// Cell and heading of the last reading, and the walls that were sensed to its left and right.
    last_reading: Option<(Cell, Side, [Occupancy; 2])>,
    /// Ends of walls in a row that the map has and the robot did not see.
    missing_ends: u8,
    /// True if an outer wall was sensed in this mission: the field has walls around it.
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
    /// True if the place was found again and is not confirmed yet.
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
            may_have_touched: false,
            plausibility: PlausibilityCheck::default(),
            unsaved: 0,
            saves: 0,
            unconfirmed: UnconfirmedWalls::default(),
            edges_ahead: EdgesAhead::default(),
            wall_unseen: None,
            doubt: 0,
            last_reading: None,
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
    /// back, [`WALLS_PER_TICK`](crate::config::WALLS_PER_TICK) at a time.
    pub fn abort(&mut self, navigator: &mut Navigator) {
        self.cancel_activities();
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
        self.cancel_activities();
        self.is_lost |= matches!(self.step, Step::Turn { .. } | Step::Drive);
        if !matches!(self.step, Step::Save | Step::ClearMap { .. }) {
            self.step = Step::Rest;
        }
        self.rest();
    }

    /// Ends what the robot was about to find out.
    fn cancel_activities(&mut self) {
        self.cancel_calibration();
        self.relocalisation = None;
        (self.wall_unseen, self.may_have_touched) = (None, false);
    }

    /// Shows that there is no mission.
    fn rest(&mut self) {
        self.activity = if self.is_lost {
            Activity::Lost
        } else {
            Activity::Idle
        };
    }

    /// Runs one tick: at most [`LIMIT`](crate::config::LIMIT) expansions and
    /// [`WALLS_PER_TICK`](crate::config::WALLS_PER_TICK) walls.
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

    fn is_active(&self) -> bool {
        self.activity.is_active()
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

    /// Resets the pose to the centre of the cell, in the robot's heading.
    fn reset_pose(&mut self) {
        self.signals.set_cell(0, self.at, self.heading);
        self.send_motion(MotionCommand::Reset(self.cell_mm));
    }
}
