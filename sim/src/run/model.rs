//! One run of the robot: its own tasks, on a floor, until its missions have ended.

use std::{cell::RefCell, ops::ControlFlow, rc::Rc};

use embassy_futures::{
    join::{join, join3, join4},
    select::select,
};
use embassy_time::{Duration, Instant};
use planner_core::{Cell, Side, map::Occupancy};
use rand::RngExt;
use serde::Serialize;
use thiserror::Error;
use tinystar::{
    atlas::{self, Atlas},
    boards::ZUMO2040,
    brain::{self, Brain},
    config,
    fault::Fault,
    mission::{Activity, Field, Mission},
    signals::Signals,
    tasks::{self, SharedAtlas},
    telemetry::{Command, Frame, State},
};

use crate::physics::{
    clock::{self, Ended},
    devices::{
        ButtonPress, Cable, FlashMemory, SharedModel, SimFlash, SimMotors, SimOdometry, SimPanel,
        SimProximity, SimSystemMonitor,
    },
    faults::{
        DroppedReadings, EncoderFailure, FaultKind, FrozenReadings, GyroFailure, InjectedFault,
        MissedWall, MotorFailure, PhantomWall, TimeSpan, WheelSlip,
    },
    floor::{self, Floor, middle},
    geometry::Pose,
    model::{PhysicsModel, angle},
    proximity::Receiver,
    tolerances::Tolerances,
};
use crate::telemetry::TelemetryClient;
use crate::world::rng;

/// When the first mission begins: by then a person has let go of the robot.
pub(super) const BEGIN: Instant = Instant::from_ticks(1_000_000);
/// How long a mission must have ended, so that its map is in flash.
pub(super) const REST: Duration = Duration::from_millis(1500);
/// How long the motors must have been off for the robot's pose to be compared with what it takes that
/// for: until the end of its motion has been told and taken in.
pub(super) const STILL: Duration = Duration::from_millis(15);
/// Shares of their way that the wheels lose in a burst of slip.
pub(super) const SLIP: [f64; 2] = [0.8, 0.3];

/// What is to be rehearsed.
#[derive(Clone, Debug)]
pub struct ModelRun {
    /// Where.
    pub floor: Floor,
    /// Where the robot is put.
    pub home: Cell,
    /// Where it then looks.
    pub heading: Side,
    /// What it is to do, one after the other; of a patrol, one round.
    pub missions: Vec<Mission>,
    /// What the robot is like.
    pub tolerances: Tolerances,
    /// What its noise is drawn from.
    pub seed: u64,
    /// What goes wrong: of each kind, the first.
    pub troubles: Vec<InjectedFault>,
    /// Buttons that somebody presses meanwhile.
    pub presses: Vec<ButtonPress>,
    /// Its flash, as the last run left it.
    pub chip: FlashMemory,
    /// Why it was restarted, if it was.
    pub reset_cause: Option<Fault>,
    /// After so long the rehearsal is broken off.
    pub limit: Duration,
    /// Whether all that the robot tells is kept.
    pub records: bool,
}

/// What there is to see, whenever the clock is about to jump.
#[derive(Clone, Copy)]
pub struct Glimpse<'a> {
    /// The truth.
    pub arena: &'a PhysicsModel,
    /// What the robot takes for the truth.
    pub state: Option<State>,
    /// What it told since the last glimpse.
    pub frames: &'a [Frame],
}

/// How a rehearsal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunOutcome {
    /// All missions were done.
    Done,
    /// The robot stopped with a fault.
    Fault,
    /// There is no way, and the robot said so.
    Unreachable,
    /// A command was refused.
    Refused,
    /// The watchdog bit.
    Reset,
    /// The power went.
    PowerCut,
    /// It took too long.
    TimeUp,
    /// The tasks stopped doing anything, or did something for ever at one instant.
    Stuck,
}

