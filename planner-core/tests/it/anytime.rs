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
    build::{self, Built, Kind, Member, Setup, Weighted, anytime_dstar},
    is_used_up,
    robot::{Counts, Promise, Robot},
    script::play,
    terrains::{Plain4, Plain8, Walled4, Weighted4, Weighted8},
    tiny::{Bits8, Cheap, ModestKind, Ring},
    tour::Tour,
    world::{Field, Ground, Unknown, World},
};

/// From far above, in long strides.
const STEEP: Epsilon = Epsilon {
    start: 255,
    step_down: 61,
    step_up: 7,
    maximum: 255,
};

/// Never lowered.
const FLAT: Epsilon = Epsilon {
    step_down: 0,
    ..Epsilon::DEFAULT
};

/// Never above one.
const EXACT: Epsilon = Epsilon {
    maximum: 10,
    ..Epsilon::DEFAULT
};

/// Small worlds, and too little time to plan.
const LIFE: Tour = Tour {
    promise: Promise::Anytime,
    size: 8,
    ticks: 300,
    limit: Some(16),
};

/// A planner alone, or none where the map is too large or too costly for its width.
fn with_schedule<K: Kind, W: Width, E: Entry + Holds<W> + 'static>(
    setup: &Setup,
    schedule: Epsilon,
) -> Vec<Member> {
    let built = match setup.known.unknown {
        Unknown::AsFree => anytime_dstar::<K, W, E, AsFree>(setup, schedule),
        Unknown::AsBlocked => anytime_dstar::<K, Bits32, u128, AsBlocked>(setup, schedule),
    };
    let name = "Anytime D*";
    match built {
        Ok(planner) => vec![Member { name, planner }],
        Err(BuildError::TooCostly { .. } | BuildError::TooManyCells { .. }) => Vec::new(),
        Err(other) => panic!("{other}"),
    }
}

fn narrow<K: Kind>(setup: &Setup) -> Vec<Member> {
    with_schedule::<K, Bits16, u64>(setup, Epsilon::DEFAULT)
}

fn wide<K: Kind>(setup: &Setup) -> Vec<Member> {
    with_schedule::<K, Bits32, u128>(setup, STEEP)
}

fn exact<K: Kind>(setup: &Setup) -> Vec<Member> {
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
        play(K::field(), &narrow::<K>, 600, false);
        play(K::field(), &wide::<K>, 600, false);
        Tour::shortest(300, None).make(K::field(), &narrow::<K>, 2);
        Tour::shortest(300, None).make(K::field(), &wide::<K>, 2);
    });
}

#[test]
fn interrupted_every_step_proven_to_be_on_a_shortest_path_is() {
    on_all_terrains!(K => {
        play(K::field(), &narrow::<K>, 600, true);
        play(K::field(), &wide::<K>, 600, true);
        Tour::shortest(300, Some(40)).make(K::field(), &narrow::<K>, 2);
        Tour::shortest(300, Some(40)).make(K::field(), &wide::<K>, 2);
    });
}

#[test]
fn with_an_epsilon_of_one_every_step_is_on_a_shortest_path() {
    on_all_terrains!(K => {
        play(K::field(), &exact::<K>, 400, true);
        Tour::shortest(300, Some(40)).make(K::field(), &exact::<K>, 2);
        let counts = LIFE.make(K::field(), &exact::<K>, 20);
        assert_eq!((counts.unproven, counts.longer), (0, 0));
    });
}

#[test]
fn interrupted_it_shows_complete_paths_as_short_as_it_claims() {
    let (medium, large) = (Tour { size: 14, ..LIFE }, Tour { size: 30, ..LIFE });
    let mut counts = Counts::default();
    on_all_terrains!(K => {
        let flat = |setup: &Setup| with_schedule::<K, Bits16, u64>(setup, FLAT);
        counts += LIFE.make(K::field(), &narrow::<K>, 100);
        counts += large.make(K::field(), &wide::<K>, 20);
        counts += medium.make(K::field(), &wide::<K>, 50);
        counts += medium.make(K::field(), &flat, 50);
    });
    assert!(counts.unproven < counts.steps / 20, "{counts:?}");
    assert!(counts.longer > counts.steps / 50, "{counts:?}");
}

