//! Moves between cells: in four directions, or in eight with a corner rule.

use core::marker::PhantomData;

use super::{
    MoveSet,
    heuristic::{ForEight, ForFour, Manhattan, Octile},
    move_offset, offset_after,
};

/// The moves of a robot between cells.
pub trait Moves: Copy + core::fmt::Debug + Default {
    /// Number of moves.
    const COUNT: usize;
    /// True if a blocked cell rules out diagonals past it.
    const CORNERS: bool;
    /// Cost of the most expensive move into a plain cell.
    const MAX_COST: usize;
    /// True if every move into a plain cell costs one and changes the heuristic by one.
    const UNIT_STEPS: bool = false;

    /// Returns the cost of move `m` into a plain cell.
    fn cost(m: usize) -> usize;

    /// Returns the moves that corners allow, given which of the four straight ones lead to passable cells.
    fn allowed(is_passable: impl Fn(usize) -> bool) -> MoveSet;

    /// Returns a consistent lower bound of the cost between cells `dx` columns and `dy` rows apart.
    fn heuristic(dx: usize, dy: usize) -> usize;

    /// Returns the heuristic after move `m` from a cell at `offset` columns and rows, where it is `h`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic_after(_h: usize, offset: (isize, isize), m: usize) -> usize {
        let (dx, dy) = offset_after(offset, m);
        Self::heuristic(dx.unsigned_abs(), dy.unsigned_abs())
    }
}

/// South, west, north and east, each at cost one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Four<H = Manhattan>(PhantomData<H>);

impl<H: ForFour> Moves for Four<H> {
    const COUNT: usize = 4;
    const CORNERS: bool = false;
    const MAX_COST: usize = 1;
    const UNIT_STEPS: bool = H::UNIT_STEPS;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cost(_m: usize) -> usize {
        1
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn allowed(_is_passable: impl Fn(usize) -> bool) -> MoveSet {
        MoveSet::all(4)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic(dx: usize, dy: usize) -> usize {
        H::heuristic(dx, dy, 1, 2)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic_after(h: usize, offset: (isize, isize), m: usize) -> usize {
        H::after(h, offset, move_offset(m), 1, 2)
    }
}

/// The four straight moves and the four diagonals.
///
/// Costs are integers in the ratio of [`Scale`] `S`; `R` says when a diagonal may pass a blocked
/// corner.
#[derive(Clone, Copy, Debug, Default)]
pub struct Eight<R = NeverCut, S = Fine, H = Octile>(PhantomData<(R, S, H)>);

impl<R: CornerRule, S: Scale, H: ForEight> Moves for Eight<R, S, H> {
    const COUNT: usize = 8;
    const CORNERS: bool = true;
    const MAX_COST: usize = S::DIAGONAL;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cost(m: usize) -> usize {
        if m < 4 { S::STRAIGHT } else { S::DIAGONAL }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn allowed(is_passable: impl Fn(usize) -> bool) -> MoveSet {
        // Spelled out: `map` would be a call, in the innermost loop of every search.
        let (south, west) = (is_passable(0), is_passable(1));
        let (north, east) = (is_passable(2), is_passable(3));
        MoveSet::all(8)
            .keep_if(4, R::allows(south, west))
            .keep_if(5, R::allows(north, west))
            .keep_if(6, R::allows(north, east))
            .keep_if(7, R::allows(south, east))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic(dx: usize, dy: usize) -> usize {
        H::heuristic(dx, dy, S::STRAIGHT, S::DIAGONAL)
    }
}

/// The condition for a diagonal move to pass between its two corner cells.
pub trait CornerRule: Copy + core::fmt::Debug + Default {
    /// Returns whether it may, given whether each corner cell is passable.
    fn allows(one: bool, other: bool) -> bool;
}

/// Both corner cells must be passable: a robot with a width does not scrape. The rule of the MovingAI
/// benchmarks, and the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct NeverCut;

/// One passable corner cell is enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct OnePassable;

/// Corners do not matter: a point robot slips between two blocked cells.
#[derive(Clone, Copy, Debug, Default)]
pub struct CutCorners;

impl CornerRule for NeverCut {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn allows(one: bool, other: bool) -> bool {
        one && other
    }
}

impl CornerRule for OnePassable {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn allows(one: bool, other: bool) -> bool {
        one || other
    }
}

impl CornerRule for CutCorners {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn allows(_one: bool, _other: bool) -> bool {
        true
    }
}

/// Integer costs of a straight and a diagonal step, as near to `1 : sqrt(2)` as the width allows.
/// A diagonal costs more than a straight step and at most two.
pub trait Scale: Copy + core::fmt::Debug + Default {
    /// The cost of a straight step.
    const STRAIGHT: usize;
    /// The cost of a diagonal step.
    const DIAGONAL: usize;
}

/// 5 and 7, one per cent off: leaves room for long paths in 16 bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coarse;

/// 169 and 239, nine millionths off: a path of a thousand cells is compared to a hundredth of a cell, and maps
/// of 16 million cells fit 32 bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fine;

impl Scale for Coarse {
    const STRAIGHT: usize = 5;
    const DIAGONAL: usize = 7;
}

impl Scale for Fine {
    const STRAIGHT: usize = 169;
    const DIAGONAL: usize = 239;
}
