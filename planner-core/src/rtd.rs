//! Real-Time D* (Bond et al. 2010): a global search that is interrupted every tick, and a local search that
//! moves the robot meanwhile.
//!
//! # The bound
//!
//! One tick under a [`Budget`] of `E` expansions, on a graph with `M` moves, does at most
//!
//! | work | at most |
//! |---|---|
//! | expansions, absorbed changes and all other work at its [price](Budget), global and local together | `E` |
//! | operations on the global queue | `E (M + 3)` |
//! | operations of the local search | as its documentation says, a multiple of `E` |
//!
//! An observation takes constant time, outside the tick: it changes the map, waits in the backlog if a value of the
//! global search depends on it, and is compared with the local search's tree.
//!
//! With buckets each operation takes constant time, the next bucket is found in a constant number of
//! steps; on the heap of Anytime D* it takes at most as many steps as an id has bits. A new goal is two
//! changes, a set of goals two for each, and nothing is cleared or scanned in proportion to the map: no
//! term has the size of the map in it. [`Stats::max_per_tick`](crate::Stats) records the maxima.
//!
//! # When changes come too fast
//!
//! An observation enters the map at once, so the robot never steps into an observed wall. A change that no value
//! of the global search depends on is taken in at once too; the others wait for its share of a tick, or for half
//! of the tick if that is more. More than fit the backlog start a sweep: vertex by vertex the search is brought up
//! to date with the map. Until nothing waits, the result of the global search does not count and the local search
//! moves the robot.

use crate::{
    BuildError, Cell, CellValues, GoalsError, OffMap, Side,
    backlog::Backlog,
    chip::PREDICTS_BRANCHES,
    graph::{Graph, cell_after},
    inspect::InspectSearch,
    local::{Distances, Learning, LocalSearch, Problem},
    map::{Change, Map, Revision},
    planner::{Budget, Decision, Stats, Work},
    search::{GlobalSearch, Progress, Search},
};

/// The share of the budget that is reserved for the local search, in per cent: `LocalRatio` of Bond et al. The
/// rest is the global search's; what one of them leaves goes to the other. While changes wait to be absorbed, the
/// global search gets as much as they need, up to half of the budget.
///
/// Fractions of an expansion add up from tick to tick: with 75 % of a budget of one expansion, the local search
/// has three ticks and the global search the fourth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LocalRatio {
    /// Per cent above that of the presets: a preset in a static is all zero.
    above_preset: i8,
}

impl LocalRatio {
    /// The share of [`LocalRatio::PRESET`] in per cent.
    pub const PRESET_PERCENT: u8 = 96;

    /// The share in the presets, and the default. The global search also gets what the local one leaves, which is all
    /// of it once a path is found.
    pub const PRESET: Self = Self { above_preset: 0 };

    /// One half.
    pub const HALF: Self = Self::percent(50);

    /// `percent` of the expansions, at most all of them.
    #[must_use]
    pub const fn percent(percent: u8) -> Self {
        let percent = if percent > 100 { 100 } else { percent };
        Self {
            above_preset: percent as i8 - Self::PRESET_PERCENT as i8,
        }
    }

    /// The global search's share of `expansions`, in per cent of an expansion.
    const fn global_percent(self, expansions: u32) -> u32 {
        let local = Self::PRESET_PERCENT as i8 + self.above_preset;
        expansions.saturating_mul((100 - local) as u32)
    }
}

/// A local search that never moves: the baseline that waits until the global search is complete.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOp;

impl LocalSearch for NoOp {
    fn begin(&mut self, _graph: &impl Graph) -> Result<(), BuildError> {
        Ok(())
    }

    fn step<G: Graph, D: Distances>(
        &mut self,
        _problem: &Problem<'_, G, D>,
        _budget: Budget,
        _work: &mut Work,
    ) -> Decision {
        Decision::Wait
    }
}

/// The distances that a global search is certain of; none while changes wait.
struct Exact<'a, G, M> {
    search: &'a G,
    map: &'a M,
    is_up_to_date: bool,
}

