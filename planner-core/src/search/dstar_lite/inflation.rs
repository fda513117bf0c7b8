//! The weight of the heuristic in the keys of a search.

use core::fmt::Debug;

use crate::width::{Width, infinity};

/// The difference between D* Lite and Anytime D*.
pub trait Inflation<W: Width>: Debug {
    /// True if keys are those of D* Lite: no weight, no INCONS.
    const EXACT: bool = false;
    /// Per-vertex data of an expanded vertex.
    type Stamp: Copy + Default + Debug + 'static;

    /// Returns `f` less `k_m` of a vertex `cost` from the goal with heuristic `h`, which is under-consistent
    /// or not.
    fn f(&self, cost: usize, h: usize, under: bool) -> usize;

    /// Returns the stamp of a vertex that is made consistent now.
    fn stamp(&self) -> Self::Stamp;

    /// Returns whether an over-consistent vertex with this stamp belongs to INCONS.
    fn is_incons(&self, stamp: Self::Stamp) -> bool;

    /// Returns an `f` less `k_m` behind that of every vertex in OPEN: that of INCONS, and of a robot without a
    /// path.
    fn far(&self) -> usize;
}

/// The heuristic as it is: D* Lite.
#[derive(Clone, Copy, Debug)]
pub struct Exact;

impl<W: Width> Inflation<W> for Exact {
    const EXACT: bool = true;
    type Stamp = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn f(&self, cost: usize, h: usize, _under: bool) -> usize {
        h.wrapping_add(cost)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn stamp(&self) {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_incons(&self, _stamp: ()) -> bool {
        false
    }

    /// The sum of two infinite costs; where a machine word is no wider than a cost, more than that of any two.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn far(&self) -> usize {
        infinity::<W>().saturating_mul(2).min(usize::MAX / 5)
    }
}
