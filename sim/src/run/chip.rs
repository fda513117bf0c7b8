//! Chip run: the firmware's image on an emulated chip, from power-on.

use std::{io, ops::ControlFlow};

use embassy_time::{Duration, Instant};
use emulator::{Board, Emulator, Error, Event, Image, Outputs, Setup, Surroundings};
use tinystar::{
    config::FIELD,
    telemetry::{Command, Frame},
};

use super::{
    FaultyHardware, Progress, RunConfig, RunError, RunOutcome, RunReport,
    client::TelemetryClient,
    operator::{Action, Operator, StartBy},
};
use crate::physics::{devices::SerialCable, floor::Floor, model::PhysicsModel};

/// Time for which the chip runs between two steps of the physics model.
pub const SLICE: std::time::Duration = std::time::Duration::from_millis(1);
/// Chip cycles per microsecond.
const CYCLES_PER_US: u64 = 125;

/// Run of the firmware's image on an emulated chip. Missions are set over USB and started with button A;
/// without missions, button A sends the robot to the image's own goal.
#[derive(Clone, Debug)]
pub struct ChipRun {
    /// World, robot, missions and faults. The floor is as large as the image's field, and the home is
    /// that of the image.
    pub config: RunConfig,
    /// Robot around the chip.
    pub board: Board,
}

impl ChipRun {
    /// Run of a robot drawn from a seed, without missions and faults.
    pub fn new(floor: Floor, seed: u64) -> Self {
        let time_limit = Duration::from_secs(600);
        Self {
            config: RunConfig::new(floor, FIELD.home, FIELD.heading, seed, time_limit),
            board: Board::default(),
        }
    }

    /// Hardware with the robot at its home.
    pub fn hardware(&self) -> FaultyHardware {
        FaultyHardware::new(self.config.physics(), &self.config.faults)
    }

    /// Runs an image without an observer.
    pub fn run(&self, image: Image) -> Result<RunReport, RunError> {
        self.run_observed(image, |_| Ok(()))
    }

