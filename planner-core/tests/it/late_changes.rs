//! A search that learns of changes later than its map, as a burst of observations is absorbed over
//! several ticks, is right as soon as it has absorbed them all.

use planner_core::{
    Budget, Observation, Work,
    graph::{Graph, GraphChange},
    map::{AsFree, Map, Occupancy},
    queue::{Buckets, Lifo},
    search::{Epsilon, GlobalSearch, Progress},
    width::Bits16,
};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{Kind, Report, Setup, anytime, lite},
    robot::ENOUGH,
    world::World,
};

/// How the search is brought up to date with its map.
#[derive(Clone, Copy, Debug)]
enum By {
    /// Each change is reconciled, in any order.
    Reconcile,
    /// Every vertex is refreshed, because the changes were too many to be remembered.
    Refresh,
}

fn observation(rng: &mut ChaCha8Rng, known: &World, weighted: bool) -> Observation {
    let states = [Occupancy::Free, Occupancy::Blocked, Occupancy::Unknown];
    let state = states[rng.random_range(0..3)];
    match weighted && rng.random_bool(0.5) {
        true => Observation::Weight(known.random_cell(rng), rng.random_range(1..=9)),
        false => known.random_state(rng, state),
    }
}

fn learn_late<K: Kind, G: GlobalSearch + Report>(
    seed: u64,
    by: By,
    build: impl Fn(&Setup) -> G,
) -> Result<(), String> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let (width, height) = (rng.random_range(2..=8), rng.random_range(2..=8));
    let mut known = World::new(width, height, K::GROUND, Default::default());
    let (mut at, mut goal) = (known.random_cell(rng), known.random_cell(rng));
    let setup = Setup::new(&known, at, goal);
    let (mut map, mut search) = (setup.map::<K>(), build(&setup));
    search
        .begin(&map, at, &[goal])
        .map_err(|error| error.to_string())?;
    let interrupted = |search: &mut G, map: &K::Map, rng: &mut ChaCha8Rng| {
        if rng.random_bool(0.3) {
            let limit = Budget::limit(rng.random_range(0..4));
            search.advance(map, limit, &mut Work::default());
        }
    };
    for round in 0..50 {
        let mut waiting = Vec::new();
        for _ in 0..rng.random_range(0..12) {
            let seen = observation(rng, &known, K::WEIGHTED);
            let change = map.observe(seen).map_err(|error| error.to_string())?;
            let change = change.and_then(|change| change.seen_as::<AsFree>());
            assert_eq!(
                change.is_some(),
                known.observe(seen),
                "seed {seed}, round {round}"
            );
            waiting.extend(change.map(GraphChange::vertex));
            interrupted(&mut search, &map, rng);
        }
        if rng.random_bool(0.1) {
            goal = known.random_cell(rng);
            search
                .set_goals(&map, &[goal])
                .map_err(|error| error.to_string())?;
        }
        if let By::Refresh = by {
            waiting = (0..map.view::<AsFree>().grid().vertices()).collect();
        }
        waiting.shuffle(rng);
        for vertex in waiting {
            match by {
                By::Reconcile => search.reconcile(&map, vertex),
                By::Refresh => search.refresh(&map, vertex),
            }
            interrupted(&mut search, &map, rng);
        }
        search.audit(&map)?;
        let budget = [ENOUGH, Budget::limit(rng.random_range(0..20))][rng.random_range(0..2)];
        let costs = known.costs_to(&[goal]);
        let cost = costs.of(at).filter(|_| known.is_passable(at));
        match search.advance(&map, budget, &mut Work::default()) {
            _ if at == goal => at = known.random_cell(rng),
            Progress::Searching => assert_ne!(budget, ENOUGH, "seed {seed}, round {round}"),
            Progress::NoPath => {
                assert_eq!(cost, None, "seed {seed}, round {round}");
                at = known.random_cell(rng);
            }
            Progress::Path(next) => {
                let through = known.cost_through(at, next, &costs);
                let (found, epsilon) =
                    (search.claims().path_cost.flatten(), search.claims().epsilon);
                let (found, cost) = (found.unwrap_or(0) as u64, cost.unwrap_or(0));
                let bound = cost.saturating_mul(epsilon.map_or(u64::MAX, u64::from));
                let is_short = found >= cost && found * 10 <= bound;
                let is_exact = epsilon != Some(10) || through == Some(cost);
                assert!(
                    through.is_some() && is_short && is_exact,
                    "{through:?}, said to be {found} within {epsilon:?} of {cost}, seed {seed}, \
                     round {round}"
                );
                at = next;
            }
        }
        search.audit(&map)?;
        if rng.random_bool(0.1) {
            at = known.random_cell(rng);
        }
        search
            .move_to(&map, at)
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn learn_all_late(by: By) {
    for seed in 0..400 {
        on_main_terrains!(K => {
            let exact = |setup: &Setup| lite::<K, Bits16, Buckets<1, Lifo>, AsFree>(setup);
            learn_late::<K, _>(seed, by, exact).unwrap();
            let bounded = |setup: &Setup| anytime::<K, Bits16, u64, AsFree>(setup, Epsilon::DEFAULT);
            learn_late::<K, _>(seed, by, bounded).unwrap();
        });
    }
}

#[test]
fn a_search_is_right_once_every_change_is_reconciled() {
    learn_all_late(By::Reconcile);
}

#[test]
fn a_search_is_right_once_every_vertex_is_refreshed() {
    learn_all_late(By::Refresh);
}
