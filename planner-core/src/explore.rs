//! The runs of a micromouse: search the goal, explore until the shortest path is proven, return, run.
//!
//! Three searches on one map explore a maze:
//!
//! | search | unknown is | from | for |
//! |---|---|---|---|
//! | the robot's own, any search | free | the robot | its next move |
//! | `optimistic`, D* Lite | free | home | a lower bound of the shortest path |
//! | `known`, D* Lite | blocked | home | the shortest path through known space |
//!
//! The maze is solved when the costs of the last two are equal: then no unknown wall can make a shorter path.
//! As long as they differ, every optimistic path crosses something unknown, and the robot goes to the nearest
//! such place. All three searches are repaired, never repeated, and share one [`Budget`] per tick.
//!
//! With [times of motion](MazeExplorer::set_run_times) a run takes the path of least time over known space, not the
//! shortest, by a [search of its own](RunSearch). It begins with the run, and the robot waits until it is done. If
//! [asked](MazeExplorer::set_explore_by_time), the explorer also explores by time: until the path of least time with
//! unknown as free is all known. Paths that are too long for the width of times are left to the searches above.

use heapless::Vec;

use crate::{
    BuildError, Cell, Goals, GoalsError, OffMap, Side,
    budget::Remaining,
    chip::call_on_chip,
    graph::{Graph, cell_after, move_between},
    inspect::InspectSearch,
    map::{AsBlocked, AsFree, Change, Map},
    planner::{Budget, Decision, Stats, Work},
    queue::{Buckets, Queue},
    search::{
        DStarLite, GlobalSearch, Progress, RunPosition, RunProgress, RunSearch, RunStep, RunTimes,
        Search, UnknownAs,
    },
    storage::Storage,
    width::{Bits16, Width},
};

/// The phase of a mission in a maze.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Phase {
    /// Moving to a goal for the first time.
    Search,
    /// Observing what may be part of a shorter path.
    Explore,
    /// Returning home.
    Return,
    /// Moving to a goal by the shortest known path, or by that of least time.
    Run,
    /// At the goal after a run.
    Done,
    /// Moving to a goal without exploring: see [`MazeExplorer::go_to`].
    #[default]
    Travel,
}

/// The state of the proof that the shortest path is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// The costs of the two paths have to be computed.
    Costs,
    /// Unknown walls on the optimistic path have to be listed, from this cell on.
    Targets(Cell),
    /// The same on the path of least time.
    TimedTargets(RunPosition),
    /// The maze is solved, or the targets are known.
    Complete,
}

/// The use of the search for the path of least time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timed {
    /// It has not begun.
    No,
    /// It has, for the present phase.
    Yes,
    /// Its times do not fit; the other searches are used instead.
    TooLong,
}

/// Explores a maze; `R` moves the robot.
///
/// ```
/// use planner_core::{explore::{MazeExplorer, Phase}, prelude::*, search::{DStarLite, RunSearch}};
///
/// const N: usize = maze_capacity(3, 3);
/// type Explorer = MazeExplorer<DStarLite<Array<N>>, Array<N>>;
/// let search = Explorer::new(DStarLite::new(), DStarLite::new(), DStarLite::new(), RunSearch::new());
/// let mut planner = Navigator::from_parts(WallMap::<Array<N>>::new(), search);
/// let (home, goal) = (Cell::new(0, 2), Cell::new(1, 1));
/// planner.begin((3, 3), home, &[goal])?;
///
/// let mut at = home;
/// let mut phases = vec![];
/// while planner.search().phase() != Phase::Done {
///     for side in Side::ALL {
///         planner.observe(Observation::Wall(at, side, Occupancy::Free))?; // no walls at all
///     }
///     if let Decision::Step(next) = planner.tick(at, Budget::limit(32))? {
///         at = next;
///     }
///     phases.push(planner.search().phase());
/// }
/// phases.dedup();
/// assert_eq!(phases, [Phase::Search, Phase::Return, Phase::Run, Phase::Done]);
/// assert!(planner.search().is_solved() && at == goal);
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct MazeExplorer<R, S: Storage, W: Width = Bits16, Q: Queue<W> = Buckets<8>> {
    robot: R,
    optimistic: DStarLite<S, W, Q, AsFree>,
    known: DStarLite<S, W, Q, AsBlocked>,
    run: RunSearch<S, W>,
    timed: Timed,
    explores_by_time: bool,
    prefers_straight: bool,
    /// The robot's cell in the last tick, and its heading as inferred from its moves.
    at: Cell,
    heading: Option<Side>,
    home: Cell,
    goals: Goals,
    phase: Phase,
    proof: Proof,
    /// Cells beyond the unknown walls of the optimistic path.
    targets: Vec<Cell, { Goals::MAX }>,
    is_solved: bool,
    stats: Stats,
}

