//! The weight of the heuristic in the keys of a search.

use core::fmt::Debug;

use crate::width::Width;

/// The difference between D* Lite and Anytime D*.
pub trait Inflation<W: Width>: Debug {
    /// Per-vertex data of an expanded vertex.
    type Stamp: Copy + Default + Debug + 'static;

    /// Returns `f` less `k_m` of a vertex `cost` from the goal with heuristic `h`, which is under-consistent
    /// or not.
    fn f(&self, cost: usize, h: usize, under: bool) -> usize;

    /// Returns the stamp of a vertex that is made consistent now.
    fn stamp(&self) -> Self::Stamp;

    /// Returns `f` less `k_m` of an over-consistent vertex with this stamp if it belongs to INCONS: behind all
    /// of OPEN.
    fn incons(&self, stamp: Self::Stamp) -> Option<usize>;
}

/// The heuristic as it is: D* Lite.
#[derive(Clone, Copy, Debug)]
pub struct Exact;

impl<W: Width> Inflation<W> for Exact {
    type Stamp = ();

    #[inline(always)]
    fn f(&self, cost: usize, h: usize, _under: bool) -> usize {
        h.wrapping_add(cost)
    }

    #[inline(always)]
    fn stamp(&self) {}

    #[inline(always)]
    fn incons(&self, _stamp: ()) -> Option<usize> {
        None
    }
}
