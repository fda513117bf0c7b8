//! Relocalisation: a robot that is lost looks around where it stands, and finds its cell on the known map.
//!
//! It turns slowly through four quarters, as it may touch a wall, and matches what it sees with the cells nearby. If
//! several places fit, it moves half a cell to a clear side and looks again. Its heading is known: the gyro measures
//! every turn, and a robot that is not still between turns is in a hand and gives up.

use embassy_time::Instant;
use planner_core::{Cell, Side, map::Occupancy};

use super::wall_matcher::{Area, Cells, Range, Views, WallMatcher};
use crate::{
    boards::BoardConfig,
    config::{
        CENTER_BEFORE_SENSING_UM, LOOK_CLEAR_UM, LOOK_FAILURES, LOOK_MOVE_UM, LOOK_MOVES,
        LOOK_PAUSE, LOOK_READINGS, LOOK_SLIP_SHIFT, LOST_STILL, LOST_TIMEOUT, MOVED_BY_HAND_MDEG,
        RELOCALISED_UM,
    },
    fault::Fault,
    robot::{Distances, Interval},
    signals::{
        DriveState, MotionCommand, MotionResult, Pose, Signals, Uncertainty, WallReading, turned,
    },
};

/// Quarters of a full turn.
const QUARTERS: usize = 4;

/// Phase of the search.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Waiting until the robot is still, and for a time after a slip; whether it was still.
    Settle(bool),
    /// Turning to the next quarter.
    Face,
    /// Taking readings, with their number so far and the count of the last one.
    Look { readings: u8, last: u32 },
    /// Matching the views with the map.
    Match(WallMatcher),
    /// Turning to a clear side, and then driving there to look again.
    Move { is_driving: bool },
    /// Moving to the centre of the cell that was found, with the quarter turns still to make.
    Center((Cell, Side), i8),
}

/// State of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// Not at its end.
    Running,
    /// The robot is in the centre of a cell with a heading.
    Found((Cell, Side)),
    /// The place was not found.
    Failed,
}

/// Search for the place of a robot that stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relocalisation {
    fault: Fault,
    phase: Phase,
    /// Begin of the phase.
    since: Instant,
    /// Yaw at the begin of the search, in mdeg.
    yaw_mdeg: i32,
    /// Motions that failed.
    failures: u8,
    /// Quarters that were looked at.
    looks: usize,
    /// In the frame of the first look.
    views: Views,
    /// Times that the robot has moved to look again.
    moves: u8,
    /// True if it may have slipped: before its first move, and after a motion that failed.
    has_slipped: bool,
    /// Cells in which it may have been before its last move, numbered as in [`WallMatcher`].
    before: Option<Cells>,
}

impl Relocalisation {
    /// Search of a robot whose motors were switched off because of a fault.
    pub(super) fn new(fault: Fault, signals: &Signals, board: &BoardConfig, now: Instant) -> Self {
        Self {
            fault,
            phase: Phase::Settle(false),
            yaw_mdeg: signals.drive_state().pose.yaw_mdeg,
            failures: 0,
            since: now,
            looks: 0,
            views: Views::new(board.side_sensor_forward_mm * 1000),
            moves: 0,
            has_slipped: true,
            before: None,
        }
    }

    /// Fault to report if the place is not found.
    pub(super) const fn fault(&self) -> Fault {
        self.fault
    }