impl<R, S: Storage, W: Width, Q: Queue<W>> MazeExplorer<R, S, W, Q> {
    /// An explorer whose robot is moved by `robot`, with memory for three more searches.
    #[must_use]
    pub const fn new(
        robot: R,
        optimistic: DStarLite<S, W, Q, AsFree>,
        known: DStarLite<S, W, Q, AsBlocked>,
        run: RunSearch<S, W>,
    ) -> Self {
        Self {
            robot,
            optimistic,
            known,
            run,
            timed: Timed::No,
            explores_by_time: false,
            prefers_straight: false,
            at: Cell::new(0, 0),
            heading: Some(Side::South), // all zero
            home: Cell::new(0, 0),
            goals: Goals::NONE,
            phase: Phase::Search,
            proof: Proof::Costs,
            targets: Vec::new(),
            is_solved: false,
            stats: Stats::ZERO,
        }
    }

    /// Returns the phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns whether the shortest path is proven: nothing unknown can be part of a shorter one. Of an explorer by time,
    /// whether the path of least time is.
    pub fn is_solved(&self) -> bool {
        self.is_solved
    }

    /// Returns the search that moves the robot.
    pub fn robot(&self) -> &R {
        &self.robot
    }

    /// Returns the search that moves the robot, to be configured.
    pub fn robot_mut(&mut self) -> &mut R {
        &mut self.robot
    }

    /// Returns the cost of the shortest known path from home, as of the last time it was computed.
    pub fn best_known(&self) -> Option<usize> {
        self.known.distance()
    }

    /// Sets the times of motion: from now on runs take the path of least time. On graphs with eight moves, as long as
    /// before, the shortest.
    pub fn set_run_times(&mut self, times: RunTimes) {
        self.run.set_times(times);
        self.forget_times();
    }

    /// Explores until the path of least time is known, not the shortest. Without times of motion nothing changes.
    pub fn set_explore_by_time(&mut self, by_time: bool) {
        self.explores_by_time = by_time;
        self.forget_times();
    }

    /// Prefers to go straight ahead among equally short steps. No path becomes longer.
    pub fn set_prefer_straight(&mut self, prefer: bool) {
        self.prefers_straight = prefer;
    }

    /// Sets the heading of a robot that has turned in place, or was put down.
    pub fn turn_to(&mut self, heading: Side) {
        self.heading = Some(heading);
    }

    /// Returns the search for the path of least time.
    pub fn run(&self) -> &RunSearch<S, W> {
        &self.run
    }

    /// Lets the search for the path of least time begin again where it is used.
    fn forget_times(&mut self) {
        self.timed = Timed::No;
        self.proof = Proof::Costs;
    }
}

impl<R: Search, S: Storage, W: Width, Q: Queue<W>> MazeExplorer<R, S, W, Q> {
    /// Sends the robot to the nearest of several cells without exploring. [`Search::set_goals`] begins to
    /// explore again.
    ///
    /// # Errors
    /// There are none or too many, or one is outside the map; the robot goes on as before.
    pub fn go_to<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError> {
        self.robot.set_goals(map, goals)?;
        self.phase = Phase::Travel;
        Ok(())
    }

