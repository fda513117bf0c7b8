//! Cells that are blocked or free, with four or eight moves.

use core::marker::PhantomData;

use super::{Change, Costs, Map, Observation, Occupancy, Revision, Uniform, UnknownPolicy};
use crate::{
    BuildError, Cell, ObserveError,
    graph::{Four, Graph, Grid, MoveSet, Moves, max_path_cells},
    storage::{Array, Storage, default_by_new},
};

/// A map of cells, two bits each; `M` is how the robot moves and `C` what cells cost.
///
/// [`WallMap`](super::WallMap) is for mazes with thin walls between cells.
///
/// ```
/// use planner_core::prelude::*;
///
/// let mut map = CellMap::<Array<{ capacity(5, 4) }>>::new();
/// map.resize(5, 4)?;
/// let blocked = Observation::Cell(Cell::new(2, 2), Occupancy::Blocked);
/// assert!(map.observe(blocked)?.is_some()); // a change
/// assert!(map.observe(blocked)?.is_none()); // known already
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct CellMap<S: Storage, M = Four, C = Uniform> {
    grid: Grid,
    /// Two bits for each vertex, a block in a word. Vertices beyond the grid are blocked.
    words: S::Of<u32>,
    /// Words in use.
    used: usize,
    costs: C,
    revision: Revision,
    moves: PhantomData<M>,
}

/// Vertices whose occupancy is in one word.
const PER_WORD: usize = crate::storage::BLOCK;

/// A column of blocked vertices follows each row, so that a step off the end of a row leads there.
const BORDER: usize = 1;

impl<M, const N: usize> CellMap<Array<N>, M> {
    /// An empty map of plain cells in an array, to be [resized](Map::resize).
    #[must_use]
    pub const fn new() -> Self {
        Self::in_storage([0; N], Uniform)
    }
}

default_by_new!([M, const N: usize] CellMap<Array<N>, M>);

impl<S: Storage, M, C> CellMap<S, M, C> {
    /// An empty map in a word for each block of vertices, to be [resized](Map::resize).
    #[must_use]
    pub const fn in_storage(words: S::Of<u32>, costs: C) -> Self {
        Self {
            grid: Grid::EMPTY,
            words,
            used: 0,
            costs,
            revision: Revision::ZERO,
            moves: PhantomData,
        }
    }
}

impl CellMap<Array<0>> {
    /// Vertices of a grid of this size: its cells and a border of one per row.
    #[must_use]
    pub const fn vertices(width: u16, height: u16) -> usize {
        (width as usize + BORDER).saturating_mul(height as usize)
    }
}

impl<S: Storage, M: Moves, C: Costs> CellMap<S, M, C> {
    /// Sets the two bits of a vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn set(&mut self, vertex: usize, before: u32, after: u32) {
        if let Some(word) = self.words.as_mut().get_mut(vertex / PER_WORD) {
            *word ^= (before ^ after) << (vertex % PER_WORD * 2);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn words(&self) -> &[u32] {
        self.words.as_ref().get(..self.used).unwrap_or_default()
    }
}

/// The bits of a vertex; beyond the words it is blocked.
#[cfg_attr(not(debug_assertions), inline(always))]
fn bits(words: &[u32], vertex: usize) -> u32 {
    match words.get(vertex / PER_WORD) {
        Some(word) => word >> (vertex % PER_WORD * 2) & 3,
        None => Occupancy::Blocked as u32,
    }
}

impl<S: Storage, M: Moves, C: Costs> Map for CellMap<S, M, C> {
    type Graph<'a, U: UnknownPolicy>
        = CellGraph<'a, M, C, U>
    where
        Self: 'a;

