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
            // South, west, north or east. In the only column of a map, east is as good as south.
            GraphChange::Edge(a, b, _) if b == a + 1 => Self::EDGE + 3,
            GraphChange::Edge(a, b, _) if b + 1 == a => Self::EDGE + 1,
            GraphChange::Edge(a, b, _) => Self::EDGE + if b > a { 0 } else { 2 },
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
    sweep: usize,
}

impl<const N: usize> Backlog<N> {
    pub(crate) const fn new() -> Self {
        Self {
            waiting: Deque::new(),
            is_sweeping: false,
            sweep: 0,
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
            (self.is_sweeping, self.sweep) = (true, 0);
        }
    }

    /// Takes changes, or vertices of a sweep, into `search` as far as the budget goes. With a budget of one or
    /// more, at least one.
    pub(crate) fn absorb<S: GlobalSearch>(
        &mut self,
        search: &mut S,
        map: &impl Map,
        budget: Budget,
        work: &mut Work,
    ) {
        // Each change is known to fit before it begins: what is left is at least its price.
        while !self.is_empty() && budget.after(*work).expansions > 0 {
            if let Some(change) = self.waiting.pop_front() {
                change.apply(search, map);
                work.changes += 1;
                continue;
            }
            if search.refresh(map, self.sweep) {
                work.changes += 1; // and its neighbors
            } else {
                work.visits += SWEEP_VISITS;
            }
            self.sweep += 1;
            let vertices = map.view::<S::Unknown>().grid().vertices();
            self.is_sweeping = self.sweep < vertices;
        }
    }
}
