//! The contract of a search from the goal that can be interrupted at any point and continues where it was.

use super::Search;
use crate::{
    Cell, Goals, OffMap,
    graph::GraphChange,
    map::{Map, UnknownPolicy},
    planner::{Budget, Decision, Work},
};

/// The state of a global search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The budget ran out first.
    Searching,
    /// The path from the robot to the goal is known and begins with this cell.
    Path(Cell),
    /// There is no path from the robot to the goal.
    NoPath,
}

/// The decision of a robot without another search.
impl From<Progress> for Decision {
    fn from(progress: Progress) -> Self {
        match progress {
            Progress::Searching => Self::Wait,
            Progress::Path(next) => Self::Step(next),
            Progress::NoPath => Self::Unreachable,
        }
    }
}

/// A search that [Real-Time D*](crate::rtd) gives a share of every tick.
///
/// The map changes at once; the search follows when a change is [applied](GlobalSearch::apply), which may be
/// later. Until all changes are, its results do not count.
pub trait GlobalSearch: Search {
    /// Its policy for unknown space.
    type Unknown: UnknownPolicy;

    /// Brings the search up to date with the map at a vertex and its neighbors.
    fn reconcile<M: Map>(&mut self, map: &M, vertex: usize);

    /// Brings the search up to date with a change, perhaps cheaper because it is known which. The map may have
    /// changed again since; then another call for that change follows.
    fn apply<M: Map>(&mut self, map: &M, change: GraphChange) {
        self.reconcile(map, change.vertex());
    }

    /// Like [`GlobalSearch::reconcile`], but may leave out neighbors that will be refreshed too. Returns whether
    /// the vertex was blocked or unblocked; if not, no neighbor was visited.
    fn refresh<M: Map>(&mut self, map: &M, vertex: usize) -> bool;

    /// Takes in a change at once if that is a matter of a few comparisons, because no value of the search depends
    /// on it; otherwise returns `false` and does nothing.
    fn absorb_unrelated<M: Map>(&mut self, _map: &M, _change: GraphChange) -> bool {
        false
    }

    /// Returns the cost of a shortest path from a vertex to the goal, if the search was certain of it when it was
    /// last interrupted.
    fn exact_distance<M: Map>(&self, _map: &M, _vertex: usize) -> Option<usize> {
        None
    }

    /// Sets the cell of the robot.
    ///
    /// # Errors
    /// The cell is outside the map; the robot stays where it was.
    fn move_to<M: Map>(&mut self, map: &M, at: Cell) -> Result<(), OffMap>;

    /// Searches as far as the budget goes and adds its work to `work`.
    fn advance<M: Map>(&mut self, map: &M, budget: Budget, work: &mut Work) -> Progress;

    /// Returns the goals.
    fn goals(&self) -> &Goals;
}
