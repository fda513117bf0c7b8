//! Drawn worlds, the contents of trees of subgoals, and walks that follow trees.

use planner_core::{
    Budget, Cell, Decision, Planner,
    map::Occupancy,
    subgoal::{Sub, Tree},
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::world::{Field, Unknown, World};

/// The largest weight of a cell.
pub const HEAVIEST: u8 = 5;

/// A world to draw: its shape, and the seed of its obstacles.
#[derive(Clone, Debug)]
pub struct Drawing {
    width: u16,
    height: u16,
    /// Blocked cells or walls, in percent.
    density: u32,
    seed: u64,
}

pub fn drawing(side: u16) -> impl Strategy<Value = Drawing> {
    let parts = (1..=side, 1..=side, 0..55u32, any::<u64>());
    parts.prop_map(|(width, height, density, seed)| Drawing::new(width, height, density, seed))
}

impl Drawing {
    pub fn new(width: u16, height: u16, density: u32, seed: u64) -> Self {
        Self {
            width,
            height,
            density,
            seed,
        }
    }

    pub fn world(&self, field: Field) -> World {
        let rng = &mut ChaCha8Rng::seed_from_u64(self.seed);
        let mut world = World::new(self.width, self.height, field.ground, Unknown::AsFree);
        world.fill(|| match rng.random_ratio(self.density, 100) {
            true => Occupancy::Blocked,
            false => Occupancy::Free,
        });
        if field.weighted {
            world.weigh(rng, HEAVIEST);
        }
        world
    }

    /// A generator of other random numbers than those of the world.
    pub fn rng(&self, salt: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed ^ salt)
    }
}

/// The contents of a tree: the cell and parent of each subgoal, and `Sub` of each cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    pub subgoals: Vec<(Cell, Option<usize>)>,
    pub subs: Vec<Sub>,
}

pub fn contents(tree: &impl Tree, world: &World) -> Contents {
    let subgoal = |n| tree.subgoal(n).expect("it is below the length");
    let subgoals = (0..tree.len()).map(subgoal);
    Contents {
        subgoals: subgoals.map(|s| (s.cell, s.parent)).collect(),
        subs: world.cells().map(|cell| tree.sub(cell)).collect(),
    }
}

/// A walk, tick by tick, until the robot stops or too many ticks are over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    pub last: Decision,
    pub trail: Vec<Cell>,
    pub waits: usize,
}

impl Walk {
    pub fn cost(&self, world: &World) -> u64 {
        let step = |pair: &[Cell]| world.step_cost(pair[0], pair[1]).expect("a step");
        self.trail.windows(2).map(step).sum()
    }
}

pub fn walk(planner: &mut impl Planner, world: &World, start: Cell, budget: Budget) -> Walk {
    let most = 40 * world.count() * world.count() + 1000;
    walk_for(planner, world, start, budget, most)
}

/// A walk of at most so many ticks.
pub fn walk_for(
    planner: &mut impl Planner,
    world: &World,
    start: Cell,
    budget: Budget,
    ticks: usize,
) -> Walk {
    let mut walk = Walk {
        last: Decision::Wait,
        trail: vec![start],
        waits: 0,
    };
    let mut at = start;
    for _ in 0..ticks {
        walk.last = planner.tick(at, budget).expect("the robot is on the map");
        match walk.last {
            Decision::Step(next) => {
                assert!(world.step_cost(at, next).is_some(), "{at:?} to {next:?}");
                at = next;
                walk.trail.push(at);
            }
            Decision::Wait => walk.waits += 1,
            Decision::Arrived | Decision::Unreachable => break,
        }
    }
    walk
}

/// The decision that a walk must end with.
pub fn expected_end(world: &World, start: Cell, goal: Cell) -> Decision {
    match world.costs_to(&[goal]).of(start) {
        None if start != goal => Decision::Unreachable,
        _ => Decision::Arrived,
    }
}
