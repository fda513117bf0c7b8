//! Real-time heuristic search: bounded searches around the robot.
//!
//! ```text
//!  Learned ----h----> look-ahead -----> update ------> path -------> the robot's move
//!     ^               expands cells     Dijkstra       to the best
//!     |               around the robot     |           frontier cell
//!     +-------------- new values ----------+
//! ```
//!
//! | search | looks ahead by | learns the values of | between ticks it keeps |
//! |---|---|---|---|
//! | [`Tba`] | A* with a weighted heuristic | all cells that it expanded, when its table is full | the search tree |
//! | [`LssLrta`] | A* or breadth first | all cells that it expanded | its path, or nothing |
//! | [`Lrta`] | A* or breadth first | the robot's cell | nothing |
//!
//! [`LocalPlanner`] makes a planner of one. LRTA* and LSS-LRTA* are those of Koenig (2004) and of the local searches
//! in Bond et al. (2010).
//!
//! # The bound
//!
//! One call of [`LocalSearch::step`] of LRTA* or LSS-LRTA* with a limit of `L` expansions, on a graph with `M` moves,
//! does at most
//!
//! | work | at most |
//! |---|---|
//! | expansions | `L` |
//! | operations on the OPEN list, in the look-ahead and in the update | `2 L (M + 1) + 1` |
//! | entries in the OPEN list | [`entries`]`(L, M)` |
//!
//! The look-ahead inserts the robot's cell, reaches `M` cells per expansion and removes `L`. In the update each
//! of those `L` is reached at most `M` times and removed once. No term depends on the size of the map. A new
//! goal takes constant time, see [`Learned`].
//!
//! Memory is that of the generated cells, and one learned value per cell of the map or, beside a global search, a table
//! of fixed size: [`Hashed`].

mod hashed;
mod learned;
mod lookahead;
mod lss_lrta;
mod open;
mod order;
mod path;
mod planner;
mod space;
mod steps;
mod tba;
mod update;
mod values;

pub use hashed::{Hashed, HashedValues};
pub use learned::Learned;
pub use lookahead::LookAhead;
pub use lss_lrta::{LocalConfig, Lrta, LssLrta};
pub use order::SuccessorOrder;
pub use path::Follow;
pub use planner::LocalPlanner;
pub use tba::Tba;
pub use values::{LearnedStorage, LearnedValues};

use crate::{
    BuildError, Cell, Goals,
    graph::{Graph, GraphChange},
    planner::{Budget, Decision, Work},
};

/// Exact distances to the goal, as far as a global search knows them; `()` knows none.
pub trait Distances {
    /// Returns the cost of a shortest path from a vertex to the nearest goal, if it is known for certain.
    fn distance(&self, vertex: usize) -> Option<usize>;
}

impl Distances for () {
    fn distance(&self, _vertex: usize) -> Option<usize> {
        None
    }
}

/// The problem that a local search is given in each step.
#[derive(Debug)]
pub struct Problem<'a, G, D = ()> {
    /// The world as far as it is known.
    pub graph: G,
    /// The robot's vertex.
    pub robot: usize,
    /// The robot's cell.
    pub at: Cell,
    /// The robot is to go to the nearest of these.
    pub goals: &'a Goals,
    /// Distances that need not be searched.
    pub distances: D,
}

/// A search around the robot that returns its next move.
///
/// ```
/// use planner_core::graph::Graph;
/// use planner_core::local::{Distances, LocalSearch, Problem};
/// use planner_core::{BuildError, Budget, Decision, Side, Work};
///
/// /// Goes south as long as it can.
/// struct South;
///
/// impl LocalSearch for South {
///     fn begin(&mut self, _graph: &impl Graph) -> Result<(), BuildError> {
///         Ok(())
///     }
///     fn step<G: Graph, D: Distances>(
///         &mut self,
///         problem: &Problem<'_, G, D>,
///         _budget: Budget,
///         work: &mut Work,
///     ) -> Decision {
///         work.expansions += 1;
///         let graph = &problem.graph;
///         let can_enter = |cell| graph.grid().vertex(cell).is_ok_and(|v| graph.is_passable(v));
///         match problem.at.neighbor(Side::South) {
///             Some(south) if can_enter(south) => Decision::Step(south),
///             _ => Decision::Unreachable,
///         }
///     }
/// }
/// ```
pub trait LocalSearch {
    /// True if no value that was learned is ever lost for want of room. Otherwise the robot may go round for ever
    /// without a global search.
    const KEEPS_ALL: bool = true;

    /// Begins on a graph with nothing learned. Takes time in proportion to the map.
    ///
    /// # Errors
    /// The graph does not fit the capacity or the width.
    fn begin(&mut self, graph: &impl Graph) -> Result<(), BuildError>;

    /// Returns the next step of the robot. Its work is within `budget` and added to `work`. Without a budget the
    /// robot can only follow a path that was found before.
    ///
    /// [`Decision::Unreachable`] means that the robot's cell is blocked, or that all that can be reached was
    /// searched and the goal is not there. It is never called at a goal.
    fn step<G: Graph, D: Distances>(
        &mut self,
        problem: &Problem<'_, G, D>,
        budget: Budget,
        work: &mut Work,
    ) -> Decision;

    /// Forgets what was learned, for a new goal. Takes constant time. A search that keeps nothing from one step
    /// to the next needs neither this nor the next two.
    fn forget(&mut self) {}

    /// Takes in a change of the graph. Takes constant time.
    fn update(&mut self, _graph: &impl Graph, _change: GraphChange) {}

    /// Does bounded housekeeping, once a tick.
    fn upkeep(&mut self) {}
}

/// Read access to what a local search has learned.
pub trait Learning {
    /// Returns the learned h-value of a vertex; `None` where the graph's heuristic holds.
    fn learned(&self, vertex: usize) -> Option<usize>;

    /// Returns the state of a vertex in the last look-ahead; `None` if it was not generated.
    fn generated(&self, _vertex: usize) -> Option<Generated> {
        None
    }
}

/// A vertex that a look-ahead has generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Cost of the path from where the search began.
    pub g: usize,
    /// Heuristic value, or its part of the key where that is weighted; of an expanded vertex, the learned value.
    pub h: usize,
    /// True if it was expanded.
    pub is_closed: bool,
    /// The robot's move from there, if it is on the path that was chosen.
    pub next: Option<usize>,
}

/// Entries that a search needs for a look-ahead of so many `expansions` with so many `moves`. With fewer it
/// expands fewer cells.
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
