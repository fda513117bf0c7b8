//! Learned h-values by cell and subgoal, in a table of fixed size.

use crate::{
    slot::slot,
    storage::{Allocate, Array, Storage, default_by_new},
    width::{Bits16, Width, Word},
};

/// A place in the table of [`Values`]: ten bytes with [`Bits16`](crate::width::Bits16).
#[derive(Clone, Copy, Debug, Default)]
pub struct Value<W: Width> {
    vertex: W::Id,
    subgoal: W::Id,
    h: W::Cost,
    /// The value before this one whose key has the same slot, or [`NONE`]. Always a smaller number.
    older: u16,
    /// The newest value of the slot with this place's number, if it is one that counts.
    head: u16,
}

/// No value.
const NONE: u16 = u16::MAX;

/// The learned heuristic of subgoal LRTA*: `h(cell, subgoal)` where it exceeds the graph's heuristic. Memory does
/// not depend on the map.
///
/// # When it is full
///
/// Everything is forgotten, in constant time, and learning begins again; [`Values::overflows`] counts
/// how often. All values are lower bounds, so forgetting them costs time and nothing else. But a robot
/// in a depression that needs more values than there is room for may stay in it for ever. Between the exits
/// of a complete tree a few dozen are plenty.
///
/// ```
/// use planner_core::{storage::Array, subgoal::Values, width::Bits16};
///
/// let mut values = Values::<Array<2>, Bits16>::new();
/// values.set(7, 1, 12);
/// values.set(7, 2, 9);
/// assert_eq!((values.get(7, 1), values.get(7, 2), values.get(7, 3)), (Some(12), Some(9), None));
/// values.set(8, 1, 11); // no room: all others are forgotten
/// assert_eq!((values.get(7, 1), values.get(8, 1), values.overflows()), (None, Some(11), 1));
/// ```
#[derive(Debug)]
pub struct Values<S: Storage, W: Width = Bits16> {
    /// Only those below `len` count, and at most [`NONE`] are used.
    table: S::Of<Value<W>>,
    len: usize,
    overflows: u32,
}

impl<W: Width, const N: usize> Values<Array<N>, W> {
    /// Nothing learned, in an array, all zero.
    #[must_use]
    pub const fn new() -> Self {
        Self::in_storage([Value::ZERO; N])
    }
}

default_by_new!([W: Width, const N: usize] Values<Array<N>, W>);

impl<S: Allocate, W: Width> Values<S, W> {
    /// Nothing learned, with room for `len` values, but 65,535 at most.
    #[must_use]
    pub fn allocate(len: usize) -> Self {
        Self::in_storage(S::allocate(len, Value::ZERO))
    }
}

impl<W: Width> Value<W> {
    const ZERO: Self = Self {
        vertex: W::Id::ZERO,
        subgoal: W::Id::ZERO,
        h: W::Cost::ZERO,
        older: 0,
        head: 0,
    };
}

impl<S: Storage, W: Width> Values<S, W> {
    /// Nothing learned, with room for as many values as `table` has places, but 65,535 at most.
    #[must_use]
    pub const fn in_storage(table: S::Of<Value<W>>) -> Self {
        Self {
            table,
            len: 0,
            overflows: 0,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn table(&self) -> &[Value<W>] {
        let table = self.table.as_ref();
        table.get(..usize::from(NONE)).unwrap_or(table)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn table_mut(&mut self) -> &mut [Value<W>] {
        let table = self.table.as_mut();
        let len = table.len().min(usize::from(NONE));
        table.get_mut(..len).unwrap_or_default()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slot(&self, vertex: usize, subgoal: usize) -> usize {
        let key = vertex as u32 ^ (subgoal as u32).rotate_left(16);
        slot(key, self.table().len())
    }

    /// The newest value with a slot.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn newest(&self, slot: usize) -> u16 {
        let head = self.table().get(slot).map_or(NONE, |place| place.head);
        let number = usize::from(head);
        // A head from before everything was forgotten may lead to a value of another slot.
        match self.table().get(number) {
            Some(value)
                if number < self.len
                    && self.slot(value.vertex.get(), value.subgoal.get()) == slot =>
            {
                head
            }
            _ => NONE,
        }
    }

    fn number(&self, vertex: usize, subgoal: usize) -> Option<usize> {
        let mut number = usize::from(self.newest(self.slot(vertex, subgoal)));
        // Ends: each value of a chain is older than the one before.
        while let Some(value) = self.table().get(number) {
            if value.vertex.get() == vertex && value.subgoal.get() == subgoal {
                return Some(number);
            }
            number = value.older.into();
        }
        None
    }

    /// Returns the value learned for a cell and a subgoal; `None` where the graph's heuristic holds.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn get(&self, vertex: usize, subgoal: usize) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        let number = self.number(vertex, subgoal)?;
        self.table().get(number).map(|value| value.h.get())
    }

    /// Sets a value. It is not kept if there is no memory at all.
    pub fn set(&mut self, vertex: usize, subgoal: usize, h: usize) {
        if let Some(number) = self.number(vertex, subgoal) {
            if let Some(value) = self.table_mut().get_mut(number) {
                value.h = W::Cost::new(h);
            }
            return;
        }
        if self.len >= self.table().len() {
            self.overflows = self.overflows.saturating_add(1);
            self.forget();
        }
        let slot = self.slot(vertex, subgoal);
        let older = self.newest(slot);
        let number = self.len;
        if let Some(value) = self.table_mut().get_mut(number) {
            value.vertex = W::Id::new(vertex);
            value.subgoal = W::Id::new(subgoal);
            value.h = W::Cost::new(h);
            value.older = older;
            self.len = number + 1;
        }
        if let Some(place) = self.table_mut().get_mut(slot) {
            place.head = number as u16;
        }
    }

    /// Forgets every value, in constant time.
    pub fn forget(&mut self) {
        self.len = 0;
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether nothing is learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns how often the table was full and everything was forgotten.
    #[must_use]
    pub fn overflows(&self) -> u32 {
        self.overflows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_ten_bytes() {
        assert_eq!(size_of::<Value<Bits16>>(), 10);
    }

    /// The most values with one slot, of a shape of cells, for one subgoal.
    fn longest_chain(stride: usize, shape: fn(usize, usize) -> usize) -> u16 {
        let values = Values::<Array<256>>::new();
        let mut slots = [0; 256];
        for n in 0..256 {
            slots[values.slot(40 * stride + shape(n, stride), 17)] += 1;
        }
        slots.into_iter().max().unwrap_or(0)
    }

    #[test]
    fn chains_are_short_on_maps_of_any_width() {
        for stride in 17..1100 {
            for shape in [
                |n, stride| n / 16 * stride + n % 16,
                |n, _| n,
                |n, stride| n * stride,
                |n, stride| n * (stride + 1),
            ] {
                let longest = longest_chain(stride, shape);
                assert!(longest <= 10, "{stride}: {longest}");
            }
        }
    }
}
