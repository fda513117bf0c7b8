//! Widths of ids and costs: 16 bits on a small chip, 32 for large maps on a desktop.
//!
//! Ids and costs are *stored* in [`Width::Id`] and [`Width::Cost`], because memory is per cell, and
//! *computed with* in `usize`, the machine word, because registers are free. A cost of
//! [`Word::MAX`] stands for infinity.

/// An unsigned integer as it is stored per cell.
pub trait Word: Copy + Eq + core::fmt::Debug + Default {
    /// The largest value: no cell, or an infinite cost.
    const MAX: usize;
    /// The smallest value, where a constant is needed.
    const ZERO: Self;

    /// Stores `value`, which is at most [`Word::MAX`]: `begin` checks that ids and finite costs are, and
    /// infinite costs are clamped to it.
    fn new(value: usize) -> Self;

    /// The stored value.
    fn get(self) -> usize;
}

macro_rules! word {
    ($($int:ty),*) => {$(
        impl Word for $int {
            const MAX: usize = <$int>::MAX as usize;
            const ZERO: Self = 0;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn new(value: usize) -> Self {
                value as $int
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn get(self) -> usize {
                self as usize
            }
        }
    )*};
}

word!(u16, u32);

/// A choice of widths; [`Bits16`] on a robot, [`Bits32`] on a desktop.
pub trait Width: Copy + Default + core::fmt::Debug + 'static {
    /// Names a cell, or a head of the bucket queue.
    type Id: Word;
    /// Holds `g`, `rhs` and `h`.
    type Cost: Word;
}

/// 16-bit ids and costs: up to 65,535 cells and bucket heads, and path costs up to 65,534.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bits16;

/// 32-bit ids and costs: maps of millions of cells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bits32;

impl Width for Bits16 {
    type Id = u16;
    type Cost = u16;
}

impl Width for Bits32 {
    type Id = u32;
    type Cost = u32;
}

/// `a + b` of two costs, of which `b` is that of a step, clamped to `W`'s infinity.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn add<W: Width>(a: usize, b: usize) -> usize {
    sum::<W>(a, b).min(infinity::<W>())
}

/// The same without the clamp, to be compared with a cost and not to be kept.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn sum<W: Width>(a: usize, b: usize) -> usize {
    // Where a machine word has room to spare, which is known at compile time, nothing overflows.
    if infinity::<W>() < usize::MAX / 2 {
        a.wrapping_add(b)
    } else {
        a.saturating_add(b)
    }
}

/// The cost that stands for "no path" at width `W`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) const fn infinity<W: Width>() -> usize {
    <W::Cost as Word>::MAX
}
