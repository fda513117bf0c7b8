//! Anytime D*: every path that it shows is complete and as short as it claims, and a tick keeps its
//! budget.

use planner_core::{
    Budget, BuildError, Cell, Decision, Observation,
    graph::{Coarse, Eight, Octile, OnePassable},
    map::{AsBlocked, AsFree, Occupancy},
    queue::{Entry, Holds},
    search::{AnytimeNode, Epsilon},
    width::{Bits16, Bits32, Width},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{self, Built, Kind, NamedPlanner, Setup, Weighted, anytime_dstar},
    is_used_up,
    robot::{Counts, Guarantee, Robot},
    script::run_scripts,
    simulation::Simulation,
    terrains::{Plain4, Plain8, Walled4, Weighted4, Weighted8},
    tiny::{Bits8, Cheap, ModestKind, Ring},
    world::{Connectivity, Terrain, Unknown, World},
};

/// Starts high and falls in large steps.
const COARSE: Epsilon = Epsilon {
    start: 255,
    step_down: 61,
    step_up: 7,
    maximum: 255,
};

/// Never lowered.
const CONSTANT: Epsilon = Epsilon {
    step_down: 0,
    ..Epsilon::DEFAULT
};

/// Never above one.
const EXACT: Epsilon = Epsilon {
    maximum: 10,
    ..Epsilon::DEFAULT
};

/// Small worlds with interrupted searches.
const SMALL_WORLDS: Simulation = Simulation {
    guarantee: Guarantee::Anytime,
    size: 8,
    ticks: 300,
    limit: Some(16),
};

/// A planner alone, or none where the map is too large or too costly for its width.
fn with_schedule<K: Kind, W: Width, E: Entry + Holds<W> + 'static>(
    setup: &Setup,
    schedule: Epsilon,
) -> Vec<NamedPlanner> {
    let built = match setup.known.unknown {
        Unknown::AsFree => anytime_dstar::<K, W, E, AsFree>(setup, schedule),
        Unknown::AsBlocked => anytime_dstar::<K, Bits32, u128, AsBlocked>(setup, schedule),
    };
    let name = "Anytime D*";
    match built {
        Ok(planner) => vec![NamedPlanner { name, planner }],
        Err(BuildError::TooCostly { .. } | BuildError::TooManyCells { .. }) => Vec::new(),
        Err(other) => panic!("{other}"),
    }
}

fn narrow<K: Kind>(setup: &Setup) -> Vec<NamedPlanner> {
    with_schedule::<K, Bits16, u64>(setup, Epsilon::DEFAULT)
}

fn wide<K: Kind>(setup: &Setup) -> Vec<NamedPlanner> {
    with_schedule::<K, Bits32, u128>(setup, COARSE)
}

fn exact<K: Kind>(setup: &Setup) -> Vec<NamedPlanner> {
    with_schedule::<K, Bits32, u128>(setup, EXACT)
}

/// Runs a claim on every terrain.
macro_rules! on_all_terrains {
    ($kind:ident => $body:expr) => {
        on_main_terrains!($kind => $body);
        on_other_terrains!($kind => $body);
    };
}

#[test]
fn with_time_to_finish_every_step_is_on_a_shortest_path() {
    on_all_terrains!(K => {
        run_scripts(K::terrain(), &narrow::<K>, 600, false);
        run_scripts(K::terrain(), &wide::<K>, 600, false);
        Simulation::shortest(300, None).run(K::terrain(), &narrow::<K>, 2);
        Simulation::shortest(300, None).run(K::terrain(), &wide::<K>, 2);
    });
}

#[test]
fn interrupted_every_step_proven_to_be_on_a_shortest_path_is() {
    on_all_terrains!(K => {
        run_scripts(K::terrain(), &narrow::<K>, 600, true);
        run_scripts(K::terrain(), &wide::<K>, 600, true);
        Simulation::shortest(300, Some(40)).run(K::terrain(), &narrow::<K>, 2);
        Simulation::shortest(300, Some(40)).run(K::terrain(), &wide::<K>, 2);
    });
}

#[test]
fn with_an_epsilon_of_one_every_step_is_on_a_shortest_path() {
    on_all_terrains!(K => {
        run_scripts(K::terrain(), &exact::<K>, 400, true);
        Simulation::shortest(300, Some(40)).run(K::terrain(), &exact::<K>, 2);
        let counts = SMALL_WORLDS.run(K::terrain(), &exact::<K>, 20);
        assert_eq!((counts.unproven, counts.longer), (0, 0));
    });
}

