//! Checks of the invariants of D* Lite, for tests.

use super::{
    DStarLite, Inflation,
    repair::{compute_rhs, values},
};
use crate::{
    graph::Graph,
    map::{Map, UnknownPolicy},
    queue::AuditQueue,
    storage::{Nodes, Storage},
    width::Width,
};

/// A violated invariant of D* Lite: a bug in the planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvariantViolation {
    /// The search takes a vertex for passable that is blocked in the map, or vice versa.
    Map(usize),
    /// `rhs` of a vertex is not the minimum over its successors.
    Rhs(usize),
    /// The queue does not hold exactly the inconsistent vertices.
    Queue {
        /// Number of inconsistent vertices.
        inconsistent: usize,
        /// Number of entries.
        queued: usize,
    },
    /// The queue has an inconsistent vertex later than its key says, or not at all.
    Key(usize),
}

impl<S: Storage, W: Width, Q: AuditQueue<W>, U: UnknownPolicy, I: Inflation<W>>
    DStarLite<S, W, Q, U, I>
{
    /// Checks the invariants that D* Lite's proof rests on, for a search that is up to date with its map:
    /// `rhs` is the minimum over the successors, the queue holds exactly the inconsistent vertices, and none
    /// of them later than its key says. For tests: it visits the whole map.
    ///
    /// # Errors
    /// The first violation found.
    pub fn audit<M: Map>(&self, map: &M) -> Result<(), InvariantViolation> {
        let graph = &map.view::<U>();
        let (nodes, rows) = (self.nodes(), graph.grid().rows());
        let mut inconsistent = 0;
        for vertex in 0..graph.grid().vertices() {
            let (g, rhs) = values(nodes, vertex);
            let is_passable = graph.is_passable(vertex);
            if is_passable == self.is_blocked(graph, vertex) {
                return Err(InvariantViolation::Map(vertex));
            }
            let expected = if !is_passable || self.goal(graph, vertex).is_some() {
                0
            } else {
                compute_rhs(nodes, &rows, graph, vertex)
            };
            if rhs != expected {
                return Err(InvariantViolation::Rhs(vertex));
            }
            if is_passable && g != rhs {
                inconsistent += 1;
                self.audit_key(graph, vertex)?;
            }
        }
        let link = |id: usize| nodes.node(id).map(|node| node.link);
        let queued = self.open.queue.count(link);
        if queued != inconsistent {
            return Err(InvariantViolation::Queue {
                inconsistent,
                queued,
            });
        }
        Ok(())
    }

    /// Checks that the queue has an inconsistent vertex, and not later than its key for `s_last`, which is not
    /// after that for `s_start`.
    fn audit_key<G: Graph>(&self, graph: &G, vertex: usize) -> Result<(), InvariantViolation> {
        let nodes = self.nodes();
        let link = |id: usize| nodes.node(id).map(|node| node.link);
        let bound = self.open.queue.bound(link, vertex);
        let (Some(node), Some(bound)) = (nodes.node(vertex), bound) else {
            return Err(InvariantViolation::Key(vertex));
        };
        let h = self.open.heuristic(graph, vertex);
        let (key, _) = self.open.key(h, values(nodes, vertex), node.stamp);
        match Q::is_before(key, bound) {
            true => Err(InvariantViolation::Key(vertex)),
            false => Ok(()),
        }
    }
}
