//! Widths so small that all that comes round again does so many times in a test.

use planner_core::{
    queue::{Entry, Holds},
    width::{Bits16, Width, Word},
};

/// A byte: as an id, it numbers 255 iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Byte(u8);

impl Word for Byte {
    const MAX: usize = u8::MAX as usize;

    fn new(value: usize) -> Self {
        Self(value as u8)
    }

    fn get(self) -> usize {
        self.0.into()
    }
}

/// 8-bit ids and 16-bit costs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bits8;

impl Width for Bits8 {
    type Id = Byte;
    type Cost = u16;
}

/// An entry whose keys are compared on a circle of `2^F`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ring<const F: u32>(u64);

impl<const F: u32> Entry for Ring<F> {
    const MAX_G: usize = u16::MAX as usize;

    fn pack(f: usize, second: usize) -> Self {
        Self((f as u64) << (64 - F) | (second as u64) << 16)
    }

    fn with(self, _turn: u32, id: usize) -> Self {
        Self(self.0 | id as u64)
    }

    fn split(self) -> (Self, usize) {
        (Self(self.0 & !0xffff), (self.0 & 0xffff) as usize)
    }

    fn is_before(self, other: Self) -> bool {
        (self.0.wrapping_sub(other.0) as i64) < 0
    }
}

impl<const F: u32> Holds<Bits8> for Ring<F> {}
impl<const F: u32> Holds<Bits16> for Ring<F> {}
