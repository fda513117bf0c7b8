//! What a micromouse does: find the goal, explore until the best way there is proven, go home, and
//! run.
//!
//! Three searches over three copies of the map make a tour:
//!
//! | search | unknown is | from | for |
//! |---|---|---|---|
//! | the robot's own, any planner | free | the robot | getting about |
//! | `best`, D* Lite | free | home | the cost that no way can be below |
//! | `safe`, D* Lite | blocked | home | the cost of the best way that is known |
//!
//! The maze is solved when the last two are equal: then nothing that is unknown can be part of a
//! better way. As long as they are not, every best way has something unknown on it, and the robot
//! goes to the nearest such place. All three searches are repaired, never repeated, and share one
//! [`Budget`] per tick.

use heapless::Vec;

use crate::{
    Cell, Goals, GoalsError, ObserveError, OffMap,
    planner::{Budget, Decision, Observation, Planner, Stats, Work},
    queue::Queue,
    search::{DStarLite, GlobalSearch, Progress},
    terrain::{Terrain, step_move},
    width::Width,
};

/// How far a tour has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Phase {
    /// On the way to a goal for the first time.
    Search,
    /// Looking at what may be part of a better way.
    Explore,
    /// On the way home.
    Return,
    /// On the way to a goal over the best way that is known.
    Run,
    /// At the goal after a run.
    Done,
}

/// What is being found out about the best way, while exploring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// Its cost, if the unknown is free and if it is blocked.
    Costs,
    /// What on it is unknown, beyond this cell.
    Unknown(Cell),
    /// Where to look is known.
    Known,
}

/// A tour: `P` moves the robot.
///
/// ```
/// use planner_core::{Budget, Cell, Decision, Observation, Planner, Side, map::{Occupancy, Unknown}};
/// use planner_core::{queue::Buckets, search::DStarLite, terrain::Walls, width::Bits16};
/// use planner_core::explore::{Phase, MazeExplorer};
///
/// type Search<'m> = DStarLite<'m, Bits16, Walls<'m>, Buckets<2>>;
/// const VERTICES: usize = Walls::vertices(3, 3);
/// let mut maps = [[0; Walls::words(3, 3)]; 3];
/// let mut nodes = [[Default::default(); Search::nodes(VERTICES)]; 3];
///
/// let (home, goal) = (Cell::new(0, 2), Cell::new(1, 1));
/// let unknown = [Unknown::AsFree, Unknown::AsFree, Unknown::AsBlocked];
/// let mut search = maps.iter_mut().zip(&mut nodes).zip(unknown).map(|((map, nodes), unknown)| {
///     let maze = Walls::new(3, 3, map, unknown)?;
///     Search::new(maze, Buckets::new(), nodes, home, goal)
/// });
/// let mut next = || search.next().expect("there are three");
/// let mut tour = MazeExplorer::new(next()?, next()?, next()?, home, &[goal])?;
///
/// let mut at = home;
/// let mut phases = vec![];
/// while tour.phase() != Phase::Done {
///     for side in [Side::North, Side::East, Side::South, Side::West] {
///         tour.observe(Observation::Wall(at, side, Occupancy::Free))?; // no walls at all
///     }
///     if let Decision::Step(next) = tour.tick(at, Budget::limit(8))? {
///         at = next;
///     }
///     phases.push(tour.phase());
/// }
/// phases.dedup();
/// assert_eq!(phases, [Phase::Search, Phase::Return, Phase::Run, Phase::Done]);
/// assert!(tour.is_solved() && at == goal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MazeExplorer<'m, P, W: Width, T, Q: Queue<W>> {
    robot: P,
    best: DStarLite<'m, W, T, Q>,
    safe: DStarLite<'m, W, T, Q>,
    home: Cell,
    goals: Goals,
    phase: Phase,
    proof: Proof,
    /// Cells beyond what is unknown on a best way.
    targets: Vec<Cell, { Goals::MAX }>,
    is_solved: bool,
    stats: Stats,
}

impl<'m, P: Planner, W: Width, T: Terrain, Q: Queue<W>> MazeExplorer<'m, P, W, T, Q> {
    /// A tour from `home` to the nearest of `goals`.
    ///
    /// In `robot` and `best` the unknown must count as free, in `safe` as blocked.
    ///
    /// # Errors
    /// `home` is outside the map, or the goals cannot be.
    pub fn new(
        mut robot: P,
        mut best: DStarLite<'m, W, T, Q>,
        mut safe: DStarLite<'m, W, T, Q>,
        home: Cell,
        goals: &[Cell],
    ) -> Result<Self, GoalsError> {
        best.move_to(home)?;
        safe.move_to(home)?;
        robot.set_goals(goals)?;
        best.change_goals(goals)?;
        safe.change_goals(goals)?;
        Ok(Self {
            goals: best.goals().clone(),
            robot,
            best,
            safe,
            home,
            phase: Phase::Search,
            proof: Proof::Costs,
            targets: Vec::new(),
            is_solved: false,
            stats: Stats::default(),
        })
    }

    /// How far the tour has come.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether the best way is proven to be: nothing that is unknown can be part of a better one.
    pub fn is_solved(&self) -> bool {
        self.is_solved
    }

    /// The planner that moves the robot.
    pub fn robot(&self) -> &P {
        &self.robot
    }

    /// The planner that moves the robot, for a trip that is no part of the tour. What is seen on it must
    /// still be told to the tour; [`Planner::set_goals`] of the tour begins a tour again.
    pub fn robot_mut(&mut self) -> &mut P {
        &mut self.robot
    }

    /// The cost of the best way from home that is known, as of the last time it was asked for.
    pub fn best_known(&self) -> Option<usize> {
        self.safe.distance()
    }

