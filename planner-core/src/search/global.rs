//! A search from the goal that can be interrupted at any point and goes on where it was.

use crate::{
    Cell, Goals, GoalsError, ObserveError, OffMap,
    planner::{Budget, Decision, Observation, Work},
    terrain::{Change, Terrain},
};

/// How far a global search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The budget ran out first.
    Searching,
    /// The way from the robot to the goal is known and begins with this cell.
    Path(Cell),
    /// There is no way from the robot to the goal.
    NoPath,
}

/// What a robot does that has no other search.
impl From<Progress> for Decision {
    fn from(progress: Progress) -> Self {
        match progress {
            Progress::Searching => Self::Wait,
            Progress::Path(next) => Self::Step(next),
            Progress::NoPath => Self::Unreachable,
        }
    }
}

/// What Real-Time D* needs of a search that it gives a share of every tick.
///
/// The map is told of a change at once; the search learns of it when it is [reconciled], which may
/// be later. Until all changes are, its answers do not count.
///
/// [reconciled]: GlobalSearch::reconcile
pub trait GlobalSearch {
    /// The terrain it searches.
    type Terrain: Terrain;

    /// What the robot knows of the world.
    fn terrain(&self) -> &Self::Terrain;

    /// Tells the map, and not yet the search, what was seen.
    ///
    /// # Errors
    /// The observation is outside the map or of a kind the terrain does not have.
    fn note(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError>;

    /// Brings the search up to date with the map at a vertex and its neighbours.
    fn reconcile(&mut self, vertex: usize);

    /// Brings the search up to date with a change of the map, perhaps cheaper because it knows which.
    /// The map may have changed again since; then another call for that change will follow.
    fn apply(&mut self, change: Change) {
        self.reconcile(change.vertex());
    }

    /// Like [`GlobalSearch::reconcile`], but may leave out neighbours that will be refreshed too.
    fn refresh(&mut self, vertex: usize);

    /// Tells where the robot is.
    ///
    /// # Errors
    /// The cell is outside the map; the robot is where it was.
    fn move_to(&mut self, at: Cell) -> Result<(), OffMap>;

    /// Searches as far as the budget goes and adds what it does to `work`.
    fn advance(&mut self, budget: Budget, work: &mut Work) -> Progress;

    /// Searches for the nearest of other goals from now on.
    ///
    /// # Errors
    /// There are none or too many, or one is outside the map; the old ones stay.
    fn change_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError>;

    /// Where the robot is to go.
    fn goals(&self) -> &Goals;
}
