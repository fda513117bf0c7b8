//! Free cells with walls on their edges: the terrain of micromouse mazes.

use core::marker::PhantomData;

use super::{Change, ForFour, Grid, Manhattan, MoveSet, Terrain, opposite, step, step_offset};
use crate::{
    BuildError, Cell, ObserveError, Side,
    map::{Occupancy, Trend, Unknown},
    planner::Observation,
};

/// A terrain of cells between which walls may stand, with four moves of cost one.
///
/// A byte per cell: which of the four moves leave it, and which of its four sides were seen. Both cells
/// that a wall is between know of it, so that a search, or a sensor, finds all at one look. The outer
/// walls are known from the start.
///
/// ```
/// use planner_core::{Cell, Observation, Side, map::{Occupancy, Unknown}};
/// use planner_core::terrain::{Terrain, Walls};
///
/// const WORDS: usize = Walls::words(16, 16);
/// let mut memory = [0; WORDS];
/// let mut maze: Walls = Walls::new(16, 16, &mut memory, Unknown::AsFree)?;
/// let seen = Observation::Wall(Cell::new(3, 3), Side::East, Occupancy::Blocked);
/// assert!(maze.observe(seen).unwrap().is_some());
/// let same = Observation::Wall(Cell::new(4, 3), Side::West, Occupancy::Blocked);
/// assert!(maze.observe(same).unwrap().is_none());
/// # Ok::<(), planner_core::BuildError>(())
/// ```
#[derive(Debug)]
pub struct Walls<'m, H = Manhattan> {
    grid: Grid,
    /// A byte for each vertex, four in a word: bit `m` is set when move `m` leaves it, bit `m + 4` when it
    /// is known whether it does.
    sides: &'m mut [u32],
    /// What is known of a side, by the fact that was seen: [`OPEN`] and [`SEEN`].
    bits: [u32; 3],
    heuristic: PhantomData<H>,
}

/// Of a side, shifted by its move: the move is possible.
const OPEN: u32 = 1;
/// The side was seen.
const SEEN: u32 = 1 << 4;
const VERTICES_PER_WORD: usize = 4;

impl<'m, H: ForFour> Walls<'m, H> {
    /// A `width` by `height` maze of which only the outer walls are known.
    ///
    /// # Errors
    /// The size is zero or `memory` holds fewer than [`Walls::words`].
    pub fn new(
        width: u16,
        height: u16,
        memory: &'m mut [u32],
        unknown: Unknown,
    ) -> Result<Self, BuildError> {
        let grid = Grid::new(width, height, 0)?;
        let (needed, given) = (Walls::words(width, height), memory.len());
        let sides = memory
            .get_mut(..needed)
            .ok_or(BuildError::TooLittleMemory { needed, given })?;
        let unseen = match unknown {
            Unknown::AsFree => OPEN,
            Unknown::AsBlocked => 0,
        };
        sides.fill(unseen * 0x0f0f_0f0f);
        let mut walls = Self {
            grid,
            sides,
            bits: [unseen, SEEN | OPEN, SEEN],
            heuristic: PhantomData,
        };
        for x in 0..width {
            walls.close(Cell::new(x, 0), Side::North);
            walls.close(Cell::new(x, height - 1), Side::South);
        }
        for y in 0..height {
            walls.close(Cell::new(0, y), Side::West);
            walls.close(Cell::new(width - 1, y), Side::East);
        }
        Ok(walls)
    }

    /// Builds an outer wall.
    fn close(&mut self, cell: Cell, side: Side) {
        if let Ok(vertex) = self.grid.vertex(cell) {
            let m = side as usize;
            self.flip(vertex, m, self.side(vertex, m) ^ SEEN);
        }
    }
}

impl Walls<'_> {
    /// Vertices of a maze of this size: its cells.
    #[must_use]
    pub const fn vertices(width: u16, height: u16) -> usize {
        (width as usize).saturating_mul(height as usize)
    }

    /// Words of memory for the map of a maze of this size.
    #[must_use]
    pub const fn words(width: u16, height: u16) -> usize {
        Self::vertices(width, height).div_ceil(VERTICES_PER_WORD)
    }
}

