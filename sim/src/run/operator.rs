//! Operator of a run: starts the missions one after the other, decides when the run is over, and gathers
//! statistics from telemetry and ground truth.

use std::ops::ControlFlow;

use embassy_time::{Duration, Instant};
use planner_core::explore::Phase;
use tinystar::{
    mission::{Activity, Mission},
    telemetry::{Command, Frame, Load, State},
};

use super::{
    PhaseReport, RunConfig, RunOutcome, RunReport,
    report::{is_unreachable, pose_error},
};
use crate::{
    physics::{faults::FaultKind, model::PhysicsModel},
    telemetry::text,
};

/// Time from power-on to the first mission.
const STARTUP: Duration = Duration::from_secs(1);
/// Time for which an activity must last to end a mission; by then the map is in flash.
const REST: Duration = Duration::from_millis(1500);
/// Time for which the motors must be off before the pose is compared: the end of the motion has been
/// reported by then.
const STILL: Duration = Duration::from_millis(15);
/// Time for which button A is pressed.
const PRESS: Duration = Duration::from_millis(100);

/// Time from putting the robot down to the start of a mission.
const PUT_DOWN: Duration = Duration::from_millis(700);

/// Way to start missions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartBy {
    /// By a command, right after the mission is set. Without missions, there is nothing to do.
    Command,
    /// By button A, after the mission is accepted. Without missions, the image goes to its own goal.
    Button,
}

/// Action of the operator on the robot.
pub(super) enum Action {
    Send(Command),
    /// Presses or releases button A.
    HoldButton(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Waiting for the robot to start up.
    Startup,
    /// Waiting for the mission to be accepted.
    Accepting,
    /// Pressing button A since an instant.
    Pressing(Instant),
    /// Mission running since an instant.
    Running(Instant),
}

/// Starts missions and gathers statistics.
pub(super) struct Operator<'a> {
    config: &'a RunConfig,
    start_by: StartBy,
    /// Power-on.
    on: Instant,
    stage: Stage,
    /// Missions started.
    started: usize,
    /// Start of the first mission.
    first_start: Option<Instant>,
    /// Current activity, and since when.
    activity: Option<(Activity, Instant)>,
    /// Since when the motors have been off.
    still: Option<Instant>,
    /// Goals reported since the mission was set.
    goals: usize,
    /// Results so far.
    report: RunReport,
    worst_us: u32,
    /// Instant of the last load frame, the cells entered by then, and the top speed since.
    since_load: (Instant, u64, i16),
    /// Last instant at home before it departed, and the cells entered by then.
    at_home: (Instant, u64),
    /// True if it was at home when last observed.
    is_at_home: bool,
    /// Duration and cells of the last run from home.
    run: Option<(Duration, u64)>,
    now: Instant,
}

impl<'a> Operator<'a> {
    pub(super) fn new(config: &'a RunConfig, start_by: StartBy, on: Instant) -> Self {
        Self {
            config,
            start_by,
            on,
            stage: Stage::Startup,
            started: 0,
            first_start: None,
            activity: None,
            still: None,
            goals: 0,
            report: RunReport::default(),
            worst_us: 0,
            since_load: (on, 0, 0),
            at_home: (on, 0),
            is_at_home: false,
            run: None,
            now: on,
        }
    }

    /// Takes in the telemetry since the last call; breaks if the run is over.
    pub(super) fn receive(
        &mut self,
        now: Instant,
        frames: &[Frame],
        physics: &PhysicsModel,
    ) -> ControlFlow<RunOutcome> {
        self.now = now;
        self.still = match physics.duty() {
            [0, 0] => self.still.or(Some(now)),
            _ => None,
        };
        for frame in frames {
            match frame {
                Frame::Accepted(_) if self.stage == Stage::Accepting => {
                    self.stage = Stage::Pressing(now);
                }
                Frame::Refused { .. } => return ControlFlow::Break(RunOutcome::Refused),
                Frame::Fault(fault) => self.report.faults.push(fault.code()),
                Frame::Stored(stored) => self.report.stored.push(*stored),
                Frame::Goals(_) => self.goals += 1,
                Frame::Load(load) => {
                    let worst = &mut self.report.worst_tick_expansions;
                    *worst = load.worst_expansions.max(*worst);
                    self.worst_us = self.worst_us.max(load.worst_us);
                    self.report.decisions += u64::from(load.decisions);
                    self.report.decisions_late += u64::from(load.late);
                    self.add_to_phase(load, physics);
                }
                _ => {}
            }
        }
        let mut faults = self.config.faults.iter();
        if faults.any(|fault| fault.kind == FaultKind::Power && fault.start <= now) {
            return ControlFlow::Break(RunOutcome::PowerCut);
        }
        ControlFlow::Continue(())
    }

