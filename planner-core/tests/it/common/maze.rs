//! A robot that explores a maze that it does not know and that keeps changing.

use planner_core::{
    Budget, Cell, Observation, Side,
    map::{Occupancy, Unknown},
};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

use super::{
    fleet::{Fleet, Setup},
    kind::Kind,
    robot::{ENOUGH, Robot},
    world::{Ground, World},
};

const SIDES: [Side; 4] = [Side::South, Side::West, Side::North, Side::East];

/// What the robot does in a maze.
#[derive(Clone, Copy, Debug)]
pub struct MazeExplorer {
    /// The largest width and height.
    pub size: u16,
    /// How many times the planners are asked.
    pub rounds: usize,
    /// The most expansions in a tick are drawn from below this.
    pub limit: Option<u32>,
}

/// A perfect maze or a field of rocks, by chance.
fn truth(rng: &mut ChaCha8Rng, width: u16, height: u16, ground: Ground) -> World {
    let mut world = World::new(width, height, ground, Unknown::AsFree);
    let rocky = rng.random_bool(0.3);
    if rocky {
        for fact in facts(&world) {
            let fact_is = match rng.random_bool(0.3) {
                true => Occupancy::Blocked,
                false => Occupancy::Free,
            };
            world.see(fact(fact_is));
        }
        return world;
    }
    for fact in facts(&world) {
        world.see(fact(Occupancy::Blocked));
    }
    // Cells of a walled maze are next to each other; those of a maze of rocks have one between.
    let pace = if ground == Ground::Walled { 1 } else { 2 };
    let mut visited = vec![Cell::new(0, 0)];
    let mut trail = vec![Cell::new(0, 0)];
    world.see(Observation::Cell(Cell::new(0, 0), Occupancy::Free));
    while let Some(&at) = trail.last() {
        let ways: Vec<(Cell, Side)> = SIDES
            .into_iter()
            .filter_map(|side| {
                let (dx, dy) = match side {
                    Side::South => (0, pace),
                    Side::West => (-pace, 0),
                    Side::North => (0, -pace),
                    Side::East => (pace, 0),
                };
                let to = world.offset(at, dx, dy)?;
                (!visited.contains(&to)).then_some((to, side))
            })
            .collect();
        let Some(&(to, side)) = ways.choose(rng) else {
            trail.pop();
            continue;
        };
        let between = world.beyond(at, side).expect("it is on the way");
        world.see(Observation::Wall(at, side, Occupancy::Free));
        world.see(Observation::Cell(between, Occupancy::Free));
        world.see(Observation::Cell(to, Occupancy::Free));
        visited.push(to);
        trail.push(to);
    }
    for fact in facts(&world) {
        if rng.random_bool(0.05) {
            world.see(fact(Occupancy::Free));
        }
    }
    world
}

/// Everything of which one can see whether it is free.
fn facts(world: &World) -> Vec<Box<dyn Fn(Occupancy) -> Observation>> {
    let mut facts: Vec<Box<dyn Fn(Occupancy) -> Observation>> = Vec::new();
    for cell in world.cells() {
        if world.ground == Ground::Walled {
            for side in [Side::East, Side::South] {
                facts.push(Box::new(move |fact| Observation::Wall(cell, side, fact)));
            }
        } else {
            facts.push(Box::new(move |fact| Observation::Cell(cell, fact)));
        }
    }
    facts
}

/// What there is to see of a cell.
fn look(truth: &World, cell: Cell, weighted: bool) -> Vec<Observation> {
    let mut seen = match truth.ground {
        Ground::Walled => SIDES
            .map(|side| Observation::Wall(cell, side, truth.wall(cell, side)))
            .to_vec(),
        _ => vec![Observation::Cell(cell, truth.fact(cell))],
    };
    if weighted {
        seen.push(Observation::Weight(cell, truth.weight(cell) as u8));
    }
    seen
}

fn random_cell(rng: &mut impl Rng, world: &World) -> Cell {
    world.nth(rng.random_range(0..world.count()))
}

fn open_cell(rng: &mut ChaCha8Rng, world: &World) -> Cell {
    let mut cell = random_cell(rng, world);
    for _ in 0..1000 {
        if world.is_open(cell) {
            break;
        }
        cell = random_cell(rng, world);
    }
    cell
}

