//! A robot in a random, changing world whose planner has too little time.

use planner_core::{
    Budget, Cell, Decision, Observation, Side,
    map::{Occupancy, Unknown},
    queue::{Entry, Holds},
    search::Epsilon,
    width::Width,
};
use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

use super::subject::{Anytime, with};
use crate::common::{
    fleet::Setup,
    is_used_up, is_within,
    kind::Kind,
    world::{Costs, Ground, World},
};

/// A robot with a planner that is given too little time, and what it may expect of it.
pub struct Rover<'p> {
    pub planner: &'p mut dyn Anytime,
    known: World,
    pub at: Cell,
    goal: Cell,
    costs: Option<Costs>,
    /// The planner has shown a path, nothing has changed since, and the robot has kept to it.
    has_path: bool,
    pub advice: Option<Cell>,
    /// There was no path in the last tick.
    is_stuck: bool,
    pub seen: Tally,
}

/// How often things happened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub steps: u32,
    /// Steps on a path that was not proven to be shortest.
    pub anytime: u32,
    /// Steps on a path about which nothing was proven.
    pub unproven: u32,
    /// Steps on a path that really was not shortest.
    pub longer: u32,
    pub waits: u32,
    pub unreachable: u32,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.anytime += other.anytime;
        self.unproven += other.unproven;
        self.longer += other.longer;
        self.waits += other.waits;
        self.unreachable += other.unreachable;
    }
}

impl<'p> Rover<'p> {
    pub fn new(planner: &'p mut dyn Anytime, known: World, at: Cell, goal: Cell) -> Self {
        Self {
            planner,
            known,
            at,
            goal,
            costs: None,
            has_path: false,
            advice: None,
            is_stuck: false,
            seen: Tally::default(),
        }
    }

    /// Tells the planner what was seen.
    pub fn see(&mut self, seen: Observation) -> Result<(), String> {
        let changed = self.known.see(seen);
        if changed {
            (self.costs, self.has_path) = (None, false);
        }
        match self.planner.observe(seen) {
            Ok(told) if told == changed => self.planner.audit(),
            told => Err(format!("{seen:?} is {told:?}, should be {changed}")),
        }
    }

    /// Moves the robot, wherever to.
    pub fn go(&mut self, to: Cell) {
        self.has_path &= self.at == to || self.advice == Some(to);
        (self.at, self.advice) = (to, None);
    }

    pub fn set_goal(&mut self, goal: Cell) -> Result<(), String> {
        if goal != self.goal {
            (self.costs, self.has_path, self.goal) = (None, false, goal);
        }
        self.planner.set_goal(goal).map_err(|off| off.to_string())?;
        self.planner.audit()
    }

    /// Asks the planner and checks all that it answers.
    pub fn tick(&mut self, budget: Budget) -> Result<Decision, String> {
        let decision = self.planner.tick(self.at, budget);
        let decision = decision.map_err(|off| off.to_string())?;
        self.planner.audit()?;
        let (at, goal, work) = (self.at, self.goal, self.planner.stats().tick);
        let describe = |error: &str| {
            format!("{error}: {decision:?} at {at:?} for {goal:?}; {work:?} of {budget:?}")
        };
        let costs = self
            .costs
            .get_or_insert_with(|| self.known.costs_to(&[self.goal]));
        let shortest = costs.of(self.at).filter(|_| self.known.is_open(self.at));
        if self.at == self.goal {
            return match decision {
                Decision::Arrived => Ok(decision),
                _ => Err(describe("at the goal")),
            };
        }
        if !is_within(work, budget) {
            return Err(describe("too much work"));
        }
        match decision {
            Decision::Step(next) => {
                let shortest = shortest.ok_or_else(|| describe("there is no path"))?;
                self.check_path(next, shortest)
                    .map_err(|error| describe(&error))?;
                self.has_path = true;
            }
            Decision::Wait => {
                if self.has_path || !is_used_up(work, budget) {
                    return Err(describe("no reason to wait"));
                }
                self.seen.waits += 1;
            }
            Decision::Unreachable if shortest.is_none() => self.seen.unreachable += 1,
            Decision::Arrived | Decision::Unreachable => return Err(describe("no")),
        }
        self.is_stuck = decision == Decision::Unreachable;
        self.advice = match decision {
            Decision::Step(next) => Some(next),
            _ => None,
        };
        Ok(decision)
    }