    /// Adds what has happened since the last load frame to its phase.
    fn add_to_phase(&mut self, load: &Load, physics: &PhysicsModel) {
        let entered = physics.cells_entered();
        let (since, cells, speed) = std::mem::replace(&mut self.since_load, (self.now, entered, 0));
        // The rest of the path, once the goal cell is next.
        let of = match load.phase {
            Phase::Done => Phase::Run,
            phase => phase,
        };
        let phases = &mut self.report.phases;
        let known = phases.iter().position(|phase| phase.phase == of);
        let place = known.unwrap_or_else(|| {
            phases.push(PhaseReport::new(of));
            phases.len() - 1
        });
        let phase = &mut phases[place];
        let seconds = (self.now - since).as_micros() as f64 / 1e6;
        phase.add(seconds, entered - cells);
        phase.top_speed = phase.top_speed.max(speed.into());
        phase.decisions += u64::from(load.decisions);
        phase.decisions_late += u64::from(load.late);
    }

    /// Takes in the robot's state at an instant.
    pub(super) fn observe(&mut self, state: &State, at: Instant, physics: &PhysicsModel) {
        let before = self.activity.map(|(activity, _)| activity);
        let is_at_home = state.at == self.config.home && state.activity.is_active();
        // Turns in place, before it departs, are no part of the run.
        if is_at_home && (state.speed_mm_s == 0 || !self.is_at_home) {
            self.at_home = (self.now, physics.cells_entered());
        }
        self.is_at_home = is_at_home;
        if before != Some(state.activity) {
            self.activity = Some((state.activity, self.now));
            let (since, cells) = self.at_home;
            if state.activity == Activity::Done {
                let cells = physics.cells_entered() - cells;
                self.run = Some((self.now.saturating_duration_since(since), cells));
            }
        }
        self.report.top_speed = self.report.top_speed.max(state.speed_mm_s.into());
        self.since_load.2 = self.since_load.2.max(state.speed_mm_s);
        let is_settled = self.still.is_some_and(|still| at >= still + STILL);
        let is_known = !matches!(
            state.activity,
            Activity::Faulty | Activity::Lost | Activity::Relocalising
        ) && !physics.is_carried();
        if is_settled && is_known {
            let (mm, deg) = pose_error(state, physics);
            self.report.pose_error_mm = self.report.pose_error_mm.max(mm);
            self.report.heading_error_deg = self.report.heading_error_deg.max(deg);
        }
    }

