//! Changes of the map that wait to be taken into a search, a few per tick, without loss.

use heapless::Deque;

use crate::search::GlobalSearch;

/// Vertices to be reconciled, at most `N`, and what happens when there are more: a sweep over the
/// whole map, a few vertices per tick, which catches every change there is.
#[derive(Debug)]
pub(crate) struct Backlog<const N: usize> {
    waiting: Deque<u32, N>,
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

    pub(crate) fn push(&mut self, vertex: usize) {
        if self.waiting.push_back(vertex as u32).is_err() {
            self.sweep = Some(0);
        }
    }

    /// Takes at most `limit` changes into `search`.
    pub(crate) fn absorb(&mut self, search: &mut impl GlobalSearch, vertices: usize, limit: u32) {
        for _ in 0..limit {
            if let Some(vertex) = self.waiting.pop_front() {
                search.reconcile(vertex as usize);
            } else if let Some(next) = self.sweep {
                search.refresh(next);
                self.sweep = Some(next + 1).filter(|&next| next < vertices);
            } else {
                break;
            }
        }
    }
}
