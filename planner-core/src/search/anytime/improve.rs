//! `ComputeOrImprovePath`: one iteration of the search, as far as the budget goes.

use super::{
    AnytimeDStar,
    frontier::Frontier,
    keys::{Away, Keys},
};
use crate::{
    planner::{Budget, Work},
    queue::{Entry, Holds},
    terrain::{MoveSet, Terrain, opposite, step, step_offset},
    width::{Width, infinity},
};

impl<W: Width, T: Terrain, E: Entry + Holds<W>> AnytimeDStar<'_, W, T, E> {
    /// Searches until the way from the robot is known to be short enough, or known not to exist:
    /// `true`. Or until what is `left` of the budget is used up: `false`.
    pub(super) fn improve(&mut self, left: &mut Budget, work: &mut Work) -> bool {
        let mut run = Run {
            keys: Keys::new(&self.terrain, &self.aim),
            frontier: &mut self.frontier,
            left,
            work,
            lead: &mut self.lead,
        };
        run.improve(self.start.0)
    }
}

/// A search under way.
struct Run<'a, 'm, W: Width, T, E> {
    keys: Keys<'a, T>,
    frontier: &'a mut Frontier<'m, W, E>,
    /// What may still be done; what was done is counted in `work`.
    left: &'a mut Budget,
    work: &'a mut Work,
    /// Expansions less re-queues of outdated keys.
    lead: &'a mut i32,
}

impl<W: Width, T: Terrain, E: Entry> Run<'_, '_, W, T, E> {
    #[inline(never)]
    fn improve(&mut self, start: usize) -> bool {
        let start_away = self.keys.away(start);
        loop {
            if self.frontier.is_merging() {
                if !self.pay_requeue() {
                    return false;
                }
                self.frontier.merge_one(&self.keys);
                continue;
            }
            let (_, rhs_start) = self.frontier.values(start);
            let is_reached = rhs_start < infinity::<W>();
            let Some((vertex, old_key)) = self.frontier.lists.first() else {
                // A detour that costs more than costs can hold looks like none. INCONS then knows of
                // shorter ones.
                if is_reached || self.keys.detours_fit || self.frontier.lists.len().1 == 0 {
                    return true;
                }
                self.frontier.end_iteration();
                continue;
            };
            // Infinity is no number to compare keys with: go on until nothing is left. A start that is
            // under-consistent has an entry itself, with an earlier key.
            if is_reached && !old_key.is_before(self.keys.inflated(start_away, rhs_start)) {
                return true;
            }
            let (g, rhs) = self.frontier.values(vertex);
            let at = (vertex, self.keys.away(vertex));
            let key = self.keys.key(at.1, g, rhs);
            if old_key.is_before(key) {
                if !self.pay_requeue() {
                    return false;
                }
                *self.lead = self.lead.saturating_sub(1);
                self.frontier.lists.rekey(self.frontier.nodes, 0, key);
                continue;
            }
            if self.left.expansions == 0 {
                return false;
            }
            self.left.expansions -= 1;
            self.work.expansions = self.work.expansions.saturating_add(1);
            *self.lead = self.lead.saturating_add(1);
            self.expand(at, g, rhs);
        }
    }

    /// Pays for an entry that is moved to where it belongs, if the budget allows it.
    #[inline(always)]
    fn pay_requeue(&mut self) -> bool {
        if self.left.requeues == 0 {
            return false;
        }
        self.left.requeues -= 1;
        self.work.requeues = self.work.requeues.saturating_add(1);
        self.count(1);
        true
    }

    #[inline(always)]
    fn count(&mut self, queue_ops: u32) {
        self.work.queue_ops = self.work.queue_ops.saturating_add(queue_ops);
    }

    /// Expands the vertex that is first in OPEN.
    #[inline(always)]
    fn expand(&mut self, at: (usize, Away), g: usize, rhs: usize) {
        let moves = self.keys.terrain.moves(at.0);
        if g > rhs {
            self.frontier.close(at.0);
            self.count(1);
            for m in 0..T::MOVES {
                self.lower(at, moves, m, rhs);
            }
        } else {
            let ops = self.frontier.set(&self.keys, at, infinity::<W>(), rhs);
            self.count(ops);
            for m in 0..T::MOVES {
                self.raise(at, moves, m, g);
            }
        }
    }

    /// The predecessor that move `m` would lead to may be nearer now, through a vertex that is `g`
    /// from the goal.
    #[inline(always)]
    fn lower(&mut self, (vertex, away): (usize, Away), moves: MoveSet, m: usize, g: usize) {
        let from = step(&self.keys.grid, vertex, m);
        let cost = self.keys.terrain.cost(opposite(m), vertex);
        let through = self.keys.add::<W>(g, cost);
        let (g, rhs) = self.frontier.values(from);
        if through < rhs && moves.contains(m) {
            let from = (from, step_offset(away, m));
            let ops = self.frontier.set(&self.keys, from, g, through);
            self.count(ops);
        }
    }

    /// The predecessor that move `m` would lead to looks elsewhere, if it relied on a vertex that
    /// was `g` from the goal. The goal itself relies on none: its `rhs` is zero.
    #[inline(always)]
    fn raise(&mut self, (vertex, away): (usize, Away), moves: MoveSet, m: usize, g: usize) {
        let from = step(&self.keys.grid, vertex, m);
        let cost = self.keys.terrain.cost(opposite(m), vertex);
        let through = self.keys.add::<W>(g, cost);
        let (g, rhs) = self.frontier.values(from);
        if through == rhs && moves.contains(m) {
            let rhs = self.keys.look_ahead(self.frontier.nodes, from);
            let from = (from, step_offset(away, m));
            let ops = self.frontier.set(&self.keys, from, g, rhs);
            self.count(ops);
        }
    }
}
