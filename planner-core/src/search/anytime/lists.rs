//! OPEN and INCONS in one array: a binary heap that grows from its front, a stack from its back.
//!
//! Together they hold each vertex at most once, so an entry for each vertex is room enough for both.
//! Where a vertex is, its node remembers; a place at the front is in OPEN, one at the back in INCONS.

use crate::{
    queue::{Entry, Linked},
    width::Word,
};

/// The two lists. An operation on OPEN takes logarithmic time, one on INCONS constant time.
#[derive(Debug)]
pub(super) struct Lists<'m, E> {
    /// OPEN is `..open`, a heap; INCONS is the last `incons`, in no order.
    entries: &'m mut [E],
    open: usize,
    incons: usize,
}

impl<'m, E: Entry> Lists<'m, E> {
    pub(super) fn new(entries: &'m mut [E]) -> Self {
        Self {
            entries,
            open: 0,
            incons: 0,
        }
    }

    /// How many vertices are in OPEN and in INCONS.
    pub(super) fn len(&self) -> (usize, usize) {
        (self.open, self.incons)
    }

    /// Whether a place that holds a vertex belongs to OPEN.
    #[inline(always)]
    pub(super) fn is_open(&self, place: usize) -> bool {
        place < self.open
    }

    /// The vertex in OPEN whose key comes first, and that key.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<(usize, E)> {
        let (key, id) = self.entries.get(..self.open)?.first()?.split();
        Some((id, key))
    }

    /// The key and the vertex at a place.
    pub(super) fn entry(&self, place: usize) -> (E, usize) {
        self.at(place).split()
    }

    /// Puts a vertex that is in neither list into OPEN.
    #[inline(always)]
    pub(super) fn open<I: Word, N: Linked<I>>(&mut self, nodes: &mut [N], id: usize, key: E) {
        self.open += 1;
        self.rise(nodes, self.open - 1, key.with(0, id));
    }

    /// Puts a vertex that is in neither list into INCONS.
    #[inline(always)]
    pub(super) fn set_aside<I: Word, N: Linked<I>>(&mut self, nodes: &mut [N], id: usize) {
        self.incons += 1;
        let place = self.entries.len().wrapping_sub(self.incons);
        self.put(nodes, place, E::pack(0, 0).with(0, id));
    }

    /// A vertex of INCONS: the one that is removed the soonest.
    #[inline(always)]
    pub(super) fn last_aside(&self) -> Option<(usize, usize)> {
        if self.incons == 0 {
            return None;
        }
        let place = self.entries.len().wrapping_sub(self.incons);
        Some((place, self.at(place).split().1))
    }

    /// Removes what is at a place, from whichever list it belongs to.
    #[inline(always)]
    pub(super) fn remove<I: Word, N: Linked<I>>(&mut self, nodes: &mut [N], place: usize) {
        if self.is_open(place) {
            self.open -= 1;
            if place < self.open {
                let last = self.at(self.open);
                self.settle(nodes, place, last);
            }
        } else if let Some((last_place, _)) = self.last_aside() {
            self.incons -= 1;
            if place != last_place {
                let last = self.at(last_place);
                self.put(nodes, place, last);
            }
        }
    }

    /// Gives the vertex at a place of OPEN another key.
    #[inline(always)]
    pub(super) fn rekey<I: Word, N: Linked<I>>(&mut self, nodes: &mut [N], place: usize, key: E) {
        let id = self.at(place).split().1;
        self.settle(nodes, place, key.with(0, id));
    }

    /// The first place in OPEN whose key comes before that of its parent: there should be none.
    pub(super) fn disorder(&self) -> Option<usize> {
        (1..self.open).find(|&place| self.at(place).is_before(self.at((place - 1) / 2)))
    }

    #[inline(always)]
    fn at(&self, place: usize) -> E {
        self.entries.get(place).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn put<I: Word, N: Linked<I>>(&mut self, nodes: &mut [N], place: usize, entry: E) {
        if let Some(slot) = self.entries.get_mut(place) {
            *slot = entry;
        }
        if let Some(node) = nodes.get_mut(entry.split().1) {
            *node.link() = I::new(place);
        }
    }

    /// Puts an entry into the hole at a place of the heap, and the heap in order.
    #[inline(always)]
    fn settle<I: Word, N: Linked<I>>(&mut self, nodes: &mut [N], hole: usize, entry: E) {
        if hole > 0 && entry.is_before(self.at((hole - 1) / 2)) {
            self.rise(nodes, hole, entry);
        } else {
            self.sink(nodes, hole, entry);
        }
    }

    #[inline(always)]
    fn rise<I: Word, N: Linked<I>>(&mut self, nodes: &mut [N], mut hole: usize, entry: E) {
        while hole > 0 {
            let parent = (hole - 1) / 2;
            let above = self.at(parent);
            if !entry.is_before(above) {
                break;
            }
            self.put(nodes, hole, above);
            hole = parent;
        }
        self.put(nodes, hole, entry);
    }

    #[inline(always)]
    fn sink<I: Word, N: Linked<I>>(&mut self, nodes: &mut [N], mut hole: usize, entry: E) {
        loop {
            let mut child = 2 * hole + 1;
            if child >= self.open {
                break;
            }
            let mut below = self.at(child);
            if child + 1 < self.open {
                let right = self.at(child + 1);
                if right.is_before(below) {
                    (child, below) = (child + 1, right);
                }
            }
            if !below.is_before(entry) {
                break;
            }
            self.put(nodes, hole, below);
            hole = child;
        }
        self.put(nodes, hole, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Default)]
    struct Node(u16);

    impl Linked<u16> for Node {
        fn link(&mut self) -> &mut u16 {
            &mut self.0
        }
    }

    fn key(f: usize) -> u64 {
        Entry::pack(f, 0)
    }

    #[test]
    fn both_lists_fit_one_array_and_leave_each_other_alone() {
        let (mut nodes, mut entries) = ([Node(0); 6], [0u64; 6]);
        let mut lists = Lists::new(&mut entries);
        for id in [0, 2, 4] {
            lists.open(&mut nodes, id, key(100 - id));
            lists.set_aside(&mut nodes, id + 1);
        }
        let place = |nodes: &[Node; 6], id: usize| usize::from(nodes[id].0);
        assert_eq!(lists.len(), (3, 3));
        for id in 0..6 {
            assert_eq!(lists.is_open(place(&nodes, id)), id % 2 == 0);
            assert_eq!(lists.entry(place(&nodes, id)).1, id);
        }

        let first_aside = place(&nodes, 1);
        lists.remove(&mut nodes, first_aside);
        lists.open(&mut nodes, 1, key(50));
        assert_eq!(lists.len(), (4, 2));
        assert_eq!(lists.first(), Some((1, key(50))));
        lists.rekey(&mut nodes, 0, key(97));
        assert_eq!(lists.first(), Some((4, key(96))));
        for id in 0..6 {
            assert_eq!(lists.entry(place(&nodes, id)).1, id);
        }
    }

    #[test]
    fn open_gives_out_the_smallest_key_across_the_wrap_of_the_circle() {
        let (mut nodes, mut entries) = ([Node(0); 8], [0u64; 8]);
        let mut lists = Lists::new(&mut entries);
        for (id, f) in [7, 3, 6, 0, 5, 1, 4, 2].into_iter().enumerate() {
            lists.open(&mut nodes, id, key((u32::MAX as usize - 3).wrapping_add(f)));
        }
        for id in [3, 5, 7, 1, 6, 4, 2, 0] {
            assert_eq!(lists.first().map(|(id, _)| id), Some(id));
            assert_eq!(lists.disorder(), None);
            lists.remove(&mut nodes, 0);
        }
        assert_eq!(lists.first(), None);
    }
}
