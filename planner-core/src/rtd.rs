//! Real-Time D* (Bond, Widger, Ruml & Sun 2010): a global search that is interrupted every tick, and
//! a local search that moves the robot meanwhile.
//!
//! # The bound
//!
//! One tick under a [`Budget`] of `E` expansions and `C` changes, on a terrain with `M` moves, does at most
//!
//! | what | at most |
//! |---|---|
//! | expansions, global and local together, and a quarter of the re-queues | `E` |
//! | changes taken into the search | `C` |
//! | operations on the global queue | `E (M + 1) + C (M + 3)` |
//! | operations of the local search | as its documentation says, a multiple of `E` |
//!
//! With buckets each operation takes constant time, the next bucket is found in a constant number of
//! looks; on the heap of Anytime D* it takes at most as many steps as an id has bits. A new goal is two
//! changes, a set of goals two for each, and nothing is cleared or scanned in proportion to the map: no
//! term has the size of the map in it. [`Stats::most`](crate::Stats) records what was reached.
//!
//! # When changes come too fast
//!
//! What is seen enters the map at once, so the robot never steps into a wall it has seen. The search
//! takes in `C` changes per tick; the others wait. More than fit the queue start a sweep: vertex by
//! vertex, `C` per tick, the search is made to agree with the map again. Until nothing waits, the
//! global search's answer does not count and the local search moves the robot.

use crate::{
    Cell, CellValues, Goals, GoalsError, ObserveError, OffMap,
    backlog::Backlog,
    local::{Learning, LocalSearch},
    map::Occupancy,
    planner::{Budget, Decision, Inspect, Observation, Planner, Stats, Work},
    search::{GlobalSearch, Progress},
    terrain::{Terrain, step_cell},
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
        _goals: &Goals,
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
///
/// ```
/// use planner_core::local::{Follow, Learned, LookAhead, LssLrta, SuccessorOrder};
/// use planner_core::rtd::{LocalRatio, Rtd};
/// use planner_core::terrain::{Cells, Four, Uniform};
/// use planner_core::{Budget, Cell, Decision, Planner, map::Unknown, width::Bits16};
/// use planner_core::{queue::Buckets, search::DStarLite};
///
/// type Global<'m> = DStarLite<'m, Bits16, Cells<'m, Four>, Buckets<8>>;
/// const VERTICES: usize = Cells::<Four>::vertices(33, 33);
/// let mut known = [0; Cells::<Four>::words(33, 33)];
/// let (mut nodes, mut values) = ([Default::default(); Global::nodes(VERTICES)], [0; VERTICES]);
///
/// let (mut at, goal) = (Cell::new(1, 1), Cell::new(30, 30));
/// let terrain = Cells::<Four>::new(33, 33, &mut known, Unknown::AsFree, Uniform)?;
/// let learned = Learned::<Bits16>::new(&terrain, &mut values)?;
/// let global = Global::new(terrain, Buckets::new(), &mut nodes, at, goal)?;
/// let (by, order) = (LookAhead::AStar, SuccessorOrder::Fixed);
/// let local = LssLrta::<_, 64>::new(learned, by, Follow::ReplanEachStep, order);
/// let mut brain: Rtd<_, _> = Rtd::new(global, local, LocalRatio::percent(50));
///
/// let mut ticks = 0;
/// while let Decision::Step(next) = brain.tick(at, Budget::limit(8))? {
///     (at, ticks) = (next, ticks + 1);
/// }
/// assert_eq!((at, ticks), (goal, 58)); // a move in every tick ...
/// assert!(brain.stats().most.expansions <= 8); // ... and never more work than allowed
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Rtd<G, L, const BACKLOG: usize = 64> {
    global: G,
    local: L,
    ratio: LocalRatio,
    backlog: Backlog<BACKLOG>,
    /// Whether the last decision was the global search's.
    informed: bool,
    /// Whether the local search was asked in the last tick.
    guessed: bool,
    stats: Stats,
}

impl<G: GlobalSearch, L: LocalSearch<G::Terrain>, const BACKLOG: usize> Rtd<G, L, BACKLOG> {
    /// A planner that leaves `ratio` of each tick to `local`.
    #[must_use]
    pub fn new(global: G, local: L, ratio: LocalRatio) -> Self {
        Self {
            global,
            local,
            ratio,
            backlog: Backlog::new(),
            informed: false,
            guessed: false,
            stats: Stats::default(),
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

    /// Whether the last decision came from the global search, and so is a step of a shortest path as
    /// far as is known (with Anytime D*, of one as short as that says), or that there is none;
    /// otherwise the local search took its best guess.
    pub fn is_informed(&self) -> bool {
        self.informed
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
    fn inform(&mut self, budget: Budget, work: &mut Work) -> Option<Decision> {
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
            self.backlog.push(change);
            self.local.world_changed();
        }
        Ok(change.is_some())
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.global.move_to(at)?;
        let robot = (self.global.terrain().grid().vertex(at)?, at);
        let vertices = self.global.terrain().grid().vertices();
        self.backlog
            .absorb(&mut self.global, vertices, budget.changes);
        self.local.upkeep();
        if self.global.goals().contains(at) {
            self.stats.book(Work::default());
            return Ok(Decision::Arrived);
        }
        let mut work = Work::default();
        let local_limit = self.ratio.of(budget.expansions);
        let global = Budget {
            expansions: budget.expansions - local_limit,
            ..budget
        };
        let mut decision = self.inform(global, &mut work);
        self.guessed = decision.is_none();
        let mut guess = Decision::Wait;
        if decision.is_none() {
            let (terrain, goals) = (self.global.terrain(), self.global.goals());
            let next = self
                .local
                .step(terrain, robot, goals, local_limit, &mut work);
            guess = next.map_or(Decision::Wait, Decision::Step);
            decision = self.inform(budget.after(work), &mut work);
        }
        self.informed = decision.is_some();
        self.stats.searches += u32::from(work.expansions > 0);
        self.stats.book(work);
        Ok(decision.unwrap_or(guess))
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.global.change_goals(goals)?;
        self.local.forget();
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

/// It learns nothing.
impl Learning for NoOp {
    fn learned(&self, _vertex: usize) -> Option<usize> {
        None
    }
}

/// The values are the global search's, but for the estimate where the local search has learned one.
impl<G: GlobalSearch + Inspect, L: Learning, const BACKLOG: usize> Inspect for Rtd<G, L, BACKLOG> {
    fn fact(&self, cell: Cell) -> Occupancy {
        self.global.fact(cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        self.global.is_expanded(cell)
    }

    fn values(&self, cell: Cell) -> CellValues {
        let mut values = self.global.values(cell);
        if let Ok(vertex) = self.global.terrain().grid().vertex(cell) {
            values.h = self.local.learned(vertex).or(values.h);
            let generated = self.local.generated(vertex).filter(|_| self.guessed);
            values.is_closed = generated.is_some_and(|generated| generated.is_closed);
        }
        values
    }

    /// The global search's way; while there is none that counts, the local search's.
    fn after(&self, cell: Cell) -> Option<Cell> {
        if self.informed {
            return self.global.after(cell);
        }
        let vertex = self.global.terrain().grid().vertex(cell).ok()?;
        let next = self.local.generated(vertex)?.next?;
        Some(step_cell(cell, next))
    }
}
