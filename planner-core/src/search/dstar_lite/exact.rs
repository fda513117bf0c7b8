//! Answers for [Real-Time D*](crate::rtd) while the search is incomplete.

use super::{DStarLite, DStarLiteNode, Inflation};
use crate::{
    graph::{Graph, GraphChange},
    map::UnknownPolicy,
    queue::Queue,
    storage::Storage,
    width::{Width, infinity},
};

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy, I: Inflation<W>>
    DStarLite<S, W, Q, U, I>
{
    /// A consistent vertex whose key is not after the first of the queue is as good as expanded by A*: whatever
    /// is expanded later cannot change its `g`. It is the end test of the search, for another vertex than
    /// `s_start`.
    pub(super) fn exact_distance_in(&self, graph: &impl Graph, vertex: usize) -> Option<usize> {
        let (g, rhs) = self.values(vertex);
        if g != rhs || g == infinity::<W>() {
            return None;
        }
        let h = self.open.heuristic(graph, vertex);
        let key = self.open.open_key(h, g, false);
        (!Q::is_before(self.first_key?, key)).then_some(g)
    }

    /// A vertex that no search has reached, and none of its neighbors, is blocked or unblocked by writing its own
    /// node; a wall between vertices neither of which lies on the other's path needs nothing.
    pub(super) fn absorb_unrelated_in<G: Graph>(&mut self, graph: &G, change: GraphChange) -> bool {
        match change {
            GraphChange::Edge(a, b, _) => {
                let (at_a, at_b) = (self.values(a), self.values(b));
                at_a.0 >= at_b.1 && at_b.0 >= at_a.1
            }
            GraphChange::Weight(..) => false,
            GraphChange::Blocked(vertex) | GraphChange::Unblocked(vertex) => {
                let is_unreached = |v| self.values(v).0 == infinity::<W>();
                let (_, rhs) = self.values(vertex);
                let node = match graph.is_passable(vertex) {
                    // Goals are told from blocked vertices by looking them up.
                    true if rhs == 0 && self.goal(graph, vertex).is_none() => {
                        DStarLiteNode::unreached()
                    }
                    false if rhs == infinity::<W>() => DStarLiteNode::blocked(),
                    _ => return false,
                };
                let grid = graph.grid();
                let unrelated = is_unreached(vertex)
                    && (0..G::MOVES).all(|m| is_unreached(grid.neighbor(vertex, m)));
                if unrelated {
                    self.replace(vertex, node);
                }
                unrelated
            }
        }
    }
}