/// What a rehearsal was like.
#[derive(Clone, Debug, Serialize)]
pub struct Rehearsed {
    /// How it ended.
    pub outcome: RunOutcome,
    /// What the robot was to do.
    pub mission: String,
    /// Cells that it entered.
    pub cells: u64,
    /// From the first mission's start to the end.
    pub seconds: f64,
    /// How often it touched something.
    pub collisions: usize,
    /// How fast it was then at most, in millimetres per second.
    pub collision_speed: f64,
    /// Codes of the faults that it told.
    pub faults: Vec<u8>,
    /// The most expansions of a tick that it told.
    pub worst_tick_expansions: u16,
    /// There is none in virtual time.
    pub worst_tick_cycles: Option<u64>,
    /// Pages written and sectors erased.
    pub flash_writes: u64,
    /// How far from where it takes itself to be it stood, at most, in millimetres ...
    pub pose_error_mm: f64,
    /// ... and in degrees.
    pub heading_error_deg: f64,
    /// Walls that its map has wrong at the end, of those that do not come and go.
    pub wrong_walls: usize,
    /// Whether the motors have no power at the end.
    pub motors_off: bool,
    /// Frames that could not be understood.
    pub garbage: u64,
    /// The flash, for the next run.
    #[serde(skip)]
    pub chip: FlashMemory,
    /// The learned map, as it is stored.
    #[serde(skip)]
    pub map: Vec<u8>,
    /// All that the robot told, if that was kept.
    #[serde(skip)]
    pub record: Vec<u8>,
}

/// The floor does not fit the robot's map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the robot's map has at most {side}x{side} cells, and its home inside, but this is {width}x{height} with a home at {},{}",
    home.x, home.y, side = config::SIDE)]
pub struct NoFit {
    width: u16,
    height: u16,
    home: Cell,
}

impl ModelRun {
    /// A robot drawn from a seed on a floor, with nothing to do and nothing to go wrong.
    #[must_use]
    pub fn new(floor: Floor, home: Cell, seed: u64) -> Self {
        let mut rng = rng::seeded(seed);
        Self {
            floor,
            home,
            heading: Side::North,
            missions: Vec::new(),
            tolerances: Tolerances::drawn(&mut rng),
            seed: rng.random(),
            troubles: Vec::new(),
            presses: Vec::new(),
            chip: FlashMemory::default(),
            reset_cause: None,
            limit: Duration::from_secs(1800),
            records: false,
        }
    }

