//! The table of generated cells: those of one look-ahead, or of a tree that is kept and of those before it.

use super::open::OpenList;
use crate::{
    chip::call_on_chip,
    slot::slot,
    width::{Width, Word, add},
};

/// The state of a generated cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Generated, not expanded: on the frontier of the local search space.
    #[default]
    Open,
    /// Expanded: it is in the local search space.
    Closed,
    /// Expanded, and on the path that the robot follows.
    Path,
}

/// The OPEN list's data of an entry.
pub(super) trait Link: Copy + core::fmt::Debug + Default {
    /// Entries of a slot at most, each of which takes a look-up a comparison.
    const CHAIN: usize;
    /// Before its first use: all zero.
    const UNUSED: Self;
}

/// The place in a heap.
impl<T: Word> Link for T {
    // In tables that are full to the last entry few slots have more than five, on maps of any width.
    const CHAIN: usize = 6;
    const UNUSED: Self = T::ZERO;
}

/// Data of a generated cell: with [`Bits16`](crate::width::Bits16), 10 bytes and the link `L`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry<W: Width, L: Link = <W as Width>::Id> {
    vertex: W::Id,
    /// The cost of the path from the robot. Never changes once the cell is closed, unless to follow
    /// another path that the update found.
    pub(super) g: W::Cost,
    /// While looking ahead, the h-value before; after the update, of a closed cell, the one after.
    pub(super) h: W::Cost,
    /// Of an entry that is in the OPEN list.
    pub(super) link: L,
    /// The entry before this one whose vertex has the same slot, or [`NONE`].
    older: u16,
    /// In a tree that is kept, see [`Entry::set_generation`]. Otherwise moves, a bit each: of an open cell, those to the closed cells that it was reached from; of a
    /// closed one, those to all the cells around. The update takes out those that are done with.
    pub(super) around: u8,
    /// In the lowest three bits a move: while searching, the one from here to the cell it was reached from; of
    /// a cell on the path of a search that is not kept, the robot's. Then two bits of state, and three for the
    /// robot's move on the path of a search that is kept.
    mark: u8,
}

impl<W: Width, L: Link> Entry<W, L> {
    const ZERO: Self = Self {
        vertex: W::Id::ZERO,
        g: W::Cost::ZERO,
        h: W::Cost::ZERO,
        link: L::UNUSED,
        older: 0,
        around: 0,
        mark: 0,
    };

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn vertex(&self) -> usize {
        self.vertex.get()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn state(&self) -> State {
        match self.mark >> 3 & 3 {
            0 => State::Open,
            1 => State::Closed,
            _ => State::Path,
        }
    }

    /// The move to the cell it was reached from, or of a cell on the path, the robot's.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn tree(&self) -> usize {
        (self.mark & 7).into()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn mark(&mut self, state: State, tree: usize) {
        self.mark = (state as u8) << 3 | tree as u8 & 7;
    }

    /// The tree that a cell of a kept search belongs to, by number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn generation(&self) -> u8 {
        self.around >> 1
    }

    /// Returns whether a kept search has expanded the cell in this tree or an earlier one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn was_expanded(&self) -> bool {
        self.around & 1 != 0
    }

    /// Sets [`Entry::generation`] and [`Entry::was_expanded`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn set_generation(&mut self, generation: u8, was_expanded: bool) {
        self.around = generation << 1 | u8::from(was_expanded);
    }

    /// The robot's move from a cell on the path of a search that is kept.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn next(&self) -> usize {
        (self.mark >> 5).into()
    }

    /// Puts an expanded cell on the path of a search that is kept, with the robot's move from there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn set_next(&mut self, m: usize) {
        self.mark = self.mark & 7 | (State::Path as u8) << 3 | (m as u8) << 5;
    }

    /// The f-value, which orders the look-ahead.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn f(&self) -> usize {
        add::<W>(self.g.get(), self.h.get())
    }
}

/// No entry.
const NONE: u16 = u16::MAX;

/// No entry, and no room for one in its slot.
pub(super) const FULL: usize = usize::MAX;

/// The robot's entry: it is generated first.
pub(super) const ROBOT: usize = 0;

/// The effect of reaching a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// It was generated, as this entry.
    New(usize),
    /// The path to this entry became shorter.
    Nearer(usize),
    /// It changed nothing.
    Nothing,
    /// There is no room for it.
    Refused,
}

