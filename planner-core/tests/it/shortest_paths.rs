//! Every step that a planner advises lies on a shortest path, as far as the robot knows.
//!
//! Each test plays random scripts in small worlds, or tours of larger mazes, and compares every
//! answer of every planner with a plain Dijkstra on a model of its own.

use crate::common::{
    fleet::{DStarLites, Fleet, Member, RepeatedAStars, Setup, SomeDStarLites, SomeRepeatedAStars},
    kind::{Kind, Plain, Walled, Weighted},
    maze::MazeExplorer,
    robot::{ENOUGH, Robot},
    runner,
    script::scripts,
    world::World,
};
use planner_core::{
    Budget, Cell, Decision, Observation, Side,
    map::{Occupancy, Unknown},
    terrain::{
        Coarse, CutCorners, Eight, Fine, Four, Manhattan, MaxNorm, NeverCut, Octile, OneOpen, Zero,
    },
};
use proptest::test_runner::TestCaseError;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Plays `cases` random scripts on a kind of terrain with all planners of a fleet.
fn play<F: Fleet, K: Kind>(cases: u32, interrupted: bool) {
    let scripts = scripts::<K>(60, interrupted);
    let outcome = runner(cases).run(&scripts, |script| {
        script.play::<F, K>().map_err(TestCaseError::fail)
    });
    if let Err(failure) = outcome {
        panic!("{}: {failure}", std::any::type_name::<K>());
    }
}

/// Makes the tours of `seeds` on a kind of terrain with all planners of a fleet.
fn explore<F: Fleet, K: Kind>(seeds: u64, tour: MazeExplorer) {
    for seed in 0..seeds {
        if let Err(failure) = tour.make::<F, K>(seed) {
            panic!("{}: {failure}", std::any::type_name::<K>());
        }
    }
}

/// Calls a function for the three terrains, with all planners of a kind.
macro_rules! on_main_terrains {
    ($call:ident::<$fleet:ty>($($argument:expr),*)) => {
        $call::<$fleet, Plain<Four<Manhattan>>>($($argument),*);
        $call::<$fleet, Weighted<Eight<NeverCut, Coarse, Octile>>>($($argument),*);
        $call::<$fleet, Walled<Manhattan>>($($argument),*);
    };
}

/// Calls a function for the other corner rules, scales, heuristics and costs.
macro_rules! on_other_terrains {
    ($call:ident::<$fleet:ty>($($argument:expr),*)) => {
        $call::<$fleet, Plain<Four<Zero>>>($($argument),*);
        $call::<$fleet, Weighted<Four<MaxNorm>>>($($argument),*);
        $call::<$fleet, Plain<Eight<NeverCut, Fine, Octile>>>($($argument),*);
        $call::<$fleet, Weighted<Eight<OneOpen, Fine, MaxNorm>>>($($argument),*);
        $call::<$fleet, Plain<Eight<OneOpen, Coarse, Octile>>>($($argument),*);
        $call::<$fleet, Plain<Eight<CutCorners, Coarse, Zero>>>($($argument),*);
        $call::<$fleet, Weighted<Eight<CutCorners, Fine, Octile>>>($($argument),*);
        $call::<$fleet, Walled<Octile>>($($argument),*);
    };
}

#[test]
fn dstar_lite_advises_shortest_paths() {
    on_main_terrains!(play::<DStarLites>(3000, false));
}

#[test]
fn dstar_lite_advises_shortest_paths_on_every_other_terrain() {
    on_other_terrains!(play::<SomeDStarLites>(1500, false));
}

#[test]
fn interrupted_dstar_lite_advises_shortest_paths() {
    on_main_terrains!(play::<DStarLites>(3000, true));
}

#[test]
fn interrupted_dstar_lite_advises_shortest_paths_on_every_other_terrain() {
    on_other_terrains!(play::<SomeDStarLites>(1500, true));
}

#[test]
fn repeated_astar_advises_shortest_paths() {
    on_main_terrains!(play::<RepeatedAStars>(1000, false));
}

#[test]
fn repeated_astar_advises_shortest_paths_on_every_other_terrain() {
    on_other_terrains!(play::<SomeRepeatedAStars>(800, false));
}

#[test]
fn interrupted_repeated_astar_advises_shortest_paths() {
    on_main_terrains!(play::<RepeatedAStars>(500, true));
    on_other_terrains!(play::<SomeRepeatedAStars>(400, true));
}

const LONG: MazeExplorer = MazeExplorer {
    size: 40,
    rounds: 400,
    limit: None,
};

const HURRIED: MazeExplorer = MazeExplorer {
    limit: Some(40),
    ..LONG
};

#[test]
fn dstar_lite_advises_shortest_paths_on_long_tours_of_mazes() {
    on_main_terrains!(explore::<DStarLites>(6, LONG));
    on_other_terrains!(explore::<SomeDStarLites>(3, LONG));
}

#[test]
fn interrupted_dstar_lite_advises_shortest_paths_on_long_tours_of_mazes() {
    on_main_terrains!(explore::<DStarLites>(12, HURRIED));
    on_other_terrains!(explore::<SomeDStarLites>(6, HURRIED));
}

