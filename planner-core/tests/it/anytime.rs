//! Anytime D*: every path that it shows is complete and as short as it claims, and a tick does no
//! more than it may.
//!
//! The worlds, and the plain Dijkstra that answers are compared with, are the tests' own.

mod rover;
mod subject;
mod tiny;

use self::{
    rover::{Life, Rover, Tally},
    subject::{Exact, Narrow, STEEP, Wide, with},
    tiny::{Bits8, Cheap, ModestKind, Ring},
};
use crate::common::{
    fleet::{Fleet, Setup},
    is_used_up, is_within,
    kind::{Kind, Plain, Walled, Weighted},
    maze::MazeExplorer,
    runner,
    script::scripts,
    world::{Ground, World},
};
use planner_core::{
    Budget, BuildError, Cell, Decision, Observation, Side, Work,
    map::{Occupancy, Unknown},
    queue::{Entry, Holds},
    search::{AnytimeDStar, AnytimeNode, Epsilon, GlobalSearch, Progress},
    terrain::{
        Cells, Change, Coarse, CutCorners, Eight, Fine, Four, Manhattan, MaxNorm, NeverCut, Octile,
        OneOpen, Uniform, Zero,
    },
    width::{Bits16, Bits32, Width},
};
use proptest::test_runner::TestCaseError;
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

/// Calls a function for all kinds of terrain.
macro_rules! on_all_terrains {
    ($call:ident::<$($first:ty),+>($($argument:expr),*)) => {
        $call::<$($first),+, Plain<Four<Manhattan>>>($($argument),*);
        $call::<$($first),+, Plain<Four<Zero>>>($($argument),*);
        $call::<$($first),+, Weighted<Four<MaxNorm>>>($($argument),*);
        $call::<$($first),+, Weighted<Four<Manhattan>>>($($argument),*);
        $call::<$($first),+, Plain<Eight<NeverCut, Fine, Octile>>>($($argument),*);
        $call::<$($first),+, Plain<Eight<OneOpen, Coarse, Octile>>>($($argument),*);
        $call::<$($first),+, Weighted<Eight<NeverCut, Coarse, Octile>>>($($argument),*);
        $call::<$($first),+, Weighted<Eight<CutCorners, Fine, MaxNorm>>>($($argument),*);
        $call::<$($first),+, Walled<Manhattan>>($($argument),*);
    };
}

/// Plays random scripts in small worlds.
fn play<F: Fleet, K: Kind>(cases: u32, interrupted: bool) {
    let outcome = runner(cases).run(&scripts::<K>(60, interrupted), |script| {
        script.play::<F, K>().map_err(TestCaseError::fail)
    });
    if let Err(failure) = outcome {
        panic!("{}: {failure}", std::any::type_name::<K>());
    }
}

/// Makes long tours of larger mazes.
fn explore<F: Fleet, K: Kind>(seeds: u64, limit: Option<u32>) {
    let tour = MazeExplorer {
        size: 40,
        rounds: 300,
        limit,
    };
    for seed in 0..seeds {
        if let Err(failure) = tour.make::<F, K>(seed) {
            panic!("{}: {failure}", std::any::type_name::<K>());
        }
    }
}

#[test]
fn with_time_to_finish_every_step_is_on_a_shortest_path() {
    on_all_terrains!(play::<Narrow>(600, false));
    on_all_terrains!(play::<Wide>(600, false));
    on_all_terrains!(explore::<Narrow>(2, None));
    on_all_terrains!(explore::<Wide>(2, None));
}

#[test]
fn interrupted_every_step_proven_to_be_on_a_shortest_path_is() {
    on_all_terrains!(play::<Narrow>(600, true));
    on_all_terrains!(play::<Wide>(600, true));
    on_all_terrains!(explore::<Narrow>(2, Some(40)));
    on_all_terrains!(explore::<Wide>(2, Some(40)));
}

