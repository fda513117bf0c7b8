//! What flows between tasks, and who sends it to whom: every channel there is.

use core::{
    cell::{Cell as Slot, RefCell},
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

use embassy_sync::{
    blocking_mutex::{Mutex, raw::CriticalSectionRawMutex},
    channel::Channel,
    signal::Signal,
    watch::Watch,
};
use embassy_time::Instant;
use heapless::Vec;
use planner_core::Cell;

use crate::{
    calibration::Calibration,
    fault::Fault,
    mission::{Activity, STOPS},
    report::{Command, Frame, State, Stored},
    robot::Levels,
};

/// Drive runs in an interrupt, so that a plain mutex would not do.
pub type Raw = CriticalSectionRawMutex;

/// What the last readings say of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Seen {
    /// They do not agree.
    #[default]
    Unsure,
    /// Nothing is in the way.
    Free,
    /// Something is in the way.
    Blocked,
}

/// What the robot sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// Readings so far; each sight has one more than the one before.
    pub count: u32,
    /// When the last reading was taken.
    pub taken: Instant,
    /// The last reading.
    pub levels: Levels,
    /// What the last few say of the way ahead ...
    pub front: Seen,
    /// ... to the left ...
    pub left: Seen,
    /// ... and to the right.
    pub right: Seen,
}

/// What the wheels are to do. The robot stands at the end of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Order {
    /// Quarter turns to the right; negative is to the left.
    Turn(i8),
    /// Go so many cells ahead.
    Advance(u8),
    /// Stop where you are. It has no outcome of its own: that of the motion says how it ended.
    Stop,
    /// You have been put into the middle of a cell, as straight as a person can. It has no outcome.
    Reset,
}

/// How a motion ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Outcome {
    /// As ordered.
    Done,
    /// Something was in the way after so many cells; the robot stands in the middle of the last of
    /// them, and what it saw is ahead of it.
    Blocked(u8),
    /// It was told to stop; it has gone so many cells, and it may stand anywhere near the middle.
    Stopped(u8),
}

/// Where the robot is, from the middle of its cell, as it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Offset {
    /// Forward, in micrometres.
    pub along_um: i32,
    /// To the right, in micrometres.
    pub aside_um: i32,
    /// Clockwise, in thousandths of a degree.
    pub turned_mdeg: i32,
}

/// Who must check in for the watchdog to be fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// [`tasks::sense`](crate::tasks::sense).
    Sense,
    /// [`tasks::plan`](crate::tasks::plan).
    Plan,
    /// [`tasks::drive`](crate::tasks::drive).
    Drive,
    /// [`tasks::report`](crate::tasks::report).
    Report,
    /// [`tasks::store`](crate::tasks::store).
    Store,
    /// [`tasks::panel`](crate::tasks::panel).
    Panel,
}

impl Task {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Sense,
        Self::Plan,
        Self::Drive,
        Self::Report,
        Self::Store,
        Self::Panel,
    ];
}

/// What `store` is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Write the map.
    Map,
    /// Forget the map.
    NoMap,
    /// Write the calibration.
    Calibration,
}

/// Every channel between tasks.
pub struct Signals {
    /// sense -> plan, drive: what is seen, with every reading.
    pub sight: Watch<Raw, Sight, 3>,
    /// plan -> drive: the next motion, and a stop if it is not to end. The next is ordered when the outcome is
    /// known.
    pub orders: Channel<Raw, Order, 2>,
    /// drive -> plan: how the motion ended.
    pub outcome: Signal<Raw, Outcome>,
    /// report, panel -> plan: what people want, with the number of the command if it has one.
    pub commands: Channel<Raw, (Option<u16>, Command), 4>,
    /// all -> report: what is told; see [`Signals::tell`].
    pub frames: Channel<Raw, Frame, 32>,
    /// plan -> store: what to keep.
    pub keep: Signal<Raw, Keep>,
    /// store -> plan: it is kept, or cannot be.
    pub kept: Signal<Raw, ()>,
    /// panel -> supervise: a person has cleared the fault.
    pub clear: Signal<Raw, ()>,
    /// supervise -> plan: the fault is cleared; the robot has been put home.
    pub cleared: Signal<Raw, ()>,
    /// drive -> report: where the robot is in its cell.
    offset: Mutex<Raw, Slot<Offset>>,
    /// plan -> report, panel: where it is and what it does, but for what drive and supervise know.
    state: Mutex<Raw, Slot<Option<State>>>,
    /// Until told otherwise, [`config::CALIBRATION`](crate::config::CALIBRATION).
    calibration: Mutex<Raw, Slot<Calibration>>,
    /// any -> supervise, all: the first fault since the last was cleared.
    fault: Mutex<Raw, Slot<Option<Fault>>>,
    /// plan -> report: the goals, as last told.
    goals: Mutex<Raw, RefCell<Vec<Cell, STOPS>>>,
    /// store -> report: what became of the map in flash, as last told.
    stored: Mutex<Raw, Slot<Option<Stored>>>,
    /// supervise -> panel, report.
    battery_mv: AtomicU32,
    /// all -> report: frames for which there was no room.
    lost: AtomicU32,
    /// all -> supervise.
    alive: [AtomicBool; Task::ALL.len()],
}

