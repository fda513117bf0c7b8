//! Map in RAM and in flash.

use planner_core::{Cell, Observation, Planner, Side, map::Occupancy};

use super::{MissionExecutive, Step};
use crate::{
    config::{SAVE_AFTER_DEAD_END, WALLS_PER_TICK},
    navigator::Navigator,
    signals::StoreRequest,
};

impl MissionExecutive<'_> {
    /// Saves the map if it has changed; the robot stands.
    pub(super) fn save(&mut self) {
        if self.unsaved == 0 {
            self.begin_sensing();
        } else {
            self.request_store(StoreRequest::SaveMap);
        }
    }

    pub(super) fn request_store(&mut self, request: StoreRequest) {
        if request != StoreRequest::SaveCalibration {
            // Those that are not confirmed are left out.
            let left = self.unconfirmed.walls().count() + self.edges_ahead.edges().count();
            // They alone are no reason to save again.
            self.unsaved = (left as u16).min(SAVE_AFTER_DEAD_END - 1);
        }
        let temporary = self.temporary_obstacles.iter();
        let temporary = temporary.map(|obstacle| (obstacle.cell, obstacle.side));
        let unconfirmed = self.unconfirmed.walls().chain(self.edges_ahead.edges());
        self.signals.set_withheld(unconfirmed.chain(temporary));
        self.signals.store_done.reset();
        self.signals.store_request.signal(request);
        self.step = Step::Save;
    }

    /// Sets the blocked ones of the next [`WALLS_PER_TICK`] walls to unknown, in RAM only.
    pub(super) fn doubt_walls(&mut self, first: usize, navigator: &mut Navigator) {
        for number in first..first + WALLS_PER_TICK {
            let Some((cell, side)) = navigator.map().nth_wall(number) else {
                self.begin_sensing();
                return;
            };
            if wall(navigator, cell, side) == Occupancy::Blocked {
                observe_wall(navigator, cell, side, Occupancy::Unknown);
            }
        }
        self.step = Step::Doubt {
            wall: first + WALLS_PER_TICK,
        };
    }

    /// Clears the next [`WALLS_PER_TICK`] walls.
    pub(super) fn clear_walls(&mut self, wall: usize, navigator: &mut Navigator) {
        for number in wall..wall + WALLS_PER_TICK {
            let Some((cell, side)) = navigator.map().nth_wall(number) else {
                self.request_store(StoreRequest::DeleteMap);
                return;
            };
            observe_wall(navigator, cell, side, Occupancy::Unknown);
        }
        self.step = Step::ClearMap {
            wall: wall + WALLS_PER_TICK,
        };
    }
}

/// Occupancy of a wall; off the map, everything is blocked.
pub(super) fn wall(navigator: &Navigator, cell: Cell, side: Side) -> Occupancy {
    let wall = navigator.map().wall(cell, side);
    wall.unwrap_or(Occupancy::Blocked)
}

/// Passes an observation to the navigator; returns whether the map changed. Outer walls never change.
pub(super) fn observe_wall(
    navigator: &mut Navigator,
    cell: Cell,
    side: Side,
    to: Occupancy,
) -> bool {
    let before = wall(navigator, cell, side);
    // Fails only off the map.
    let _ = navigator.observe(Observation::Wall(cell, side, to));
    wall(navigator, cell, side) != before
}
