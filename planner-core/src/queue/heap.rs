//! A binary heap: exact keys and ties broken by `g`, in logarithmic time.
//!
//! An entry is one integer: the key in its high bits, the id in its low ones. Comparing two entries
//! is one subtraction, and a sift moves one word per level.

use core::marker::PhantomData;

use super::{AuditQueue, Full, Keys, Linked, Links, Queue, Rank};
use crate::{
    storage::{Allocate, Array, BLOCK, Block, Storage, default_by_new, flat, flat_mut},
    width::{Bits16, Bits32, Width, Word},
};

/// The order of entries with equal `f`.
pub trait Tie: core::fmt::Debug {
    /// Twice `f` with the tie between under-consistent and other entries in the lowest bit.
    fn doubled(rank: Rank) -> usize;

    /// Second part of the key, within `0..=max`; the smaller comes first.
    fn second(rank: Rank, max: usize) -> usize;
}

/// Larger `g` first: the triples `[f; under- before over-consistent; -g]`.
#[derive(Clone, Copy, Debug)]
pub struct LargerG;

/// Smaller `g` first: the pairs `[f; g]`.
#[derive(Clone, Copy, Debug)]
pub struct SmallerG;

impl Tie for LargerG {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn doubled(rank: Rank) -> usize {
        (rank.f << 1).wrapping_add(usize::from(!rank.under))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn second(rank: Rank, max: usize) -> usize {
        max.saturating_sub(rank.g)
    }
}

impl Tie for SmallerG {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn doubled(rank: Rank) -> usize {
        rank.f << 1
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn second(rank: Rank, max: usize) -> usize {
        rank.g.min(max)
    }
}

/// A packed entry of the heap.
///
/// `u64` is lean: 32 bits of `2 f`, 16 of `g`, 16 of id; entries with equal keys come out in the
/// order of their ids. `u128` is stable: 40 bits of `2 f`, 32 of `g`, 24 of insertion order and 32
/// of id; entries with equal keys come out first in, first out.
pub trait Entry: Copy + Default + core::fmt::Debug + 'static {
    /// The largest `g` that fits.
    const MAX_G: usize;
    /// An entry before its first use.
    const ZERO: Self;

    /// A key, with zero for the id.
    fn pack(doubled: usize, second: usize) -> Self;

    /// The entry for a key: its id, and `turn`, the number of insertions before it.
    fn with(self, turn: u32, id: usize) -> Self;

    /// The key and the id of an entry.
    fn split(self) -> (Self, usize);