#[test]
fn with_an_epsilon_of_one_every_step_is_on_a_shortest_path() {
    on_all_terrains!(play::<Exact>(400, true));
    on_all_terrains!(explore::<Exact>(2, Some(40)));
}

/// Lives random lives, which check every answer, and counts what happened in them.
fn live<W: Width, E: Entry + Holds<W>, K: Kind>(seeds: u64, life: Life, tally: &mut Tally) {
    life.live::<W, E, K>(seeds, tally);
}

/// Never lowered.
const FLAT: Epsilon = Epsilon {
    step_down: 0,
    ..Epsilon::DEFAULT
};

/// Short lives in small worlds.
const LIFE: Life = Life {
    size: 8,
    rounds: 300,
    schedule: Epsilon::DEFAULT,
};

#[test]
fn interrupted_it_shows_complete_paths_as_short_as_it_claims() {
    let tally = &mut Tally::default();
    let steep = Life {
        size: 14,
        schedule: STEEP,
        ..LIFE
    };
    let flat = Life {
        size: 14,
        schedule: FLAT,
        ..LIFE
    };
    let large = Life { size: 30, ..LIFE };
    on_all_terrains!(live::<Bits16, u64>(100, LIFE, tally));
    on_all_terrains!(live::<Bits32, u128>(20, large, tally));
    on_all_terrains!(live::<Bits32, u128>(50, steep, tally));
    on_all_terrains!(live::<Bits16, u64>(50, flat, tally));
    assert!(tally.unproven < tally.steps / 20, "{tally:?}");
    assert!(tally.longer > tally.steps / 50, "{tally:?}");
}

#[test]
fn counters_that_come_round_again_do_no_harm() {
    let tally = &mut Tally::default();
    let life = Life {
        rounds: 3000,
        ..LIFE
    };
    live::<Bits8, Ring<16>, Plain<Four<Manhattan>>>(40, life, tally);
    live::<Bits8, Ring<16>, Walled<Manhattan>>(40, life, tally);
    live::<Bits8, Ring<18>, Plain<Eight<NeverCut, Coarse, Octile>>>(40, life, tally);
    live::<Bits8, Ring<21>, Weighted<Eight<OneOpen, Coarse, Octile>>>(40, life, tally);
    assert!(tally.steps > 100_000, "{tally:?}");
}

/// Lets a search learn of changes after its map has, in any order, while it searches.
fn learn_late<K: Kind>(seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let size = (rng.random_range(2..9), rng.random_range(2..9));
    let mut known = World::new(size.0, size.1, K::GROUND, Unknown::AsFree);
    let vertices = K::vertices(size.0, size.1);
    let (mut words, mut weights) = (vec![0; K::words(size.0, size.1)], vec![0; vertices]);
    let (mut nodes, mut entries) = (vec![Default::default(); vertices], vec![0; vertices]);
    let terrain = K::terrain(size, &mut words, &mut weights, Unknown::AsFree, 9).unwrap();
    let cell =
        |rng: &mut ChaCha8Rng| Cell::new(rng.random_range(0..size.0), rng.random_range(0..size.1));
    let (mut at, goal) = (cell(&mut rng), cell(&mut rng));
    let schedule = Epsilon::DEFAULT;
    let mut search =
        AnytimeDStar::<Bits16, _, u64>::new(terrain, &mut entries, &mut nodes, at, goal, schedule)
            .unwrap();
    for round in 0..60 {
        let mut late = Vec::new();
        for _ in 0..rng.random_range(0..8) {
            let (place, weight) = (cell(&mut rng), rng.random_range(1..=9));
            let side = [Side::South, Side::West, Side::North, Side::East][rng.random_range(0..4)];
            let fact = [Occupancy::Free, Occupancy::Blocked][rng.random_range(0..2)];
            let seen = match K::GROUND {
                Ground::Walled => Observation::Wall(place, side, fact),
                _ if K::WEIGHTED && rng.random() => Observation::Weight(place, weight),
                _ => Observation::Cell(place, fact),
            };
            known.see(seen);
            late.extend(search.note(seen).unwrap().map(Change::vertex));
            search.advance(Budget::limit(rng.random_range(0..4)), &mut Work::default());
        }
        let is_sweep = rng.random_bool(0.3);
        if is_sweep {
            late = (0..vertices).collect();
        }
        late.shuffle(&mut rng);
        for vertex in late {
            if is_sweep {
                search.refresh(vertex);
            } else {
                search.reconcile(vertex);
            }
            search.advance(Budget::limit(rng.random_range(0..4)), &mut Work::default());
        }
        search.move_to(at).unwrap();
        assert_eq!(search.audit(), Ok(()), "seed {seed}, round {round}");
        let shortest = known.costs_to(&[goal]).of(at).filter(|_| known.is_open(at));
        match search.advance(Budget::limit(rng.random_range(0..20)), &mut Work::default()) {
            _ if at == goal => at = cell(&mut rng),
            Progress::Searching => (),
            Progress::NoPath => {
                assert_eq!(shortest, None, "seed {seed}, round {round}");
                at = cell(&mut rng);
            }
            Progress::Path(next) => {
                let bound = search.epsilon().map_or(u64::MAX, u64::from);
                let distance = search.distance().unwrap() as u64;
                assert!(
                    distance * 10 <= shortest.unwrap().saturating_mul(bound),
                    "{distance} within {bound} of {shortest:?}, seed {seed}, round {round}"
                );
                at = next;
            }
        }
        assert_eq!(search.audit(), Ok(()), "seed {seed}, round {round}");
    }
}

