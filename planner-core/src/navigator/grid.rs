//! The presets for cells: Real-Time D* with four or eight moves.

use super::{BACKLOG, ENTRIES, LEARNED, Navigator};
use crate::{
    graph::Four,
    local::{Hashed, HashedValues, Tba},
    map::{CellMap, Uniform},
    queue::Buckets,
    rtd::{LocalRatio, Rtd},
    search::DStarLite,
    storage::{Allocate, Array, blocks},
    width::{Bits16, Width},
};

/// The search of the presets: Real-Time D* with D* Lite on buckets and time-bounded A*.
pub type GridSearch<S, W = Bits16> = Rtd<DStarLite<S, W, Buckets<16>>, Tba<S, W, ENTRIES>, BACKLOG>;

/// A robot on a grid of cells, in `CAPACITY` blocks: Real-Time D* with four moves, or with eight as
/// `GridNavigator<CAPACITY, Eight<NeverCut, Coarse>>`.
///
/// ```
/// use planner_core::prelude::*;
///
/// let mut robot = GridNavigator::<{ capacity(64, 64) }>::new();
/// let (mut at, goal) = (Cell::new(1, 1), Cell::new(1, 4));
/// robot.begin((64, 64), at, &[goal])?;
/// robot.observe(Observation::Cell(Cell::new(1, 2), Occupancy::Blocked))?;
/// while let Decision::Step(next) = robot.tick(at, Budget::limit(32))? {
///     at = next;
/// }
/// assert_eq!(at, goal);
/// # Ok::<(), planner_core::Error>(())
/// ```
pub type GridNavigator<const CAPACITY: usize, M = Four> = GridNavigatorIn<Array<CAPACITY>, M>;

/// [`GridNavigator`] in storage `S`, with ids and costs of width `W`.
pub type GridNavigatorIn<S, M = Four, W = Bits16> = Navigator<CellMap<S, M>, GridSearch<S, W>>;

impl<M, W: Width, const N: usize> GridNavigatorIn<Array<N>, M, W> {
    /// A navigator in arrays, all zero, that must [begin](Navigator::begin).
    #[must_use]
    pub const fn new() -> Self {
        Self::from_parts(CellMap::new(), search())
    }
}

impl<S: Allocate, M, W: Width> GridNavigatorIn<S, M, W> {
    /// A navigator for grids of up to `width` by `height` cells that must [begin](Navigator::begin).
    #[must_use]
    pub fn allocate(width: u16, height: u16) -> Self {
        let blocks = blocks(CellMap::vertices(width, height));
        let global = DStarLite::allocate(Buckets::new(), blocks);
        let search = Rtd::new(global, Tba::allocate(blocks), LocalRatio::PRESET);
        Self::from_parts(CellMap::in_storage(S::allocate(blocks, 0), Uniform), search)
    }
}

/// [`GridNavigator`] for maps that do not fit otherwise: local values are learned in a table of fixed size, not in two
/// bytes per cell, so that 161x161 cells fit an RP2040.
///
/// Use [`GridNavigator`] where it fits: it takes fewer cycles per tick, and fewer ticks where the robot leaves many dead
/// ends before its path is known.
pub type LargeGridNavigator<const CAPACITY: usize, M = Four> =
    Navigator<CellMap<Array<CAPACITY>, M>, LargeGridSearch<CAPACITY>>;

/// The search of [`LargeGridNavigator`].
pub type LargeGridSearch<const CAPACITY: usize> = Rtd<
    DStarLite<Array<CAPACITY>, Bits16, Buckets<16>>,
    Tba<Hashed<LEARNED>, Bits16, ENTRIES>,
    BACKLOG,
>;

impl<M, const N: usize> LargeGridNavigator<N, M> {
    /// A navigator in arrays, all zero, that must [begin](Navigator::begin).
    #[must_use]
    pub const fn new() -> Self {
        let local = Tba::with_learned(HashedValues::new());
        let search = Rtd::new(DStarLite::new(), local, LocalRatio::PRESET);
        Self::from_parts(CellMap::new(), search)
    }
}

/// The search in arrays, all zero.
pub(super) const fn search<W: Width, const N: usize>() -> GridSearch<Array<N>, W> {
    Rtd::new(DStarLite::new(), Tba::new(), LocalRatio::PRESET)
}
