//! The graph that a search runs on: moves, costs and heuristics, over a view of a map.
//!
//! Cells are numbered as *vertices*. Moves are numbered too, and symmetric: one that leads from `a` to `b` can
//! be undone. The cost of entering a cell may differ from cell to cell and may rise and fall.

mod grid;
mod heuristic;
mod moves;

pub use grid::Grid;
pub(crate) use grid::Rows;
pub use heuristic::{ForEight, ForFour, Heuristic, Manhattan, MaxNorm, Octile, Zero};
pub use moves::{
    Coarse, CornerRule, CutCorners, Eight, Fine, Four, Moves, NeverCut, OnePassable, Scale,
};

use crate::Cell;

/// The direction in which a cost changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Trend {
    /// A cost rose, or became infinite.
    Rise,
    /// A cost fell.
    Fall,
}

/// A change of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphChange {
    /// A vertex can no longer be entered; with a corner rule, diagonals around it are gone too.
    Blocked(usize),
    /// A vertex can be entered again.
    Unblocked(usize),
    /// The cost of entering a vertex changed.
    Weight(usize, Trend),
    /// The edges between two vertices changed, in both directions.
    Edge(usize, usize, Trend),
}

impl GraphChange {
    /// Returns a vertex that changed; all others that did are its neighbors.
    #[must_use]
    pub fn vertex(self) -> usize {
        match self {
            Self::Blocked(vertex)
            | Self::Unblocked(vertex)
            | Self::Weight(vertex, _)
            | Self::Edge(vertex, ..) => vertex,
        }
    }

    /// Returns whether costs rose or fell.
    #[must_use]
    pub fn trend(self) -> Trend {
        match self {
            Self::Blocked(_) => Trend::Rise,
            Self::Unblocked(_) => Trend::Fall,
            Self::Weight(_, trend) | Self::Edge(_, _, trend) => trend,
        }
    }
}

/// A set of moves, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveSet(u8);

impl MoveSet {
    /// The moves `0..count`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub const fn all(count: usize) -> Self {
        Self(((1u16 << count) - 1) as u8)
    }

    /// The moves whose bits are set.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns whether the set holds move `m`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub const fn contains(self, m: usize) -> bool {
        self.0 >> m & 1 != 0
    }

    /// Removes move `m` unless `keep`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub(crate) const fn keep_if(self, m: usize, keep: bool) -> Self {
        Self(self.0 & !((!keep as u8) << m))
    }
}

/// The graph of a map, as one search sees it.
///
/// An edge exists when its move is in [`Graph::moves`] *and* the vertex it leads to is
/// [passable](Graph::is_passable). The two are apart because D* Lite marks blocked vertices in its own nodes
/// and never asks for them.
pub trait Graph: Copy {
    /// Moves are numbered `0..MOVES`: south, west, north, east, then the diagonals south-west, north-west,
    /// north-east and south-east.
    const MOVES: usize;

    /// True if a blocked vertex also removes edges between its neighbors, past its corners.
    const CORNERS: bool;

    /// True if every edge costs one and leads one nearer to or one farther from any cell by the heuristic: four
    /// moves with the Manhattan distance. D* Lite then needs no keys of neighbors.
    const UNIT_STEPS: bool = false;

    /// Returns the numbering of cells.
    fn grid(&self) -> &Grid;

    /// Returns the moves from a vertex that no wall and no corner rules out.
    fn moves(&self, from: usize) -> MoveSet;

    /// Returns whether a vertex can be entered, as far as is known. False for spare vertices and beyond the
    /// [last](Grid::vertices): a search may have nodes for more.
    fn is_passable(&self, vertex: usize) -> bool;

    /// Returns the cost of the edge that move `m` makes into vertex `into`.
    fn cost(&self, m: usize, into: usize) -> usize;

    /// Returns a consistent lower bound of the cost between cells `dx` columns and `dy` rows apart.
    fn heuristic(&self, dx: usize, dy: usize) -> usize;

    /// Returns the heuristic after move `m` from a cell at `offset` columns and rows, where it is `h`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic_after(&self, _h: usize, offset: (isize, isize), m: usize) -> usize {
        let (dx, dy) = offset_after(offset, m);
        self.heuristic(dx.unsigned_abs(), dy.unsigned_abs())
    }

    /// Returns an upper bound of the cost of any shortest path. The default is for edges of cost one.
    fn max_path_cost(&self) -> usize {
        self.grid().vertices()
    }
}

/// The heuristic between two cells.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn heuristic(graph: &impl Graph, a: Cell, b: Cell) -> usize {
    graph.heuristic(a.x.abs_diff(b.x).into(), a.y.abs_diff(b.y).into())
}

/// An upper bound of the cells on a shortest path where all cells cost the same: a path that enters all four
/// cells of a two by two block could be shortened there.
pub(crate) fn max_path_cells(grid: &Grid) -> usize {
    let (w, h) = (usize::from(grid.width()), usize::from(grid.height()));
    let blocks = w.div_ceil(2).saturating_mul(h.div_ceil(2));
    blocks.saturating_mul(3)
}

/// The move that undoes move `m`.
#[cfg_attr(not(debug_assertions), inline(always))]
#[must_use]
pub(crate) const fn opposite(m: usize) -> usize {
    m ^ 2
}

/// Columns that each move crosses; tables, because a jump per move is mispredicted half of the time.
const DX: [i8; 8] = [0, -1, 0, 1, -1, -1, 1, 1];
/// Rows that each move crosses.
const DY: [i8; 8] = [1, 0, -1, 0, 1, -1, -1, 1];

/// Columns and rows that move `m` crosses.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn move_offset(m: usize) -> (isize, isize) {
    (DX[m & 7].into(), DY[m & 7].into())
}

/// An offset after move `m`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn offset_after((dx, dy): (isize, isize), m: usize) -> (isize, isize) {
    let (columns, rows) = move_offset(m);
    (dx.wrapping_add(columns), dy.wrapping_add(rows))
}

/// The move that leads from a cell to an adjacent one.
pub(crate) fn move_between(from: Cell, to: Cell) -> Option<usize> {
    (0..8).find(|&m| cell_after(from, m) == to)
}

/// The cell that move `m` leads to; only meaningful when it is on the grid.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn cell_after(from: Cell, m: usize) -> Cell {
    Cell::new(
        from.x.wrapping_add_signed(DX[m & 7].into()),
        from.y.wrapping_add_signed(DY[m & 7].into()),
    )
}

/// Repeats an expression for each of `moves` moves with the number of the move as the constant `$m`, so that
/// its offset, its cost and its bit are constants. A loop costs D* Lite a tenth more cycles per expansion on
/// the chip.
macro_rules! for_each_move {
    ($moves:expr, $m:ident => $body:expr) => {
        for_each_move!(@ $m, $body, 0 1 2 3);
        if $moves > 4 {
            for_each_move!(@ $m, $body, 4 5 6 7);
        }
    };
    (@ $m:ident, $body:expr, $($number:literal)*) => {
        $({
            const $m: usize = $number;
            $body;
        })*
    };
}
pub(crate) use for_each_move;
