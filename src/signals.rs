//! Every channel between tasks, with sender and receiver.

use core::{
    cell::{Cell as Slot, RefCell},
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

use embassy_sync::{
    blocking_mutex::{Mutex, raw},
    channel::Channel,
    signal::Signal,
    watch::Watch,
};
use embassy_time::Instant;
use heapless::Vec;
use planner_core::{Cell, Side, map::Occupancy};

use crate::{
    calibration::Calibration,
    calibrator::Progress,
    config::{EDGES_AHEAD, EXITS, TEMPORARY_OBSTACLES, UNCONFIRMED_WALLS},
    fault::Fault,
    log::info,
    mission::{Activity, Field, STOPS},
    motion::{CellSize, SpeedLevel},
    robot::{Distances, Duty, Thresholds},
    settings::Settings,
    telemetry::{Command, Frame, State, Stored},
};

/// Cells of the route that are remembered: twice those with an exit.
pub const CELLS: usize = 2 * EXITS;

/// Mutex of all channels: drive runs in an interrupt, so they need critical sections.
#[cfg(target_os = "none")]
pub type Raw = raw::CriticalSectionRawMutex;
/// Mutex of all channels: on a desktop, all tasks of a robot run in one thread.
#[cfg(not(target_os = "none"))]
pub type Raw = raw::NoopRawMutex;

/// Walls around the robot, after a majority vote; [`Occupancy::Unknown`] if the vote is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallReading {
    /// Number of this reading; increases by one.
    pub count: u32,
    /// Time of the last proximity reading.
    pub taken: Instant,
    /// Last proximity reading.
    pub distances: Distances,
    /// Last proximity reading before calibration.
    pub raw: [u16; 3],
    /// Number of the cell in which it was taken, see [`DriveState::cell`].
    pub cell: u8,
    /// True if the robot has turned in place in that cell.
    pub is_turned: bool,
    /// Forward position at which it was taken, in micrometres.
    pub forward_um: i32,
    /// Wall ahead.
    pub front: Occupancy,
    /// Wall to the left.
    pub left: Occupancy,
    /// Wall to the right.
    pub right: Occupancy,
}

/// Side by which a robot leaves a cell, seen in the direction in which it entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Exit {
    /// Straight on.
    Ahead,
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// To the cell that it came from.
    Back,
}

impl Exit {
    /// Exit from a heading to a side.
    #[must_use]
    pub fn between(heading: Side, side: Side) -> Self {
        if side == heading {
            Self::Ahead
        } else if side == heading.left() {
            Self::Left
        } else if side == heading.right() {
            Self::Right
        } else {
            Self::Back
        }
    }
}

/// Motion requested by the planner task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum MotionCommand {
    /// Turns in place by quarter turns, positive to the right.
    Turn(i8),
    /// Leaves the first cell of the route that has no exit yet by this one; the edge is known to be free. The robot
    /// stops in a cell whose exit does not come in time.
    Leave(Exit, SpeedLevel),
    /// Drops the exits of the cell with this number and of those behind it: an edge is not free any more. The robot
    /// stops in that cell, or in the next one if it is turning already.
    Revoke(u8),
    /// Accepts exits again after an obstacle ended the route; has no result.
    AcceptExits,
    /// Resets the pose to the centre of a cell of a size in millimetres; has no result.
    Reset(u16),
    /// Switches the motors off and drops the route; has no result. Exits are accepted again after a reset or a
    /// [`Place`](Self::Place).
    Halt,
    /// Turns in place to quarter turns from its heading, positive to the right, whatever its yaw is: slowly, and without
    /// regard to walls, for a robot that does not know its place.
    Face(i8),
    /// Drives straight by micrometres, positive forward, slowly and without regard to walls, for a robot that does not
    /// know its place.
    Creep(i32),
    /// Resets as [`Reset`](Self::Reset), to a pose with an uncertainty.
    Place(u16, Pose, Uncertainty),
    /// Turns in place by quarter turns, positive to the right, without regard to walls: for calibration.
    Pivot(i8),
    /// Drives straight by micrometres, positive forward, without regard to walls: for calibration.
    Roll(i32),
    /// Drives with constant duties, left and right, for a number of milliseconds; has no result. The
    /// pose is not kept.
    OpenLoop([Duty; 2], u16),
}

