//! Changes of costs and of the map, taken into the search.

use super::{DStarLite, DStarLiteNode, Inflation};
use crate::{
    graph::{Graph, GraphChange, for_each_move, opposite},
    map::UnknownPolicy,
    queue::Queue,
    storage::Storage,
    width::{Width, infinity, sum},
};

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy, I: Inflation<W>>
    DStarLite<S, W, Q, U, I>
{
    /// Lines 07-09: brings `rhs` and the queue up to date after costs around a vertex changed. The `rhs` of
    /// goals and blocked vertices is zero and stays.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn update_vertex(&mut self, graph: &impl Graph, vertex: usize) {
        if self.values(vertex).1 > 0 {
            self.recompute_rhs(graph, vertex);
        }
    }

    /// Recomputes the `rhs` of a passable vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn recompute_rhs(&mut self, graph: &impl Graph, vertex: usize) {
        let nodes = S::nodes_mut(&mut self.nodes);
        self.open.renew_rhs(nodes, graph, vertex);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn set_rhs(&mut self, graph: &impl Graph, vertex: usize, rhs: usize) {
        let nodes = S::nodes_mut(&mut self.nodes);
        self.open.set_rhs(nodes, graph, vertex, rhs);
    }

    /// Blocks or unblocks a vertex as the map says; `false` when it was so already.
    pub(super) fn match_map(&mut self, graph: &impl Graph, vertex: usize) -> bool {
        self.match_passable(graph, vertex, graph.is_passable(vertex))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn match_passable(&mut self, graph: &impl Graph, vertex: usize, is_passable: bool) -> bool {
        let (g, rhs) = self.values(vertex);
        // That of goals and blocked vertices is zero.
        let goal = match rhs {
            0 => self.goal(graph, vertex),
            _ => None,
        };
        let is_blocked = (g, rhs) == (infinity::<W>(), 0)
            && goal.is_none_or(|index| self.blocked_goals >> index & 1 != 0);
        if is_passable != is_blocked {
            return false;
        }
        if !is_passable && g != rhs {
            let nodes = S::nodes_mut(&mut self.nodes);
            self.open.queue.remove(nodes, vertex);
            self.open.work.ops += 1;
        }
        self.replace(
            vertex,
            if is_passable {
                DStarLiteNode::unreached()
            } else {
                DStarLiteNode::blocked()
            },
        );
        if let Some(index) = goal {
            self.blocked_goals ^= 1 << index;
            if is_passable {
                self.set_rhs(graph, vertex, 0);
            }
        }
        true
    }

    /// Takes in a change of the edges between two vertices that was made just now: only the one whose path
    /// may lead over the other is updated.
    #[inline(never)] // most observations change nothing, and are faster without this
    pub(super) fn edge_changed(&mut self, graph: &impl Graph, a: usize, b: usize) {
        for (from, into) in [(a, b), (b, a)] {
            if self.values(into).0 < self.values(from).1 {
                self.update_vertex(graph, from);
            }
        }
    }

    /// Brings a vertex and its neighbors up to date with the map.
    pub(super) fn reconcile_in<G: Graph>(&mut self, graph: &G, vertex: usize) {
        self.match_map(graph, vertex);
        self.update_around(graph, vertex);
    }

    pub(super) fn update_around<G: Graph>(&mut self, graph: &G, vertex: usize) {
        self.update_vertex(graph, vertex);
        // The edges to the vertex changed, and with a corner rule those between its neighbors.
        for_each_move!(G::MOVES, M => self.update_vertex(graph, graph.grid().neighbor(vertex, M)));
    }

    /// Lines 32-34, for what depends on the change.
    #[cfg_attr(not(target_arch = "arm"), inline(always))]
    pub(super) fn apply_in<G: Graph>(&mut self, graph: &G, change: GraphChange) {
        match change {
            GraphChange::Edge(a, b, _) => {
                self.update_vertex(graph, a);
                self.update_vertex(graph, b);
            }
            // It may have been blocked and unblocked several times since: the map is right.
            GraphChange::Blocked(vertex) | GraphChange::Unblocked(vertex) if !G::CORNERS => {
                let (g, _) = self.values(vertex);
                let is_passable = graph.is_passable(vertex);
                if !self.match_passable(graph, vertex, is_passable) {
                    return;
                }
                if is_passable {
                    // No path led over it.
                    self.update_vertex(graph, vertex);
                    return;
                }
                if g == infinity::<W>() {
                    return;
                }
                for_each_move!(G::MOVES, M => {
                    let from = graph.grid().neighbor(vertex, M);
                    let through = sum::<W>(g, graph.cost(opposite(M), vertex));
                    if self.values(from).1 == through {
                        self.update_vertex(graph, from);
                    }
                });
            }
            GraphChange::Blocked(vertex)
            | GraphChange::Unblocked(vertex)
            | GraphChange::Weight(vertex, _) => self.reconcile_in(graph, vertex),
        }
    }
}
