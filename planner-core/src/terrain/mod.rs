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
    map::{Occupancy, Trend},
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
    /// A vertex that changed; all others that did are its neighbours.
    #[must_use]
    pub fn vertex(self) -> usize {
        match self {
            Self::Closed(vertex)
            | Self::Opened(vertex)
            | Self::Weighed(vertex, _)
            | Self::Edge(vertex, ..) => vertex,
        }
    }

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

    /// Whether a closed vertex also bars moves between others, past its corners.
    const CORNERS: bool;

    /// The numbering of cells.
    fn grid(&self) -> &Grid;

    /// The moves from a vertex that no wall and no corner bars.
    fn moves(&self, from: usize) -> MoveSet;

    /// Whether a vertex may be entered, as far as is known.
    fn is_open(&self, vertex: usize) -> bool;

    /// The cost of making move `m` into vertex `into`.
    fn cost(&self, m: usize, into: usize) -> usize;

    /// A consistent lower bound of the cost of the way between cells `dx` columns and `dy` rows apart.
    fn estimate(&self, dx: usize, dy: usize) -> usize;

    /// The bound after move `m` from a cell `away` columns and rows off, whose bound is `before`.
    #[inline(always)]
    fn estimate_beside(&self, _before: usize, away: (isize, isize), m: usize) -> usize {
        let (dx, dy) = step_offset(away, m);
        self.estimate(dx.unsigned_abs(), dy.unsigned_abs())
    }

    /// An upper bound of the cost of any shortest path.
    fn longest(&self) -> usize;

    /// What is known of a vertex.
    fn fact(&self, vertex: usize) -> Occupancy;

    /// Whether move `m` from a vertex is known to be possible, or not to be.
    fn has_seen(&self, from: usize, m: usize) -> bool;

    /// Takes in what was seen and says what that changes, if anything.
    ///
    /// # Errors
    /// The observation is outside the map or of a kind this terrain does not have.
    fn observe(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError>;
}

/// The terrain's estimate of the cost of the way between two cells.
#[inline(always)]
pub(crate) fn estimate(terrain: &impl Terrain, a: Cell, b: Cell) -> usize {
    terrain.estimate(a.x.abs_diff(b.x).into(), a.y.abs_diff(b.y).into())
}

/// What is known of a cell; outside everything is blocked.
pub(crate) fn fact_at(terrain: &impl Terrain, cell: Cell) -> Occupancy {
    match terrain.grid().vertex(cell) {
        Ok(vertex) => terrain.fact(vertex),
        Err(_) => Occupancy::Blocked,
    }
}

/// The move that undoes move `m`.
#[inline(always)]
#[must_use]
pub(crate) const fn opposite(m: usize) -> usize {
    m ^ 2
}

/// Columns that each move crosses; tables, because a jump per move is mispredicted half of the time.
const DX: [i8; 8] = [0, -1, 0, 1, -1, -1, 1, 1];
/// Rows that each move crosses.
const DY: [i8; 8] = [1, 0, -1, 0, 1, -1, -1, 1];

/// The vertex that move `m` leads to. It may be out of range or a border's; both are never open.
#[inline(always)]
pub(crate) fn step(grid: &Grid, from: usize, m: usize) -> usize {
    let (columns, rows) = step_offset((0, 0), m);
    from.wrapping_add_signed(rows.wrapping_mul(grid.stride() as isize))
        .wrapping_add_signed(columns)
}

/// The offset from some cell after move `m`.
#[inline(always)]
pub(crate) fn step_offset((dx, dy): (isize, isize), m: usize) -> (isize, isize) {
    (
        dx.wrapping_add(DX[m & 7].into()),
        dy.wrapping_add(DY[m & 7].into()),
    )
}

/// The move that leads from a cell to one beside it.
pub(crate) fn step_move(from: Cell, to: Cell) -> Option<usize> {
    (0..8).find(|&m| step_cell(from, m) == to)
}

/// The cell that move `m` leads to; only meaningful when it is on the grid.
#[inline(always)]
pub(crate) fn step_cell(from: Cell, m: usize) -> Cell {
    Cell::new(
        from.x.wrapping_add_signed(DX[m & 7].into()),
        from.y.wrapping_add_signed(DY[m & 7].into()),
    )
}
