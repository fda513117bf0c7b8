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
    #[inline(always)]
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
        let goals = Goals::new(grid, goals)?;
        let blocked = |vertex| u16::from(self.is_blocked(graph, vertex));
        let blocked_goals = goals
            .vertices(grid)
            .enumerate()
            .fold(0, |set, (index, vertex)| set | blocked(vertex) << index);
        let old = core::mem::replace(&mut self.goals, goals.clone());
        // A blocked cell that is no longer a goal is recognized by its values.
        let was_blocked = core::mem::replace(&mut self.blocked_goals, blocked_goals);
        for (index, vertex) in old.vertices(grid).enumerate() {
            if was_blocked >> index & 1 == 0 && goals.index(grid, vertex).is_none() {
                self.recompute_rhs(graph, vertex);
            }
        }
        for vertex in goals.vertices(grid) {
            if old.index(grid, vertex).is_none() {
                self.enter_goal(graph, vertex);
            }
        }
        self.is_interrupted |= old != goals;
        Ok(())
    }
}