/// Place where an obstacle ended a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RouteEnd {
    /// Number of the cell in whose frame the robot was.
    pub from: u8,
    /// Quarter turns to the right that it had turned in place there: its heading since.
    pub quarters: i8,
    /// Cells from there in its heading; negative if the robot has backed up.
    pub cells: i8,
    /// True if the obstacle was not seen before it was right ahead: the robot may have pushed against it.
    pub may_have_touched: bool,
}

/// End of a motion, or of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum MotionResult {
    /// Completed as commanded: the robot stands in the centre of the cell with this number.
    Done(u8),
    /// The route ended in front of an obstacle, which is in the next cell.
    Blocked(RouteEnd),
    /// The route ended in front of an obstacle, with at least one free cell before it.
    Stopped(RouteEnd),
    /// Stopped because the pose is not known any more, with the fault to report if it cannot be found again. Exits are
    /// not accepted until a reset.
    Lost(Fault),
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

/// Uncertainty of a [`Pose`]: half-widths of intervals around it that contain the true one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Uncertainty {
    /// Forward, in micrometres.
    pub forward_um: i32,
    /// Right, in micrometres.
    pub lateral_um: i32,
    /// Of the yaw, in thousandths of a degree.
    pub yaw_mdeg: i32,
}

impl Uncertainty {
    /// The uncertainty of the position, in micrometres: the larger of forward and lateral.
    #[must_use]
    pub fn position_um(&self) -> i32 {
        self.forward_um.max(self.lateral_um)
    }
}

/// Pose of the robot and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriveState {
    /// Pose in its cell.
    pub pose: Pose,
    /// Uncertainty of the pose.
    pub uncertainty: Uncertainty,
    /// Number of walls that confirmed the pose, wrapping.
    pub fixes: u8,
    /// Distances driven since the last of them, in micrometres: ahead, to the right, back and to the left.
    pub driven_um: [i32; 4],
    /// Number of the cell in whose frame the pose is, wrapping; increases by one from cell to cell.
    pub cell: u8,
    /// Quarter turns to the right in place since the cell was entered.
    pub quarters: i8,
    /// Speed by plan, in micrometres per second; negative backward.
    pub speed_um_s: i32,
    /// Distance that is left if the robot stops as hard as planned in cells known to be free, in micrometres; `None`
    /// unless it drives a route.
    pub stop_margin_um: Option<i32>,
    /// True if no motion is in progress.
    pub is_at_rest: bool,
}

impl DriveState {
    /// State of a robot at rest in the centre of its first cell.
    pub const INITIAL: Self = Self {
        pose: Pose {
            forward_um: 0,
            lateral_um: 0,
            yaw_mdeg: 0,
        },
        uncertainty: Uncertainty {
            forward_um: 0,
            lateral_um: 0,
            yaw_mdeg: 0,
        },
        fixes: 0,
        driven_um: [0; 4],
        cell: 0,
        quarters: 0,
        speed_um_s: 0,
        stop_margin_um: None,
        is_at_rest: true,
    };
}

/// Raw sensor data and output of a control step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DriveSample {
    /// Encoder counts of the left and right wheel.
    pub counts: [i32; 2],
    /// Yaw rate as measured, in thousandths of a degree per second, clockwise.
    pub yaw_rate: i32,
    /// Learned bias of the yaw rate; `None` until the robot has been still.
    pub yaw_bias: Option<i32>,
    /// Turn by the gyro since power-on, in mdeg, clockwise, wrapping.
    pub turned_mdeg: i32,
    /// Duty of the left and right motor.
    pub duty: [Duty; 2],
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
    /// Writes settings and calibration; keeps the map.
    SaveCalibration,
}

