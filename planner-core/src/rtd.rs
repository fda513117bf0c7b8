//! Real-Time D* (Bond, Widger, Ruml & Sun 2010): a global search that is interrupted every tick, and
//! a local search that moves the robot meanwhile.
//!
//! # The bound
//!
//! One tick under a [`Budget`] of `E` expansions, `R` re-queues and `C` changes, on a terrain with `M`
//! moves, does at most
//!
//! | what | at most |
//! |---|---|
//! | expansions, global and local together | `E` |
//! | re-queues | `R` |
//! | changes taken into the search | `C` |
//! | operations on the global queue | `R + E (M + 1) + C (2 M + 3)` |
//! | operations of the local search | as its documentation says, a multiple of `E` |
//!
//! Each operation takes constant time, the next bucket is found in a constant number of looks, a new
//! goal is two changes, and nothing is cleared or scanned in proportion to the map: no term has the
//! size of the map in it. [`Stats::most`](crate::Stats) records what was reached.
//!
//! # When changes come too fast
//!
//! What is seen enters the map at once, so the robot never steps into a wall it has seen. The search
//! takes in `C` changes per tick; the others wait. More than fit the queue start a sweep: vertex by
//! vertex, `C` per tick, the search is made to agree with the map again. Until nothing waits, the
//! global search's answer does not count and the local search moves the robot.

use crate::{
    Cell, ObserveError, OffMap,
    backlog::Backlog,
    local::LocalSearch,
    map::Fact,
    planner::{Budget, Decision, Inspect, Observation, Planner, Stats, Work},
    search::{GlobalSearch, Progress},
    terrain::Terrain,
};

/// How much of each tick's expansions is kept for the local search, in per cent: the papers'
/// `LocalRatio`. The local search always gets at least one expansion, and what it leaves goes to the
/// global search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LocalRatio(u8);

impl LocalRatio {
    /// `percent` of the expansions, at most all of them.
    #[must_use]
    pub const fn percent(percent: u8) -> Self {
        Self(if percent > 100 { 100 } else { percent })
    }

    /// The local search's share of `expansions`.
    #[must_use]
    const fn of(self, expansions: u32) -> u32 {
        let share = (expansions as u64 * self.0 as u64 / 100) as u32;
        match (share, expansions) {
            (0, 1..) => 1,
            (share, _) => share,
        }
    }
}

/// A local search that never moves: the baseline that waits until the global search is complete.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOp;

impl<T: Terrain> LocalSearch<T> for NoOp {
    fn step(
        &mut self,
        _terrain: &T,
        _at: (usize, Cell),
        _goal: (usize, Cell),
        _limit: u32,
        _work: &mut Work,
    ) -> Option<Cell> {
        None
    }

    fn forget(&mut self) {}

    fn world_changed(&mut self) {}

    fn upkeep(&mut self) {}
}

/// Real-Time D* over a global search `G` and a local search `L`; up to `BACKLOG` changes wait.
#[derive(Debug)]
pub struct Rtd<G, L, const BACKLOG: usize = 64> {
    global: G,
    local: L,
    ratio: LocalRatio,
    backlog: Backlog<BACKLOG>,
    stats: Stats,
}

impl<G: GlobalSearch, L: LocalSearch<G::Terrain>, const BACKLOG: usize> Rtd<G, L, BACKLOG> {
    /// A planner that leaves `ratio` of each tick to `local`.
    #[must_use]
    pub const fn new(global: G, local: L, ratio: LocalRatio) -> Self {
        Self {
            global,
            local,
            ratio,
            backlog: Backlog::new(),
            stats: Stats {
                searches: 0,
                total: Work {
                    expansions: 0,
                    requeues: 0,
                    queue_ops: 0,
                },
                tick: Work {
                    expansions: 0,
                    requeues: 0,
                    queue_ops: 0,
                },
                most: Work {
                    expansions: 0,
                    requeues: 0,
                    queue_ops: 0,
                },
            },
        }
    }

    /// The search from the goal.
    pub fn global(&self) -> &G {
        &self.global
    }

    /// The search around the robot.
    pub fn local(&self) -> &L {
        &self.local
    }

    /// Whether the global search has taken in all that was seen.
    pub fn is_up_to_date(&self) -> bool {
        self.backlog.is_empty()
    }

    /// Whether changes came faster than they could be taken in, and the map is being swept.
    pub fn is_sweeping(&self) -> bool {
        self.backlog.is_sweeping()
    }

    /// The global search's decision, if it has come to one that counts.
    fn informed(&mut self, budget: Budget, work: &mut Work) -> Option<Decision> {
        let progress = self.global.advance(budget, work);
        if !self.backlog.is_empty() {
            return None;
        }
        match progress {
            Progress::Searching => None,
            Progress::Path(next) => Some(Decision::Step(next)),
            Progress::NoPath => Some(Decision::Unreachable),
        }
    }
}

impl<G: GlobalSearch, L: LocalSearch<G::Terrain>, const BACKLOG: usize> Planner
    for Rtd<G, L, BACKLOG>
{
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let change = self.global.note(seen)?;
        if let Some(change) = change {
            self.backlog.push(change.vertex());
            self.local.world_changed();
        }
        Ok(change.is_some())
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.global.move_to(at)?;
        let robot = (self.global.terrain().grid().vertex(at)?, at);
        let goal = self.global.goal();
        let vertices = self.global.terrain().grid().vertices();
        self.backlog
            .absorb(&mut self.global, vertices, budget.changes);
        self.local.upkeep();
        if robot.0 == goal.0 {
            return Ok(Decision::Arrived);
        }
        let mut work = Work::default();
        let local_limit = self.ratio.of(budget.expansions);
        let global = Budget {
            expansions: budget.expansions - local_limit,
            ..budget
        };
        let decision = match self.informed(global, &mut work) {
            Some(decision) => decision,
            None => {
                let terrain = self.global.terrain();
                let next = self
                    .local
                    .step(terrain, robot, goal, local_limit, &mut work);
                let rest = Budget {
                    expansions: budget.expansions.saturating_sub(work.expansions),
                    requeues: budget.requeues.saturating_sub(work.requeues),
                    ..budget
                };
                let guess = next.map_or(Decision::Wait, Decision::Step);
                self.informed(rest, &mut work).unwrap_or(guess)
            }
        };
        self.stats.searches += u32::from(work.expansions > 0);
        self.stats.book(work);
        Ok(decision)
    }

    fn set_goal(&mut self, goal: Cell) -> Result<(), OffMap> {
        self.global.change_goal(goal)?;
        self.local.forget();
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<G: Inspect, L, const BACKLOG: usize> Inspect for Rtd<G, L, BACKLOG> {
    fn fact(&self, cell: Cell) -> Fact {
        self.global.fact(cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        self.global.is_expanded(cell)
    }
}
