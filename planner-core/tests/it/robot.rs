//! A robot that asks any number of planners and checks every answer against plain Dijkstra.

use planner_core::{Budget, Cell, Decision, Observation, Work};

use crate::{
    build::{NamedPlanner, PlannerUnderTest, SearchReport},
    is_used_up, is_within,
    world::{Connectivity, Costs, World},
};

/// More than any search in these tests needs, so that one that goes round in circles fails and ends.
pub const AMPLE: Budget = Budget::limit(1 << 21);

/// Guarantees of planners about their decisions, beyond never stepping into a known obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// Each step that counts as proven is on a shortest path.
    Shortest,
    /// Each step is on a complete path, as short as epsilon says, on which the robot never waits.
    Anytime,
    /// Each informed step is on a path as short as epsilon says.
    RealTime,
    /// No search expands more cells than the look-ahead, and the robot never waits.
    Local { look_ahead: u32 },
}

/// Counts of events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub steps: u32,
    /// Steps that the planner calls informed.
    pub informed: u32,
    /// Steps on a path about which nothing was proven.
    pub unproven: u32,
    /// Steps on a path that is not shortest.
    pub longer: u32,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.informed += other.informed;
        self.unproven += other.unproven;
        self.longer += other.longer;
    }
}

/// A robot, what it knows, and the planners it asks.
pub struct Robot {
    pub known: World,
    pub at: Cell,
    /// It is to go to any of these.
    pub goals: Vec<Cell>,
    /// The step that the leading planner decided on in the last tick, until the robot moves.
    pub decision: Option<Cell>,
    pub counts: Counts,
    guarantee: Guarantee,
    planners: Vec<NamedPlanner>,
    leader: usize,
    /// The leader has shown a path, nothing has changed since, and the robot has kept to it.
    has_path: bool,
    /// The costs of the shortest paths to the goals, once they are asked for.
    costs: Option<Costs>,
}

impl Robot {
    /// A robot that follows planner number `leader`, counted round and round.
    pub fn new(
        planners: Vec<NamedPlanner>,
        leader: usize,
        guarantee: Guarantee,
        known: &World,
        (at, goal): (Cell, Cell),
    ) -> Self {
        Self {
            known: known.clone(),
            at,
            goals: vec![goal],
            decision: None,
            counts: Counts::default(),
            guarantee,
            leader: leader % planners.len(),
            planners,
            has_path: false,
            costs: None,
        }
    }

    /// A robot with one planner.
    pub fn alone(
        planner: Box<dyn PlannerUnderTest>,
        guarantee: Guarantee,
        known: &World,
        ends: (Cell, Cell),
    ) -> Self {
        let name = "planner";
        Self::new(
            vec![NamedPlanner { name, planner }],
            0,
            guarantee,
            known,
            ends,
        )
    }

    /// The planner that leads.
    pub fn planner(&self) -> &dyn PlannerUnderTest {
        &*self.planners[self.leader].planner
    }

    /// The costs of the shortest paths to the goals, as far as is known.
    pub fn costs(&mut self) -> &Costs {
        self.costs
            .get_or_insert_with(|| self.known.costs_to(&self.goals))
    }

    /// The cost of the shortest path from the robot.
    pub fn cost(&mut self) -> Option<u64> {
        let at = self.at;
        self.costs().of(at).filter(|_| self.known.is_passable(at))
    }

    /// The cell `steps` steps ahead on a shortest path, and the one before it.
    pub fn ahead(&mut self, steps: usize) -> (Cell, Cell) {
        let (mut before, mut at) = (self.at, self.at);
        let costs = self.costs().clone();
        for _ in 0..steps {
            let next = self.known.around(at).find(|&next| {
                costs.of(at) > Some(0) && self.known.cost_through(at, next, &costs) == costs.of(at)
            });
            let Some(next) = next.filter(|_| costs.of(at).is_some()) else {
                break;
            };
            (before, at) = (at, next);
        }
        (before, at)
    }

    /// Tells all planners what was seen.
    pub fn observe(&mut self, seen: Observation) -> Result<(), String> {
        let changed = self.known.observe(seen);
        if changed {
            (self.costs, self.has_path) = (None, false);
        }
        for NamedPlanner { name, planner } in &mut self.planners {
            let result = planner.observe(seen);
            if result != Ok(changed) {
                return Err(format!(
                    "{name}: {seen:?} is {result:?}, should be {changed}"
                ));
            }
        }
        Ok(())
    }

    pub fn observe_all(&mut self, seen: Vec<Observation>) -> Result<(), String> {
        seen.into_iter().try_for_each(|seen| self.observe(seen))
    }