    /// Runs an image; `observe` is called after every [`SLICE`].
    pub fn run_observed(
        &self,
        image: Image,
        observe: impl FnMut(&Progress<'_>) -> io::Result<()>,
    ) -> Result<RunReport, RunError> {
        let mut robot = EmulatedRobot::on(self.board, image, self.hardware())?;
        self.run_robot(&mut robot, observe)
    }

    /// Runs a robot that is off, with the hardware that it has.
    pub fn run_robot(
        &self,
        robot: &mut EmulatedRobot,
        mut observe: impl FnMut(&Progress<'_>) -> io::Result<()>,
    ) -> Result<RunReport, RunError> {
        robot.power_on()?;
        let mut step = robot.step()?;
        let on = instant(step.outputs.now);
        let mut operator = Operator::new(&self.config, StartBy::Button, on);
        let (mut flash_writes, mut logs) = (0, Vec::new());
        let outcome = loop {
            let now = instant(step.outputs.now);
            observe(&Progress {
                now,
                frames: &step.frames,
                physics: robot.physics(),
                state: None,
            })?;
            flash_writes += step.outputs.flash.len() as u64;
            logs.extend(step.outputs.texts().into_iter().map(str::to_owned));
            let over = self.check(&step, now, on, &mut operator, robot);
            if let ControlFlow::Break(outcome) = over {
                break outcome;
            }
            step = robot.step()?;
        };
        if outcome == RunOutcome::PowerCut {
            robot.power_off()?;
            robot.step()?;
        }
        Ok(RunReport {
            worst_tick_cycles: Some(u64::from(operator.worst_us()) * CYCLES_PER_US),
            flash_writes,
            garbage: robot.client.garbage(),
            logs: Some(logs),
            ..operator.report(outcome, robot.physics())
        })
    }

    /// Lets the operator act on a step; breaks if the run is over.
    fn check(
        &self,
        step: &Step,
        now: Instant,
        on: Instant,
        operator: &mut Operator<'_>,
        robot: &mut EmulatedRobot,
    ) -> ControlFlow<RunOutcome> {
        for (_, event) in &step.outputs.events {
            match event {
                Event::PowerLost => return ControlFlow::Break(RunOutcome::PowerCut),
                Event::WatchdogReset(_) => return ControlFlow::Break(RunOutcome::Reset),
                Event::Halted(_) => return ControlFlow::Break(RunOutcome::Stuck),
                Event::Boot(_) | Event::Fault { .. } | Event::Unknown { .. } => {}
            }
        }
        let EmulatedRobot {
            hardware, client, ..
        } = robot;
        operator.receive(now, &step.frames, hardware.physics())?;
        for frame in &step.frames {
            if let Frame::State(state) = frame {
                let at = on + Duration::from_millis(state.ms.into());
                operator.observe(state, at, hardware.physics());
            }
        }
        if now.saturating_duration_since(on) >= self.config.time_limit {
            return ControlFlow::Break(RunOutcome::TimeUp);
        }
        let mut is_held = None;
        operator.operate(hardware.physics(), |action| match action {
            Action::Send(command) => client.send(&command),
            Action::HoldButton(held) => is_held = Some(held),
        })?;
        if let Some(is_held) = is_held {
            hardware.hold_buttons([is_held, false, false]);
        }
        ControlFlow::Continue(())
    }
}

/// Robot whose emulated chip runs an image, with a desktop at its serial port; off at first.
///
/// ```no_run
/// use emulator::Image;
/// use sim::{physics::floor::Floor, run::{ChipRun, EmulatedRobot}, world::Maze};
///
/// let run = ChipRun::new(Floor::new(Maze::open(64, 64)?), 1);
/// let image = Image::read("target/thumbv6m-none-eabi/chip/tinystar")?;
/// let mut robot = EmulatedRobot::new(image, run.hardware())?;
/// robot.power_on()?;
/// for _ in 0..1000 {
///     for frame in robot.step()?.frames {
///         println!("{frame:?}");
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EmulatedRobot {
    emulator: Emulator,
    hardware: FaultyHardware,
    cable: SerialCable,
    client: TelemetryClient,
}

/// Outputs of a robot in one [`SLICE`].
#[derive(Debug)]
pub struct Step {
    /// Outputs of the chip.
    pub outputs: Outputs,
    /// Telemetry received.
    pub frames: Vec<Frame>,
}

impl EmulatedRobot {
    /// Zumo 2040 with an image in its flash.
    pub fn new(image: Image, hardware: FaultyHardware) -> Result<Self, Error> {
        Self::on(Board::Zumo2040, image, hardware)
    }

    /// Robot on a board with an image in its flash.
    pub fn on(board: Board, image: Image, hardware: FaultyHardware) -> Result<Self, Error> {
        let cable = SerialCable::default();
        let setup = Setup {
            board,
            ..Setup::default()
        };
        Ok(Self {
            emulator: Emulator::start_with(&setup, image)?,
            hardware,
            client: TelemetryClient::new(cable.clone(), false),
            cable,
        })
    }

    /// Switches the robot on; its flash is preserved.
    pub fn power_on(&mut self) -> Result<(), Error> {
        self.cable = SerialCable::default();
        self.client = TelemetryClient::new(self.cable.clone(), false);
        self.emulator.power_on()
    }

    /// Switches the robot off at once.
    pub fn power_off(&mut self) -> Result<(), Error> {
        self.emulator.power_off()
    }

    /// Runs for one [`SLICE`].
    pub fn step(&mut self) -> Result<Step, Error> {
        self.emulator.send(&self.cable.take_for_robot());
        let outputs = self.emulator.run(SLICE)?;
        *self.emulator.inputs_mut() = self.hardware.after(&outputs, SLICE);
        self.cable.relay(instant(outputs.now), outputs.usb.clone());
        let frames = self.client.frames();
        Ok(Step { outputs, frames })
    }

    /// Replaces the hardware: another world, or another place in it.
    pub fn replace_hardware(&mut self, hardware: FaultyHardware) {
        self.hardware = hardware;
    }

    /// Turns the robot in a hand at a yaw rate in thousandths of a degree per second, clockwise.
    pub fn carry(&mut self, rate: i32) {
        self.hardware.carry(rate);
    }

    /// Presses or releases buttons A, B and C.
    pub fn hold(&mut self, buttons: [bool; 3]) {
        self.hardware.hold_buttons(buttons);
    }

    /// Sends a command over the serial port.
    pub fn command(&mut self, command: &Command) {
        self.client.send(command);
    }

    /// Ground truth.
    pub fn physics(&self) -> &PhysicsModel {
        self.hardware.physics()
    }

    /// The emulated chip.
    pub fn emulator(&mut self) -> &mut Emulator {
        &mut self.emulator
    }
}

/// Emulator time as an instant of the model.
pub fn instant(since_start: std::time::Duration) -> Instant {
    Instant::from_micros(u64::try_from(since_start.as_micros()).unwrap_or(u64::MAX))
}