#[test]
fn changes_learned_late_are_taken_in_at_any_point() {
    for seed in 0..400 {
        learn_late::<Plain<Four<Manhattan>>>(seed);
        learn_late::<Weighted<Eight<NeverCut, Coarse, Octile>>>(seed);
        learn_late::<Walled<Manhattan>>(seed);
    }
}

/// A field of rocks, from a seed, with room around the corners where the robot starts and ends.
fn field(seed: u64, size: u16, ground: Ground) -> World {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut world = World::new(size, size, ground, Unknown::AsFree);
    for cell in world.cells() {
        let is_corner = cell.x.max(cell.y) < 3 || cell.x.min(cell.y) + 3 >= size;
        if rng.random_bool(0.2) && !is_corner {
            world.see(Observation::Cell(cell, Occupancy::Blocked));
        }
        world.see(Observation::Weight(cell, rng.random_range(1..=9)));
    }
    world
}

type Meadow = Weighted<Eight<NeverCut, Coarse, Octile>>;

/// Runs something with a robot in the corner of a field, and a planner of some width.
fn in_field_of<K: Kind, W: Width, E: Entry + Holds<W>>(
    seed: u64,
    size: u16,
    schedule: Epsilon,
    run: impl Fn(&mut Rover),
) {
    let known = field(seed, size, K::GROUND);
    let (start, goal) = (Cell::new(0, 0), Cell::new(size - 1, size - 1));
    let setup = Setup {
        known: &known,
        unknown: Unknown::AsFree,
        heaviest: 9,
        start,
        goal,
    };
    let fits = with::<K, W, E>(&setup, schedule, &mut |planner| {
        run(&mut Rover::new(planner, known.clone(), start, goal));
    });
    assert!(fits);
}

fn in_field(seed: u64, size: u16, schedule: Epsilon, run: impl Fn(&mut Rover)) {
    in_field_of::<Meadow, Bits32, u128>(seed, size, schedule, run);
}

#[test]
fn a_detour_that_costs_more_than_costs_can_hold_is_no_reason_to_give_up() {
    type Modestly = ModestKind<Weighted<Four<Manhattan>>>;
    for seed in 0..30 {
        in_field_of::<Modestly, Cheap, u64>(seed, 30, STEEP, |rover| {
            let decision = rover.tick(Budget::UNLIMITED).unwrap();
            assert!(
                matches!(decision, Decision::Step(_)),
                "seed {seed}: {decision:?}"
            );
            assert_eq!(rover.planner.epsilon(), Some(10), "seed {seed}");
        });
    }
}

