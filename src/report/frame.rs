//! What a robot tells.

use heapless::Vec;
use planner_core::{Cell, Side, map::Occupancy};
use serde::{Deserialize, Serialize};

use super::Refusal;
use crate::{
    fault::Fault,
    mission::{Activity, Field},
};

/// Bytes of the map in one frame.
pub const MAP_BYTES: usize = 48;

/// One message of the robot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Frame {
    /// After power-on, and in answer to the first command.
    Hello {
        /// [`PROTOCOL`](super::PROTOCOL).
        protocol: u8,
        /// The floor.
        field: Field,
        /// What became of the map in flash, once that is known: it is told before a desktop can hear it.
        stored: Option<Stored>,
    },
    /// Where the robot is and what it does, ten times a second.
    State(State),
    /// The goals, whenever they change, and after [`Frame::Hello`] in answer to the first command.
    Goals(Vec<Cell, { crate::mission::STOPS }>),
    /// The robot is about to enter this cell.
    Next(Cell),
    /// Something new about a wall.
    Wall(Cell, Side, Occupancy),
    /// What planning cost since the last of these.
    Load(Load),
    /// The motors are off, and why.
    Fault(Fault),
    /// A person has cleared the fault.
    Cleared,
    /// A piece of the learned map, as [`Atlas`](crate::atlas::Atlas) stores it.
    Map {
        /// Where the piece belongs.
        offset: u16,
        /// The piece.
        bytes: Vec<u8, MAP_BYTES>,
        /// Bytes of the whole map.
        total: u16,
    },
    /// The map is forgotten, in flash too: it was found to be wrong, or a person said so.
    Forgotten,
    /// What became of the map in flash.
    Stored(Stored),
    /// The command with this number was carried out.
    Accepted(u16),
    /// A command was not, and nothing has changed.
    Refused {
        /// Its number, if that could be read.
        number: Option<u16>,
        /// Why.
        why: Refusal,
    },
    /// Frames for which there was no room.
    Lost(u32),
}

/// Where the robot is and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Milliseconds since power-on.
    pub ms: u32,
    /// Its cell; while it moves, the one it comes from.
    pub at: Cell,
    /// Where it looks; while it turns, where it looked before.
    pub heading: Side,
    /// From the middle of its cell, forward, in millimetres.
    pub along_mm: i16,
    /// From the middle of its cell, to the right, in millimetres.
    pub aside_mm: i16,
    /// Clockwise from its heading, in tenths of a degree.
    pub turned_ddeg: i16,
    /// What it does.
    pub activity: Activity,
    /// Why the motors are off, if they are for a reason.
    pub fault: Option<Fault>,
    /// The battery's voltage, if it can be told.
    pub battery_mv: Option<u16>,
}

impl State {
    /// A robot that rests in the middle of a cell and has just been switched on.
    #[must_use]
    pub const fn new(at: Cell, heading: Side) -> Self {
        Self {
            ms: 0,
            at,
            heading,
            along_mm: 0,
            aside_mm: 0,
            turned_ddeg: 0,
            activity: Activity::Idle,
            fault: None,
            battery_mv: None,
        }
    }
}

/// What planning cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// Ticks.
    pub ticks: u16,
    /// Expansions in all of them.
    pub expansions: u32,
    /// Re-queues in all of them.
    pub requeues: u32,
    /// The most expansions in one.
    pub worst_expansions: u16,
    /// The most re-queues in one.
    pub worst_requeues: u16,
    /// The longest tick in microseconds.
    pub worst_us: u32,
}

/// What became of the map in flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Stored {
    /// There was none.
    Empty,
    /// It was read.
    Loaded,
    /// It was of another floor or another version, and is not used.
    Foreign,
    /// It could not be read, and the store was cleared.
    Damaged,
    /// It was written.
    Saved,
    /// It could not be written.
    Failed,
}