#[test]
fn interrupted_it_shows_complete_paths_as_short_as_it_claims() {
    let (medium, large) = (
        Simulation {
            size: 14,
            ..SMALL_WORLDS
        },
        Simulation {
            size: 30,
            ..SMALL_WORLDS
        },
    );
    let mut counts = Counts::default();
    on_all_terrains!(K => {
        let flat = |setup: &Setup| with_schedule::<K, Bits16, u64>(setup, CONSTANT);
        counts += SMALL_WORLDS.run(K::terrain(), &narrow::<K>, 100);
        counts += large.run(K::terrain(), &wide::<K>, 20);
        counts += medium.run(K::terrain(), &wide::<K>, 50);
        counts += medium.run(K::terrain(), &flat, 50);
    });
    assert!(counts.unproven < counts.steps / 20, "{counts:?}");
    assert!(counts.longer > counts.steps / 50, "{counts:?}");
}

#[test]
fn counters_wrap_around_correctly() {
    type Weighted8 = Weighted<Eight<OnePassable, Coarse, Octile>>;
    fn tiny<K: Kind, const F: u32>(setup: &Setup) -> Vec<NamedPlanner> {
        with_schedule::<K, Bits8, Ring<F>>(setup, Epsilon::DEFAULT)
    }
    let simulation = Simulation {
        ticks: 3000,
        ..SMALL_WORLDS
    };
    let mut counts = simulation.run(Plain4::terrain(), &tiny::<Plain4, 16>, 40);
    counts += simulation.run(Walled4::terrain(), &tiny::<Walled4, 16>, 40);
    counts += simulation.run(Plain8::terrain(), &tiny::<Plain8, 18>, 40);
    counts += simulation.run(Weighted8::terrain(), &tiny::<Weighted8, 21>, 40);
    assert!(counts.steps > 100_000, "{counts:?}");
}

type Build<'b> = &'b dyn Fn(&Setup, Epsilon) -> Built;

/// A robot in the corner of a terrain of obstacles, with room around its start and its goal.
fn on_terrain_of(seed: u64, size: u16, terrain: Terrain, schedule: Epsilon, build: Build) -> Robot {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut known = World::square(size, terrain.connectivity);
    for cell in known.cells() {
        let is_corner = cell.x.max(cell.y) < 3 || cell.x.min(cell.y) + 3 >= size;
        if rng.random_bool(0.2) && !is_corner {
            known.block(cell);
        }
        known.observe(Observation::Weight(cell, rng.random_range(1..=9)));
    }
    let ends = (Cell::new(0, 0), Cell::new(size - 1, size - 1));
    let planner = build(&Setup::new(&known, ends.0, ends.1), schedule).expect("the map fits");
    Robot::alone(planner, Guarantee::Anytime, &known, ends)
}

fn on_terrain(seed: u64, size: u16, schedule: Epsilon) -> Robot {
    let build = &anytime_dstar::<Weighted8, Bits32, u128, AsFree>;
    on_terrain_of(seed, size, Weighted8::terrain(), schedule, build)
}

/// A robot in the corner of a world of 8 by 8 cells, with a planner of 8 bits.
fn in_tiny_world(known: &World, goal: Cell, schedule: Epsilon) -> Robot {
    let start = Cell::new(0, 0);
    let setup = Setup::new(known, start, goal);
    let planner = anytime_dstar::<Plain4, Bits8, Ring<16>, AsFree>(&setup, schedule);
    let planner = planner.expect("the map fits");
    Robot::alone(planner, Guarantee::Anytime, known, (start, goal))
}

#[test]
fn a_path_is_found_although_detours_exceed_the_cost_width() {
    type Modestly = ModestKind<Weighted4>;
    for seed in 0..30 {
        let build = &anytime_dstar::<Modestly, Cheap, u64, AsFree>;
        let mut robot = on_terrain_of(seed, 30, Modestly::terrain(), COARSE, build);
        let decision = robot.tick(Budget::UNLIMITED);
        assert!(matches!(decision, Ok(Decision::Step(_))), "{decision:?}");
        assert_eq!(robot.planner().report().epsilon, Some(10), "seed {seed}");
    }
}

