//! The budget of a tick.

use crate::planner::Work;

/// The maximum work of one tick, in expansions of the global search. Everything that a tick does is charged
/// to it:
///
/// | work | price in expansions |
/// |---|---|
/// | expansion of the global search, of LRTA* or of LSS-LRTA* | 1 |
/// | change of the map that is absorbed: `rhs` of a vertex and its neighbors, like an expansion | 1 |
/// | table of a tree cleared | 1 |
/// | vertex of a sweep | 1/2 |
/// | re-queue | 1/4 |
/// | cell visited by time-bounded A*: expanded, taken over, or its value learned | 1/4 |
/// | ... and for each neighbor that is looked up | 1/16 |
/// | ... and for each of these that joins OPEN | 1/8 |
/// | ... and if it lies among several goals | 1/8 |
/// | five entries that learning passes over, in search of the frontier | 1/16 |
/// | edge of a path that is traced | 1/8 |
/// | search for a [run](crate::search::RunSearch) that begins | 2 |
/// | ... cell of its path that is checked | 3/8 |
/// | ... cell of a straight that is scanned | 3/16 |
/// | ... state that is examined, four words of open states, 16 states cleared | 1/8 |
///
/// With eight moves a neighbor costs a quarter of that.
///
/// Each price is backed by the longest time that such work can take on the chip: `cargo xtask wcet`.
///
/// ```
/// use planner_core::{Budget, Work};
///
/// let work = Work { expansions: 10, requeues: 9, ..Work::ZERO };
/// assert_eq!(Budget::limit(64).after(work), Budget::limit(51));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Budget {
    /// Maximum number of expansions, or of other work at its price.
    pub expansions: u32,
}

/// The price of an expansion or of an absorbed change; the unit is that of a trace step.
pub(crate) const EXPANSION: u32 = 16;
/// The price of a re-queue. Four take less time than the slowest expansion, so they never lengthen the worst
/// tick; if each counted as an expansion, their bursts would starve a small limit.
pub(crate) const REQUEUE: u32 = 4;
/// The price of a visit to a vertex, without its neighbors.
pub(crate) const VISIT: u32 = 4;
/// Visits that clearing the table of a tree counts as: as much as an expansion.
pub(crate) const CLEAR_VISITS: u32 = EXPANSION / VISIT;
/// Visits that a vertex of a sweep counts as.
pub(crate) const SWEEP_VISITS: u32 = 2;
/// The price of a trace step: the least work that is charged.
pub(crate) const TRACE_STEP: u32 = 1;
/// Trace steps of one edge of a path.
pub(crate) const EDGE_STEPS: u32 = 2;
/// The price of comparing a cell with all goals, in trace steps.
pub(crate) const GOALS: u32 = 2;
/// Trace steps of a neighbor of a visited cell that is looked up.
const NEIGHBOR_STEPS: u32 = 1;
/// Trace steps of a neighbor that joins OPEN, besides those.
const JOIN_STEPS: u32 = 2;

/// The neighbors of a visited cell: their price in trace steps, and 65,536 for each that joined OPEN.
// One number: the chip has few registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visited(u32);

impl Visited {
    pub(crate) const NONE: Self = Self(0);

    /// Adds a neighbor that is looked up.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn look(&mut self) {
        self.0 += NEIGHBOR_STEPS;
    }

    /// Adds that it joined OPEN.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn join(&mut self) {
        self.0 += 1 << u16::BITS | JOIN_STEPS;
    }

    /// The number of those that joined OPEN.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn joined(self) -> u32 {
        self.0 >> u16::BITS
    }

    const fn steps(self) -> u32 {
        self.0 & u16::MAX as u32
    }
}

/// Returns the largest price of a visit on a graph with a number of moves.
pub(crate) const fn visit(moves: usize) -> u32 {
    VISIT + TRACE_STEP * neighbor_steps(moves as u32 * (NEIGHBOR_STEPS + JOIN_STEPS), moves)
}

/// Returns the trace steps of neighbors on a graph with a number of moves: with eight, a quarter.
#[cfg_attr(not(debug_assertions), inline(always))]
const fn neighbor_steps(steps: u32, moves: usize) -> u32 {
    if moves > 4 { steps.div_ceil(4) } else { steps }
}

impl Budget {
    /// Re-queues that count as one expansion.
    pub const REQUEUES_PER_EXPANSION: u32 = EXPANSION / REQUEUE;

    /// No limit.
    pub const UNLIMITED: Self = Self::limit(u32::MAX);

    /// At most `expansions` expansions.
    #[must_use]
    pub const fn limit(expansions: u32) -> Self {
        Self { expansions }
    }

