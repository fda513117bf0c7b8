//! Learned heuristic values in a table of fixed size, whatever the map.

use super::{LearnedStorage, LearnedValues};
use crate::{
    BuildError,
    graph::Graph,
    slot::slot,
    storage::default_by_new,
    width::{Bits16, Width, Word},
};

/// A table of at most `N` learned values: 4 bytes each with [`Bits16`], instead of 2 for every cell of the map.
///
/// For [Real-Time D*](crate::rtd) on large maps. A value that finds no room displaces another, and a displaced
/// value costs steps but never the goal, which the global search finds. A local search by itself needs every value that
/// it has learned: [`LocalPlanner`](super::LocalPlanner) refuses one with this table.
///
/// ```
/// use planner_core::{
///     local::{Hashed, HashedValues, Tba}, prelude::*, rtd::{LocalRatio, Rtd}, search::DStarLite,
/// };
///
/// const N: usize = capacity(33, 33);
/// let local = Tba::<Hashed<64>>::with_learned(HashedValues::new());
/// let search: Rtd<_, _> = Rtd::new(DStarLite::<Array<N>>::new(), local, LocalRatio::PRESET);
/// let mut planner = Navigator::from_parts(CellMap::<Array<N>>::new(), search);
/// planner.begin((33, 33), Cell::new(1, 1), &[Cell::new(1, 9)])?;
/// assert_eq!(planner.tick(Cell::new(1, 1), Budget::limit(32))?, Decision::Step(Cell::new(1, 2)));
/// # Ok::<(), planner_core::Error>(())
/// ```
///
/// ```compile_fail
/// use planner_core::{local::{Hashed, HashedValues, LocalPlanner, Tba}, prelude::*};
///
/// const N: usize = capacity(33, 33);
/// let search = LocalPlanner::new(Tba::<Hashed<64>>::with_learned(HashedValues::new()), 17);
/// let mut planner = Navigator::from_parts(CellMap::<Array<N>>::new(), search);
/// planner.begin((33, 33), Cell::new(1, 1), &[Cell::new(1, 9)])?;
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hashed<const N: usize>;

impl<W: Width, const N: usize> LearnedStorage<W> for Hashed<N> {
    type Values = HashedValues<N, W>;
    const KEEPS_ALL: bool = false;
}

/// The values of [`Hashed`].
///
/// A vertex has two places, next to each other. A value goes to the place that has one of its vertex already, or else to
/// a free one, or else displaces the other at the first: the latest are kept.
#[derive(Debug)]
pub struct HashedValues<const N: usize, W: Width = Bits16> {
    entries: [Entry<W>; N],
    /// Entries that count: those before. All others are forgotten and wait to be cleared.
    cleared: usize,
    /// An upper bound of the cost of any shortest path.
    max_path_cost: usize,
}

/// A vertex and its value. Zero is "not learned", as in [`Learned`](super::Learned).
#[derive(Clone, Copy, Debug)]
struct Entry<W: Width> {
    vertex: W::Id,
    value: W::Cost,
}

impl<W: Width> Entry<W> {
    const FREE: Self = Self {
        vertex: W::Id::ZERO,
        value: W::Cost::ZERO,
    };

    fn is_free(self) -> bool {
        self.value.get() == 0
    }
}

default_by_new!([W: Width, const N: usize] HashedValues<N, W>);

impl<W: Width, const N: usize> HashedValues<N, W> {
    /// Entries cleared by [`LearnedValues::upkeep`]: 512 bytes at 16 bits.
    pub const SWEEP: usize = 128;

    /// An empty table, all zero.
    #[must_use]
    pub const fn new() -> Self {
        const {
            assert!(
                N.is_power_of_two() && N >= 2 && N <= 1 << 16,
                "2 to 65,536 values"
            );
        }
        Self {
            entries: [Entry::FREE; N],
            cleared: 0,
            max_path_cost: 0,
        }
    }

    /// The two places of a vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn places(vertex: usize) -> [usize; 2] {
        let first = slot(vertex as u32, N);
        [first, first ^ 1]
    }

    /// The entry at a place; a free one if it was forgotten.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn entry(&self, place: usize) -> Entry<W> {
        match self.entries.get(place) {
            Some(entry) if place < self.cleared => *entry,
            _ => Entry::FREE,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_of(&self, place: usize, vertex: usize) -> bool {
        let entry = self.entry(place);
        entry.vertex.get() == vertex && !entry.is_free()
    }
}

impl<W: Width, const N: usize> LearnedValues for HashedValues<N, W> {
    fn begin(&mut self, graph: &impl Graph) -> Result<(), BuildError> {
        let vertices = graph.grid().vertices();
        crate::search::check_size::<W>(vertices, graph.max_path_cost(), 0, vertices)?;
        self.max_path_cost = graph.max_path_cost();
        self.entries.fill(Entry::FREE);
        self.cleared = N;
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn get(&self, vertex: usize) -> Option<usize> {
        let place = Self::places(vertex)
            .into_iter()
            .find(|&place| self.is_of(place, vertex))?;
        Some(self.entry(place).value.get())
    }

    fn set(&mut self, vertex: usize, value: usize) {
        if value > self.max_path_cost {
            self.forget();
            return;
        }
        let [first, second] = Self::places(vertex);
        // Neither was cleared yet, or both were: there is nothing in between.
        let place = if self.is_of(second, vertex)
            || !self.is_of(first, vertex)
                && self.entry(second).is_free()
                && !self.entry(first).is_free()
        {
            second
        } else {
            first
        };
        if place < self.cleared
            && let Some(entry) = self.entries.get_mut(place)
        {
            *entry = Entry {
                vertex: W::Id::new(vertex),
                value: W::Cost::new(value),
            };
        }
    }

    fn forget(&mut self) {
        self.cleared = 0;
    }

    fn upkeep(&mut self) {
        let end = (self.cleared + Self::SWEEP).min(N);
        if let Some(entries) = self.entries.get_mut(self.cleared..end) {
            entries.fill(Entry::FREE);
        }
        self.cleared = end;
    }
}