#[test]
fn keys_stay_valid_while_the_robot_moves_without_a_budget() {
    let known = World::square(8, Connectivity::Four);
    let mut robot = in_tiny_world(&known, Cell::new(7, 7), Epsilon::DEFAULT);
    for n in 0..1000 {
        robot.go(Cell::new(n % 2, 0));
        robot.tick(Budget::limit(0)).unwrap();
    }
    robot.tick_to_the_end(Budget::limit(3)).unwrap();
    assert_eq!(robot.planner().report().epsilon, Some(10));
}

#[test]
fn a_closed_cell_is_expanded_again_when_iteration_numbers_wrap_around() {
    let mut known = World::square(8, Connectivity::Four);
    for y in 0..7 {
        known.block(Cell::new(4, y));
    }
    let mut robot = in_tiny_world(&known, Cell::new(7, 0), EXACT);
    robot.tick(Budget::UNLIMITED).unwrap();
    // Each time a cost falls an iteration ends, and there are 255 numbers.
    let [elsewhere, shortcut] = [Cell::new(7, 7), Cell::new(4, 0)];
    for _ in 0..254 {
        for state in [Occupancy::Blocked, Occupancy::Free] {
            robot.observe(Observation::Cell(elsewhere, state)).unwrap();
        }
    }
    let free = Observation::Cell(shortcut, Occupancy::Free);
    robot.observe(free).unwrap();
    robot.tick(Budget::UNLIMITED).unwrap();
    assert_eq!(robot.planner().report().path_cost, Some(Some(7)));
}

#[test]
fn no_cell_is_expanded_twice_in_an_iteration() {
    for seed in 0..50 {
        let mut robot = on_terrain(seed, 40, CONSTANT);
        let decision = robot.tick(Budget::UNLIMITED);
        assert!(matches!(decision, Ok(Decision::Step(_))), "{decision:?}");
        let (planner, cells) = (robot.planner(), robot.known.cells());
        let expanded = cells.filter(|&cell| planner.is_expanded(cell));
        let expansions = planner.stats().total.expansions;
        assert_eq!(expansions, expanded.count() as u64, "seed {seed}");
    }
}

#[test]
fn a_robot_on_a_path_never_waits_while_epsilon_falls() {
    for seed in 0..10 {
        let mut robot = on_terrain(seed, 60, Epsilon::DEFAULT);
        let few = Budget::limit(8);
        while robot.tick(few) == Ok(Decision::Wait) {}
        let (first, mut best, mut busy) = (robot.planner().report().target, u32::MAX, 0);
        // The robot itself takes it for a mistake when the planner waits now.
        while robot.decision.is_some() {
            robot.follow();
            robot.tick(few).unwrap();
            busy += u32::from(is_used_up(robot.planner().stats().last_tick, few));
            best = best.min(robot.planner().report().target);
        }
        assert_eq!(robot.tick(few), Ok(Decision::Arrived), "seed {seed}");
        assert!(
            best < first && busy > 10,
            "seed {seed}: {best} after {first}, {busy} busy"
        );
    }
}

#[test]
fn rekeying_is_charged_and_spread_over_ticks() {
    let mut robot = on_terrain(1, 60, Epsilon::DEFAULT);
    let (mut ticks, mut renewing) = (0, 0);
    while robot.planner().report().epsilon != Some(10) {
        robot.tick(Budget::limit(2)).unwrap();
        renewing += u32::from(robot.planner().stats().last_tick.requeues == 8);
        ticks += 1;
        assert!(ticks < 10_000);
    }
    assert!(renewing > 10, "{renewing} of {ticks} ticks");
}

#[test]
fn epsilon_rises_while_a_change_is_not_repaired_and_falls_afterwards() {
    let mut robot = on_terrain(2, 30, Epsilon::DEFAULT);
    let epsilons = |robot: &Robot| {
        let claims = robot.planner().report();
        (claims.epsilon, claims.target)
    };
    assert_eq!(robot.planner().report().target, 30);
    robot.tick(Budget::UNLIMITED).unwrap();
    assert_eq!(epsilons(&robot), (Some(10), 10));

    let ahead = robot.path()[0];
    let blocked = Observation::Cell(ahead, Occupancy::Blocked);
    robot.observe(blocked).unwrap();
    for tick in 0..30 {
        assert_eq!(robot.tick(Budget::limit(0)), Ok(Decision::Wait));
        assert_eq!(epsilons(&robot), (None, (10 + tick).min(30)));
    }
    robot.tick(Budget::UNLIMITED).unwrap();
    assert_eq!(epsilons(&robot), (Some(10), 10));
}

