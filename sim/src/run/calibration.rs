//! Calibration of a simulated robot by the firmware's own routines, in virtual time.

use std::{cell::RefCell, ops::ControlFlow, rc::Rc};

use embassy_futures::{
    join::{join, join3, join4},
    select::select,
};
use embassy_time::{Duration, Instant};
use planner_core::{Cell, Side};
use thiserror::Error;
use tinystar::{
    boards::ZUMO2040,
    calibration::Calibration,
    calibrator::{Progress, Routine},
    config,
    drivers::proximity::PulsedProximity,
    mission::Field,
    navigator::{self, Navigator},
    settings::Settings,
    signals::Signals,
    tasks::{self, SharedNavigator},
    telemetry::{Command, Frame, Stored},
};

use super::client::TelemetryClient;
use crate::{
    physics::{
        clock::{self, Ended},
        devices::{
            FlashMemory, SerialCable, SharedModel, SimFlash, SimInfrared, SimMotors, SimOdometry,
            SimPanel, SimSystemMonitor,
        },
        floor::Floor,
        model::PhysicsModel,
        tolerances::Tolerances,
    },
    world::Maze,
};

/// Time from power-on to the command.
const STARTUP: Duration = Duration::from_millis(500);
/// Longest routine: ten turns take 25 seconds.
const TIME_LIMIT: Duration = Duration::from_secs(120);
/// Cells per side of the table.
const TABLE: u16 = 15;

/// Calibration routine on a simulated robot, put in its place and measured by a person who makes no mistakes
/// but those of the tolerances.
#[derive(Clone, Debug)]
pub struct CalibrationRun {
    /// Routine to run.
    pub routine: Routine,
    /// The robot.
    pub tolerances: Tolerances,
    /// Seed of its noise.
    pub seed: u64,
    /// Flash as the last run left it.
    pub flash: FlashMemory,
}

/// The routine did not end as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the calibration routine `{}` failed", .0.name())]
pub struct CalibrationFailed(pub Routine);

impl CalibrationRun {
    /// Runs the routine; `observe` gets the robot's telemetry. Returns the calibration in use and the flash
    /// that holds it.
    pub fn run(
        &self,
        mut observe: impl FnMut(&[Frame]),
    ) -> Result<(Calibration, FlashMemory), CalibrationFailed> {
        let failed = CalibrationFailed(self.routine);
        let (floor, home) = place(self.routine);
        let field = Field {
            width: TABLE,
            height: TABLE,
            home,
            heading: Side::North,
        };
        let mut navigator = Box::new(Navigator::new());
        navigator::begin(&mut navigator, field).map_err(|_| failed)?;
        let navigator = SharedNavigator::new(&mut navigator);
        let signals = Signals::new(ZUMO2040.calibration);
        signals.set_settings(Settings::of_field(field));
        let physics = PhysicsModel::new(floor, home, Side::North, self.tolerances, self.seed);
        let shared = SharedModel::new(physics);
        let infrared = SimInfrared::new(shared.clone());
        let mut proximity = PulsedProximity::new(infrared, &ZUMO2040.calibration);
        let mut odometry = SimOdometry(shared.clone());
        let mut motors = SimMotors(shared.clone());
        let mut panel = SimPanel::default();
        let watchdog = SimSystemMonitor::new(shared.clone(), config::WATCHDOG, None);
        let mut system = watchdog.clone();
        let flash = Rc::new(RefCell::new(self.flash.clone()));
        let storage = SimFlash {
            memory: Rc::clone(&flash),
            erase_pause: config::ERASE_PAUSE,
        };
        let cable = SerialCable::default();
        let (rx, tx) = cable.robot_end();
        let robot = join(
            join4(
                tasks::sense(&signals, &mut proximity),
                tasks::drive(&signals, &ZUMO2040, &mut odometry, &mut motors),
                tasks::plan(&signals, &ZUMO2040, &navigator),
                tasks::panel(&signals, &ZUMO2040, &mut panel),
            ),
            join3(
                tasks::report(&signals, &navigator, rx, tx),
                tasks::store(&signals, &ZUMO2040, &navigator, storage),
                tasks::supervise(&signals, &ZUMO2040, &mut system),
            ),
        );
        let mut client = TelemetryClient::new(cable, false);
        let mut start = None;
        let mut is_done = false;
        let ended = clock::run(
            Instant::MIN,
            Instant::MIN + TIME_LIMIT,
            select(robot, watchdog.timeout()),
            |_| {
                let frames = client.frames();
                observe(&frames);
                let pose = shared.now().drivetrain().pose();
                if start.is_none() && Instant::now() >= Instant::MIN + STARTUP {
                    start = Some(pose);
                    client.send(&Command::Calibrate(self.routine));
                }
                for frame in &frames {
                    match frame {
                        Frame::Calibration(_, Progress::Waiting(_)) => {
                            let from = start.unwrap_or(pose);
                            let across =
                                f64::hypot(pose.at[0] - from.at[0], pose.at[1] - from.at[1]);
                            let turned = (pose.heading - from.heading).to_degrees();
                            // A tape shows millimetres, a mark on the floor half a degree.
                            let measured = match self.routine {
                                Routine::Turns => (turned * 2.0).round() * 500.0,
                                _ => across.round() * 1000.0,
                            };
                            client.send(&Command::Measured(measured as i32));
                        }
                        Frame::Calibration(_, Progress::Done(_)) => is_done = true,
                        Frame::Stored(Stored::Saved) if is_done => {
                            return ControlFlow::Break(Ok(()));
                        }
                        Frame::Calibration(_, Progress::Failed(_))
                        | Frame::Fault(_)
                        | Frame::Refused { .. } => return ControlFlow::Break(Err(failed)),
                        _ => {}
                    }
                }
                ControlFlow::Continue(())
            },
        );
        let calibration = signals.calibration();
        let flash = flash.borrow().clone();
        match ended {
            Ended::Stopped(outcome) => outcome.map(|()| (calibration, flash)),
            Ended::Ready(_) | Ended::TimeUp | Ended::Idle | Ended::Spinning => Err(failed),
        }
    }

    /// Runs routines one after the other on a robot, from a blank flash.
    pub fn all(
        routines: &[Routine],
        tolerances: Tolerances,
        seed: u64,
    ) -> Result<(Calibration, FlashMemory), CalibrationFailed> {
        let mut result = (ZUMO2040.calibration, FlashMemory::default());
        for (&routine, number) in routines.iter().zip(0..) {
            let run = Self {
                routine,
                tolerances,
                seed: seed.wrapping_add(number),
                flash: result.1,
            };
            result = run.run(|_| ())?;
        }
        Ok(result)
    }
}

/// Floor and cell of a routine.
fn place(routine: Routine) -> (Floor, Cell) {
    let mut cell = Cell::new(TABLE / 2, TABLE / 2);
    // Never fails: the table has a valid size.
    let mut walls =
        Maze::open(TABLE.into(), TABLE.into()).unwrap_or_else(|_| unreachable!("a valid size"));
    match routine {
        Routine::Walls => {
            for side in [Side::West, Side::East] {
                walls.set_wall(cell, side, true);
            }
        }
        Routine::Range => {
            walls.set_wall(cell, Side::North, true);
        }
        Routine::Distance => cell = Cell::new(TABLE / 2, TABLE - 2),
        Routine::Turns | Routine::Motors => {}
    }
    (Floor::new(walls), cell)
}
