//! Mission executive: senses walls, ticks the planner, commands motions and handles their results.

use embassy_time::{Duration, Instant};
use heapless::Deque;
use planner_core::{Cell, Decision, Side, Work, explore::Phase, map::Occupancy};

use super::{Activity, Mission};
use crate::{
    atlas::Atlas,
    brain::Brain,
    config::{
        DEADLINE, GOAL, LOAD_TICKS, LONGEST_ADVANCE, NO_PATH_WAIT, NO_PATH_WAITS,
        OBSTACLE_LIFETIME, SAVE_AFTER, SENSE_RETRIES, TEMPORARY_OBSTACLES, VOTES, WALLS_PER_TICK,
    },
    fault::Fault,
    robot::Levels,
    signals::{MotionCommand, MotionResult, Signals, StoreRequest, WallReading},
    telemetry::{Command, Frame, Load, Refusal, State},
};

/// Current step of the executive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Waiting for a command.
    Rest,
    /// Sensing until wall reading number `until`.
    Sense { until: u32, tries: u8 },
    /// Waiting for the planner's decision.
    Decide,
    /// Extending a straight motion over `cells` known free cells to `tip`.
    Extend { cells: u8, tip: Cell },
    /// Turning.
    Turn { to: Side },
    /// Advancing.
    Advance { to: Cell },
    /// Stopping an advance.
    Stop { to: Cell },
    /// Waiting for a path.
    Wait { until: Instant },
    /// Clearing the map, starting at `wall`; then saving.
    ClearMap { wall: usize, then_sense: bool },
    /// Waiting for the store; then sensing or resting.
    Save { then_sense: bool },
}

/// Obstacle that may go away, on an edge.
#[derive(Clone, Copy, Debug)]
struct TemporaryObstacle {
    cell: Cell,
    side: Side,
    since: Instant,
}

/// Carries out missions, one bounded tick at a time.
pub struct MissionExecutive<'m> {
    brain: Brain<'m>,
    /// Sum of levels from which an obstacle is a wall.
    wall_level: u8,
    at: Cell,
    heading: Side,
    mission: Mission,
    /// Index of the next stop of a patrol.
    stop: usize,
    activity: Activity,
    step: Step,
    temporary_obstacles: Deque<TemporaryObstacle, TEMPORARY_OBSTACLES>,
    /// Waits for a path since there last was one.
    waits: u8,
    /// Whether the last advance ended at an obstacle that may be invisible from here.
    was_blocked: bool,
    /// Wall changes since the map was saved.
    unsaved: u16,
    load: Load,
}

impl<'m> MissionExecutive<'m> {
    /// Executive of a robot at its home, without a mission. `wall_level` is that of the
    /// [board](crate::boards::BoardConfig).
    #[must_use]
    pub fn new(brain: Brain<'m>, wall_level: u8) -> Self {
        let field = brain.field();
        Self {
            brain,
            wall_level,
            at: field.home,
            heading: field.heading,
            mission: Mission::GoTo(GOAL),
            stop: 0,
            activity: Activity::Idle,
            step: Step::Rest,
            temporary_obstacles: Deque::new(),
            waits: 0,
            was_blocked: false,
            unsaved: 0,
            load: Load::default(),
        }
    }

