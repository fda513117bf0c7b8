//! Changes of the map that wait to be taken into a search, a few per tick, without loss.

use heapless::Deque;

use crate::{
    search::GlobalSearch,
    terrain::{Change, Terrain},
};

/// A change in four bytes: the vertex, and whether that was closed or opened.
#[derive(Clone, Copy, Debug)]
struct Waiting(u32);

impl Waiting {
    fn new(change: Change) -> Self {
        let is_vertex = matches!(change, Change::Closed(_) | Change::Opened(_));
        Self((change.vertex() as u32) << 1 | u32::from(is_vertex))
    }

    fn take_into(self, search: &mut impl GlobalSearch) {
        let vertex = (self.0 >> 1) as usize;
        if self.0 & 1 == 0 {
            search.reconcile(vertex);
        } else if search.terrain().is_open(vertex) {
            search.apply(Change::Opened(vertex));
        } else {
            search.apply(Change::Closed(vertex));
        }
    }
}

/// Changes to be taken into a search, at most `N`, and what happens when there are more: a sweep over
/// the whole map, a few vertices per tick, which catches every change there is.
#[derive(Debug)]
pub(crate) struct Backlog<const N: usize> {
    waiting: Deque<Waiting, N>,
    /// The next vertex of a sweep under way. It makes good for changes before it began; later ones
    /// wait in the queue like others, or start it again.
    sweep: Option<usize>,
}

impl<const N: usize> Backlog<N> {
    pub(crate) const fn new() -> Self {
        Self {
            waiting: Deque::new(),
            sweep: None,
        }
    }

    /// Whether the search knows everything that the map knows.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.sweep.is_none()
    }

    /// Whether changes came faster than they could be taken in, and the map is being swept.
    pub(crate) fn is_sweeping(&self) -> bool {
        self.sweep.is_some()
    }

    pub(crate) fn push(&mut self, change: Change) {
        if self.waiting.push_back(Waiting::new(change)).is_err() {
            self.sweep = Some(0);
        }
    }

    /// Takes at most `limit` changes, or vertices of a sweep, into `search`.
    pub(crate) fn absorb(&mut self, search: &mut impl GlobalSearch, vertices: usize, limit: u32) {
        for _ in 0..limit {
            if let Some(change) = self.waiting.pop_front() {
                change.take_into(search);
            } else if let Some(next) = self.sweep {
                search.refresh(next);
                self.sweep = Some(next + 1).filter(|&next| next < vertices);
            } else {
                break;
            }
        }
    }
}