    /// Stops exploring: the robot returns home, and then runs by the shortest path known by then.
    ///
    /// # Errors
    /// `home` is outside the map.
    pub fn go_home<M: Map>(&mut self, map: &M) -> Result<(), GoalsError> {
        if matches!(self.phase, Phase::Search | Phase::Explore) {
            self.enter(map, Phase::Return)?;
        }
        Ok(())
    }

    /// Runs once more, from home. The map stays.
    ///
    /// # Errors
    /// `home` is outside the map.
    pub fn run_again<M: Map>(&mut self, map: &M) -> Result<(), GoalsError> {
        self.enter(map, Phase::Return)
    }

    fn enter<M: Map>(&mut self, map: &M, phase: Phase) -> Result<(), GoalsError> {
        self.phase = phase;
        self.timed = Timed::No;
        match phase {
            Phase::Search => self.robot.set_goals(map, self.goals.cells()),
            Phase::Return => self.robot.set_goals(map, &[self.home]),
            Phase::Explore | Phase::Run | Phase::Done | Phase::Travel => Ok(()),
        }
    }

    /// Works on the proof as far as the budget goes; `true` when it is complete.
    fn prove<M: Map>(
        &mut self,
        map: &M,
        budget: Budget,
        work: &mut Work,
    ) -> Result<bool, GoalsError> {
        let is_complete = match self.explores_by_time && self.has_times::<M>() {
            true => self.prove_by_time(map, budget, work)?,
            false => None,
        };
        match is_complete {
            Some(is_complete) => Ok(is_complete),
            None => self.prove_by_cost(map, budget, work),
        }
    }

    /// Returns whether runs take the path of least time.
    fn has_times<M: Map>(&self) -> bool {
        <M::Graph<'_, AsFree> as Graph>::MOVES == 4
            && self.run.times().is_some()
            && self.timed != Timed::TooLong
    }

    /// Continues the search for the path of least time, from a cell at which the robot rests.
    fn advance_run<M: Map>(
        &mut self,
        map: &M,
        robot: (Cell, Option<Side>),
        unknown: UnknownAs,
        budget: Budget,
        work: &mut Work,
    ) -> RunProgress {
        if self.timed == Timed::No {
            let price = BEGIN_RUN.min(budget.expansions);
            if budget.after(*work).expansions < price {
                return RunProgress::Searching;
            }
            work.changes += price; // a run that begins
            let begun = self.run.begin_to(map, robot, &self.goals, unknown);
            self.timed = begun.map_or(Timed::TooLong, |()| Timed::Yes);
        }
        let progress = match self.timed {
            Timed::Yes => self.run.advance(map, budget.after(*work), work),
            _ => RunProgress::TooLong,
        };
        if progress == RunProgress::TooLong {
            self.timed = Timed::TooLong;
        }
        progress
    }

    /// The proof by time; `None` if times do not fit.
    fn prove_by_time<M: Map>(
        &mut self,
        map: &M,
        budget: Budget,
        work: &mut Work,
    ) -> Result<Option<bool>, GoalsError> {
        if self.proof == Proof::Costs {
            let robot = (self.home, None);
            let progress = self.advance_run(map, robot, UnknownAs::Free, budget, work);
            self.targets.clear();
            self.proof = match (progress, self.run.start()) {
                (RunProgress::Searching, _) => return Ok(Some(false)),
                (RunProgress::TooLong, _) => return Ok(None),
                (RunProgress::Found, Some(first)) => Proof::TimedTargets(first),
                // There is no path at all.
                (RunProgress::NoPath | RunProgress::Found, _) => {
                    self.is_solved = true;
                    Proof::Complete
                }
            };
        }
        if let Proof::TimedTargets(_) = self.proof {
            let mut left = Remaining::new(budget.after(*work));
            let end = self.list_targets(map, &mut left);
            work.trace_steps = work.trace_steps.saturating_add(left.spent());
            match end {
                None => return Ok(Some(false)),
                Some(RunStep::Arrived) => {}
                // The path was checked: this does not happen.
                Some(_) => {
                    self.forget_times();
                    return Ok(Some(false));
                }
            }
            self.is_solved = self.targets.is_empty();
            if !self.is_solved {
                if !charge_new_goals(budget, work) {
                    return Ok(Some(false));
                }
                self.robot.set_goals(map, &self.targets)?;
            }
            self.proof = Proof::Complete;
        }
        Ok(Some(self.proof == Proof::Complete))
    }