    /// Advances by one step, which matches one cell at most.
    pub(super) fn tick(
        &mut self,
        signals: &Signals,
        board: &BoardConfig,
        wall: impl Fn(Cell, Side) -> Occupancy,
        now: Instant,
    ) -> Search {
        let lasted = now.saturating_duration_since(self.since);
        let is_still = u64::from(signals.still_ms()) >= LOST_STILL.as_millis();
        let is_turned = self.failures == 0 && self.is_turned(signals);
        match &mut self.phase {
            // A robot that moves with its motors off is in a hand.
            Phase::Settle(true) if !is_still => return Search::Failed,
            Phase::Settle(_) if is_turned => {
                return Search::Failed;
            }
            Phase::Settle(false) | Phase::Look { .. } if lasted > LOST_TIMEOUT => {
                return Search::Failed;
            }
            Phase::Settle(was_still) => {
                *was_still |= is_still && lasted >= LOST_STILL;
                if *was_still && (self.failures == 0 || lasted >= LOOK_PAUSE) {
                    // To the nearest quarter, wherever the robot has slipped to.
                    let yaw_mdeg = signals.drive_state().pose.yaw_mdeg;
                    let quarters = (yaw_mdeg + 45_000).div_euclid(90_000);
                    self.face(quarters as i8, signals, now);
                }
            }
            Phase::Face => match signals.motion_result.try_take() {
                None => {}
                Some(MotionResult::Done(_)) => {
                    let (readings, last) = (0, 0);
                    self.enter(Phase::Look { readings, last }, now);
                }
                Some(_) if self.failures >= LOOK_FAILURES => return Search::Failed,
                Some(_) => self.look_again(now),
            },
            Phase::Look { readings, last } => {
                let reading = signals.wall_reading.try_get();
                let new = reading.filter(|reading| {
                    is_still
                        && reading.taken > self.since
                        && (*readings == 0 || reading.count != *last)
                });
                let Some(reading) = new else {
                    return Search::Running;
                };
                let is_first = *readings == 0;
                (*readings, *last) = (*readings + 1, reading.count);
                let is_done = *readings >= LOOK_READINGS;
                self.add_reading(&reading, board, is_first);
                if is_done {
                    self.looks += 1;
                    if self.looks < QUARTERS {
                        self.face(1, signals, now);
                    } else if self.is_blinded(signals) {
                        self.fault = Fault::Proximity;
                        if self.failures >= LOOK_FAILURES {
                            return Search::Failed;
                        }
                        self.look_again(now);
                    } else {
                        let matcher = self.matcher(signals);
                        self.enter(Phase::Match(matcher), now);
                    }
                }
            }
            Phase::Match(matcher) => match matcher.step(wall) {
                None => {}
                Some(area) => {
                    let matched = matcher.matched();
                    match area.and_then(|area| self.leave(&area, matched, signals)) {
                        Some(phase) => self.enter(phase, now),
                        None => return Search::Failed,
                    }
                }
            },
            Phase::Move { is_driving } => match signals.motion_result.try_take() {
                None => {}
                Some(MotionResult::Done(_)) if *is_driving => {
                    self.looks = 0;
                    let (readings, last) = (0, 0);
                    self.enter(Phase::Look { readings, last }, now);
                }
                Some(MotionResult::Done(_)) => {
                    *is_driving = true;
                    send(MotionCommand::Creep(LOOK_MOVE_UM), signals);
                }
                Some(_) if self.failures < LOOK_FAILURES => self.look_again(now),
                Some(_) => return Search::Failed,
            },
            Phase::Center(at, quarters) => match signals.motion_result.try_take() {
                None => {}
                Some(MotionResult::Done(_)) => {
                    let (at, back) = (*at, -*quarters);
                    if back == 0 {
                        return Search::Found(at);
                    }
                    send(MotionCommand::Turn(back), signals);
                    self.phase = Phase::Center(at, 0);
                }
                // It touched a wall, within its uncertainty.
                Some(_) if self.failures < LOOK_FAILURES => self.look_again(now),
                Some(_) => return Search::Failed,
            },
        }
        Search::Running
    }

