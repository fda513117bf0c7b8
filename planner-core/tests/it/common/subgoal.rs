//! Drawn worlds, trees grown in them, and walks that follow trees.

use planner_core::{
    Budget, Cell, Decision, Observation, Planner, Side,
    map::{Occupancy, Unknown},
    subgoal::{Sub, Tree},
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{
    kind::Kind,
    world::{Ground, World},
};

/// No cell costs more than this many plain ones.
pub const HEAVIEST: u8 = 5;

/// A world to draw: its shape, and the seed of its obstacles.
#[derive(Clone, Debug)]
pub struct Drawing {
    pub width: u16,
    pub height: u16,
    /// Blocked cells or walls, in per cent.
    pub density: u32,
    pub seed: u64,
}

pub fn drawing(side: u16) -> impl Strategy<Value = Drawing> {
    (1..=side, 1..=side, 0..55u32, any::<u64>()).prop_map(|(width, height, density, seed)| {
        Drawing {
            width,
            height,
            density,
            seed,
        }
    })
}

impl Drawing {
    /// The same, with a weight for each cell.
    pub fn weighted(&self, ground: Ground) -> World {
        let mut rng = ChaCha8Rng::seed_from_u64(!self.seed);
        let mut world = self.world(ground);
        for cell in world.cells() {
            world.see(Observation::Weight(cell, rng.random_range(1..=HEAVIEST)));
        }
        world
    }

    pub fn world(&self, ground: Ground) -> World {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut world = World::new(self.width, self.height, ground, Unknown::AsFree);
        let fact = |blocked| {
            if blocked {
                Occupancy::Blocked
            } else {
                Occupancy::Free
            }
        };
        for cell in world.cells() {
            let mut draw = || fact(rng.random_ratio(self.density, 100));
            if ground == Ground::Walled {
                world.see(Observation::Wall(cell, Side::East, draw()));
                world.see(Observation::Wall(cell, Side::South, draw()));
            } else {
                world.see(Observation::Cell(cell, draw()));
            }
        }
        world
    }
}

/// The terrain that knows a world.
pub fn with_terrain<K: Kind, R>(world: &World, run: impl FnOnce(K::Terrain<'_>) -> R) -> R {
    let (width, height) = (world.width, world.height);
    let mut words = vec![0; K::words(width, height)];
    let mut weights = vec![0; K::vertices(width, height)];
    let unknown = Unknown::AsFree;
    run(K::knowing(
        world,
        &mut words,
        &mut weights,
        unknown,
        HEAVIEST,
    ))
}

/// What a tree holds: for every subgoal its cell and parent, and `Sub` of every cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub subgoals: Vec<(Cell, Option<usize>)>,
    pub subs: Vec<Sub>,
}

pub fn held(tree: &impl Tree, world: &World) -> Held {
    let subgoal = |n| tree.subgoal(n).expect("it is below the length");
    let subgoals = (0..tree.len()).map(subgoal);
    Held {
        subgoals: subgoals.map(|s| (s.cell, s.parent)).collect(),
        subs: world.cells().map(|cell| tree.sub(cell)).collect(),
    }
}

/// A walk, tick by tick, until the robot stops or `most` ticks are over.
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
    let mut walk = Walk {
        last: Decision::Wait,
        trail: vec![start],
        waits: 0,
    };
    let mut at = start;
    for _ in 0..most {
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

pub fn how_it_ends(world: &World, start: Cell, goal: Cell) -> Decision {
    match world.costs_to(&[goal]).of(start) {
        None if start != goal => Decision::Unreachable,
        _ => Decision::Arrived,
    }
}

pub fn random_cell(rng: &mut ChaCha8Rng, world: &World) -> Cell {
    world.nth(rng.random_range(0..world.count()))
}