/// Up to `N` entries, found by their vertices.
///
/// Entries with the same slot form a chain, the newest first.
#[derive(Debug)]
#[repr(C)] // the chip reaches what comes first with one instruction
pub(super) struct Table<W: Width, const N: usize, L: Link = <W as Width>::Id> {
    /// At most `N`.
    len: usize,
    /// Only those below `len` belong to this search.
    pub(super) entries: [Entry<W, L>; N],
    /// The newest entry of each slot, or [`NONE`].
    heads: [u16; N],
}

impl<W: Width, const N: usize, L: Link> Table<W, N, L> {
    /// A table that must be [cleared](Table::clear) before its first use: all zero.
    pub(super) const ZERO: Self = {
        assert!(N <= NONE as usize, "entries are numbered with 16 bits");
        Self {
            entries: [Entry::ZERO; N],
            len: 0,
            heads: [0; N],
        }
    };

    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.heads.fill(NONE);
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn has_room_for(&self, cells: usize) -> bool {
        N - self.len >= cells
    }

    /// The entries of this search.
    pub(super) fn generated(&mut self) -> impl Iterator<Item = &mut Entry<W, L>> {
        self.entries.iter_mut().take(self.len)
    }

    /// The entry with this number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn entry(&self, number: usize) -> Entry<W, L> {
        self.entries.get(number).copied().unwrap_or_default()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slot(vertex: usize) -> usize {
        slot(vertex as u32, N)
    }

    /// The number of the entry for a vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn find(&self, vertex: usize) -> Option<usize> {
        self.probe(vertex).ok()
    }

    /// Like [`Table::find`], inlined: for the loops of LSS-LRTA*.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn find_inlined(&self, vertex: usize) -> Option<usize> {
        Self::found(self.walk_chain(vertex)).ok()
    }

    /// The number of the entry for a vertex, or else whether its slot has room for one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn probe(&self, vertex: usize) -> Result<usize, bool> {
        Self::found(self.look_up(vertex))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn found(number: usize) -> Result<usize, bool> {
        match number {
            FULL => Err(false),
            number if number < N => Ok(number),
            _ => Err(true),
        }
    }

    call_on_chip! {
        /// The number of the entry for a vertex; [`FULL`], or another number that no entry has.
        pub(super) fn look_up(&self, vertex: usize) -> usize {
            self.walk_chain(vertex)
        }
    }

    /// Like [`Table::look_up`], inlined.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn walk_chain(&self, vertex: usize) -> usize {
        let head = self.heads.get(Self::slot(vertex)).copied();
        let mut number = usize::from(head.unwrap_or(NONE));
        for _ in 0..L::CHAIN {
            match self.entries.get(number) {
                Some(entry) if entry.vertex() != vertex => number = entry.older.into(),
                _ => return number,
            }
        }
        FULL
    }

    /// Like [`Table::find`], also before the first [clear](Table::clear), when chains have no ends.
    pub(super) fn find_generated(&self, vertex: usize) -> Option<usize> {
        (self.len > 0).then(|| self.find(vertex))?
    }

    /// Generates a cell that was not yet, reached from the one that move `tree` leads to, if from any.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add(
        &mut self,
        vertex: usize,
        g: usize,
        h: usize,
        tree: Option<usize>,
    ) -> Reached {
        let slot = Self::slot(vertex);
        let number = self.len;
        let (Some(entry), Some(head)) = (self.entries.get_mut(number), self.heads.get_mut(slot))
        else {
            return Reached::Refused;
        };
        *entry = Entry {
            vertex: W::Id::new(vertex),
            g: W::Cost::new(g),
            h: W::Cost::new(h),
            link: L::UNUSED,
            older: *head,
            around: tree.map_or(0, |tree| 1 << tree),
            mark: tree.unwrap_or(0) as u8,
        };
        *head = number as u16;
        self.len = number + 1;
        Reached::New(number)
    }

    /// Reaches a vertex by a path of cost `g`. A closed cell stays as it is even if that is shorter:
    /// when costs have fallen h-values may be inconsistent, and others depend on it already.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn reach(
        &mut self,
        vertex: usize,
        g: usize,
        tree: usize,
        h: impl FnOnce() -> usize,
    ) -> Reached {
        let number = match Self::found(self.walk_chain(vertex)) {
            Ok(number) => number,
            Err(true) => return self.add(vertex, g, h(), Some(tree)),
            Err(false) => return Reached::Refused,
        };
        let Some(entry) = self.entries.get_mut(number) else {
            return Reached::Nothing;
        };
        entry.around |= 1 << tree;
        if entry.state() != State::Open || g >= entry.g.get() {
            return Reached::Nothing;
        }
        entry.g = W::Cost::new(g);
        entry.mark(State::Open, tree);
        Reached::Nearer(number)
    }
}

