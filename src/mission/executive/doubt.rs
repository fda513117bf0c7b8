//! Contradictions between sensed walls and the map, and relocalisation of a robot that is lost.

use planner_core::{Cell, Side, map::Occupancy};

use super::{
    MissionExecutive, Step,
    map::{observe_wall, wall},
};
use crate::{
    config::{
        DOUBT_BY_BLOCKED, DOUBT_BY_FREE, DOUBT_BY_OUTER_WALL, LOST_DOUBT, LOST_STEPS,
        RELOCALISATIONS, RELOCALISED_DOUBT, WALLS_PER_TICK,
    },
    fault::Fault,
    log::debug,
    mission::{
        Activity,
        relocalisation::{Relocalisation, Search},
    },
    motion::CellSize,
    navigator::Navigator,
    signals::{MotionCommand, WallReading},
    telemetry::Frame,
};

impl MissionExecutive<'_> {
    /// Compares the walls that are sensed with the map: what contradicts it raises the doubt about the pose, a
    /// reading without a contradiction lowers it. Two contradictions in one reading, one of them a free wall that is
    /// blocked, are neither an obstacle nor walls that have gone: the robot is lost.
    pub(super) fn check_map(
        &mut self,
        reading: &WallReading,
        (at, heading): (Cell, Side),
        navigator: &Navigator,
    ) {
        let sides = [
            (heading, reading.front),
            (heading.left(), reading.left),
            (heading.right(), reading.right),
        ];
        let (mut doubt, mut contradictions) = (0, 0);
        let (mut is_blocked, mut confirms) = (false, false);
        for (side, sensed) in sides {
            let is_outer = navigator.map().is_outer(at, side);
            self.has_outer_walls |= is_outer && sensed == Occupancy::Blocked;
            let contradiction = match (wall(navigator, at, side), sensed) {
                (Occupancy::Blocked, Occupancy::Free) if is_outer => {
                    DOUBT_BY_OUTER_WALL * u8::from(self.has_outer_walls)
                }
                (Occupancy::Blocked, Occupancy::Free) if !self.is_temporary(at, side) => {
                    DOUBT_BY_FREE
                }
                (Occupancy::Free, Occupancy::Blocked) => {
                    is_blocked = true;
                    DOUBT_BY_BLOCKED
                }
                (known, sensed) => {
                    confirms |= known == sensed && known != Occupancy::Unknown;
                    0
                }
            };
            doubt += contradiction;
            contradictions += u8::from(contradiction > 0);
        }
        self.doubt = if contradictions > 1 && is_blocked {
            LOST_DOUBT
        } else if doubt > 0 {
            self.doubt + doubt
        } else {
            self.doubt.saturating_sub(u8::from(confirms))
        };
    }

    /// Returns whether a calibrated robot senses an edge as free that is blocked on its map, apart from temporary
    /// obstacles and outer walls, which the map never loses: its front receiver may be blinded.
    pub(super) fn misses_wall(
        &self,
        sensed: Occupancy,
        (at, heading): (Cell, Side),
        navigator: &Navigator,
    ) -> bool {
        self.is_calibrated()
            && !navigator.map().is_outer(at, heading)
            && sensed == Occupancy::Free
            && self.permanent_wall(at, heading, navigator) == Occupancy::Blocked
    }

    /// Counts the ends of walls between the last cell and this one that the map has and the robot did not see: it may
    /// drive against something, and sense the same walls again and again.
    pub(super) fn check_ends(
        &mut self,
        reading: &WallReading,
        (at, heading): (Cell, Side),
        navigator: &Navigator,
    ) {
        let now = [reading.left, reading.right];
        let last = self.last_reading.replace((at, heading, now));
        let Some((cell, _, before)) =
            last.filter(|&(cell, to, _)| to == heading && cell.neighbor(to) == Some(at))
        else {
            return;
        };
        let sides = [heading.left(), heading.right()].into_iter();
        for (side, (before, now)) in sides.zip(before.into_iter().zip(now)) {
            let known = [cell, at].map(|cell| self.permanent_wall(cell, side, navigator));
            let is_known = |of: [Occupancy; 2]| !of.contains(&Occupancy::Unknown);
            if is_known(known) && is_known([before, now]) && known[0] != known[1] {
                let is_missing = before == now;
                self.missing_ends = if is_missing { self.missing_ends + 1 } else { 0 };
            }
        }
    }

    /// Stops because the pose is not known. Once all walls are taken back that are not confirmed, the robot looks for its
    /// place, or reports `fault`.
    pub(super) fn lose(&mut self, fault: Fault) {
        debug!("lost at {},{}", self.at.x, self.at.y);
        (self.is_lost, self.wall_unseen) = (true, None);
        self.signals.motion_commands.clear();
        self.send_motion(MotionCommand::Halt);
        self.step = Step::Lose(fault);
    }

    /// Sets up to [`WALLS_PER_TICK`] walls that are not confirmed back to what they were; returns whether that
    /// were all.
    pub(super) fn take_back_walls(&mut self, navigator: &mut Navigator) -> bool {
        for _ in 0..WALLS_PER_TICK {
            let (cell, side, before) = if let Some(wall) = self.unconfirmed.take_newest() {
                (wall.cell, wall.side, wall.before)
            } else if let Some(edge) = self.edges_ahead.take_newest() {
                if wall(navigator, edge.cell, edge.side) != Occupancy::Free {
                    continue;
                }
                (edge.cell, edge.side, edge.before)
            } else {
                return true;
            };
            if observe_wall(navigator, cell, side, before) {
                self.signals.send(Frame::Wall(cell, side, before));
            }
        }
        false
    }

    pub(super) fn begin_relocalisation(&mut self, fault: Fault) {
        // Beyond the cells that would be searched, if it has driven against something all the way.
        let [ahead, right, back, left] = self.signals.drive_state().driven_um;
        let most_um = i32::from(LOST_STEPS) * CellSize::mm(self.cell_mm).um();
        let is_far = fault == Fault::Lost && ahead.max(right).max(back).max(left) > most_um;
        if !self.is_calibrated() || is_far || self.relocalisations >= RELOCALISATIONS {
            self.signals.raise(fault);
            return;
        }
        self.relocalisations += 1;
        self.activity = Activity::Relocalising;
        self.relocalisation = Some(Relocalisation::new(
            fault,
            self.signals,
            self.board,
            self.now,
        ));
        self.step = Step::Relocalise;
    }

    /// Looks for the robot's place; goes on slowly once it is found.
    pub(super) fn relocalise(&mut self, navigator: &mut Navigator) {
        let Some(mut search) = self.relocalisation.take() else {
            self.step = Step::Rest;
            return;
        };
        let permanent = |cell, side| self.permanent_wall(cell, side, navigator);
        match search.tick(self.signals, self.board, permanent, self.now) {
            Search::Running => self.relocalisation = Some(search),
            Search::Found((cell, heading)) => {
                debug!("found at {},{}", cell.x, cell.y);
                (self.at, self.heading) = (cell, heading);
                (self.is_lost, self.is_careful) = (false, true);
                (self.was_blocked, self.approaches) = (false, false);
                (self.doubt, self.missing_ends, self.last_reading) = (RELOCALISED_DOUBT, 0, None);
                self.activity = Activity::Going;
                // The planner starts again from the new cell. The goals were checked when the mission started.
                let _ = self.begin_planning(navigator);
                self.begin_sensing();
            }
            Search::Failed => self.signals.raise(search.fault()),
        }
    }
}