    call_on_chip! {
        /// Walks along the path of least time and lists the cells beyond unknown walls. Returns the end of the walk, as
        /// if it had arrived if the list is full; `None` when the budget ran out.
        fn list_targets<M: Map>(&mut self, map: &M, left: &mut Remaining) -> Option<RunStep> {
            while let Proof::TimedTargets(at) = self.proof
                && !self.targets.is_full()
            {
                let step = self.run.follow(map, at);
                let RunStep::To(next) = step else {
                    return Some(step);
                };
                if !left.take(TIMED_STEPS) {
                    return None;
                }
                if !is_known(map, at.cell(), next.cell()) {
                    // There is room: the loop ends when the list is full.
                    let _ = self.targets.push(next.cell());
                }
                self.proof = Proof::TimedTargets(next);
            }
            Some(RunStep::Arrived)
        }
    }

    /// The next step of a run on the path of least time; `None` if times do not fit.
    fn step_by_time<M: Map>(
        &mut self,
        map: &M,
        at: Cell,
        budget: Budget,
        work: &mut Work,
    ) -> Option<Decision> {
        let robot = (at, self.heading);
        Some(
            match self.advance_run(map, robot, UnknownAs::Blocked, budget, work) {
                RunProgress::TooLong => return None,
                RunProgress::Searching => Decision::Wait,
                RunProgress::NoPath => Decision::Unreachable,
                RunProgress::Found => match self.run.next(map, at) {
                    Some(RunStep::To(next)) => Decision::Step(next.cell()),
                    Some(RunStep::Arrived) => Decision::Arrived,
                    // The robot is elsewhere: from there it begins again.
                    Some(RunStep::Blocked) | None => {
                        self.timed = Timed::No;
                        Decision::Wait
                    }
                },
            },
        )
    }

    /// The proof by the costs of two paths.
    fn prove_by_cost<M: Map>(
        &mut self,
        map: &M,
        budget: Budget,
        work: &mut Work,
    ) -> Result<bool, GoalsError> {
        if self.proof == Proof::Costs {
            self.optimistic.move_to(map, self.home)?;
            self.known.move_to(map, self.home)?;
            let optimistic = self.optimistic.advance(map, budget.after(*work), work);
            let known = self.known.advance(map, budget.after(*work), work);
            if optimistic == Progress::Searching || known == Progress::Searching {
                return Ok(false);
            }
            self.is_solved = self.optimistic.distance() == self.known.distance();
            self.targets.clear();
            self.proof = if self.is_solved {
                Proof::Complete
            } else {
                Proof::Targets(self.home)
            };
        }
        while let Proof::Targets(at) = self.proof {
            if self.goals.contains(at) || self.targets.is_full() {
                if !charge_new_goals(budget, work) {
                    return Ok(false);
                }
                self.proof = Proof::Complete;
                self.robot.set_goals(map, &self.targets)?;
                break;
            }
            if budget.after(*work).expansions == 0 {
                return Ok(false);
            }
            work.trace_steps = work.trace_steps.saturating_add(TRACE_STEPS);
            self.optimistic.move_to(map, at)?;
            let Progress::Path(next) = self.optimistic.advance(map, budget.after(*work), work)
            else {
                return Ok(false);
            };
            if !is_known(map, at, next) {
                // There is room: the loop ends when the list is full.
                let _ = self.targets.push(next);
            }
            self.proof = Proof::Targets(next);
        }
        Ok(self.proof == Proof::Complete)
    }

