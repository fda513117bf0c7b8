//! Widths so small that counters wrap around many times in a test, and maps that say little of their costs.

use std::marker::PhantomData;

use planner_core::{
    BuildError, Cell, Observation, ObserveError,
    graph::{Graph, Grid, MoveSet},
    map::{Change, Map, Occupancy, Revision, UnknownPolicy},
    queue::{Entry, Holds},
    width::{Bits16, Width, Word},
};

use crate::{build::Kind, world::Connectivity};

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
    const ZERO: Self = Self(0);

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

/// A map whose graph says of its costs only that no shortest path is above `MOST`: not that steps cost one.
#[derive(Debug)]
pub struct General<M, const MOST: usize>(pub M);

/// Its graph.
#[derive(Clone, Copy)]
pub struct GeneralGraph<G, const MOST: usize>(G);

impl<G: Graph, const MOST: usize> Graph for GeneralGraph<G, MOST> {
    const MOVES: usize = G::MOVES;
    const CORNERS: bool = G::CORNERS;

    fn grid(&self) -> &Grid {
        self.0.grid()
    }

    fn moves(&self, from: usize) -> MoveSet {
        self.0.moves(from)
    }

    fn is_passable(&self, vertex: usize) -> bool {
        self.0.is_passable(vertex)
    }

    fn cost(&self, m: usize, into: usize) -> usize {
        self.0.cost(m, into)
    }

    fn heuristic(&self, dx: usize, dy: usize) -> usize {
        self.0.heuristic(dx, dy)
    }

    fn max_path_cost(&self) -> usize {
        self.0.max_path_cost().min(MOST)
    }
}

impl<M: Map, const MOST: usize> Map for General<M, MOST> {
    type Graph<'a, U: UnknownPolicy>
        = GeneralGraph<M::Graph<'a, U>, MOST>
    where
        Self: 'a;

    fn resize(&mut self, width: u16, height: u16) -> Result<(), BuildError> {
        self.0.resize(width, height)
    }

    fn observe(&mut self, observation: Observation) -> Result<Option<Change>, ObserveError> {
        self.0.observe(observation)
    }

    fn view<U: UnknownPolicy>(&self) -> Self::Graph<'_, U> {
        GeneralGraph(self.0.view())
    }

    fn occupancy(&self, cell: Cell) -> Occupancy {
        self.0.occupancy(cell)
    }

    fn is_known(&self, from: usize, m: usize) -> bool {
        self.0.is_known(from, m)
    }

    fn revision(&self) -> Option<Revision> {
        self.0.revision()
    }
}

/// A kind of map whose costs fit [`Cheap`], or so it says.
pub struct ModestKind<K>(PhantomData<K>);

impl<K: Kind> Kind for ModestKind<K> {
    type Map = General<K::Map, 254>;

    const CONNECTIVITY: Connectivity = K::CONNECTIVITY;
    const HEAVIEST: u8 = K::HEAVIEST;

    fn in_blocks(blocks: usize, weights: usize) -> Self::Map {
        General(K::in_blocks(blocks, weights))
    }
}
