//! A ring of buckets: every operation in constant time, whatever the keys do.
//!
//! The ring shows a window of keys `cursor..cursor + BUCKETS`; key `k` lives in bucket `k % BUCKETS`,
//! a doubly linked list through the nodes that begins and ends at a head node of its own. There is
//! no overflow list and nothing is ever moved when the window moves:
//!
//! - A key beyond the window goes into the window's *last* bucket. When the cursor comes there, the
//!   entry is offered with the bucket's key, too early, and its owner re-keys it.
//! - A key before the cursor moves the cursor back. Entries at the far end of the old window now
//!   appear one turn of the ring earlier; they too are offered early and re-keyed.
//!
//! Both make a reported key smaller, never larger, which is all that [`Queue`] promises and all that
//! D* Lite needs. Each such detour is a re-queue: it is counted, and paid from the tick's budget.
//! The next bucket in use is found in a bitmap with a summary, without a loop.

use core::marker::PhantomData;

use super::{AuditQueue, Full, Keys, Linked, Links, Queue, Rank, bitmap::Bitmap};
use crate::{
    chip::{PREDICTS_BRANCHES, call_on_chip},
    storage::default_by_new,
    width::{Width, Word},
};

/// The order of entries in a bucket.
pub trait Order: Copy + core::fmt::Debug + Default {
    /// True if the entry inserted last comes first.
    const LIFO: bool;
}

/// The entry inserted last comes first: fewer cells are expanded, as it tends to be the one closest
/// to the end of the search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lifo;

/// The entry inserted first comes first: D* Lite expands a little more and still is faster, because
/// fewer entries change their place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl Order for Lifo {
    const LIFO: bool = true;
}

impl Order for Fifo {
    const LIFO: bool = false;
}

/// The entries before and after one in its bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BucketLink<I> {
    next: I,
    prev: I,
}

/// The scalar priorities of Likhachev & Koenig (2006) on a ring of `32 * WORDS` buckets.
///
/// Use a [`Heap`](super::Heap) instead where ties must be broken by `g`.
///
/// ```
/// use planner_core::queue::{BucketLink, Buckets, Fifo, Linked, Queue, Rank};
/// use planner_core::width::Bits16;
///
/// #[derive(Clone, Copy, Default)]
/// struct Node(BucketLink<u16>);
/// impl Linked<BucketLink<u16>> for Node {
///     fn link(&mut self) -> &mut BucketLink<u16> {
///         &mut self.0
///     }
/// }
///
/// let nodes = &mut [Node::default(); 10 + 32][..]; // ten cells and a head for each bucket
/// let mut queue = Buckets::<1, Fifo>::new();
/// Queue::<Bits16>::clear(&mut queue, nodes, 10);
/// for (id, key) in [(3, 7), (4, 5), (5, 7)] {
///     Queue::<Bits16>::insert(&mut queue, nodes, id, key).unwrap();
/// }
/// assert_eq!(Queue::<Bits16>::peek(&mut queue, nodes), Some((4, 5)));
/// Queue::<Bits16>::remove(&mut queue, nodes, 4);
/// assert_eq!(Queue::<Bits16>::peek(&mut queue, nodes), Some((3, 7)));
/// ```
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Buckets<const WORDS: usize, O = Fifo> {
    /// No entry has a bound before it.
    cursor: usize,
    /// Node of the head of the cursor's bucket.
    head: usize,
    /// Node of the head of the bucket [`FARTHER`] behind it.
    farther: usize,
    /// Node of bucket 0's head; it is also the number of cells.
    heads: usize,
    /// Bit `n` is set if buckets of group `n` in `used` may hold entries with later keys than their own.
    aged: u32,
    /// Bit `b` is set exactly when bucket `b` holds an entry, or when it is the cursor's and held one.
    used: Bitmap<WORDS>,
    order: PhantomData<O>,
}

const BITS: usize = u32::BITS as usize;

/// From the key of an entry to that of one whose `f` is larger by two.
const FARTHER: usize = 4;

