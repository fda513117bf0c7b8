//! What a change of the map, or of the goal, does to the search, a vertex at a time.

use super::{AnytimeDStar, frontier::AnytimeNode, keys::Keys, pace::Repair};
use crate::{
    queue::{Entry, Holds},
    terrain::Terrain,
    width::{Width, infinity},
};

impl<W: Width, T: Terrain, E: Entry + Holds<W>> AnytimeDStar<'_, W, T, E> {
    /// Whether the search takes the vertex for barred; the map may know better since.
    pub(super) fn is_barred(&self, vertex: usize) -> bool {
        self.frontier.values(vertex) == (infinity::<W>(), 0)
            && (vertex != self.goal || self.goal_barred)
    }

    /// Brings `rhs` and the lists up to date after costs around a vertex changed.
    pub(super) fn update_vertex(&mut self, vertex: usize) {
        if !self.is_barred(vertex) {
            let keys = Keys::new(&self.terrain, &self.aim);
            let rhs = if vertex == self.goal {
                0
            } else {
                keys.look_ahead(self.frontier.nodes, vertex)
            };
            let (g, _) = self.frontier.values(vertex);
            let at = (vertex, keys.away(vertex));
            let queue_ops = self.frontier.set(&keys, at, g, rhs);
            self.count(queue_ops);
        }
    }

    /// Bars or opens a vertex as the map says; `false` when it was so already.
    pub(super) fn match_map(&mut self, vertex: usize) -> bool {
        let is_open = self.terrain.is_open(vertex);
        if is_open != self.is_barred(vertex) {
            return false;
        }
        if vertex == self.goal {
            self.goal_barred = !is_open;
        }
        let (g, rhs) = self.frontier.values(vertex);
        if is_open {
            let node = AnytimeNode::unreached();
            self.frontier.replace(vertex, node, false);
        } else {
            self.frontier
                .replace(vertex, AnytimeNode::barred(), g != rhs);
            self.count(u32::from(g != rhs));
        }
        true
    }

    /// Makes a vertex that was the goal one like others.
    pub(super) fn leave_goal(&mut self, vertex: usize) {
        if self.frontier.values(vertex) == (infinity::<W>(), 0) {
            // Not yet expanded: out of its list, before its values are taken for those of a barred one.
            let node = AnytimeNode::unreached();
            self.frontier.replace(vertex, node, true);
            self.count(1);
        }
        self.update_vertex(vertex);
    }

    /// Costs change: vertices that were closed may be farther from the goal than epsilon allows, and
    /// the path may lead nowhere.
    pub(super) fn begin_repair(&mut self) {
        self.frontier.end_iteration();
        self.path = None;
        self.credit = 0;
        if self.repair == Repair::Done {
            self.repair = Repair::Due;
        }
    }

    fn count(&mut self, queue_ops: u32) {
        self.queue_ops = self.queue_ops.saturating_add(queue_ops);
    }
}
