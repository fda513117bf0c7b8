//! The local search space: the cells that one look-ahead has generated, and nothing else.

use crate::{
    queue::{Entry as Packed, Heap, Holds, Linked, Queue, Rank, Tie},
    width::{Width, Word, add},
};

/// What became of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Generated, not expanded: it borders the local search space.
    #[default]
    Open,
    /// Expanded: it is in the local search space.
    Closed,
    /// Expanded, and on the path that the robot follows.
    Path,
}

/// What is kept of a generated cell: 12 bytes with [`Bits16`](crate::width::Bits16).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry<W: Width> {
    vertex: W::Id,
    /// The cost of the way from the robot. Never changes once the cell is closed, unless to follow
    /// another way that the update found.
    pub(super) g: W::Cost,
    /// While looking ahead, the h-value before; after the update, of a closed cell, the one after.
    pub(super) h: W::Cost,
    /// The place in the open list of an entry that is in it.
    link: W::Id,
    /// The entry before this one whose vertex has the same slot, or [`NONE`].
    older: u16,
    /// While searching, the move from here to the cell it was reached from; of a cell on the path,
    /// the robot's move.
    pub(super) tree: u8,
    pub(super) state: State,
}

impl<W: Width> Entry<W> {
    #[inline(always)]
    pub(super) fn vertex(&self) -> usize {
        self.vertex.get()
    }

    /// The f-value, which orders the look-ahead.
    #[inline(always)]
    pub(super) fn f(&self) -> usize {
        add::<W>(self.g.get(), self.h.get())
    }
}

impl<W: Width> Linked<W::Id> for Entry<W> {
    #[inline(always)]
    fn link(&mut self) -> &mut W::Id {
        &mut self.link
    }
}

/// No entry.
const NONE: u16 = u16::MAX;

/// The robot's entry: it is generated first.
pub(super) const ROBOT: usize = 0;

/// What it means that a cell was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// It was generated, as this entry.
    New(usize),
    /// There is a shorter way to this entry than the one known.
    Nearer(usize),
    /// It changed nothing.
    Nothing,
}

/// Up to `N` entries, found by their vertices.
///
/// Entries with the same slot form a chain, the newest first. A head from an earlier search is told
/// apart from a valid one by looking at its entry, so nothing has to be cleared between searches.
#[derive(Debug)]
pub(super) struct Table<W: Width, const N: usize> {
    /// Only those below `len` belong to this search.
    pub(super) entries: [Entry<W>; N],
    /// At most `N`.
    len: usize,
    /// The newest entry of each slot, if it is below `len` and its vertex has that slot.
    heads: [u16; N],
}

impl<W: Width, const N: usize> Table<W, N> {
    fn new() -> Self {
        const {
            assert!(N <= NONE as usize, "entries are numbered with 16 bits");
        }
        Self {
            entries: [Entry::default(); N],
            len: 0,
            heads: [NONE; N],
        }
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn has_room_for(&self, cells: usize) -> bool {
        N - self.len >= cells
    }

    /// The entry with this number.
    #[inline(always)]
    pub(super) fn entry(&self, number: usize) -> Entry<W> {
        self.entries.get(number).copied().unwrap_or_default()
    }

    /// A slot for a vertex. Cells of a local search space are in regular places, rows apart; a single
    /// multiplication would put many of them into one slot on maps of some widths.
    #[inline(always)]
    fn slot(vertex: usize) -> usize {
        let mixed = (vertex as u32).wrapping_mul(0x9e37_79b1);
        let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b);
        (((mixed >> 16) * N as u32) >> 16) as usize
    }

    /// The newest entry with this slot.
    #[inline(always)]
    fn newest(&self, slot: usize) -> u16 {
        let head = self.heads.get(slot).copied().unwrap_or(NONE);
        let number = usize::from(head);
        if number < self.len && Self::slot(self.entry(number).vertex()) == slot {
            head
        } else {
            NONE
        }
    }

    /// The number of the entry for a vertex.
    #[inline(always)]
    pub(super) fn find(&self, vertex: usize) -> Option<usize> {
        let slot = Self::slot(vertex);
        let head = usize::from(*self.heads.get(slot)?);
        let newest = self.entries.get(..self.len)?.get(head)?;
        if newest.vertex() == vertex {
            return Some(head);
        }
        if Self::slot(newest.vertex()) != slot {
            return None; // a head from an earlier search
        }
        let mut number = usize::from(newest.older);
        // Ends: each entry of a chain is older than the one before.
        while let Some(entry) = self.entries.get(number) {
            if entry.vertex() == vertex {
                return Some(number);
            }
            number = entry.older.into();
        }
        None
    }

    /// Generates a cell that was not yet.
    #[inline(always)]
    pub(super) fn add(&mut self, vertex: usize, g: usize, h: usize, tree: usize) -> Reached {
        let slot = Self::slot(vertex);
        let older = self.newest(slot);
        let number = self.len;
        let (Some(entry), Some(head)) = (self.entries.get_mut(number), self.heads.get_mut(slot))
        else {
            return Reached::Nothing;
        };
        *entry = Entry {
            vertex: W::Id::new(vertex),
            g: W::Cost::new(g),
            h: W::Cost::new(h),
            link: W::Id::default(),
            older,
            tree: tree as u8,
            state: State::Open,
        };
        *head = number as u16;
        self.len = number + 1;
        Reached::New(number)
    }

    /// Reaches a vertex over a way of cost `g`. A closed cell stays as it is even if that is shorter:
    /// when costs have fallen h-values may be inconsistent, and others depend on it already.
    #[inline(always)]
    pub(super) fn reach(
        &mut self,
        vertex: usize,
        g: usize,
        tree: usize,
        h: impl FnOnce() -> usize,
    ) -> Reached {
        let Some(number) = self.find(vertex) else {
            return self.add(vertex, g, h(), tree);
        };
        match self.entries.get_mut(number) {
            Some(entry) if entry.state == State::Open && g < entry.g.get() => {
                entry.g = W::Cost::new(g);
                entry.tree = tree as u8;
                Reached::Nearer(number)
            }
            _ => Reached::Nothing,
        }
    }
}

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

/// The open list over the entries of a [`Table`], while a search runs.
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

/// A table of entries and the memory of the open list over them: 18 bytes per entry with
/// [`Bits16`](crate::width::Bits16).
#[derive(Debug)]
pub(super) struct Space<W: Width, const N: usize> {
    pub(super) table: Table<W, N>,
    pub(super) places: [Place<W>; N],
}

impl<W: Width, const N: usize> Space<W, N> {
    pub(super) fn new() -> Self {
        Self {
            table: Table::new(),
            places: [Place::default(); N],
        }
    }
}