    /// Returns whether `self` comes before `other`.
    fn is_before(self, other: Self) -> bool;
}

impl Entry for u64 {
    const MAX_G: usize = u16::MAX as usize;
    const ZERO: Self = 0;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pack(doubled: usize, second: usize) -> Self {
        (doubled as u64) << 32 | (second as u64) << 16
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with(self, _turn: u32, id: usize) -> Self {
        self | id as u64
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn split(self) -> (Self, usize) {
        (self & !0xffff, (self & 0xffff) as usize)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_before(self, other: Self) -> bool {
        (self.wrapping_sub(other) as i64) < 0
    }
}

/// The place of `2 f` in a `u128`: at its upper end, so that it wraps as a machine word does.
const DOUBLED_AT: u32 = u128::BITS - if usize::BITS < 40 { usize::BITS } else { 40 };

impl Entry for u128 {
    const MAX_G: usize = u32::MAX as usize;
    const ZERO: Self = 0;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pack(doubled: usize, second: usize) -> Self {
        (doubled as u128) << DOUBLED_AT | (second as u128) << 56
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with(self, turn: u32, id: usize) -> Self {
        self | u128::from(turn & 0xff_ffff) << 32 | id as u128
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn split(self) -> (Self, usize) {
        (self >> 56 << 56, (self & 0xffff_ffff) as usize)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_before(self, other: Self) -> bool {
        (self.wrapping_sub(other) as i128) < 0
    }
}

/// A binary heap in storage `S`, with ties broken by `T`.
///
/// [`Buckets`](super::Buckets) are faster wherever keys are small integers; the heap is for the
/// papers' comparisons and for orders that need `g`.
///
/// ```
/// use planner_core::{queue::{Heap, Keys, LargerG, Linked, Queue, Rank}, storage::Array};
/// use planner_core::width::Bits16;
///
/// #[derive(Clone, Copy, Default)]
/// struct Node(u16);
/// impl Linked<u16> for Node {
///     fn link(&mut self) -> &mut u16 {
///         &mut self.0
///     }
/// }
///
/// type Open = Heap<Array<1>, u64, LargerG>;
/// let nodes = &mut [Node::default(); 10][..];
/// let mut queue = Open::new();
/// Queue::<Bits16>::clear(&mut queue, nodes, 10);
/// for (id, f, g) in [(3, 7, 1), (4, 5, 1), (5, 5, 2)] {
///     let key = Open::key(Rank { f, g, under: false });
///     Queue::<Bits16>::insert(&mut queue, nodes, id, key).unwrap();
/// }
/// let first = Queue::<Bits16>::peek(&mut queue, nodes);
/// assert_eq!(first.map(|(id, _)| id), Some(5)); // f is 5, and its g is the larger
/// ```
#[derive(Debug)]
pub struct Heap<S: Storage, E: Entry, T> {
    entries: S::Of<Block<E>>,
    len: usize,
    turn: u32,
    tie: PhantomData<T>,
}

impl<E: Entry, T, const N: usize> Heap<Array<N>, E, T> {
    /// An empty heap in an array, all zero.
    #[must_use]
    pub const fn new() -> Self {
        Self::in_storage([[E::ZERO; BLOCK]; N])
    }
}

default_by_new!([E: Entry, T, const N: usize] Heap<Array<N>, E, T>);

impl<S: Allocate, E: Entry, T> Heap<S, E, T> {
    /// An empty heap with memory for so many [`blocks`](crate::storage::blocks).
    #[must_use]
    pub fn allocate(blocks: usize) -> Self {
        Self::in_storage(S::allocate(blocks, [E::ZERO; BLOCK]))
    }
}

impl<S: Storage, E: Entry, T> Heap<S, E, T> {
    /// An empty heap for at most as many entries as there is room for.
    #[must_use]
    pub const fn in_storage(entries: S::Of<Block<E>>) -> Self {
        Self {
            entries,
            len: 0,
            turn: 0,
            tie: PhantomData,
        }
    }
}

impl<S: Storage, E: Entry, T: Tie> Heap<S, E, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at(&self, place: usize) -> E {
        at(flat(&self.entries), place)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rise<I: Word>(&mut self, nodes: &mut (impl Links<I> + ?Sized), hole: usize, entry: E) {
        rise(flat_mut(&mut self.entries), nodes, hole, entry);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle<I: Word>(&mut self, nodes: &mut (impl Links<I> + ?Sized), hole: usize, entry: E) {
        if hole > 0 && entry.is_before(self.at((hole - 1) / 2)) {
            self.rise(nodes, hole, entry);
        } else {
            sink(flat_mut(&mut self.entries), self.len, nodes, hole, entry);
        }
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn at<E: Entry>(entries: &[E], place: usize) -> E {
    entries.get(place).copied().unwrap_or_default()
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn put<E: Entry, I: Word>(
    entries: &mut [E],
    nodes: &mut (impl Links<I> + ?Sized),
    place: usize,
    entry: E,
) {
    if let Some(slot) = entries.get_mut(place) {
        *slot = entry;
    }
    if let Some(node) = nodes.node_mut(entry.split().1) {
        *node.link() = I::new(place);
    }
}

/// Moves the hole at `hole` up until `entry` fits it.
#[cfg_attr(not(debug_assertions), inline(always))]
fn rise<E: Entry, I: Word>(
    entries: &mut [E],
    nodes: &mut (impl Links<I> + ?Sized),
    mut hole: usize,
    entry: E,
) {
    while hole > 0 {
        let parent = (hole - 1) / 2;
        let above = at(entries, parent);
        if !entry.is_before(above) {
            break;
        }
        put(entries, nodes, hole, above);
        hole = parent;
    }
    put(entries, nodes, hole, entry);
}

/// Moves the hole at `hole` down until `entry` fits it.
#[cfg_attr(not(debug_assertions), inline(always))]
fn sink<E: Entry, I: Word>(
    entries: &mut [E],
    len: usize,
    nodes: &mut (impl Links<I> + ?Sized),
    mut hole: usize,
    entry: E,
) {
    loop {
        let mut child = 2 * hole + 1;
        if child >= len {
            break;
        }
        let mut below = at(entries, child);
        if child + 1 < len {
            let right = at(entries, child + 1);
            if right.is_before(below) {
                (child, below) = (child + 1, right);
            }
        }
        if !below.is_before(entry) {
            break;
        }
        put(entries, nodes, hole, below);
        hole = child;
    }
    put(entries, nodes, hole, entry);
}

/// An entry type whose id and `g` are wide enough for `W`.
pub trait Holds<W> {}
impl Holds<Bits16> for u64 {}
impl Holds<Bits16> for u128 {}
impl Holds<Bits32> for u128 {}

impl<S: Storage, E: Entry, T: Tie> Keys for Heap<S, E, T> {
    type Key = E;
    const ZERO: E = E::ZERO;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn key(rank: Rank) -> E {
        E::pack(T::doubled(rank), T::second(rank, E::MAX_G))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn floor(f: usize) -> E {
        E::pack(f << 1, 0)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_before(a: E, b: E) -> bool {
        a.is_before(b)
    }
}

impl<S: Storage, W: Width, E: Entry + Holds<W>, T: Tie> Queue<W> for Heap<S, E, T> {
    type Link = W::Id;
    const HEADS: usize = 0;
    const NO_LINK: Self::Link = W::Id::ZERO;

    fn clear(&mut self, _nodes: &mut (impl Links<W::Id> + ?Sized), _cells: usize) -> usize {
        self.len = 0;
        self.turn = 0;
        flat(&self.entries).len()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn insert(
        &mut self,
        nodes: &mut (impl Links<W::Id> + ?Sized),
        id: usize,
        key: E,
    ) -> Result<(), Full> {
        if self.len >= flat(&self.entries).len() || id >= nodes.count() {
            return Err(Full);
        }
        let entry = key.with(self.turn, id);
        self.turn = self.turn.wrapping_add(1);
        self.len += 1;
        self.rise(nodes, self.len - 1, entry);
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn remove(&mut self, nodes: &mut (impl Links<W::Id> + ?Sized), id: usize) {
        let Some(place) = nodes.node_mut(id).map(|n| n.link().get()) else {
            return;
        };
        self.len = self.len.saturating_sub(1);
        if place < self.len {
            let last = self.at(self.len);
            self.settle(nodes, place, last);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rekey(&mut self, nodes: &mut (impl Links<W::Id> + ?Sized), id: usize, key: E) {
        let Some(place) = nodes.node_mut(id).map(|n| n.link().get()) else {
            return;
        };
        let entry = key.with(self.turn, id);
        self.turn = self.turn.wrapping_add(1);
        self.settle(nodes, place, entry);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn peek(&mut self, _nodes: &mut (impl Links<W::Id> + ?Sized)) -> Option<(usize, E)> {
        if self.len == 0 {
            return None;
        }
        let (key, id) = self.at(0).split();
        Some((id, key))
    }
}

impl<S: Storage, W: Width, E: Entry + Holds<W>, T: Tie> AuditQueue<W> for Heap<S, E, T> {
    fn bound(&self, link: impl Fn(usize) -> Option<W::Id>, id: usize) -> Option<E> {
        let place = link(id)?.get();
        let (key, holds) = self.at(place).split();
        (place < self.len && holds == id).then_some(key)
    }

    fn count(&self, _link: impl Fn(usize) -> Option<W::Id>) -> usize {
        self.len
    }
}
