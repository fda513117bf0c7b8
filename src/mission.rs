//! What a robot can be sent to do.

use heapless::Vec;
use planner_core::{Cell, Goals, Side};
use serde::{Deserialize, Serialize};

/// The most stops of a patrol, and the most cells that may be the goal of an exploration.
pub const STOPS: usize = Goals::MAX;

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mission {
    /// Go to a cell.
    GoTo(Cell),
    /// Go back to where the robot was put.
    Home,
    /// Go from cell to cell and begin again, until told to stop.
    Patrol(Vec<Cell, STOPS>),
    /// Find one of these cells, explore until the best way there is proven, go home, and run.
    Explore(Vec<Cell, STOPS>),
}

/// The floor the robot is on: how large its map is, and where it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Field {
    /// Columns of the map, at most [`config::SIDE`](crate::config::SIDE).
    pub width: u16,
    /// Rows of the map, at most [`config::SIDE`](crate::config::SIDE).
    pub height: u16,
    /// Where the robot is put.
    pub home: Cell,
    /// Where it then looks.
    pub heading: Side,
}

/// What the robot is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Activity {
    /// Standing, with nothing to do.
    #[default]
    Idle,
    /// On its way.
    Going,
    /// There is no way, as far as it knows; it will look again.
    NoPath,
    /// At the end of its mission.
    Done,
    /// Stopped by a fault.
    Faulty,
}
