//! Telemetry frames.

use heapless::Vec;
use planner_core::{Cell, Side, explore::Phase, map::Occupancy};
use serde::{Deserialize, Serialize};

use super::Refusal;
use crate::{
    calibration::Calibration,
    calibrator::Progress,
    fault::Fault,
    mission::{Activity, Field},
    robot::Distances,
    settings::Settings,
};

/// Map bytes per frame.
pub const MAP_BYTES: usize = 48;

/// Telemetry frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Frame {
    /// Sent after power-on and in reply to the first command.
    Hello {
        /// [`PROTOCOL`](super::PROTOCOL).
        protocol: u8,
        /// Size of the map and home pose.
        field: Field,
        /// State of the map in flash, once it is known.
        stored: Option<Stored>,
    },
    /// State of the robot, ten times a second.
    State(State),
    /// Goals, whenever they change, and after [`Frame::Hello`] in reply to the first command.
    Goals(Vec<Cell, { crate::mission::STOPS }>),
    /// Cell that the robot is about to enter.
    Next(Cell),
    /// Changed occupancy of a wall.
    Wall(Cell, Side, Occupancy),
    /// Planning load since the last of these: once a second, and at the end of each phase.
    Load(Load),
    /// A fault; the motors are off.
    Fault(Fault),
    /// The fault was cleared.
    Cleared,
    /// Piece of the wall map, as [`encode_walls`](crate::navigator::encode_walls) encodes it.
    Map {
        /// Offset of the piece.
        offset: u16,
        /// Bytes of the piece.
        bytes: Vec<u8, MAP_BYTES>,
        /// Size of the whole map.
        total: u16,
    },
    /// The map was cleared, by command or because the settings changed.
    Forgotten,
    /// State of the map in flash.
    Stored(Stored),
    /// The command with this number was executed.
    Accepted(u16),
    /// A command was refused; nothing has changed.
    Refused {
        /// Number of the command, if it could be read.
        number: Option<u16>,
        /// Reason.
        why: Refusal,
    },
    /// Number of frames dropped because the queue was full.
    Lost(u32),
    /// Settings, whenever they change, and after [`Frame::Hello`].
    Settings(Settings),
    /// All blocked walls inside of the map were set to unknown, because no path was left; flash keeps them.
    Doubted,
    /// Raw data of the sensors, ten times a second.
    Sensors(Sensors),
    /// Calibration in use and state of its measurement, whenever it changes and on request.
    Calibration(Calibration, Progress),
}

/// Raw data of the sensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sensors {
    /// Milliseconds since power-on.
    pub ms: u32,
    /// Proximity before calibration: left, front, right. On a Zumo a bit per pulse, on other boards the
    /// voltage.
    pub raw: [u16; 3],
    /// Distances by the calibration.
    pub distances: Distances,
    /// Encoder counts of the left and right wheel.
    pub counts: [i32; 2],
    /// Yaw rate as measured, in thousandths of a degree per second, clockwise.
    pub yaw_rate: i32,
    /// Learned bias of the yaw rate.
    pub yaw_bias: Option<i32>,
    /// Duty of the left and right motor, in thousandths.
    pub duty: [i16; 2],
    /// Battery voltage, if it can be measured.
    pub battery_mv: Option<u16>,
}

/// State of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Milliseconds since power-on.
    pub ms: u32,
    /// Cell of the robot; during a motion, the one it left.
    pub at: Cell,
    /// Heading; during a turn, the one before.
    pub heading: Side,
    /// Forward of the cell's centre, in millimetres.
    pub forward_mm: i16,
    /// Right of the cell's centre, in millimetres.
    pub lateral_mm: i16,
    /// Clockwise from its heading, in tenths of a degree.
    pub yaw_ddeg: i16,
    /// Speed by plan, in millimetres per second; negative backward.
    pub speed_mm_s: i16,
    /// State of the mission.
    pub activity: Activity,
    /// Current fault.
    pub fault: Option<Fault>,
    /// Battery voltage, if it can be measured.
    pub battery_mv: Option<u16>,
}

impl State {
    /// State at power-on, in the centre of a cell.
    #[must_use]
    pub const fn new(at: Cell, heading: Side) -> Self {
        Self {
            ms: 0,
            at,
            heading,
            forward_mm: 0,
            lateral_mm: 0,
            yaw_ddeg: 0,
            speed_mm_s: 0,
            activity: Activity::Idle,
            fault: None,
            battery_mv: None,
        }
    }
}

/// Planning load in a phase of the mission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// Phase in which the planner was ticked.
    pub phase: Phase,
    /// Number of ticks.
    pub ticks: u16,
    /// Expansions of all ticks.
    pub expansions: u32,
    /// Re-queues of all ticks.
    pub requeues: u32,
    /// Most expansions of one tick.
    pub worst_expansions: u16,
    /// Most re-queues of one tick.
    pub worst_requeues: u16,
    /// Longest tick in microseconds.
    pub worst_us: u32,
    /// Exits decided for routes.
    pub decisions: u16,
    /// Those that came too late for a smooth turn.
    pub late: u16,
}

/// State of the map in flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[serde(rename_all = "kebab-case")]
pub enum Stored {
    /// There is none.
    Empty,
    /// It was loaded.
    Loaded,
    /// It is of another field or version and is not used.
    Foreign,
    /// It was damaged, and the store was cleared.
    Damaged,
    /// It was saved.
    Saved,
    /// Reading or writing failed.
    Failed,
}
