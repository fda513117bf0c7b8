//! A queue of map changes that wait to be taken into a search, a few per tick.

use heapless::Deque;

use crate::{
    graph::{Graph, GraphChange},
    map::Map,
    planner::{Budget, Work},
    search::GlobalSearch,
};

/// A change in four bytes: the vertex, and whether it was blocked or unblocked, not an edge or a weight changed.
#[derive(Clone, Copy, Debug)]
struct Waiting(u32);

impl Waiting {
    fn new(change: GraphChange) -> Self {
        let is_vertex = matches!(change, GraphChange::Blocked(_) | GraphChange::Unblocked(_));
        Self((change.vertex() as u32) << 1 | u32::from(is_vertex))
    }

    fn apply<S: GlobalSearch>(self, search: &mut S, map: &impl Map) {
        let vertex = (self.0 >> 1) as usize;
        if self.0 & 1 == 0 {
            search.reconcile(map, vertex);
        } else if map.view::<S::Unknown>().is_passable(vertex) {
            search.apply(map, GraphChange::Unblocked(vertex));
        } else {
            search.apply(map, GraphChange::Blocked(vertex));
        }
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
                work.changes += 1;
            } else {
                work.revisits += 1;
            }
            self.sweep += 1;
            let vertices = map.view::<S::Unknown>().grid().vertices();
            self.is_sweeping = self.sweep < vertices;
        }
    }
}