    /// Runs it. `watch` is told whenever the clock is about to jump.
    ///
    /// # Errors
    /// The floor does not fit the robot's map.
    pub fn run(self, mut watch: impl FnMut(Glimpse<'_>)) -> Result<Rehearsed, NoFit> {
        let walls = self.floor.walls();
        let field = Field {
            width: walls.width(),
            height: walls.height(),
            home: self.home,
            heading: self.heading,
        };
        let no_fit = NoFit {
            width: field.width,
            height: field.height,
            home: field.home,
        };
        let mut memory = Box::new(atlas::MEMORY);
        let atlas = Atlas::new(field, &mut memory).map_err(|_| no_fit)?;
        let atlas = SharedAtlas::new(atlas);
        let mut memory = Box::new(brain::MEMORY);
        let brain = Brain::new(field, &mut memory).map_err(|_| no_fit)?;
        let signals = Signals::new(ZUMO2040.calibration);

        let shared = SharedModel::new(PhysicsModel::new(
            self.floor.clone(),
            self.home,
            self.heading,
            self.tolerances,
            self.seed,
        ));
        let span = |kind| {
            let own = self.troubles.iter().find(|trouble| trouble.kind == kind);
            own.map_or(TimeSpan::NEVER, InjectedFault::span)
        };
        let eyes = MissedWall(
            SimProximity(shared.clone()),
            Receiver::Front,
            span(FaultKind::Missed),
        );
        let eyes = PhantomWall(eyes, Receiver::Front, span(FaultKind::Ghost));
        let eyes = FrozenReadings::new(eyes, span(FaultKind::Frozen));
        let mut eyes = DroppedReadings(eyes, span(FaultKind::Dropped));
        let wheels =
            EncoderFailure::new(SimOdometry(shared.clone()), false, span(FaultKind::Encoder));
        let mut wheels = GyroFailure(wheels, span(FaultKind::Gyro));
        let motors = MotorFailure {
            inner: SimMotors(shared.clone()),
            is_right: true,
            span: span(FaultKind::Motor),
        };
        let mut motors = WheelSlip {
            inner: motors,
            arena: shared.clone(),
            shares: SLIP,
            span: span(FaultKind::Slip),
        };
        let mut panel = SimPanel::new(self.presses.clone());
        let watchdog = SimSystemMonitor::new(shared.clone(), self.reset_cause);
        let mut guard = watchdog.clone();
        let chip = Rc::new(RefCell::new(self.chip.clone()));
        let cable = Cable::default();
        let (rx, tx) = cable.plug();

        let robot = join(
            join4(
                tasks::sense(&signals, &mut eyes),
                tasks::drive(&signals, &ZUMO2040, &mut wheels, &mut motors),
                tasks::plan(&signals, &ZUMO2040, &atlas, brain),
                tasks::panel(&signals, &mut panel),
            ),
            join3(
                tasks::report(&signals, &atlas, rx, tx),
                tasks::store(&signals, &ZUMO2040, &atlas, SimFlash(Rc::clone(&chip))),
                tasks::supervise(&signals, &ZUMO2040, &mut guard),
            ),
        );
        let mut onlooker = Onlooker::new(&self, TelemetryClient::new(cable, self.records));
        let ended = clock::run(
            Instant::MIN,
            Instant::MIN + self.limit,
            select(robot, watchdog.bite()),
            |_| {
                let mut arena = shared.now();
                let end = onlooker.look(&signals, &mut arena, &chip.borrow());
                watch(Glimpse {
                    arena: &arena,
                    state: signals.state(),
                    frames: &onlooker.frames,
                });
                end
            },
        );
        let outcome = match ended {
            // Tasks do not end, so the watchdog has bitten.
            Ended::Ready(_) => RunOutcome::Reset,
            Ended::BrokenOff(outcome) => outcome,
            Ended::TimeUp => RunOutcome::TimeUp,
            Ended::Idle | Ended::Spinning => RunOutcome::Stuck,
        };
        let map = match atlas.try_lock() {
            Ok(atlas) => (0..atlas.len()).map(|index| atlas.byte(index)).collect(),
            Err(_) => Vec::new(),
        };
        let wrong_walls = atlas
            .try_lock()
            .map_or(0, |atlas| wrong_walls(&atlas, &self.floor));
        let chip = chip.borrow().clone();
        // The clock is back where it was; the arena is as late as it was last looked at.
        Ok(onlooker.told(outcome, &shared.as_it_was(), chip, map, wrong_walls))
    }
}

/// Walls of the map that are not as they are.
fn wrong_walls(atlas: &Atlas<'_>, floor: &Floor) -> usize {
    let truth = floor.walls();
    truth
        .cells()
        .flat_map(|cell| [(cell, Side::South), (cell, Side::East)])
        .filter(|&(cell, side)| match atlas.wall(cell, side) {
            Occupancy::Unknown => false,
            Occupancy::Free => truth.has_wall(cell, side),
            Occupancy::Blocked => !truth.has_wall(cell, side),
        })
        .count()
}

/// The person beside the floor, who gives commands, makes trouble and keeps the record.
struct Onlooker<'a> {
    rehearsal: &'a ModelRun,
    desk: TelemetryClient,
    frames: Vec<Frame>,
    /// Missions that were begun.
    begun: usize,
    /// When the last mission was begun.
    since: Instant,
    /// Whether the robot said that it is on its way.
    has_left: bool,
    /// Goals that the robot told since the mission was begun.
    goals: usize,
    is_refused: bool,
    faults: Vec<Fault>,
    worst_expansions: u16,
    /// People and doors that have not yet come.
    awaited: Vec<InjectedFault>,
    /// Since when the robot has been doing what it does.
    activity: (Activity, Instant),
    /// Since when the motors have been off.
    still: Option<Instant>,
    pose_error: f64,
    heading_error: f64,
    /// Now, as the last look saw it.
    now: Instant,
}