/// A table of entries and the memory of the open list over them: 18 bytes per entry with
/// [`Bits16`](crate::width::Bits16).
#[derive(Debug)]
pub(super) struct Space<W: Width, const N: usize> {
    pub(super) table: Table<W, N>,
    pub(super) open: OpenList<W, N>,
}

impl<W: Width, const N: usize> Space<W, N> {
    /// A space that must be cleared before its first use: all zero.
    pub(super) const ZERO: Self = Self {
        table: Table::ZERO,
        open: OpenList::EMPTY,
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::width::{Bits16, Bits32};

    #[test]
    fn an_entry_takes_18_bytes_or_30() {
        assert_eq!(
            size_of::<Space<Bits16, 1000>>(),
            18_000 + 2 * size_of::<usize>()
        );
        assert_eq!(
            size_of::<Space<Bits32, 1000>>(),
            30_000 + 2 * size_of::<usize>()
        );
    }

    #[test]
    fn a_table_holds_what_was_reached_since_it_was_cleared() {
        let mut table = Table::<Bits16, 97>::ZERO;
        for search in 0..500 {
            table.clear();
            // Every other search meets cells of the one before in another order.
            let vertex = |n: usize| (search / 2 * 31 + n * (search % 5 + 1)) % 601;
            for n in 0..97 {
                assert_eq!(table.find(vertex(n)), None);
                assert_eq!(table.reach(vertex(n), n, 0, || 1), Reached::New(n));
                assert_eq!(table.reach(vertex(n), n, 0, || 1), Reached::Nothing);
            }
            assert!((0..97).all(|n| table.find(vertex(n)) == Some(n)));
            let others = (0..601).filter(|&v| table.find(v).is_none()).count();
            assert_eq!(others, 601 - 97);
            assert_eq!(table.reach(600_000, 0, 0, || 1), Reached::Refused, "full");
        }
    }

    #[test]
    fn a_table_of_zeros_holds_nothing() {
        assert_eq!(Table::<Bits16, 9>::ZERO.find_generated(7), None);
    }

    #[test]
    fn a_shorter_path_counts_only_for_open_cells() {
        let mut table = Table::<Bits16, 9>::ZERO;
        table.clear();
        table.add(7, 5, 0, Some(1));
        assert_eq!(table.reach(7, 5, 2, || 0), Reached::Nothing);
        assert_eq!(table.reach(7, 4, 2, || 0), Reached::Nearer(0));
        table.entries[0].mark(State::Closed, 2);
        assert_eq!(table.reach(7, 3, 3, || 0), Reached::Nothing);
        assert_eq!((table.entry(0).g, table.entry(0).tree()), (4, 2));
    }

    /// The most cells of a shape that are in one slot of a table that they fill.
    fn longest_chain<const N: usize>(shape: impl Fn(usize) -> usize) -> u16 {
        let mut slots = [0; N];
        for n in 0..N {
            slots[Table::<Bits32, N>::slot(shape(n))] += 1;
        }
        slots.into_iter().max().unwrap_or(0)
    }

    /// A table that is full to the last entry hardly ever refuses a cell because its slot is full.
    #[test]
    fn chains_are_short_on_maps_of_any_width() {
        let (mut tables, mut refusing) = (0, 0);
        for stride in 17..1100 {
            let from = 40 * stride;
            let longest = [
                longest_chain::<225>(|n| from + n / 15 * stride + n % 15),
                longest_chain::<225>(|n| from + n),
                longest_chain::<225>(|n| from + n * stride),
                longest_chain::<225>(|n| from + n * (stride + 1)),
                longest_chain::<225>(|n| from + n * (stride - 1)),
                longest_chain::<225>(|n| from + n / 2 * 2 * stride + n % 2),
                longest_chain::<900>(|n| from + n / 30 * stride + n % 30),
                longest_chain::<900>(|n| from + n / 3 * stride + n % 3),
            ];
            tables += longest.len();
            refusing += longest
                .iter()
                .filter(|&&n| n > <u16 as Link>::CHAIN as u16)
                .count();
            assert!(longest.iter().all(|&n| n <= 10), "{stride}: {longest:?}");
        }
        assert!(12 * refusing < tables, "{refusing} of {tables}");
    }
}