    /// Checks that the path is one, and costs no more than is claimed.
    fn check_path(&mut self, next: Cell, shortest: u64) -> Result<(), String> {
        let path = self.planner.path();
        if path.first() != Some(&next) || path.last() != Some(&self.goal) {
            return Err(format!("not on a path to the goal: {path:?}"));
        }
        let (mut cost, mut at) = (0, self.at);
        for &cell in &path {
            cost += self
                .known
                .step_cost(at, cell)
                .ok_or_else(|| format!("barred at {cell:?}"))?;
            at = cell;
        }
        let distance = self.planner.found().flatten();
        let distance = distance.ok_or("no distance")? as u64;
        let epsilon = self.planner.epsilon();
        let bound = epsilon.map_or(u64::MAX, u64::from);
        if cost > distance || distance.saturating_mul(10) > bound.saturating_mul(shortest) {
            return Err(format!(
                "path of {cost}, said to be {distance} and within {epsilon:?} of {shortest}"
            ));
        }
        self.seen.steps += 1;
        self.seen.anytime += u32::from(epsilon != Some(10));
        self.seen.unproven += u32::from(epsilon.is_none());
        self.seen.longer += u32::from(cost > shortest);
        Ok(())
    }

    /// Something random happens.
    fn live(&mut self, rng: &mut ChaCha8Rng, is_calm: bool, heaviest: u8) -> Result<(), String> {
        let chance = if self.is_stuck { 0.8 } else { 0.3 };
        if (!is_calm || self.is_stuck) && rng.random_bool(chance) {
            for _ in 0..rng.random_range(1..4) {
                let seen = self.sight(rng, heaviest);
                self.see(seen)?;
            }
        }
        if rng.random_bool(if is_calm { 0.005 } else { 0.03 }) || self.at == self.goal {
            let goal = self.random_cell(rng);
            self.set_goal(goal)?;
        }
        if rng.random_bool(0.02) {
            let cell = self.random_cell(rng);
            self.go(cell);
        } else if rng.random_bool(0.1)
            && let Some(&cell) = self.known.steps(self.at).choose(rng)
        {
            self.go(cell);
        }
        let budget = match rng.random_range(0..20) {
            0 => Budget::UNLIMITED,
            1 => Budget::limit(0),
            n if n < 12 => Budget::limit(rng.random_range(1..9)),
            _ => Budget::limit(rng.random_range(0..16)),
        };
        self.tick(budget)?;
        if let Some(next) = self.advice
            && rng.random_bool(0.8)
        {
            self.go(next);
        }
        Ok(())
    }

    /// A cell that is open, most of the time.
    fn random_cell(&self, rng: &mut ChaCha8Rng) -> Cell {
        let cell = || self.known.nth(rng.random_range(0..self.known.count()));
        let mut cells = std::iter::repeat_with(cell).take(10);
        cells
            .find(|&cell| self.known.is_open(cell))
            .unwrap_or(self.at)
    }

