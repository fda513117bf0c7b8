//! Missions, and what to do next: looks, decides, orders a motion, and takes in how it ended.

use embassy_time::{Duration, Instant};
use heapless::Deque;
use planner_core::{Cell, Decision, Side, Work, explore::Phase, map::Occupancy};

use crate::{
    atlas::Atlas,
    brain::Brain,
    config::{
        DEADLINE, DOORS, FORGET_DOOR, GOAL, LOAD_TICKS, LONGEST_ADVANCE, LOOKS, RETRIES, RETRY,
        SAVE_AFTER, SWEEP, VOTES, WALL_AT,
    },
    fault::Fault,
    mission::{Activity, Mission},
    report::{Command, Frame, Load, Refusal, State},
    robot::Levels,
    signals::{Keep, Order, Outcome, Seen, Sight, Signals},
};

/// What the robot is doing right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Nothing, until told otherwise.
    Rest,
    /// Looks around, until so many readings have been taken.
    Look { until: u32, tries: u8 },
    /// Has looked, and makes up its mind.
    Decide,
    /// Goes over `cells` cells that are known to be free to `tip`, and may go on.
    Extend { cells: u8, tip: Cell },
    /// Turns.
    Turn { to: Side },
    /// Goes ahead, `to` a cell in the end.
    Advance { to: Cell },
    /// Has told the wheels to stop on their way `to` a cell.
    Stop { to: Cell },
    /// Waits for a way.
    Wait { until: Instant },
    /// Forgets all it knows, wall by wall, has that written, and then looks or rests.
    Forget { wall: usize, then_look: bool },
    /// The map is being written; then it looks or rests.
    Save { then_look: bool },
}

/// A wall that was not there before.
#[derive(Clone, Copy, Debug)]
struct Door {
    cell: Cell,
    side: Side,
    since: Instant,
}

/// The robot's mind.
pub struct Navigator<'m> {
    brain: Brain<'m>,
    at: Cell,
    heading: Side,
    mission: Mission,
    /// Which stop of a patrol is next.
    stop: usize,
    activity: Activity,
    doing: Doing,
    doors: Deque<Door, DOORS>,
    /// Waits for a way since there last was one.
    retries: u8,
    /// Whether the robot was turned back here by what it may not see from here.
    turned_back: bool,
    /// Facts learned since the map was written.
    unsaved: u16,
    load: Load,
}

impl<'m> Navigator<'m> {
    /// A robot that has been put home and has nothing to do.
    #[must_use]
    pub fn new(brain: Brain<'m>) -> Self {
        let field = brain.field();
        Self {
            brain,
            at: field.home,
            heading: field.heading,
            mission: Mission::GoTo(GOAL),
            stop: 0,
            activity: Activity::Idle,
            doing: Doing::Rest,
            doors: Deque::new(),
            retries: 0,
            turned_back: false,
            unsaved: 0,
            load: Load::default(),
        }
    }

    /// Takes over what the atlas knows of a wall; `false` when there is none of that number.
    pub fn recall(&mut self, atlas: &Atlas<'_>, number: usize) -> bool {
        let Some((cell, side)) = atlas.nth(number) else {
            return false;
        };
        let fact = atlas.wall(cell, side);
        if fact != Occupancy::Unknown {
            self.brain.observe(cell, side, fact);
        }
        true
    }

    /// Where the robot is and what it does, as far as this knows: by cells.
    #[must_use]
    pub fn state(&self, now: Instant) -> State {
        State {
            ms: now.as_millis() as u32,
            activity: self.activity,
            ..State::new(self.at, self.heading)
        }
    }

    /// Stops at once: there is a fault, and where the robot will be is unknown.
    pub fn fail(&mut self) {
        self.doing = Doing::Rest;
        self.activity = Activity::Faulty;
    }

    /// A person has put the robot home.
    pub fn put_home(&mut self, signals: &Signals) {
        let field = self.brain.field();
        (self.at, self.heading) = (field.home, field.heading);
        self.doing = Doing::Rest;
        self.activity = Activity::Idle;
        self.order(signals, Order::Reset);
    }

