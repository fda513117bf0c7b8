//! Long tours of a robot through mazes that it does not know and that keep changing.

use planner_core::{Budget, Cell, Observation};
use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{Fleet, Setup},
    robot::{ENOUGH, Promise, Robot},
    world::{Field, Unknown, World, blocked_with},
};

/// The largest width and height.
const SIZE: u16 = 40;
const HEAVIEST: u8 = 5;

/// Makes the tours of `seeds`, of so many ticks, with all planners of a fleet.
///
/// The robot senses some of what is next to it and a little far away; what it does not sense may stop
/// it. Obstacles come and go, weights rise and fall, and the robot is sent elsewhere whenever it arrives.
/// `limit` is above the most expansions in a tick.
pub fn tour(field: Field, fleet: Fleet, seeds: u64, ticks: usize, limit: Option<u32>) {
    for seed in 0..seeds {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        if let Err(failure) = make(rng, field, fleet, ticks, limit) {
            panic!("{}: seed {seed}, {failure}", field.name);
        }
    }
}

fn make(
    rng: &mut ChaCha8Rng,
    field: Field,
    fleet: Fleet,
    ticks: usize,
    limit: Option<u32>,
) -> Result<(), String> {
    let [width, height] = [(); 2].map(|()| rng.random_range(5..=SIZE));
    let mut truth = World::new(width, height, field.ground, Unknown::AsFree);
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
    let mut known = World::new(width, height, field.ground, unknown);
    if is_known {
        for seen in truth.observations() {
            known.observe(seen);
        }
    }
    let ends = (truth.random_passable(rng), truth.random_passable(rng));
    let planners = fleet(&Setup {
        heaviest: HEAVIEST,
        ..Setup::new(&known, ends.0, ends.1)
    });
    if planners.is_empty() {
        return Ok(()); // the map is too costly for their width
    }
    let leader = rng.random_range(0..planners.len());
    let robot = &mut Robot::new(planners, leader, Promise::Shortest, &known, ends);
    for tick in 0..ticks {
        let in_tick = |error| format!("tick {tick}: {error}");
        change(rng, &mut truth, field.weighted);
        sense(rng, &truth, robot, field.weighted).map_err(in_tick)?;
        let limit = limit.map(|limit| rng.random_range(0..limit));
        let budget = limit.map_or(ENOUGH, Budget::limit);
        robot.tick(budget).map_err(in_tick)?;
        robot.audit().map_err(in_tick)?;
        step(rng, &truth, robot, limit.is_some()).map_err(in_tick)?;
    }
    let at_the_end = |error| format!("at the end: {error}");
    robot.tick_to_the_end(Budget::limit(9)).map_err(at_the_end)
}

/// Changes a little of the world.
fn change(rng: &mut ChaCha8Rng, truth: &mut World, weighted: bool) {
    for _ in 0..3 {
        if weighted {
            let weight = rng.random_range(1..=HEAVIEST);
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
        robot.observe_all(truth.look(cell, weighted))?;
    }
    Ok(())
}

/// The robot makes its step, or sees why it cannot; with nothing to do it goes somewhere else.
fn step(
    rng: &mut ChaCha8Rng,
    truth: &World,
    robot: &mut Robot,
    restless: bool,
) -> Result<(), String> {
    let mut is_sent = rng.random_bool(0.01);
    if rng.random_bool(0.01) {
        robot.go(truth.random_passable(rng));
    } else if let Some(next) = robot.advice {
        if truth.step_cost(robot.at, next).is_some() {
            robot.follow();
        } else {
            let corners = [Cell::new(robot.at.x, next.y), Cell::new(next.x, robot.at.y)];
            for cell in [robot.at, next].into_iter().chain(corners) {
                robot.observe_all(truth.look(cell, false))?;
            }
        }
    } else if robot.goals.contains(&robot.at) || rng.random_bool(0.1) {
        is_sent = true;
    } else if restless
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
