//! How much a tick may do, and how that is spent.

use crate::planner::Work;

/// The most work that one tick may do.
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
    /// Cells that may be expanded. For each that is not, [`Budget::REQUEUES`] queue entries may be moved
    /// to their true place.
    pub expansions: u32,
    /// Changes of the map that a real-time planner may take into its search; the rest wait.
    pub changes: u32,
}

impl Budget {
    /// Re-queues that count as one expansion: together they take less time than a dear one, so the longest
    /// tick is no longer for them. They come in bursts, which would starve a small limit if each counted as
    /// one.
    pub const REQUEUES: u32 = 4;

    /// Work until the answer is known.
    pub const UNLIMITED: Self = Self {
        expansions: u32::MAX,
        changes: u32::MAX,
    };

    /// At most `expansions` expansions and as many changes, but no fewer than eight.
    #[must_use]
    pub const fn limit(expansions: u32) -> Self {
        Self {
            expansions,
            changes: if expansions < 8 { 8 } else { expansions },
        }
    }

    /// What is left of it after some work.
    #[must_use]
    pub const fn after(self, work: Work) -> Self {
        let spent = work
            .expansions
            .saturating_add(work.requeues.div_ceil(Self::REQUEUES));
        Self {
            expansions: self.expansions.saturating_sub(spent),
            ..self
        }
    }
}

/// A budget while it is spent: the loop of a search has one number to watch.
#[derive(Clone, Copy)]
pub(crate) struct Meter {
    /// In re-queues, like the next.
    left: u32,
    /// What was left when work was last booked.
    booked: u32,
    /// Re-queues since then.
    requeues: u32,
}

impl Meter {
    pub(crate) const fn new(budget: Budget) -> Self {
        let left = budget.expansions.saturating_mul(Budget::REQUEUES);
        Self {
            left,
            booked: left,
            requeues: 0,
        }
    }

    /// Pays for an expansion; `false` when too little is left.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn expand(&mut self) -> bool {
        let pays = !self.is_used_up();
        if pays {
            self.left -= Budget::REQUEUES;
        }
        pays
    }

    /// Pays for a re-queue; `false` when nothing is left.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn requeue(&mut self) -> bool {
        let pays = self.left > 0;
        if pays {
            self.left -= 1;
            self.requeues += 1;
        }
        pays
    }

    /// Whether too little is left for an expansion.
    #[inline(always)]
    pub(crate) const fn is_used_up(&self) -> bool {
        self.left < Budget::REQUEUES
    }

    /// Books expansions and re-queues since this was last done; how many they are together.
    pub(crate) const fn book(&mut self, work: &mut Work) -> u32 {
        let requeues = core::mem::replace(&mut self.requeues, 0);
        let expansions = (self.booked - self.left - requeues) / Budget::REQUEUES;
        self.booked = self.left;
        work.expansions += expansions;
        work.requeues += requeues;
        expansions + requeues
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meter_pays_for_what_its_budget_covers_and_books_it() {
        let mut meter = Meter::new(Budget::limit(3));
        let mut work = Work::default();
        assert!(meter.expand() && meter.requeue() && meter.expand());
        assert!(
            !meter.expand() && meter.is_used_up(),
            "three re-queues are left"
        );
        assert!(meter.requeue() && meter.requeue() && meter.requeue());
        assert!(!meter.requeue());
        assert_eq!(meter.book(&mut work), 6);
        assert_eq!((work.expansions, work.requeues), (2, 4));
        assert_eq!(meter.book(&mut work), 0, "all is booked");
        assert_eq!(Budget::limit(3).after(work).expansions, 0);
    }

    #[test]
    fn part_of_an_expansion_is_not_left_to_another_search() {
        let work = Work {
            requeues: 1,
            ..Work::default()
        };
        assert_eq!(Budget::limit(3).after(work).expansions, 2);
        assert!(!Meter::new(Budget::limit(0)).requeue());
        assert!(Meter::new(Budget::UNLIMITED).expand());
    }
}
