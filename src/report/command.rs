//! What a robot is told.

use planner_core::Cell;
use serde::{Deserialize, Serialize};

use crate::{calibration::Calibration, mission::Mission};

/// One message to the robot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// The next start goes to this cell; a robot that is on its way there turns to the new one.
    SetGoal(Cell),
    /// The next start does this.
    SetMission(Mission),
    /// Begin.
    Start,
    /// Stop where you are.
    Stop,
    /// Go home, now.
    Home,
    /// Forget the learned map, here and in flash; only while standing.
    ForgetMap,
    /// Tell the learned map.
    GetMap,
    /// This is true of you; only while standing.
    SetCalibration(Calibration),
}

/// Why a command was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Refusal {
    /// It does not follow the one before it.
    OutOfOrder,
    /// The checksum is wrong, or the frame is cut.
    Damaged,
    /// It is longer than any command.
    TooLong,
    /// It cannot be understood.
    Unknown,
    /// A cell is outside the map, or there is none, or a number is beyond what can be.
    Invalid,
    /// Not while moving.
    Moving,
    /// Not before the fault is cleared.
    Faulty,
    /// Too many wait already.
    Busy,
}
