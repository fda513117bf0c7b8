//! What a step is and what it costs.
//!
//! | terrain | moves | blocked are |
//! |---|---|---|
//! | [`Cells`]`<`[`Four`]`>` | 4 | cells |
//! | [`Cells`]`<`[`Eight`]`>` | 8, integer octile costs, a [corner rule](CornerRule) | cells |
//! | [`Walls`] | 4 | edges between cells |
//!
//! A terrain owns the [map](crate::map) of what is known, numbers the cells as *vertices* and tells a
//! search which moves leave a vertex, where they lead and what they cost. Moves are symmetric: one
//! that leads from `a` to `b` can be undone. What it costs to enter a cell may differ from cell to
//! cell and may rise and fall.

mod cells;
mod costs;
mod grid;
mod heuristic;
mod moves;
mod walls;

pub use cells::Cells;
pub use costs::{Costs, Uniform, Weights};
pub use grid::Grid;
pub use heuristic::{ForEight, ForFour, Heuristic, Manhattan, MaxNorm, Octile, Zero};
pub use moves::{
    Coarse, CornerRule, CutCorners, Eight, Fine, Four, Moves, NeverCut, OneOpen, Scale,
};
pub use walls::Walls;

use crate::{
    Cell, ObserveError,
    map::{Fact, Trend},
    planner::Observation,
};

/// A change of the world as a search sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A vertex can no longer be entered, and with a corner rule diagonals around it are barred.
    Closed(usize),
    /// A vertex can be entered again.
    Opened(usize),
    /// The cost of entering a vertex changed.
    Weighed(usize, Trend),
    /// The moves between two vertices changed, both ways.
    Edge(usize, usize, Trend),
}

impl Change {
    /// Whether costs rose or fell.
    #[must_use]
    pub fn trend(self) -> Trend {
        match self {
            Self::Closed(_) => Trend::Rise,
            Self::Opened(_) => Trend::Fall,
            Self::Weighed(_, trend) | Self::Edge(_, _, trend) => trend,
        }
    }
}

/// A set of moves, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveSet(u8);

impl MoveSet {
    /// The moves `0..count`.
    #[inline(always)]
    #[must_use]
    pub const fn all(count: usize) -> Self {
        Self(((1u16 << count) - 1) as u8)
    }

    /// Whether the set holds move `m`.
    #[inline(always)]
    #[must_use]
    pub const fn contains(self, m: usize) -> bool {
        self.0 >> m & 1 != 0
    }

    /// Takes move `m` out of the set unless `keep`.
    #[inline(always)]
    #[must_use]
    const fn keep_if(self, m: usize, keep: bool) -> Self {
        Self(self.0 & !((!keep as u8) << m))
    }
}

/// The graph a search runs on.
///
/// A move is possible when it is in [`Terrain::moves`] *and* the vertex it leads to is
/// [open](Terrain::is_open). The two are apart because D* Lite marks closed vertices in its own nodes
/// and never needs to ask for them.
pub trait Terrain {
    /// Moves are numbered `0..MOVES`: south, west, north, east, then the diagonals south-west,
    /// north-west, north-east and south-east.
    const MOVES: usize;

    /// The numbering of cells.
    fn grid(&self) -> &Grid;

    /// The moves from a vertex that no wall and no corner bars.
    fn moves(&self, from: usize) -> MoveSet;

    /// Whether a vertex may be entered, as far as is known.
    fn is_open(&self, vertex: usize) -> bool;

    /// The cost of making move `m` into vertex `into`.
    fn cost(&self, m: usize, into: usize) -> usize;

    /// A consistent lower bound of the cost of the way between two cells, the same both ways.
    fn estimate(&self, a: Cell, b: Cell) -> usize;

    /// An upper bound of the cost of any shortest path.
    fn longest(&self) -> usize;

    /// What is known of a vertex.
    fn fact(&self, vertex: usize) -> Fact;

    /// Takes in what was seen and says what that changes, if anything.
    ///
    /// # Errors
    /// The observation is outside the map or of a kind this terrain does not have.
    fn observe(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError>;
}

/// The move that undoes move `m`.
#[inline(always)]
#[must_use]
pub(crate) const fn opposite(m: usize) -> usize {
    m ^ 2
}

/// The vertex that move `m` leads to. It may be out of range or a border's; both are never open.
#[inline(always)]
pub(crate) fn step(grid: &Grid, from: usize, m: usize) -> usize {
    let stride = grid.stride();
    from.wrapping_add(match m {
        0 => stride,
        1 => 1usize.wrapping_neg(),
        2 => stride.wrapping_neg(),
        3 => 1,
        4 => stride.wrapping_sub(1),
        5 => stride.wrapping_neg().wrapping_sub(1),
        6 => 1usize.wrapping_sub(stride),
        _ => stride.wrapping_add(1),
    })
}

/// The cell that move `m` leads to; only meaningful when it is on the grid.
#[inline(always)]
pub(crate) fn step_cell(from: Cell, m: usize) -> Cell {
    let x = match m {
        1 | 4 | 5 => from.x.wrapping_sub(1),
        3 | 6 | 7 => from.x.wrapping_add(1),
        _ => from.x,
    };
    let y = match m {
        0 | 4 | 7 => from.y.wrapping_add(1),
        2 | 5 | 6 => from.y.wrapping_sub(1),
        _ => from.y,
    };
    Cell::new(x, y)
}
