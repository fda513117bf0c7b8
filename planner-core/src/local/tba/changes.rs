//! Changes of the map, compared with the tree.

use super::{
    super::{LearnedStorage, LearnedValues, space::State},
    Stage, Tba,
    path::{Trace, can_move},
};
use crate::{
    graph::{Graph, GraphChange, Trend, opposite},
    width::{Width, Word, add},
};

impl<S: LearnedStorage<W>, W: Width, const N: usize> Tba<S, W, N> {
    /// Absorbs a change: learned values may become too high, the path may be blocked, a cell may join OPEN.
    pub(super) fn absorb<G: Graph>(&mut self, graph: &G, change: GraphChange) {
        self.is_changing |= change.trend() == Trend::Fall;
        match (change.trend(), self.stage) {
            (Trend::Rise, _) => {}
            // Without a tree the robot goes by learned values alone, and could not leave a dead end without them.
            (Trend::Fall, Stage::Empty) => self.has_fallen = true,
            (Trend::Fall, Stage::Tree) => self.learned.forget(),
            (Trend::Fall, Stage::Learning(_)) => {
                self.learned.forget();
                self.stage = Stage::Empty;
            }
        }
        if self.stage != Stage::Tree {
            return;
        }
        match change {
            // Diagonals past its corners lead over its neighbors, all other moves over the vertex itself.
            GraphChange::Blocked(vertex) if G::CORNERS || self.is_path_over(vertex) => {
                for m in 0..G::MOVES {
                    self.check_path(graph, graph.grid().neighbor(vertex, m));
                }
            }
            GraphChange::Unblocked(vertex) => {
                self.reopen(graph, vertex);
                if G::CORNERS {
                    // Diagonals past its corners lead from one straight neighbor to another.
                    for m in 0..4 {
                        self.reopen(graph, graph.grid().neighbor(vertex, m));
                    }
                }
            }
            GraphChange::Edge(a, b, Trend::Rise) if self.is_path_over(a) => {
                self.check_path(graph, a);
                self.check_path(graph, b);
            }
            GraphChange::Edge(a, b, Trend::Fall) => {
                self.reopen(graph, a);
                self.reopen(graph, b);
            }
            GraphChange::Blocked(_) | GraphChange::Edge(..) | GraphChange::Weight(..) => {}
        }
    }

    /// Returns whether the path, or the one that is being recorded, may lead over a vertex.
    fn is_path_over(&self, vertex: usize) -> bool {
        let is_part = |number| {
            self.space.table.entry(number).state() == State::Path
                || number == usize::from(self.target)
                || self.trace != Trace::Done
        };
        !self.is_broken && self.find(vertex).is_some_and(is_part)
    }

    /// Checks the robot's move from a vertex that may be on the path ahead of it.
    fn check_path<G: Graph>(&mut self, graph: &G, vertex: usize) {
        let Some(number) = self.find(vertex) else {
            return;
        };
        let entry = self.space.table.entry(number);
        if entry.state() == State::Path
            && number != usize::from(self.target)
            && entry.g.get() >= self.robot_g.get()
        {
            let into = graph.grid().neighbor(vertex, entry.next());
            self.is_broken |= !can_move(graph, vertex, entry.next(), into);
        }
    }

    /// Lets a cell that can be entered from the tree again join the frontier.
    fn reopen<G: Graph>(&mut self, graph: &G, vertex: usize) {
        let state = |number| self.space.table.entry(number).state();
        if self
            .find(vertex)
            .is_some_and(|number| state(number) != State::Open)
        {
            return;
        }
        let mut best: Option<(usize, usize)> = None;
        for m in 0..G::MOVES {
            let from = graph.grid().neighbor(vertex, m);
            let Some(number) = self.find(from) else {
                continue;
            };
            if state(number) != State::Open && can_move(graph, from, opposite(m), vertex) {
                let g = self.space.table.entry(number).g.get();
                let g = add::<W>(g, graph.cost(opposite(m), vertex));
                if best.is_none_or(|(least, _)| g < least) {
                    best = Some((g, m));
                }
            }
        }
        // Among the first in OPEN if it is new: its estimate is not known here.
        if let Some((g, tree)) = best
            && let weighted = self.space.open.first_key().saturating_sub(g)
            && self.reach::<G>(vertex, g, tree, weighted).is_none()
        {
            self.stage = Stage::Empty;
        }
    }
}
