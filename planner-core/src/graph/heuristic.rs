//! Consistent lower bounds of the distance between two cells.

/// A lower bound of the cost between two cells.
pub trait Heuristic: Copy + core::fmt::Debug + Default {
    /// Returns the bound for cells `dx` columns and `dy` rows apart, where a step costs `straight` along a
    /// row or a column and `diagonal` across.
    fn heuristic(dx: usize, dy: usize, straight: usize, diagonal: usize) -> usize;

    /// Returns the bound after a move that crosses `by` columns and rows, from a cell at `offset` where it is
    /// `h`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn after(
        _h: usize,
        offset: (isize, isize),
        by: (isize, isize),
        straight: usize,
        diagonal: usize,
    ) -> usize {
        let (dx, dy) = (offset.0.wrapping_add(by.0), offset.1.wrapping_add(by.1));
        Self::heuristic(dx.unsigned_abs(), dy.unsigned_abs(), straight, diagonal)
    }
}

/// A heuristic that is consistent where a robot moves in four directions.
pub trait ForFour: Heuristic {
    /// True if every move changes it by the cost of a step, up or down.
    const UNIT_STEPS: bool = false;
}

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
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic(dx: usize, dy: usize, straight: usize, _diagonal: usize) -> usize {
        (dx + dy) * straight
    }

    /// A step nearer or a step farther.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn after(
        h: usize,
        offset: (isize, isize),
        by: (isize, isize),
        straight: usize,
        _diagonal: usize,
    ) -> usize {
        let farther = |offset: isize, by: isize| match by {
            0 => 0,
            1.. => offset >> (isize::BITS - 1) | 1,
            _ => offset.wrapping_neg() >> (isize::BITS - 1) | 1,
        };
        let steps = farther(offset.0, by.0) + farther(offset.1, by.1);
        h.wrapping_add_signed(steps * straight as isize)
    }
}

impl Heuristic for MaxNorm {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic(dx: usize, dy: usize, straight: usize, _diagonal: usize) -> usize {
        dx.max(dy) * straight
    }
}

impl Heuristic for Octile {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic(dx: usize, dy: usize, straight: usize, diagonal: usize) -> usize {
        let across = dx.min(dy);
        across * diagonal + (dx.max(dy) - across) * straight
    }
}

impl Heuristic for Zero {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic(_dx: usize, _dy: usize, _straight: usize, _diagonal: usize) -> usize {
        0
    }
}

impl ForFour for Manhattan {
    const UNIT_STEPS: bool = true;
}
impl ForFour for MaxNorm {}
impl ForFour for Octile {}
impl ForFour for Zero {}
impl ForEight for MaxNorm {}
impl ForEight for Octile {}
impl ForEight for Zero {}
