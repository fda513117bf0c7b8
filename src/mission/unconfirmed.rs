//! Walls that were sensed since the pose was last confirmed.

use heapless::Deque;
use planner_core::{Cell, Side, map::Occupancy};

use crate::config::{CONFIRMING_FIXES, UNCONFIRMED_WALLS};

/// Wall whose occupancy changed, with what was known of it before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LearnedWall {
    pub(super) cell: Cell,
    pub(super) side: Side,
    pub(super) before: Occupancy,
    /// Number of walls that had confirmed the pose then.
    fixes: u8,
}

/// Walls in the order in which they were sensed. They are confirmed by walls ahead and ends of walls that
/// come afterwards: a robot that had slipped would see those elsewhere.
#[derive(Debug, Default)]
pub(super) struct UnconfirmedWalls {
    walls: Deque<LearnedWall, UNCONFIRMED_WALLS>,
}

impl UnconfirmedWalls {
    /// Remembers a wall that has changed. With a full list the oldest one counts as confirmed: the pose
    /// would be lost before so many cells without one.
    pub(super) fn push(&mut self, cell: Cell, side: Side, before: Occupancy, fixes: u8) {
        if self.walls.is_full() {
            self.walls.pop_front();
        }
        let wall = LearnedWall {
            cell,
            side,
            before,
            fixes,
        };
        // There is room now.
        let _ = self.walls.push_back(wall);
    }

    /// Drops the walls that are confirmed, given the number of walls that have confirmed the pose.
    pub(super) fn confirm(&mut self, fixes: u8) {
        while let Some(oldest) = self.walls.front()
            && fixes.wrapping_sub(oldest.fixes) >= CONFIRMING_FIXES
        {
            self.walls.pop_front();
        }
    }

    /// Removes the newest wall, to be set back to what it was.
    pub(super) fn take_newest(&mut self) -> Option<LearnedWall> {
        self.walls.pop_back()
    }

    /// The walls, oldest first.
    pub(super) fn walls(&self) -> impl Iterator<Item = (Cell, Side)> {
        self.walls.iter().map(|wall| (wall.cell, wall.side))
    }

    pub(super) fn clear(&mut self) {
        self.walls.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: Cell = Cell::new(3, 4);

    #[test]
    fn two_ends_of_walls_confirm_what_was_sensed_before_them() {
        let mut walls = UnconfirmedWalls::default();
        // The count wraps.
        walls.push(CELL, Side::North, Occupancy::Unknown, 254);
        walls.push(CELL, Side::East, Occupancy::Free, 255);
        walls.confirm(255);
        assert_eq!(walls.walls().count(), 2);
        walls.confirm(0);
        assert!(walls.walls().eq([(CELL, Side::East)]));
        walls.confirm(1);
        assert_eq!(walls.walls().count(), 0);
    }

    #[test]
    fn walls_are_taken_back_from_the_newest_on() {
        let mut walls = UnconfirmedWalls::default();
        walls.push(CELL, Side::North, Occupancy::Unknown, 0);
        walls.push(CELL, Side::North, Occupancy::Free, 0);
        let before = core::iter::from_fn(|| walls.take_newest()).map(|wall| wall.before);
        assert!(before.eq([Occupancy::Free, Occupancy::Unknown]));
    }

    #[test]
    fn a_full_list_drops_the_oldest() {
        let mut walls = UnconfirmedWalls::default();
        for x in 0..=UNCONFIRMED_WALLS as u16 {
            walls.push(Cell::new(x, 0), Side::North, Occupancy::Unknown, 0);
        }
        assert_eq!(walls.walls().count(), UNCONFIRMED_WALLS);
        assert_eq!(walls.walls().next(), Some((Cell::new(1, 0), Side::North)));
    }
}
