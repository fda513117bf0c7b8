//! Learned h-values: one per cell, forgotten in constant time.

use core::ops::Range;

use crate::{
    BuildError,
    terrain::Terrain,
    width::{Width, Word, infinity},
};

/// What a local search has learned about the distances of cells to the goal: [`Width::Cost`] per
/// vertex, in memory lent by the caller, and nothing else that grows with the map.
///
/// # Forgetting
///
/// Only the values in one range of vertices count, the *fresh* ones. [`Learned::forget`] makes that
/// range empty, whatever it was. The next value that is set opens it again around its vertex, and
/// [`Learned::sweep`] widens it at both ends, clearing as it goes, until it is the whole map. A value
/// from before can therefore never be read again, even if the goal changes every tick. A value that
/// is set outside the range, where clearing has not come by yet, is lost: its vertex reads as not
/// learned, which is a lower bound too.
///
/// ```
/// use planner_core::local::Learned;
/// use planner_core::{map::Unknown, terrain::{Cells, Four, Uniform}, width::Bits16};
///
/// let mut bits = [0; Cells::<Four>::words(9, 9)];
/// let mut values = [0; Cells::<Four>::vertices(9, 9)];
/// let terrain = Cells::<Four>::new(9, 9, &mut bits, Unknown::AsFree, Uniform)?;
/// let mut learned = Learned::<Bits16>::new(&terrain, &mut values)?;
/// learned.set(7, 5);
/// assert_eq!((learned.get(7), learned.get(8)), (Some(5), None));
/// learned.forget();
/// assert_eq!(learned.get(7), None);
/// # Ok::<(), planner_core::BuildError>(())
/// ```
#[derive(Debug)]
pub struct Learned<'m, W: Width> {
    /// Zero is "not learned": only the goal's value is zero, and nothing is learned about the goal.
    values: &'m mut [W::Cost],
    /// The vertices whose values count. Never beyond `values`.
    fresh: Range<usize>,
    /// No shortest path is longer than this.
    longest: usize,
}

impl<'m, W: Width> Learned<'m, W> {
    /// What [`LocalSearch::upkeep`](super::LocalSearch::upkeep) sweeps: a kilobyte at 16 bits.
    pub const SWEEP: usize = 512;

    /// Nothing learned yet, for the vertices of `terrain`. Takes time in proportion to the map, once.
    ///
    /// # Errors
    /// The map does not fit the width `W`, or `memory` has fewer elements than the map vertices.
    pub fn new(terrain: &impl Terrain, memory: &'m mut [W::Cost]) -> Result<Self, BuildError> {
        let (needed, given) = (terrain.grid().vertices(), memory.len());
        let limit = <W::Id as Word>::MAX;
        if needed > limit {
            return Err(BuildError::TooManyCells {
                slots: needed,
                limit,
            });
        }
        let (longest, limit) = (terrain.longest(), infinity::<W>() - 1);
        // A queue doubles the sum of two costs.
        if longest > limit || longest > usize::MAX / 16 {
            return Err(BuildError::TooCostly { longest, limit });
        }
        let values = memory
            .get_mut(..needed)
            .ok_or(BuildError::TooLittleMemory { needed, given })?;
        values.fill(W::Cost::new(0));
        Ok(Self {
            values,
            fresh: 0..needed,
            longest,
        })
    }

    /// The learned value of a vertex; `None` when there is none and the terrain's estimate holds.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, vertex: usize) -> Option<usize> {
        if !self.fresh.contains(&vertex) {
            return None;
        }
        let value = self.values.get(vertex)?.get();
        (value != 0).then_some(value)
    }

    /// Learns the value of a vertex.
    ///
    /// A value that no shortest path can have is not kept. It comes about when costs have fallen and
    /// values have become too high, or when there is no path: everything is forgotten then.
    #[inline(always)]
    pub fn set(&mut self, vertex: usize, value: usize) {
        if value > self.longest {
            self.forget();
            return;
        }
        if self.fresh.is_empty() {
            self.open_around(vertex);
        }
        if self.fresh.contains(&vertex)
            && let Some(kept) = self.values.get_mut(vertex)
        {
            *kept = W::Cost::new(value);
        }
    }

    /// Makes every value void, in constant time.
    pub fn forget(&mut self) {
        self.fresh = 0..0;
    }

    /// Clears the place of at most `cells` void values, so that new ones can be kept there. To be
    /// called once a tick; does nothing when all is clear.
    pub fn sweep(&mut self, cells: usize) {
        if self.fresh.is_empty() {
            return; // the next value that is set says where to begin
        }
        let below = self.fresh.start;
        let above = self.values.len() - self.fresh.end;
        // Half of it at each end; what one end does not need goes to the other.
        let down = below.min((cells / 2).max(cells.saturating_sub(above)));
        let up = above.min(cells - down);
        self.clear(below - down..below);
        self.clear(self.fresh.end..self.fresh.end + up);
        self.fresh = below - down..self.fresh.end + up;
    }

    /// Begins the sweep with the surroundings of a vertex, whose own value is about to be set.
    #[cold]
    fn open_around(&mut self, vertex: usize) {
        if vertex < self.values.len() {
            self.fresh = vertex..vertex + 1;
            self.sweep(Self::SWEEP);
        }
    }

    fn clear(&mut self, range: Range<usize>) {
        if let Some(values) = self.values.get_mut(range) {
            values.fill(W::Cost::new(0));
        }
    }
}
