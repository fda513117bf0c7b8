//! The OPEN list: a plain binary heap over the entries of the local search space.
//!
//! Ties are left as the heap has them: this is how the papers' tables came about. Unlike the heap of
//! [`queue`](crate::queue) it is for keys that only fall, so that an entry never sinks but after a
//! [pop](OpenList::pop). That leaves two loops, each small enough for the registers of a chip.

use super::space::{Entry, Reached, Table};
use crate::width::{Width, Word};

/// A slot of the heap: the key and the number of an entry.
#[derive(Clone, Copy, Debug, Default)]
struct Slot<W: Width> {
    key: W::Cost,
    number: u16,
}

impl<W: Width> Slot<W> {
    const ZERO: Self = Self {
        key: W::Cost::ZERO,
        number: 0,
    };
}

/// The open list over the entries of a [`Table`](super::space::Table).
#[derive(Debug)]
pub(super) struct OpenList<W: Width, const N: usize> {
    slots: [Slot<W>; N],
    /// At most `N`: no entry is in it twice.
    len: usize,
}

impl<W: Width, const N: usize> OpenList<W, N> {
    /// An empty list, all zero.
    pub(super) const EMPTY: Self = Self {
        slots: [Slot::ZERO; N],
        len: 0,
    };

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// The number of an entry with the smallest key.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn first(&self) -> Option<usize> {
        let first = self.slots.first()?;
        (self.len > 0).then_some(first.number.into())
    }

    /// Inserts an entry that is not in the list.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn insert(&mut self, entries: &mut [Entry<W>; N], number: usize, key: usize) {
        let last = self.len;
        self.len += 1;
        rise(&mut self.slots, entries, last, slot(number, key));
    }

    /// Gives an entry that is in the list a key that is not larger than the one it has.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn lower(&mut self, entries: &mut [Entry<W>; N], number: usize, key: usize) {
        if let Some(entry) = entries.get(number) {
            rise(
                &mut self.slots,
                entries,
                entry.link.get(),
                slot(number, key),
            );
        }
    }

    /// Inserts a cell that was reached by its f-value, or gives it that of its shorter path; returns the number
    /// of operations.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn take(&mut self, table: &mut Table<W, N>, reached: Reached) -> u32 {
        match reached {
            Reached::New(number) => {
                let key = table.entry(number).f();
                self.insert(&mut table.entries, number, key);
            }
            Reached::Nearer(number) => {
                let key = table.entry(number).f();
                self.lower(&mut table.entries, number, key);
            }
            Reached::Nothing | Reached::Refused => return 0,
        }
        1
    }

    /// Removes the [first](OpenList::first) entry.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn pop(&mut self, entries: &mut [Entry<W>; N]) {
        self.len = self.len.saturating_sub(1);
        sink(&mut self.slots, entries, self.len);
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn slot<W: Width>(number: usize, key: usize) -> Slot<W> {
    Slot {
        key: W::Cost::new(key),
        number: number as u16,
    }
}

/// Moves the hole at `hole` up until `new` fits it.
#[inline(never)]
fn rise<W: Width, const N: usize>(
    slots: &mut [Slot<W>; N],
    entries: &mut [Entry<W>; N],
    mut hole: usize,
    new: Slot<W>,
) {
    while hole > 0 {
        let parent = (hole - 1) / 2;
        let Some(&above) = slots.get(parent) else {
            return;
        };
        if new.key.get() >= above.key.get() {
            break;
        }
        put(slots, entries, hole, above);
        hole = parent;
    }
    put(slots, entries, hole, new);
}

/// Moves the hole at the top down until what was the last slot's fits it.
#[inline(never)]
fn sink<W: Width, const N: usize>(
    slots: &mut [Slot<W>; N],
    entries: &mut [Entry<W>; N],
    last: usize,
) {
    let Some((slots, [last, ..])) = slots.split_at_mut_checked(last) else {
        return;
    };
    let last = *last;
    let mut hole = 0;
    let mut child = 1;
    while let Some(left) = slots.get(child) {
        let mut key = left.key;
        if let Some(right) = slots.get(child + 1)
            && right.key.get() < key.get()
        {
            key = right.key;
            child += 1;
        }
        if key.get() >= last.key.get() {
            break;
        }
        let Some(&Slot { number, .. }) = slots.get(child) else {
            break;
        };
        put(slots, entries, hole, Slot { key, number });
        hole = child;
        child = 2 * hole + 1;
    }
    put(slots, entries, hole, last);
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn put<W: Width>(slots: &mut [Slot<W>], entries: &mut [Entry<W>], hole: usize, new: Slot<W>) {
    if let Some(slot) = slots.get_mut(hole) {
        *slot = new;
    }
    if let Some(entry) = entries.get_mut(usize::from(new.number)) {
        entry.link = W::Id::new(hole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::width::Bits16;

    const N: usize = 40;

    /// Random insertions, lower keys and removals beside a list of keys that is searched through.
    #[test]
    fn the_first_entry_has_the_smallest_key() {
        let mut noise = 7_u32;
        let mut draw = |below: usize| {
            noise ^= noise << 13;
            noise ^= noise >> 17;
            noise ^= noise << 5;
            noise as usize % below
        };
        let mut open = OpenList::<Bits16, N>::EMPTY;
        let mut entries = [Entry::default(); N];
        for _ in 0..200 {
            open.clear();
            let mut keys = [None; N];
            for _ in 0..300 {
                let number = draw(N);
                match (draw(3), keys[number]) {
                    (0, _) => {
                        if let Some(first) = open.first() {
                            open.pop(&mut entries);
                            keys[first] = None;
                        }
                    }
                    (_, None) => {
                        let key = draw(60);
                        open.insert(&mut entries, number, key);
                        keys[number] = Some(key);
                    }
                    (_, Some(key)) => {
                        let key = draw(key + 1);
                        open.lower(&mut entries, number, key);
                        keys[number] = Some(key);
                    }
                }
                let smallest = keys.iter().flatten().min().copied();
                assert_eq!(open.first().and_then(|first| keys[first]), smallest);
                assert_eq!(open.first().is_none(), smallest.is_none());
                assert_eq!(open.len, keys.iter().flatten().count());
            }
        }
    }
}