    /// Returns the rest after some work, in whole expansions.
    #[must_use]
    pub const fn after(self, work: Work) -> Self {
        let whole = work.expansions.saturating_add(work.changes);
        let parts = (work.requeues.saturating_mul(REQUEUE))
            .saturating_add(work.visits.saturating_mul(VISIT))
            .saturating_add(work.trace_steps.saturating_mul(TRACE_STEP));
        let spent = whole.saturating_add(parts.div_ceil(EXPANSION));
        Self::limit(self.expansions.saturating_sub(spent))
    }
}

/// The rest of a budget while a search runs, as one number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remaining {
    /// In trace steps, like the next.
    left: u32,
    /// The rest when work was last recorded.
    recorded: u32,
    /// Re-queues since then.
    requeues: u32,
}

impl Remaining {
    pub(crate) const fn new(budget: Budget) -> Self {
        let left = budget.expansions.saturating_mul(EXPANSION);
        Self {
            left,
            recorded: left,
            requeues: 0,
        }
    }

    /// Charges an expansion; `false` when too little is left.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub(crate) const fn expand(&mut self) -> bool {
        self.take(EXPANSION)
    }

    /// Charges a re-queue; `false` when too little is left.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub(crate) const fn requeue(&mut self) -> bool {
        let is_covered = self.take(REQUEUE);
        if is_covered {
            self.requeues += 1;
        }
        is_covered
    }

    /// Charges work at a price; `false` when too little is left.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub(crate) const fn take(&mut self, price: u32) -> bool {
        let is_covered = self.left >= price;
        if is_covered {
            self.left -= price;
        }
        is_covered
    }

    /// Returns whether enough is left for work at a price.
    pub(crate) const fn has(&self, price: u32) -> bool {
        self.left >= price
    }

    /// Charges a visit to a cell and adds it to `work`. The caller has checked that enough is left.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn take_visit(&mut self, neighbors: Visited, moves: usize, work: &mut Work) {
        let steps = neighbor_steps(neighbors.steps(), moves);
        self.left -= VISIT + steps * TRACE_STEP;
        work.visits += 1;
        work.trace_steps += steps;
    }

    /// Returns the trace steps that were charged since work was last recorded.
    pub(crate) const fn spent(&self) -> u32 {
        (self.recorded - self.left) / TRACE_STEP
    }

    /// Gives up the rest. What was charged can still be recorded.
    pub(crate) const fn stop(&mut self) {
        self.recorded -= self.left;
        self.left = 0;
    }

    /// Returns whether too little is left for an expansion.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn is_used_up(&self) -> bool {
        self.left < EXPANSION
    }

    /// Adds the expansions and re-queues since the last call to `work`, when nothing else was charged; returns
    /// their sum.
    pub(crate) const fn record(&mut self, work: &mut Work) -> u32 {
        let requeues = core::mem::replace(&mut self.requeues, 0);
        let expansions = (self.recorded - self.left - requeues * REQUEUE) / EXPANSION;
        self.recorded = self.left;
        work.expansions += expansions;
        work.requeues += requeues;
        expansions + requeues
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_on_expansions_and_requeues() {
        let mut remaining = Remaining::new(Budget::limit(3));
        let mut work = Work::default();
        assert!(remaining.expand() && remaining.requeue() && remaining.expand());
        assert!(
            !remaining.expand() && remaining.is_used_up(),
            "three re-queues are left"
        );
        assert!(remaining.requeue() && remaining.requeue() && remaining.requeue());
        assert!(!remaining.requeue());
        assert_eq!(remaining.record(&mut work), 6);
        assert_eq!((work.expansions, work.requeues), (2, 4));
        assert_eq!(remaining.record(&mut work), 0, "all is recorded");
        assert_eq!(Budget::limit(3).after(work).expansions, 0);
    }

    #[test]
    fn a_stopped_budget_records_what_was_spent() {
        let mut remaining = Remaining::new(Budget::limit(9));
        let mut work = Work::default();
        assert!(remaining.expand() && remaining.requeue());
        remaining.stop();
        assert!(!remaining.expand() && !remaining.requeue());
        assert_eq!(remaining.record(&mut work), 2);
        assert_eq!((work.expansions, work.requeues), (1, 1));
    }

    #[test]
    fn work_is_charged_at_its_price_and_rounded_up_to_whole_expansions() {
        for (requeues, trace_steps, visits, changes, left) in
            [(1, 0, 0, 0, 2), (0, 16, 0, 0, 2), (0, 0, 9, 1, 0)]
        {
            let work = Work {
                requeues,
                trace_steps,
                visits,
                changes,
                ..Work::ZERO
            };
            assert_eq!(Budget::limit(3).after(work).expansions, left, "{work:?}");
        }
        assert!(!Remaining::new(Budget::limit(0)).requeue());
        assert!(Remaining::new(Budget::UNLIMITED).expand());
    }
}
