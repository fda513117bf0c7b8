//! Free cells with walls on their edges: the terrain of micromouse mazes.

use core::marker::PhantomData;

use super::{Change, ForFour, Grid, Manhattan, MoveSet, Terrain, opposite, step};
use crate::{
    BuildError, Cell, ObserveError,
    map::{Fact, Map, Unknown, words},
    planner::{Observation, Side},
};

/// A terrain of cells between which walls may stand, with four moves of cost one.
///
/// Each cell keeps what is known of its north and its west edge, two bits each; its other edges are its
/// neighbours'. Four more bits say which moves leave it, so that a search finds them at one look. The
/// outer walls are known from the start.
///
/// ```
/// use planner_core::{Cell, Observation, Side, map::{Fact, Unknown}};
/// use planner_core::terrain::{Terrain, Walls};
///
/// const WORDS: usize = Walls::words(16, 16);
/// let mut memory = [0; WORDS];
/// let mut maze: Walls = Walls::new(16, 16, &mut memory, Unknown::AsFree)?;
/// let seen = Observation::Wall(Cell::new(3, 3), Side::East, Fact::Blocked);
/// assert!(maze.observe(seen).unwrap().is_some());
/// let same = Observation::Wall(Cell::new(4, 3), Side::West, Fact::Blocked);
/// assert!(maze.observe(same).unwrap().is_none());
/// # Ok::<(), planner_core::BuildError>(())
/// ```
#[derive(Debug)]
pub struct Walls<'m, H = Manhattan> {
    grid: Grid,
    map: Map<'m>,
    /// The moves that leave each vertex, a nibble each.
    moves: &'m mut [u32],
    heuristic: PhantomData<H>,
}

/// The fact about the edge that move `m` crosses. South of the last row there is none, which the
/// map takes for a wall; east of the last column it is the west wall of the next row.
#[inline(always)]
fn edge(grid: &Grid, from: usize, m: usize) -> usize {
    let owner = match m {
        0 => step(grid, from, 0),
        3 => from.wrapping_add(1),
        _ => from,
    };
    owner.wrapping_mul(2).wrapping_add(m & 1)
}

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
        let facts = grid.vertices().saturating_mul(2);
        let (memory, moves) = memory
            .get_mut(..needed)
            .and_then(|memory| memory.split_at_mut_checked(words(facts)))
            .ok_or(BuildError::TooLittleMemory { needed, given })?;
        moves.fill(0);
        let mut map = Map::new(facts, memory, unknown)?;
        for x in 0..width as usize {
            map.note(edge(&grid, x, 2), Fact::Blocked);
        }
        for y in 0..height as usize {
            map.note(edge(&grid, y * grid.stride(), 1), Fact::Blocked);
        }
        let mut walls = Self {
            grid,
            map,
            moves,
            heuristic: PhantomData,
        };
        for vertex in 0..grid.vertices() {
            for m in 0..4 {
                if walls.map.is_open(edge(&grid, vertex, m)) {
                    walls.toggle(vertex, m);
                }
            }
        }
        Ok(walls)
    }
}

/// Vertices whose moves are in one word.
const MOVES_PER_WORD: usize = u32::BITS as usize / 4;

impl Walls<'_> {
    /// Vertices of a maze of this size: its cells.
    #[must_use]
    pub const fn vertices(width: u16, height: u16) -> usize {
        (width as usize).saturating_mul(height as usize)
    }

    /// Words of memory for the map of a maze of this size.
    #[must_use]
    pub const fn words(width: u16, height: u16) -> usize {
        let vertices = Self::vertices(width, height);
        words(vertices.saturating_mul(2)).saturating_add(vertices.div_ceil(MOVES_PER_WORD))
    }
}

impl<H> Walls<'_, H> {
    /// Opens or closes a move from a vertex.
    fn toggle(&mut self, vertex: usize, m: usize) {
        if let Some(word) = self.moves.get_mut(vertex / MOVES_PER_WORD) {
            *word ^= 1 << (vertex % MOVES_PER_WORD * 4 + m);
        }
    }

    /// What is known of the wall on a side of a cell.
    ///
    /// # Errors
    /// The cell is outside the maze.
    pub fn wall(&self, cell: Cell, side: Side) -> Result<Fact, crate::OffMap> {
        let vertex = self.grid.vertex(cell)?;
        Ok(self.map.fact(edge(&self.grid, vertex, side as usize)))
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
        MoveSet(match self.moves.get(from / MOVES_PER_WORD) {
            Some(word) => (word >> (from % MOVES_PER_WORD * 4) & 0b1111) as u8,
            None => 0,
        })
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

    fn longest(&self) -> usize {
        self.grid.vertices()
    }

    fn fact(&self, vertex: usize) -> Fact {
        if self.is_open(vertex) {
            Fact::Free
        } else {
            Fact::Blocked
        }
    }

    fn has_seen(&self, from: usize, m: usize) -> bool {
        self.map.fact(edge(&self.grid, from, m)) != Fact::Unknown
    }

    #[inline(always)]
    fn observe(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError> {
        let Observation::Wall(cell, side, fact) = seen else {
            return Err(ObserveError::NotOnThisTerrain);
        };
        let m = side as usize;
        let vertex = self.grid.vertex(cell)?;
        let edge = edge(&self.grid, vertex, m);
        if self.map.holds(edge, fact) {
            return Ok(None);
        }
        let outer = match side {
            Side::South => cell.y + 1 == self.grid.height(),
            Side::West => cell.x == 0,
            Side::North => cell.y == 0,
            Side::East => cell.x + 1 == self.grid.width(),
        };
        if outer {
            return Ok(None); // the outer walls stand, whatever a sensor says
        }
        let Some(trend) = self.map.note(edge, fact) else {
            return Ok(None);
        };
        let beyond = step(&self.grid, vertex, m);
        self.toggle(vertex, m);
        self.toggle(beyond, opposite(m));
        Ok(Some(Change::Edge(vertex, beyond, trend)))
    }
}
