//! D* Lite without keys for neighbors against D* Lite with keys for all.

use planner_core::{
    Budget, Decision, Navigator, Planner,
    graph::{Four, Manhattan},
    map::Map,
    queue::Buckets,
    search::DStarLite,
    storage::{Boxed, blocks},
    width::Bits16,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{Kind, Plain, Walled},
    tiny::General,
    world::{World, blocked_with},
};

const SIDE: u16 = 20;

/// A navigator on a ring of 32 buckets: keys often are beyond its window.
fn navigator<K: Kind, M: Map>(map: M) -> Navigator<M, DStarLite<Boxed, Bits16, Buckets<1>>> {
    let blocks = blocks(K::vertices(SIDE, SIDE));
    Navigator::from_parts(map, DStarLite::allocate(Buckets::new(), blocks))
}

/// Walks changing worlds with two navigators and compares all that they do.
fn compare<K: Kind>() {
    for (seed, limit) in (0..40).flat_map(|seed| [1, 3, 40, u32::MAX].map(|n| (seed, n))) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let mut truth = World::square(SIDE, K::CONNECTIVITY);
        truth.fill(|| blocked_with(rng, 0.25));
        let (mut at, goal) = (truth.random_passable(rng), truth.random_passable(rng));
        let map = || K::unknown((SIDE, SIDE));
        let mut fast = navigator::<K, _>(map());
        let mut general = navigator::<K, _>(General::<_, { usize::MAX }>(map()));
        fast.begin((SIDE, SIDE), at, &[goal]).expect("it fits");
        general.begin((SIDE, SIDE), at, &[goal]).expect("it fits");
        for _ in 0..120 {
            let state = blocked_with(rng, 0.4);
            truth.observe(truth.random_state(rng, state));
            let far = truth.random_cell(rng);
            let seen = truth.observations_at(at, false).into_iter();
            for seen in seen.chain(truth.observations_of(far, false)) {
                assert_eq!(fast.observe(seen), general.observe(seen));
            }
            let decision = fast.tick(at, Budget::limit(limit)).expect("on the map");
            assert_eq!(general.tick(at, Budget::limit(limit)), Ok(decision));
            assert_eq!(fast.stats(), general.stats(), "seed {seed}, limit {limit}");
            assert_eq!(fast.search().audit(fast.map()), Ok(()));
            match decision {
                Decision::Step(to) if truth.step_cost(at, to).is_some() => at = to,
                Decision::Arrived | Decision::Unreachable => {
                    let goals = [truth.random_passable(rng), truth.random_passable(rng)];
                    assert_eq!(fast.set_goals(&goals), general.set_goals(&goals));
                    at = truth.random_passable(rng);
                }
                Decision::Step(_) | Decision::Wait => {}
            }
        }
    }
}

#[test]
fn work_is_the_same_with_and_without_keys_for_neighbors() {
    compare::<Plain<Four<Manhattan>>>();
    compare::<Walled<Manhattan>>();
}
