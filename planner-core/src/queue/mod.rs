//! OPEN lists: [buckets](Buckets) for speed, or a [binary heap](Heap) for exact keys.
//!
//! A queue is intrusive: its data of an entry ([`Queue::Link`]) lies in the node of the search, beside `g`. So an
//! entry is in the queue at most once and is found for removal without a look-up.
//!
//! Keys are ordered on a circle: `a` comes before `b` when `b` is less than half the circle
//! ahead. As long as the keys that are in a queue at one time span less than half the circle, they
//! may grow for ever and wrap around.

pub(crate) mod bitmap;
mod bucket;
mod heap;

pub use bucket::{BucketLink, Buckets, Fifo, Lifo, Order};
pub use heap::{Entry, Heap, Holds, LargerG, SmallerG, Tie};

use crate::{storage::Nodes, width::Width};

/// The values that decide the place of an entry in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// `min(g, rhs) + h + k_m`, or `g + h` for A*.
    pub f: usize,
    /// `min(g, rhs)`, to break ties between equal `f`.
    pub g: usize,
    /// True if the entry is under-consistent (`g < rhs`), which puts it before others of its `f`.
    pub under: bool,
}

/// A node of a search that lends a queue room for its link.
pub trait Linked<L> {
    /// The queue's part of the node.
    fn link(&mut self) -> &mut L;
}

/// The nodes of a search, as a queue needs them.
pub trait Links<L>: Nodes<Node: Linked<L>> {}

impl<L, N: Nodes<Node: Linked<L>> + ?Sized> Links<L> for N {}

/// There is no room for the entry: its id, or the number of entries, is beyond the capacity that
/// the queue was given. Nothing was inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// The order of entries. Keys are compared on a circle.
pub trait Keys: core::fmt::Debug {
    /// A place in the order.
    type Key: Copy + core::fmt::Debug;
    /// Any key, where a constant is needed.
    const ZERO: Self::Key;

    /// Returns the key of an entry.
    fn key(rank: Rank) -> Self::Key;

    /// Returns a key that is not after any entry's with this `f`.
    fn floor(f: usize) -> Self::Key;

    /// Returns whether `a` comes before `b`, not counting ties.
    fn is_before(a: Self::Key, b: Self::Key) -> bool;
}

/// A priority queue over the nodes `0..cells` of a search.
///
/// The key that [`Queue::peek`] reports is a *lower bound* of the one the entry was inserted with, and the entry
/// is a minimal one by these bounds. A caller that finds the entry's true key to be later re-keys it and peeks
/// again; D* Lite does so anyway, because its keys age as the robot moves. A heap's bounds are exact; buckets
/// report a smaller key for an entry that lay beyond their window.
pub trait Queue<W: Width>: Keys {
    /// The queue's data in the node of an entry.
    type Link: Copy + Default + core::fmt::Debug + 'static;
    /// Nodes behind those of the cells that the queue uses for itself.
    const HEADS: usize;
    /// The link of a node before its first use.
    const NO_LINK: Self::Link;
    /// True if keys are the integer `2 f`, plus one unless under-consistent: then [`Queue::insert_near`] and
    /// [`Queue::farther`] work.
    const NEAR: bool = false;

    /// Empties the queue, which from now on serves `cells` cells, in time that does not depend on
    /// their number. Returns how many entries it can hold at most.
    fn clear(&mut self, nodes: &mut (impl Links<Self::Link> + ?Sized), cells: usize) -> usize;

    /// Inserts an entry that is not in the queue.
    ///
    /// # Errors
    /// The queue is [`Full`].
    fn insert(
        &mut self,
        nodes: &mut (impl Links<Self::Link> + ?Sized),
        id: usize,
        key: Self::Key,
    ) -> Result<(), Full>;

    /// Removes an entry that is in the queue.
    fn remove(&mut self, nodes: &mut (impl Links<Self::Link> + ?Sized), id: usize);

    /// Gives an entry that is in the queue another key.
    fn rekey(&mut self, nodes: &mut (impl Links<Self::Link> + ?Sized), id: usize, key: Self::Key);

    /// A first entry and the bound of its key; `None` when the queue is empty.
    fn peek(&mut self, nodes: &mut (impl Links<Self::Link> + ?Sized))
    -> Option<(usize, Self::Key)>;

    /// Removes the entry that was just [peeked](Queue::peek) at. Returns another first entry with the same
    /// bound; `None` if there is none, or if only another peek finds it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pop(
        &mut self,
        nodes: &mut (impl Links<Self::Link> + ?Sized),
        first: usize,
    ) -> Option<usize> {
        self.remove(nodes, first);
        None
    }

    /// Returns the entry behind `first`, which need not be linked any more, of those with the bound that was last
    /// [peeked](Queue::peek) at; `None` behind the last, and then none is left. Only for queues with
    /// [`Queue::NEAR`].
    ///
    /// The entries before the one that is returned are gone only when [`Queue::remove_before`] is called for it, or
    /// when it is [popped](Queue::pop) or [re-queued](Queue::requeue).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn after(
        &mut self,
        _nodes: &mut (impl Links<Self::Link> + ?Sized),
        _first: usize,
    ) -> Option<usize> {
        None
    }

    /// Removes the entries before `first`. See [`Queue::after`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn remove_before(&mut self, _nodes: &mut (impl Links<Self::Link> + ?Sized), _first: usize) {}

    /// [Re-queues](Queue::requeue) an entry and returns the one [after](Queue::after) it, or `None` if only another
    /// peek finds it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn requeue_and_next(
        &mut self,
        nodes: &mut (impl Links<Self::Link> + ?Sized),
        first: usize,
        key: Self::Key,
    ) -> Option<usize> {
        self.requeue(nodes, first, key);
        None
    }

    /// Marks the keys of all present entries as lower bounds.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn age(&mut self) {}

    /// Returns whether all entries with the bound that was last [peeked](Queue::peek) at have exactly that key. May be
    /// false where they have.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_exact(&self) -> bool {
        false
    }

    /// Returns whether a key is not after the bound that was last [peeked](Queue::peek) at. Only for queues with
    /// [`Queue::NEAR`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_at(&self, _key: Self::Key) -> bool {
        false
    }

    /// Inserts an entry that is not in the queue with the key that was last [peeked](Queue::peek) at or, if
    /// `farther`, with that of an `f` larger by two. The entry that was peeked at is still in the queue and
    /// stays the first. Only for queues with [`Queue::NEAR`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn insert_near(
        &mut self,
        _nodes: &mut (impl Links<Self::Link> + ?Sized),
        _id: usize,
        _farther: bool,
    ) {
    }

    /// Returns the key of an entry whose `f` is larger by two. Only for queues with [`Queue::NEAR`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    fn farther(key: Self::Key) -> Self::Key {
        key
    }

    /// Gives the entry that was just [peeked](Queue::peek) at another key.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn requeue(
        &mut self,
        nodes: &mut (impl Links<Self::Link> + ?Sized),
        first: usize,
        key: Self::Key,
    ) {
        self.rekey(nodes, first, key);
    }
}

/// Read access to the entries of a queue, for audits: it may take time in proportion to their number. `link` reads
/// the links of the nodes.
pub trait AuditQueue<W: Width>: Queue<W> {
    /// Returns the bound of the key of an entry, as [`Queue::peek`] would report it if all others were gone;
    /// `None` if the queue cannot find it.
    fn bound(&self, link: impl Fn(usize) -> Option<Self::Link>, id: usize) -> Option<Self::Key>;

    /// Returns the number of entries.
    fn count(&self, link: impl Fn(usize) -> Option<Self::Link>) -> usize;
}
