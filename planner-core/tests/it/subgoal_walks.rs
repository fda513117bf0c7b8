//! Random worlds, the contents of trees of subgoals, and walks that follow trees.

use planner_core::{
    Budget, Cell, Decision, Planner,
    map::Occupancy,
    subgoal::{Sub, Tree},
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{build::Kind, for_seeds, world::World};

/// The largest weight of a cell.
const HEAVIEST: u8 = 5;

/// A world where so many per cent of the cells or walls are blocked.
pub fn draw<K: Kind>(rng: &mut ChaCha8Rng, (width, height): (u16, u16), density: u32) -> World {
    let mut world = World::new(width, height, K::CONNECTIVITY, Default::default());
    world.fill(|| match rng.random_ratio(density, 100) {
        true => Occupancy::Blocked,
        false => Occupancy::Free,
    });
    if K::WEIGHTED {
        world.weigh(rng, HEAVIEST);
    }
    world
}

/// Checks a claim in random worlds of at most `side` by `side` cells.
pub fn in_worlds<K: Kind>(cases: u64, side: u16, mut claim: impl FnMut(World, &mut ChaCha8Rng)) {
    for_seeds(cases, |rng| {
        let size = (rng.random_range(1..=side), rng.random_range(1..=side));
        let density = rng.random_range(0..55);
        claim(draw::<K>(rng, size, density), rng);
    });
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

/// Walks to a goal; arrives exactly when there is a path.
pub fn walk(
    planner: &mut impl Planner,
    world: &World,
    (start, goal): (Cell, Cell),
    budget: Budget,
) -> Walk {
    let most = 40 * world.count() * world.count() + 1000;
    let walk = walk_for(planner, world, start, budget, most);
    let is_stuck = start != goal && world.costs_to(&[goal]).of(start).is_none();
    let end = [Decision::Arrived, Decision::Unreachable][usize::from(is_stuck)];
    assert_eq!(walk.last, end, "after {} moves", walk.trail.len() - 1);
    walk
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
