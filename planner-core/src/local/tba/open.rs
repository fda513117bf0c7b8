//! The OPEN list of a tree that is kept: a ring of buckets, in which every operation takes constant time.
//!
//! It shows a window of [`BUCKETS`] buckets from the cursor on, each as wide as a step costs at least. In a bucket the
//! entry that was inserted last comes first: it tends to be the farthest from the root. An entry beyond the window is
//! in the last bucket, or comes up a turn of the ring too early; whoever finds that its key [is later](OpenBuckets::is_early) inserts it
//! again.

use super::super::space::{Entry, Link};
use crate::{chip::call_on_chip, graph::Graph, queue::bitmap::Bitmap, width::Width};

const WORDS: usize = 8;
const BUCKETS: usize = WORDS * u32::BITS as usize;

/// The entries before and after one in its bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::local) struct Neighbors {
    /// The number of an entry, or [`NONE`].
    next: u16,
    /// The number of an entry, [`FIRST`] plus the bucket if it is the first there, [`OUT`] or [`DONE`].
    prev: u16,
}

/// Entry numbers are below.
const FIRST: u16 = 0xfe00;
/// Not in the list.
const OUT: u16 = 0xff00;
/// Taken out of the list for good.
const DONE: u16 = 0xff01;
const NONE: u16 = u16::MAX;

impl Link for Neighbors {
    // A tree that has no room for a cell goes on elsewhere.
    const CHAIN: usize = 5;
    const UNUSED: Self = Self { next: 0, prev: 0 };
}

impl Neighbors {
    /// An entry that is not in the list.
    pub(super) const OUT: Self = Self {
        next: NONE,
        prev: OUT,
    };
    /// An entry that was taken out of the list for good.
    pub(super) const DONE: Self = Self {
        next: NONE,
        prev: DONE,
    };

    /// Returns whether the entry is in the list.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_queued(self) -> bool {
        self.prev < OUT
    }
}

/// The OPEN list over the entries of a table.
#[derive(Debug)]
#[repr(C)] // the chip reaches what comes first with one instruction
pub(super) struct OpenBuckets {
    /// The first bucket of the window. No entry has a key before it.
    cursor: usize,
    /// A key is in the bucket of this many bits less.
    shift: u32,
    /// Buckets with entries.
    used: Bitmap<WORDS>,
    /// The first entry of each bucket that is in use.
    firsts: [u16; BUCKETS],
}

impl OpenBuckets {
    /// A list that must be [cleared](OpenBuckets::clear) before its first use: all zero.
    pub(super) const ZERO: Self = Self {
        cursor: 0,
        shift: 0,
        used: Bitmap::EMPTY,
        firsts: [0; BUCKETS],
    };

    /// Empties the list.
    pub(super) fn clear(&mut self, graph: &impl Graph) {
        self.used = Bitmap::EMPTY;
        // No wider than the cheapest edge: then Dijkstra's algorithm may take the entries of a bucket in any order.
        self.shift = graph.heuristic(1, 0).checked_ilog2().unwrap_or(0);
    }

    call_on_chip! {
        /// The number of a first entry.
        pub(super) fn first(&mut self) -> Option<usize> {
            self.cursor = self.cursor.wrapping_add(self.used.distance(self.cursor)?);
            Some(self.firsts[self.cursor % BUCKETS].into())
        }
    }