    /// The robot's next step, and the phase that it belongs to.
    fn decide<M: Map>(
        &mut self,
        map: &M,
        at: Cell,
        budget: Budget,
        work: &mut Work,
    ) -> Result<Decision, GoalsError> {
        // Each phase except exploring is entered at most once per tick.
        for _ in 0..4 {
            match self.phase {
                Phase::Search if self.goals.contains(at) => self.enter(map, Phase::Explore)?,
                Phase::Explore => {
                    if !self.prove(map, budget, work)? {
                        return Ok(Decision::Wait);
                    }
                    if !self.is_solved {
                        return self.move_robot(map, at, budget, work);
                    }
                    if !charge_new_goals(budget, work) {
                        return Ok(Decision::Wait);
                    }
                    self.enter(map, Phase::Return)?;
                }
                Phase::Return if at == self.home => self.enter(map, Phase::Run)?,
                Phase::Run if self.goals.contains(at) => self.enter(map, Phase::Done)?,
                Phase::Run => {
                    if self.has_times::<M>()
                        && let Some(decision) = self.step_by_time(map, at, budget, work)
                    {
                        return Ok(decision);
                    }
                    self.known.move_to(map, at)?;
                    return Ok(self.known.advance(map, budget.after(*work), work).into());
                }
                Phase::Search | Phase::Return => return self.move_robot(map, at, budget, work),
                Phase::Travel => return self.tick_robot(map, at, budget, work),
                Phase::Done => return Ok(Decision::Arrived),
            }
        }
        Ok(Decision::Wait)
    }

    /// Infers the robot's heading from its move, and prefers to go on like that where that is wanted.
    fn follow_robot(&mut self, at: Cell) {
        if at != self.at {
            let side = move_between(self.at, at).and_then(|m| Side::ALL.get(m));
            self.heading = side.copied().or(self.heading);
            self.at = at;
        }
        if let Some(heading) = self.heading
            && self.prefers_straight
        {
            self.robot.prefer(heading);
            self.known.prefer(heading);
        }
    }

    fn tick_robot<M: Map>(
        &mut self,
        map: &M,
        at: Cell,
        budget: Budget,
        work: &mut Work,
    ) -> Result<Decision, GoalsError> {
        let decision = self.robot.tick(map, at, budget.after(*work))?;
        work.add(self.robot.stats().last_tick);
        Ok(decision)
    }

    fn move_robot<M: Map>(
        &mut self,
        map: &M,
        at: Cell,
        budget: Budget,
        work: &mut Work,
    ) -> Result<Decision, GoalsError> {
        Ok(match self.tick_robot(map, at, budget, work)? {
            // Beside a wall that is still unknown: this robot may sense it only by driving at it.
            Decision::Arrived => match unknown_neighbor(map, at) {
                Some(next) => Decision::Step(next),
                None => {
                    self.proof = Proof::Costs;
                    Decision::Wait
                }
            },
            decision => decision,
        })
    }
}

/// Changes that new goals of the robot count as: sixteen that are left and sixteen that are entered take less time.
const NEW_GOALS: u32 = 13;

/// Charges new goals; `false` when they must wait for the next tick. A budget that is smaller is used up.
#[cfg_attr(not(debug_assertions), inline(always))]
fn charge_new_goals(budget: Budget, work: &mut Work) -> bool {
    let price = NEW_GOALS.min(budget.expansions);
    let is_covered = budget.after(*work).expansions >= price;
    if is_covered {
        work.changes += price;
    }
    is_covered
}

/// Changes that a search for a run counts as when it begins: it copies the goals.
const BEGIN_RUN: u32 = 2;

/// Trace steps that a step along the path of least time counts as.
const TIMED_STEPS: u32 = 8;

/// Trace steps that a step along the optimistic path counts as: it includes the test that the search is done.
const TRACE_STEPS: u32 = 16;

