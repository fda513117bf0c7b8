//! Decisions of the planner for a robot that stands.

use embassy_time::{Duration, Instant};
use planner_core::{Budget, Cell, Decision, Planner, Side, Work, explore::Phase, map::Occupancy};

use super::{MissionExecutive, Step, map::wall};
use crate::{
    config::{DEADLINE, DECISION_TIMEOUT, LIMIT, NO_PATH_WAIT, NO_PATH_WAITS},
    fault::Fault,
    log::debug,
    mission::{Activity, Mission},
    navigator::Navigator,
    signals::MotionCommand,
    telemetry::Frame,
};

impl MissionExecutive<'_> {
    /// Ticks the planner for a robot that is or will be at a cell.
    pub(super) fn plan(&mut self, at: Cell, navigator: &mut Navigator) -> Decision {
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
        // Off the map nothing is reachable.
        decision.unwrap_or(Decision::Unreachable)
    }

    /// Asks the planner and starts the motion that it decides on; `since` is when it was first asked.
    pub(super) fn decide(&mut self, since: Instant, navigator: &mut Navigator) {
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

    /// Senses again after a wait for a path: forgets temporary obstacles, and at last doubts every blocked
    /// wall. Free ones contradict nothing, and flash keeps all until they are sensed to be different.
    pub(super) fn retry(&mut self, navigator: &mut Navigator) {
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

    pub(super) fn send_load(&mut self) {
        if self.load.ticks > 0 {
            let load = core::mem::take(&mut self.load);
            self.signals.send(Frame::Load(load));
        }
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