#[test]
fn a_robot_that_paces_while_its_planner_has_no_time_outdates_no_key_beyond_recall() {
    let known = World::new(8, 8, Ground::Four, Unknown::AsFree);
    let (start, goal) = (Cell::new(0, 0), Cell::new(7, 7));
    let setup = Setup {
        known: &known,
        unknown: Unknown::AsFree,
        heaviest: 1,
        start,
        goal,
    };
    let schedule = Epsilon::DEFAULT;
    with::<Plain<Four<Manhattan>>, Bits8, Ring<16>>(&setup, schedule, &mut |planner| {
        let mut rover = Rover::new(planner, known.clone(), start, goal);
        for n in 0..1000 {
            rover.go(Cell::new(n % 2, 0));
            rover.tick(Budget::limit(0)).unwrap();
        }
        rover.finish(10).unwrap();
    });
}

#[test]
fn what_was_closed_is_open_when_the_number_of_its_iteration_comes_round_again() {
    let mut known = World::new(8, 8, Ground::Four, Unknown::AsFree);
    for y in 0..7 {
        known.see(Observation::Cell(Cell::new(4, y), Occupancy::Blocked));
    }
    let (start, goal) = (Cell::new(0, 0), Cell::new(7, 0));
    let setup = Setup {
        known: &known,
        unknown: Unknown::AsFree,
        heaviest: 1,
        start,
        goal,
    };
    let exact = Epsilon {
        maximum: 10,
        ..Epsilon::DEFAULT
    };
    with::<Plain<Four<Manhattan>>, Bits8, Ring<16>>(&setup, exact, &mut |planner| {
        let mut rover = Rover::new(planner, known.clone(), start, goal);
        rover.tick(Budget::UNLIMITED).unwrap();
        // Each time a cost falls an iteration ends, and there are 255 numbers.
        let [aside, shortcut] = [Cell::new(7, 7), Cell::new(4, 0)];
        for _ in 0..254 {
            rover
                .see(Observation::Cell(aside, Occupancy::Blocked))
                .unwrap();
            rover
                .see(Observation::Cell(aside, Occupancy::Free))
                .unwrap();
        }
        rover
            .see(Observation::Cell(shortcut, Occupancy::Free))
            .unwrap();
        rover.tick(Budget::UNLIMITED).unwrap();
        assert_eq!(rover.planner.found(), Some(Some(7)));
    });
}

#[test]
fn no_cell_is_expanded_twice_in_an_iteration() {
    for seed in 0..50 {
        in_field(seed, 40, FLAT, |rover| {
            let decision = rover.tick(Budget::UNLIMITED).unwrap();
            assert!(
                matches!(decision, Decision::Step(_)),
                "seed {seed}: {decision:?}"
            );
            let cells = (0..40).flat_map(|y| (0..40).map(move |x| Cell::new(x, y)));
            let expanded = cells.filter(|&cell| rover.planner.is_expanded(cell));
            let expansions = rover.planner.stats().total.expansions;
            assert_eq!(expansions, expanded.count() as u64, "seed {seed}");
        });
    }
}

#[test]
fn a_robot_on_a_path_never_waits_while_epsilon_falls() {
    for seed in 0..10 {
        in_field(seed, 60, Epsilon::DEFAULT, |rover| {
            let few = Budget::limit(8);
            while rover.tick(few) == Ok(Decision::Wait) {}
            let (first, mut best, mut busy) = (rover.planner.target(), u32::MAX, 0);
            // The rover itself takes it for a mistake when the planner waits now.
            while let Some(next) = rover.advice {
                rover.go(next);
                rover
                    .tick(few)
                    .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                busy += u32::from(is_used_up(rover.planner.stats().tick, few));
                best = best.min(rover.planner.target());
            }
            assert_eq!(rover.tick(few), Ok(Decision::Arrived), "seed {seed}");
            assert!(
                best < first && busy > 10,
                "seed {seed}: {best} after {first}, {busy} busy"
            );
        });
    }
}

