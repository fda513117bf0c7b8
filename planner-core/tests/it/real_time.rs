//! Real-Time D*: the steps of D* Lite when there is time, the goal in the end when there is little,
//! shortest paths whenever it says so, and never more work in a tick than its formula allows.

use planner_core::{
    Budget, Cell, Decision, Observation, Planner, Work,
    local::{Follow, LookAhead, SuccessorOrder},
    map::{AsFree, Occupancy},
    queue::{Buckets, Lifo},
    rtd::LocalRatio,
    search::Epsilon,
    width::{Bits16, Bits32},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{
        Built, Global, Kind, Local, Setup, TBA_LOOK_AHEAD, anytime_dstar, dstar_lite, rtd, tba,
    },
    is_within,
    robot::{Guarantee, Robot},
    terrains::{Plain4, Plain8, Walled4, Weighted4},
    world::{Connectivity, Terrain, World, blocked_with, problem},
};

const GLOBALS: [Global; 2] = [Global::Lite, Global::Anytime];
const REPLAN: Local = lss(Follow::ReplanEachStep);
const LOCALS: [Local; 6] = [
    lss(Follow::Path),
    REPLAN,
    Local::Lrta(LookAhead::AStar, SuccessorOrder::Fixed),
    Local::Tba,
    Local::TbaHashed,
    Local::NoOp,
];

const fn lss(follow: Follow) -> Local {
    Local::Lss(LookAhead::AStar, follow, SuccessorOrder::Fixed)
}

type Build<'b> = &'b dyn Fn(&Setup, (Global, Local)) -> Built;

/// A world with obstacles, and two cells in it between which there is a path.
fn solvable(rng: &mut ChaCha8Rng, side: u16, connectivity: Connectivity) -> (World, (Cell, Cell)) {
    problem(rng, true, |rng| {
        let mut world = World::square(side, connectivity);
        for _ in 0..world.count() * 3 / 10 {
            world.observe(world.random_state(rng, Occupancy::Blocked));
        }
        world
    })
}

fn unlimited_steps_are_those_of_dstar_lite(
    terrain: Terrain,
    build: Build,
    lite: &dyn Fn(&Setup) -> Built,
) {
    for seed in 0..60 {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (truth, (start, goal)) = solvable(rng, 16, terrain.connectivity);
        let known = truth.unseen();
        let setup = Setup::new(&known, start, goal);
        let mut rtd = build(&setup, (Global::Lite, LOCALS[seed as usize % LOCALS.len()])).unwrap();
        let mut lite = lite(&setup).unwrap();
        let mut at = start;
        loop {
            for seen in truth.observations_at(at, false) {
                assert_eq!(rtd.observe(seen), lite.observe(seen));
            }
            let decision = rtd.tick(at, Budget::UNLIMITED);
            assert_eq!(
                decision,
                lite.tick(at, Budget::UNLIMITED),
                "seed {seed} at {at:?}"
            );
            match decision {
                Ok(Decision::Step(next)) => at = next,
                Ok(Decision::Arrived) => break,
                other => panic!("{other:?}, seed {seed} at {at:?}"),
            }
        }
    }
}

#[test]
fn with_an_unlimited_budget_the_steps_are_those_of_dstar_lite() {
    on_each!([Plain4, Plain8, Walled4] K => {
        let lite = &dstar_lite::<K, Bits16, Buckets<8, Lifo>, AsFree>;
        unlimited_steps_are_those_of_dstar_lite(K::terrain(), &rtd::<K, Bits16, 64>, lite);
    });
}

fn reaches_the_goal(terrain: Terrain, global: Global, build: Build) {
    let choices = LOCALS
        .into_iter()
        .flat_map(|l| [1, 2, 3, 8, 40].map(|n| (l, n)));
    for (local, limit) in choices {
        for seed in 0..40 {
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            let (truth, ends) = solvable(rng, 14, terrain.connectivity);
            let known = truth.unseen();
            let planner = build(&Setup::new(&known, ends.0, ends.1), (global, local)).unwrap();
            let mut robot = Robot::alone(planner, Guarantee::RealTime, &known, ends);
            let ticks = robot.arrive(&truth, false, Budget::limit(limit));
            let context = format!("{}, seed {seed}, {local:?}, limit {limit}", terrain.name);
            let ticks = ticks.unwrap_or_else(|error| panic!("{context}: {error}"));
            // A robot waits for D* Lite, for its turn in a tick of one expansion, or for a path to be traced.
            let may_wait = match local {
                Local::NoOp => true,
                Local::Tba | Local::TbaHashed => limit < 40,
                _ => limit == 1,
            };
            let is_waiting = robot.counts.steps < ticks;
            assert!(!is_waiting || may_wait, "{context}: waited");
        }
    }
}

