//! Values of D* Lite, for [`Inspect`](crate::Inspect).

use super::{DStarLite, Inflation};
use crate::{
    Cell, CellValues,
    graph::{Graph, heuristic},
    inspect::InspectSearch,
    map::{Map, UnknownPolicy},
    queue::Queue,
    storage::Storage,
    width::{Width, infinity},
};

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy, I: Inflation<W>> InspectSearch
    for DStarLite<S, W, Q, U, I>
{
    fn is_expanded<M: Map>(&self, map: &M, cell: Cell) -> bool {
        match map.view::<U>().grid().vertex(cell) {
            Ok(vertex) => self.values(vertex).0 < infinity::<W>(),
            Err(_) => false,
        }
    }

    /// The key is the one that belongs to the values now: the queue may still have the cell at an older one,
    /// which is not after it.
    fn values<M: Map>(&self, map: &M, cell: Cell) -> CellValues {
        let graph = &map.view::<U>();
        let Ok(vertex) = graph.grid().vertex(cell) else {
            return CellValues::default();
        };
        if self.is_blocked(graph, vertex) {
            return CellValues::default();
        }
        let (g, rhs) = DStarLite::values(self, vertex);
        let h = heuristic(graph, self.open.s_last(), cell);
        let least = g.min(rhs);
        let f = self.open.inflation.f(least, h, g < rhs);
        let is_open = g != rhs;
        CellValues {
            g: CellValues::cost(g, infinity::<W>()),
            rhs: CellValues::cost(rhs, infinity::<W>()),
            h: Some(h),
            key: is_open.then(|| (f.wrapping_add(self.open.k_m), least)),
            is_open,
            is_closed: false,
        }
    }

    fn next_on_path<M: Map>(&self, map: &M, cell: Cell) -> Option<Cell> {
        let graph = &map.view::<U>();
        let vertex = graph.grid().vertex(cell).ok()?;
        if self.goals.contains(cell) || self.is_blocked(graph, vertex) {
            return None;
        }
        let (_, next) = self.best_successor(graph, vertex, cell)?;
        Some(next)
    }
}
