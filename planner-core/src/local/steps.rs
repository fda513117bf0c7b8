//! Where moves lead, worked out once per search.

use crate::terrain::{Terrain, step};

/// What each move adds to a vertex, as [`step`] does.
pub(super) struct Steps([usize; 8]);

impl Steps {
    pub(super) fn new<T: Terrain>(terrain: &T) -> Self {
        let mut steps = [0; 8];
        for (m, by) in steps.iter_mut().enumerate().take(T::MOVES) {
            *by = step(terrain.grid(), 0, m);
        }
        Self(steps)
    }

    /// The vertex that move `m` leads to. It may be out of range or a border's; both are never open.
    #[inline(always)]
    pub(super) fn step(&self, from: usize, m: usize) -> usize {
        from.wrapping_add(self.0[m & 7])
    }
}
