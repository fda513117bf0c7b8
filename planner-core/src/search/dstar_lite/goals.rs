//! Goals of D* Lite. Another goal is a change of two costs: see the [module](super).

use super::{DStarLite, Inflation};
use crate::{
    Cell, Goals, GoalsError,
    graph::Graph,
    map::UnknownPolicy,
    queue::Queue,
    storage::Storage,
    width::{Width, infinity},
};

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy, I: Inflation<W>>
    DStarLite<S, W, Q, U, I>
{
    /// Returns whether the search takes the vertex for blocked; the map may have changed since.
    pub(in crate::search) fn is_blocked(&self, graph: &impl Graph, vertex: usize) -> bool {
        let is_blocked_goal = |index: usize| self.blocked_goals >> index & 1 != 0;
        self.values(vertex) == (infinity::<W>(), 0)
            && self.goal(graph, vertex).is_none_or(is_blocked_goal)
    }

    /// The index of the goal at a vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn goal(&self, graph: &impl Graph, vertex: usize) -> Option<usize> {
        self.goals.index(graph.grid(), vertex)
    }

    /// Makes a vertex a goal, unless it is blocked.
    pub(super) fn enter_goal(&mut self, graph: &impl Graph, vertex: usize) {
        if !self.is_blocked(graph, vertex) {
            self.set_rhs(graph, vertex, 0);
        }
    }

    pub(super) fn set_goals_in(
        &mut self,
        graph: &impl Graph,
        goals: &[Cell],
    ) -> Result<(), GoalsError> {
        let grid = graph.grid();
        let mut other = Goals::NONE;
        other.extend(grid, goals)?;
        let mut blocked_goals = 0;
        for (index, &cell) in other.cells().iter().enumerate() {
            if let Ok(vertex) = grid.vertex(cell) {
                blocked_goals |= u16::from(self.is_blocked(graph, vertex)) << index;
            }
        }
        core::mem::swap(&mut self.goals, &mut other);
        let old = &other;
        // A blocked cell that is no longer a goal is recognized by its values.
        let was_blocked = core::mem::replace(&mut self.blocked_goals, blocked_goals);
        for (index, &cell) in old.cells().iter().enumerate() {
            if was_blocked >> index & 1 == 0
                && !self.goals.contains(cell)
                && let Ok(vertex) = grid.vertex(cell)
            {
                self.recompute_rhs(graph, vertex);
            }
        }
        self.is_interrupted |= old.cells().len() != self.goals.cells().len();
        for index in 0..self.goals.cells().len() {
            if let Some(&cell) = self.goals.cells().get(index)
                && !old.contains(cell)
                && let Ok(vertex) = grid.vertex(cell)
            {
                self.is_interrupted = true;
                if blocked_goals >> index & 1 == 0 {
                    self.set_rhs(graph, vertex, 0);
                }
            }
        }
        Ok(())
    }
}
