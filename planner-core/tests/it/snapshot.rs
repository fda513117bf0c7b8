//! A snapshot of behavior: decisions and work of every planner on fixed seeds.
//!
//! A change of a line of the table is a change of behavior. The failing test prints the new table.

use planner_core::{
    Budget, Decision, Observation, Planner, Side, Work,
    graph::{Coarse, Eight, Four, Manhattan, NeverCut, Octile},
    local::{Follow, LookAhead, SuccessorOrder},
    map::AsFree,
    queue::{Buckets, LargerG, Lifo},
    search::{Adaptive, Backward, Epsilon, Forward, TurnCosts},
    subgoal::{ExitRule, Rules},
    width::{Bits16, Bits32},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{self, BoxedHeap, Built, Global, Kind, Local, Plain, Setup, Walled, Weighted},
    world::{World, blocked_with},
};

const SIDE: u16 = 24;

/// A world that changes, and what a planner does in it: a hash of its decisions, and all its work.
#[derive(Clone, Copy, Default)]
struct Record {
    hash: u32,
    work: Work<u64>,
}

type Ring = Buckets<8, Lifo>;
type StableHeap = BoxedHeap<u128, LargerG>;
type Maze = Walled<Manhattan>;
type Build<'b> = &'b dyn Fn(&Setup) -> Built;

impl Record {
    /// Walks 20 worlds at three budgets, and goes elsewhere from each goal.
    fn of<K: Kind>(build: &dyn Fn(&Setup) -> Box<dyn Planner>) -> Self {
        let mut record = Self::default();
        for (seed, limit) in (0..20).flat_map(|seed| [3, 40, u32::MAX].map(|n| (seed, n))) {
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            let mut truth = World::square(SIDE, K::CONNECTIVITY);
            truth.fill(|| blocked_with(rng, 0.25));
            let (mut at, goal) = (truth.random_passable(rng), truth.random_passable(rng));
            let mut planner = build(&Setup::new(&truth.unseen(), at, goal));
            for _ in 0..150 {
                let state = blocked_with(rng, 0.4);
                truth.observe(truth.random_state(rng, state));
                if K::WEIGHTED {
                    let weight =
                        Observation::Weight(truth.random_cell(rng), rng.random_range(1..=9));
                    truth.observe(weight);
                }
                let far = truth.random_cell(rng);
                let seen = truth.observations_at(at, K::WEIGHTED).into_iter();
                for seen in seen.chain(truth.observations_of(far, K::WEIGHTED)) {
                    planner.observe(seen).expect("on the map");
                }
                let decision = planner.tick(at, Budget::limit(limit)).expect("on the map");
                let code = match decision {
                    Decision::Step(to) => 4 + truth.index(to) as u32,
                    Decision::Wait => 1,
                    Decision::Arrived => 2,
                    Decision::Unreachable => 3,
                };
                record.hash = (record.hash ^ code).wrapping_mul(0x0100_0193);
                match decision {
                    Decision::Step(to) if truth.step_cost(at, to).is_some() => at = to,
                    Decision::Arrived | Decision::Unreachable => {
                        let goal = truth.random_passable(rng);
                        if planner.set_goals(&[goal, at]).is_err() {
                            planner.set_goal(goal).expect("on the map");
                        }
                        at = truth.random_passable(rng);
                    }
                    Decision::Step(_) | Decision::Wait => {}
                }
            }
            let total = planner.stats().total;
            record.work.expansions += total.expansions;
            record.work.requeues += total.requeues;
            record.work.queue_ops += total.queue_ops;
        }
        record
    }

    fn line(self, planner: &str, terrain: &str) -> String {
        let Work {
            expansions,
            requeues,
            queue_ops,
            ..
        } = self.work;
        let hash = self.hash;
        format!("{planner} {terrain} {hash:08x} {expansions} {requeues} {queue_ops}\n")
    }
}

