//! The budget of a tick.

use crate::planner::Work;

/// The maximum work of one tick.
///
/// ```
/// use planner_core::{Budget, Work};
///
/// let budget = Budget::limit(64);
/// let work = Work {
///     expansions: 10,
///     requeues: 9,
///     queue_ops: 50,
/// };
/// assert_eq!(budget.after(work), Budget { expansions: 51, ..budget });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Budget {
    /// Maximum number of expansions. [`Budget::REQUEUES_PER_EXPANSION`] re-queues count as one.
    pub expansions: u32,
    /// Maximum number of map changes that a real-time planner takes into its search; the rest wait.
    pub changes: u32,
}

impl Budget {
    /// Re-queues that count as one expansion. Four take less time than the slowest expansion, so they never
    /// lengthen the worst tick; if each counted as one, their bursts would starve a small limit.
    pub const REQUEUES_PER_EXPANSION: u32 = 4;

    /// No limit.
    pub const UNLIMITED: Self = Self {
        expansions: u32::MAX,
        changes: u32::MAX,
    };

    /// At most `expansions` expansions and as many changes, or eight changes if that is more.
    #[must_use]
    pub const fn limit(expansions: u32) -> Self {
        Self {
            expansions,
            changes: if expansions < 8 { 8 } else { expansions },
        }
    }

    /// Returns the rest after some work.
    #[must_use]
    pub const fn after(self, work: Work) -> Self {
        let spent = work
            .expansions
            .saturating_add(work.requeues.div_ceil(Self::REQUEUES_PER_EXPANSION));
        Self {
            expansions: self.expansions.saturating_sub(spent),
            ..self
        }
    }
}

/// The rest of a budget while a search runs, as one number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remaining {
    /// In re-queues, like the next.
    left: u32,
    /// The rest when work was last recorded.
    recorded: u32,
    /// Re-queues since then.
    requeues: u32,
}

impl Remaining {
    pub(crate) const fn new(budget: Budget) -> Self {
        let left = budget
            .expansions
            .saturating_mul(Budget::REQUEUES_PER_EXPANSION);
        Self {
            left,
            recorded: left,
            requeues: 0,
        }
    }

    /// Charges an expansion; `false` when too little is left.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn expand(&mut self) -> bool {
        let is_covered = !self.is_used_up();
        if is_covered {
            self.left -= Budget::REQUEUES_PER_EXPANSION;
        }
        is_covered
    }

    /// Charges a re-queue; `false` when nothing is left.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn requeue(&mut self) -> bool {
        let is_covered = self.left > 0;
        if is_covered {
            self.left -= 1;
            self.requeues += 1;
        }
        is_covered
    }

    /// Gives up the rest. What was charged can still be recorded.
    pub(crate) const fn stop(&mut self) {
        self.recorded -= self.left;
        self.left = 0;
    }

    /// Returns whether too little is left for an expansion.
    #[inline(always)]
    pub(crate) const fn is_used_up(&self) -> bool {
        self.left < Budget::REQUEUES_PER_EXPANSION
    }

    /// Adds the expansions and re-queues since the last call to `work`; returns their sum.
    pub(crate) const fn record(&mut self, work: &mut Work) -> u32 {
        let requeues = core::mem::replace(&mut self.requeues, 0);
        let expansions = (self.recorded - self.left - requeues) / Budget::REQUEUES_PER_EXPANSION;
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
    fn requeues_are_rounded_up_to_whole_expansions() {
        let work = Work {
            requeues: 1,
            ..Work::default()
        };
        assert_eq!(Budget::limit(3).after(work).expansions, 2);
        assert!(!Remaining::new(Budget::limit(0)).requeue());
        assert!(Remaining::new(Budget::UNLIMITED).expand());
    }
}