impl<H> Walls<'_, H> {
    /// The byte of a vertex; beyond the maze, all sides are known to be closed.
    #[inline(always)]
    fn byte(&self, vertex: usize) -> u32 {
        match self.sides.get(vertex / VERTICES_PER_WORD) {
            Some(word) => word >> (vertex % VERTICES_PER_WORD * 8),
            None => SEEN * 0b1111,
        }
    }

    /// What is known of the side that a move crosses: [`OPEN`] and [`SEEN`].
    #[inline(always)]
    fn side(&self, vertex: usize, m: usize) -> u32 {
        self.byte(vertex) >> m & (OPEN | SEEN)
    }

    /// Changes what is known of the side that a move crosses, as seen from one vertex.
    #[inline(always)]
    fn flip(&mut self, vertex: usize, m: usize, bits: u32) {
        if let Some(word) = self.sides.get_mut(vertex / VERTICES_PER_WORD) {
            *word ^= bits << (vertex % VERTICES_PER_WORD * 8 + m);
        }
    }

    /// Whether a side of a cell is one of the maze.
    fn is_outer(&self, cell: Cell, side: Side) -> bool {
        match side {
            Side::South => cell.y + 1 == self.grid.height(),
            Side::West => cell.x == 0,
            Side::North => cell.y == 0,
            Side::East => cell.x + 1 == self.grid.width(),
        }
    }

    /// What is known of the wall on a side of a cell.
    ///
    /// # Errors
    /// The cell is outside the maze.
    pub fn wall(&self, cell: Cell, side: Side) -> Result<Occupancy, crate::OffMap> {
        let known = self.side(self.grid.vertex(cell)?, side as usize);
        Ok(if known & SEEN == 0 {
            Occupancy::Unknown
        } else if known & OPEN == 0 {
            Occupancy::Blocked
        } else {
            Occupancy::Free
        })
    }
}

impl<H: ForFour> Terrain for Walls<'_, H> {
    const MOVES: usize = 4;
    const CORNERS: bool = false;

    #[inline(always)]
    fn grid(&self) -> &Grid {
        &self.grid
    }

    #[inline(always)]
    fn moves(&self, from: usize) -> MoveSet {
        MoveSet((self.byte(from) & 0b1111) as u8)
    }

    #[inline(always)]
    fn is_open(&self, vertex: usize) -> bool {
        vertex < self.grid.vertices()
    }

    #[inline(always)]
    fn cost(&self, _m: usize, _into: usize) -> usize {
        1
    }

    #[inline(always)]
    fn estimate(&self, dx: usize, dy: usize) -> usize {
        H::estimate(dx, dy, 1, 2)
    }

    #[inline(always)]
    fn estimate_beside(&self, before: usize, away: (isize, isize), m: usize) -> usize {
        H::beside(before, away, step_offset((0, 0), m), 1, 2)
    }

    fn longest(&self) -> usize {
        self.grid.vertices()
    }

    fn fact(&self, vertex: usize) -> Occupancy {
        if self.is_open(vertex) {
            Occupancy::Free
        } else {
            Occupancy::Blocked
        }
    }

    fn has_seen(&self, from: usize, m: usize) -> bool {
        self.side(from, m) & SEEN != 0
    }

    #[inline(always)]
    fn observe(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError> {
        let Observation::Wall(cell, side, fact) = seen else {
            return Err(ObserveError::NotOnThisTerrain);
        };
        let m = side as usize;
        let vertex = self.grid.vertex(cell)?;
        let known = self.side(vertex, m);
        let news = known ^ self.bits[fact as usize];
        if news == 0 {
            return Ok(None);
        }
        if known == SEEN && self.is_outer(cell, side) {
            return Ok(None); // the outer walls stand, whatever a sensor says
        }
        let beyond = step(&self.grid, vertex, m);
        self.flip(vertex, m, news);
        self.flip(beyond, opposite(m), news);
        Ok(match (news & OPEN, known & OPEN) {
            (0, _) => None,
            (_, 0) => Some(Change::Edge(vertex, beyond, Trend::Fall)),
            _ => Some(Change::Edge(vertex, beyond, Trend::Rise)),
        })
    }
}