    fn resize(&mut self, width: u16, height: u16) -> Result<(), BuildError> {
        self.revision.advance();
        (self.grid, self.used) = (Grid::EMPTY, 0);
        let grid = Grid::new(width, height, BORDER)?;
        let (needed, given) = (
            grid.vertices().div_ceil(PER_WORD),
            self.words.as_ref().len(),
        );
        let Some(words) = self.words.as_mut().get_mut(..needed) else {
            return Err(BuildError::TooLittleMemory { needed, given });
        };
        words.fill(0);
        self.costs.reset(grid.vertices())?;
        (self.grid, self.used) = (grid, needed);
        let blocked = Occupancy::Blocked as u32;
        for row in 0..usize::from(height) {
            self.set(row * grid.stride() + usize::from(width), 0, blocked);
        }
        for beyond in grid.vertices()..needed * PER_WORD {
            self.set(beyond, 0, blocked);
        }
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn observe(&mut self, observation: Observation) -> Result<Option<Change>, ObserveError> {
        Ok(match observation {
            Observation::Cell(cell, to) => {
                let vertex = self.grid.vertex(cell)?;
                let Some(word) = self.words.as_mut().get_mut(vertex / PER_WORD) else {
                    return Ok(None);
                };
                let place = vertex % PER_WORD * 2;
                let (before, after) = (*word >> place & 3, to as u32);
                if before == after {
                    return Ok(None);
                }
                *word ^= (before ^ after) << place;
                self.revision.advance();
                let from = Occupancy::from_bits(before);
                Some(Change::Cell { vertex, from, to })
            }
            Observation::Weight(cell, weight) => {
                let vertex = self.grid.vertex(cell)?;
                let Some(trend) = self.costs.set(vertex, weight)? else {
                    return Ok(None);
                };
                self.revision.advance();
                Some(Change::Weight(vertex, trend))
            }
            Observation::Wall(..) => return Err(ObserveError::Unsupported),
        })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn view<U: UnknownPolicy>(&self) -> CellGraph<'_, M, C, U> {
        CellGraph {
            grid: &self.grid,
            words: self.words(),
            costs: &self.costs,
            kind: PhantomData,
        }
    }

    fn occupancy(&self, cell: Cell) -> Occupancy {
        match self.grid.vertex(cell) {
            Ok(vertex) => Occupancy::from_bits(bits(self.words(), vertex)),
            Err(_) => Occupancy::Blocked,
        }
    }

    fn is_known(&self, from: usize, m: usize) -> bool {
        let is_known = |m| bits(self.words(), self.grid.neighbor(from, m)) != 0;
        // A diagonal lies between the move with its number less four and the one after that.
        is_known(m) && (m < 4 || !M::CORNERS || is_known(m - 4) && is_known((m - 3) % 4))
    }

    fn revision(&self) -> Option<Revision> {
        Some(self.revision)
    }
}

/// The graph of a [`CellMap`] under policy `U`.
#[derive(Debug)]
pub struct CellGraph<'a, M, C, U> {
    grid: &'a Grid,
    words: &'a [u32],
    costs: &'a C,
    kind: PhantomData<(M, U)>,
}

impl<M, C, U> Clone for CellGraph<'_, M, C, U> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, C, U> Copy for CellGraph<'_, M, C, U> {}

impl<M: Moves, C: Costs, U: UnknownPolicy> Graph for CellGraph<'_, M, C, U> {
    const MOVES: usize = M::COUNT;
    const CORNERS: bool = M::CORNERS;
    const UNIT_STEPS: bool = M::UNIT_STEPS && C::UNIFORM;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn grid(&self) -> &Grid {
        self.grid
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn moves(&self, from: usize) -> MoveSet {
        M::allowed(|m| self.is_passable(self.grid.neighbor(from, m)))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_passable(&self, vertex: usize) -> bool {
        let bits = bits(self.words, vertex);
        if U::PASSABLE {
            bits < Occupancy::Blocked as u32
        } else {
            bits == Occupancy::Free as u32
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cost(&self, m: usize, into: usize) -> usize {
        M::cost(m) * self.costs.weight(into)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic(&self, dx: usize, dy: usize) -> usize {
        M::heuristic(dx, dy)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heuristic_after(&self, h: usize, offset: (isize, isize), m: usize) -> usize {
        M::heuristic_after(h, offset, m)
    }

    fn max_path_cost(&self) -> usize {
        let heaviest = self.costs.heaviest();
        let cells = if heaviest == 1 {
            max_path_cells(self.grid)
        } else {
            usize::from(self.grid.width()).saturating_mul(self.grid.height().into())
        };
        cells.saturating_mul(M::MAX_COST * heaviest)
    }
}