    /// Returns whether a key is later than the bucket of the [first](OpenBuckets::first) entry.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_early(&self, key: usize) -> bool {
        key >> self.shift > self.cursor
    }

    /// A key of the first bucket.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn first_key(&self) -> usize {
        self.cursor << self.shift
    }

    call_on_chip! {
        /// Inserts an entry that is not in the list.
        pub(super) fn insert<W: Width, const N: usize>(
            &mut self,
            entries: &mut [Entry<W, Neighbors>; N],
            number: usize,
            key: usize,
        ) {
            const { assert!(N <= FIRST as usize, "numbers of entries and buckets") }
            let bucket = key >> self.shift;
            if self.used.is_empty() {
                self.cursor = bucket;
            }
            let ahead = bucket.wrapping_sub(self.cursor);
            let bucket = if ahead < BUCKETS {
                bucket
            } else if (ahead as isize) < 0 {
                self.cursor = bucket;
                bucket
            } else {
                self.cursor.wrapping_add(BUCKETS - 1)
            };
            self.insert_into(entries, number, bucket % BUCKETS);
        }
    }

    /// Inserts an entry that is not in the list as its first.
    pub(super) fn insert_first<W: Width, const N: usize>(
        &mut self,
        entries: &mut [Entry<W, Neighbors>; N],
        number: usize,
    ) {
        self.first();
        self.insert_into(entries, number, self.cursor % BUCKETS);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn insert_into<W: Width, const N: usize>(
        &mut self,
        entries: &mut [Entry<W, Neighbors>; N],
        number: usize,
        bucket: usize,
    ) {
        let mut next = NONE;
        if self.used.contains(bucket) {
            next = self.firsts[bucket % BUCKETS];
            if let Some(entry) = entries.get_mut(usize::from(next)) {
                entry.link.prev = number as u16;
            }
        } else {
            self.used.insert(bucket);
        }
        self.firsts[bucket % BUCKETS] = number as u16;
        if let Some(entry) = entries.get_mut(number) {
            let prev = FIRST + bucket as u16;
            entry.link = Neighbors { next, prev };
        }
    }

    call_on_chip! {
        /// Removes the [first](OpenBuckets::first) entry.
        pub(super) fn pop<W: Width, const N: usize>(
            &mut self,
            entries: &mut [Entry<W, Neighbors>; N],
            first: usize,
            left: Neighbors,
        ) {
            let Some(entry) = entries.get_mut(first) else {
                return;
            };
            let Neighbors { next, prev } = core::mem::replace(&mut entry.link, left);
            let bucket = self.cursor % BUCKETS;
            match entries.get_mut(usize::from(next)) {
                Some(entry) => {
                    entry.link.prev = prev;
                    self.firsts[bucket] = next;
                }
                None => self.used.remove(bucket),
            }
        }
    }

    call_on_chip! {
        /// Removes an entry that is in the list.
        pub(super) fn remove<W: Width, const N: usize>(
            &mut self,
            entries: &mut [Entry<W, Neighbors>; N],
            number: usize,
            left: Neighbors,
        ) {
            let Some(entry) = entries.get_mut(number) else {
                return;
            };
            let Neighbors { next, prev } = core::mem::replace(&mut entry.link, left);
            if let Some(entry) = entries.get_mut(usize::from(next)) {
                entry.link.prev = prev;
            }
            if prev < FIRST {
                if let Some(entry) = entries.get_mut(usize::from(prev)) {
                    entry.link.next = next;
                }
                return;
            }
            let bucket = usize::from(prev - FIRST);
            if next == NONE {
                self.used.remove(bucket);
            } else {
                self.firsts[bucket % BUCKETS] = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::width::Bits16;

    const N: usize = 40;

    /// Removes an entry with the smallest key, after those that are early were inserted again.
    fn pop(
        open: &mut OpenBuckets,
        entries: &mut [Entry<Bits16, Neighbors>; N],
        keys: &[Option<usize>; N],
    ) -> Option<usize> {
        loop {
            let first = open.first()?;
            let key = keys[first].expect("it is in the list");
            open.remove(entries, first, Neighbors::OUT);
            if !open.is_early(key) {
                return Some(first);
            }
            open.insert(entries, first, key);
        }
    }

    /// Random insertions, other keys and removals beside a list of keys that is searched through; keys are often
    /// beyond the window.
    #[test]
    fn the_first_entry_that_is_not_early_has_the_smallest_key() {
        let mut noise = 7_u32;
        let mut draw = |below: usize| {
            noise ^= noise << 13;
            noise ^= noise >> 17;
            noise ^= noise << 5;
            noise as usize % below
        };
        let mut open = OpenBuckets::ZERO;
        let mut entries = [Entry::default(); N];
        for range in [60, 255, 1000, 5000] {
            let mut keys = [None; N];
            for _ in 0..20_000 {
                let number = draw(N);
                let key = draw(range);
                match (draw(3), keys[number]) {
                    (0, _) => {
                        let smallest = keys.iter().flatten().min().copied();
                        let first = pop(&mut open, &mut entries, &keys);
                        assert_eq!(first.and_then(|first| keys[first]), smallest);
                        if let Some(first) = first {
                            keys[first] = None;
                            assert!(!entries[first].link.is_queued());
                        }
                        continue;
                    }
                    (_, None) => {}
                    (_, Some(_)) => open.remove(&mut entries, number, Neighbors::OUT),
                }
                open.insert(&mut entries, number, key);
                keys[number] = Some(key);
                assert!(entries[number].link.is_queued());
            }
            while let Some(first) = pop(&mut open, &mut entries, &keys) {
                keys[first] = None;
            }
            assert_eq!(keys, [None; N]);
        }
    }
}