/// The records of the planners that run on every terrain.
fn records<K: Kind>(terrain: &str) -> String {
    let (by, fixed) = (LookAhead::AStar, SuccessorOrder::Fixed);
    let path = Local::Lss(by, Follow::Path, fixed);
    let replan = Local::Lss(by, Follow::ReplanEachStep, fixed);
    let descent = Local::Lss(
        LookAhead::BreadthFirst,
        Follow::Descent,
        SuccessorOrder::Random(7),
    );
    let lrta = Local::Lrta(by, fixed);
    let rtd =
        |global, local| move |setup: &Setup| build::rtd::<K, Bits32, 8>(setup, (global, local));
    let agent = |local| move |setup: &Setup| build::agent::<K, Bits32, 128>(setup, local, 20);
    let anytime =
        |setup: &Setup| build::anytime_dstar::<K, Bits32, u128, AsFree>(setup, Epsilon::DEFAULT);
    let follower = |setup: &Setup| {
        let map = K::knowing(setup.known);
        let tree = build::tree::<Bits32, Ring>(&map, ExitRule::default(), 999, setup.goal);
        let rules = (Rules::default(), fixed);
        build::follower::<K, Bits32, _>(map, tree, 99, rules, setup.goal)
    };
    let planners: &[(&str, Build)] = &[
        (
            "forward-astar",
            &build::repeated_astar::<K, Bits32, StableHeap, AsFree, Forward>,
        ),
        (
            "backward-astar",
            &build::repeated_astar::<K, Bits32, StableHeap, AsFree, Backward>,
        ),
        (
            "adaptive-astar",
            &build::repeated_astar::<K, Bits32, Ring, AsFree, Adaptive>,
        ),
        ("dstar-lite", &build::dstar_lite::<K, Bits32, Ring, AsFree>),
        (
            "dstar-lite-heap",
            &build::dstar_lite::<K, Bits32, StableHeap, AsFree>,
        ),
        ("anytime-dstar", &anytime),
        ("lss-lrta", &agent(path)),
        ("lss-lrta-descent", &agent(descent)),
        ("lrta", &agent(lrta)),
        ("rtd", &rtd(Global::Lite, replan)),
        ("tba", &build::tba::<K>),
        ("rtd-tba", &rtd(Global::Lite, Local::Tba)),
        ("rtd-path", &rtd(Global::Lite, path)),
        ("rtd-lrta", &rtd(Global::Lite, lrta)),
        ("rtd-anytime", &rtd(Global::Anytime, replan)),
        ("rtd-noop", &rtd(Global::Lite, Local::NoOp)),
    ];
    let mut table = String::new();
    for (name, build) in planners {
        let record = Record::of::<K>(&|setup| build(setup).expect("the map fits"));
        table += &record.line(name, terrain);
    }
    table + &Record::of::<K>(&|setup| Box::new(follower(setup))).line("subgoal-lrta", terrain)
}

#[test]
fn decisions_and_work_on_fixed_seeds_are_those_of_the_snapshot() {
    let explorer = Record::of::<Maze>(&|setup| {
        Box::new(build::explorer::<Maze>(
            (SIDE, SIDE),
            setup.start,
            &[setup.goal],
        ))
    });
    let turns = Record::of::<Maze>(&|setup| {
        let (costs, robot) = (TurnCosts { step: 2, turn: 3 }, (setup.start, Side::North));
        let planner = build::turn_aware::<Bits16>((SIDE, SIDE), None, costs, robot, setup.goal);
        Box::new(planner.expect("the map fits"))
    });
    let table = [
        records::<Plain<Four<Manhattan>>>("four"),
        records::<Weighted<Four<Manhattan>>>("four-weighted"),
        records::<Weighted<Eight<NeverCut, Coarse, Octile>>>("eight-weighted"),
        records::<Maze>("walls"),
        explorer.line("maze-explorer", "walls"),
        turns.line("turn-aware", "walls"),
    ]
    .concat();
    assert!(table == include_str!("snapshot.txt"), "\n{table}");
}