#[test]
fn renewing_keys_is_paid_for_and_spread_over_ticks() {
    const FEW: Budget = Budget::limit(2);
    in_field(1, 60, Epsilon::DEFAULT, |rover| {
        let (mut ticks, mut renewing) = (0, 0);
        while rover.planner.epsilon() != Some(10) {
            rover.tick(FEW).unwrap();
            let work = rover.planner.stats().tick;
            assert!(is_within(work, FEW), "{work:?}");
            renewing += u32::from(work.requeues == 8);
            ticks += 1;
            assert!(ticks < 10_000);
        }
        assert!(renewing > 10, "{renewing} of {ticks} ticks");
    });
}

/// A wall with doors that open and close in every tick, and a goal that moves now and then.
fn most_work(side: u16, limit: u32, ticks: u32) -> Work {
    let mut known = World::new(side, side, Ground::Four, Unknown::AsFree);
    for y in 0..side {
        known.see(Observation::Cell(
            Cell::new(side / 2, y),
            Occupancy::Blocked,
        ));
    }
    let (start, goal) = (Cell::new(0, 0), Cell::new(side - 1, side - 1));
    let setup = Setup {
        known: &known,
        unknown: Unknown::AsFree,
        heaviest: 1,
        start,
        goal,
    };
    let mut most = Work::default();
    with::<Plain<Four<Manhattan>>, Bits32, u128>(&setup, Epsilon::DEFAULT, &mut |planner| {
        let mut at = start;
        for tick in 0..ticks {
            let fact = [Occupancy::Free, Occupancy::Blocked][tick as usize / 40 % 2];
            let door = (tick * 7) as u16 % side;
            let door = Cell::new(side / 2, door);
            planner.observe(Observation::Cell(door, fact)).unwrap();
            if tick % 500 == 499 {
                let goal = [Cell::new(0, side - 1), goal][tick as usize / 500 % 2];
                planner.set_goal(goal).unwrap();
            }
            let budget = Budget::limit(limit);
            match planner.tick(at, budget).unwrap() {
                Decision::Step(next) => at = next,
                Decision::Arrived => at = start,
                Decision::Wait | Decision::Unreachable => {}
            }
            assert!(is_within(planner.stats().tick, budget));
        }
        most = planner.stats().most;
    });
    most
}

#[test]
fn a_tick_keeps_its_bound_on_maps_of_any_size() {
    const LIMIT: u32 = 8;
    const MOVES: u32 = 4;
    const CHANGES: u32 = 1 + 2; // a door, and a new goal counts for two
    for side in [33, 101, 301] {
        let most = most_work(side, LIMIT, 4000);
        println!("{side}: {most:?}");
        assert_eq!((most.expansions, most.requeues), (LIMIT, LIMIT * 4));
        let formula = LIMIT * (MOVES + 1) + CHANGES * (MOVES + 3);
        assert!(most.queue_ops <= formula, "{side}: {most:?}");
    }
}

#[test]
fn epsilon_rises_while_a_change_is_not_repaired_and_falls_afterwards() {
    const NOTHING: Budget = Budget::limit(0);
    in_field(2, 30, Epsilon::DEFAULT, |rover| {
        assert_eq!(rover.planner.target(), 30);
        rover.tick(Budget::UNLIMITED).unwrap();
        assert_eq!(
            (rover.planner.epsilon(), rover.planner.target()),
            (Some(10), 10)
        );

        let ahead = rover.planner.path()[0];
        rover
            .see(Observation::Cell(ahead, Occupancy::Blocked))
            .unwrap();
        for tick in 0..30 {
            assert_eq!(rover.tick(NOTHING), Ok(Decision::Wait));
            assert_eq!(rover.planner.target(), (10 + tick).min(30));
            assert_eq!(rover.planner.epsilon(), None);
        }
        rover.tick(Budget::UNLIMITED).unwrap();
        assert_eq!(
            (rover.planner.epsilon(), rover.planner.target()),
            (Some(10), 10)
        );
    });
}

