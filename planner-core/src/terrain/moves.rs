//! How a robot moves between cells: in four directions, or in eight with a corner rule.

use core::marker::PhantomData;

use super::{
    MoveSet,
    heuristic::{ForEight, ForFour, Manhattan, Octile},
    step_offset,
};

/// A way to move between cells that are blocked or not.
pub trait Moves: Copy + core::fmt::Debug + Default {
    /// How many moves there are.
    const COUNT: usize;
    /// Whether a blocked cell bars diagonals past it.
    const CORNERS: bool;
    /// The cost of the dearest move on a plain cell.
    const DEAREST: usize;

    /// The cost of move `m` on a plain cell.
    fn cost(m: usize) -> usize;

    /// The moves that corners do not bar, given which of the four straight ones lead to open cells.
    fn allowed(straight_open: impl Fn(usize) -> bool) -> MoveSet;

    /// A consistent lower bound of the cost between cells `dx` columns and `dy` rows apart.
    fn estimate(dx: usize, dy: usize) -> usize;

    /// The bound after move `m` from a cell `away` columns and rows off, whose bound is `before`.
    #[inline(always)]
    fn estimate_beside(_before: usize, away: (isize, isize), m: usize) -> usize {
        let (dx, dy) = step_offset(away, m);
        Self::estimate(dx.unsigned_abs(), dy.unsigned_abs())
    }
}

/// South, west, north and east, each at cost one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Four<H = Manhattan>(PhantomData<H>);

impl<H: ForFour> Moves for Four<H> {
    const COUNT: usize = 4;
    const CORNERS: bool = false;
    const DEAREST: usize = 1;

    #[inline(always)]
    fn cost(_m: usize) -> usize {
        1
    }

    #[inline(always)]
    fn allowed(_straight_open: impl Fn(usize) -> bool) -> MoveSet {
        MoveSet::all(4)
    }

    #[inline(always)]
    fn estimate(dx: usize, dy: usize) -> usize {
        H::estimate(dx, dy, 1, 2)
    }

    #[inline(always)]
    fn estimate_beside(before: usize, away: (isize, isize), m: usize) -> usize {
        H::beside(before, away, step_offset((0, 0), m), 1, 2)
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
    const DEAREST: usize = S::DIAGONAL;

    #[inline(always)]
    fn cost(m: usize) -> usize {
        if m < 4 { S::STRAIGHT } else { S::DIAGONAL }
    }

    #[inline(always)]
    fn allowed(straight_open: impl Fn(usize) -> bool) -> MoveSet {
        // Spelled out: `map` would be a call, in the innermost loop of every search.
        let (south, west) = (straight_open(0), straight_open(1));
        let (north, east) = (straight_open(2), straight_open(3));
        MoveSet::all(8)
            .keep_if(4, R::allows(south, west))
            .keep_if(5, R::allows(north, west))
            .keep_if(6, R::allows(north, east))
            .keep_if(7, R::allows(south, east))
    }

    #[inline(always)]
    fn estimate(dx: usize, dy: usize) -> usize {
        H::estimate(dx, dy, S::STRAIGHT, S::DIAGONAL)
    }
}

/// When a diagonal move may pass between its two corner cells.
pub trait CornerRule: Copy + core::fmt::Debug + Default {
    /// Whether it may, given whether each corner cell is open.
    fn allows(one: bool, other: bool) -> bool;
}

/// Both corner cells must be open: a body with width does not scrape. The rule of the MovingAI
/// benchmarks, and the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct NeverCut;

/// One open corner cell is enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneOpen;

/// Corners do not matter: a point robot slips between two blocked cells.
#[derive(Clone, Copy, Debug, Default)]
pub struct CutCorners;

impl CornerRule for NeverCut {
    #[inline(always)]
    fn allows(one: bool, other: bool) -> bool {
        one && other
    }
}

impl CornerRule for OneOpen {
    #[inline(always)]
    fn allows(one: bool, other: bool) -> bool {
        one || other
    }
}

impl CornerRule for CutCorners {
    #[inline(always)]
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

/// 408 and 577, two millionths off: paths of thousands of steps are compared as with real numbers
/// to a hundredth of a cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fine;

impl Scale for Coarse {
    const STRAIGHT: usize = 5;
    const DIAGONAL: usize = 7;
}

impl Scale for Fine {
    const STRAIGHT: usize = 408;
    const DIAGONAL: usize = 577;
}
