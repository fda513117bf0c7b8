//! Every channel between tasks, with sender and receiver.

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
use planner_core::{Cell, map::Occupancy};

use crate::{
    calibration::Calibration,
    fault::Fault,
    mission::{Activity, STOPS},
    robot::Levels,
    telemetry::{Command, Frame, State, Stored},
};

/// Mutex of all channels: drive runs in an interrupt, so they need critical sections.
pub type Raw = CriticalSectionRawMutex;

/// Walls around the robot, after a majority vote; [`Occupancy::Unknown`] if the vote is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallReading {
    /// Number of this reading; increases by one.
    pub count: u32,
    /// Time of the last proximity reading.
    pub taken: Instant,
    /// Last proximity reading.
    pub levels: Levels,
    /// Wall ahead.
    pub front: Occupancy,
    /// Wall to the left.
    pub left: Occupancy,
    /// Wall to the right.
    pub right: Occupancy,
}

/// Motion requested by the planner task. The robot stands at the end of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum MotionCommand {
    /// Turns in place by quarter turns, positive to the right.
    Turn(i8),
    /// Advances by a number of cells.
    Advance(u8),
    /// Stops the current motion, which then returns its result; has none of its own.
    Stop,
    /// Resets the pose to the centre of a cell; has no result.
    Reset,
}

/// End of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum MotionResult {
    /// Completed as commanded.
    Done,
    /// Blocked after a number of cells: the robot stands in the centre of the last one, with the
    /// obstacle ahead.
    Blocked(u8),
    /// Stopped after a number of cells, not necessarily in the centre of a cell.
    Stopped(u8),
}

/// Pose in the frame of the robot's cell and heading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Pose {
    /// Forward of the centre, in micrometres.
    pub forward_um: i32,
    /// Right of the centre, in micrometres.
    pub lateral_um: i32,
    /// Clockwise from the heading, in thousandths of a degree.
    pub yaw_mdeg: i32,
}

/// Tasks that must check in before the watchdog is fed.
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
    /// All tasks.
    pub const ALL: [Self; 6] = [
        Self::Sense,
        Self::Plan,
        Self::Drive,
        Self::Report,
        Self::Store,
        Self::Panel,
    ];
}

/// Request to the store task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreRequest {
    /// Writes the map.
    SaveMap,
    /// Deletes the map.
    DeleteMap,
    /// Writes the calibration.
    SaveCalibration,
}

/// All channels between tasks.
pub struct Signals {
    /// sense -> plan, drive: the latest wall reading.
    pub wall_reading: Watch<Raw, WallReading, 3>,
    /// plan -> drive: the next motion, or a stop of the current one. A new motion is sent after the
    /// result of the last.
    pub motion_commands: Channel<Raw, MotionCommand, 2>,
    /// drive -> plan: how the motion ended.
    pub motion_result: Signal<Raw, MotionResult>,
    /// report, panel -> plan: commands, with their number if they came over the serial port.
    pub commands: Channel<Raw, (Option<u16>, Command), 4>,
    /// all -> report: telemetry, see [`Signals::send`].
    pub frames: Channel<Raw, Frame, 32>,
    /// plan -> store: write or delete something.
    pub store_request: Signal<Raw, StoreRequest>,
    /// store -> plan: the request is done or has failed; also sent when the store has been read.
    pub store_done: Signal<Raw, ()>,
    /// panel -> supervise: a person clears the fault.
    pub clear_fault: Signal<Raw, ()>,
    /// supervise -> plan: the fault is cleared; the robot stands at its home.
    pub fault_cleared: Signal<Raw, ()>,
    /// drive -> report: pose in the cell.
    pose: Mutex<Raw, Slot<Pose>>,
    /// plan -> report, panel: state, completed by what drive and supervise know.
    state: Mutex<Raw, Slot<Option<State>>>,
    /// store, plan -> sense, drive: calibration in use.
    calibration: Mutex<Raw, Slot<Calibration>>,
    /// any -> supervise, all: the first fault since the last was cleared.
    fault: Mutex<Raw, Slot<Option<Fault>>>,
    /// plan -> report: the goals, as last sent.
    goals: Mutex<Raw, RefCell<Vec<Cell, STOPS>>>,
    /// store -> report: state of the map in flash, as last sent.
    stored: Mutex<Raw, Slot<Option<Stored>>>,
    /// supervise -> panel, report; zero if unknown.
    battery_mv: AtomicU32,
    /// all -> report: frames dropped because the channel was full.
    lost: AtomicU32,
    /// all -> supervise.
    alive: [AtomicBool; Task::ALL.len()],
}