    /// Stops exploring: the robot goes home, and then runs over the best way known by then.
    ///
    /// # Errors
    /// The robot's planner does not take `home` for its goal.
    pub fn go_home(&mut self) -> Result<(), GoalsError> {
        if matches!(self.phase, Phase::Search | Phase::Explore) {
            self.enter(Phase::Return)?;
        }
        Ok(())
    }

    /// Runs once more, from home: what is known of the maze stays.
    ///
    /// # Errors
    /// The robot's planner does not take `home` for its goal.
    pub fn again(&mut self) -> Result<(), GoalsError> {
        self.enter(Phase::Return)
    }

    fn enter(&mut self, phase: Phase) -> Result<(), GoalsError> {
        self.phase = phase;
        match phase {
            Phase::Search => self.robot.set_goals(self.goals.cells()),
            Phase::Return => self.robot.set_goal(self.home),
            Phase::Explore | Phase::Run | Phase::Done => Ok(()),
        }
    }

    /// Finds out whether the maze is solved or else where to look, as far as the budget goes; `true`
    /// when it is found.
    fn prove(&mut self, budget: Budget, work: &mut Work) -> Result<bool, GoalsError> {
        if self.proof == Proof::Costs {
            self.best.move_to(self.home)?;
            self.safe.move_to(self.home)?;
            let best = self.best.advance(budget.after(*work), work);
            let safe = self.safe.advance(budget.after(*work), work);
            if best == Progress::Searching || safe == Progress::Searching {
                return Ok(false);
            }
            self.is_solved = self.best.distance() == self.safe.distance();
            self.targets.clear();
            self.proof = if self.is_solved {
                Proof::Known
            } else {
                Proof::Unknown(self.home)
            };
        }
        // A step along the way is looked at in the time of a change.
        for _ in 0..budget.changes {
            let Proof::Unknown(at) = self.proof else {
                break;
            };
            if self.goals.contains(at) || self.targets.is_full() {
                self.proof = Proof::Known;
                self.robot.set_goals(&self.targets)?;
                break;
            }
            self.best.move_to(at)?;
            let Progress::Path(next) = self.best.advance(budget.after(*work), work) else {
                return Ok(false);
            };
            if !self.has_seen(at, next) {
                // There is room: the walk ends when there is none.
                let _ = self.targets.push(next);
            }
            self.proof = Proof::Unknown(next);
        }
        Ok(self.proof == Proof::Known)
    }

    fn has_seen(&self, from: Cell, to: Cell) -> bool {
        let terrain = self.best.terrain();
        match (terrain.grid().vertex(from), step_move(from, to)) {
            (Ok(vertex), Some(m)) => terrain.has_seen(vertex, m),
            _ => true,
        }
    }

    /// The robot's next step, and the phase that it belongs to.
    fn decide(
        &mut self,
        at: Cell,
        budget: Budget,
        work: &mut Work,
    ) -> Result<Decision, GoalsError> {
        // Each phase but exploring is entered once in a tick.
        for _ in 0..4 {
            match self.phase {
                Phase::Search if self.goals.contains(at) => self.enter(Phase::Explore)?,
                Phase::Explore => {
                    if !self.prove(budget, work)? {
                        return Ok(Decision::Wait);
                    }
                    if !self.is_solved {
                        return self.move_robot(at, budget, work);
                    }
                    self.enter(Phase::Return)?;
                }
                Phase::Return if at == self.home => self.enter(Phase::Run)?,
                Phase::Run if self.goals.contains(at) => self.enter(Phase::Done)?,
                Phase::Run => {
                    self.safe.move_to(at)?;
                    return Ok(self.safe.advance(budget.after(*work), work).into());
                }
                Phase::Search | Phase::Return => return self.move_robot(at, budget, work),
                Phase::Done => return Ok(Decision::Arrived),
            }
        }
        Ok(Decision::Wait)
    }

    fn move_robot(
        &mut self,
        at: Cell,
        budget: Budget,
        work: &mut Work,
    ) -> Result<Decision, GoalsError> {
        let decision = self.robot.tick(at, budget.after(*work))?;
        let Work {
            expansions,
            requeues,
            queue_ops,
        } = self.robot.stats().tick;
        work.expansions = work.expansions.saturating_add(expansions);
        work.requeues = work.requeues.saturating_add(requeues);
        work.queue_ops = work.queue_ops.saturating_add(queue_ops);
        Ok(match decision {
            // Beyond what was unknown: nothing is left to be seen on the way it was on.
            Decision::Arrived => {
                self.proof = Proof::Costs;
                Decision::Wait
            }
            decision => decision,
        })
    }
}

impl<P: Planner, W: Width, T: Terrain, Q: Queue<W>> Planner for MazeExplorer<'_, P, W, T, Q> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let robot = self.robot.observe(seen)?;
        let best = self.best.observe(seen)?;
        let safe = self.safe.observe(seen)?;
        if best || safe {
            self.proof = Proof::Costs;
        }
        Ok(robot || best || safe)
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.best.terrain().grid().vertex(at)?;
        let mut work = Work::default();
        let decision = self.decide(at, budget, &mut work);
        self.stats.searches += u32::from(work.expansions > 0);
        self.stats.book(work);
        match decision {
            Ok(decision) => Ok(decision),
            Err(GoalsError::OffMap(off_map)) => Err(off_map),
            // The goals were checked when they were set, and targets are on a way.
            Err(GoalsError::None | GoalsError::TooMany) => Ok(Decision::Unreachable),
        }
    }

    /// Begins a new search; what is known of the maze stays.
    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.best.change_goals(goals)?;
        self.safe.change_goals(goals)?;
        self.goals = self.best.goals().clone();
        self.proof = Proof::Costs;
        self.is_solved = false;
        self.enter(Phase::Search)
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}
