//! Cells that are blocked or not, with four or eight moves.

use core::marker::PhantomData;

use super::{Change, Costs, Grid, MoveSet, Moves, Terrain, Uniform, step};
use crate::{
    BuildError, ObserveError,
    map::{Map, Occupancy, Trend, Unknown, words},
    planner::Observation,
};

/// A terrain of cells, each blocked or not; `M` says how the robot moves, `C` what cells cost.
///
/// ```
/// use planner_core::{Cell, Observation, map::{Occupancy, Unknown}};
/// use planner_core::terrain::{Cells, Four, Terrain, Uniform};
///
/// const WORDS: usize = Cells::<Four>::words(5, 4);
/// let mut memory = [0; WORDS];
/// let mut terrain = Cells::<Four>::new(5, 4, &mut memory, Unknown::AsFree, Uniform)?;
/// let seen = Observation::Cell(Cell::new(2, 2), Occupancy::Blocked);
/// assert!(terrain.observe(seen).unwrap().is_some()); // a change
/// assert!(terrain.observe(seen).unwrap().is_none()); // known already
/// # Ok::<(), planner_core::BuildError>(())
/// ```
#[derive(Debug)]
pub struct Cells<'m, M = super::Four, C = Uniform> {
    grid: Grid,
    map: Map<'m>,
    costs: C,
    moves: PhantomData<M>,
}

impl<'m, M: Moves, C: Costs> Cells<'m, M, C> {
    /// A `width` by `height` terrain of which nothing is known.
    ///
    /// # Errors
    /// The size is zero or `memory` holds fewer than [`Cells::words`].
    pub fn new(
        width: u16,
        height: u16,
        memory: &'m mut [u32],
        unknown: Unknown,
        costs: C,
    ) -> Result<Self, BuildError> {
        let grid = Grid::new(width, height, 1)?;
        let mut map = Map::new(grid.vertices(), memory, unknown)?;
        costs.check(grid.vertices())?;
        for row in 0..height as usize {
            map.note(row * grid.stride() + width as usize, Occupancy::Blocked);
        }
        Ok(Self {
            grid,
            map,
            costs,
            moves: PhantomData,
        })
    }
}

impl Cells<'_> {
    /// Vertices of a grid of this size: its cells and a border behind each row.
    #[must_use]
    pub const fn vertices(width: u16, height: u16) -> usize {
        (width as usize + 1).saturating_mul(height as usize)
    }

    /// Words of memory for the map of a grid of this size.
    #[must_use]
    pub const fn words(width: u16, height: u16) -> usize {
        words(Self::vertices(width, height))
    }
}

impl<M: Moves, C: Costs> Terrain for Cells<'_, M, C> {
    const MOVES: usize = M::COUNT;
    const CORNERS: bool = M::CORNERS;

    #[inline(always)]
    fn grid(&self) -> &Grid {
        &self.grid
    }

    #[inline(always)]
    fn moves(&self, from: usize) -> MoveSet {
        M::allowed(|m| self.map.is_open(step(&self.grid, from, m)))
    }

    #[inline(always)]
    fn is_open(&self, vertex: usize) -> bool {
        self.map.is_open(vertex)
    }

    #[inline(always)]
    fn cost(&self, m: usize, into: usize) -> usize {
        M::cost(m) * self.costs.weight(into)
    }

    #[inline(always)]
    fn estimate(&self, dx: usize, dy: usize) -> usize {
        M::estimate(dx, dy)
    }

    #[inline(always)]
    fn estimate_beside(&self, before: usize, away: (isize, isize), m: usize) -> usize {
        M::estimate_beside(before, away, m)
    }

    fn longest(&self) -> usize {
        let (w, h) = (self.grid.width() as usize, self.grid.height() as usize);
        let cells = if self.costs.heaviest() == 1 {
            // A path that enters all four cells of a two by two block could be cut short there.
            w.div_ceil(2)
                .saturating_mul(h.div_ceil(2))
                .saturating_mul(3)
        } else {
            w.saturating_mul(h)
        };
        cells.saturating_mul(M::DEAREST * self.costs.heaviest())
    }

    fn fact(&self, vertex: usize) -> Occupancy {
        self.map.fact(vertex)
    }

    fn has_seen(&self, from: usize, m: usize) -> bool {
        let is_known = |m| self.map.fact(step(&self.grid, from, m)) != Occupancy::Unknown;
        // A diagonal lies between the move with its number less four and the one after that.
        is_known(m) && (m < 4 || !M::CORNERS || is_known(m - 4) && is_known((m - 3) % 4))
    }

    #[inline(always)]
    fn observe(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError> {
        Ok(match seen {
            Observation::Cell(cell, fact) => {
                let vertex = self.grid.vertex(cell)?;
                self.map.note(vertex, fact).map(|trend| match trend {
                    Trend::Rise => Change::Closed(vertex),
                    Trend::Fall => Change::Opened(vertex),
                })
            }
            Observation::Weight(cell, weight) => {
                let vertex = self.grid.vertex(cell)?;
                let trend = self.costs.set(vertex, weight)?;
                trend.map(|trend| Change::Weighed(vertex, trend))
            }
            Observation::Wall(..) => return Err(ObserveError::NotOnThisTerrain),
        })
    }
}