#[test]
fn epsilon_falls_from_three_to_one_by_halves() {
    in_field(7, 40, Epsilon::DEFAULT, |rover| {
        let mut targets = vec![rover.planner.target()];
        while rover.planner.epsilon() != Some(10) {
            rover.tick(Budget::limit(8)).unwrap();
            targets.push(rover.planner.target());
        }
        targets.dedup();
        assert_eq!(targets, [30, 25, 20, 15, 10]);
    });
}

#[test]
fn a_map_that_changes_in_every_tick_does_not_keep_it_from_showing_paths() {
    const FEW: Budget = Budget::limit(100);
    in_field(5, 40, Epsilon::DEFAULT, |rover| {
        let far = Cell::new(39, 0);
        let mut steps = 0;
        for n in 0..200 {
            let fact = [Occupancy::Blocked, Occupancy::Free][n % 2];
            rover.see(Observation::Cell(far, fact)).unwrap();
            steps += u32::from(matches!(rover.tick(FEW), Ok(Decision::Step(_))));
        }
        assert!(steps > 100, "{steps}");
    });
}

#[test]
fn epsilon_does_not_rise_when_nothing_has_changed() {
    let low = Epsilon {
        start: 20,
        ..Epsilon::DEFAULT
    };
    in_field(3, 30, low, |rover| {
        for _ in 0..9 {
            assert_eq!(rover.tick(Budget::limit(1)), Ok(Decision::Wait));
            assert_eq!(rover.planner.target(), 20);
        }
    });
}

#[test]
fn a_new_goal_starts_with_the_first_epsilon() {
    in_field(4, 30, Epsilon::DEFAULT, |rover| {
        rover.tick(Budget::UNLIMITED).unwrap();
        assert_eq!(rover.planner.target(), 10);
        rover.set_goal(Cell::new(29, 0)).unwrap();
        assert_eq!(rover.tick(Budget::limit(1)), Ok(Decision::Wait));
        assert_eq!(rover.planner.target(), 30);
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    type Ground<'m> = Cells<'m, Four>;
    const VERTICES: usize = Cells::<Four>::vertices(8, 8);
    let start = Cell::new(0, 0);
    let build = |entries: usize, nodes: usize, goal: Cell| {
        let mut words = [0; Cells::<Four>::words(8, 8)];
        let (mut entries, mut nodes) = (vec![0; entries], vec![Default::default(); nodes]);
        let terrain = Ground::new(8, 8, &mut words, Unknown::AsFree, Uniform).unwrap();
        AnytimeDStar::<Bits16, _, u64>::new(
            terrain,
            &mut entries,
            &mut nodes,
            start,
            goal,
            Epsilon::DEFAULT,
        )
        .err()
    };
    let short = Some(BuildError::TooLittleMemory {
        needed: VERTICES,
        given: VERTICES - 1,
    });
    assert_eq!(build(VERTICES, VERTICES, start), None);
    assert_eq!(build(VERTICES - 1, VERTICES, start), short);
    assert_eq!(build(VERTICES, VERTICES - 1, start), short);
    assert!(matches!(
        build(VERTICES, VERTICES, Cell::new(8, 0)),
        Some(BuildError::OffMap(_))
    ));

    let mut words = [0; Cells::<Four>::words(8, 8)];
    let (mut entries, mut nodes) = (
        [Ring::<15>::default(); VERTICES],
        vec![Default::default(); VERTICES],
    );
    let terrain = Ground::new(8, 8, &mut words, Unknown::AsFree, Uniform).unwrap();
    let coarse = AnytimeDStar::<Bits16, _, _>::new(
        terrain,
        &mut entries,
        &mut nodes,
        start,
        start,
        Epsilon::DEFAULT,
    );
    // A quarter of half the circle, less twice 3.0 times the estimate across the map, in tenths; a
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