/// Walls of the map that are not written to flash: temporary obstacles, and walls that are not confirmed.
pub type WithheldWalls = Vec<(Cell, Side), WITHHELD_WALLS>;
const WITHHELD_WALLS: usize = UNCONFIRMED_WALLS + EDGES_AHEAD + TEMPORARY_OBSTACLES;

/// All channels between tasks.
pub struct Signals {
    /// sense -> plan, drive: the latest wall reading.
    pub wall_reading: Watch<Raw, WallReading, 3>,
    /// plan -> drive: motions and exits of the route.
    pub motion_commands: Channel<Raw, MotionCommand, { EXITS }>,
    /// drive -> plan: how the motion ended.
    pub motion_result: Signal<Raw, MotionResult>,
    /// report, panel -> plan: commands, with their number if they came over the serial port.
    pub commands: Channel<Raw, (Option<u16>, Command), 4>,
    /// all -> report: telemetry, see [`Signals::send`].
    pub frames: Channel<Raw, Frame, 32>,
    /// plan -> sense: sweep the pulse width.
    pub sweep_request: Signal<Raw, ()>,
    /// sense -> plan: thresholds of the sweep; `None` if the sensors have none.
    pub sweep_result: Signal<Raw, Option<Thresholds>>,
    /// plan -> report, panel: state of the calibration.
    progress: Mutex<Raw, Slot<Progress>>,
    /// plan -> store: write or delete something.
    pub store_request: Signal<Raw, StoreRequest>,
    /// plan -> store: walls that the next save leaves as they are in flash.
    withheld: Mutex<Raw, RefCell<WithheldWalls>>,
    /// store -> plan: the request is done or has failed; also sent when the store has been read.
    pub store_done: Signal<Raw, ()>,
    /// panel, report -> plan: the motors were cut by [`Signals::stop`].
    pub(crate) stopped: Signal<Raw, ()>,
    /// panel, report -> drive: cut the motors now.
    stop: AtomicBool,
    /// plan -> panel, board: restart as a USB drive.
    pub restart_to_bootloader: Signal<Raw, ()>,
    /// drive -> supervise: the motors are driven.
    is_moving: AtomicBool,
    /// drive -> plan: time for which the robot has been still, in milliseconds.
    still_ms: AtomicU32,
    /// plan -> panel: time to the first motion, in milliseconds.
    countdown_ms: AtomicU32,
    /// store -> sense, supervise: flash is being written, which halts the chip.
    is_storing: AtomicBool,
    /// drive -> panel, report: raw data of the last control step.
    drive_sample: Mutex<Raw, Slot<DriveSample>>,
    /// store, plan -> all: settings in use.
    settings: Mutex<Raw, RefCell<Settings>>,
    /// plan -> all: cells of the route with the headings in which they are entered, by their numbers.
    cells: Mutex<Raw, RefCell<[(Cell, Side); CELLS]>>,
    /// drive -> sense, plan, report: pose in the cell, and what the robot does.
    drive_state: Mutex<Raw, Slot<DriveState>>,
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
            sweep_request: Signal::new(),
            sweep_result: Signal::new(),
            progress: Mutex::new(Slot::new(Progress::Idle)),
            store_request: Signal::new(),
            withheld: Mutex::new(RefCell::new(Vec::new())),
            store_done: Signal::new(),
            stopped: Signal::new(),
            stop: AtomicBool::new(false),
            restart_to_bootloader: Signal::new(),
            is_moving: AtomicBool::new(false),
            still_ms: AtomicU32::new(0),
            countdown_ms: AtomicU32::new(0),
            is_storing: AtomicBool::new(false),
            drive_sample: Mutex::new(Slot::new(DriveSample {
                counts: [0; 2],
                yaw_rate: 0,
                yaw_bias: None,
                turned_mdeg: 0,
                duty: [Duty::permille(0); 2],
            })),
            settings: Mutex::new(RefCell::new(Settings::new())),
            cells: Mutex::new(RefCell::new([(Cell::new(0, 0), Side::North); CELLS])),
            drive_state: Mutex::new(Slot::new(DriveState::INITIAL)),
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
            info!("fault {}", fault.code());
            self.send(Frame::Fault(fault));
        }
    }

    /// Current fault, if any.
    pub fn fault(&self) -> Option<Fault> {
        self.fault.lock(Slot::get)
    }

    /// Clears the fault.
    pub fn reset_fault(&self) {
        self.fault.lock(|slot| slot.set(None));
    }

    /// Marks a task as alive.
    pub fn check_in(&self, task: Task) {
        self.alive[task as usize].store(true, Ordering::Relaxed);
    }

    /// Returns whether every task has checked in since this last returned `true`.
    pub(crate) fn all_alive(&self) -> bool {
        let is_storing = self.is_storing();
        let is_alive = |task: &Task| {
            // Its readings take longer while flash is written.
            let is_excused = is_storing && *task == Task::Sense;
            is_excused || self.alive[*task as usize].load(Ordering::Relaxed)
        };
        let all = Task::ALL.iter().all(is_alive);
        if all {
            for task in &self.alive {
                task.store(false, Ordering::Relaxed);
            }
        }
        all
    }

    /// Cuts the motors at the next control step, in every motion. The plan task then drops the mission;
    /// panel and report run in turn with it, so it commands no motion in between.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stopped.signal(());
    }

    /// Returns whether a stop was requested since the last call.
    pub(crate) fn take_stop(&self) -> bool {
        // Drive interrupts the others, so nothing happens between the two.
        let stop = self.stop.load(Ordering::Relaxed);
        if stop {
            self.stop.store(false, Ordering::Relaxed);
        }
        stop
    }

    pub(crate) fn set_moving(&self, is_moving: bool) {
        self.is_moving.store(is_moving, Ordering::Relaxed);
    }

    /// Returns whether the motors are driven.
    pub fn is_moving(&self) -> bool {
        self.is_moving.load(Ordering::Relaxed)
    }

    /// Sets the time for which the robot has been still.
    pub fn set_still_ms(&self, ms: u32) {
        self.still_ms.store(ms, Ordering::Relaxed);
    }

    /// Time for which the robot has been still, in milliseconds.
    pub fn still_ms(&self) -> u32 {
        self.still_ms.load(Ordering::Relaxed)
    }

    pub(crate) fn set_countdown_ms(&self, ms: u32) {
        self.countdown_ms.store(ms, Ordering::Relaxed);
    }

    /// Time to the first motion of a robot that is starting, in milliseconds, if it stays still.
    pub fn countdown_ms(&self) -> u32 {
        self.countdown_ms.load(Ordering::Relaxed)
    }

    /// Sets whether flash is being read or written.
    pub fn set_storing(&self, is_storing: bool) {
        self.is_storing.store(is_storing, Ordering::Relaxed);
    }

    /// Returns whether flash is being read or written; the robot stands, and sensing is slow.
    pub fn is_storing(&self) -> bool {
        self.is_storing.load(Ordering::Relaxed)
    }

    pub(crate) fn set_drive_sample(&self, sample: DriveSample) {
        self.drive_sample.lock(|slot| slot.set(sample));
    }

    /// Raw data of the last control step.
    pub fn drive_sample(&self) -> DriveSample {
        self.drive_sample.lock(Slot::get)
    }

    /// Sets the walls that the next save leaves as they are in flash; at most as many as the list holds.
    pub(crate) fn set_withheld(&self, walls: impl Iterator<Item = (Cell, Side)>) {
        let walls = walls.take(WITHHELD_WALLS);
        self.withheld.lock(|slot| slot.replace(walls.collect()));
    }

    /// Walls that the next save leaves as they are in flash.
    pub(crate) fn withheld(&self) -> WithheldWalls {
        self.withheld.lock(|slot| slot.borrow().clone())
    }

    /// Sets the settings in use. They are not checked, saved or sent.
    pub fn set_settings(&self, settings: Settings) {
        self.settings.lock(|slot| slot.replace(settings));
    }

    /// Settings in use.
    pub fn settings(&self) -> Settings {
        self.settings.lock(|slot| slot.borrow().clone())
    }

    /// Size of a cell in use.
    pub fn cell_size(&self) -> CellSize {
        CellSize::mm(self.settings.lock(|slot| slot.borrow().cell_mm))
    }

    /// Field in use.
    pub fn field(&self) -> Field {
        self.settings.lock(|slot| slot.borrow().field)
    }

    /// Sets the cell with a number, and the heading in which the robot enters it.
    pub(crate) fn set_cell(&self, number: u8, cell: Cell, heading: Side) {
        let place = usize::from(number) % CELLS;
        self.cells
            .lock(|cells| cells.borrow_mut()[place] = (cell, heading));
    }

    /// Cell with a number, and the heading in which the robot enters it. Numbers more than half of [`CELLS`] away from
    /// the current one have no cell.
    pub fn cell(&self, number: u8) -> (Cell, Side) {
        self.cells
            .lock(|cells| cells.borrow()[usize::from(number) % CELLS])
    }

    /// Sets the pose and what the robot does.
    pub fn set_drive_state(&self, state: DriveState) {
        self.drive_state.lock(|slot| slot.set(state));
    }

    /// Pose of the robot in its cell, and what it does.
    pub fn drive_state(&self) -> DriveState {
        self.drive_state.lock(Slot::get)
    }

    pub(crate) fn set_state(&self, state: State) {
        self.state.lock(|slot| slot.set(Some(state)));
    }

    /// State of the robot; `None` until the plan task has started.
    pub fn state(&self) -> Option<State> {
        let mut state = self.state.lock(Slot::get)?;
        let drive = self.drive_state();
        let pose = drive.pose;
        let (cell, heading) = self.cell(drive.cell);
        (state.at, state.heading) = (cell, turned(heading, drive.quarters));
        state.forward_mm = (pose.forward_um / 1000) as i16;
        state.lateral_mm = (pose.lateral_um / 1000) as i16;
        state.yaw_ddeg = (pose.yaw_mdeg / 100) as i16;
        state.speed_mm_s = (drive.speed_um_s / 1000) as i16;
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

    /// Returns whether a sweep was requested and has not begun.
    pub(crate) fn is_sweeping(&self) -> bool {
        self.sweep_request.signaled()
    }

    /// Sets and sends the state of the calibration.
    pub(crate) fn set_progress(&self, progress: Progress) {
        self.progress.lock(|slot| slot.set(progress));
        self.send_calibration();
    }

    /// State of the calibration.
    pub fn progress(&self) -> Progress {
        self.progress.lock(Slot::get)
    }

    /// Sends the calibration in use.
    pub(crate) fn send_calibration(&self) {
        self.send(Frame::Calibration(self.calibration(), self.progress()));
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

/// Heading after quarter turns to the right.
pub(crate) fn turned(heading: Side, quarters: i8) -> Side {
    match quarters.rem_euclid(4) {
        1 => heading.right(),
        2 => heading.opposite(),
        3 => heading.left(),
        _ => heading,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::ZUMO2040;

    #[test]
    fn the_first_fault_is_part_of_the_state_until_it_is_cleared() {
        let signals = Signals::new(ZUMO2040.calibration);
        let going = State {
            activity: Activity::Going,
            ..State::new(Cell::new(1, 2), Side::North)
        };
        signals.set_cell(0, going.at, going.heading);
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
