//! Learned heuristic values: one per cell, forgotten in constant time.

use core::ops::Range;

use super::LearnedValues;
use crate::{
    BuildError,
    graph::Graph,
    storage::{Allocate, Array, BLOCK, Block, Storage, default_by_new, flat, flat_mut},
    width::{Bits16, Width, Word},
};

/// The learned heuristic of a local search: [`Width::Cost`] per vertex, and nothing else that grows with the
/// map.
///
/// # Forgetting
///
/// Only the values in one range of vertices count, the *fresh* ones. [`LearnedValues::forget`] makes that range
/// empty. The next value that is set opens it again around its vertex, and [`Learned::sweep`] widens it at both
/// ends, clearing as it goes, until it is the whole map. So an old value can never be read again, even if the
/// goal changes every tick. A value that is set outside the range is lost: its vertex reads as not learned,
/// which is a lower bound too.
#[derive(Debug)]
pub struct Learned<S: Storage, W: Width = Bits16> {
    /// Zero is "not learned": only a goal's value is zero, and nothing is learned about a goal.
    values: S::Of<Block<W::Cost>>,
    /// The vertices whose values count. Never beyond `vertices`.
    fresh: Range<usize>,
    /// Vertices of the map.
    vertices: usize,
    /// An upper bound of the cost of any shortest path.
    max_path_cost: usize,
}

impl<W: Width, const N: usize> Learned<Array<N>, W> {
    /// Values in an array, all zero.
    #[must_use]
    pub const fn new() -> Self {
        Self::in_storage([[W::Cost::ZERO; BLOCK]; N])
    }
}

default_by_new!([W: Width, const N: usize] Learned<Array<N>, W>);

impl<S: Allocate, W: Width> Learned<S, W> {
    /// Values in memory for so many [`blocks`](crate::storage::blocks).
    #[must_use]
    pub fn allocate(blocks: usize) -> Self {
        Self::in_storage(S::allocate(blocks, [W::Cost::ZERO; BLOCK]))
    }
}

impl<S: Storage, W: Width> Learned<S, W> {
    /// Vertices cleared at each end by [`LearnedValues::upkeep`]: 128 bytes at 16 bits.
    pub const SWEEP: usize = 64;

    /// Values in `values`.
    #[must_use]
    pub const fn in_storage(values: S::Of<Block<W::Cost>>) -> Self {
        Self {
            values,
            fresh: 0..0,
            vertices: 0,
            max_path_cost: 0,
        }
    }

    /// Clears at most `cells` forgotten values at each end, so that new ones can be kept there. To be called once a
    /// tick; does nothing when all is clear.
    pub fn sweep(&mut self, cells: usize) {
        if self.fresh.is_empty() {
            return; // the next value that is set says where to begin
        }
        let below = self.fresh.start;
        let above = self.vertices - self.fresh.end;
        if below | above == 0 {
            return; // all is clear
        }
        let (down, up) = (below.min(cells), above.min(cells));
        self.clear(below - down..below);
        self.clear(self.fresh.end..self.fresh.end + up);
        self.fresh = below - down..self.fresh.end + up;
    }

    /// Begins the sweep around a vertex whose value is about to be set.
    #[cold]
    fn open_around(&mut self, vertex: usize) {
        if vertex < self.vertices {
            self.fresh = vertex..vertex + 1;
            self.sweep(Self::SWEEP);
        }
    }

    fn clear(&mut self, range: Range<usize>) {
        if let Some(values) = flat_mut(&mut self.values).get_mut(range) {
            values.fill(W::Cost::ZERO);
        }
    }
}

impl<S: Storage, W: Width> LearnedValues for Learned<S, W> {
    fn begin(&mut self, graph: &impl Graph) -> Result<(), BuildError> {
        let values = flat_mut(&mut self.values);
        self.vertices = crate::search::check_size::<W>(
            graph.grid().vertices(),
            graph.max_path_cost(),
            0,
            values.len(),
        )?;
        self.max_path_cost = graph.max_path_cost();
        values.fill(W::Cost::ZERO);
        self.fresh = 0..self.vertices;
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn get(&self, vertex: usize) -> Option<usize> {
        if !self.fresh.contains(&vertex) {
            return None;
        }
        let value = flat(&self.values).get(vertex)?.get();
        (value != 0).then_some(value)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn set(&mut self, vertex: usize, value: usize) {
        if value > self.max_path_cost {
            self.forget();
            return;
        }
        if self.fresh.is_empty() {
            self.open_around(vertex);
        }
        if self.fresh.contains(&vertex)
            && let Some(kept) = flat_mut(&mut self.values).get_mut(vertex)
        {
            *kept = W::Cost::new(value);
        }
    }

    fn forget(&mut self) {
        self.fresh = 0..0;
    }

    fn upkeep(&mut self) {
        self.sweep(Self::SWEEP); // once a tick
    }
}