impl<const WORDS: usize, O: Order> Buckets<WORDS, O> {
    const BUCKETS: usize = WORDS * BITS;

    /// An empty ring, to be [cleared](Queue::clear) by the search that uses it.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            cursor: 0,
            head: 0,
            farther: 0,
            heads: 0,
            used: Bitmap::EMPTY,
            aged: 0,
            order: PhantomData,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn link<W: Width>(
        &mut self,
        nodes: &mut (impl Links<BucketLink<W::Id>> + ?Sized),
        id: usize,
        head: usize,
    ) {
        let beside = self.link_unmarked::<W>(nodes, id, head);
        // Most often it is marked already. A branch to find out pays only where none is mispredicted.
        if !PREDICTS_BRANCHES && beside != head {
            return;
        }
        self.mark(head);
    }

    /// Marks a bucket as used.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mark(&mut self, head: usize) {
        self.used.insert(head.wrapping_sub(self.heads));
    }

    /// Links an entry into a bucket without marking that as used; the entry beside it, or the head.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn link_unmarked<W: Width>(
        &mut self,
        nodes: &mut (impl Links<BucketLink<W::Id>> + ?Sized),
        id: usize,
        head: usize,
    ) -> usize {
        let Some(node) = nodes.node_mut(head) else {
            return id;
        };
        // The head is before the first entry and after the last.
        let ends = node.link();
        let end = if O::LIFO {
            &mut ends.next
        } else {
            &mut ends.prev
        };
        let beside = core::mem::replace(end, W::Id::new(id));
        let (next, prev) = if O::LIFO {
            (beside, W::Id::new(head))
        } else {
            (W::Id::new(head), beside)
        };
        if let Some(node) = nodes.node_mut(id) {
            *node.link() = BucketLink { next, prev };
        }
        if let Some(node) = nodes.node_mut(beside.get()) {
            let link = node.link();
            if O::LIFO {
                link.prev = W::Id::new(id);
            } else {
                link.next = W::Id::new(id);
            }
        }
        beside.get()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn unlink<W: Width>(
        &mut self,
        nodes: &mut (impl Links<BucketLink<W::Id>> + ?Sized),
        id: usize,
    ) {
        let BucketLink { next, prev } = link_of::<W>(nodes, id);
        if let Some(node) = nodes.node_mut(prev.get()) {
            node.link().next = next;
        }
        if let Some(node) = nodes.node_mut(next.get()) {
            node.link().prev = prev;
        }
        // Only a head is both before and after an entry: the bucket is now empty.
        if next == prev {
            self.used.remove(next.get().wrapping_sub(self.heads));
        }
    }

    /// Takes the first entry out of the cursor's bucket, which stays marked; the entry after it, or the head.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn unlink_first<W: Width>(
        &mut self,
        nodes: &mut (impl Links<BucketLink<W::Id>> + ?Sized),
        first: usize,
    ) -> usize {
        let next = link_of::<W>(nodes, first).next;
        if let Some(node) = nodes.node_mut(self.head) {
            node.link().next = next;
        }
        if let Some(node) = nodes.node_mut(next.get()) {
            node.link().prev = W::Id::new(self.head);
        }
        next.get()
    }

    /// Returns an entry of the cursor's bucket; empties the bucket if it is its head.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin_at<W: Width>(
        &mut self,
        nodes: &mut (impl Links<BucketLink<W::Id>> + ?Sized),
        entry: usize,
    ) -> Option<usize> {
        if entry == self.head {
            Queue::<W>::remove_before(self, nodes, entry);
            return None;
        }
        Some(entry)
    }

    fn set_cursor(&mut self, cursor: usize) {
        self.cursor = cursor;
        self.head = self.head_of(cursor);
        self.farther = self.head_of(cursor.wrapping_add(FARTHER));
    }

    /// Node of the head of the bucket for a key inside the window.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn head_of(&self, key: usize) -> usize {
        self.heads + (key & (Self::BUCKETS - 1))
    }

    call_on_chip! {
        /// Leaves the cursor's bucket, which is empty, for the next one in use; its first entry.
        fn next_bucket<W: Width>(
            &mut self,
            nodes: &mut (impl Links<BucketLink<W::Id>> + ?Sized),
        ) -> Option<usize> {
            self.used.remove(self.cursor);
            self.set_cursor(self.cursor.wrapping_add(self.used.distance(self.cursor)?));
            Some(link_of::<W>(nodes, self.head).next.get())
        }
    }

    /// Node of the head of the bucket for `key`, after moving the cursor where that is needed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn find_head<W: Width>(
        &mut self,
        nodes: &mut (impl Links<BucketLink<W::Id>> + ?Sized),
        key: usize,
    ) -> usize {
        let key = if key.wrapping_sub(self.cursor) < Self::BUCKETS {
            key
        } else {
            self.outside::<W>(nodes, key)
        };
        self.head_of(key)
    }

    call_on_chip! {
        /// The key to use for one outside the window.
        #[cfg_attr(target_arch = "arm", cold)]
        fn outside<W: Width>(
            &mut self,
            nodes: &mut (impl Links<BucketLink<W::Id>> + ?Sized),
            key: usize,
        ) -> usize {
            if link_of::<W>(nodes, self.head).next.get() == self.head {
                self.used.remove(self.cursor);
            }
            let is_back = (key.wrapping_sub(self.cursor) as isize) < 0;
            let is_empty = self.used.is_empty();
            // What is beyond the end of the window is offered early: this entry, or others when the window moves back.
            self.aged = if is_empty { 0 } else { u32::MAX };
            if is_back || is_empty {
                self.set_cursor(key);
                key
            } else {
                self.cursor.wrapping_add(Self::BUCKETS - 1)
            }
        }
    }
}

