//! Estimates of the distance between two cells that never overestimate, and are consistent.

/// A lower bound of the cost of the way between two cells.
pub trait Heuristic: Copy + core::fmt::Debug + Default {
    /// The bound for cells `dx` columns and `dy` rows apart, where a step costs `straight` along a
    /// row or a column and `diagonal` across.
    fn estimate(dx: usize, dy: usize, straight: usize, diagonal: usize) -> usize;
}

/// A heuristic that is consistent where a robot moves in four directions.
pub trait ForFour: Heuristic {}

/// A heuristic that is consistent where a robot moves in eight directions.
pub trait ForEight: Heuristic {}

/// Columns plus rows: exact on an empty grid with four moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manhattan;

/// The larger of columns and rows: the papers' weak heuristic.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxNorm;

/// Diagonals as far as they go, then straight: exact on an empty grid with eight moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Octile;

/// Nothing is known: uninformed search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zero;

impl Heuristic for Manhattan {
    #[inline(always)]
    fn estimate(dx: usize, dy: usize, straight: usize, _diagonal: usize) -> usize {
        (dx + dy) * straight
    }
}

impl Heuristic for MaxNorm {
    #[inline(always)]
    fn estimate(dx: usize, dy: usize, straight: usize, _diagonal: usize) -> usize {
        dx.max(dy) * straight
    }
}

impl Heuristic for Octile {
    #[inline(always)]
    fn estimate(dx: usize, dy: usize, straight: usize, diagonal: usize) -> usize {
        let across = dx.min(dy);
        across * diagonal + (dx.max(dy) - across) * straight
    }
}

impl Heuristic for Zero {
    #[inline(always)]
    fn estimate(_dx: usize, _dy: usize, _straight: usize, _diagonal: usize) -> usize {
        0
    }
}

impl ForFour for Manhattan {}
impl ForFour for MaxNorm {}
impl ForFour for Octile {}
impl ForFour for Zero {}
impl ForEight for MaxNorm {}
impl ForEight for Octile {}
impl ForEight for Zero {}