impl Signals {
    /// All quiet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            sight: Watch::new(),
            orders: Channel::new(),
            outcome: Signal::new(),
            commands: Channel::new(),
            frames: Channel::new(),
            keep: Signal::new(),
            kept: Signal::new(),
            clear: Signal::new(),
            cleared: Signal::new(),
            offset: Mutex::new(Slot::new(Offset {
                along_um: 0,
                aside_um: 0,
                turned_mdeg: 0,
            })),
            state: Mutex::new(Slot::new(None)),
            calibration: Mutex::new(Slot::new(crate::config::CALIBRATION)),
            fault: Mutex::new(Slot::new(None)),
            goals: Mutex::new(RefCell::new(Vec::new())),
            stored: Mutex::new(Slot::new(None)),
            battery_mv: AtomicU32::new(0),
            lost: AtomicU32::new(0),
            alive: [const { AtomicBool::new(true) }; Task::ALL.len()],
        }
    }

    /// Tells the desktop; a frame for which there is no room is counted, and the count is told.
    pub fn tell(&self, frame: Frame) {
        if self.frames.try_send(frame).is_err() {
            // Drive may come in between and its loss be counted once: it is a loss all the same.
            let lost = self.lost.load(Ordering::Relaxed);
            self.lost.store(lost.saturating_add(1), Ordering::Relaxed);
        }
    }

    /// Frames lost since this was asked last.
    pub fn take_lost(&self) -> u32 {
        let lost = self.lost.load(Ordering::Relaxed);
        self.lost.store(0, Ordering::Relaxed);
        lost
    }

    /// Stops the robot. The first fault counts until it is cleared.
    pub fn raise(&self, fault: Fault) {
        let is_first = self.fault.lock(|slot| {
            let first = slot.get().is_none();
            if first {
                slot.set(Some(fault));
            }
            first
        });
        if is_first {
            self.tell(Frame::Fault(fault));
        }
    }

    /// Why the robot is stopped, if it is.
    pub fn fault(&self) -> Option<Fault> {
        self.fault.lock(Slot::get)
    }

    /// A person says that all is well again.
    pub(crate) fn forget_fault(&self) {
        self.fault.lock(|slot| slot.set(None));
    }

    /// Says that a task is alive.
    pub fn check_in(&self, task: Task) {
        self.alive[task as usize].store(true, Ordering::Relaxed);
    }

    /// Whether every task has checked in since this was asked last.
    pub(crate) fn all_alive(&self) -> bool {
        // All are asked: each must check in again.
        self.alive.iter().fold(true, |all, task| {
            let alive = task.load(Ordering::Relaxed);
            task.store(false, Ordering::Relaxed);
            all && alive
        })
    }

    pub(crate) fn set_offset(&self, offset: Offset) {
        self.offset.lock(|slot| slot.set(offset));
    }

    /// Where the robot is in its cell.
    pub fn offset(&self) -> Offset {
        self.offset.lock(Slot::get)
    }

    pub(crate) fn set_state(&self, state: State) {
        self.state.lock(|slot| slot.set(Some(state)));
    }

    /// Where the robot is and what it does; `None` until the plan task has begun.
    pub fn state(&self) -> Option<State> {
        let mut state = self.state.lock(Slot::get)?;
        let offset = self.offset();
        state.along_mm = (offset.along_um / 1000) as i16;
        state.aside_mm = (offset.aside_um / 1000) as i16;
        state.turned_ddeg = (offset.turned_mdeg / 100) as i16;
        state.battery_mv = self.battery_mv().map(|mv| mv as u16);
        state.fault = self.fault();
        if state.fault.is_some() {
            state.activity = Activity::Faulty;
        }
        Some(state)
    }

    pub(crate) fn set_calibration(&self, calibration: Calibration) {
        self.calibration.lock(|slot| slot.set(calibration));
    }

    /// What is true of this robot on this floor.
    pub fn calibration(&self) -> Calibration {
        self.calibration.lock(Slot::get)
    }

    /// Tells the goals; there are no more than [`STOPS`].
    pub fn set_goals(&self, goals: &[Cell]) {
        let goals: Vec<Cell, STOPS> = goals.iter().copied().take(STOPS).collect();
        self.goals.lock(|kept| kept.borrow_mut().clone_from(&goals));
        self.tell(Frame::Goals(goals));
    }

    /// The goals as last told; none before the first.
    pub fn goals(&self) -> Vec<Cell, STOPS> {
        self.goals.lock(|goals| goals.borrow().clone())
    }

    /// Tells what became of the map in flash.
    pub fn set_stored(&self, stored: Stored) {
        self.stored.lock(|slot| slot.set(Some(stored)));
        self.tell(Frame::Stored(stored));
    }

    /// What became of the map in flash; `None` until it has been read.
    pub fn stored(&self) -> Option<Stored> {
        self.stored.lock(Slot::get)
    }

    pub(crate) fn set_battery_mv(&self, mv: Option<u32>) {
        self.battery_mv.store(mv.unwrap_or(0), Ordering::Relaxed);
    }

    /// The battery's voltage, if it can be told.
    pub fn battery_mv(&self) -> Option<u32> {
        match self.battery_mv.load(Ordering::Relaxed) {
            0 => None,
            mv => Some(mv),
        }
    }
}

impl Default for Signals {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use planner_core::{Cell, Side};

    use super::*;

    #[test]
    fn a_fault_is_part_of_the_state_until_it_is_cleared() {
        let signals = Signals::new();
        let going = State {
            activity: Activity::Going,
            ..State::new(Cell::new(1, 2), Side::North)
        };
        signals.set_state(going);
        assert_eq!(signals.state(), Some(going));

        signals.raise(Fault::Gyro);
        signals.raise(Fault::Slip);
        let faulty = State {
            activity: Activity::Faulty,
            fault: Some(Fault::Gyro),
            ..going
        };
        assert_eq!(signals.state(), Some(faulty), "the first fault counts");

        signals.forget_fault();
        assert_eq!(signals.state(), Some(going));
    }
}
