//! Commands to the robot.

use planner_core::Cell;
use serde::{Deserialize, Serialize};

use crate::{
    calibration::{Calibration, Gear},
    calibrator::Routine,
    mission::{Field, Mission},
    settings::Settings,
};

/// Command to the robot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Sets the goal of the next start; a robot that is going to a goal changes to the new one.
    SetGoal(Cell),
    /// Sets the mission of the next start.
    SetMission(Mission),
    /// Starts the mission.
    Start,
    /// Cuts the motors at once. A motion that it interrupts leaves the pose lost: see [`Command::PlacedAtHome`].
    Stop,
    /// Goes home now.
    Home,
    /// Clears the map in RAM and flash; only while standing.
    ForgetMap,
    /// Requests the map.
    GetMap,
    /// Sets the calibration; only while standing.
    SetCalibration(Calibration),
    /// Resets the calibration to that of the board; only while standing.
    ResetCalibration,
    /// Requests the calibration.
    GetCalibration,
    /// Starts a calibration routine; only while standing. The pose is lost then.
    Calibrate(Routine),
    /// Value that a person measured for the routine that waits for it: the distance in micrometres, or the
    /// angle in mdeg.
    Measured(i32),
    /// Sets the gears of the motors; only while standing.
    SetGear(Gear),
    /// The robot was put into the centre of its home cell, with its first heading. Clears a fault and
    /// [`Activity::Lost`](crate::mission::Activity::Lost).
    PlacedAtHome,
    /// Clears a fault. The pose is lost then.
    ClearFault,
    /// Sets map size, cell size, home and goals, and saves them; only while standing. A change of the
    /// field or of the cell size clears the map.
    SetSettings(Settings),
    /// Drives one motor for [`config::SPIN_TIME`](crate::config::SPIN_TIME), to check the wiring; only
    /// while standing. The pose is lost then.
    Spin(Motor, Direction),
    /// Restarts the chip as a USB drive to copy an image to; only while standing.
    RestartToBootloader,
}

/// Motor of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Motor {
    /// Left motor.
    Left,
    /// Right motor.
    Right,
}

/// Direction of a motor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Direction {
    /// Moves the robot forward.
    Forward,
    /// Moves the robot backward.
    Backward,
}

impl Command {
    /// Checks that the command makes sense on a field.
    ///
    /// # Errors
    /// [`Refusal::Invalid`].
    pub fn check(&self, field: Field) -> Result<(), Refusal> {
        let on_field = |&cell: &Cell| field.contains(cell);
        let is_valid = match self {
            Self::SetGoal(cell) | Self::SetMission(Mission::GoTo(cell)) => on_field(cell),
            Self::SetMission(Mission::Patrol(cells) | Mission::Explore(cells)) => {
                !cells.is_empty() && cells.iter().all(on_field)
            }
            Self::SetCalibration(calibration) => calibration.is_valid(),
            Self::SetSettings(settings) => settings.is_valid(),
            Self::SetMission(Mission::Home)
            | Self::Start
            | Self::Stop
            | Self::Home
            | Self::ForgetMap
            | Self::GetMap
            | Self::PlacedAtHome
            | Self::ResetCalibration
            | Self::GetCalibration
            | Self::Calibrate(_)
            | Self::Measured(_)
            | Self::SetGear(_)
            | Self::ClearFault
            | Self::Spin(..)
            | Self::RestartToBootloader => true,
        };
        is_valid.then_some(()).ok_or(Refusal::Invalid)
    }
}

/// Reason for which a command was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// It is out of sequence.
    OutOfOrder,
    /// The checksum is wrong, or the message is truncated.
    Damaged,
    /// It is longer than any command.
    TooLong,
    /// It cannot be decoded.
    Unknown,
    /// A cell is off the map or missing, or a value is out of range.
    Invalid,
    /// The robot is moving.
    Moving,
    /// The robot has a fault.
    Faulty,
    /// The command queue is full.
    Busy,
    /// The robot does not know its pose: put it home and send [`Command::PlacedAtHome`].
    Lost,
    /// The robot cannot turn in cells of this size.
    CellTooSmall,
}