    /// Passes a wall of the map to the planner; returns `false` if there is no wall of that number.
    pub fn load_wall(&mut self, map: &Atlas<'_>, number: usize) -> bool {
        let Some((cell, side)) = map.nth(number) else {
            return false;
        };
        let occupancy = map.wall(cell, side);
        if occupancy != Occupancy::Unknown {
            self.brain.observe(cell, side, occupancy);
        }
        true
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

    /// Drops the mission after a fault; the robot's cell is unknown from here on.
    pub fn abort(&mut self) {
        self.step = Step::Rest;
        self.activity = Activity::Faulty;
    }

    /// Resets cell and pose after a person has put the robot at its home.
    pub fn reset_to_home(&mut self, signals: &Signals) {
        let field = self.brain.field();
        (self.at, self.heading) = (field.home, field.heading);
        self.step = Step::Rest;
        self.activity = Activity::Idle;
        self.begin_motion(signals, MotionCommand::Reset);
    }

    /// Executes a command.
    ///
    /// # Errors
    /// The command is refused, and nothing has changed.
    pub fn execute(&mut self, command: Command, signals: &Signals) -> Result<(), Refusal> {
        if signals.fault().is_some() {
            return Err(Refusal::Faulty);
        }
        match command {
            Command::SetGoal(cell) => {
                if self.is_active() && matches!(self.mission, Mission::GoTo(_)) {
                    self.brain.go(&[cell]).map_err(|_| Refusal::Invalid)?;
                    signals.set_goals(&[cell]);
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
                self.start(signals)?;
            }
            Command::Home => {
                let before = core::mem::replace(&mut self.mission, Mission::Home);
                if let Err(refusal) = self.start(signals) {
                    self.mission = before;
                    return Err(refusal);
                }
            }
            Command::Stop => self.stop(signals),
            Command::ForgetMap => {
                self.check_standing()?;
                self.clear_map(false, signals);
            }
            Command::SetCalibration(calibration) => {
                self.check_standing()?;
                if !calibration.is_valid() {
                    return Err(Refusal::Invalid);
                }
                signals.set_calibration(calibration);
                self.request_store(StoreRequest::SaveCalibration, false, signals);
            }
            // Answered by the report task.
            Command::GetMap => return Err(Refusal::Unknown),
        }
        Ok(())
    }

    /// Runs one tick: at most [`LIMIT`](crate::config::LIMIT) expansions and [`WALLS_PER_TICK`] walls.
    pub fn tick(&mut self, map: &mut Atlas<'_>, signals: &Signals, now: Instant) {
        self.expire_obstacle(map, signals, now);
        match self.step {
            Step::Rest => {}
            Step::Sense { until, tries } => match signals.wall_reading.try_get() {
                Some(reading) if reading.count.wrapping_sub(until) < u32::MAX / 2 => {
                    self.sense(&reading, tries, map, signals, now);
                }
                _ => {}
            },
            Step::Decide => self.decide(map, signals, now),
            Step::Extend { cells, tip } => self.extend(cells, tip, map, signals),
            Step::Turn { to } => {
                self.plan(self.at, signals);
                if signals.motion_result.try_take().is_some() {
                    self.heading = to;
                    self.begin_sensing(signals);
                }
            }
            Step::Advance { to } => {
                self.plan(to, signals);
                if let Some(result) = signals.motion_result.try_take() {
                    self.end_advance(to, result, map, signals, now);
                }
            }
            Step::Stop { to } => {
                if let Some(result) = signals.motion_result.try_take() {
                    self.end_advance(to, result, map, signals, now);
                }
            }
            Step::Wait { until } if now >= until => self.retry(map, signals),
            Step::Wait { .. } => {}
            Step::ClearMap { wall, then_sense } => self.clear_walls(wall, then_sense, map, signals),
            Step::Save { then_sense } => {
                if signals.store_done.try_take().is_some() {
                    self.proceed(then_sense, signals);
                }
            }
        }
        if self.load.ticks >= LOAD_TICKS {
            signals.send(Frame::Load(core::mem::take(&mut self.load)));
        }
    }

    fn is_active(&self) -> bool {
        matches!(self.activity, Activity::Going | Activity::NoPath)
    }

    fn check_standing(&self) -> Result<(), Refusal> {
        if self.is_active() || self.step != Step::Rest {
            Err(Refusal::Moving)
        } else {
            Ok(())
        }
    }

    fn start(&mut self, signals: &Signals) -> Result<(), Refusal> {
        let home = [self.brain.field().home];
        self.stop = 0;
        let (goals, explores): (&[Cell], bool) = match &self.mission {
            Mission::GoTo(cell) => (core::slice::from_ref(cell), false),
            Mission::Home => (&home, false),
            Mission::Patrol(stops) => (stops.get(..1).unwrap_or(&[]), false),
            Mission::Explore(goals) => (goals, true),
        };
        let started = if explores {
            self.brain.explore(goals)
        } else {
            self.brain.go(goals)
        };
        started.map_err(|_| Refusal::Invalid)?;
        signals.set_goals(goals);
        self.activity = Activity::Going;
        self.waits = 0;
        match &mut self.step {
            Step::Rest | Step::Wait { .. } => self.begin_sensing(signals),
            Step::Save { then_sense } | Step::ClearMap { then_sense, .. } => *then_sense = true,
            // Continues, and senses after the motion.
            Step::Sense { .. }
            | Step::Decide
            | Step::Extend { .. }
            | Step::Turn { .. }
            | Step::Advance { .. }
            | Step::Stop { .. } => {}
        }
        Ok(())
    }

    fn stop(&mut self, signals: &Signals) {
        self.activity = Activity::Idle;
        match &mut self.step {
            &mut Step::Advance { to } => {
                self.step = Step::Stop { to };
                send_motion(signals, MotionCommand::Stop);
            }
            // A turn is short.
            Step::Turn { .. } | Step::Stop { .. } => {}
            Step::Save { then_sense } | Step::ClearMap { then_sense, .. } => *then_sense = false,
            Step::Rest
            | Step::Sense { .. }
            | Step::Decide
            | Step::Extend { .. }
            | Step::Wait { .. } => self.step = Step::Rest,
        }
    }

    fn begin_motion(&mut self, signals: &Signals, command: MotionCommand) {
        self.was_blocked = false;
        signals.motion_result.reset();
        send_motion(signals, command);
    }

    /// Senses from here if a mission is active; rests otherwise.
    fn begin_sensing(&mut self, signals: &Signals) {
        if self.is_active() {
            self.sense_again(0, signals);
        } else {
            self.step = Step::Rest;
        }
    }

    fn sense_again(&mut self, tries: u8, signals: &Signals) {
        let reading = signals.wall_reading.try_get();
        let count = reading.map_or(0, |reading| reading.count);
        self.step = Step::Sense {
            until: count.wrapping_add(VOTES as u32),
            tries,
        };
    }

    /// Takes in the walls ahead, left and right.
    fn sense(
        &mut self,
        reading: &WallReading,
        tries: u8,
        map: &mut Atlas<'_>,
        signals: &Signals,
        now: Instant,
    ) {
        if reading.front == Occupancy::Unknown && tries < SENSE_RETRIES {
            self.sense_again(tries + 1, signals);
            return;
        }
        let Levels { front, left, right } = reading.levels;
        for (side, sensed, levels) in [
            (self.heading, reading.front, front),
            (self.heading.left(), reading.left, left),
            (self.heading.right(), reading.right, right),
        ] {
            let is_ahead = side == self.heading;
            let occupancy = match sensed {
                // The last advance proved otherwise.
                Occupancy::Free if is_ahead && self.was_blocked => continue,
                // An undecided edge ahead is not entered.
                Occupancy::Unknown if is_ahead => Occupancy::Blocked,
                Occupancy::Unknown => continue,
                decided => decided,
            };
            self.observe((self.at, side), occupancy, map, signals, now);
            if occupancy == Occupancy::Blocked && levels[0] + levels[1] < self.wall_level {
                self.mark_temporary((self.at, side), map, signals, now);
            }
        }
        if self.unsaved >= SAVE_AFTER {
            self.save(true, signals);
        } else {
            self.decide(map, signals, now);
        }
    }

    fn observe(
        &mut self,
        (cell, side): (Cell, Side),
        occupancy: Occupancy,
        map: &mut Atlas<'_>,
        signals: &Signals,
        now: Instant,
    ) {
        let Some(before) = map.note(cell, side, occupancy) else {
            return;
        };
        self.brain.observe(cell, side, occupancy);
        self.unsaved = self.unsaved.saturating_add(1);
        signals.send(Frame::Wall(cell, side, occupancy));
        if (before, occupancy) == (Occupancy::Free, Occupancy::Blocked) {
            self.mark_temporary((cell, side), map, signals, now);
        }
    }

    /// Marks an obstacle as temporary; it is sensed again later.
    fn mark_temporary(
        &mut self,
        (cell, side): (Cell, Side),
        map: &mut Atlas<'_>,
        signals: &Signals,
        now: Instant,
    ) {
        let mut obstacles = self.temporary_obstacles.iter();
        if obstacles.any(|obstacle| (obstacle.cell, obstacle.side) == (cell, side)) {
            return;
        }
        if self.temporary_obstacles.is_full() {
            self.forget_oldest_obstacle(map, signals);
        }
        // There is room now.
        let _ = self.temporary_obstacles.push_back(TemporaryObstacle {
            cell,
            side,
            since: now,
        });
    }

    fn expire_obstacle(&mut self, map: &mut Atlas<'_>, signals: &Signals, now: Instant) {
        let oldest = self.temporary_obstacles.front();
        if oldest.is_some_and(|obstacle| {
            now.saturating_duration_since(obstacle.since) >= OBSTACLE_LIFETIME
        }) {
            self.forget_oldest_obstacle(map, signals);
        }
    }

    fn forget_obstacles(&mut self, map: &mut Atlas<'_>, signals: &Signals) {
        while self.forget_oldest_obstacle(map, signals) {}
    }

    /// Sets the oldest temporary obstacle to unknown; returns `false` if there is none.
    fn forget_oldest_obstacle(&mut self, map: &mut Atlas<'_>, signals: &Signals) -> bool {
        let Some(TemporaryObstacle { cell, side, .. }) = self.temporary_obstacles.pop_front()
        else {
            return false;
        };
        if map.wall(cell, side) == Occupancy::Blocked {
            map.note(cell, side, Occupancy::Unknown);
            self.brain.observe(cell, side, Occupancy::Unknown);
            signals.send(Frame::Wall(cell, side, Occupancy::Unknown));
        }
        true
    }

    /// Ticks the planner for a robot that is or will be at a cell.
    fn plan(&mut self, at: Cell, signals: &Signals) -> Decision {
        let start = Instant::now();
        let decision = self.brain.tick(at);
        let took = start.elapsed();
        if took > DEADLINE {
            signals.raise(Fault::Deadline);
        }
        self.record_load(took);
        decision
    }

    fn record_load(&mut self, took: Duration) {
        let Work {
            expansions,
            requeues,
            ..
        } = self.brain.work();
        let clamp = |count: u32| count.min(u16::MAX.into()) as u16;
        let load = &mut self.load;
        load.ticks += 1;
        load.expansions = load.expansions.saturating_add(expansions);
        load.requeues = load.requeues.saturating_add(requeues);
        load.worst_expansions = load.worst_expansions.max(clamp(expansions));
        load.worst_requeues = load.worst_requeues.max(clamp(requeues));
        load.worst_us = load.worst_us.max(took.as_micros() as u32);
    }

    fn decide(&mut self, map: &mut Atlas<'_>, signals: &Signals, now: Instant) {
        match self.plan(self.at, signals) {
            Decision::Step(next) => {
                self.activity = Activity::Going;
                self.move_to(next, map, signals);
            }
            Decision::Wait => self.step = Step::Decide,
            Decision::Arrived => self.arrive(map, signals),
            Decision::Unreachable => {
                self.activity = Activity::NoPath;
                self.step = Step::Wait {
                    until: now + NO_PATH_WAIT,
                };
            }
        }
    }

    /// Turns towards an adjacent cell, or advances to it.
    fn move_to(&mut self, next: Cell, map: &Atlas<'_>, signals: &Signals) {
        let Some(side) = Side::between(self.at, next) else {
            // No planner steps further than to a neighbor.
            self.step = Step::Decide;
            return;
        };
        if side != self.heading {
            let quarters = quarter_turns(self.heading, side);
            self.begin_motion(signals, MotionCommand::Turn(quarters));
            self.step = Step::Turn { to: side };
        } else if self.brain.phase() == Some(Phase::Run) {
            self.step = Step::Extend {
                cells: 1,
                tip: next,
            };
        } else if map.wall(self.at, side) == Occupancy::Free {
            self.advance(1, next, signals);
        } else {
            // The edge must be sensed as free first.
            self.sense_again(0, signals);
        }
    }

    /// Extends a straight motion of a speed run as far as the path is straight and known to be free.
    fn extend(&mut self, cells: u8, tip: Cell, map: &Atlas<'_>, signals: &Signals) {
        if cells < LONGEST_ADVANCE
            && let Decision::Step(next) = self.plan(tip, signals)
            && Side::between(tip, next) == Some(self.heading)
            && map.wall(tip, self.heading) == Occupancy::Free
        {
            self.step = Step::Extend {
                cells: cells + 1,
                tip: next,
            };
        } else {
            self.advance(cells, tip, signals);
        }
    }

    fn advance(&mut self, cells: u8, to: Cell, signals: &Signals) {
        signals.send(Frame::Next(to));
        self.begin_motion(signals, MotionCommand::Advance(cells));
        self.step = Step::Advance { to };
    }

    fn end_advance(
        &mut self,
        to: Cell,
        result: MotionResult,
        map: &mut Atlas<'_>,
        signals: &Signals,
        now: Instant,
    ) {
        match result {
            MotionResult::Done => self.at = to,
            MotionResult::Stopped(cells) => self.move_forward(cells),
            MotionResult::Blocked(cells) => {
                self.move_forward(cells);
                let edge = (self.at, self.heading);
                self.observe(edge, Occupancy::Blocked, map, signals, now);
                self.mark_temporary(edge, map, signals, now);
                self.was_blocked = true;
            }
        }
        self.begin_sensing(signals);
    }

    fn move_forward(&mut self, cells: u8) {
        for _ in 0..cells {
            self.at = self.at.neighbor(self.heading).unwrap_or(self.at);
        }
    }

    fn arrive(&mut self, map: &mut Atlas<'_>, signals: &Signals) {
        if let Mission::Patrol(stops) = &self.mission {
            self.stop = (self.stop + 1) % stops.len().max(1);
            let next = stops.get(self.stop).copied().unwrap_or(self.at);
            // Its stops were checked when the mission started.
            if self.brain.go(&[next]).is_ok() {
                signals.set_goals(&[next]);
                self.save(true, signals);
                return;
            }
        }
        self.activity = Activity::Done;
        // Temporary obstacles are not saved.
        self.forget_obstacles(map, signals);
        self.save(false, signals);
    }

    /// Saves the map if it has changed; the robot stands.
    fn save(&mut self, then_sense: bool, signals: &Signals) {
        if self.unsaved == 0 {
            self.proceed(then_sense, signals);
        } else {
            self.request_store(StoreRequest::SaveMap, then_sense, signals);
        }
    }

    fn request_store(&mut self, request: StoreRequest, then_sense: bool, signals: &Signals) {
        if request != StoreRequest::SaveCalibration {
            self.unsaved = 0;
        }
        signals.store_done.reset();
        signals.store_request.signal(request);
        self.step = Step::Save { then_sense };
    }

    fn proceed(&mut self, then_sense: bool, signals: &Signals) {
        if then_sense {
            self.begin_sensing(signals);
        } else {
            self.step = Step::Rest;
        }
    }

    /// Senses again after a wait for a path: forgets temporary obstacles, and at last the whole map.
    fn retry(&mut self, map: &mut Atlas<'_>, signals: &Signals) {
        self.waits += 1;
        self.forget_obstacles(map, signals);
        if self.waits >= NO_PATH_WAITS {
            self.waits = 0;
            self.clear_map(true, signals);
        } else {
            self.begin_sensing(signals);
        }
    }

    fn clear_map(&mut self, then_sense: bool, signals: &Signals) {
        self.temporary_obstacles.clear();
        signals.send(Frame::Forgotten);
        self.step = Step::ClearMap {
            wall: 0,
            then_sense,
        };
    }

    /// Clears the next [`WALLS_PER_TICK`] walls.
    fn clear_walls(
        &mut self,
        wall: usize,
        then_sense: bool,
        map: &mut Atlas<'_>,
        signals: &Signals,
    ) {
        for number in wall..wall + WALLS_PER_TICK {
            let Some((cell, side)) = map.nth(number) else {
                self.request_store(StoreRequest::DeleteMap, then_sense, signals);
                return;
            };
            if map.note(cell, side, Occupancy::Unknown).is_some() {
                self.brain.observe(cell, side, Occupancy::Unknown);
            }
        }
        self.step = Step::ClearMap {
            wall: wall + WALLS_PER_TICK,
            then_sense,
        };
    }
}

/// Sends a motion command. The channel has room unless drive has failed.
fn send_motion(signals: &Signals, command: MotionCommand) {
    if signals.motion_commands.try_send(command).is_err() {
        signals.raise(Fault::Motion);
    }
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