default_by_new!([const WORDS: usize, O: Order] Buckets<WORDS, O>);

#[cfg_attr(not(debug_assertions), inline(always))]
fn link_of<W: Width>(
    nodes: &mut (impl Links<BucketLink<W::Id>> + ?Sized),
    id: usize,
) -> BucketLink<W::Id> {
    nodes.node_mut(id).map(|n| *n.link()).unwrap_or_default()
}

impl<const WORDS: usize, O: Order> Keys for Buckets<WORDS, O> {
    type Key = usize;
    const ZERO: usize = 0;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn key(rank: Rank) -> usize {
        (rank.f << 1).wrapping_add(usize::from(!rank.under))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn floor(f: usize) -> usize {
        f << 1
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_before(a: usize, b: usize) -> bool {
        (a.wrapping_sub(b) as isize) < 0
    }
}

impl<W: Width, const WORDS: usize, O: Order> Queue<W> for Buckets<WORDS, O> {
    type Link = BucketLink<W::Id>;
    const HEADS: usize = Self::BUCKETS;
    /// The last entry in would come before the one that was peeked at.
    const NEAR: bool = !O::LIFO;
    const NO_LINK: Self::Link = BucketLink {
        next: W::Id::ZERO,
        prev: W::Id::ZERO,
    };

    fn clear(&mut self, nodes: &mut (impl Links<Self::Link> + ?Sized), cells: usize) -> usize {
        self.heads = cells;
        self.set_cursor(self.cursor);
        (self.used, self.aged) = (Bitmap::EMPTY, 0);
        for head in cells..cells.saturating_add(Self::BUCKETS) {
            if let Some(node) = nodes.node_mut(head) {
                let id = W::Id::new(head);
                *node.link() = BucketLink { next: id, prev: id };
            }
        }
        cells
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn insert(
        &mut self,
        nodes: &mut (impl Links<Self::Link> + ?Sized),
        id: usize,
        key: usize,
    ) -> Result<(), Full> {
        if id >= self.heads {
            return Err(Full);
        }
        let head = self.find_head::<W>(nodes, key);
        self.link::<W>(nodes, id, head);
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn remove(&mut self, nodes: &mut (impl Links<Self::Link> + ?Sized), id: usize) {
        self.unlink::<W>(nodes, id);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rekey(&mut self, nodes: &mut (impl Links<Self::Link> + ?Sized), id: usize, key: usize) {
        self.unlink::<W>(nodes, id);
        let head = self.find_head::<W>(nodes, key);
        self.link::<W>(nodes, id, head);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn peek(&mut self, nodes: &mut (impl Links<Self::Link> + ?Sized)) -> Option<(usize, usize)> {
        let mut first = nodes.node_mut(self.head)?.link().next.get();
        if first == self.head {
            first = self.next_bucket::<W>(nodes)?;
        }
        Some((first, self.cursor))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pop(
        &mut self,
        nodes: &mut (impl Links<Self::Link> + ?Sized),
        first: usize,
    ) -> Option<usize> {
        let next = self.unlink_first::<W>(nodes, first);
        (next != self.head).then_some(next)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn after(
        &mut self,
        nodes: &mut (impl Links<Self::Link> + ?Sized),
        first: usize,
    ) -> Option<usize> {
        let next = link_of::<W>(nodes, first).next.get();
        self.begin_at::<W>(nodes, next)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn remove_before(&mut self, nodes: &mut (impl Links<Self::Link> + ?Sized), first: usize) {
        if let Some(node) = nodes.node_mut(self.head) {
            node.link().next = W::Id::new(first);
        }
        if let Some(node) = nodes.node_mut(first) {
            node.link().prev = W::Id::new(self.head);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn requeue_and_next(
        &mut self,
        nodes: &mut (impl Links<Self::Link> + ?Sized),
        first: usize,
        key: usize,
    ) -> Option<usize> {
        if key.wrapping_sub(self.cursor) >= Self::BUCKETS {
            Queue::<W>::requeue(self, nodes, first, key);
            return None;
        }
        let next = link_of::<W>(nodes, first).next.get();
        self.link::<W>(nodes, first, self.head_of(key));
        self.begin_at::<W>(nodes, next)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn age(&mut self) {
        self.aged = self.used.groups();
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_exact(&self) -> bool {
        self.aged >> Bitmap::<WORDS>::group(self.cursor) & 1 == 0
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_at(&self, key: usize) -> bool {
        !<Self as Keys>::is_before(self.cursor, key)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn farther(key: usize) -> usize {
        key.wrapping_add(FARTHER)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn insert_near(
        &mut self,
        nodes: &mut (impl Links<Self::Link> + ?Sized),
        id: usize,
        farther: bool,
    ) {
        if farther {
            let head = self.farther;
            // Many follow the first.
            if self.link_unmarked::<W>(nodes, id, head) == head {
                self.mark(head);
            }
        } else {
            // The entry that was peeked at is there: the bucket is marked.
            self.link_unmarked::<W>(nodes, id, self.head);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn requeue(&mut self, nodes: &mut (impl Links<Self::Link> + ?Sized), first: usize, key: usize) {
        self.unlink_first::<W>(nodes, first);
        let head = self.find_head::<W>(nodes, key);
        self.link::<W>(nodes, first, head);
    }
}

impl<W: Width, const WORDS: usize, O: Order> AuditQueue<W> for Buckets<WORDS, O> {
    fn bound(&self, link: impl Fn(usize) -> Option<Self::Link>, id: usize) -> Option<usize> {
        let mut at = id;
        for _ in 0..=self.heads {
            at = link(at)?.next.get();
            if at >= self.heads {
                let ahead = (at - self.heads).wrapping_sub(self.cursor) & (Self::BUCKETS - 1);
                return Some(self.cursor.wrapping_add(ahead));
            }
        }
        None
    }

    fn count(&self, link: impl Fn(usize) -> Option<Self::Link>) -> usize {
        let entries = |head| {
            let next = |&id: &usize| Some(link(id)?.next.get());
            core::iter::successors(next(&head), next)
                .take(self.heads)
                .take_while(|&id| id < self.heads)
                .count()
        };
        (0..Self::BUCKETS).map(|n| entries(self.heads + n)).sum()
    }
}
