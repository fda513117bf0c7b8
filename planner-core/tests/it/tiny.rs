//! Widths so small that counters wrap around many times in a test.

use std::marker::PhantomData;

use planner_core::{
    BuildError, Observation, ObserveError,
    map::{Occupancy, Unknown},
    queue::{Entry, Holds},
    terrain::{Change, Grid, MoveSet, Terrain},
    width::{Bits16, Width, Word},
};

use crate::{build::Kind, world::Ground};

/// A byte; as an id, it numbers 255 iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Byte(u8);

impl Word for Byte {
    const MAX: usize = u8::MAX as usize;
    const ZERO: Self = Self(0);

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

/// 16-bit ids and 8-bit costs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cheap;

impl Width for Cheap {
    type Id = u16;
    type Cost = Byte;
}

impl Holds<Cheap> for u64 {}

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

/// A terrain that says that no shortest path costs more than 254, which fits [`Cheap`].
pub struct Modest<T>(T);

impl<T: Terrain> Terrain for Modest<T> {
    const MOVES: usize = T::MOVES;
    const CORNERS: bool = T::CORNERS;

    fn grid(&self) -> &Grid {
        self.0.grid()
    }

    fn moves(&self, from: usize) -> MoveSet {
        self.0.moves(from)
    }

    fn is_open(&self, vertex: usize) -> bool {
        self.0.is_open(vertex)
    }

    fn cost(&self, m: usize, into: usize) -> usize {
        self.0.cost(m, into)
    }

    fn estimate(&self, dx: usize, dy: usize) -> usize {
        self.0.estimate(dx, dy)
    }

    fn longest(&self) -> usize {
        254
    }

    fn has_seen(&self, from: usize, m: usize) -> bool {
        self.0.has_seen(from, m)
    }

    fn fact(&self, vertex: usize) -> Occupancy {
        self.0.fact(vertex)
    }

    fn observe(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError> {
        self.0.observe(seen)
    }
}

/// A kind of terrain that is modest.
pub struct ModestKind<K>(PhantomData<K>);

impl<K: Kind> Kind for ModestKind<K> {
    type Terrain = Modest<K::Terrain>;

    const GROUND: Ground = K::GROUND;
    const WEIGHTED: bool = K::WEIGHTED;

    fn vertices(width: u16, height: u16) -> usize {
        K::vertices(width, height)
    }

    fn words(width: u16, height: u16) -> usize {
        K::words(width, height)
    }

    fn in_storage(
        size: (u16, u16),
        storage: (usize, usize),
        unknown: Unknown,
        heaviest: u8,
    ) -> Result<Self::Terrain, BuildError> {
        K::in_storage(size, storage, unknown, heaviest).map(Modest)
    }
}
