//! A tree of subgoals, wherever it is kept.

use crate::{
    BuildError, Cell,
    graph::{Graph, Trend},
    planner::{Budget, Work},
};

/// One subgoal of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Subgoal {
    /// Its cell.
    pub cell: Cell,
    /// The number of the one to pursue next, smaller than its own; `None` for the goal.
    pub parent: Option<usize>,
}

/// The subgoal of a cell: the paper's `Sub`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Sub {
    /// The next subgoal on the path from the cell to the goal, or the cell itself if it is one.
    Of(usize),
    /// There is no path from the cell to the goal.
    NoPath,
    /// The tree has not grown as far, or it does not keep `Sub` of cells.
    Unknown,
}

/// A tree of subgoals, numbered from the root: 0 is the goal, and every other one has a larger number
/// than its parent.
///
/// ```
/// use planner_core::Cell;
/// use planner_core::subgoal::{Sub, Subgoal, Tree};
///
/// /// A goal behind one corner.
/// struct Corner;
///
/// impl Tree for Corner {
///     fn len(&self) -> usize {
///         2
///     }
///     fn subgoal(&self, number: usize) -> Option<Subgoal> {
///         match number {
///             0 => Some(Subgoal { cell: Cell::new(9, 9), parent: None }),
///             1 => Some(Subgoal { cell: Cell::new(4, 0), parent: Some(0) }),
///             _ => None,
///         }
///     }
///     fn find(&self, cell: Cell) -> Option<usize> {
///         (0..2).find(|&n| self.subgoal(n).is_some_and(|s| s.cell == cell))
///     }
///     fn sub(&self, _cell: Cell) -> Sub {
///         Sub::Unknown
///     }
/// }
/// assert_eq!(Corner.find(Cell::new(4, 0)), Some(1));
/// ```
#[expect(clippy::len_without_is_empty, reason = "none is ever asked for")]
pub trait Tree {
    /// Returns the number of subgoals, the goal included.
    fn len(&self) -> usize;

    /// The subgoal with this number.
    fn subgoal(&self, number: usize) -> Option<Subgoal>;

    /// The number of the subgoal at a cell.
    fn find(&self, cell: Cell) -> Option<usize>;

    /// The subgoal of a cell.
    fn sub(&self, cell: Cell) -> Sub;
}

/// The state of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Growth {
    /// The tree is incomplete.
    Growing,
    /// The tree is complete.
    Done,
}

/// A source of trees: grown here, or read.
pub trait Source: Tree {
    /// Begins on a graph. Takes time in proportion to the map.
    ///
    /// # Errors
    /// The graph does not fit the capacity or the width.
    fn begin(&mut self, graph: &impl Graph) -> Result<(), BuildError>;

    /// Begins on a graph, or keeps the tree if it has begun on this one: for a tree that is lent to one search
    /// after another.
    ///
    /// # Errors
    /// As for [`Source::begin`].
    fn resume(&mut self, graph: &impl Graph) -> Result<(), BuildError> {
        self.begin(graph)
    }

    /// Switches to the tree for another goal, in constant time; until that is there it may be empty.
    fn change_goal(&mut self, goal: Cell);

    /// Takes note of a change of the map by which costs rose or fell. Takes constant time.
    fn world_changed(&mut self, trend: Trend);

    /// Grows the tree as far as the budget goes and adds its work to `work`.
    fn advance<G: Graph>(&mut self, graph: &G, budget: Budget, work: &mut Work) -> Growth;
}

impl<S: Tree + ?Sized> Tree for &mut S {
    fn len(&self) -> usize {
        (**self).len()
    }

    fn subgoal(&self, number: usize) -> Option<Subgoal> {
        (**self).subgoal(number)
    }

    fn find(&self, cell: Cell) -> Option<usize> {
        (**self).find(cell)
    }

    fn sub(&self, cell: Cell) -> Sub {
        (**self).sub(cell)
    }
}

/// A tree that is lent keeps what has grown. The map must be the one that it has grown on.
impl<S: Source> Source for &mut S {
    fn begin(&mut self, graph: &impl Graph) -> Result<(), BuildError> {
        (**self).resume(graph)
    }

    fn change_goal(&mut self, goal: Cell) {
        (**self).change_goal(goal);
    }

    fn world_changed(&mut self, trend: Trend) {
        (**self).world_changed(trend);
    }

    fn advance<G: Graph>(&mut self, graph: &G, budget: Budget, work: &mut Work) -> Growth {
        (**self).advance(graph, budget, work)
    }
}
