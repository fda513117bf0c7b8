//! The open list: a plain binary heap over the entries of the local search space.

use crate::{
    queue::{Entry as Packed, Heap, Holds, Queue, Rank, Tie},
    width::{Width, Word},
};

/// A place in the open list: the key and the number of an entry.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place<W: Width> {
    key: W::Cost,
    number: u16,
}

impl<W: Width> Packed for Place<W> {
    const MAX_G: usize = 0;

    #[inline(always)]
    fn pack(doubled: usize, _second: usize) -> Self {
        Self {
            key: W::Cost::new(doubled >> 1),
            number: 0,
        }
    }

    #[inline(always)]
    fn with(self, _turn: u32, id: usize) -> Self {
        Self {
            key: self.key,
            number: id as u16,
        }
    }

    #[inline(always)]
    fn split(self) -> (Self, usize) {
        (self, self.number.into())
    }

    #[inline(always)]
    fn is_before(self, other: Self) -> bool {
        self.key.get() < other.key.get()
    }
}

impl<W: Width> Holds<W> for Place<W> {}

/// Ties are left as the heap has them: this is how the papers' tables came about.
#[derive(Clone, Copy, Debug)]
pub(super) struct FAlone;

impl Tie for FAlone {
    #[inline(always)]
    fn doubled(rank: Rank) -> usize {
        rank.f << 1
    }

    #[inline(always)]
    fn second(_rank: Rank, _max: usize) -> usize {
        0
    }
}

/// The open list over the entries of a [`Table`](super::space::Table), while a search runs.
pub(super) type OpenList<'s, W> = Heap<'s, Place<W>, FAlone>;

/// The key of an entry whose f-value, or in the update h-value, is `value`.
#[inline(always)]
pub(super) fn key<W: Width>(value: usize) -> Place<W> {
    <OpenList<W> as Queue<W>>::key(Rank {
        f: value,
        g: 0,
        under: false,
    })
}
