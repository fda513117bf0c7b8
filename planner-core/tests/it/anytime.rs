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
use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{self, Built, Kind, Member, Setup, Weighted, anytime_dstar},
    is_used_up,
    robot::{Counts, Promise, Robot},
    script::play,
    terrains::{Plain4, Plain8, Walled4, Weighted4, Weighted8},
    tiny::{Bits8, Cheap, ModestKind, Ring},
    tour::tour,
    world::{Field, Ground, Unknown, World, blocked_with},
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

/// A planner alone, or none where the map is too costly for its width.
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
        Err(BuildError::TooCostly { .. }) => Vec::new(),
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
        tour(K::field(), &narrow::<K>, 2, 300, None);
        tour(K::field(), &wide::<K>, 2, 300, None);
    });
}

#[test]
fn interrupted_every_step_proven_to_be_on_a_shortest_path_is() {
    on_all_terrains!(K => {
        play(K::field(), &narrow::<K>, 600, true);
        play(K::field(), &wide::<K>, 600, true);
        tour(K::field(), &narrow::<K>, 2, 300, Some(40));
        tour(K::field(), &wide::<K>, 2, 300, Some(40));
    });
}

#[test]
fn with_an_epsilon_of_one_every_step_is_on_a_shortest_path() {
    on_all_terrains!(K => {
        play(K::field(), &exact::<K>, 400, true);
        tour(K::field(), &exact::<K>, 2, 300, Some(40));
        let counts = LIFE.live(K::field(), EXACT, 20, &anytime_dstar::<K, Bits32, u128, AsFree>);
        assert_eq!((counts.unproven, counts.longer), (0, 0));
    });
}

/// Random walks in random, changing worlds with too little time to plan.
#[derive(Clone, Copy, Debug)]
struct Life {
    /// The largest width and height.
    size: u16,
    ticks: u32,
}

const LIFE: Life = Life {
    size: 8,
    ticks: 300,
};

type Build<'b> = &'b dyn Fn(&Setup, Epsilon) -> Built;

impl Life {
    /// Checks every decision on the walks of `seeds`; the map must fit the planner's width, or none does.
    fn live(self, field: Field, schedule: Epsilon, seeds: u64, build: Build) -> Counts {
        let mut counts = Counts::default();
        for seed in 0..seeds {
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            match self.live_one(rng, field, schedule, build) {
                Ok(lived) => counts += lived,
                Err(failure) => panic!("{}, seed {seed}, {self:?}, {failure}", field.name),
            }
        }
        counts
    }

    fn live_one(
        self,
        rng: &mut ChaCha8Rng,
        field: Field,
        schedule: Epsilon,
        build: Build,
    ) -> Result<Counts, String> {
        let [width, height] = [(); 2].map(|()| rng.random_range(2..=self.size));
        let mut known = World::new(width, height, field.ground, Unknown::AsFree);
        let density = rng.random_range(0.0..0.35);
        known.fill(|| blocked_with(rng, density));
        let ends = (known.random_cell(rng), known.random_cell(rng));
        let planner = match build(&Setup::new(&known, ends.0, ends.1), schedule) {
            Err(BuildError::TooCostly { .. } | BuildError::TooManyCells { .. }) => {
                return Ok(Counts::default());
            }
            built => built.map_err(|error| error.to_string())?,
        };
        let robot = &mut Robot::alone(planner, Promise::Anytime, &known, ends);
        let mut is_stuck = false;
        for tick in 0..self.ticks {
            // Spells in which nothing changes, and spells in which much does.
            let is_calm = tick / 25 % 2 == 1;
            let lived = live_tick(rng, robot, is_calm, is_stuck, field.weighted);
            is_stuck = lived.map_err(|error| format!("tick {tick}: {error}"))?;
        }
        let lowest = (0..u8::MAX).fold(u8::MAX, |now, _| schedule.lowered(now));
        finish(robot, lowest)?;
        Ok(robot.counts)
    }
}

/// One tick after some random events; `true` when there is no path.
fn live_tick(
    rng: &mut ChaCha8Rng,
    robot: &mut Robot,
    is_calm: bool,
    is_stuck: bool,
    weighted: bool,
) -> Result<bool, String> {
    if (!is_calm || is_stuck) && rng.random_bool(if is_stuck { 0.8 } else { 0.3 }) {
        for _ in 0..rng.random_range(1..4) {
            robot.observe(observation(rng, robot, is_stuck, weighted))?;
            robot.audit()?;
        }
    }
    if rng.random_bool(if is_calm { 0.005 } else { 0.03 }) || robot.goals.contains(&robot.at) {
        robot.set_goals(&[robot.known.random_passable(rng)])?;
        robot.audit()?;
    }
    if rng.random_bool(0.02) {
        robot.go(robot.known.random_passable(rng));
    } else if rng.random_bool(0.1)
        && let Some(&cell) = robot.known.steps(robot.at).choose(rng)
    {
        robot.go(cell);
    }
    let decision = robot.tick(match rng.random_range(0..20) {
        0 => Budget::UNLIMITED,
        1 => Budget::limit(0),
        n if n < 12 => Budget::limit(rng.random_range(1..9)),
        _ => Budget::limit(rng.random_range(0..16)),
    })?;
    robot.audit()?;
    if rng.random_bool(0.8) {
        robot.follow();
    }
    Ok(decision == Decision::Unreachable)
}

