//! How the estimate counts in the keys of a search: as it is, or more.

use crate::width::Width;

/// What D* Lite and Anytime D* do differently.
pub trait Inflation<W: Width>: core::fmt::Debug {
    /// What is kept of a vertex that was expanded.
    type Stamp: Copy + Default + core::fmt::Debug;

    /// `f`, less `k_m`, of a vertex `cost` from the goal that lies `h` from the aim and is
    /// under-consistent or not.
    fn f(&self, cost: usize, h: usize, under: bool) -> usize;

    /// The stamp of a vertex that is made consistent now.
    fn stamp(&self) -> Self::Stamp;

    /// `f`, less `k_m`, of an over-consistent vertex with this stamp, if it is not to be expanded for
    /// now: behind all that are.
    fn aside(&self, stamp: Self::Stamp) -> Option<usize>;
}

/// The estimate counts as it is: D* Lite.
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
    fn aside(&self, _stamp: ()) -> Option<usize> {
        None
    }
}
