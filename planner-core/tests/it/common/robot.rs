//! A robot that holds any number of planners at once and checks all that they answer.

use planner_core::{Budget, Cell, Decision, Observation};

use super::{
    fleet::Member,
    is_used_up, is_within,
    world::{Costs, World},
};

/// More than any search in these tests needs: one that goes round in circles fails, and does not
/// hang.
pub const ENOUGH: Budget = Budget::limit(1 << 21);

/// A robot, what it knows, and the planners it asks.
pub struct Robot<'f, 'p> {
    pub known: World,
    pub at: Cell,
    /// It is to go to any of these.
    pub goals: Vec<Cell>,
    /// What the leading planner advised in the last tick, until it is overtaken by events.
    pub advice: Option<Cell>,
    planners: &'f mut [Member<'p>],
    leader: usize,
    /// The costs of the ways to the goals, once they are asked for.
    costs: Option<Costs>,
}

impl<'f, 'p> Robot<'f, 'p> {
    /// A robot that follows the advice of planner number `leader`, counted round and round.
    pub fn new(
        known: World,
        at: Cell,
        goal: Cell,
        planners: &'f mut [Member<'p>],
        leader: usize,
    ) -> Self {
        Self {
            known,
            at,
            goals: vec![goal],
            advice: None,
            leader: leader % planners.len(),
            planners,
            costs: None,
        }
    }

    /// The true costs of the ways to the goals, as far as is known.
    pub fn costs(&mut self) -> &Costs {
        self.costs
            .get_or_insert_with(|| self.known.costs_to(&self.goals))
    }

    /// The cell `steps` steps ahead on a shortest path, and the one before it.
    pub fn ahead(&mut self, steps: usize) -> (Cell, Cell) {
        let (mut before, mut at) = (self.at, self.at);
        self.costs();
        for _ in 0..steps {
            let next = self.known.around(at).find(|&next| self.is_best(at, next));
            let Some(next) = next else { break };
            (before, at) = (at, next);
        }
        (before, at)
    }

    /// Whether a shortest path from one cell leads over the other.
    fn is_best(&self, from: Cell, to: Cell) -> bool {
        let Some(costs) = &self.costs else {
            return false;
        };
        match (self.known.step_cost(from, to), costs.of(to), costs.of(from)) {
            (Some(step), Some(rest), Some(all)) => step + rest == all && all > 0,
            _ => false,
        }
    }

    /// Tells all planners what was seen.
    pub fn see(&mut self, seen: Observation) -> Result<(), String> {
        let changed = self.known.see(seen);
        if changed {
            self.costs = None;
        }
        for member in &mut *self.planners {
            let told = member.planner.observe(seen);
            if told != Ok(changed) {
                let name = member.name;
                return Err(format!("{name}: {seen:?} is {told:?}, should be {changed}"));
            }
        }
        Ok(())
    }

    /// Moves the robot, wherever to.
    pub fn go(&mut self, to: Cell) {
        self.at = to;
        self.advice = None;
    }

    pub fn set_goals(&mut self, goals: &[Cell]) -> Result<(), String> {
        self.goals = goals.to_vec();
        self.costs = None;
        for Member { name, planner } in &mut *self.planners {
            planner
                .set_goals(goals)
                .map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }

    /// Checks the invariants of all planners.
    pub fn audit(&self) -> Result<(), String> {
        self.planners.iter().try_for_each(|member| {
            let audit = member.planner.audit();
            audit.map_err(|broken| format!("{}: {broken}", member.name))
        })
    }

    /// Ticks all planners and checks each answer.
    pub fn tick(&mut self, budget: Budget) -> Result<(), String> {
        self.costs();
        for n in 0..self.planners.len() {
            let decision = self.tick_one(n, budget)?;
            if n == self.leader {
                self.advice = match decision {
                    Decision::Step(next) => Some(next),
                    _ => None,
                };
            }
        }
        Ok(())
    }

    /// Ticks all planners under a budget, each until it has an answer.
    pub fn tick_to_the_end(&mut self, budget: Budget) -> Result<(), String> {
        self.costs();
        for n in 0..self.planners.len() {
            let mut ticks = 0;
            while self.tick_one(n, budget)? == Decision::Wait {
                ticks += 1;
                if ticks > 1_000_000 {
                    return Err(format!("{}: waits for ever", self.planners[n].name));
                }
            }
        }
        Ok(())
    }

    fn tick_one(&mut self, n: usize, budget: Budget) -> Result<Decision, String> {
        let Member { name, planner } = &mut self.planners[n];
        let decision = planner.tick(self.at, budget);
        let (found, work) = (planner.found(), planner.stats().tick);
        let most = planner.times().map(|times| times * self.known.count());
        let name = *name;
        let (at, goals) = (self.at, &self.goals);
        let cost = match &self.costs {
            Some(costs) if self.known.is_open(at) => costs.of(at),
            _ => None,
        };
        let answer = match decision {
            Ok(_) if goals.contains(&at) => decision == Ok(Decision::Arrived),
            Ok(Decision::Wait) if budget == ENOUGH => false,
            Ok(Decision::Wait) => is_used_up(work, budget),
            Ok(Decision::Step(next)) => self.is_best(at, next),
            Ok(Decision::Unreachable) => cost.is_none(),
            Ok(Decision::Arrived) | Err(_) => false,
        };
        let told = match (decision, found) {
            (Ok(Decision::Step(_) | Decision::Unreachable), Some(found)) => {
                found.map(|found| found as u64) == cost
            }
            _ => true,
        };
        let within = match decision {
            Ok(Decision::Step(_) | Decision::Wait) => {
                most.is_none_or(|most| work.expansions as usize <= most) && is_within(work, budget)
            }
            _ => true,
        };
        if !answer || !told || !within {
            return Err(format!(
                "{name}: {decision:?} (cost {found:?}) at {at:?} for {goals:?} with {budget:?}, \
                 where the cost is {cost:?}; {work:?}"
            ));
        }
        decision.map_err(|off_map| format!("{name}: {off_map}"))
    }
}