#[test]
fn counters_wrap_around_without_harm() {
    type Weighted8 = Weighted<Eight<OnePassable, Coarse, Octile>>;
    fn tiny<K: Kind, const F: u32>(setup: &Setup) -> Vec<Member> {
        with_schedule::<K, Bits8, Ring<F>>(setup, Epsilon::DEFAULT)
    }
    let tour = Tour {
        ticks: 3000,
        ..LIFE
    };
    let mut counts = tour.make(Plain4::field(), &tiny::<Plain4, 16>, 40);
    counts += tour.make(Walled4::field(), &tiny::<Walled4, 16>, 40);
    counts += tour.make(Plain8::field(), &tiny::<Plain8, 18>, 40);
    counts += tour.make(Weighted8::field(), &tiny::<Weighted8, 21>, 40);
    assert!(counts.steps > 100_000, "{counts:?}");
}

type Build<'b> = &'b dyn Fn(&Setup, Epsilon) -> Built;

/// A robot in the corner of a field of obstacles, with room around its start and its goal.
fn in_field_of(seed: u64, size: u16, field: Field, schedule: Epsilon, build: Build) -> Robot {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut known = World::square(size, field.ground);
    for cell in known.cells() {
        let is_corner = cell.x.max(cell.y) < 3 || cell.x.min(cell.y) + 3 >= size;
        if rng.random_bool(0.2) && !is_corner {
            known.block(cell);
        }
        known.observe(Observation::Weight(cell, rng.random_range(1..=9)));
    }
    let ends = (Cell::new(0, 0), Cell::new(size - 1, size - 1));
    let planner = build(&Setup::new(&known, ends.0, ends.1), schedule).expect("the map fits");
    Robot::alone(planner, Promise::Anytime, &known, ends)
}

fn in_field(seed: u64, size: u16, schedule: Epsilon) -> Robot {
    let build = &anytime_dstar::<Weighted8, Bits32, u128, AsFree>;
    in_field_of(seed, size, Weighted8::field(), schedule, build)
}

/// A robot in the corner of a world of 8 by 8 cells, with a planner of 8 bits.
fn in_tiny_world(known: &World, goal: Cell, schedule: Epsilon) -> Robot {
    let start = Cell::new(0, 0);
    let setup = Setup::new(known, start, goal);
    let planner = anytime_dstar::<Plain4, Bits8, Ring<16>, AsFree>(&setup, schedule);
    let planner = planner.expect("the map fits");
    Robot::alone(planner, Promise::Anytime, known, (start, goal))
}

#[test]
fn a_detour_that_costs_more_than_costs_can_hold_is_no_reason_to_give_up() {
    type Modestly = ModestKind<Weighted4>;
    for seed in 0..30 {
        let build = &anytime_dstar::<Modestly, Cheap, u64, AsFree>;
        let mut robot = in_field_of(seed, 30, Modestly::field(), STEEP, build);
        let decision = robot.tick(Budget::UNLIMITED);
        assert!(matches!(decision, Ok(Decision::Step(_))), "{decision:?}");
        assert_eq!(robot.planner().claims().epsilon, Some(10), "seed {seed}");
    }
}

#[test]
fn a_robot_that_paces_without_a_budget_outdates_no_key_beyond_recall() {
    let known = World::square(8, Ground::Four);
    let mut robot = in_tiny_world(&known, Cell::new(7, 7), Epsilon::DEFAULT);
    for n in 0..1000 {
        robot.go(Cell::new(n % 2, 0));
        robot.tick(Budget::limit(0)).unwrap();
    }
    robot.tick_to_the_end(Budget::limit(3)).unwrap();
    assert_eq!(robot.planner().claims().epsilon, Some(10));
}

#[test]
fn a_closed_cell_is_expanded_again_when_iteration_numbers_wrap_around() {
    let mut known = World::square(8, Ground::Four);
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
    assert_eq!(robot.planner().claims().path_cost, Some(Some(7)));
}

