//! Searches over the whole map: from the robot or from the goal, from scratch or incrementally.
//!
//! | search | direction | keeps |
//! |---|---|---|
//! | [`RepeatedAStar`]`<`[`Forward`]`>` | from the robot, whenever its path is blocked | nothing |
//! | [`RepeatedAStar`]`<`[`Backward`]`>` | from the goal, whenever its path is blocked | nothing |
//! | [`RepeatedAStar`]`<`[`Adaptive`]`>` | from the robot | better heuristics |
//! | [`DStarLite`] | from the goal, only what changed | the search itself |
//! | [`AnytimeDStar`] | the same, first with an inflated heuristic, then exact | the search itself |
//! | [`TurnAware`] | from the goal, over cells and headings | nothing |
//! | [`RunSearch`] | from the goal, over straights and turns, for the path of least time | nothing |
//!
//! A search owns its memory and is lent the map in each call. [`Navigator`](crate::Navigator) bundles the two.

mod anytime;
mod astar;
mod dstar_lite;
mod global;
mod heading;
mod repeated;
mod run;

pub use anytime::{AnytimeDStar, AnytimeNode, Epsilon};
pub use astar::AStarNode;
pub use dstar_lite::{DStarLite, DStarLiteNode, Exact, Inflation, InvariantViolation};
pub use global::{GlobalSearch, Progress};
pub use heading::{StateNode, TurnAware, TurnCosts};
pub use repeated::{Adaptive, Backward, Forward, RepeatedAStar, Strategy};
pub use run::{
    RunLimits, RunPosition, RunProgress, RunSearch, RunStep, RunTimes, RunTimesError, UnknownAs,
};

use crate::{
    BuildError, Cell, GoalsError, OffMap, Side,
    graph::Graph,
    map::{Change, Map},
    planner::{Budget, Decision, Stats},
    queue::{Keys, Linked, Queue, Rank},
    storage::Nodes,
    width::{Width, Word, infinity},
};

/// A search that plans on a map it is lent. Every call must be made with the same map.
pub trait Search {
    /// Begins on a map, for a robot at `start` that is to go to the nearest of `goals`. Takes time in
    /// proportion to the capacity. To be called first, and again when the map was resized.
    ///
    /// # Errors
    /// The map does not fit the capacity or the width of ids and costs, or a cell is outside. The search is
    /// then unusable until it begins again.
    fn begin<M: Map>(&mut self, map: &M, start: Cell, goals: &[Cell]) -> Result<(), BuildError>;

    /// Takes in a change of the map; `true` if it matters to this search.
    fn update<M: Map>(&mut self, map: &M, change: Change) -> bool;

    /// Plans for a robot that stands `at` a cell, within `budget`.
    ///
    /// # Errors
    /// `at` is outside the map.
    fn tick<M: Map>(&mut self, map: &M, at: Cell, budget: Budget) -> Result<Decision, OffMap>;

    /// Sends the robot to the nearest of several cells.
    ///
    /// # Errors
    /// There are none or too many, or one is outside the map; the old goals stay.
    fn set_goals<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError>;

    /// Prefers, among steps that are equally good, the one across a side. A search may ignore it.
    fn prefer(&mut self, _side: Side) {}

    /// Returns the statistics.
    fn stats(&self) -> &Stats;
}

/// Checks that a graph fits the width and that there is a node for each vertex and bucket head; returns the
/// number of vertices.
pub(crate) fn check_fit<W: Width>(
    graph: &impl Graph,
    heads: usize,
    nodes: usize,
) -> Result<usize, BuildError> {
    let vertices = graph.grid().vertices();
    check_size::<W>(vertices, graph.max_path_cost(), heads, nodes)
}

/// The same for so many vertices between which a path costs at most `max_path_cost`.
pub(crate) fn check_size<W: Width>(
    vertices: usize,
    max_path_cost: usize,
    heads: usize,
    nodes: usize,
) -> Result<usize, BuildError> {
    let slots = vertices.saturating_add(heads);
    let limit = <W::Id as Word>::MAX;
    if slots > limit {
        return Err(BuildError::TooManyCells { slots, limit });
    }
    let limit = infinity::<W>() - 1;
    // Keys are twice the sum of three costs and are compared on a circle of machine words.
    if max_path_cost > limit || max_path_cost > usize::MAX / 16 {
        return Err(BuildError::TooCostly {
            longest: max_path_cost,
            limit,
        });
    }
    if nodes < slots {
        return Err(BuildError::TooLittleMemory {
            needed: slots,
            given: nodes,
        });
    }
    Ok(vertices)
}

/// The key of an entry that is not under-consistent.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn key<Q: Keys>(f: usize, g: usize) -> Q::Key {
    let under = false;
    Q::key(Rank { f, g, under })
}

/// Empties a queue for so many vertices, and checks that it can hold an entry for each.
pub(crate) fn clear_queue<W: Width, Q: Queue<W>, N: Nodes<Node: Linked<Q::Link>> + ?Sized>(
    queue: &mut Q,
    nodes: &mut N,
    vertices: usize,
) -> Result<(), BuildError> {
    let (needed, given) = (vertices, queue.clear(nodes, vertices));
    if given < needed {
        return Err(BuildError::TooLittleMemory { needed, given });
    }
    Ok(())
}
