//! A queue of map changes that wait to be taken into a search, a few per tick.

use heapless::Deque;

use crate::{
    budget::SWEEP_VISITS,
    graph::{Graph, GraphChange, Trend},
    map::Map,
    planner::{Budget, Work},
    search::GlobalSearch,
};

/// A change in four bytes: the vertex, and in the lowest three bits what changed.
#[derive(Clone, Copy, Debug)]
struct Waiting(u32);

impl Waiting {
    /// The weight of the vertex.
    const WEIGHT: u32 = 0;
    /// True if it is blocked.
    const VERTEX: u32 = 1;
    /// The edges across the move of the lowest two bits.
    const EDGE: u32 = 4;

    fn new(change: GraphChange) -> Self {
        let kind = match change {
            GraphChange::Weight(..) => Self::WEIGHT,
            GraphChange::Blocked(_) | GraphChange::Unblocked(_) => Self::VERTEX,
            // South, west, north or east, without branches. In the only column of a map, east is as good as south.
            GraphChange::Edge(a, b, _) => {
                let is_in_row = a.abs_diff(b) == 1;
                Self::EDGE + u32::from(is_in_row) + 2 * u32::from((b > a) == is_in_row)
            }
        };
        Self((change.vertex() as u32) << 3 | kind)
    }

    fn apply<S: GlobalSearch>(self, search: &mut S, map: &impl Map) {
        let (vertex, kind) = ((self.0 >> 3) as usize, self.0 & 7);
        let graph = map.view::<S::Unknown>();
        let change = if kind >= Self::EDGE {
            let m = (kind - Self::EDGE) as usize;
            // The map says whether it rose or fell in the end.
            GraphChange::Edge(vertex, graph.grid().neighbor(vertex, m), Trend::Rise)
        } else if kind == Self::WEIGHT {
            GraphChange::Weight(vertex, Trend::Rise)
        } else if graph.is_passable(vertex) {
            GraphChange::Unblocked(vertex)
        } else {
            GraphChange::Blocked(vertex)
        };
        search.apply(map, change);
    }
}

/// Changes to be taken into a search, at most `N`. More than that start a sweep over the whole map, a few
/// vertices per tick, which catches every change.
#[derive(Debug)]
pub(crate) struct Backlog<const N: usize> {
    waiting: Deque<Waiting, N>,
    /// True if a sweep is in progress.
    is_sweeping: bool,
    /// The next vertex of the sweep. It covers changes before it began; later ones wait in the queue like
    /// others, or start it again.
    next: usize,
}

impl<const N: usize> Backlog<N> {
    pub(crate) const fn new() -> Self {
        Self {
            waiting: Deque::new(),
            is_sweeping: false,
            next: 0,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.is_sweeping = false;
    }

    /// Returns whether the search is up to date with the map.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && !self.is_sweeping
    }

    /// The number of changes that wait, without those of a sweep.
    pub(crate) fn len(&self) -> u32 {
        self.waiting.len() as u32
    }

    /// Returns whether there were more changes than fit, and the map is being swept.
    pub(crate) fn is_sweeping(&self) -> bool {
        self.is_sweeping
    }

    pub(crate) fn push(&mut self, change: GraphChange) {
        if self.waiting.push_back(Waiting::new(change)).is_err() {
            (self.is_sweeping, self.next) = (true, 0);
        }
    }

    /// Takes changes, or vertices of a sweep, into `search` as far as the budget goes. With a budget of one or
    /// more, at least one.
    #[cfg_attr(not(any(target_arch = "arm", debug_assertions)), inline(always))]
    pub(crate) fn absorb<S: GlobalSearch>(
        &mut self,
        search: &mut S,
        map: &impl Map,
        budget: Budget,
        work: &mut Work,
    ) {
        // Each change is known to fit before it begins: what is left is at least its price.
        if self.is_empty() {
            return;
        }
        let mut left = budget.after(*work).expansions;
        while left > 0 {
            if let Some(change) = self.waiting.pop_front() {
                change.apply(search, map);
                work.changes += 1;
                left -= 1;
            } else if self.is_sweeping {
                self.sweep(search, map, work);
                left = budget.after(*work).expansions;
            } else {
                return;
            }
        }
    }

    /// Takes the next vertex of the sweep into `search`.
    // Rare: a desktop is faster with a call.
    #[cfg_attr(target_arch = "arm", inline(always))]
    #[cfg_attr(not(target_arch = "arm"), inline(never))]
    fn sweep<S: GlobalSearch>(&mut self, search: &mut S, map: &impl Map, work: &mut Work) {
        if search.refresh(map, self.next) {
            work.changes += 1; // and its neighbors
        } else {
            work.visits += SWEEP_VISITS;
        }
        self.next += 1;
        let vertices = map.view::<S::Unknown>().grid().vertices();
        self.is_sweeping = self.next < vertices;
    }
}