impl<'a> Onlooker<'a> {
    fn new(rehearsal: &'a ModelRun, desk: TelemetryClient) -> Self {
        let awaited = rehearsal.troubles.iter().copied();
        Self {
            rehearsal,
            desk,
            frames: Vec::new(),
            begun: 0,
            since: Instant::MIN,
            has_left: false,
            goals: 0,
            is_refused: false,
            faults: Vec::new(),
            worst_expansions: 0,
            awaited: awaited
                .filter(|trouble| matches!(trouble.kind, FaultKind::Person | FaultKind::Door))
                .collect(),
            activity: (Activity::Idle, Instant::MIN),
            still: None,
            pose_error: 0.0,
            heading_error: 0.0,
            now: Instant::MIN,
        }
    }

    fn look(
        &mut self,
        signals: &Signals,
        arena: &mut PhysicsModel,
        chip: &FlashMemory,
    ) -> ControlFlow<RunOutcome> {
        self.now = Instant::now();
        self.frames = self.desk.frames();
        self.listen();
        self.make_trouble(arena);
        let has_power =
            |trouble: &InjectedFault| trouble.kind != FaultKind::Power || trouble.at > self.now;
        if chip.is_off() || !self.rehearsal.troubles.iter().all(has_power) {
            arena.set_power([0, 0]);
            return ControlFlow::Break(RunOutcome::PowerCut);
        }
        let Some(state) = signals.state() else {
            return ControlFlow::Continue(());
        };
        if self.activity.0 != state.activity {
            self.activity = (state.activity, self.now);
        }
        self.compare(&state, arena);
        self.lead(&state, arena)
    }

    /// Takes in what the robot told.
    fn listen(&mut self) {
        for frame in &self.frames {
            match frame {
                Frame::Fault(fault) => self.faults.push(*fault),
                Frame::Load(load) => {
                    self.worst_expansions = self.worst_expansions.max(load.worst_expansions);
                }
                Frame::Goals(_) => self.goals += 1,
                Frame::Refused { .. } => self.is_refused = true,
                _ => {}
            }
        }
    }

    /// Lets people and doors come, as soon as there is a place in the robot's way.
    fn make_trouble(&mut self, arena: &mut PhysicsModel) {
        let now = self.now;
        self.awaited.retain(|trouble| {
            let event = Some(trouble)
                .filter(|trouble| trouble.at <= now)
                .and_then(|trouble| trouble.in_the_way(arena));
            match event {
                Some(event) => {
                    arena.expect(event);
                    false
                }
                None => true,
            }
        });
    }

    /// Compares where a robot that stands takes itself to be with where it is.
    fn compare(&mut self, state: &State, arena: &PhysicsModel) {
        if arena.power() != [0, 0] || state.activity == Activity::Faulty {
            self.still = None;
            return;
        }
        let since = *self.still.get_or_insert(self.now);
        if self.now.saturating_duration_since(since) < STILL {
            return;
        }
        let (far, turned) = misplaced(state, &arena.body().pose());
        self.pose_error = self.pose_error.max(far);
        self.heading_error = self.heading_error.max(turned);
    }

