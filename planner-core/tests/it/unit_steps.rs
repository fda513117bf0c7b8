//! D* Lite without keys for neighbors against D* Lite with keys for all.

use planner_core::{
    Budget, BuildError, Cell, Decision, Navigator, ObserveError, Planner,
    graph::{Four, Graph, Grid, Manhattan, MoveSet},
    map::{Change, Map, Observation, Occupancy, UnknownPolicy},
    queue::Buckets,
    search::DStarLite,
    storage::blocks,
    width::Bits16,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{Kind, Owned, Plain, Walled},
    world::{World, blocked_with},
};

const SIDE: u16 = 20;

/// A map whose graph does not say that its steps are of cost one.
#[derive(Debug)]
struct General<M>(M);

/// Its graph.
#[derive(Clone, Copy)]
struct GeneralGraph<G>(G);

impl<G: Graph> Graph for GeneralGraph<G> {
    const MOVES: usize = G::MOVES;
    const CORNERS: bool = G::CORNERS;

    fn grid(&self) -> &Grid {
        self.0.grid()
    }

    fn moves(&self, from: usize) -> MoveSet {
        self.0.moves(from)
    }

    fn is_passable(&self, vertex: usize) -> bool {
        self.0.is_passable(vertex)
    }

    fn cost(&self, m: usize, into: usize) -> usize {
        self.0.cost(m, into)
    }

    fn heuristic(&self, dx: usize, dy: usize) -> usize {
        self.0.heuristic(dx, dy)
    }
}

impl<M: Map> Map for General<M> {
    type Graph<'a, U: UnknownPolicy>
        = GeneralGraph<M::Graph<'a, U>>
    where
        Self: 'a;

    fn resize(&mut self, width: u16, height: u16) -> Result<(), BuildError> {
        self.0.resize(width, height)
    }

    fn observe(&mut self, observation: Observation) -> Result<Option<Change>, ObserveError> {
        self.0.observe(observation)
    }

    fn view<U: UnknownPolicy>(&self) -> Self::Graph<'_, U> {
        GeneralGraph(self.0.view())
    }

    fn occupancy(&self, cell: Cell) -> Occupancy {
        self.0.occupancy(cell)
    }

    fn is_known(&self, from: usize, m: usize) -> bool {
        self.0.is_known(from, m)
    }
}

/// A navigator on a ring of 32 buckets: keys often are beyond its window.
fn navigator<K: Kind, M: Map>(map: M) -> Navigator<M, DStarLite<Owned, Bits16, Buckets<1>>> {
    let blocks = blocks(K::vertices(SIDE, SIDE));
    Navigator::from_parts(map, DStarLite::allocate(Buckets::new(), blocks))
}

/// Walks changing worlds with two navigators and compares all that they do.
fn compare<K: Kind>() {
    for (seed, limit) in (0..40).flat_map(|seed| [1, 3, 40, u32::MAX].map(|n| (seed, n))) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let mut truth = World::square(SIDE, K::GROUND);
        truth.fill(|| blocked_with(rng, 0.25));
        let (mut at, goal) = (truth.random_passable(rng), truth.random_passable(rng));
        let map = || K::unknown((SIDE, SIDE));
        let mut fast = navigator::<K, _>(map());
        let mut general = navigator::<K, _>(General(map()));
        fast.begin((SIDE, SIDE), at, &[goal]).expect("it fits");
        general.begin((SIDE, SIDE), at, &[goal]).expect("it fits");
        for _ in 0..120 {
            let state = blocked_with(rng, 0.4);
            truth.observe(truth.random_state(rng, state));
            let far = truth.random_cell(rng);
            let seen = truth.look_around(at, false).into_iter();
            for seen in seen.chain(truth.look(far, false)) {
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