    /// Matcher of the views with the cells where the robot may be: since walls confirmed its position, it has driven
    /// the distance that its wheels measured or less; at least three quarters of it if it has not slipped.
    fn matcher(&self, signals: &Signals) -> WallMatcher {
        let DriveState {
            pose,
            uncertainty,
            driven_um: [ahead, right, back, left],
            cell,
            quarters,
            ..
        } = signals.drive_state();
        let shift = if self.has_slipped { 0 } else { LOOK_SLIP_SHIFT };
        let range = |at: i32, bound: i32, behind: i32, before: i32| {
            Range::new(
                at - bound - (behind >> shift),
                at + bound + (before >> shift),
            )
        };
        let area = Area {
            forward: range(pose.forward_um, uncertainty.forward_um, ahead, back),
            lateral: range(pose.lateral_um, uncertainty.lateral_um, right, left),
        };
        let (cell, heading) = signals.cell(cell);
        // The first look was a quarter turn further.
        let belief = (cell, turned(heading, quarters + 1));
        let area = area.turned_right();
        WallMatcher::new(self.views, signals.cell_size(), belief, area, self.before)
    }

    /// Decides what follows when the looks were matched to an area and some cells: to the centre of the cell if the
    /// area is one place, else another look. Returns the next phase; `None` if there is none.
    fn leave(&mut self, area: &Area, matched: Cells, signals: &Signals) -> Option<Phase> {
        if area.half() <= RELOCALISED_UM {
            // The cells were counted around another one.
            self.before = None;
            let (at, quarters) = place(area, signals)?;
            return Some(Phase::Center(at, quarters));
        }
        let side = self.clear_side(area).filter(|_| self.moves < LOOK_MOVES)?;
        self.moves += 1;
        (self.before, self.has_slipped) = (Some(matched), false);
        let drive = signals.drive_state();
        let (cell, heading) = signals.cell(drive.cell);
        signals.set_cell(0, cell, turned(heading, drive.quarters));
        let (forward, lateral) = area.towards(QUARTERS - 1);
        let is_forward = side % 2 != 0;
        let (forward_um, forward_half) = steered(forward, !is_forward);
        let (lateral_um, lateral_half) = steered(lateral, is_forward);
        let pose = Pose {
            forward_um,
            lateral_um,
            yaw_mdeg: drive.pose.yaw_mdeg,
        };
        send_place(pose, [forward_half, lateral_half], signals);
        // From the last look, to the left of the first one; not through half a turn and more.
        let quarters = [1, 2, -1, 0][side];
        send(MotionCommand::Face(quarters), signals);
        Some(Phase::Move { is_driving: false })
    }

    /// Side of the first look on which half a cell is clear: if possible along the longer axis of the area. A robot
    /// that has not moved yet prefers to go back, where its map is better, and then to go on in that direction.
    fn clear_side(&self, area: &Area) -> Option<usize> {
        let (along, across) = match self.moves {
            0 => ([2, 0], [1, 3]),
            _ => ([0, 2], [1, 3]),
        };
        let order = if area.forward.half() >= area.lateral.half() {
            [along, across]
        } else {
            [across, along]
        };
        let is_clear = |side: &usize| {
            let mut lines = self.views.sides[*side].iter();
            lines.all(|line| line.near >= LOOK_CLEAR_UM)
        };
        order.into_iter().flatten().find(is_clear)
    }

    /// Returns whether the front receiver saw nothing on a side where both side receivers saw a wall, one on each side
    /// of its line of sight.
    fn is_blinded(&self, signals: &Signals) -> bool {
        let cell_um = signals.cell_size().um();
        self.views.sides.iter().any(|[front, left, right]| {
            let far = left.far.max(right.far);
            far < cell_um && front.near > far
        })
    }

    /// Returns whether the robot has turned by more than it does while it comes to rest.
    fn is_turned(&self, signals: &Signals) -> bool {
        let turned = signals.drive_state().pose.yaw_mdeg - self.yaw_mdeg;
        turned.abs() > MOVED_BY_HAND_MDEG
    }

    /// Looks around again after a motion that failed.
    fn look_again(&mut self, now: Instant) {
        self.failures += 1;
        self.has_slipped = true;
        self.looks = 0;
        self.enter(Phase::Settle(false), now);
    }