#[test]
fn repeated_astar_advises_shortest_paths_on_long_tours_of_mazes() {
    on_main_terrains!(explore::<RepeatedAStars>(3, LONG));
    on_other_terrains!(explore::<SomeRepeatedAStars>(2, LONG));
}

/// A map on which a path may cost 64,770 of the 65,534 that 16 bits hold.
#[test]
fn costs_near_the_limit_of_16_bits_are_planned_with() {
    const SIZE: (u16, u16) = (127, 2);
    type Mud = Weighted<Four<MaxNorm>>;

    fn walk(mut robot: Robot) -> Result<(), String> {
        let mut rng = ChaCha8Rng::seed_from_u64(16);
        for n in 0..robot.known.count() {
            robot.see(Observation::Weight(robot.known.nth(n), u8::MAX))?;
        }
        while !robot.goals.contains(&robot.at) {
            let cell = robot.known.nth(rng.random_range(0..robot.known.count()));
            let weight = [1, 9, u8::MAX][rng.random_range(0..3)];
            robot.tick(ENOUGH)?;
            robot.audit()?;
            robot.go(robot.advice.ok_or("no advice")?);
            robot.see(Observation::Weight(cell, weight))?;
            robot.see(Observation::Weight(robot.at, u8::MAX))?;
        }
        robot.tick(ENOUGH)
    }

    let known = World::new(SIZE.0, SIZE.1, Mud::GROUND, Unknown::AsFree);
    let setup = Setup {
        known: &known,
        unknown: Unknown::AsFree,
        heaviest: u8::MAX,
        start: Cell::new(0, 0),
        goal: Cell::new(SIZE.0 - 1, 1),
    };
    let mut run = |planners: &mut [Member]| {
        let robot = Robot::new(known.clone(), setup.start, setup.goal, planners, 0);
        walk(robot).unwrap();
    };
    SomeDStarLites::with::<Mud>(&setup, &mut run);
    SomeRepeatedAStars::with::<Mud>(&setup, &mut run);
}

/// What was found is kept: on its way through a world without surprises the robot searches once.
#[test]
fn dstar_lite_expands_nothing_while_the_robot_follows_its_advice() {
    fn follow<F: Fleet, K: Kind>() {
        for seed in 0..60 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut known = World::new(12, 12, K::GROUND, Unknown::AsFree);
            for cell in known.cells() {
                if rng.random_bool(0.25) {
                    let side = [Side::South, Side::East][rng.random_range(0..2)];
                    known.see(Observation::Cell(cell, Occupancy::Blocked));
                    known.see(Observation::Wall(cell, side, Occupancy::Blocked));
                }
            }
            let setup = Setup {
                known: &known,
                unknown: Unknown::AsFree,
                heaviest: 1,
                start: known.nth(rng.random_range(0..144)),
                goal: known.nth(rng.random_range(0..144)),
            };
            F::with::<K>(&setup, &mut |planners| {
                for Member { name, planner } in planners {
                    let mut at = setup.start;
                    let mut first = true;
                    while let Ok(Decision::Step(next)) = planner.tick(at, Budget::UNLIMITED) {
                        let expansions = planner.stats().tick.expansions;
                        // A search that prefers larger g may have left ties unexpanded.
                        let is_kept = first || name.contains("LargerG") || expansions == 0;
                        assert!(is_kept, "{name} expands {expansions}, seed {seed}");
                        (at, first) = (next, false);
                    }
                }
            });
        }
    }
    on_main_terrains!(follow::<DStarLites>());
}

/// A robot that never stands still must not outdate the search faster than that can go on.
#[test]
fn interrupted_dstar_lite_ends_although_the_robot_paces_to_and_fro() {
    const SIZE: u16 = 24;

    /// The robot goes to and fro beside the goal, behind a wall that is open at its far ends.
    fn pace<F: Fleet, K: Kind>(limit: u32) {
        let mut known = World::new(SIZE, SIZE, K::GROUND, Unknown::AsFree);
        for x in 1..SIZE - 1 {
            let cell = Cell::new(x, SIZE / 2);
            known.see(Observation::Cell(cell, Occupancy::Blocked));
            known.see(Observation::Wall(cell, Side::South, Occupancy::Blocked));
        }
        let beat = [0, 1].map(|n| Cell::new(SIZE / 2 + n, SIZE / 2 - 1));
        let setup = Setup {
            known: &known,
            unknown: Unknown::AsFree,
            heaviest: 1,
            start: beat[0],
            goal: Cell::new(SIZE / 2, SIZE / 2 + 1),
        };
        F::with::<K>(&setup, &mut |planners| {
            for Member { name, planner } in planners {
                let mut beats = beat.iter().cycle();
                let mut tick = || planner.tick(*beats.next().unwrap(), Budget::limit(limit));
                // Twice as many ticks as it takes to expand every cell once.
                let most = 2 * usize::from(SIZE).pow(2) / limit as usize;
                let is_ready = (0..most).any(|_| tick() != Ok(Decision::Wait));
                assert!(
                    is_ready,
                    "{name}, limit {limit}, {}",
                    std::any::type_name::<K>()
                );
            }
        });
    }
    for limit in [1, 2, 4, 8] {
        on_main_terrains!(pace::<DStarLites>(limit));
    }
}
