//! Long simulations of a robot in mazes that it does not know and that keep changing.

use planner_core::{Budget, Cell, Observation};
use rand::{RngExt, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{BuildPlanners, Setup},
    for_seeds,
    robot::{AMPLE, Counts, Guarantee, Robot},
    world::{Terrain, Unknown, World, blocked_with},
};

/// Simulations in which planners keep a guarantee.
#[derive(Clone, Copy, Debug)]
pub struct Simulation {
    pub guarantee: Guarantee,
    /// The largest width and height.
    pub size: u16,
    pub ticks: u32,
    /// Above the most expansions in a tick.
    pub limit: Option<u32>,
}

impl Simulation {
    /// Simulations in which every step is on a shortest path.
    pub const fn shortest(ticks: u32, limit: Option<u32>) -> Self {
        Self {
            guarantee: Guarantee::Shortest,
            size: 40,
            ticks,
            limit,
        }
    }

    /// Runs the simulations of `seeds` with all planners, if the maps fit them.
    ///
    /// The robot senses some cells next to it and a few far away; those that it does not sense may stop it. Obstacles come and go and weights rise and fall for a while, and then for a while they stay. The
    /// robot is sent elsewhere whenever it arrives.
    pub fn run(self, terrain: Terrain, build: BuildPlanners, seeds: u64) -> Counts {
        let mut counts = Counts::default();
        for_seeds(seeds, |rng| match self.run_one(rng, terrain, build) {
            Ok(made) => counts += made,
            Err(failure) => panic!("{}, {self:?}: {failure}", terrain.name),
        });
        counts
    }

    fn run_one(
        self,
        rng: &mut ChaCha8Rng,
        terrain: Terrain,
        build: BuildPlanners,
    ) -> Result<Counts, String> {
        let [width, height] = [(); 2].map(|()| rng.random_range(4..=self.size));
        let mut truth = World::new(width, height, terrain.connectivity, Unknown::AsFree);
        if rng.random_bool(0.3) {
            truth.fill(|| blocked_with(rng, 0.3));
        } else {
            truth.carve_maze(rng);
        }
        let is_known = rng.random_bool(0.2);
        let unknown = match is_known {
            true => Unknown::AsBlocked,
            false => Unknown::AsFree,
        };
        let mut known = World::new(width, height, terrain.connectivity, unknown);
        if is_known {
            for seen in truth.observations() {
                known.observe(seen);
            }
        }
        let ends = (truth.random_passable(rng), truth.random_passable(rng));
        let planners = build(&Setup::new(&known, ends.0, ends.1));
        if planners.is_empty() {
            return Ok(Counts::default()); // the map is too large or too costly for their width
        }
        let leader = rng.random_range(0..planners.len());
        let robot = &mut Robot::new(planners, leader, self.guarantee, &known, ends);
        for tick in 0..self.ticks {
            let in_tick = |error| format!("tick {tick}: {error}");
            if tick / 25 % 3 < 2 {
                change(rng, &mut truth, terrain);
            }
            sense(rng, &truth, robot, terrain.weighted).map_err(in_tick)?;
            let limit = self.limit.map(|limit| rng.random_range(0..limit));
            let budget = limit.map_or(AMPLE, Budget::limit);
            robot.tick(budget).map_err(in_tick)?;
            robot.audit().map_err(in_tick)?;
            step(rng, &truth, robot, limit.is_some()).map_err(in_tick)?;
        }
        let at_the_end = |error| format!("at the end: {error}");
        robot
            .tick_to_the_end(Budget::limit(9))
            .map_err(at_the_end)?;
        Ok(robot.counts)
    }
}

/// Changes a little of the world.
fn change(rng: &mut ChaCha8Rng, truth: &mut World, terrain: Terrain) {
    for _ in 0..3 {
        if terrain.weighted {
            let weight = rng.random_range(1..=terrain.heaviest);
            truth.observe(Observation::Weight(truth.random_cell(rng), weight));
        }
        if rng.random_bool(0.3) {
            let state = blocked_with(rng, 0.4);
            truth.observe(truth.random_state(rng, state));
        }
    }
}

/// The robot looks around.
fn sense(
    rng: &mut ChaCha8Rng,
    truth: &World,
    robot: &mut Robot,
    weighted: bool,
) -> Result<(), String> {
    let mut cells: Vec<Cell> = truth.around(robot.at).collect();
    cells.retain(|_| rng.random_bool(0.8));
    cells.push(robot.at);
    if rng.random_bool(0.3) {
        cells.extend([(); 3].map(|()| truth.random_cell(rng)));
    }
    for cell in cells {
        robot.observe_all(truth.observations_of(cell, weighted))?;
    }
    Ok(())
}

/// The robot makes its step, or sees why it cannot; with nothing to do it goes somewhere else.
fn step(
    rng: &mut ChaCha8Rng,
    truth: &World,
    robot: &mut Robot,
    moves_while_waiting: bool,
) -> Result<(), String> {
    let mut is_sent = rng.random_bool(0.01);
    if rng.random_bool(0.01) {
        robot.go(truth.random_passable(rng));
    } else if let Some(next) = robot.decision {
        if truth.step_cost(robot.at, next).is_some() {
            robot.follow();
        } else {
            let corners = [Cell::new(robot.at.x, next.y), Cell::new(next.x, robot.at.y)];
            for cell in [robot.at, next].into_iter().chain(corners) {
                robot.observe_all(truth.observations_of(cell, false))?;
            }
        }
    } else if robot.goals.contains(&robot.at) || rng.random_bool(0.1) {
        is_sent = true;
    } else if moves_while_waiting
        && rng.random_bool(0.5)
        && let Some(&next) = truth.steps(robot.at).choose(rng)
    {
        robot.go(next);
    }
    if is_sent {
        let count = rng.random_range(1..=4);
        let goals: Vec<Cell> = (0..count).map(|_| truth.random_passable(rng)).collect();
        robot.set_goals(&goals)?;
    }
    Ok(())
}