impl MazeExplorer {
    /// Makes the tour that belongs to `seed` with all planners of a fleet.
    ///
    /// The robot senses some of what is next to it and a little far away; what it does not sense may
    /// stop it. Rocks and walls come and go, weights rise and fall, and the robot is sent elsewhere
    /// whenever it arrives.
    pub fn make<F: Fleet, K: Kind>(&self, seed: u64) -> Result<(), String> {
        const HEAVIEST: u8 = 5;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rng = &mut rng;
        let [width, height] = [(); 2].map(|()| rng.random_range(5..=self.size));
        let mut truth = truth(rng, width, height, K::GROUND);
        let unknown = match rng.random_bool(0.2) {
            true => Unknown::AsBlocked,
            false => Unknown::AsFree,
        };
        let mut known = World::new(width, height, K::GROUND, unknown);
        if unknown == Unknown::AsBlocked {
            for seen in truth.observations() {
                known.see(seen);
            }
        }
        let (start, goal) = (open_cell(rng, &truth), open_cell(rng, &truth));
        let setup = Setup {
            known: &known,
            unknown,
            heaviest: HEAVIEST,
            start,
            goal,
        };
        let mut outcome = Ok(());
        F::with::<K>(&setup, &mut |planners| {
            let leader = rng.random_range(0..planners.len());
            let robot = Robot::new(known.clone(), start, goal, planners, leader);
            let heaviest = K::WEIGHTED.then_some(HEAVIEST);
            outcome = self.walk(rng, &mut truth, robot, heaviest);
        });
        outcome.map_err(|error| format!("seed {seed}, {error}"))
    }

    fn walk(
        &self,
        rng: &mut ChaCha8Rng,
        truth: &mut World,
        mut robot: Robot,
        heaviest: Option<u8>,
    ) -> Result<(), String> {
        let robot = &mut robot;
        for round in 0..self.rounds {
            let in_round = |error| format!("round {round}: {error}");
            change(rng, truth, heaviest);
            sense(rng, truth, robot, heaviest.is_some()).map_err(in_round)?;
            let limit = self.limit.map(|limit| rng.random_range(0..limit));
            let budget = limit.map_or(ENOUGH, Budget::limit);
            robot.tick(budget).map_err(in_round)?;
            robot.audit().map_err(in_round)?;
            step(rng, truth, robot, self.limit.is_some()).map_err(in_round)?;
        }
        let at_the_end = |error| format!("at the end: {error}");
        robot.tick_to_the_end(Budget::limit(9)).map_err(at_the_end)
    }
}

/// Something in the world may change.
fn change(rng: &mut ChaCha8Rng, truth: &mut World, heaviest: Option<u8>) {
    for _ in 0..3 {
        let cell = random_cell(rng, truth);
        if let Some(heaviest) = heaviest {
            truth.see(Observation::Weight(cell, rng.random_range(1..=heaviest)));
        }
        if rng.random_bool(0.3) {
            let fact = match rng.random_bool(0.4) {
                true => Occupancy::Blocked,
                false => Occupancy::Free,
            };
            truth.see(Observation::Cell(cell, fact));
            truth.see(Observation::Wall(cell, SIDES[rng.random_range(0..4)], fact));
        }
    }
}

/// The robot looks about.
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
        for _ in 0..3 {
            cells.push(random_cell(rng, truth));
        }
    }
    for cell in cells {
        for seen in look(truth, cell, weighted) {
            robot.see(seen)?;
        }
    }
    Ok(())
}

/// The robot makes the advised step, or sees why it cannot; without advice it does what it likes.
fn step(
    rng: &mut ChaCha8Rng,
    truth: &World,
    robot: &mut Robot,
    restless: bool,
) -> Result<(), String> {
    if rng.random_bool(0.01) {
        robot.go(open_cell(rng, truth));
    } else if let Some(next) = robot.advice {
        if truth.step_cost(robot.at, next).is_some() {
            robot.go(next);
        } else {
            let corners = [Cell::new(robot.at.x, next.y), Cell::new(next.x, robot.at.y)];
            for cell in [robot.at, next].into_iter().chain(corners) {
                for seen in look(truth, cell, false) {
                    robot.see(seen)?;
                }
            }
        }
    } else if robot.goals.contains(&robot.at) || rng.random_bool(0.1) {
        let count = rng.random_range(1..=4);
        let goals: Vec<Cell> = (0..count).map(|_| open_cell(rng, truth)).collect();
        robot.set_goals(&goals)?;
    } else if restless
        && rng.random_bool(0.5)
        && let Some(&next) = truth.steps(robot.at).choose(rng)
    {
        robot.go(next);
    }
    if rng.random_bool(0.01) {
        let count = rng.random_range(1..=4);
        let goals: Vec<Cell> = (0..count).map(|_| open_cell(rng, truth)).collect();
        robot.set_goals(&goals)?;
    }
    Ok(())
}
