//! Calibration of a simulated robot by the firmware's own routines, in virtual time.

use std::{cell::RefCell, ops::ControlFlow, rc::Rc};

use embassy_time::{Duration, Instant};
use planner_core::{Cell, Side};
use thiserror::Error;
use tinystar::{
    boards::ZUMO2040,
    calibration::Calibration,
    calibrator::{Progress, Routine},
    config::CELL_MM,
    mission::Field,
    navigator::{self, Navigator},
    settings::Settings,
    signals::Signals,
    tasks::SharedNavigator,
    telemetry::{Command, Frame, Stored},
};

use super::{client::TelemetryClient, robot::SimRobot};
use crate::{
    physics::{
        clock::{self, Ended},
        devices::{FlashMemory, SerialCable, SharedModel},
        floor::Floor,
        model::PhysicsModel,
        tolerances::Tolerances,
    },
    world::Maze,
};

/// Time from power-on to the command: the flash has been read by then.
const STARTUP: Duration = Duration::from_millis(500);
/// Simulated-time limit of a routine; the longest, ten turns, takes 25 seconds.
const TIME_LIMIT: Duration = Duration::from_secs(120);
/// Cells per side of the floor: a metre to drive, and no wall in range around the middle.
const TABLE: u16 = 15;

/// Calibration of one simulated robot. A person puts it in its place, as exactly as its tolerances say, and
/// measures with a tape and a mark on the floor.
///
/// ```
/// use sim::{physics::tolerances::Tolerances, run::CalibrationRun};
/// use tinystar::calibrator::Routine;
///
/// let mut run = CalibrationRun::new(Tolerances::none(), 1);
/// let calibration = run.routine(Routine::Distance, |_| ())?;
/// assert!(calibration.is_measured(Routine::Distance));
/// # Ok::<(), sim::run::CalibrationFailed>(())
/// ```
#[derive(Clone, Debug)]
pub struct CalibrationRun {
    tolerances: Tolerances,
    /// Seed of the noise of the next routine.
    seed: u64,
    /// Side of a cell, in millimetres; sent to the robot with its settings.
    cell_mm: u16,
    /// Flash as the last routine left it.
    flash: FlashMemory,
}

/// The routine did not end as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the calibration routine `{}` failed", .0.name())]
pub struct CalibrationFailed(pub Routine);

impl CalibrationRun {
    /// Robot with a blank flash, on a floor with cells of the usual size; the seed is that of its noise.
    pub fn new(tolerances: Tolerances, seed: u64) -> Self {
        Self {
            tolerances,
            seed,
            cell_mm: CELL_MM as u16,
            flash: FlashMemory::default(),
        }
    }

    /// The same on a floor with cells of a size in millimetres.
    #[must_use]
    pub fn with_cells_of(self, cell_mm: u16) -> Self {
        Self { cell_mm, ..self }
    }

    /// Runs routines one after the other; returns the calibration that the robot has then.
    ///
    /// # Errors
    /// A routine failed.
    pub fn routines(mut self, routines: &[Routine]) -> Result<Calibration, CalibrationFailed> {
        let mut calibration = ZUMO2040.calibration;
        for &routine in routines {
            calibration = self.routine(routine, |_| ())?;
        }
        Ok(calibration)
    }

    /// Runs a routine from power-on; `observe` gets the robot's telemetry. Returns the calibration that the
    /// robot has then.
    ///
    /// # Errors
    /// The routine failed.
    pub fn routine(
        &mut self,
        routine: Routine,
        mut observe: impl FnMut(&[Frame]),
    ) -> Result<Calibration, CalibrationFailed> {
        let failed = CalibrationFailed(routine);
        let (floor, home) = place(routine, self.cell_mm);
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
        signals.set_settings(Settings {
            cell_mm: self.cell_mm,
            ..Settings::of_field(field)
        });
        let physics = PhysicsModel::new(floor, home, Side::North, self.tolerances, self.seed);
        self.seed = self.seed.wrapping_add(1);
        let shared = SharedModel::new(physics);
        let flash = Rc::new(RefCell::new(self.flash.clone()));
        let cable = SerialCable::default();
        let robot = SimRobot {
            model: shared.clone(),
            flash: Rc::clone(&flash),
            cable: cable.clone(),
            presses: Vec::new(),
            faults: Vec::new(),
            reset_cause: None,
        };
        let mut client = TelemetryClient::new(cable, false);
        let mut start = None;
        let mut is_done = false;
        let ended = clock::run(
            Instant::MIN,
            Instant::MIN + TIME_LIMIT,
            robot.run(&signals, &navigator),
            |_| {
                let frames = client.frames();
                observe(&frames);
                let pose = shared.now().drivetrain().pose();
                if start.is_none() && Instant::now() >= Instant::MIN + STARTUP {
                    start = Some(pose);
                    client.send(&Command::Calibrate(routine));
                }
                for frame in &frames {
                    match frame {
                        Frame::Calibration(_, Progress::Waiting(_)) => {
                            let from = start.unwrap_or(pose);
                            let across =
                                f64::hypot(pose.at[0] - from.at[0], pose.at[1] - from.at[1]);
                            let turned = (pose.heading - from.heading).to_degrees();
                            // A tape shows millimetres, a mark on the floor half a degree.
                            let measured = match routine {
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
        self.flash = flash.borrow().clone();
        match ended {
            Ended::Stopped(outcome) => outcome.map(|()| signals.calibration()),
            Ended::Ready(()) | Ended::TimeUp | Ended::Idle | Ended::Spinning => Err(failed),
        }
    }
}

/// Floor and cell of a routine, with cells of a size in millimetres.
fn place(routine: Routine, cell_mm: u16) -> (Floor, Cell) {
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
    (Floor::new(walls).with_cells_of(cell_mm), cell)
}
