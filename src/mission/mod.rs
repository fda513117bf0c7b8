//! Missions, and the executive that carries them out.

mod edges_ahead;
mod executive;
mod relocalisation;
mod unconfirmed;
mod wall_matcher;

pub use executive::MissionExecutive;

use heapless::Vec;
use planner_core::{Cell, Goals, Side};
use serde::{Deserialize, Serialize};

use crate::config::SIDE;

/// Maximum number of stops of a patrol and of goals of an exploration.
pub const STOPS: usize = Goals::MAX;

/// Task given to the robot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mission {
    /// Goes to a cell.
    GoTo(Cell),
    /// Returns to the home cell.
    Home,
    /// Visits the cells in turn, again and again, until it is stopped.
    Patrol(Vec<Cell, STOPS>),
    /// Finds one of the cells, explores until the shortest path there is proven, returns home and runs.
    Explore(Vec<Cell, STOPS>),
}

/// Returns whether two sides of cells are the same edge.
fn is_same_edge((cell, side): (Cell, Side), other: (Cell, Side)) -> bool {
    (cell, side) == other
        || cell.neighbor(side).map(|beyond| (beyond, side.opposite())) == Some(other)
}

/// Size of the map, and the home pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Field {
    /// Columns of the map, at most [`config::SIDE`](crate::config::SIDE).
    pub width: u16,
    /// Rows of the map, at most [`config::SIDE`](crate::config::SIDE).
    pub height: u16,
    /// Cell in which the robot starts.
    pub home: Cell,
    /// Heading with which the robot starts.
    pub heading: Side,
}

impl Field {
    /// Returns whether the map has 1 to [`config::SIDE`](crate::config::SIDE) cells per side and the home inside.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        let Self {
            width,
            height,
            home,
            ..
        } = self;
        *width <= SIDE && *height <= SIDE && home.x < *width && home.y < *height
    }

    /// Returns whether a cell is on the map.
    #[must_use]
    pub const fn contains(&self, cell: Cell) -> bool {
        cell.x < self.width && cell.y < self.height
    }
}

/// State of the mission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[serde(rename_all = "kebab-case")]
pub enum Activity {
    /// No mission is running.
    #[default]
    Idle,
    /// The robot is on its way.
    Going,
    /// No path is known; the robot waits and senses again.
    NoPath,
    /// The mission is done.
    Done,
    /// Stopped by a fault.
    Faulty,
    /// A mission was started; the robot must stand still before its first motion.
    Starting,
    /// A motion was cut short, or the robot was moved by hand: it does not know its pose until a person
    /// puts it at its home and says so.
    Lost,
    /// The robot has lost its place, and looks around to find it.
    Relocalising,
}

impl Activity {
    /// Returns whether the robot moves, or will.
    #[must_use]
    pub const fn is_active(self) -> bool {
        matches!(
            self,
            Self::Starting | Self::Going | Self::NoPath | Self::Relocalising
        )
    }
}
