//! Every step that a planner decides on lies on a shortest path, as far as the robot knows.
//!
//! Each test runs random scripts in small worlds, or simulations of larger mazes, and compares every
//! decision of every planner with plain Dijkstra.

use planner_core::{
    Budget, Cell, Decision, Observation, Side,
    graph::{Four, MaxNorm},
    map::Occupancy,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{
        BuildPlanners, Kind, NamedPlanner, Setup, Weighted, dstar_lites, repeated_astars,
        some_dstar_lites, some_repeated_astars,
    },
    for_seeds,
    robot::{AMPLE, Guarantee, Robot},
    script::run_scripts,
    simulation::Simulation,
    world::{Terrain, Unknown, World, blocked_with},
};

const UNINTERRUPTED: Simulation = Simulation::shortest(400, None);
const INTERRUPTED: Simulation = Simulation::shortest(400, Some(40));

#[test]
fn dstar_lite_finds_shortest_paths() {
    on_main_terrains!(K => run_scripts(K::terrain(), &dstar_lites::<K>, 3000, false));
    on_other_terrains!(K => run_scripts(K::terrain(), &some_dstar_lites::<K>, 1500, false));
}

#[test]
fn interrupted_dstar_lite_finds_shortest_paths() {
    on_main_terrains!(K => run_scripts(K::terrain(), &dstar_lites::<K>, 3000, true));
    on_other_terrains!(K => run_scripts(K::terrain(), &some_dstar_lites::<K>, 1500, true));
}

#[test]
fn repeated_astar_finds_shortest_paths_interrupted_or_not() {
    on_main_terrains!(K => run_scripts(K::terrain(), &repeated_astars::<K>, 1000, false));
    on_other_terrains!(K => run_scripts(K::terrain(), &some_repeated_astars::<K>, 800, false));
    on_main_terrains!(K => run_scripts(K::terrain(), &repeated_astars::<K>, 500, true));
    on_other_terrains!(K => run_scripts(K::terrain(), &some_repeated_astars::<K>, 400, true));
}

#[test]
fn dstar_lite_finds_shortest_paths_in_large_changing_mazes_interrupted_or_not() {
    on_main_terrains!(K => UNINTERRUPTED.run(K::terrain(), &dstar_lites::<K>, 6));
    on_other_terrains!(K => UNINTERRUPTED.run(K::terrain(), &some_dstar_lites::<K>, 3));
    on_main_terrains!(K => INTERRUPTED.run(K::terrain(), &dstar_lites::<K>, 12));
    on_other_terrains!(K => INTERRUPTED.run(K::terrain(), &some_dstar_lites::<K>, 6));
}

#[test]
fn repeated_astar_finds_shortest_paths_in_large_changing_mazes() {
    on_main_terrains!(K => UNINTERRUPTED.run(K::terrain(), &repeated_astars::<K>, 3));
    on_other_terrains!(K => UNINTERRUPTED.run(K::terrain(), &some_repeated_astars::<K>, 2));
}

/// A path may cost 64,770 of the 65,534 that 16 bits hold.
#[test]
fn costs_near_the_limit_of_16_bits_are_planned_with() {
    type Mud = Weighted<Four<MaxNorm>, { u8::MAX }>;

    fn walk(mut robot: Robot) -> Result<Decision, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(16);
        for cell in robot.known.cells() {
            robot.observe(Observation::Weight(cell, u8::MAX))?;
        }
        while !robot.goals.contains(&robot.at) {
            let cell = robot.known.random_cell(&mut rng);
            let weight = [1, 9, u8::MAX][rng.random_range(0..3)];
            robot.step(AMPLE)?;
            robot.audit()?;
            robot.observe(Observation::Weight(cell, weight))?;
            robot.observe(Observation::Weight(robot.at, u8::MAX))?;
        }
        robot.tick(AMPLE)
    }

    let known = World::new(127, 2, Mud::CONNECTIVITY, Unknown::AsFree);
    let ends = (Cell::new(0, 0), Cell::new(126, 1));
    let setup = &Setup::new(&known, ends.0, ends.1);
    for planners in [
        some_dstar_lites::<Mud>(setup),
        some_repeated_astars::<Mud>(setup),
    ] {
        let robot = Robot::new(planners, 0, Guarantee::Shortest, &known, ends);
        assert_eq!(walk(robot), Ok(Decision::Arrived));
    }
}

/// The search is kept: in a world without surprises the robot searches once.
#[test]
fn dstar_lite_expands_nothing_while_the_robot_follows_its_path() {
    fn follow(terrain: Terrain, build: BuildPlanners) {
        for_seeds(60, |rng| {
            let mut known = World::square(12, terrain.connectivity);
            known.fill(|| blocked_with(rng, 0.25));
            let (start, goal) = (known.random_cell(rng), known.random_cell(rng));
            for NamedPlanner { name, mut planner } in build(&Setup::new(&known, start, goal)) {
                let (mut at, mut first) = (start, true);
                while let Ok(Decision::Step(next)) = planner.tick(at, Budget::UNLIMITED) {
                    let expansions = planner.stats().last_tick.expansions;
                    // A search that prefers larger g may have left ties unexpanded.
                    let is_kept = first || name.contains("LargerG") || expansions == 0;
                    assert!(is_kept, "{name} expands {expansions}");
                    (at, first) = (next, false);
                }
            }
        });
    }
    on_main_terrains!(K => follow(K::terrain(), &dstar_lites::<K>));
}

/// A robot that never stands still must not outdate the search faster than it can go on.
#[test]
fn interrupted_dstar_lite_terminates_while_the_robot_oscillates() {
    const SIZE: u16 = 24;

    /// The robot goes to and fro next to the goal, behind a wall that is open at its far ends.
    fn pace(terrain: Terrain, build: BuildPlanners, limit: u32) {
        let mut known = World::square(SIZE, terrain.connectivity);
        for x in 1..SIZE - 1 {
            let cell = Cell::new(x, SIZE / 2);
            known.block(cell);
            known.observe(Observation::Wall(cell, Side::South, Occupancy::Blocked));
        }
        let beat = [0, 1].map(|n| Cell::new(SIZE / 2 + n, SIZE / 2 - 1));
        let goal = Cell::new(SIZE / 2, SIZE / 2 + 1);
        for NamedPlanner { name, mut planner } in build(&Setup::new(&known, beat[0], goal)) {
            let mut beats = beat.iter().cycle();
            let mut tick = || planner.tick(*beats.next().unwrap(), Budget::limit(limit));
            // Twice as many ticks as it takes to expand every cell once.
            let most = 2 * usize::from(SIZE).pow(2) / limit as usize;
            let is_ready = (0..most).any(|_| tick() != Ok(Decision::Wait));
            assert!(is_ready, "{name}, limit {limit}, {}", terrain.name);
        }
    }
    for limit in [1, 2, 4, 8] {
        on_main_terrains!(K => pace(K::terrain(), &dstar_lites::<K>, limit));
    }
}