impl Signals {
    /// Signals of a robot that starts with a calibration.
    #[must_use]
    pub const fn new(calibration: Calibration) -> Self {
        Self {
            wall_reading: Watch::new(),
            motion_commands: Channel::new(),
            motion_result: Signal::new(),
            commands: Channel::new(),
            frames: Channel::new(),
            store_request: Signal::new(),
            store_done: Signal::new(),
            clear_fault: Signal::new(),
            fault_cleared: Signal::new(),
            pose: Mutex::new(Slot::new(Pose {
                forward_um: 0,
                lateral_um: 0,
                yaw_mdeg: 0,
            })),
            state: Mutex::new(Slot::new(None)),
            calibration: Mutex::new(Slot::new(calibration)),
            fault: Mutex::new(Slot::new(None)),
            goals: Mutex::new(RefCell::new(Vec::new())),
            stored: Mutex::new(Slot::new(None)),
            battery_mv: AtomicU32::new(0),
            lost: AtomicU32::new(0),
            alive: [const { AtomicBool::new(true) }; Task::ALL.len()],
        }
    }

    /// Sends a telemetry frame; counts it as lost if the channel is full.
    pub fn send(&self, frame: Frame) {
        if self.frames.try_send(frame).is_err() {
            // Drive may interrupt here; then two losses count as one.
            let lost = self.lost.load(Ordering::Relaxed);
            self.lost.store(lost.saturating_add(1), Ordering::Relaxed);
        }
    }

    /// Returns the number of lost frames and resets it.
    pub fn take_lost(&self) -> u32 {
        let lost = self.lost.load(Ordering::Relaxed);
        self.lost.store(0, Ordering::Relaxed);
        lost
    }

    /// Raises a fault, which stops the robot. The first fault is kept until it is cleared.
    pub fn raise(&self, fault: Fault) {
        let is_first = self.fault.lock(|slot| {
            let first = slot.get().is_none();
            if first {
                slot.set(Some(fault));
            }
            first
        });
        if is_first {
            self.send(Frame::Fault(fault));
        }
    }

    /// Current fault, if any.
    pub fn fault(&self) -> Option<Fault> {
        self.fault.lock(Slot::get)
    }

    pub(crate) fn reset_fault(&self) {
        self.fault.lock(|slot| slot.set(None));
    }

    /// Marks a task as alive.
    pub fn check_in(&self, task: Task) {
        self.alive[task as usize].store(true, Ordering::Relaxed);
    }

    /// Whether every task has checked in since the last call.
    pub(crate) fn all_alive(&self) -> bool {
        // No short circuit: every flag must be reset.
        self.alive.iter().fold(true, |all, task| {
            let alive = task.load(Ordering::Relaxed);
            task.store(false, Ordering::Relaxed);
            all && alive
        })
    }

    pub(crate) fn set_pose(&self, pose: Pose) {
        self.pose.lock(|slot| slot.set(pose));
    }

    /// Pose of the robot in its cell.
    pub fn pose(&self) -> Pose {
        self.pose.lock(Slot::get)
    }

    pub(crate) fn set_state(&self, state: State) {
        self.state.lock(|slot| slot.set(Some(state)));
    }

    /// State of the robot; `None` until the plan task has started.
    pub fn state(&self) -> Option<State> {
        let mut state = self.state.lock(Slot::get)?;
        let pose = self.pose();
        state.forward_mm = (pose.forward_um / 1000) as i16;
        state.lateral_mm = (pose.lateral_um / 1000) as i16;
        state.yaw_ddeg = (pose.yaw_mdeg / 100) as i16;
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

    /// Calibration in use.
    pub fn calibration(&self) -> Calibration {
        self.calibration.lock(Slot::get)
    }

    /// Sets and sends the goals, at most [`STOPS`].
    pub fn set_goals(&self, goals: &[Cell]) {
        let goals: Vec<Cell, STOPS> = goals.iter().copied().take(STOPS).collect();
        self.goals
            .lock(|current| current.borrow_mut().clone_from(&goals));
        self.send(Frame::Goals(goals));
    }

    /// Goals as last sent; empty before the first.
    pub fn goals(&self) -> Vec<Cell, STOPS> {
        self.goals.lock(|goals| goals.borrow().clone())
    }

    /// Sets and sends the state of the map in flash.
    pub fn set_stored(&self, stored: Stored) {
        self.stored.lock(|slot| slot.set(Some(stored)));
        self.send(Frame::Stored(stored));
    }

    /// State of the map in flash; `None` until it has been read.
    pub fn stored(&self) -> Option<Stored> {
        self.stored.lock(Slot::get)
    }

    pub(crate) fn set_battery_mv(&self, mv: Option<u32>) {
        self.battery_mv.store(mv.unwrap_or(0), Ordering::Relaxed);
    }

    /// Battery voltage in millivolts, if it can be measured.
    pub fn battery_mv(&self) -> Option<u32> {
        match self.battery_mv.load(Ordering::Relaxed) {
            0 => None,
            mv => Some(mv),
        }
    }
}

#[cfg(test)]
mod tests {
    use planner_core::{Cell, Side};

    use super::*;
    use crate::boards::ZUMO2040;

    #[test]
    fn the_first_fault_is_part_of_the_state_until_it_is_cleared() {
        let signals = Signals::new(ZUMO2040.calibration);
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
        assert_eq!(signals.state(), Some(faulty));

        signals.reset_fault();
        assert_eq!(signals.state(), Some(going));
    }
}
