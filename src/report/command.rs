//! What a robot is told.

use planner_core::Cell;
use serde::{Deserialize, Serialize};

use crate::{
    calibration::Calibration,
    mission::{Field, Mission},
};

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

impl Command {
    /// Whether it can be carried out on a field, at some time if not now.
    ///
    /// # Errors
    /// [`Refusal::Invalid`].
    pub fn check(&self, field: Field) -> Result<(), Refusal> {
        let on_field = |cell: &Cell| cell.x < field.width && cell.y < field.height;
        let is_valid = match self {
            Self::SetGoal(cell) | Self::SetMission(Mission::GoTo(cell)) => on_field(cell),
            Self::SetMission(Mission::Patrol(cells) | Mission::Explore(cells)) => {
                !cells.is_empty() && cells.iter().all(on_field)
            }
            Self::SetCalibration(calibration) => calibration.is_valid(),
            Self::SetMission(Mission::Home)
            | Self::Start
            | Self::Stop
            | Self::Home
            | Self::ForgetMap
            | Self::GetMap => true,
        };
        is_valid.then_some(()).ok_or(Refusal::Invalid)
    }
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