/// Returns whether it is known if a robot can move between two adjacent cells.
fn is_known<M: Map>(map: &M, from: Cell, to: Cell) -> bool {
    match (
        map.view::<AsFree>().grid().vertex(from),
        move_between(from, to),
    ) {
        (Ok(vertex), Some(m)) => map.is_known(vertex, m),
        _ => true,
    }
}

/// Returns a neighbor that is not known to be reachable from `at`, and may be.
#[inline(never)] // rare: most robots sense every wall of a cell that they are in
fn unknown_neighbor<M: Map>(map: &M, at: Cell) -> Option<Cell> {
    let graph = map.view::<AsFree>();
    let vertex = graph.grid().vertex(at).ok()?;
    let moves = graph.moves(vertex);
    for m in 0..<M::Graph<'_, AsFree> as Graph>::MOVES {
        let is_free = moves.contains(m) && graph.is_passable(graph.grid().neighbor(vertex, m));
        if is_free && !map.is_known(vertex, m) {
            return Some(cell_after(at, m));
        }
    }
    None
}

impl<R: Search, S: Storage, W: Width, Q: Queue<W>> Search for MazeExplorer<R, S, W, Q> {
    /// `start` is the robot's home.
    fn begin<M: Map>(&mut self, map: &M, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        self.goals = Goals::NONE;
        self.robot.begin(map, start, goals)?;
        self.optimistic.begin(map, start, goals)?;
        self.known.begin(map, start, goals)?;
        (self.home, self.goals) = (start, *self.optimistic.goals());
        (self.phase, self.proof) = (Phase::Search, Proof::Costs);
        (self.is_solved, self.stats) = (false, Stats::ZERO);
        (self.timed, self.at, self.heading) = (Timed::No, start, None);
        self.targets.clear();
        Ok(())
    }

    fn update<M: Map>(&mut self, map: &M, change: Change) -> bool {
        let robot = self.robot.update(map, change);
        let optimistic = self.optimistic.update(map, change);
        let known = self.known.update(map, change);
        self.run.update(change);
        if optimistic || known {
            self.proof = Proof::Costs;
        }
        robot || optimistic || known
    }

    fn tick<M: Map>(&mut self, map: &M, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        map.view::<AsFree>().grid().vertex(at)?;
        self.follow_robot(at);
        let mut work = Work::ZERO;
        let decision = self.decide(map, at, budget, &mut work);
        self.stats.record_tick(work);
        match decision {
            Ok(decision) => Ok(decision),
            Err(GoalsError::OffMap(off_map)) => Err(off_map),
            // The goals were checked when they were set, and targets are on a path.
            Err(GoalsError::None | GoalsError::TooMany) => Ok(Decision::Unreachable),
        }
    }

    /// Begins a new search for the goals and explores again. The map stays.
    fn set_goals<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError> {
        self.optimistic.set_goals(map, goals)?;
        self.known.set_goals(map, goals)?;
        self.goals = *self.optimistic.goals();
        self.proof = Proof::Costs;
        self.is_solved = false;
        self.enter(map, Phase::Search)
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

/// The values are those of the search that moves the robot.
impl<R: InspectSearch, S: Storage, W: Width, Q: Queue<W>> InspectSearch
    for MazeExplorer<R, S, W, Q>
{
    fn is_expanded<M: Map>(&self, map: &M, cell: Cell) -> bool {
        self.robot.is_expanded(map, cell)
    }

    fn values<M: Map>(&self, map: &M, cell: Cell) -> crate::CellValues {
        self.robot.values(map, cell)
    }

    /// The path by which the robot runs, or else its own.
    fn next_on_path<M: Map>(&self, map: &M, cell: Cell) -> Option<Cell> {
        match self.phase {
            Phase::Run if self.timed == Timed::Yes => self.run.next_on_path(map, cell),
            Phase::Run => self.known.next_on_path(map, cell),
            _ => self.robot.next_on_path(map, cell),
        }
    }
}
