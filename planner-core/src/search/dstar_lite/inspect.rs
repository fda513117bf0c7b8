//! What D* Lite keeps of a cell, for [`Inspect`](crate::Inspect).

use super::{DStarLite, Inflation};
use crate::{
    Cell, CellValues,
    queue::Queue,
    terrain::{Terrain, estimate},
    width::{Width, infinity},
};

impl<W: Width, T: Terrain, Q: Queue<W>, I: Inflation<W>> DStarLite<'_, W, T, Q, I> {
    /// The values of a cell. The key is the one that belongs to them now: the queue may still have the
    /// cell at an older one, which is not after it.
    pub(super) fn values_at(&self, cell: Cell) -> CellValues {
        let Ok(vertex) = self.terrain.grid().vertex(cell) else {
            return CellValues::default();
        };
        if self.is_closed(vertex) {
            return CellValues::default();
        }
        let (g, rhs) = self.values(vertex);
        let h = estimate(&self.terrain, self.aim, cell);
        let least = g.min(rhs);
        let f = self.inflation.f(least, h, g < rhs);
        let is_open = g != rhs;
        CellValues {
            g: CellValues::cost(g, infinity::<W>()),
            rhs: CellValues::cost(rhs, infinity::<W>()),
            h: Some(h),
            key: is_open.then(|| (f.wrapping_add(self.k_m), least)),
            is_open,
            is_closed: false,
        }
    }

    /// The next cell of the shortest way from a cell, as far as the search has come.
    pub(in crate::search) fn after_cell(&self, cell: Cell) -> Option<Cell> {
        let vertex = self.terrain.grid().vertex(cell).ok()?;
        if self.goals.contains(cell) || self.is_closed(vertex) {
            return None;
        }
        let (_, next) = self.best_from(vertex, cell)?;
        Some(next)
    }
}