#[test]
fn no_cell_is_expanded_twice_in_an_iteration() {
    for seed in 0..50 {
        let mut robot = in_field(seed, 40, FLAT);
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
        let mut robot = in_field(seed, 60, Epsilon::DEFAULT);
        let few = Budget::limit(8);
        while robot.tick(few) == Ok(Decision::Wait) {}
        let (first, mut best, mut busy) = (robot.planner().claims().target, u32::MAX, 0);
        // The robot itself takes it for a mistake when the planner waits now.
        while robot.advice.is_some() {
            robot.follow();
            robot.tick(few).unwrap();
            busy += u32::from(is_used_up(robot.planner().stats().last_tick, few));
            best = best.min(robot.planner().claims().target);
        }
        assert_eq!(robot.tick(few), Ok(Decision::Arrived), "seed {seed}");
        assert!(
            best < first && busy > 10,
            "seed {seed}: {best} after {first}, {busy} busy"
        );
    }
}

#[test]
fn renewing_keys_is_paid_for_and_spread_over_ticks() {
    let mut robot = in_field(1, 60, Epsilon::DEFAULT);
    let (mut ticks, mut renewing) = (0, 0);
    while robot.planner().claims().epsilon != Some(10) {
        robot.tick(Budget::limit(2)).unwrap();
        renewing += u32::from(robot.planner().stats().last_tick.requeues == 8);
        ticks += 1;
        assert!(ticks < 10_000);
    }
    assert!(renewing > 10, "{renewing} of {ticks} ticks");
}

#[test]
fn epsilon_rises_while_a_change_is_not_repaired_and_falls_afterwards() {
    let mut robot = in_field(2, 30, Epsilon::DEFAULT);
    let epsilons = |robot: &Robot| {
        let claims = robot.planner().claims();
        (claims.epsilon, claims.target)
    };
    assert_eq!(robot.planner().claims().target, 30);
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
    let mut robot = in_field(7, 40, Epsilon::DEFAULT);
    let mut targets = vec![robot.planner().claims().target];
    while robot.planner().claims().epsilon != Some(10) {
        robot.tick(Budget::limit(8)).unwrap();
        targets.push(robot.planner().claims().target);
    }
    targets.dedup();
    assert_eq!(targets, [30, 25, 20, 15, 10]);
}

#[test]
fn a_map_that_changes_in_every_tick_does_not_keep_it_from_showing_paths() {
    let mut robot = in_field(5, 40, Epsilon::DEFAULT);
    let mut steps = 0;
    for n in 0..200 {
        let state = [Occupancy::Blocked, Occupancy::Free][n % 2];
        let corner = Observation::Cell(Cell::new(39, 0), state);
        robot.observe(corner).unwrap();
        robot.tick(Budget::limit(100)).unwrap();
        steps += u32::from(robot.advice.is_some());
    }
    assert!(steps > 100, "{steps}");
}

#[test]
fn epsilon_does_not_rise_when_nothing_has_changed() {
    let low = Epsilon {
        start: 20,
        ..Epsilon::DEFAULT
    };
    let mut robot = in_field(3, 30, low);
    for _ in 0..9 {
        assert_eq!(robot.tick(Budget::limit(1)), Ok(Decision::Wait));
        assert_eq!(robot.planner().claims().target, 20);
    }
}

#[test]
fn a_new_goal_starts_with_the_first_epsilon() {
    let mut robot = in_field(4, 30, Epsilon::DEFAULT);
    robot.tick(Budget::UNLIMITED).unwrap();
    assert_eq!(robot.planner().claims().target, 10);
    robot.set_goals(&[Cell::new(29, 0)]).unwrap();
    assert_eq!(robot.tick(Budget::limit(1)), Ok(Decision::Wait));
    assert_eq!(robot.planner().claims().target, 30);
}

#[test]
fn maps_that_do_not_fit_are_refused() {
    let known = World::square(8, Ground::Four);
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
fn a_schedule_without_sense_is_one_of_exact_search() {
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
