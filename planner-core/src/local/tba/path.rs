//! The path in the tree that the robot follows.
//!
//! Entries on the path hold the robot's move. A new path to another target is recorded from its end: each entry
//! above the target gets the move to the one below, up to the first that is on the path already. Then the rest of
//! the old path is unmarked. So the path is connected from the root to the target at any time, however long that
//! takes. A robot on the rest of the old path may follow it until it is unmarked, and then goes back.

use super::{
    super::{Distances, LearnedStorage, Problem, space::State, steps::Steps},
    Tba,
};
use crate::{
    budget::{EDGE_STEPS, Remaining, TRACE_STEP},
    graph::{Graph, cell_after, opposite},
    planner::{Decision, Work},
    width::Width,
};

/// The state of the change to another path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trace {
    /// The path leads to the target.
    Done,
    /// The path to `target` is recorded from its end; the entry `at` comes next.
    Up { at: u16, target: u16 },
    /// The new path is recorded and leaves the old one, which went on by move `m`, at the entry `at`.
    Branch { at: u16, m: u8, end: u16 },
    /// The rest of the old path is unmarked, from the entry `at` to the entry `end`.
    Clear { at: u16, end: u16 },
}

/// Returns whether a robot can make move `m` between two vertices now.
pub(super) fn can_move<G: Graph>(graph: &G, from: usize, m: usize, into: usize) -> bool {
    graph.moves(from).contains(m) && graph.is_passable(into)
}

impl<S: LearnedStorage<W>, W: Width, const N: usize> Tba<S, W, N> {
    /// Records a new path as far as the budget goes, and at most `steps_left` steps.
    pub(super) fn trace<G: Graph, D: Distances>(
        &mut self,
        problem: &Problem<'_, G, D>,
        steps: &Steps,
        steps_left: &mut u32,
        left: &mut Remaining,
        work: &mut Work,
    ) {
        while self.trace != Trace::Done && *steps_left > 0 && left.take(EDGE_STEPS * TRACE_STEP) {
            *steps_left -= 1;
            work.trace_steps += EDGE_STEPS;
            let next = match self.trace {
                Trace::Done => return,
                Trace::Up { at, target } => self.trace_up(&problem.graph, steps, at, target),
                Trace::Branch { at, m, end } => self.trace_branch(steps, at, m, end),
                Trace::Clear { at, end } => self.trace_clear(steps, at, end),
            };
            match next {
                Some(next) => self.trace = next,
                None => (self.trace, self.is_broken) = (Trace::Done, true),
            }
        }
    }

    /// Puts the parent of an entry on the path; `None` if the robot can no longer move from there to the entry.
    fn trace_up<G: Graph>(
        &mut self,
        graph: &G,
        steps: &Steps,
        at: u16,
        target: u16,
    ) -> Option<Trace> {
        let table = &mut self.space.table;
        let entry = table.entry(at.into());
        let m = opposite(entry.tree());
        let vertex = steps.step(entry.vertex(), entry.tree());
        let number = table.find(vertex)?;
        if !can_move(graph, vertex, m, entry.vertex()) {
            return None;
        }
        let parent = table.entries.get_mut(number)?;
        let is_end = number == usize::from(self.target);
        let (was_on_path, old_next) = (parent.state() == State::Path || is_end, parent.next());
        parent.set_next(m);
        if !was_on_path {
            return Some(Trace::Up {
                at: number as u16,
                target,
            });
        }
        let end = core::mem::replace(&mut self.target, target);
        if is_end {
            return Some(Trace::Done);
        }
        // The end of the old path has no move to make: a robot there goes back.
        if let Some(entry) = table.entries.get_mut(usize::from(end))
            && entry.state() == State::Path
        {
            entry.mark(State::Closed, entry.tree());
        }
        Some(Trace::Branch {
            at: number as u16,
            m: old_next as u8,
            end,
        })
    }

    /// Finds the first entry of the rest of the old path.
    fn trace_branch(&self, steps: &Steps, at: u16, m: u8, end: u16) -> Option<Trace> {
        let table = &self.space.table;
        let vertex = steps.step(table.entry(at.into()).vertex(), m.into());
        let at = table.find(vertex)? as u16;
        Some(Trace::Clear { at, end })
    }

    /// Takes an entry off the path.
    fn trace_clear(&mut self, steps: &Steps, at: u16, end: u16) -> Option<Trace> {
        let table = &mut self.space.table;
        let entry = table.entries.get_mut(usize::from(at))?;
        let next = steps.step(entry.vertex(), entry.next());
        if entry.state() == State::Path {
            entry.mark(State::Closed, entry.tree());
        }
        if at == end {
            return Some(Trace::Done);
        }
        let at = table.find(next)? as u16;
        Some(Trace::Clear { at, end })
    }

    /// The robot's step along the path, or back to it.
    pub(super) fn next_step<G: Graph, D: Distances>(
        &mut self,
        problem: &Problem<'_, G, D>,
        steps: &Steps,
        robot: usize,
    ) -> Decision {
        let entry = self.space.table.entry(robot);
        let m = match entry.state() {
            _ if robot == usize::from(self.target) => return Decision::Wait,
            State::Path => entry.next(),
            State::Open | State::Closed => entry.tree(),
        };
        let into = steps.step(entry.vertex(), m);
        if self.is_broken || !can_move(&problem.graph, entry.vertex(), m, into) {
            self.is_broken = true;
            return self.best_neighbor(problem);
        }
        Decision::Step(cell_after(problem.at, m))
    }
}
