//! A search that learns of changes later than its map does, as the burst of a sensor is worked off,
//! is right as soon as it knows them all.

use crate::common::{
    kind::{Kind, Plain, Walled, Weighted},
    robot::ENOUGH,
    world::{Ground, World},
};
use planner_core::{
    Budget, Cell, Observation, Side, Work,
    map::{Occupancy, Unknown},
    queue::{Buckets, Lifo},
    search::{DStarLite, DStarLiteNode, GlobalSearch, Progress},
    terrain::{Coarse, Eight, Four, Manhattan, NeverCut, Octile},
    width::Bits16,
};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

type Search<'m, K> = DStarLite<'m, Bits16, <K as Kind>::Terrain<'m>, Buckets<1, Lifo>>;

/// How the search is brought up to date with its map.
#[derive(Clone, Copy, Debug)]
enum Catching {
    /// Each change is reconciled, in any order.
    Up,
    /// Every vertex is refreshed, because the changes were too many to be remembered.
    Sweep,
}

const HEAVIEST: u8 = 9;

fn any_observation<K: Kind>(rng: &mut ChaCha8Rng, world: &World) -> Observation {
    let cell = world.nth(rng.random_range(0..world.count()));
    let fact = [Occupancy::Free, Occupancy::Blocked, Occupancy::Unknown][rng.random_range(0..3)];
    let side = [Side::South, Side::West, Side::North, Side::East][rng.random_range(0..4)];
    match K::GROUND {
        Ground::Walled => Observation::Wall(cell, side, fact),
        _ if K::WEIGHTED && rng.random_bool(0.5) => {
            Observation::Weight(cell, rng.random_range(1..=HEAVIEST))
        }
        _ => Observation::Cell(cell, fact),
    }
}

/// Checks the answer of a search that knows all changes.
fn check(known: &World, at: Cell, goal: Cell, progress: Progress) -> bool {
    let costs = known.costs_to(&[goal]);
    let cost = if known.is_open(at) {
        costs.of(at)
    } else {
        None
    };
    match progress {
        Progress::Searching => false,
        Progress::NoPath => cost.is_none(),
        Progress::Path(next) => {
            let step = known.step_cost(at, next);
            let through = step.zip(costs.of(next)).map(|(step, rest)| step + rest);
            through.is_some() && through == cost
        }
    }
}

fn explore<K: Kind>(seed: u64, catching: Catching) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let [width, height] = [(); 2].map(|()| rng.random_range(2..=8));
    let mut known = World::new(width, height, K::GROUND, Unknown::AsFree);
    let vertices = K::vertices(width, height);
    let mut words = vec![0; K::words(width, height)];
    let mut weights = vec![0; vertices];
    let mut nodes = vec![DStarLiteNode::default(); Search::<K>::nodes(vertices)];
    let size = (width, height);
    let terrain = K::terrain(size, &mut words, &mut weights, Unknown::AsFree, HEAVIEST).unwrap();
    let [mut at, mut goal] = [(); 2].map(|()| known.nth(rng.random_range(0..known.count())));
    let mut search = Search::<K>::new(terrain, Buckets::new(), &mut nodes, at, goal).unwrap();

    for round in 0..40 {
        let mut unknown_yet = Vec::new();
        for _ in 0..rng.random_range(0..12) {
            let seen = any_observation::<K>(&mut rng, &known);
            let change = search.note(seen).unwrap();
            assert_eq!(
                change.is_some(),
                known.see(seen),
                "seed {seed}, round {round}"
            );
            unknown_yet.extend(change.map(|change| change.vertex()));
            if rng.random_bool(0.2) {
                search.advance(Budget::limit(2), &mut Work::default());
            }
        }
        if rng.random_bool(0.1) {
            goal = known.nth(rng.random_range(0..known.count()));
            search.change_goals(&[goal]).unwrap();
        }
        if let Catching::Sweep = catching {
            unknown_yet = (0..vertices).collect();
        }
        unknown_yet.shuffle(&mut rng);
        for vertex in unknown_yet {
            match catching {
                Catching::Up => search.reconcile(vertex),
                Catching::Sweep => search.refresh(vertex),
            }
            if rng.random_bool(0.2) {
                search.advance(Budget::limit(2), &mut Work::default());
            }
        }
        assert_eq!(search.audit(), Ok(()), "seed {seed}, round {round}");
        if at != goal {
            let progress = search.advance(ENOUGH, &mut Work::default());
            assert!(
                check(&known, at, goal, progress),
                "{progress:?} at {at:?} for {goal:?}, seed {seed}, round {round}"
            );
            assert_eq!(search.audit(), Ok(()), "seed {seed}, round {round}");
            if let Progress::Path(next) = progress {
                at = next;
            }
        }
        if at == goal || rng.random_bool(0.1) {
            at = known.nth(rng.random_range(0..known.count()));
        }
        search.move_to(at).unwrap();
    }
}

fn explore_all(catching: Catching) {
    for seed in 0..400 {
        explore::<Plain<Four<Manhattan>>>(seed, catching);
        explore::<Weighted<Eight<NeverCut, Coarse, Octile>>>(seed, catching);
        explore::<Walled<Manhattan>>(seed, catching);
    }
}

#[test]
fn a_search_is_right_once_every_change_is_reconciled() {
    explore_all(Catching::Up);
}

#[test]
fn a_search_is_right_once_every_vertex_is_refreshed() {
    explore_all(Catching::Sweep);
}