impl<G: GlobalSearch, M: Map> Distances for Exact<'_, G, M> {
    fn distance(&self, vertex: usize) -> Option<usize> {
        match self.is_up_to_date {
            true => self.search.exact_distance(self.map, vertex),
            false => None,
        }
    }
}

/// It learns nothing.
impl Learning for NoOp {
    fn learned(&self, _vertex: usize) -> Option<usize> {
        None
    }
}

/// Real-Time D* over a global search `G` and a local search `L`; up to `BACKLOG` changes wait.
///
/// ```
/// use planner_core::local::{Follow, LocalConfig, LssLrta};
/// use planner_core::{prelude::*, rtd::{LocalRatio, Rtd}, search::DStarLite};
///
/// const N: usize = capacity(33, 33);
/// let config = LocalConfig { follow: Follow::ReplanEachStep, ..LocalConfig::DEFAULT };
/// let global = DStarLite::<Array<N>>::new();
/// let local = LssLrta::<Array<N>, Bits16, 64>::new(config);
/// let search: Rtd<_, _> = Rtd::new(global, local, LocalRatio::percent(50));
/// let mut planner = Navigator::from_parts(CellMap::<Array<N>>::new(), search);
///
/// let (mut at, goal) = (Cell::new(1, 1), Cell::new(30, 30));
/// planner.begin((33, 33), at, &[goal])?;
/// let mut ticks = 0;
/// while let Decision::Step(next) = planner.tick(at, Budget::limit(8))? {
///     (at, ticks) = (next, ticks + 1);
/// }
/// assert_eq!((at, ticks), (goal, 58)); // a move in every tick ...
/// assert!(planner.stats().max_per_tick.expansions <= 8); // ... and never more work than allowed
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Rtd<G, L, const BACKLOG: usize = 64> {
    global: G,
    local: L,
    ratio: LocalRatio,
    /// Hundredths of an expansion that the global search is still owed.
    owed: u8,
    backlog: Backlog<BACKLOG>,
    /// True if the last decision was the global search's.
    is_informed: bool,
    /// True if the local search ran in the last tick.
    ran_local: bool,
    stats: Stats,
    revision: Revision,
}

impl<G, L, const BACKLOG: usize> Rtd<G, L, BACKLOG> {
    /// A planner that reserves `ratio` of each tick for `local`.
    #[must_use]
    pub const fn new(global: G, local: L, ratio: LocalRatio) -> Self {
        Self {
            global,
            local,
            ratio,
            owed: 0,
            backlog: Backlog::new(),
            is_informed: false,
            ran_local: false,
            stats: Stats::ZERO,
            revision: Revision::ZERO,
        }
    }

    /// Returns the search from the goal.
    pub fn global(&self) -> &G {
        &self.global
    }

    /// Returns the search around the robot.
    pub fn local(&self) -> &L {
        &self.local
    }

    /// Returns the search around the robot, to be configured.
    pub fn local_mut(&mut self) -> &mut L {
        &mut self.local
    }

    /// Sets the share of the local search.
    pub fn set_ratio(&mut self, ratio: LocalRatio) {
        self.ratio = ratio;
    }

    /// Returns whether the last decision came from the global search: a step of a shortest path as far as is
    /// known (with Anytime D*, of one within its bound), or that there is none. Otherwise it is the local
    /// search's best guess.
    pub fn is_informed(&self) -> bool {
        self.is_informed
    }

    /// Returns whether the global search has taken in all observations.
    pub fn is_up_to_date(&self) -> bool {
        self.backlog.is_empty()
    }

    /// Returns whether there were more changes than fit the backlog, and the map is being swept.
    pub fn is_sweeping(&self) -> bool {
        self.backlog.is_sweeping()
    }
}

impl<G: GlobalSearch, L: LocalSearch, const BACKLOG: usize> Rtd<G, L, BACKLOG> {
    /// Returns the global search's share of a budget, in whole expansions; the fraction is added to the next.
    fn global_share(&mut self, budget: Budget) -> Budget {
        let percent = self.ratio.global_percent(budget.expansions);
        let percent = percent.saturating_add(self.owed.into());
        // By multiplication, exact for 32 bits: the chip has no division.
        let whole = ((u64::from(percent) * 0x51eb_851f) >> 37) as u32;
        self.owed = (percent - 100 * whole) as u8;
        Budget::limit(whole)
    }