/// Something anywhere, or where it matters.
fn observation(rng: &mut ChaCha8Rng, robot: &Robot, is_stuck: bool, weighted: bool) -> Observation {
    let state = blocked_with(rng, if is_stuck { 0.1 } else { 0.5 });
    let path = robot.planner().path();
    let cell = match (rng.random_range(0..10), path.choose(rng)) {
        (0..4, Some(&ahead)) => ahead,
        (4, _) if is_stuck => robot.at,
        (5, _) if is_stuck => robot.goals[0],
        _ => robot.known.random_cell(rng),
    };
    match weighted && rng.random_bool(0.5) {
        true => Observation::Weight(cell, rng.random_range(1..=9)),
        false => *robot
            .known
            .states(cell, state)
            .choose(rng)
            .expect("one at least"),
    }
}

/// Ticks until the path is proven to be as short as `epsilon` says, or there is none.
fn finish(robot: &mut Robot, epsilon: u8) -> Result<(), String> {
    for _ in 0..1_000_000 {
        match robot.tick(Budget::limit(3))? {
            Decision::Wait => (),
            Decision::Step(_) if robot.planner().claims().epsilon > Some(epsilon.into()) => (),
            Decision::Step(_) if robot.planner().claims().epsilon.is_none() => (),
            _ => return Ok(()),
        }
    }
    Err("does not finish".into())
}

#[test]
fn interrupted_it_shows_complete_paths_as_short_as_it_claims() {
    let (medium, large) = (Life { size: 14, ..LIFE }, Life { size: 30, ..LIFE });
    let mut counts = Counts::default();
    on_all_terrains!(K => {
        let (narrow, wide) = (&anytime_dstar::<K, Bits16, u64, AsFree>, &anytime_dstar::<K, Bits32, u128, AsFree>);
        counts += LIFE.live(K::field(), Epsilon::DEFAULT, 100, narrow);
        counts += large.live(K::field(), Epsilon::DEFAULT, 20, wide);
        counts += medium.live(K::field(), STEEP, 50, wide);
        counts += medium.live(K::field(), FLAT, 50, narrow);
    });
    assert!(counts.unproven < counts.steps / 20, "{counts:?}");
    assert!(counts.longer > counts.steps / 50, "{counts:?}");
}

#[test]
fn counters_wrap_around_without_harm() {
    let life = Life {
        ticks: 3000,
        ..LIFE
    };
    type Weighted8 = Weighted<Eight<OnePassable, Coarse, Octile>>;
    let mut counts = Counts::default();
    let mut live = |field, build: Build| counts += life.live(field, Epsilon::DEFAULT, 40, build);
    live(
        Plain4::field(),
        &anytime_dstar::<Plain4, Bits8, Ring<16>, AsFree>,
    );
    live(
        Walled4::field(),
        &anytime_dstar::<Walled4, Bits8, Ring<16>, AsFree>,
    );
    live(
        Plain8::field(),
        &anytime_dstar::<Plain8, Bits8, Ring<18>, AsFree>,
    );
    live(
        Weighted8::field(),
        &anytime_dstar::<Weighted8, Bits8, Ring<21>, AsFree>,
    );
    assert!(counts.steps > 100_000, "{counts:?}");
}

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
        let decision = robot.tick(Budget::UNLIMITED).unwrap();
        assert!(
            matches!(decision, Decision::Step(_)),
            "seed {seed}: {decision:?}"
        );
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
    finish(&mut robot, 10).unwrap();
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
    robot
        .observe(Observation::Cell(shortcut, Occupancy::Free))
        .unwrap();
    robot.tick(Budget::UNLIMITED).unwrap();
    assert_eq!(robot.planner().claims().path_cost, Some(Some(7)));
}

#[test]
fn no_cell_is_expanded_twice_in_an_iteration() {
    for seed in 0..50 {
        let mut robot = in_field(seed, 40, FLAT);
        let decision = robot.tick(Budget::UNLIMITED).unwrap();
        assert!(
            matches!(decision, Decision::Step(_)),
            "seed {seed}: {decision:?}"
        );
        let planner = robot.planner();
        let expanded = robot
            .known
            .cells()
            .filter(|&cell| planner.is_expanded(cell));
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
            let ticked = robot.tick(few);
            ticked.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
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
        (
            robot.planner().claims().epsilon,
            robot.planner().claims().target,
        )
    };
    assert_eq!(robot.planner().claims().target, 30);
    robot.tick(Budget::UNLIMITED).unwrap();
    assert_eq!(epsilons(&robot), (Some(10), 10));

    let ahead = robot.planner().path()[0];
    robot
        .observe(Observation::Cell(ahead, Occupancy::Blocked))
        .unwrap();
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
        robot
            .observe(Observation::Cell(Cell::new(39, 0), state))
            .unwrap();
        steps += u32::from(matches!(
            robot.tick(Budget::limit(100)),
            Ok(Decision::Step(_))
        ));
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
        build::anytime_in::<Plain4>(&setup, entries, nodes, Epsilon::DEFAULT).err()
    };
    let short = Some(BuildError::TooLittleMemory {
        needed: 72,
        given: 64,
    });
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
    let limit = (room - 1) * 10 / 30;
    assert_eq!(
        coarse.err(),
        Some(BuildError::TooCostly { longest: 48, limit })
    );
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