    /// Moves the robot to any cell.
    pub fn go(&mut self, to: Cell) {
        self.has_path &= self.at == to || self.decision == Some(to);
        (self.at, self.decision) = (to, None);
    }

    /// Makes the step that the leader decided on, if it did.
    pub fn follow(&mut self) {
        if let Some(next) = self.decision {
            self.go(next);
        }
    }

    pub fn set_goals(&mut self, goals: &[Cell]) -> Result<(), String> {
        if goals != self.goals {
            (self.costs, self.has_path, self.goals) = (None, false, goals.to_vec());
        }
        for NamedPlanner { name, planner } in &mut self.planners {
            let set = planner.set_goals(goals);
            set.map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }

    /// Checks the invariants of all planners.
    pub fn audit(&self) -> Result<(), String> {
        self.planners
            .iter()
            .try_for_each(|NamedPlanner { name, planner }| {
                let audit = planner.audit();
                audit.map_err(|violation| format!("{name}: {violation}"))
            })
    }

    /// Ticks all planners, checks each answer and returns the leader's.
    pub fn tick(&mut self, budget: Budget) -> Result<Decision, String> {
        let mut led = Decision::Wait;
        for n in 0..self.planners.len() {
            let decision = self.tick_one(n, budget)?;
            if n == self.leader {
                led = decision;
            }
        }
        self.decision = match led {
            Decision::Step(next) => Some(next),
            _ => None,
        };
        Ok(led)
    }

    /// Ticks, and makes the step that the leader decided on.
    pub fn step(&mut self, budget: Budget) -> Result<Decision, String> {
        let decision = self.tick(budget)?;
        self.follow();
        Ok(decision)
    }

    /// Ticks all planners under a budget, each until it has decided and has nothing more to do. Its path
    /// is then as short as it was to be.
    pub fn tick_to_the_end(&mut self, budget: Budget) -> Result<(), String> {
        for n in 0..self.planners.len() {
            for tick in 0.. {
                let decision = self.tick_one(n, budget)?;
                let NamedPlanner { name, planner } = &self.planners[n];
                let is_busy = is_used_up(planner.stats().last_tick, budget);
                if decision == Decision::Wait || is_busy {
                    ensure(tick < 1_000_000, &format!("{name}: never ends"))?;
                    continue;
                }
                let SearchReport {
                    epsilon, target, ..
                } = planner.report();
                let is_short = epsilon.is_some_and(|epsilon| epsilon <= target);
                let is_path = matches!(decision, Decision::Step(_));
                ensure(
                    is_short || !is_path,
                    &format!("{name}: not as short as it should"),
                )?;
                break;
            }
        }
        Ok(())
    }

    /// Walks to a goal of a world of which it sees what is next to it; the number of ticks.
    pub fn arrive(&mut self, truth: &World, weighted: bool, budget: Budget) -> Result<u32, String> {
        for tick in 0..60_000 {
            self.observe_all(truth.observations_at(self.at, weighted))?;
            match self.step(budget)? {
                Decision::Arrived => return Ok(tick),
                Decision::Unreachable => return Err("gives up although there is a path".into()),
                Decision::Step(_) | Decision::Wait => {}
            }
        }
        Err("never arrives".into())
    }

    fn tick_one(&mut self, n: usize, budget: Budget) -> Result<Decision, String> {
        let cost = self.cost();
        let NamedPlanner { name, planner } = &mut self.planners[n];
        let name = *name;
        let mut decision = planner
            .tick(self.at, budget)
            .map_err(|off_map| format!("{name}: {off_map}"))?;
        if self.guarantee == Guarantee::Shortest
            && let Decision::Step(_) = decision
            && planner.report().epsilon != Some(10)
        {
            decision = Decision::Wait;
        }
        let work = planner.stats().last_tick;
        self.check(n, decision, cost, budget, work)
            .map_err(|error| {
                let Self { at, goals, .. } = self;
                format!(
                    "{name}: {error}: {decision:?} at {at:?} for {goals:?} with {budget:?}, where \
                     the cost is {cost:?}; {work:?}"
                )
            })?;
        if n == self.leader {
            self.has_path = matches!(decision, Decision::Step(_));
        }
        Ok(decision)
    }

    /// Checks a decision of a planner, where the shortest path has some cost.
    fn check(
        &mut self,
        n: usize,
        decision: Decision,
        cost: Option<u64>,
        budget: Budget,
        work: Work,
    ) -> Result<(), String> {
        if self.goals.contains(&self.at) {
            return ensure(decision == Decision::Arrived, "at a goal");
        }
        ensure(is_within(work, budget), "over budget")?;
        if let Some(times) = self.planners[n].planner.report().expansions_per_cell {
            let most = times * self.known.count();
            ensure(work.expansions as usize <= most, "too many expansions")?;
        }
        if let Guarantee::Local { look_ahead } = self.guarantee {
            let limit = budget.expansions.min(look_ahead);
            let moves = match self.known.connectivity {
                Connectivity::Eight { .. } => 8,
                Connectivity::Four | Connectivity::Walled => 4,
            };
            let queue_ops = 2 * limit * (moves + 1) + 1;
            ensure(
                work.expansions <= limit && work.queue_ops <= queue_ops,
                "more than the look-ahead allows",
            )?;
        }
        match decision {
            Decision::Step(next) => self.check_step(n, next, cost),
            Decision::Wait => {
                let may_wait = match self.guarantee {
                    Guarantee::Shortest => budget != AMPLE && is_used_up(work, budget),
                    Guarantee::Anytime => !self.has_path && is_used_up(work, budget),
                    Guarantee::RealTime => true,
                    Guarantee::Local { .. } => budget.expansions == 0,
                };
                ensure(may_wait, "no reason to wait")
            }
            Decision::Unreachable => {
                let found = self.planners[n].planner.report().path_cost.flatten();
                ensure(cost.is_none() && found.is_none(), "there is a path")
            }
            Decision::Arrived => Err("not at a goal".into()),
        }
    }

    fn check_step(&mut self, n: usize, next: Cell, cost: Option<u64>) -> Result<(), String> {
        let (at, known) = (self.at, &self.known);
        let is_possible = known.step_cost(at, next).is_some();
        let through = self
            .costs
            .as_ref()
            .and_then(|costs| known.cost_through(at, next, costs));
        let planner = &*self.planners[n].planner;
        let found = planner
            .report()
            .path_cost
            .flatten()
            .map(|found| found as u64);
        match self.guarantee {
            Guarantee::Local { .. } => ensure(is_possible, "no such step")?,
            // A robot on a cell that turned out to be blocked may leave it.
            Guarantee::RealTime if !planner.report().is_informed => {
                ensure(is_possible || !known.is_passable(at), "no such step")?;
            }
            Guarantee::Shortest => {
                ensure(
                    through.is_some() && through == cost,
                    "not on a shortest path",
                )?;
                ensure(found.is_none() || found == cost, "another cost reported")?;
            }
            Guarantee::Anytime | Guarantee::RealTime => {
                let shortest = cost.ok_or("there is no path")?;
                ensure(through.is_some(), "not on a path")?;
                let epsilon = planner.report().epsilon;
                let within = |path: u64| {
                    let bound = epsilon.map_or(u64::MAX, u64::from);
                    path.saturating_mul(10) <= bound.saturating_mul(shortest)
                };
                let found = found.ok_or("no cost reported")?;
                ensure(found >= shortest, "a cost below that of a shortest path")?;
                ensure(within(found), "longer than epsilon allows")?;
                if epsilon == Some(10) {
                    ensure(through == cost, "not on a shortest path")?;
                }
                if self.guarantee == Guarantee::Anytime {
                    let length = self.path_length(&self.path_of(planner), next)?;
                    ensure(length <= found, "a path longer than reported")?;
                    self.counts.longer += u32::from(length > shortest);
                }
                self.counts.informed += 1;
                self.counts.unproven += u32::from(epsilon.is_none());
            }
        }
        self.counts.steps += 1;
        Ok(())
    }

    /// The path that the leader shows, from the cell after the robot's to a goal.
    pub fn path(&self) -> Vec<Cell> {
        self.path_of(self.planner())
    }

    fn path_of(&self, planner: &dyn PlannerUnderTest) -> Vec<Cell> {
        let next = |&cell: &Cell| planner.next_on_path(cell);
        let path = std::iter::successors(next(&self.at), next);
        path.take(self.known.count()).collect()
    }

    /// The cost of a path that leads from the robot over a cell to a goal.
    fn path_length(&self, path: &[Cell], next: Cell) -> Result<u64, String> {
        let is_complete = path.last().is_some_and(|last| self.goals.contains(last));
        ensure(path.first() == Some(&next) && is_complete, "not complete")?;
        let from = [self.at].into_iter().chain(path.iter().copied());
        from.zip(path)
            .map(|(from, &to)| self.known.step_cost(from, to))
            .sum::<Option<u64>>()
            .ok_or_else(|| format!("blocked: {path:?}"))
    }
}

fn ensure(is_true: bool, error: &str) -> Result<(), String> {
    if is_true { Ok(()) } else { Err(error.into()) }
}
