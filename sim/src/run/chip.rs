//! One run of the flashed image on an emulated chip, from power-on until its missions have ended.

use std::ops::ControlFlow;

use embassy_time::{Duration, Instant};
use emulator::{Error, Event, Image};
use rand::RngExt;
use serde::Serialize;
use tinystar::{
    config::FIELD,
    fault::Fault,
    mission::{Activity, Mission},
    telemetry::{Command, Frame, State, Stored},
};

use super::{
    chip_robot::{EmulatedRobot, Step, World, instant},
    model::{BEGIN, REST, RunOutcome, STILL, is_unreachable, misplaced, name},
};
use crate::physics::{
    faults::{FaultKind, InjectedFault},
    floor::Floor,
    model::PhysicsModel,
    tolerances::Tolerances,
};
use crate::world::rng;

/// How long a person holds a button.
const PRESS: Duration = Duration::from_millis(100);
/// Cycles of the chip in a microsecond.
const CYCLES_PER_US: u64 = 125;

/// What is to be emulated.
#[derive(Clone, Debug)]
pub struct ChipRun {
    /// Where: a floor as large as the image's own field.
    pub floor: Floor,
    /// What the robot is to do, one after the other; of a patrol, one round. Each is told over USB and
    /// begun with button A. With none, button A sends the robot to its own goal.
    pub missions: Vec<Mission>,
    /// What the robot is like.
    pub tolerances: Tolerances,
    /// What its noise is drawn from.
    pub seed: u64,
    /// What goes wrong, from power-on.
    pub troubles: Vec<InjectedFault>,
    /// After so long the emulation is broken off.
    pub limit: Duration,
}

/// What an emulation was like; names and units are those of
/// [`Rehearsed`](super::rehearsal::Rehearsed).
#[derive(Clone, Debug, Serialize)]
pub struct Emulated {
    /// How it ended.
    pub outcome: RunOutcome,
    /// What the robot was told to do; nothing, if it was only started.
    pub mission: String,
    /// Cells that it entered.
    pub cells: u64,
    /// From the first press of a button to the end.
    pub seconds: f64,
    /// How often it touched something.
    pub collisions: usize,
    /// Codes of the faults that it told.
    pub faults: Vec<u8>,
    /// The most expansions of a tick that it told.
    pub worst_tick_expansions: u16,
    /// The longest tick that it told, in cycles: what its own clock of microseconds measured, with all
    /// that interrupted it.
    pub worst_tick_cycles: u64,
    /// Pages written and sectors erased.
    pub flash_writes: u64,
    /// How far from where it takes itself to be it stood, at most, in millimetres ...
    pub pose_error_mm: f64,
    /// ... and in degrees.
    pub heading_error_deg: f64,
    /// Whether the motors have no power at the end.
    pub motors_off: bool,
    /// Frames that could not be understood.
    pub garbage: u64,
    /// What became of the map in flash, as it was told; what is told before the port is open is lost.
    #[serde(skip)]
    pub stored: Vec<Stored>,
    /// Its logs, if the image has any.
    pub logs: Vec<String>,
}

impl ChipRun {
    /// A robot drawn from a seed on a floor, with nothing to do and nothing to go wrong.
    #[must_use]
    pub fn new(floor: Floor, seed: u64) -> Self {
        let mut rng = rng::seeded(seed);
        Self {
            floor,
            missions: Vec::new(),
            tolerances: Tolerances::drawn(&mut rng),
            seed: rng.random(),
            troubles: Vec::new(),
            limit: Duration::from_secs(600),
        }
    }

    /// The world with the robot at home in it.
    #[must_use]
    pub fn world(&self) -> World {
        let (floor, seed) = (self.floor.clone(), self.seed);
        let arena = PhysicsModel::new(floor, FIELD.home, FIELD.heading, self.tolerances, seed);
        World::new(arena, &self.troubles)
    }

    /// Runs an image in a robot that is new.
    ///
    /// # Errors
    /// The emulator failed.
    pub fn run(&self, image: Image) -> Result<Emulated, Error> {
        self.watch(image, |_| Ok(()))
    }

    /// Runs an image in a robot that is new. `watch` is shown every step.
    ///
    /// # Errors
    /// The emulator failed, or `watch` did, which ends the run.
    pub fn watch<E: From<Error>>(
        &self,
        image: Image,
        watch: impl FnMut(&Step) -> Result<(), E>,
    ) -> Result<Emulated, E> {
        self.watch_on(&mut EmulatedRobot::new(image, self.world())?, watch)
    }

