//! Free cells with walls on their edges: the map of micromouse mazes.

use core::marker::PhantomData;

use super::{Change, Map, Observation, Occupancy, Revision, UnknownPolicy};
use crate::{
    BuildError, Cell, ObserveError, OffMap, Side,
    graph::{ForFour, Graph, Grid, Manhattan, MoveSet, move_offset, opposite},
    storage::{Array, BLOCK, Block, Storage, default_by_new, flat, flat_mut},
};

/// A map of the walls between cells, a byte per cell, with four moves of cost one.
///
/// Both cells beside a wall hold it, so that a search reads one byte per cell. The outer walls are known from
/// the start.
///
/// ```
/// use planner_core::prelude::*;
///
/// let mut maze = WallMap::<Array<{ maze_capacity(16, 16) }>>::new();
/// maze.resize(16, 16)?;
/// assert!(maze.observe(Observation::Wall(Cell::new(3, 3), Side::East, Occupancy::Blocked))?.is_some());
/// assert_eq!(maze.wall(Cell::new(4, 3), Side::West)?, Occupancy::Blocked); // the same wall
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct WallMap<S: Storage, H = Manhattan> {
    grid: Grid,
    /// For each vertex: bit `m` is set when the wall that move `m` crosses was observed to stand, bit `m + 4`
    /// when it was observed to be missing. Both cells beside a wall agree.
    sides: S::Of<Block<u8>>,
    revision: Revision,
    heuristic: PhantomData<H>,
}

const BLOCKED: u8 = 1;
const FREE: u8 = 1 << 4;
/// All moves, in the place of [`BLOCKED`].
const ALL: u8 = 0b1111;

/// The occupancy in the bits of one side.
#[cfg_attr(not(debug_assertions), inline(always))]
const fn occupancy(bits: u8) -> Occupancy {
    match bits {
        0 => Occupancy::Unknown,
        FREE => Occupancy::Free,
        _ => Occupancy::Blocked,
    }
}

impl<H, const N: usize> WallMap<Array<N>, H> {
    /// An empty map in an array, to be [resized](Map::resize).
    #[must_use]
    pub const fn new() -> Self {
        Self::in_storage([[0; BLOCK]; N])
    }
}

default_by_new!([H, const N: usize] WallMap<Array<N>, H>);

impl<S: Storage, H> WallMap<S, H> {
    /// An empty map, to be [resized](Map::resize).
    #[must_use]
    pub const fn in_storage(sides: S::Of<Block<u8>>) -> Self {
        Self {
            grid: Grid::EMPTY,
            sides,
            revision: Revision::ZERO,
            heuristic: PhantomData,
        }
    }

    /// The numbering of cells.
    #[must_use]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sides(&self) -> &[u8] {
        let sides = flat(&self.sides);
        sides.get(..self.grid.vertices()).unwrap_or_default()
    }

    /// The bits of the side that a move crosses; beyond the maze there are walls.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn side(&self, vertex: usize, m: usize) -> u8 {
        let byte = self.sides().get(vertex).copied().unwrap_or(ALL);
        byte >> m & (BLOCKED | FREE)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn toggle(&mut self, vertex: usize, m: usize, bits: u8) {
        if let Some(byte) = flat_mut(&mut self.sides).get_mut(vertex) {
            *byte ^= bits << m;
        }
    }

    /// Returns the occupancy of the wall on a side of a cell.
    ///
    /// # Errors
    /// The cell is outside the maze.
    pub fn wall(&self, cell: Cell, side: Side) -> Result<Occupancy, OffMap> {
        Ok(occupancy(self.side(self.grid.vertex(cell)?, side as usize)))
    }

    /// Returns every inner wall once: the south and the east sides of cells that have a neighbor there.
    pub fn walls(&self) -> impl Iterator<Item = (Cell, Side, Occupancy)> {
        (0..2 * self.grid.vertices()).filter_map(|number| {
            let (cell, side) = self.nth_wall(number)?;
            (!self.is_outer(cell, side)).then(|| {
                let bits = self.side(number / 2, side as usize);
                (cell, side, occupancy(bits))
            })
        })
    }

    /// Returns the wall with a number below twice the number of cells: the south or the east side of a cell.
    /// Outer walls on those sides have numbers too.
    #[must_use]
    pub fn nth_wall(&self, number: usize) -> Option<(Cell, Side)> {
        let side = [Side::South, Side::East][number % 2];
        (number / 2 < self.grid.vertices()).then(|| (self.grid.cell(number / 2), side))
    }

    /// Returns whether a side of a cell is an outer wall of the maze.
    #[must_use]
    pub fn is_outer(&self, cell: Cell, side: Side) -> bool {
        match side {
            Side::South => cell.y.saturating_add(1) >= self.grid.height(),
            Side::West => cell.x == 0,
            Side::North => cell.y == 0,
            Side::East => cell.x.saturating_add(1) >= self.grid.width(),
        }
    }
}