#[test]
fn any_limit_reaches_the_goal_of_a_static_world() {
    for global in GLOBALS {
        on_each!([Plain4, Plain8, Walled4] K =>
            reaches_the_goal(K::terrain(), global, &rtd::<K, Bits16, 64>));
    }
}

/// Changes the world and the goals at random, most of the time not at all, and makes a step.
fn live(rng: &mut ChaCha8Rng, robot: &mut Robot, weighted: bool) -> Result<(), String> {
    let changes = [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 30][rng.random_range(0..11)];
    for _ in 0..changes {
        let (known, state) = (&robot.known, blocked_with(rng, 0.5));
        robot.observe(match weighted && rng.random() {
            true => Observation::Weight(known.random_cell(rng), rng.random_range(1..=9)),
            false => known.random_state(rng, state),
        })?;
    }
    if rng.random_ratio(1, 40) {
        let count = rng.random_range(1..=3);
        let goals: Vec<Cell> = (0..count).map(|_| robot.known.random_cell(rng)).collect();
        robot.set_goals(&goals)?;
    }
    let limit = [1, 2, 3, 6, 20][rng.random_range(0..5)];
    if robot.step(Budget::limit(limit))? == Decision::Arrived {
        robot.go(robot.known.random_cell(rng));
    }
    match robot.planner().report().is_up_to_date {
        true => robot.audit(),
        false => Ok(()),
    }
}

/// Every informed step in a changing world is on a path as short as claimed.
fn informed_steps_are_short(terrain: Terrain, global: Global, build: Build) {
    let mut informed = 0;
    for seed in 0..80 {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (known, ends) = solvable(rng, 12, terrain.connectivity);
        let local = LOCALS[seed as usize % LOCALS.len()];
        let planner = build(&Setup::new(&known, ends.0, ends.1), (global, local)).unwrap();
        let mut robot = Robot::alone(planner, Guarantee::RealTime, &known, ends);
        for tick in 0..400 {
            if let Err(error) = live(rng, &mut robot, terrain.weighted) {
                panic!(
                    "{}, seed {seed}, tick {tick}, {local:?}: {error}",
                    terrain.name
                );
            }
        }
        informed += robot.counts.informed;
    }
    assert!(
        informed > 400,
        "only {informed} informed steps were checked"
    );
}

#[test]
fn an_informed_step_is_on_a_path_as_short_as_claimed_whatever_changes() {
    for global in GLOBALS {
        on_each!([Plain4, Weighted4, Plain8, Walled4] K =>
            informed_steps_are_short(K::terrain(), global, &rtd::<K, Bits16, 64>));
    }
}

#[test]
fn changes_that_do_not_fit_the_backlog_are_made_good_by_a_sweep() {
    for global in GLOBALS {
        on_each!([Plain4, Weighted4, Plain8, Walled4] K =>
            informed_steps_are_short(K::terrain(), global, &rtd::<K, Bits16, 2>));
    }
}

/// With all expansions for the local search, nothing depends on how far the global search has come.
#[test]
fn nothing_learned_for_one_goal_is_used_for_the_next() {
    let one = Budget::limit(1);
    for seed in 0..40 {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (known, (start, goal)) = solvable(rng, 12, Connectivity::Four);
        let build = |goal| {
            let ratio = LocalRatio::percent(100);
            let setup = Setup {
                ratio,
                ..Setup::new(&known, start, goal)
            };
            rtd::<Plain4, Bits16, 64>(&setup, (Global::Lite, REPLAN)).unwrap()
        };
        let walk = |planner: &mut dyn Planner, mut at: Cell| -> Vec<Cell> {
            let step = |_| {
                if let Decision::Step(next) = planner.tick(at, one).unwrap() {
                    at = next;
                }
                at
            };
            (0..100).map(step).collect()
        };
        let mut used = build(goal);
        let trail = walk(&mut *used, start);
        let (at, next) = (*trail.last().unwrap(), known.random_passable(rng));
        used.set_goal(next).unwrap();
        assert_eq!(
            walk(&mut *used, at),
            walk(&mut *build(next), at),
            "seed {seed}"
        );
    }
}