    /// Runs a robot that is off, in the world that it is in.
    ///
    /// # Errors
    /// The emulator failed.
    pub fn run_on(&self, robot: &mut EmulatedRobot) -> Result<Emulated, Error> {
        self.watch_on(robot, |_| Ok(()))
    }

    fn watch_on<E: From<Error>>(
        &self,
        robot: &mut EmulatedRobot,
        mut watch: impl FnMut(&Step) -> Result<(), E>,
    ) -> Result<Emulated, E> {
        robot.power_on()?;
        let mut onlooker = Onlooker::new(self);
        let outcome = loop {
            let step = robot.step()?;
            watch(&step)?;
            if let ControlFlow::Break(outcome) = onlooker.look(&step, robot) {
                break outcome;
            }
        };
        if outcome == RunOutcome::PowerCut {
            robot.power_off()?;
            robot.step()?;
        }
        Ok(onlooker.told(outcome, robot))
    }
}

/// What the person beside the floor is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Wait until the robot has woken up.
    Waking,
    /// Wait until it has taken its mission.
    Telling,
    /// Hold button A since an instant.
    Pressing(Instant),
    /// Watch it since an instant.
    Watching(Instant),
}

/// The person beside the floor, who knows only what the robot tells.
struct Onlooker<'a> {
    emulation: &'a ChipRun,
    stage: Stage,
    /// Missions that were begun.
    begun: usize,
    /// When power came.
    on: Option<Instant>,
    /// When button A was first pressed.
    pressed: Option<Instant>,
    /// Since when the robot has been doing what it does.
    activity: Option<(Activity, Instant)>,
    /// Since when the motors have been off.
    still: Option<Instant>,
    /// Goals that the robot told since the mission was begun.
    goals: usize,
    faults: Vec<Fault>,
    stored: Vec<Stored>,
    logs: Vec<String>,
    worst_expansions: u16,
    worst_us: u32,
    flash_writes: u64,
    pose_error: f64,
    heading_error: f64,
    now: Instant,
}

impl<'a> Onlooker<'a> {
    fn new(emulation: &'a ChipRun) -> Self {
        Self {
            emulation,
            stage: Stage::Waking,
            begun: 0,
            on: None,
            pressed: None,
            activity: None,
            still: None,
            goals: 0,
            faults: Vec::new(),
            stored: Vec::new(),
            logs: Vec::new(),
            worst_expansions: 0,
            worst_us: 0,
            flash_writes: 0,
            pose_error: 0.0,
            heading_error: 0.0,
            now: Instant::MIN,
        }
    }

    fn look(&mut self, step: &Step, robot: &mut EmulatedRobot) -> ControlFlow<RunOutcome> {
        self.now = instant(step.outputs.now);
        let on = *self.on.get_or_insert(self.now);
        self.flash_writes += step.outputs.flash.len() as u64;
        let texts = step.outputs.texts().into_iter();
        self.logs.extend(texts.map(str::to_owned));
        self.still = match robot.arena().power() {
            [0, 0] => self.still.or(Some(self.now)),
            _ => None,
        };
        for (_, event) in &step.outputs.events {
            match event {
                Event::PowerLost => return ControlFlow::Break(RunOutcome::PowerCut),
                Event::WatchdogReset(_) => return ControlFlow::Break(RunOutcome::Reset),
                Event::Halted(_) => return ControlFlow::Break(RunOutcome::Stuck),
                Event::Boot(_) | Event::Fault { .. } | Event::Unknown { .. } => {}
            }
        }
        for frame in &step.frames {
            self.hear(frame, robot)?;
        }
        let has_power =
            |trouble: &InjectedFault| trouble.kind != FaultKind::Power || trouble.at > self.now;
        if !self.emulation.troubles.iter().all(has_power) {
            return ControlFlow::Break(RunOutcome::PowerCut);
        }
        if self.now.saturating_duration_since(on) >= self.emulation.limit {
            return ControlFlow::Break(RunOutcome::TimeUp);
        }
        self.lead(robot)
    }

