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
use rand::{RngExt, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{InspectInternals, Kind, SearchReport, Setup, anytime, lite},
    for_seeds,
    robot::AMPLE,
    world::World,
};

/// Ways to bring a search up to date with its map.
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

fn learn_late<K: Kind, G: GlobalSearch + InspectInternals>(
    rng: &mut ChaCha8Rng,
    by: By,
    build: impl Fn(&Setup) -> G,
) {
    let (width, height) = (rng.random_range(2..=8), rng.random_range(2..=8));
    let mut known = World::new(width, height, K::CONNECTIVITY, Default::default());
    let (mut at, mut goal) = (known.random_cell(rng), known.random_cell(rng));
    let setup = Setup::new(&known, at, goal);
    let (mut map, mut search) = (setup.map::<K>(), build(&setup));
    search.begin(&map, at, &[goal]).unwrap();
    let interrupted = |search: &mut G, map: &K::Map, rng: &mut ChaCha8Rng| {
        if rng.random_bool(0.3) {
            let limit = Budget::limit(rng.random_range(0..4));
            search.advance(map, limit, &mut Work::default());
        }
    };
    for _ in 0..50 {
        let mut waiting = Vec::new();
        for _ in 0..rng.random_range(0..12) {
            let seen = observation(rng, &known, K::WEIGHTED);
            let change = map.observe(seen).unwrap();
            let change = change.and_then(|change| change.seen_as::<AsFree>());
            assert_eq!(change.is_some(), known.observe(seen));
            waiting.extend(change.map(GraphChange::vertex));
            interrupted(&mut search, &map, rng);
        }
        if rng.random_bool(0.1) {
            goal = known.random_cell(rng);
            search.set_goals(&map, &[goal]).unwrap();
        }
        if let By::Refresh = by {
            waiting = (0..map.view::<AsFree>().grid().vertices()).collect();
        }
        waiting.shuffle(rng);
        for vertex in waiting {
            match by {
                By::Reconcile => search.reconcile(&map, vertex),
                By::Refresh => _ = search.refresh(&map, vertex),
            }
            interrupted(&mut search, &map, rng);
        }
        search.audit(&map).unwrap();
        let budget = [AMPLE, Budget::limit(rng.random_range(0..20))][rng.random_range(0..2)];
        let costs = known.costs_to(&[goal]);
        let cost = costs.of(at).filter(|_| known.is_passable(at));
        match search.advance(&map, budget, &mut Work::default()) {
            _ if at == goal => at = known.random_cell(rng),
            Progress::Searching => assert_ne!(budget, AMPLE),
            Progress::NoPath => {
                assert_eq!(cost, None);
                at = known.random_cell(rng);
            }
            Progress::Path(next) => {
                let through = known.cost_through(at, next, &costs);
                let SearchReport {
                    path_cost, epsilon, ..
                } = search.report();
                let (found, cost) = (path_cost.flatten().unwrap_or(0) as u64, cost.unwrap_or(0));
                let bound = cost.saturating_mul(epsilon.map_or(u64::MAX, u64::from));
                let is_short = found >= cost && found * 10 <= bound;
                let is_exact = epsilon != Some(10) || through == Some(cost);
                assert!(
                    through.is_some() && is_short && is_exact,
                    "{through:?}, said to be {found} within {epsilon:?} of {cost}"
                );
                at = next;
            }
        }
        search.audit(&map).unwrap();
        if rng.random_bool(0.1) {
            at = known.random_cell(rng);
        }
        search.move_to(&map, at).unwrap();
    }
}

fn learn_all_late(by: By) {
    on_main_terrains!(K => for_seeds(400, |rng| {
        learn_late::<K, _>(rng, by, lite::<K, Bits16, Buckets<1, Lifo>, AsFree>);
        let bounded = |setup: &Setup| anytime::<K, Bits16, u64, AsFree>(setup, Epsilon::DEFAULT);
        learn_late::<K, _>(rng, by, bounded);
    }));
}

#[test]
fn a_search_is_right_once_every_change_is_reconciled() {
    learn_all_late(By::Reconcile);
}

#[test]
fn a_search_is_right_once_every_vertex_is_refreshed() {
    learn_all_late(By::Refresh);
}