    /// Starts the next mission when it is time; breaks if the run is over.
    pub(super) fn operate(
        &mut self,
        physics: &PhysicsModel,
        mut act: impl FnMut(Action),
    ) -> ControlFlow<RunOutcome> {
        let Some((activity, since)) = self.activity else {
            return ControlFlow::Continue(());
        };
        match self.stage {
            Stage::Startup if self.now >= self.ready() => {
                return self.start_next(physics, act);
            }
            Stage::Startup | Stage::Accepting => {}
            Stage::Pressing(since) => {
                self.first_start.get_or_insert(since);
                let is_held = self.now - since < PRESS;
                act(Action::HoldButton(is_held));
                if !is_held {
                    self.stage = Stage::Running(self.now);
                }
            }
            Stage::Running(started) => {
                let lasted = self.now.saturating_duration_since(since.max(started));
                match activity {
                    Activity::Faulty if lasted >= REST => {
                        return ControlFlow::Break(RunOutcome::Fault);
                    }
                    Activity::Lost if lasted >= REST => {
                        return ControlFlow::Break(RunOutcome::Lost);
                    }
                    Activity::Done | Activity::Idle if lasted >= REST => {
                        return self.start_next(physics, act);
                    }
                    _ => {}
                }
                let current = self.started.wrapping_sub(1);
                match self.config.missions.get(current) {
                    Some(mission)
                        if activity == Activity::NoPath
                            && is_unreachable(mission, self.config.home, physics) =>
                    {
                        return ControlFlow::Break(RunOutcome::Unreachable);
                    }
                    // The first goal is reported at the start and again after the last.
                    Some(Mission::Patrol(stops)) if self.goals > stops.len() => {
                        self.goals = 0;
                        act(Action::Send(Command::Stop));
                    }
                    _ => {}
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Time of the first mission: after start-up, and after the robot is put down if it is carried then.
    fn ready(&self) -> Instant {
        let startup = self.on + STARTUP;
        let carried = self.config.faults.iter().filter(|fault| {
            fault.kind == FaultKind::Carried && self.on + (fault.start - Instant::MIN) <= startup
        });
        carried.fold(startup, |ready, fault| {
            ready.max(self.on + (fault.start - Instant::MIN) + fault.duration + PUT_DOWN)
        })
    }

    fn start_next(
        &mut self,
        physics: &PhysicsModel,
        mut act: impl FnMut(Action),
    ) -> ControlFlow<RunOutcome> {
        let mission = self.config.missions.get(self.started).cloned();
        let is_own_goal = self.start_by == StartBy::Button && self.started == 0;
        if mission.is_none() && !is_own_goal {
            return ControlFlow::Break(RunOutcome::Done);
        }
        self.started += 1;
        self.since_load = (self.now, physics.cells_entered(), 0);
        self.goals = 0;
        self.stage = Stage::Pressing(self.now);
        if let Some(mission) = mission {
            act(Action::Send(Command::SetMission(mission)));
            self.stage = Stage::Accepting;
        }
        if self.start_by == StartBy::Command {
            self.first_start.get_or_insert(self.now);
            act(Action::Send(Command::Start));
            self.stage = Stage::Running(self.now);
        }
        ControlFlow::Continue(())
    }

    /// Longest planner tick, in microseconds of the robot's clock.
    pub(super) fn worst_us(&self) -> u32 {
        self.worst_us
    }

    /// Report of the run; fields that only one kind of run has are empty.
    pub(super) fn report(mut self, outcome: RunOutcome, physics: &PhysicsModel) -> RunReport {
        let start = self.first_start.unwrap_or(self.now);
        let seconds = self.now.saturating_duration_since(start).as_micros() as f64 / 1e6;
        let explores = matches!(self.config.missions.last(), Some(Mission::Explore(_)));
        let run = self.run.filter(|_| explores);
        if let (Some((time, cells)), [.., before, last]) = (run, &mut self.report.phases[..]) {
            // The planner is up to seven cells ahead of the robot: the run begins at home.
            let time = time.as_micros() as f64 / 1e6;
            before.add(last.seconds - time, last.cells.saturating_sub(cells));
            (last.seconds, last.cells) = (0.0, 0);
            last.add(time, cells);
        }
        let speeds = physics.collisions().iter().map(|hit| hit.speed);
        let collision_speed = speeds.fold(0.0, f64::max);
        RunReport {
            outcome,
            mission: text::missions(&self.config.missions),
            cells: physics.cells_entered(),
            seconds,
            seconds_per_cell: seconds / physics.cells_entered().max(1) as f64,
            run_seconds: run.map(|(duration, _)| duration.as_micros() as f64 / 1e6),
            run_cells: run.map(|(_, cells)| cells),
            collisions: physics.collisions().len(),
            collision_speed,
            contact_mm_s: collision_speed,
            coast_mm: physics.coast(),
            motors_off: physics.duty() == [0, 0],
            ..self.report
        }
    }
}
