//! Iterations of Anytime D*, and the path that the robot is shown meanwhile.
//!
//! The path that the robot is on is nowhere written down: it leads from a vertex to its best successor.
//! When a search is complete, none of the vertices that the robot can come to like this is
//! under-consistent, for such a one would have an earlier key than the robot's. So each step takes it
//! nearer to the goal by at least what the step costs. That stays so while the search goes on and no
//! cost changes: an over-consistent vertex is expanded only when no under-consistent one lies ahead of
//! it, and when an under-consistent vertex is expanded, those that do not rely on it do not notice.

use super::{AnytimeDStar, epsilon::ONE, inflated::Inflated};
use crate::{
    Cell,
    budget::Remaining,
    graph::Graph,
    map::UnknownPolicy,
    planner::{Budget, Work},
    queue::{Entry, Holds},
    storage::{Storage, flat_mut},
    width::{Width, Word, infinity},
};

impl<S: Storage, W: Width, E: Entry + Holds<W>, U: UnknownPolicy> AnytimeDStar<S, W, E, U> {
    /// Improves the path as far as the budget goes; `true` when the search is complete, if only for
    /// this epsilon, or there is no path.
    pub(super) fn improve(&mut self, graph: &impl Graph, budget: Budget, work: &mut Work) -> bool {
        if !self.search.is_done(graph) {
            self.follow(graph);
        }
        let mut remaining = Remaining::new(budget);
        loop {
            self.search.is_interrupted = !self.search.search(graph, &mut remaining, work);
            if self.search.is_interrupted {
                return false;
            }
            self.changed = false;
            if self.record() {
                if remaining.is_used_up() || !self.lower_epsilon(graph) {
                    return true;
                }
            } else if self.search.open.work.incons {
                // A detour that costs more than costs can hold looks like none. INCONS may know of
                // shorter ones.
                self.end_iteration(false);
            } else {
                return true;
            }
        }
    }

    /// Makes keys for where the robot is, if the search was complete or has expanded more than it had
    /// to re-queue since it last did. An expansion also shows that no key is far behind `k_m`.
    fn follow(&mut self, graph: &impl Graph) {
        if !self.search.is_interrupted || self.search.lead > 0 {
            self.search.move_s_last(graph);
        }
    }

    /// Records the path of a complete search; `false` when there is none.
    fn record(&mut self) -> bool {
        let (_, rhs) = self.search.values(self.search.s_start().0);
        // No path is shorter than this one by more than a factor of epsilon, which is at least one
        // anyway: `max` shows the compiler that nothing is divided by zero.
        let epsilon = self.search.open.inflation.epsilon.max(ONE);
        let tenths = (rhs as u64).saturating_mul(ONE.into());
        let least = tenths.div_ceil(epsilon.into()) as usize;
        self.path = (rhs < infinity::<W>()).then(|| least.max(self.path.unwrap_or(0)));
        self.path.is_some()
    }

    /// Begins the iteration with the next lower epsilon; `false` when there is none.
    fn lower_epsilon(&mut self, graph: &impl Graph) -> bool {
        let Inflated {
            schedule, epsilon, ..
        } = self.search.open.inflation;
        let next = schedule.lowered(epsilon);
        if next == epsilon {
            return false;
        }
        // All keys are made again, so let them be for where the robot is.
        self.search.move_s_last(graph);
        self.search.open.inflation.epsilon = next;
        self.end_iteration(true);
        true
    }

    /// Keys only grow: those in OPEN are lower bounds still, and CLOSED is as good as before.
    pub(super) fn raise_epsilon(&mut self, to: u8) {
        self.search.open.inflation.epsilon = to.max(self.search.open.inflation.epsilon);
    }

    /// Empties CLOSED and lets INCONS be a part of OPEN. Keys that were `lowered` are made again.
    pub(super) fn end_iteration(&mut self, lowered: bool) {
        let iteration = &mut self.search.open.inflation.iteration;
        *iteration = match *iteration {
            n if n >= <W::Id as Word>::MAX => 1,
            n => n + 1,
        };
        // One node per iteration is enough: there are no more vertices than numbers of iterations, so
        // each is visited before the number it is stamped with comes round again.
        if let Some(node) = flat_mut(&mut self.search.nodes).get_mut(self.sweep) {
            node.stamp = W::Id::default();
        }
        self.sweep = match self.sweep + 1 {
            next if next < self.vertices => next,
            _ => 0,
        };
        if core::mem::take(&mut self.search.open.work.incons) || lowered {
            let open = &mut self.search.open;
            open.k_m = open.k_m.wrapping_add(open.inflation.far);
        }
    }

    /// Drops the path after a change of costs; where they may fall, vertices in CLOSED may be farther from the
    /// goal than epsilon allows.
    pub(super) fn begin_repair(&mut self, may_fall: bool) {
        (self.path, self.changed) = (None, true);
        if may_fall {
            self.end_iteration(false);
        }
    }

    /// Keeps the path if the robot moves along it.
    pub(super) fn walk(&mut self, graph: &impl Graph, to: (usize, Cell)) {
        let (start, cell) = self.search.s_start();
        if to.0 != start {
            let ahead = self.search.best_successor(graph, start, cell);
            let step = (self.search.values(start).1).saturating_sub(self.search.values(to.0).0);
            self.path = self
                .path
                .filter(|_| ahead == Some(to))
                .map(|least| least.saturating_sub(step));
        }
    }
}
