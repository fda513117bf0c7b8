//! Edges that were sensed free ahead, until the robot has crossed them.
//!
//! A front receiver that is blinded sees nothing, and that looks like a free edge. A robot that has crossed the edge,
//! and has seen ends of walls where they should be afterwards, knows better.

use embassy_time::Instant;
use heapless::Deque;
use planner_core::{Cell, Side, map::Occupancy};

use super::is_same_edge;
use crate::config::{CONFIRMING_FIXES, EDGES_AHEAD, EDGES_AHEAD_LIFETIME};

/// Edge that was sensed free ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EdgeAhead {
    pub(super) cell: Cell,
    pub(super) side: Side,
    /// What was known of it before.
    pub(super) before: Occupancy,
    /// When it was sensed, in milliseconds, wrapping.
    since_ms: u32,
    /// Number of walls that had confirmed the pose when the robot took itself to cross it.
    crossed: Option<u8>,
}

impl EdgeAhead {
    /// Returns whether it is the edge to a side of a cell.
    fn is(&self, cell: Cell, side: Side) -> bool {
        is_same_edge((self.cell, self.side), (cell, side))
    }
}

fn milliseconds(at: Instant) -> u32 {
    at.as_millis() as u32
}

/// Edges in the order in which they were sensed.
#[derive(Debug, Default)]
pub(super) struct EdgesAhead {
    edges: Deque<EdgeAhead, EDGES_AHEAD>,
}

impl EdgesAhead {
    /// Remembers an edge. With a full list the oldest one is taken to be free.
    pub(super) fn push(&mut self, cell: Cell, side: Side, before: Occupancy, now: Instant) {
        if self.edges.is_full() {
            self.edges.pop_front();
        }
        let edge = EdgeAhead {
            cell,
            side,
            before,
            since_ms: milliseconds(now),
            crossed: None,
        };
        // There is room now.
        let _ = self.edges.push_back(edge);
    }

    /// Notes that the robot takes itself to cross the edge to a side of a cell, given the number of walls that have
    /// confirmed the pose.
    pub(super) fn cross(&mut self, cell: Cell, side: Side, fixes: u8) {
        for edge in self.edges.iter_mut().filter(|edge| edge.is(cell, side)) {
            edge.crossed.get_or_insert(fixes);
        }
    }

    /// Drops the edges that the robot has crossed, and those that nothing has put in doubt for
    /// [`EDGES_AHEAD_LIFETIME`].
    pub(super) fn confirm(&mut self, fixes: u8, now: Instant) {
        for _ in 0..self.edges.len() {
            let Some(edge) = self.edges.pop_front() else {
                return;
            };
            let is_confirmed = match edge.crossed {
                Some(crossed) => fixes.wrapping_sub(crossed) >= CONFIRMING_FIXES,
                None => {
                    let age = milliseconds(now).wrapping_sub(edge.since_ms);
                    u64::from(age) >= EDGES_AHEAD_LIFETIME.as_millis()
                }
            };
            if !is_confirmed {
                // It was in the list before.
                let _ = self.edges.push_back(edge);
            }
        }
    }

    /// Removes the newest edge, to be set back to what it was.
    pub(super) fn take_newest(&mut self) -> Option<EdgeAhead> {
        self.edges.pop_back()
    }

    /// The edges, oldest first.
    pub(super) fn edges(&self) -> impl Iterator<Item = (Cell, Side)> {
        self.edges.iter().map(|edge| (edge.cell, edge.side))
    }

    pub(super) fn clear(&mut self) {
        self.edges.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: Cell = Cell::new(3, 4);
    const UNKNOWN: Occupancy = Occupancy::Unknown;
    const START: Instant = Instant::from_secs(1);

    fn edges() -> EdgesAhead {
        let mut edges = EdgesAhead::default();
        edges.push(CELL, Side::North, UNKNOWN, START);
        edges
    }

    #[test]
    fn two_ends_of_walls_beyond_an_edge_confirm_it() {
        let mut edges = edges();
        // From the other side, and the count wraps.
        edges.cross(Cell::new(3, 3), Side::South, 255);
        edges.cross(CELL, Side::North, 0);
        edges.confirm(0, START);
        assert_eq!(edges.edges().count(), 1);
        edges.confirm(1, START);
        assert_eq!(edges.edges().count(), 0);
    }

    #[test]
    fn ends_of_walls_confirm_no_edge_that_was_not_crossed() {
        let mut edges = edges();
        edges.cross(CELL, Side::East, 0);
        edges.confirm(100, START);
        assert!(edges.edges().eq([(CELL, Side::North)]));
        edges.confirm(100, START + EDGES_AHEAD_LIFETIME);
        assert_eq!(edges.edges().count(), 0);
    }

    #[test]
    fn edges_are_taken_back_from_the_newest_on_and_a_full_list_drops_the_oldest() {
        let mut edges = edges();
        for x in 0..EDGES_AHEAD as u16 {
            edges.push(Cell::new(x, 0), Side::East, Occupancy::Blocked, START);
        }
        assert_eq!(edges.edges().count(), EDGES_AHEAD);
        let newest = edges.take_newest().unwrap();
        assert_eq!(
            (newest.cell.x, newest.before),
            (EDGES_AHEAD as u16 - 1, Occupancy::Blocked)
        );
        assert_eq!(edges.edges().next(), Some((Cell::new(0, 0), Side::East)));
    }
}