    /// Begins the next mission when it is time, and says when all is over.
    fn lead(&mut self, state: &State, arena: &PhysicsModel) -> ControlFlow<RunOutcome> {
        let lasted = self.now.saturating_duration_since(self.activity.1);
        if self.begun == 0 && self.now >= BEGIN {
            return self.begin();
        }
        if self.is_refused {
            return ControlFlow::Break(RunOutcome::Refused);
        }
        let Some(mission) = self
            .begun
            .checked_sub(1)
            .and_then(|last| self.rehearsal.missions.get(last))
        else {
            return ControlFlow::Continue(());
        };
        match state.activity {
            Activity::Faulty if lasted >= REST => ControlFlow::Break(RunOutcome::Fault),
            Activity::Done if self.has_left && lasted >= REST => self.begin(),
            Activity::Idle if self.has_left && lasted >= REST => self.begin(),
            Activity::NoPath if is_unreachable(mission, self.rehearsal.home, arena) => {
                ControlFlow::Break(RunOutcome::Unreachable)
            }
            Activity::Going | Activity::NoPath => {
                self.has_left = true;
                // The first goal is told at the start and again after the last.
                if let Mission::Patrol(stops) = mission
                    && self.goals > stops.len()
                {
                    self.goals = 0;
                    self.desk.command(&Command::Stop);
                }
                ControlFlow::Continue(())
            }
            // A robot that is where it is to go is done before it is seen to leave.
            Activity::Done => {
                self.has_left = self.now.saturating_duration_since(self.since) >= REST;
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn begin(&mut self) -> ControlFlow<RunOutcome> {
        let Some(mission) = self.rehearsal.missions.get(self.begun) else {
            return ControlFlow::Break(RunOutcome::Done);
        };
        self.begun += 1;
        self.since = self.now;
        self.has_left = false;
        self.goals = 0;
        self.desk.command(&Command::SetMission(mission.clone()));
        self.desk.command(&Command::Start);
        ControlFlow::Continue(())
    }

    fn told(
        self,
        outcome: RunOutcome,
        arena: &PhysicsModel,
        chip: FlashMemory,
        map: Vec<u8>,
        wrong_walls: usize,
    ) -> Rehearsed {
        let speeds = arena.contacts().iter().map(|contact| contact.speed);
        let micros = self.now.saturating_duration_since(BEGIN).as_micros();
        Rehearsed {
            outcome,
            mission: name(&self.rehearsal.missions),
            cells: arena.cells(),
            seconds: micros as f64 / 1e6,
            collisions: arena.contacts().len(),
            collision_speed: speeds.fold(0.0, f64::max),
            faults: self.faults.iter().map(|fault| fault.code()).collect(),
            worst_tick_expansions: self.worst_expansions,
            worst_tick_cycles: None,
            flash_writes: chip.operations(),
            pose_error_mm: self.pose_error,
            heading_error_deg: self.heading_error,
            wrong_walls,
            motors_off: arena.power() == [0, 0],
            garbage: self.desk.garbage(),
            chip,
            map,
            record: self.desk.into_record(),
        }
    }
}

/// How far from where a robot takes itself to be it is, in millimetres and in degrees.
pub(super) fn misplaced(state: &State, truth: &Pose) -> (f64, f64) {
    let believed = Pose {
        at: middle(state.at),
        heading: angle(state.heading),
    };
    let [x, y] = believed.point(state.forward_mm.into(), state.lateral_mm.into());
    let far = f64::hypot(truth.at[0] - x, truth.at[1] - y);
    let turned = f64::from(state.yaw_ddeg) / 10.0;
    let off = (truth.heading - believed.heading).to_degrees() - turned;
    let off = (off + 180.0).rem_euclid(360.0) - 180.0;
    (far, off.abs())
}

/// Whether there is no way to where the robot is to go, even with all doors open.
pub(super) fn is_unreachable(mission: &Mission, home: Cell, arena: &PhysicsModel) -> bool {
    let walls = arena.floor().walls();
    let at = floor::cell(arena.body().pose().at);
    let home = [home];
    let goals: &[Cell] = match mission {
        Mission::GoTo(cell) => std::slice::from_ref(cell),
        Mission::Home => &home,
        Mission::Patrol(cells) | Mission::Explore(cells) => cells,
    };
    let distances = walls.distances(&[at]);
    let is_reachable = |cell: &Cell| {
        let index = usize::from(cell.y) * usize::from(walls.width()) + usize::from(cell.x);
        distances.get(index).is_some_and(Option::is_some)
    };
    match mission {
        Mission::Patrol(_) => !goals.iter().all(is_reachable),
        _ => !goals.iter().any(is_reachable),
    }
}

/// Missions as people type them.
#[must_use]
pub fn name(missions: &[Mission]) -> String {
    let list = |cells: &[Cell]| {
        let cells: Vec<String> = cells.iter().map(|c| format!("{},{}", c.x, c.y)).collect();
        cells.join(";")
    };
    let names: Vec<String> = missions
        .iter()
        .map(|mission| match mission {
            Mission::GoTo(cell) => format!("goto:{}", list(&[*cell])),
            Mission::Home => "home".to_owned(),
            Mission::Patrol(cells) => format!("patrol:{}", list(cells)),
            Mission::Explore(cells) => format!("explore:{}", list(cells)),
        })
        .collect();
    names.join(" ")
}
