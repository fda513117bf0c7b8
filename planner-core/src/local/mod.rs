//! Searches around the robot, bounded: real-time heuristic search.
//!
//! ```text
//!  Learned ----h----> look-ahead -----> update ------> path -------> the robot's move
//!     ^               expands cells     Dijkstra       to the best
//!     |               around the robot     |           cell at the border
//!     +-------------- new values ----------+
//! ```
//!
//! | search | looks ahead by | keeps the values of |
//! |---|---|---|
//! | [`LssLrta`] | A* or breadth first | all cells that it expanded |
//! | [`Lrta`] | A* or breadth first | the robot's cell |
//!
//! An [`Agent`] makes a planner of one. The algorithms are those of 003 (Koenig, "A Comparison of Fast
//! Search Methods for Real-Time Situated Agents") and of the local searches in 001 (Bond et al.,
//! "Real-Time Search in Dynamic Worlds").
//!
//! # The bound
//!
//! One call of [`LocalSearch::step`] with a limit of `L` expansions, on a terrain with `M` moves, does
//! at most
//!
//! | what | at most |
//! |---|---|
//! | expansions | `L` |
//! | operations on the open list, in the look-ahead and in the update | `2 L (M + 1) + 1` |
//! | entries in the open list | [`entries`]`(L, M)` |
//!
//! The look-ahead inserts the robot's cell, reaches `M` cells per expansion and removes `L`. In the
//! update each of those `L` is reached at most `M` times and removed once. No term depends on the size
//! of the map. A new goal takes constant time, see [`Learned`].
//!
//! Memory is that of the generated cells, and one learned value per cell of the map.

mod agent;
mod episode;
mod inspect;
mod learned;
mod lookahead;
mod lrta;
mod lss_lrta;
mod open;
mod order;
mod path;
mod space;
mod steps;
mod update;

pub use agent::Agent;
pub use learned::Learned;
pub use lookahead::LookAhead;
pub use lrta::Lrta;
pub use lss_lrta::LssLrta;
pub use order::SuccessorOrder;
pub use path::Follow;

use crate::{Cell, Goals, planner::Work, terrain::Terrain};

/// A search around the robot that answers with its next move.
///
/// ```
/// use planner_core::local::LocalSearch;
/// use planner_core::{Cell, Goals, Work, terrain::Terrain};
///
/// /// Goes south as long as it can.
/// struct South;
///
/// impl<T: Terrain> LocalSearch<T> for South {
///     fn step(
///         &mut self,
///         terrain: &T,
///         at: (usize, Cell),
///         _goals: &Goals,
///         _limit: u32,
///         work: &mut Work,
///     ) -> Option<Cell> {
///         work.expansions += 1;
///         let south = Cell::new(at.1.x, at.1.y + 1);
///         let vertex = terrain.grid().vertex(south).ok()?;
///         (terrain.moves(at.0).contains(0) && terrain.is_open(vertex)).then_some(south)
///     }
///     fn forget(&mut self) {}
///     fn world_changed(&mut self) {}
///     fn upkeep(&mut self) {}
/// }
/// ```
pub trait LocalSearch<T: Terrain> {
    /// One decision for a robot that stands `at` a vertex and cell and is to go to the nearest of
    /// `goals`: the cell to move to. Expands at most `limit` cells, or fewer when the search has no room
    /// for more, and adds to `work` what it did. With a limit of zero the robot can only follow a path
    /// that was found before.
    ///
    /// With a limit of one or more, `None` means that there is no path: the robot's cell is blocked, or
    /// all that can be reached was searched and the goal is not there. At the goal there is no move
    /// either.
    fn step(
        &mut self,
        terrain: &T,
        at: (usize, Cell),
        goals: &Goals,
        limit: u32,
        work: &mut Work,
    ) -> Option<Cell>;

    /// The goal has changed: what was learned is void. Takes constant time.
    fn forget(&mut self);

    /// The world has changed: a path found before may be blocked. Takes constant time.
    fn world_changed(&mut self);

    /// Bounded housekeeping, once a tick.
    fn upkeep(&mut self);
}

/// A look into what a local search has learned.
pub trait Learning {
    /// The learned h-value of a vertex; `None` when the terrain's estimate holds.
    fn learned(&self, vertex: usize) -> Option<usize>;

    /// What the last look-ahead made of a vertex; `None` when it did not come by.
    fn generated(&self, _vertex: usize) -> Option<Generated> {
        None
    }
}

/// A vertex that a look-ahead has generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The cost of the way from the robot.
    pub g: usize,
    /// The h-value that the look-ahead went by; of an expanded vertex, the one that it learned.
    pub h: usize,
    /// Whether it was expanded.
    pub is_closed: bool,
    /// The robot's move from there, if it is on the path that was chosen.
    pub next: Option<usize>,
}

/// The entries that a search needs for a look-ahead of so many `expansions` with so many `moves`.
/// With fewer it expands fewer cells.
///
/// ```
/// use planner_core::local::entries;
///
/// assert_eq!(entries(64, 4), 195);
/// assert_eq!(entries(64, 8), 327);
/// ```
#[must_use]
pub const fn entries(expansions: usize, moves: usize) -> usize {
    // An expansion reaches at most 3 new cells of 4, or 5 of 8: the others are next to the cell it was
    // reached from. The robot's reaches all, and for the last one there must seem to be room for all.
    (moves / 2 + 1)
        .saturating_mul(expansions)
        .saturating_add(moves)
        .saturating_sub(1)
}