#[test]
fn epsilon_falls_from_three_to_one_by_halves() {
    let mut robot = on_terrain(7, 40, Epsilon::DEFAULT);
    let mut targets = vec![robot.planner().report().target];
    while robot.planner().report().epsilon != Some(10) {
        robot.tick(Budget::limit(8)).unwrap();
        targets.push(robot.planner().report().target);
    }
    targets.dedup();
    assert_eq!(targets, [30, 25, 20, 15, 10]);
}

#[test]
fn a_map_that_changes_in_every_tick_does_not_keep_it_from_showing_paths() {
    let mut robot = on_terrain(5, 40, Epsilon::DEFAULT);
    let mut steps = 0;
    for n in 0..200 {
        let state = [Occupancy::Blocked, Occupancy::Free][n % 2];
        let corner = Observation::Cell(Cell::new(39, 0), state);
        robot.observe(corner).unwrap();
        robot.tick(Budget::limit(100)).unwrap();
        steps += u32::from(robot.decision.is_some());
    }
    assert!(steps > 100, "{steps}");
}

#[test]
fn epsilon_does_not_rise_when_nothing_has_changed() {
    let low = Epsilon {
        start: 20,
        ..Epsilon::DEFAULT
    };
    let mut robot = on_terrain(3, 30, low);
    for _ in 0..9 {
        assert_eq!(robot.tick(Budget::limit(1)), Ok(Decision::Wait));
        assert_eq!(robot.planner().report().target, 20);
    }
}

#[test]
fn a_new_goal_starts_with_the_first_epsilon() {
    let mut robot = on_terrain(4, 30, Epsilon::DEFAULT);
    robot.tick(Budget::UNLIMITED).unwrap();
    assert_eq!(robot.planner().report().target, 10);
    robot.set_goals(&[Cell::new(29, 0)]).unwrap();
    assert_eq!(robot.tick(Budget::limit(1)), Ok(Decision::Wait));
    assert_eq!(robot.planner().report().target, 30);
}

#[test]
fn maps_that_do_not_fit_are_refused() {
    let known = World::square(8, Connectivity::Four);
    let start = Cell::new(0, 0);
    let build = |entries, nodes, goal| {
        let setup = Setup::new(&known, start, goal);
        build::anytime_in::<Plain4>(&setup, entries, nodes).err()
    };
    let (needed, given) = (72, 64);
    let short = Some(BuildError::TooLittleMemory { needed, given });
    assert_eq!(build(5, 5, start), None);
    assert_eq!(build(4, 5, start), short);
    assert_eq!(build(5, 4, start), short);
    let outside = build(5, 5, Cell::new(8, 0));
    assert!(matches!(outside, Some(BuildError::OffMap(_))));

    let setup = Setup::new(&known, start, start);
    let coarse = anytime_dstar::<Plain4, Bits16, Ring<15>, AsFree>(&setup, Epsilon::DEFAULT);
    // A quarter of half the circle, less twice 3.0 times the heuristic across the map, in tenths; a
    // third of that, because a path may be three times as long as the shortest.
    let room = (2048 - 2 * 30 * 16 - 1) / 10;
    let (longest, limit) = (48, (room - 1) * 10 / 30);
    assert_eq!(coarse.err(), Some(BuildError::TooCostly { longest, limit }));
}

#[test]
fn an_invalid_epsilon_schedule_means_exact_search() {
    let schedule = Epsilon {
        start: 0,
        step_down: 255,
        step_up: 255,
        maximum: 3,
    };
    assert_eq!(schedule.first(), 10);
    assert_eq!(schedule.lowered(10), 10);
    assert_eq!(schedule.raised(10), 10);
}

#[test]
fn a_cell_takes_sixteen_bytes_at_sixteen_bits_and_twice_that_at_thirty_two() {
    let narrow = size_of::<AnytimeNode<Bits16>>() + size_of::<u64>();
    let wide = size_of::<AnytimeNode<Bits32>>() + size_of::<u128>();
    assert_eq!((narrow, wide), (16, 32));
}