    /// Takes in what the robot told.
    fn hear(&mut self, frame: &Frame, robot: &EmulatedRobot) -> ControlFlow<RunOutcome> {
        match frame {
            Frame::State(state) => {
                if self
                    .activity
                    .is_none_or(|(before, _)| before != state.activity)
                {
                    self.activity = Some((state.activity, self.now));
                }
                self.compare(state, robot);
            }
            Frame::Accepted(_) if self.stage == Stage::Telling => {
                self.stage = Stage::Pressing(self.now);
            }
            Frame::Refused { .. } => return ControlFlow::Break(RunOutcome::Refused),
            Frame::Fault(fault) => self.faults.push(*fault),
            Frame::Stored(stored) => self.stored.push(*stored),
            Frame::Goals(_) => self.goals += 1,
            Frame::Load(load) => {
                self.worst_expansions = self.worst_expansions.max(load.worst_expansions);
                self.worst_us = self.worst_us.max(load.worst_us);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Compares where a robot that stands takes itself to be with where it is.
    fn compare(&mut self, state: &State, robot: &EmulatedRobot) {
        let Some((still, on)) = self.still.zip(self.on) else {
            return;
        };
        let told = on + Duration::from_millis(state.ms.into());
        if state.activity != Activity::Faulty && told >= still + STILL {
            let (far, turned) = misplaced(state, &robot.arena().body().pose());
            self.pose_error = self.pose_error.max(far);
            self.heading_error = self.heading_error.max(turned);
        }
    }

    /// Begins the next mission when it is time, and says when all is over.
    fn lead(&mut self, robot: &mut EmulatedRobot) -> ControlFlow<RunOutcome> {
        let Some((activity, since)) = self.activity else {
            return ControlFlow::Continue(());
        };
        match self.stage {
            Stage::Waking => {
                let is_awake = self
                    .on
                    .is_some_and(|on| self.now - on >= BEGIN - Instant::MIN);
                if is_awake {
                    return self.begin(robot);
                }
            }
            Stage::Telling => {}
            Stage::Pressing(since) => {
                self.pressed.get_or_insert(since);
                let is_held = self.now - since < PRESS;
                robot.hold([is_held, false, false]);
                if !is_held {
                    self.goals = 0;
                    self.stage = Stage::Watching(self.now);
                }
            }
            Stage::Watching(begun) => {
                let lasted = self.now - since.max(begun);
                match activity {
                    _ if lasted < REST => {}
                    Activity::Faulty => return ControlFlow::Break(RunOutcome::Fault),
                    Activity::Done | Activity::Idle => return self.begin(robot),
                    Activity::NoPath | Activity::Going => {}
                }
                let mission = self.emulation.missions.get(self.begun.wrapping_sub(1));
                match mission {
                    Some(mission)
                        if activity == Activity::NoPath
                            && is_unreachable(mission, FIELD.home, robot.arena()) =>
                    {
                        return ControlFlow::Break(RunOutcome::Unreachable);
                    }
                    // The first goal is told at the start and again after the last.
                    Some(Mission::Patrol(stops)) if self.goals > stops.len() => {
                        self.goals = 0;
                        robot.command(&Command::Stop);
                    }
                    _ => {}
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn begin(&mut self, robot: &mut EmulatedRobot) -> ControlFlow<RunOutcome> {
        let mission = self.emulation.missions.get(self.begun);
        match mission {
            Some(mission) => {
                robot.command(&Command::SetMission(mission.clone()));
                self.stage = Stage::Telling;
            }
            None if self.begun == 0 => self.stage = Stage::Pressing(self.now),
            None => return ControlFlow::Break(RunOutcome::Done),
        }
        self.begun += 1;
        ControlFlow::Continue(())
    }

    fn told(self, outcome: RunOutcome, robot: &EmulatedRobot) -> Emulated {
        let arena = robot.arena();
        let took = self
            .pressed
            .map_or(Duration::MIN, |pressed| self.now - pressed);
        Emulated {
            outcome,
            mission: name(&self.emulation.missions),
            cells: arena.cells(),
            seconds: took.as_micros() as f64 / 1e6,
            collisions: arena.contacts().len(),
            faults: self.faults.iter().map(|fault| fault.code()).collect(),
            worst_tick_expansions: self.worst_expansions,
            worst_tick_cycles: u64::from(self.worst_us) * CYCLES_PER_US,
            flash_writes: self.flash_writes,
            pose_error_mm: self.pose_error,
            heading_error_deg: self.heading_error,
            motors_off: arena.power() == [0, 0],
            garbage: robot.desk().garbage(),
            stored: self.stored,
            logs: self.logs,
        }
    }
}
