//! Model run: the firmware's tasks on the physics model, in virtual time.

use std::{cell::RefCell, io, ops::ControlFlow, rc::Rc};

use embassy_time::{Duration, Instant};
use planner_core::{Cell, Side, map::Occupancy};
use thiserror::Error;
use tinystar::{
    boards::ZUMO2040,
    calibration::Calibration,
    calibrator::Routine,
    config,
    fault::Fault,
    mission::{Field, Mission},
    motion::{CellSize, SpeedLevel},
    navigator::{self, Navigator, encode_walls, map_bytes},
    settings::{Settings, smallest_cell_mm},
    signals::Signals,
    tasks::SharedNavigator,
};

use super::{
    CalibrationFailed, CalibrationRun, Progress, RunConfig, RunError, RunOutcome, RunReport,
    client::TelemetryClient,
    lower_bound::lower_bound_seconds,
    operator::{Action, Operator, StartBy},
    robot::SimRobot,
};
use crate::physics::{
    clock::{self, Ended},
    devices::{ButtonPress, FlashMemory, SerialCable, SharedModel},
    faults::{Hand, ObstacleSchedule},
    floor::Floor,
};
use crate::world::Maze;

/// Run of the firmware's tasks on the physics model.
#[derive(Clone, Debug)]
pub struct ModelRun {
    /// World, robot, missions and faults.
    pub config: RunConfig,
    /// Button presses during the run.
    pub presses: Vec<ButtonPress>,
    /// Calibration of the robot, unless its flash holds another.
    pub calibration: Calibration,
    /// Flash as the last run left it.
    pub flash: FlashMemory,
    /// Fault that ended the last run, if any.
    pub reset_cause: Option<Fault>,
    /// True to record the telemetry.
    pub records: bool,
    /// True if it explores until the fastest path is known, not only the shortest.
    pub explores_by_time: bool,
}

/// The floor does not fit the robot's map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the robot's map has at most {side}x{side} cells with the home inside, but the floor has {width}x{height} with the home at {},{}",
    home.x, home.y, side = config::SIDE)]
pub struct MapTooSmall {
    width: u16,
    height: u16,
    home: Cell,
}

/// The robot cannot turn in cells of this size, in millimetres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the robot cannot turn in cells of {0} mm; it needs at least {smallest} mm", smallest = smallest_cell_mm(&ZUMO2040))]
pub struct CellTooSmall(pub u16);

impl ModelRun {
    /// Run of a robot drawn from a seed that faces north, without missions and faults.
    #[must_use]
    pub fn new(floor: Floor, home: Cell, seed: u64) -> Self {
        let time_limit = Duration::from_secs(3600);
        Self {
            config: RunConfig::new(floor, home, Side::North, seed, time_limit),
            presses: Vec::new(),
            calibration: ZUMO2040.calibration,
            flash: FlashMemory::default(),
            reset_cause: None,
            records: false,
            explores_by_time: false,
        }
    }

    /// Calibrates the robot by all routines of the firmware, in cells of the floor's size. Its flash stays as it is.
    ///
    /// # Errors
    /// A routine failed.
    pub fn calibrate(&mut self) -> Result<(), CalibrationFailed> {
        let RunConfig {
            tolerances, seed, ..
        } = self.config;
        let cell_mm = self.config.floor.cell_mm() as u16;
        let run = CalibrationRun::new(tolerances, seed).with_cells_of(cell_mm);
        self.calibration = run.routines(&Routine::ALL)?;
        Ok(())
    }

    /// Least time of the run of an exploration, by a robot that knows the walls of a maze.
    fn least_run_seconds(&self, mut maze: Maze) -> Option<f64> {
        let config = &self.config;
        let Some(Mission::Explore(goals)) = config.missions.last() else {
            return None;
        };
        (maze.start, maze.goals) = (config.home, goals.to_vec());
        let cell = CellSize::mm(config.floor.cell_mm() as u16);
        let level = SpeedLevel::Normal;
        let limits = navigator::run_limits(&ZUMO2040, level, &self.calibration, cell);
        // Limits of a robot always allow motion.
        lower_bound_seconds(&maze, config.heading, limits).ok()?
    }

    /// Runs without an observer.
    pub fn run(&self) -> Result<RunReport, RunError> {
        self.run_observed(|_| Ok(()))
    }

