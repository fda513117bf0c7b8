//! Obstacles that may go away.

use embassy_time::Instant;
use planner_core::{Cell, Side, map::Occupancy};

use super::{
    MissionExecutive,
    map::{observe_wall, wall},
};
use crate::{
    config::OBSTACLE_LIFETIME, mission::is_same_edge, navigator::Navigator, telemetry::Frame,
};

/// Obstacle that may go away, on an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct TemporaryObstacle {
    pub(super) cell: Cell,
    pub(super) side: Side,
    since: Instant,
}

impl MissionExecutive<'_> {
    /// Marks an obstacle as temporary; it is sensed again later.
    pub(super) fn mark_temporary(&mut self, (cell, side): (Cell, Side), navigator: &mut Navigator) {
        if self.is_temporary(cell, side) {
            return;
        }
        if !self.is_calibrated()
            && let Err(fault) = self.plausibility.meet_obstacle()
        {
            self.signals.raise(fault);
        }
        if self.temporary_obstacles.is_full() {
            self.forget_oldest_obstacle(navigator);
        }
        let since = self.now;
        // There is room now.
        let _ = self
            .temporary_obstacles
            .push_back(TemporaryObstacle { cell, side, since });
    }

    /// Returns whether a wall is a temporary obstacle.
    pub(super) fn is_temporary(&self, cell: Cell, side: Side) -> bool {
        let mut obstacles = self.temporary_obstacles.iter();
        obstacles.any(|obstacle| is_same_edge((obstacle.cell, obstacle.side), (cell, side)))
    }

    /// Occupancy of a wall on the map; unknown if it is a temporary obstacle.
    pub(super) fn permanent_wall(
        &self,
        cell: Cell,
        side: Side,
        navigator: &Navigator,
    ) -> Occupancy {
        if self.is_temporary(cell, side) {
            Occupancy::Unknown
        } else {
            wall(navigator, cell, side)
        }
    }

    pub(super) fn expire_obstacle(&mut self, navigator: &mut Navigator) {
        let oldest = self.temporary_obstacles.front();
        let age = oldest.map(|oldest| self.now.saturating_duration_since(oldest.since));
        if age >= Some(OBSTACLE_LIFETIME) {
            self.forget_oldest_obstacle(navigator);
        }
    }

    pub(super) fn forget_obstacles(&mut self, navigator: &mut Navigator) {
        while self.forget_oldest_obstacle(navigator) {}
    }

    /// Sets the oldest temporary obstacle to unknown; returns `false` if there is none.
    fn forget_oldest_obstacle(&mut self, navigator: &mut Navigator) -> bool {
        let Some(TemporaryObstacle { cell, side, .. }) = self.temporary_obstacles.pop_front()
        else {
            return false;
        };
        if wall(navigator, cell, side) == Occupancy::Blocked
            && observe_wall(navigator, cell, side, Occupancy::Unknown)
        {
            self.signals
                .send(Frame::Wall(cell, side, Occupancy::Unknown));
        }
        true
    }
}
