//! The update of the learned heuristic in the local search space.

use super::{
    LearnedValues,
    lookahead::Values,
    space::{ROBOT, Space, State},
};
use crate::{
    graph::{Graph, opposite},
    planner::Work,
    storage::Storage,
    width::{Width, Word, add, infinity},
};

impl<W: Width, const N: usize> Space<W, N> {
    /// Step 2 of LSS-LRTA*, or of LRTA* if only the robot's value is kept: gives each cell of the local search space the minimum over the frontier of path
    /// cost plus value there, by Dijkstra's algorithm.
    ///
    /// No value that is kept is smaller than the one before. With consistent h-values it could not be;
    /// it can where they have become too high, because costs fell. With `floor`, the value before
    /// counts also while values are propagated: a path then costs at least the value of any cell
    /// on it, and the successor with the smallest value is always one with a smaller value than the
    /// robot's cell.
    ///
    /// Returns the robot's cell's value, which is at least the one before.
    // A call of its own leaves more registers to the loop.
    #[inline(never)]
    pub(super) fn update<S: Storage, G: Graph>(
        &mut self,
        problem: &mut Values<'_, S, W, G>,
        robot_only: bool,
        floor: bool,
        work: &mut Work,
    ) -> usize {
        let Self { table, open } = self;
        open.clear();
        let mut queue_ops = 0;
        let mut unsettled = 0;
        for entry in table.generated() {
            if entry.state() != State::Open {
                entry.h = W::Cost::new(infinity::<W>());
                unsettled += 1;
            }
        }
        // Values at the frontier are final: its cells come first and need not be ordered.
        let mut frontier = 0..table.len();
        let mut robot_value = 0;
        while unsettled > 0 {
            let at_frontier = frontier.find(|&number| table.entry(number).state() == State::Open);
            let number = match at_frontier {
                Some(number) => number,
                None => {
                    let Some(first) = open.first() else {
                        break;
                    };
                    open.pop(&mut table.entries);
                    queue_ops += 1;
                    first
                }
            };
            let entry = table.entry(number);
            let (vertex, h) = (entry.vertex(), entry.h.get());
            if entry.state() != State::Open {
                unsettled -= 1;
                if number == ROBOT || !robot_only {
                    let value = h.max(problem.h(vertex));
                    problem.learned.set(vertex, value);
                    if number == ROBOT {
                        robot_value = value;
                        if robot_only {
                            break;
                        }
                    }
                }
            }
            let mut around = entry.around;
            while around != 0 {
                let m = around.trailing_zeros() as usize;
                around &= around - 1;
                let before = problem.steps.step(vertex, m);
                let Some(number) = table.find_inlined(before) else {
                    continue;
                };
                let Some(entry) = table.entries.get_mut(number) else {
                    continue;
                };
                // This cell's value is final, and can only be smaller than one through that cell.
                entry.around &= !(1 << opposite(m));
                let mut through = add::<W>(h, problem.graph.cost(opposite(m), vertex));
                let known = entry.h.get();
                if entry.state() == State::Open || through >= known {
                    continue;
                }
                if floor {
                    through = through.max(problem.h(before));
                    if through >= known {
                        continue;
                    }
                }
                entry.h = W::Cost::new(through);
                if known == infinity::<W>() {
                    open.insert(&mut table.entries, number, through);
                } else {
                    open.lower(&mut table.entries, number, through);
                }
                queue_ops += 1;
            }
        }
        work.queue_ops += queue_ops;
        robot_value
    }
}