    /// Brings the global search up to date and continues it; its decision, if it has come to one that counts.
    #[cfg_attr(not(any(target_arch = "arm", debug_assertions)), inline(always))]
    fn global_decision<M: Map>(
        &mut self,
        map: &M,
        budget: Budget,
        work: &mut Work,
    ) -> Option<Decision> {
        self.backlog.absorb(&mut self.global, map, budget, work);
        let progress = self.global.advance(map, budget.after(*work), work);
        if self.backlog.is_empty() {
            conclusion(progress)
        } else {
            None
        }
    }
}

/// The decision of a global search that is up to date, if it has come to one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn conclusion(progress: Progress) -> Option<Decision> {
    match progress {
        Progress::Searching => None,
        Progress::Path(next) => Some(Decision::Step(next)),
        Progress::NoPath => Some(Decision::Unreachable),
    }
}

impl<G: GlobalSearch, L: LocalSearch, const BACKLOG: usize> Search for Rtd<G, L, BACKLOG> {
    fn begin<M: Map>(&mut self, map: &M, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        self.revision = Revision::of(map);
        self.global.begin(map, start, goals)?;
        self.local.begin(&map.view::<G::Unknown>())?;
        self.backlog.clear();
        self.owed = 0;
        (self.is_informed, self.ran_local) = (false, false);
        self.stats = Stats::ZERO;
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn update<M: Map>(&mut self, map: &M, change: Change) -> bool {
        self.revision.advance();
        let Some(change) = change.seen_as::<G::Unknown>() else {
            return false;
        };
        if !self.global.absorb_unrelated(map, change) {
            self.backlog.push(change);
        }
        self.local.update(&map.view::<G::Unknown>(), change);
        true
    }

    fn tick<M: Map>(&mut self, map: &M, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.revision.check(map);
        self.global.move_to(map, at)?;
        self.local.upkeep();
        let mut work = Work::ZERO;
        // Few cells lie among several goals. A chip's worst tick would pay for both comparisons.
        let goals = self.global.goals();
        if (!PREDICTS_BRANCHES || goals.surround(at)) && goals.contains(at) {
            self.backlog
                .absorb(&mut self.global, map, budget, &mut work);
            (self.is_informed, self.ran_local) = (false, false);
            self.stats.record(work);
            return Ok(Decision::Arrived);
        }
        let mut share = self.global_share(budget);
        // Here, too, the worst tick on a chip would pay for the branch.
        let mut decision = if PREDICTS_BRANCHES && self.backlog.is_empty() {
            conclusion(self.global.advance(map, share, &mut work))
        } else {
            // While changes wait, no distance is exact and the local search cannot end at one.
            let waiting = self.backlog.len().min(budget.expansions / 2);
            share = Budget::limit(share.expansions.max(waiting));
            self.global_decision(map, share, &mut work)
        };
        self.ran_local = decision.is_none();
        let mut guess = Decision::Wait;
        if decision.is_none() {
            let graph = map.view::<G::Unknown>();
            let problem = Problem {
                robot: graph.grid().vertex(at)?,
                graph,
                at,
                goals: self.global.goals(),
                distances: Exact {
                    search: &self.global,
                    map,
                    is_up_to_date: self.backlog.is_empty(),
                },
            };
            let limit = Budget::limit(budget.expansions - share.expansions);
            guess = match self.local.step(&problem, limit, &mut work) {
                // Only the global search can conclude this.
                Decision::Unreachable => Decision::Wait,
                decision => decision,
            };
            decision = self.global_decision(map, budget, &mut work);
        }
        self.is_informed = decision.is_some();
        self.stats.record_tick(work);
        Ok(decision.unwrap_or(guess))
    }

    fn set_goals<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError> {
        self.global.set_goals(map, goals)?;
        self.local.forget();
        self.owed = 0;
        Ok(())
    }

    /// A preference of the global search.
    fn prefer(&mut self, side: Side) {
        self.global.prefer(side);
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

/// The values are the global search's, except for the heuristic where the local search has learned one.
impl<G: GlobalSearch + InspectSearch, L: Learning, const BACKLOG: usize> InspectSearch
    for Rtd<G, L, BACKLOG>
{
    fn is_expanded<M: Map>(&self, map: &M, cell: Cell) -> bool {
        self.global.is_expanded(map, cell)
    }

    fn values<M: Map>(&self, map: &M, cell: Cell) -> CellValues {
        let mut values = self.global.values(map, cell);
        if let Ok(vertex) = map.view::<G::Unknown>().grid().vertex(cell) {
            values.h = self.local.learned(vertex).or(values.h);
            let generated = self.local.generated(vertex).filter(|_| self.ran_local);
            values.is_closed = generated.is_some_and(|generated| generated.is_closed);
        }
        values
    }

    /// The global search's path; while there is none that counts, the local search's.
    fn next_on_path<M: Map>(&self, map: &M, cell: Cell) -> Option<Cell> {
        if self.is_informed {
            return self.global.next_on_path(map, cell);
        }
        let vertex = map.view::<G::Unknown>().grid().vertex(cell).ok()?;
        let next = self.local.generated(vertex)?.next?;
        Some(cell_after(cell, next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Observation,
        map::{CellMap, Occupancy},
        search::DStarLite,
        storage::{Array, capacity},
    };

    const N: usize = capacity(16, 16);
    const GOAL: Cell = Cell::new(15, 0);

    /// Records its budget and whether it knows the distance of the goal, and uses all of the budget.
    struct Probe {
        budget: Option<Budget>,
        knows_goal: bool,
    }

    impl LocalSearch for Probe {
        fn begin(&mut self, _graph: &impl Graph) -> Result<(), BuildError> {
            Ok(())
        }

        fn step<G: Graph, D: Distances>(
            &mut self,
            problem: &Problem<'_, G, D>,
            budget: Budget,
            work: &mut Work,
        ) -> Decision {
            let goal = problem.graph.grid().vertex(GOAL).expect("on the map");
            self.budget = Some(budget);
            self.knows_goal = problem.distances.distance(goal).is_some();
            work.expansions += budget.expansions;
            Decision::Wait
        }
    }

    #[test]
    fn changes_come_before_the_local_search_for_up_to_half_of_a_tick() {
        // The robot is shut in; the global search needs more than one tick to find that out.
        let blocked = [(4, 0), (3, 1), (2, 2), (1, 3), (0, 4), (5, 0), (6, 0)];
        let mut called = 0;
        for changes in 1..=blocked.len() {
            let mut map = CellMap::<Array<N>>::new();
            map.resize(16, 16).expect("it fits");
            // A wall with a gap at its end: the path is longer than the heuristic.
            for y in 0..15 {
                let seen = Observation::Cell(Cell::new(8, y), Occupancy::Blocked);
                map.observe(seen).expect("on the map");
            }
            let probe = Probe {
                budget: None,
                knows_goal: false,
            };
            let global = DStarLite::<Array<N>>::new();
            let mut search: Rtd<_, _, 8> = Rtd::new(global, probe, LocalRatio::PRESET);
            let at = Cell::new(0, 0);
            search.begin(&map, at, &[GOAL]).expect("it fits");
            let informed = search.tick(&map, at, Budget::UNLIMITED);
            assert!(matches!(informed, Ok(Decision::Step(_))));
            for &(x, y) in blocked.iter().rev().take(changes) {
                let seen = Observation::Cell(Cell::new(x, y), Occupancy::Blocked);
                let change = map.observe(seen).expect("on the map").expect("it is new");
                assert!(search.update(&map, change));
            }
            assert_eq!(search.backlog.len(), changes as u32);
            search.tick(&map, at, Budget::limit(8)).expect("on the map");
            if let Some(budget) = search.local.budget {
                called += 1;
                let waiting = (changes as u32).min(4);
                assert_eq!(budget, Budget::limit(8 - waiting));
                assert_eq!(search.local.knows_goal, changes <= 4, "{changes} changes");
            }
        }
        assert!(called >= 4, "the local search is called {called} times");
    }
}