    /// Something to see: anywhere, or where it matters.
    fn sight(&mut self, rng: &mut ChaCha8Rng, heaviest: u8) -> Observation {
        const SIDES: [Side; 4] = [Side::South, Side::West, Side::North, Side::East];
        let path = self.planner.path();
        let cell = match (rng.random_range(0..10), path.choose(rng)) {
            (0..4, Some(&ahead)) => ahead,
            (4, _) if self.is_stuck => self.at,
            (5, _) if self.is_stuck => self.goal,
            _ => self.known.nth(rng.random_range(0..self.known.count())),
        };
        let fact = match rng.random_bool(if self.is_stuck { 0.1 } else { 0.5 }) {
            true => Occupancy::Blocked,
            false => Occupancy::Free,
        };
        if self.known.ground == Ground::Walled {
            Observation::Wall(cell, SIDES[rng.random_range(0..4)], fact)
        } else if heaviest > 1 && rng.random_bool(0.5) {
            Observation::Weight(cell, rng.random_range(1..=heaviest))
        } else {
            Observation::Cell(cell, fact)
        }
    }

    /// Ticks until the path is proven to be as short as `epsilon` says, or there is none.
    pub fn finish(&mut self, epsilon: u8) -> Result<(), String> {
        for _ in 0..1_000_000 {
            match self.tick(Budget::limit(3))? {
                Decision::Wait => (),
                Decision::Step(_) if self.planner.epsilon() > Some(epsilon.into()) => (),
                Decision::Step(_) if self.planner.epsilon().is_none() => (),
                _ => return Ok(()),
            }
        }
        Err("does not finish".into())
    }
}

/// A random life in a random world, from a seed.
#[derive(Clone, Copy, Debug)]
pub struct Life {
    /// The largest width and height.
    pub size: u16,
    /// How many times the planner is asked.
    pub rounds: u32,
    pub schedule: Epsilon,
}

impl Life {
    /// Lives through the lives of `seeds` on a kind of terrain, with a planner of some width.
    ///
    /// # Panics
    /// The planner has made a mistake.
    pub fn live<W: Width, E: Entry + Holds<W>, K: Kind>(self, seeds: u64, tally: &mut Tally) {
        for seed in 0..seeds {
            if let Err(failure) = self.live_one::<W, E, K>(seed, tally) {
                let kind = std::any::type_name::<K>();
                panic!("{kind}, seed {seed}, {self:?}, {failure}");
            }
        }
    }

    fn live_one<W: Width, E: Entry + Holds<W>, K: Kind>(
        self,
        seed: u64,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let known = self.world(rng, K::GROUND);
        let heaviest = if K::WEIGHTED { 9 } else { 1 };
        let [start, goal] = [(); 2].map(|()| known.nth(rng.random_range(0..known.count())));
        let setup = Setup {
            known: &known,
            unknown: Unknown::AsFree,
            heaviest,
            start,
            goal,
        };
        let mut outcome = Ok(());
        with::<K, W, E>(&setup, self.schedule, &mut |planner| {
            let mut rover = Rover::new(planner, known.clone(), start, goal);
            outcome = (0..self.rounds).try_for_each(|round| {
                // Spells in which nothing changes, and spells in which much does.
                let is_calm = round / 25 % 2 == 1;
                let lived = rover.live(rng, is_calm, heaviest);
                lived.map_err(|error| format!("round {round}: {error}"))
            });
            if outcome.is_ok() {
                let lowest = (0..u8::MAX).fold(u8::MAX, |now, _| self.schedule.lowered(now));
                outcome = rover.finish(lowest);
            }
            *tally += rover.seen;
        });
        outcome
    }

    fn world(self, rng: &mut ChaCha8Rng, ground: Ground) -> World {
        let [width, height] = [(); 2].map(|()| rng.random_range(2..=self.size));
        let mut world = World::new(width, height, ground, Unknown::AsFree);
        let density = rng.random_range(0.0..0.35);
        for cell in world.cells() {
            let side = if rng.random() {
                Side::South
            } else {
                Side::East
            };
            if rng.random_bool(density) {
                world.see(match ground {
                    Ground::Walled => Observation::Wall(cell, side, Occupancy::Blocked),
                    _ => Observation::Cell(cell, Occupancy::Blocked),
                });
            }
        }
        world
    }
}