/// Ticks in which a planner brings a robot to its goals in 30 worlds: discovered a cell at a time, or known and with
/// a cell that is blocked or freed in every second tick.
fn ticks_to_goals(is_maze: bool, changes: bool, build: &dyn Fn(&Setup) -> Built) -> u32 {
    const SIDE: u16 = 41;
    const DENSITY: f64 = 0.35;
    let budget = Budget::limit(4);
    let mut ticks = 0;
    for seed in 0..30 {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (mut truth, (start, goal)) = problem(rng, true, |rng| {
            let mut world = World::square(SIDE, Connectivity::Four);
            match is_maze {
                true => world.carve_maze(rng),
                false => world.fill(|| blocked_with(rng, DENSITY)),
            }
            world
        });
        let known = if changes {
            truth.clone()
        } else {
            truth.unseen()
        };
        let mut planner = build(&Setup::new(&known, start, goal)).unwrap();
        let mut at = start;
        for tick in 0..2000 {
            if changes && tick % 2 == 0 {
                let state = blocked_with(rng, DENSITY);
                let seen = truth.random_state(rng, state);
                let ends = [at, goal].map(|cell| Observation::Cell(cell, Occupancy::Blocked));
                if !ends.contains(&seen) {
                    truth.observe(seen);
                    planner.observe(seen).unwrap();
                }
            }
            for seen in truth.observations_at(at, false) {
                planner.observe(seen).unwrap();
            }
            match planner.tick(at, budget).unwrap() {
                Decision::Step(next) => at = next,
                Decision::Arrived => break,
                Decision::Wait | Decision::Unreachable => {}
            }
            ticks += 1;
        }
    }
    ticks
}

/// Most mistakes in the rules of time-bounded A* break no guarantee and cost steps: on a full table, a blocked path, an
/// opened cell or in the choice of a target.
#[test]
fn time_bounded_astar_needs_no_more_ticks_than_recorded() {
    let preset = |setup: &Setup| {
        let ratio = LocalRatio::PRESET;
        rtd::<Plain4, Bits16, 64>(&Setup { ratio, ..*setup }, (Global::Lite, Local::Tba))
    };
    let (obstacles, maze, [still, changing]) = (false, true, [false, true]);
    let count = |build: &dyn Fn(&Setup) -> Built| {
        [obstacles, maze].map(|world| [still, changing].map(|c| ticks_to_goals(world, c, build)))
    };
    let ticks = [count(&preset), count(&tba::<Plain4>)];
    let recorded = [[[4042, 1888], [8748, 3030]], [[3488, 5345], [9435, 7103]]];
    let pairs = ticks.as_flattened().as_flattened().iter();
    let mut pairs = pairs.zip(recorded.as_flattened().as_flattened());
    assert!(
        pairs.all(|(ticks, most)| ticks <= most),
        "{ticks:?}, recorded {recorded:?}"
    );
}

/// A world made to be hard on a planner.
#[derive(Clone, Copy, Debug)]
enum Hard {
    Serpentine,
    Spiral,
    /// Long dead ends side by side.
    Comb,
    /// The same, seen one cell at a time.
    UnseenComb,
    /// Doors in a wall that open and close in every tick.
    Doors,
    /// A thousand cells change at once, now and then.
    Burst,
    /// Another goal in every tick.
    Goals,
}

impl Hard {
    const ALL: [Self; 7] = [
        Self::Serpentine,
        Self::Spiral,
        Self::Comb,
        Self::UnseenComb,
        Self::Doors,
        Self::Burst,
        Self::Goals,
    ];

    fn world(self, side: u16) -> World {
        match self {
            Self::Serpentine => World::serpentine(side, Connectivity::Four),
            Self::Spiral => World::spiral(side, Connectivity::Four),
            Self::Comb | Self::UnseenComb => World::comb(side, Connectivity::Four),
            Self::Doors | Self::Burst | Self::Goals => {
                let mut world = World::square(side, Connectivity::Four);
                for y in (0..side).filter(|&y| y != side / 2) {
                    world.block(Cell::new(side / 2, y));
                }
                world
            }
        }
    }
}

/// The largest work of a tick in 4000 ticks of a hard world.
fn most_work(hard: Hard, side: u16, budget: Budget, build: &dyn Fn(&Setup) -> Built) -> Work {
    let truth = hard.world(side);
    let known = match hard {
        Hard::UnseenComb => truth.unseen(),
        _ => truth.clone(),
    };
    let (start, goal) = (Cell::new(0, 0), Cell::new(side - 1, side - 1));
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(side));
    let mut cell = || Cell::new(rng.random_range(0..side), rng.random_range(0..side));
    let mut planner = build(&Setup::new(&known, start, goal)).unwrap();
    let mut at = start;
    for tick in 0..4000 {
        let state = [Occupancy::Free, Occupancy::Blocked][tick % 2];
        let mut observe = |cell| planner.observe(Observation::Cell(cell, state)).unwrap();
        match hard {
            Hard::Doors => {
                for y in (0..side).step_by(8) {
                    observe(Cell::new(side / 2, y));
                }
            }
            Hard::Burst if tick % 50 == 49 => {
                for _ in 0..1000 {
                    observe(cell());
                }
            }
            Hard::Goals => planner.set_goal(cell()).unwrap(),
            Hard::UnseenComb => {
                for seen in truth.observations_at(at, false) {
                    planner.observe(seen).unwrap();
                }
            }
            _ => {}
        }
        match planner.tick(at, budget).unwrap() {
            Decision::Step(next) => at = next,
            Decision::Arrived => at = start,
            Decision::Wait | Decision::Unreachable => {}
        }
        let work = planner.stats().last_tick;
        assert!(is_within(work, budget), "{hard:?}: {work:?}");
    }
    planner.stats().max_per_tick
}