impl WallMap<Array<0>> {
    /// Vertices of a maze of this size: its cells.
    #[must_use]
    pub const fn vertices(width: u16, height: u16) -> usize {
        (width as usize).saturating_mul(height as usize)
    }
}

impl<S: Storage, H: ForFour> Map for WallMap<S, H> {
    type Graph<'a, U: UnknownPolicy>
        = WallGraph<'a, H, U>
    where
        Self: 'a;

    fn resize(&mut self, width: u16, height: u16) -> Result<(), BuildError> {
        self.revision.advance();
        self.grid = Grid::EMPTY;
        let grid = Grid::new(width, height, 0)?;
        let sides = flat_mut(&mut self.sides);
        let (needed, given) = (grid.vertices(), sides.len());
        let Some(sides) = sides.get_mut(..needed) else {
            return Err(BuildError::TooLittleMemory { needed, given });
        };
        sides.fill(0);
        self.grid = grid;
        for vertex in 0..needed {
            let cell = grid.cell(vertex);
            for side in Side::ALL {
                if self.is_outer(cell, side) {
                    self.toggle(vertex, side as usize, BLOCKED);
                }
            }
        }
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn observe(&mut self, observation: Observation) -> Result<Option<Change>, ObserveError> {
        let Observation::Wall(cell, side, to) = observation else {
            return Err(ObserveError::Unsupported);
        };
        let m = side as usize;
        let vertex = self.grid.vertex(cell)?;
        let before = self.side(vertex, m);
        let after = match to {
            Occupancy::Unknown => 0,
            Occupancy::Free => FREE,
            Occupancy::Blocked => BLOCKED,
        };
        // The outer walls stand, whatever a sensor says.
        if before == after || before == BLOCKED && self.is_outer(cell, side) {
            return Ok(None);
        }
        let beyond = self.grid.neighbor(vertex, m);
        self.toggle(vertex, m, before ^ after);
        self.toggle(beyond, opposite(m), before ^ after);
        self.revision.advance();
        Ok(Some(Change::Wall {
            between: (vertex, beyond),
            from: occupancy(before),
            to,
        }))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn view<U: UnknownPolicy>(&self) -> WallGraph<'_, H, U> {
        WallGraph {
            grid: &self.grid,
            sides: self.sides(),
            kind: PhantomData,
        }
    }

    fn occupancy(&self, cell: Cell) -> Occupancy {
        match self.grid.vertex(cell) {
            Ok(_) => Occupancy::Free,
            Err(_) => Occupancy::Blocked,
        }
    }

    fn is_known(&self, from: usize, m: usize) -> bool {
        self.side(from, m) != 0
    }

    fn revision(&self) -> Option<Revision> {
        Some(self.revision)
    }
}

/// The graph of a [`WallMap`] under policy `U`.
#[derive(Clone, Copy, Debug)]
pub struct WallGraph<'a, H, U> {
    grid: &'a Grid,
    /// As in the map; as long as there are vertices.
    sides: &'a [u8],
    kind: PhantomData<(H, U)>,
}

impl<H: ForFour, U: UnknownPolicy> Graph for WallGraph<'_, H, U> {
    const MOVES: usize = 4;
    const CORNERS: bool = false;
    const UNIT_STEPS: bool = H::UNIT_STEPS;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn grid(&self) -> &Grid {
        self.grid
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn moves(&self, from: usize) -> MoveSet {
        let byte = self.sides.get(from).copied().unwrap_or(ALL);
        MoveSet::from_bits(if U::PASSABLE { !byte & ALL } else { byte >> 4 })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_passable(&self, vertex: usize) -> bool {
        vertex < self.sides.len()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cost(&self, _m: usize, _into: usize) -> usize {
        1
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic(&self, dx: usize, dy: usize) -> usize {
        H::heuristic(dx, dy, 1, 2)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic_after(&self, h: usize, offset: (isize, isize), m: usize) -> usize {
        H::after(h, offset, move_offset(m), 1, 2)
    }

    fn max_path_cost(&self) -> usize {
        self.grid.vertices()
    }
}