    /// Runs; `observe` is called whenever the clock is about to jump.
    pub fn run_observed(
        &self,
        mut observe: impl FnMut(&Progress<'_>) -> io::Result<()>,
    ) -> Result<RunReport, RunError> {
        let config = &self.config;
        let walls = config.floor.walls();
        let field = Field {
            width: walls.width(),
            height: walls.height(),
            home: config.home,
            heading: config.heading,
        };
        let too_small = MapTooSmall {
            width: field.width,
            height: field.height,
            home: field.home,
        };
        let mut navigator = Box::new(Navigator::new());
        if !field.is_valid() || navigator::begin(&mut navigator, field).is_err() {
            return Err(too_small.into());
        }
        let navigator = SharedNavigator::new(&mut navigator);
        let signals = Signals::new(self.calibration);
        let settings = Settings {
            cell_mm: config.floor.cell_mm() as u16,
            explores_by_time: self.explores_by_time,
            ..Settings::of_field(field)
        };
        if !settings.fits(&ZUMO2040) {
            return Err(CellTooSmall(settings.cell_mm).into());
        }
        signals.set_settings(settings);

        let shared = SharedModel::new(config.physics());
        let flash = Rc::new(RefCell::new(self.flash.clone()));
        let cable = SerialCable::default();
        let robot = SimRobot {
            model: shared.clone(),
            flash: Rc::clone(&flash),
            cable: cable.clone(),
            presses: self.presses.clone(),
            faults: config.faults.clone(),
            reset_cause: self.reset_cause,
        };
        let mut operator = Operator::new(config, StartBy::Command, Instant::MIN);
        let mut client = TelemetryClient::new(cable, self.records);
        let mut obstacles = ObstacleSchedule::new(&config.faults);
        let hand = Hand::new(&config.faults, config.placed());
        let mut worst_delay = Duration::MIN;
        let mut stop_margin_um = i32::MAX;
        let ended = clock::run(
            Instant::MIN,
            Instant::MIN + config.time_limit,
            robot.run(&signals, &navigator),
            |_| {
                let now = Instant::now();
                let frames = client.frames();
                let mut physics = shared.now();
                obstacles.update(now, &mut physics);
                hand.update(now, &mut physics);
                worst_delay = clock::worst_delay();
                let margin = signals.drive_state().stop_margin_um;
                stop_margin_um = margin.map_or(stop_margin_um, |um| stop_margin_um.min(um));
                let mut over = operator.receive(now, &frames, &physics);
                if flash.borrow().is_off() {
                    over = ControlFlow::Break(RunOutcome::PowerCut);
                }
                if let ControlFlow::Break(RunOutcome::PowerCut) = over {
                    physics.set_duty([0, 0]);
                }
                let state = signals.state();
                if over.is_continue()
                    && let Some(state) = &state
                {
                    operator.observe(state, now, &physics);
                    over = operator.operate(&physics, |action| match action {
                        Action::Send(command) => client.send(&command),
                        Action::HoldButton(_) => {}
                    });
                }
                let progress = Progress {
                    now,
                    frames: &frames,
                    physics: &physics,
                    state: state.map(|state| (state, signals.drive_state().uncertainty)),
                };
                observe(&progress).map_or_else(
                    |error| ControlFlow::Break(Err(error)),
                    |()| over.map_break(Ok),
                )
            },
        );
        let outcome = match ended {
            // The watchdog has timed out.
            Ended::Ready(()) => RunOutcome::Reset,
            Ended::Stopped(outcome) => outcome?,
            Ended::TimeUp => RunOutcome::TimeUp,
            Ended::Idle | Ended::Spinning => RunOutcome::Stuck,
        };
        let map = navigator.into_inner().map();
        let mut known = walls.clone();
        for (cell, side, occupancy) in map.walls() {
            known.set_wall(cell, side, occupancy != Occupancy::Free);
        }
        let flash = flash.borrow().clone();
        Ok(RunReport {
            flash_writes: flash.operations(),
            worst_delay_us: Some(worst_delay.as_micros()),
            planned_run_seconds: self.least_run_seconds(known),
            lower_bound_seconds: self.least_run_seconds(walls.clone()),
            stop_margin_mm: (stop_margin_um < i32::MAX).then(|| f64::from(stop_margin_um) / 1000.0),
            wrong_walls: Some(wrong_walls(map.walls(), &config.floor)),
            garbage: client.garbage(),
            flash,
            map: (0..map_bytes(field))
                .map(|index| encode_walls(map, index))
                .collect(),
            recording: client.into_recording(),
            // The clock is reset; the model is as the last step left it.
            ..operator.report(outcome, &shared.last())
        })
    }
}

/// Number of walls in the map that contradict the floor.
fn wrong_walls(map: impl Iterator<Item = (Cell, Side, Occupancy)>, floor: &Floor) -> usize {
    map.filter(|&(cell, side, occupancy)| match occupancy {
        Occupancy::Unknown => false,
        Occupancy::Free => floor.walls().has_wall(cell, side),
        Occupancy::Blocked => !floor.walls().has_wall(cell, side),
    })
    .count()
}