const MOVES: u32 = 4;

#[test]
fn a_tick_keeps_its_bound_on_maps_of_any_size() {
    const LIMIT: u32 = 32;
    let budget = Budget::limit(LIMIT);
    let global_ops = LIMIT * (MOVES + 3);
    let locals = [
        (REPLAN, 2 * LIMIT * (MOVES + 1) + 1),
        (Local::Tba, 4 * LIMIT * (MOVES + 1) + 2),
        (Local::TbaHashed, 4 * LIMIT * (MOVES + 1) + 2),
    ];
    for (global, hard) in GLOBALS
        .into_iter()
        .flat_map(|by| Hard::ALL.map(|hard| (by, hard)))
    {
        for (local, local_ops) in locals {
            let build = |setup: &Setup| {
                let ratio = match local {
                    Local::Tba => LocalRatio::PRESET,
                    _ => LocalRatio::HALF,
                };
                let setup = Setup { ratio, ..*setup };
                rtd::<Plain4, Bits32, 64>(&setup, (global, local))
            };
            let most = [33, 101, 301].map(|side| most_work(hard, side, budget, &build));
            println!("{global:?}, {local:?}, {hard:?}: {most:?}");
            for work in most {
                let context = format!("{global:?}, {local:?}, {hard:?}: {work:?}");
                assert!(work.expansions <= LIMIT, "{context}");
                assert!(work.queue_ops <= global_ops + local_ops, "{context}");
            }
        }
    }
}

#[test]
fn time_bounded_astar_alone_keeps_its_bound_on_maps_of_any_size() {
    for (hard, side) in (Hard::ALL.into_iter()).flat_map(|hard| [33, 101, 301].map(|n| (hard, n))) {
        let most = most_work(hard, side, Budget::limit(TBA_LOOK_AHEAD), &tba::<Plain4>);
        println!("{hard:?}, {side}: {most:?}");
        let formula = 4 * TBA_LOOK_AHEAD * (MOVES + 1) + 2;
        assert!(most.queue_ops <= formula, "{hard:?}, {side}: {most:?}");
        assert!(most.visits >= TBA_LOOK_AHEAD, "{hard:?}, {side}: {most:?}");
    }
}

/// At one expansion per tick the global search has its share too, and finds out.
#[test]
fn a_goal_that_is_cut_off_is_reported_at_any_limit() {
    let side = 16;
    let mut known = World::square(side, Connectivity::Four);
    for y in 0..side {
        known.block(Cell::new(side / 2, y));
    }
    let setup = Setup::new(&known, Cell::new(0, 0), Cell::new(side - 1, 0));
    for global in GLOBALS {
        for local in LOCALS {
            for limit in [1, 2, 5] {
                let mut planner = rtd::<Plain4, Bits16, 64>(&setup, (global, local)).unwrap();
                let mut at = setup.start;
                let found_out = (0..20_000).any(|_| {
                    match planner.tick(at, Budget::limit(limit)).unwrap() {
                        Decision::Step(next) => at = next,
                        Decision::Unreachable => return true,
                        Decision::Wait | Decision::Arrived => {}
                    }
                    false
                });
                assert!(found_out, "{global:?}, {local:?}, limit {limit}");
            }
        }
    }
}

#[test]
fn a_tick_of_anytime_dstar_keeps_its_bound_on_maps_of_any_size() {
    const LIMIT: u32 = 8;
    let build =
        |setup: &Setup| anytime_dstar::<Plain4, Bits32, u128, AsFree>(setup, Epsilon::DEFAULT);
    for side in [33, 101, 301] {
        let mut reached = (0, 0);
        for hard in Hard::ALL {
            let changes = match hard {
                Hard::Serpentine | Hard::Spiral | Hard::Comb => 0,
                Hard::UnseenComb => MOVES,
                Hard::Doors => u32::from(side).div_ceil(8),
                Hard::Burst => 1000,
                Hard::Goals => 2,
            };
            let most = most_work(hard, side, Budget::limit(LIMIT), &build);
            println!("{hard:?}, {side}: {most:?}");
            reached = reached.max((most.expansions, most.requeues));
            let formula = LIMIT * (MOVES + 1) + changes * (MOVES + 3);
            assert!(most.queue_ops <= formula, "{hard:?}, {side}: {most:?}");
        }
        assert_eq!(reached, (LIMIT, LIMIT * 4), "{side}");
    }
}