    fn enter(&mut self, phase: Phase, now: Instant) {
        (self.phase, self.since) = (phase, now);
    }

    fn face(&mut self, quarters: i8, signals: &Signals, now: Instant) {
        send(MotionCommand::Face(quarters), signals);
        self.enter(Phase::Face, now);
    }

    /// Adds a reading, in the direction of the current look and to both sides of it.
    fn add_reading(&mut self, reading: &WallReading, board: &BoardConfig, is_first: bool) {
        let Distances { left, front, right } = reading.distances;
        let side_um = board.side_sensor_mm * 1000;
        // Side receivers are further forward, which is right of the left side and left of the right side.
        for (side, line, distance, receiver_um) in [
            (self.looks, 0, front, board.front_sensor_mm * 1000),
            (self.looks + 3, 2, left, side_um),
            (self.looks + 1, 1, right, side_um),
        ] {
            let bounds = distance.map_or(Interval::beyond(0), |distance| {
                let (near, far) = distance.widened();
                Interval {
                    near: near + receiver_um,
                    far: far.saturating_add(receiver_um),
                }
            });
            let seen = &mut self.views.sides[side % QUARTERS][line];
            *seen = if is_first {
                bounds
            } else {
                Interval {
                    near: seen.near.min(bounds.near),
                    far: seen.far.max(bounds.far),
                }
            };
        }
    }
}

/// Sends a command to a robot that rests.
fn send(command: MotionCommand, signals: &Signals) {
    signals.motion_result.reset();
    // The channel has room: the robot was halted.
    let _ = signals.motion_commands.try_send(command);
}

/// Sets the pose to the middle of an area around the centre of the cell where the robot takes itself to be, and sends
/// it to the centre of the cell there. Returns cell and heading, and the quarter turns that are made on the way; `None`
/// off the map.
fn place(area: &Area, signals: &Signals) -> Option<((Cell, Side), i8)> {
    let drive = signals.drive_state();
    let (mut cell, heading) = signals.cell(drive.cell);
    let heading = turned(heading, drive.quarters);
    // The area is in the frame of the first look, a quarter turn further.
    let (forward, lateral) = area.towards(QUARTERS - 1);
    let um = signals.cell_size().um();
    let mut middle = |side: Side, range: Range| {
        let mut position = range.middle();
        while position.abs() > um / 2 {
            let (to, by) = if position > 0 {
                (side, -um)
            } else {
                (side.opposite(), um)
            };
            cell = cell.neighbor(to)?;
            position += by;
        }
        Some(position)
    };
    let pose = Pose {
        forward_um: middle(heading, forward)?,
        lateral_um: middle(heading.right(), lateral)?,
        yaw_mdeg: drive.pose.yaw_mdeg,
    };
    signals.set_cell(0, cell, heading);
    send_place(pose, [forward.half(), lateral.half()], signals);
    let quarters = i8::from(pose.lateral_um.abs() > CENTER_BEFORE_SENSING_UM);
    send(MotionCommand::Turn(quarters), signals);
    Some(((cell, heading), quarters))
}

/// Position in a range, and a half-width around it that contains the range. A robot that moves across it steers towards
/// zero: only if the middle is good for that, it is taken.
fn steered(range: Range, is_across: bool) -> (i32, i32) {
    let at = if is_across && range.half() > CENTER_BEFORE_SENSING_UM * 2 {
        0.clamp(range.low, range.high)
    } else {
        range.middle()
    };
    (at, (range.high - at).max(at - range.low))
}

/// Sends a pose, with half-widths of its position forward and to the right.
fn send_place(pose: Pose, [forward_um, lateral_um]: [i32; 2], signals: &Signals) {
    let uncertainty = Uncertainty {
        forward_um,
        lateral_um,
        ..signals.drive_state().uncertainty
    };
    let cell_mm = (signals.cell_size().um() / 1000) as u16;
    send(MotionCommand::Place(cell_mm, pose, uncertainty), signals);
}