    /// Does what it is told.
    ///
    /// # Errors
    /// It cannot, and nothing has changed.
    pub fn obey(&mut self, command: Command, signals: &Signals) -> Result<(), Refusal> {
        if signals.fault().is_some() {
            return Err(Refusal::Faulty);
        }
        match command {
            Command::SetGoal(cell) => {
                if self.is_under_way() && matches!(self.mission, Mission::GoTo(_)) {
                    self.brain.go(&[cell]).map_err(|_| Refusal::Invalid)?;
                    signals.set_goals(&[cell]);
                }
                self.mission = Mission::GoTo(cell);
            }
            Command::SetMission(mission) => {
                if self.is_under_way() {
                    return Err(Refusal::Moving);
                }
                self.mission = mission;
            }
            Command::Start => {
                if self.is_under_way() {
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
                self.check_still()?;
                self.forget(false, signals);
            }
            Command::SetCalibration(calibration) => {
                self.check_still()?;
                if !calibration.is_valid() {
                    return Err(Refusal::Invalid);
                }
                signals.set_calibration(calibration);
                self.keep(Keep::Calibration, false, signals);
            }
            // The report task has the map too.
            Command::GetMap => return Err(Refusal::Unknown),
        }
        Ok(())
    }

    /// One tick: does no more than [`LIMIT`](crate::config::LIMIT) expansions, and looks at no more
    /// than [`SWEEP`] walls.
    pub fn tick(&mut self, atlas: &mut Atlas<'_>, signals: &Signals, now: Instant) {
        self.forget_old_doors(atlas, signals, now);
        match self.doing {
            Doing::Rest => {}
            Doing::Look { until, tries } => match signals.sight.try_get() {
                Some(sight) if sight.count.wrapping_sub(until) < u32::MAX / 2 => {
                    self.look(&sight, tries, atlas, signals, now);
                }
                _ => {}
            },
            Doing::Decide => self.decide(atlas, signals, now),
            Doing::Extend { cells, tip } => self.extend(cells, tip, atlas, signals),
            Doing::Turn { to } => {
                self.think(self.at, signals);
                if signals.outcome.try_take().is_some() {
                    self.heading = to;
                    self.begin_look(signals);
                }
            }
            Doing::Advance { to } => {
                self.think(to, signals);
                if let Some(outcome) = signals.outcome.try_take() {
                    self.advanced(to, outcome, atlas, signals, now);
                }
            }
            Doing::Stop { to } => {
                if let Some(outcome) = signals.outcome.try_take() {
                    self.advanced(to, outcome, atlas, signals, now);
                }
            }
            Doing::Wait { until } if now >= until => self.retry(atlas, signals),
            Doing::Wait { .. } => {}
            Doing::Forget { wall, then_look } => self.forget_walls(wall, then_look, atlas, signals),
            Doing::Save { then_look } => {
                if signals.kept.try_take().is_some() {
                    self.go_on(then_look, signals);
                }
            }
        }
        if self.load.ticks >= LOAD_TICKS {
            signals.tell(Frame::Load(core::mem::take(&mut self.load)));
        }
    }

    fn is_under_way(&self) -> bool {
        matches!(self.activity, Activity::Going | Activity::NoPath)
    }

    fn check_still(&self) -> Result<(), Refusal> {
        if self.is_under_way() || self.doing != Doing::Rest {
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
        let begun = if explores {
            self.brain.explore(goals)
        } else {
            self.brain.go(goals)
        };
        begun.map_err(|_| Refusal::Invalid)?;
        signals.set_goals(goals);
        self.activity = Activity::Going;
        self.retries = 0;
        match &mut self.doing {
            Doing::Rest | Doing::Wait { .. } => self.begin_look(signals),
            Doing::Save { then_look } | Doing::Forget { then_look, .. } => *then_look = true,
            // It goes on as it is, and looks when it has moved.
            Doing::Look { .. }
            | Doing::Decide
            | Doing::Extend { .. }
            | Doing::Turn { .. }
            | Doing::Advance { .. }
            | Doing::Stop { .. } => {}
        }
        Ok(())
    }

    fn stop(&mut self, signals: &Signals) {
        self.activity = Activity::Idle;
        match self.doing {
            Doing::Advance { to } => {
                self.doing = Doing::Stop { to };
                give(signals, Order::Stop);
            }
            // It is soon done.
            Doing::Turn { .. } | Doing::Stop { .. } => {}
            Doing::Save { .. } => self.doing = Doing::Save { then_look: false },
            Doing::Forget { wall, .. } => {
                self.doing = Doing::Forget {
                    wall,
                    then_look: false,
                };
            }
            Doing::Rest
            | Doing::Look { .. }
            | Doing::Decide
            | Doing::Extend { .. }
            | Doing::Wait { .. } => self.doing = Doing::Rest,
        }
    }

    fn order(&mut self, signals: &Signals, order: Order) {
        self.turned_back = false;
        signals.outcome.reset();
        give(signals, order);
    }

    /// Looks from where it stands, if it is to go on.
    fn begin_look(&mut self, signals: &Signals) {
        if self.is_under_way() {
            self.look_again(0, signals);
        } else {
            self.doing = Doing::Rest;
        }
    }

    fn look_again(&mut self, tries: u8, signals: &Signals) {
        let count = signals.sight.try_get().map_or(0, |sight| sight.count);
        self.doing = Doing::Look {
            until: count.wrapping_add(VOTES as u32),
            tries,
        };
    }

    /// Takes in what is seen ahead and at both sides.
    fn look(
        &mut self,
        sight: &Sight,
        tries: u8,
        atlas: &mut Atlas<'_>,
        signals: &Signals,
        now: Instant,
    ) {
        let Levels { front, left, right } = sight.levels;
        let seen = [
            (self.heading, sight.front, front),
            (left_of(self.heading), sight.left, left),
            (right_of(self.heading), sight.right, right),
        ];
        if sight.front == Seen::Unsure && tries < LOOKS {
            self.look_again(tries + 1, signals);
            return;
        }
        for (side, seen, levels) in seen {
            let fact = match seen {
                // It has been there.
                Seen::Free if side == self.heading && self.turned_back => continue,
                Seen::Free => Occupancy::Free,
                Seen::Blocked => Occupancy::Blocked,
                // What is ahead and cannot be told is not entered.
                Seen::Unsure if side == self.heading => Occupancy::Blocked,
                Seen::Unsure => continue,
            };
            self.note((self.at, side), fact, atlas, signals, now);
            if fact == Occupancy::Blocked && levels[0] + levels[1] < WALL_AT {
                self.expect_to_go((self.at, side), atlas, signals, now);
            }
        }
        if self.unsaved >= SAVE_AFTER {
            self.save(true, signals);
        } else {
            self.decide(atlas, signals, now);
        }
    }

    fn note(
        &mut self,
        (cell, side): (Cell, Side),
        fact: Occupancy,
        atlas: &mut Atlas<'_>,
        signals: &Signals,
        now: Instant,
    ) {
        let Some(before) = atlas.note(cell, side, fact) else {
            return;
        };
        self.brain.observe(cell, side, fact);
        self.unsaved = self.unsaved.saturating_add(1);
        signals.tell(Frame::Wall(cell, side, fact));
        if (before, fact) == (Occupancy::Free, Occupancy::Blocked) {
            self.expect_to_go((cell, side), atlas, signals, now);
        }
    }

    /// What is in the way there was not always, or is no wall: it will be looked for again.
    fn expect_to_go(
        &mut self,
        (cell, side): (Cell, Side),
        atlas: &mut Atlas<'_>,
        signals: &Signals,
        now: Instant,
    ) {
        let is_same = |door: &Door| (door.cell, door.side) == (cell, side);
        if self.doors.iter().any(is_same) {
            return;
        }
        if self.doors.is_full()
            && let Some(oldest) = self.doors.pop_front()
        {
            self.forget_door(oldest, atlas, signals);
        }
        // There is room now.
        let _ = self.doors.push_back(Door {
            cell,
            side,
            since: now,
        });
    }

    fn forget_doors(&mut self, atlas: &mut Atlas<'_>, signals: &Signals) {
        while let Some(door) = self.doors.pop_front() {
            self.forget_door(door, atlas, signals);
        }
    }

    fn forget_old_doors(&mut self, atlas: &mut Atlas<'_>, signals: &Signals, now: Instant) {
        let is_old = |door: &Door| now.saturating_duration_since(door.since) >= FORGET_DOOR;
        if self.doors.front().is_some_and(is_old)
            && let Some(door) = self.doors.pop_front()
        {
            self.forget_door(door, atlas, signals);
        }
    }

    fn forget_door(&mut self, door: Door, atlas: &mut Atlas<'_>, signals: &Signals) {
        let Door { cell, side, .. } = door;
        if atlas.wall(cell, side) == Occupancy::Blocked {
            atlas.note(cell, side, Occupancy::Unknown);
            self.brain.observe(cell, side, Occupancy::Unknown);
            signals.tell(Frame::Wall(cell, side, Occupancy::Unknown));
        }
    }

    /// Ticks the planner for a robot that is or will be at a cell.
    fn think(&mut self, at: Cell, signals: &Signals) -> Decision {
        let begin = Instant::now();
        let decision = self.brain.tick(at);
        let took = begin.elapsed();
        if took > DEADLINE {
            signals.raise(Fault::Deadline);
        }
        self.book(took);
        decision
    }

    fn book(&mut self, took: Duration) {
        let Work {
            expansions,
            requeues,
            ..
        } = self.brain.work();
        let load = &mut self.load;
        load.ticks += 1;
        load.expansions = load.expansions.saturating_add(expansions);
        load.requeues = load.requeues.saturating_add(requeues);
        load.worst_expansions = load.worst_expansions.max(clamp(expansions));
        load.worst_requeues = load.worst_requeues.max(clamp(requeues));
        load.worst_us = load.worst_us.max(took.as_micros() as u32);
    }

    fn decide(&mut self, atlas: &mut Atlas<'_>, signals: &Signals, now: Instant) {
        match self.think(self.at, signals) {
            Decision::Step(next) => {
                self.activity = Activity::Going;
                self.step(next, atlas, signals);
            }
            Decision::Wait => self.doing = Doing::Decide,
            Decision::Arrived => self.arrive(atlas, signals),
            Decision::Unreachable => {
                self.activity = Activity::NoPath;
                self.doing = Doing::Wait { until: now + RETRY };
            }
        }
    }

    fn step(&mut self, next: Cell, atlas: &Atlas<'_>, signals: &Signals) {
        let Some(side) = side_to(self.at, next) else {
            // No planner steps further than to a neighbour.
            self.doing = Doing::Decide;
            return;
        };
        if side != self.heading {
            self.order(signals, Order::Turn(quarters(self.heading, side)));
            self.doing = Doing::Turn { to: side };
        } else if self.brain.phase() == Some(Phase::Run) {
            self.doing = Doing::Extend {
                cells: 1,
                tip: next,
            };
        } else if atlas.wall(self.at, side) == Occupancy::Free {
            self.advance(1, next, signals);
        } else {
            // Not seen from here yet: a sight is always taken before.
            self.look_again(0, signals);
        }
    }

    /// In a run, goes on straight as far as the way does.
    fn extend(&mut self, cells: u8, tip: Cell, atlas: &Atlas<'_>, signals: &Signals) {
        if cells < LONGEST_ADVANCE
            && let Decision::Step(next) = self.think(tip, signals)
            && side_to(tip, next) == Some(self.heading)
            && atlas.wall(tip, self.heading) == Occupancy::Free
        {
            self.doing = Doing::Extend {
                cells: cells + 1,
                tip: next,
            };
        } else {
            self.advance(cells, tip, signals);
        }
    }

    fn advance(&mut self, cells: u8, to: Cell, signals: &Signals) {
        signals.tell(Frame::Next(to));
        self.order(signals, Order::Advance(cells));
        self.doing = Doing::Advance { to };
    }

    fn advanced(
        &mut self,
        to: Cell,
        outcome: Outcome,
        atlas: &mut Atlas<'_>,
        signals: &Signals,
        now: Instant,
    ) {
        match outcome {
            Outcome::Done => self.at = to,
            Outcome::Stopped(cells) => self.at = ahead(self.at, self.heading, cells),
            Outcome::Blocked(cells) => {
                self.at = ahead(self.at, self.heading, cells);
                let ahead = (self.at, self.heading);
                self.note(ahead, Occupancy::Blocked, atlas, signals, now);
                self.expect_to_go(ahead, atlas, signals, now);
                self.turned_back = true;
            }
        }
        self.begin_look(signals);
    }

    fn arrive(&mut self, atlas: &mut Atlas<'_>, signals: &Signals) {
        if let Mission::Patrol(stops) = &self.mission {
            self.stop = (self.stop + 1) % stops.len().max(1);
            let next = stops.get(self.stop).copied().unwrap_or(self.at);
            // It was checked when the mission began.
            if self.brain.go(&[next]).is_ok() {
                signals.set_goals(&[next]);
                self.save(true, signals);
                return;
            }
        }
        self.activity = Activity::Done;
        // What may go away is not kept.
        self.forget_doors(atlas, signals);
        self.save(false, signals);
    }

    /// Has the map written, if there is anything new in it; the robot stands.
    fn save(&mut self, then_look: bool, signals: &Signals) {
        if self.unsaved == 0 {
            self.go_on(then_look, signals);
            return;
        }
        self.keep(Keep::Map, then_look, signals);
    }

    fn keep(&mut self, what: Keep, then_look: bool, signals: &Signals) {
        if what != Keep::Calibration {
            self.unsaved = 0;
        }
        signals.kept.reset();
        signals.keep.signal(what);
        self.doing = Doing::Save { then_look };
    }

    fn go_on(&mut self, then_look: bool, signals: &Signals) {
        if then_look {
            self.begin_look(signals);
        } else {
            self.doing = Doing::Rest;
        }
    }

    /// There was no way: forgets the doors, and at last everything.
    fn retry(&mut self, atlas: &mut Atlas<'_>, signals: &Signals) {
        self.retries += 1;
        self.forget_doors(atlas, signals);
        if self.retries >= RETRIES {
            self.retries = 0;
            self.forget(true, signals);
        } else {
            self.begin_look(signals);
        }
    }

    /// Begins to forget all it knows.
    fn forget(&mut self, then_look: bool, signals: &Signals) {
        self.doors.clear();
        signals.tell(Frame::Forgotten);
        self.doing = Doing::Forget { wall: 0, then_look };
    }

    /// Forgets the next few walls.
    fn forget_walls(
        &mut self,
        wall: usize,
        then_look: bool,
        atlas: &mut Atlas<'_>,
        signals: &Signals,
    ) {
        for number in wall..wall + SWEEP {
            let Some((cell, side)) = atlas.nth(number) else {
                self.keep(Keep::NoMap, then_look, signals);
                return;
            };
            if atlas.note(cell, side, Occupancy::Unknown).is_some() {
                self.brain.observe(cell, side, Occupancy::Unknown);
            }
        }
        self.doing = Doing::Forget {
            wall: wall + SWEEP,
            then_look,
        };
    }
}

/// Gives drive an order. There is room: it takes them faster than a mind changes, or it has failed.
fn give(signals: &Signals, order: Order) {
    if signals.orders.try_send(order).is_err() {
        signals.raise(Fault::Motion);
    }
}

fn clamp(count: u32) -> u16 {
    count.min(u16::MAX.into()) as u16
}

/// Sides by quarter turns to the right.
const SIDES: [Side; 4] = [Side::South, Side::West, Side::North, Side::East];

fn turned(side: Side, quarters: usize) -> Side {
    SIDES[(side as usize + quarters) % 4]
}

fn left_of(side: Side) -> Side {
    turned(side, 3)
}

fn right_of(side: Side) -> Side {
    turned(side, 1)
}

/// Quarter turns to the right from one heading to another: `-1..=2`.
fn quarters(from: Side, to: Side) -> i8 {
    match (to as usize + 4 - from as usize) % 4 {
        3 => -1,
        turns => turns as i8,
    }
}

/// The cell so many cells from another.
fn ahead(cell: Cell, side: Side, cells: u8) -> Cell {
    let cells = i16::from(cells);
    let (dx, dy) = match side {
        Side::South => (0, cells),
        Side::West => (-cells, 0),
        Side::North => (0, -cells),
        Side::East => (cells, 0),
    };
    Cell::new(
        cell.x.saturating_add_signed(dx),
        cell.y.saturating_add_signed(dy),
    )
}

/// The side of a cell at which another one is.
fn side_to(from: Cell, to: Cell) -> Option<Side> {
    SIDES.into_iter().find(|&side| {
        let next = ahead(from, side, 1);
        next == to && next != from
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_of_north_is_east_and_a_turn_leads_there() {
        assert_eq!(right_of(Side::North), Side::East);
        assert_eq!(left_of(Side::North), Side::West);
        for from in SIDES {
            assert_eq!(quarters(from, from), 0);
            assert_eq!(quarters(from, right_of(from)), 1);
            assert_eq!(quarters(from, left_of(from)), -1);
            assert_eq!(quarters(from, right_of(right_of(from))), 2);
        }
    }

    #[test]
    fn neighbours_are_told_from_others() {
        let cell = Cell::new(3, 3);
        for side in SIDES {
            assert_eq!(side_to(cell, ahead(cell, side, 1)), Some(side));
            assert_eq!(side_to(cell, ahead(cell, side, 2)), None);
        }
        assert_eq!(side_to(cell, cell), None);
        assert_eq!(side_to(Cell::new(0, 0), Cell::new(0, 0)), None);
    }
}
