//! The two planners that exist only to be measured against walk as they should, and a bench is fair.

use pathfinding::prelude::bfs;
use planner_core::{Budget, Cell, Decision, Observation, Side, map::Occupancy};
use rand::{Rng, RngExt, seq::IndexedRandom};
use sim::{
    catalog::{AnyPlanner, Name},
    lab::{
        bench::{
            contender::{self, Contender},
            flood::When,
            flood_fill::FloodFill,
            peer::Peer,
            runner::{Bench, BenchResult, Entry},
        },
        problem::Problem,
    },
    world::rng,
};

use crate::support::cli::{fields, sorted};

const GUESTS: [Contender; 3] = [
    Contender::FloodFill,
    Contender::FloodFillWhenBlocked,
    Contender::PeerPathfinding,
];

/// Distance to the goal over cells that are not known to be blocked.
fn distance(planner: &dyn AnyPlanner, size: (u16, u16), from: Cell, goal: Cell) -> Option<u32> {
    let is_inside = |cell: &Cell| cell.x < size.0 && cell.y < size.1;
    let is_passable = |cell: &Cell| planner.occupancy(*cell) != Occupancy::Blocked;
    let successors = |cell: &Cell| {
        let neighbors = Side::ALL
            .map(|side| cell.neighbor(side))
            .into_iter()
            .flatten();
        neighbors
            .filter(is_inside)
            .filter(is_passable)
            .collect::<Vec<_>>()
    };
    let path = bfs(&goal, successors, |&cell| cell == from);
    path.filter(|_| is_passable(&goal))
        .map(|path| path.len() as u32 - 1)
}

#[test]
fn every_step_is_on_a_presumed_unblocked_shortest_path() {
    for contender in GUESTS {
        for map in 0..30 {
            let mut rng = rng::derived(1, map);
            let size = (
                2 * rng.random_range(3..12) + 1,
                2 * rng.random_range(3..12) + 1,
            );
            let problem = Problem::in_maze(size, 9, &mut rng).unwrap();
            let mut last = problem.start;
            let mut planner = contender.build(&problem, None).unwrap();
            let walk = problem.walk_watched(&mut *planner, None, |planner, at| {
                // What was seen from `last` is all that the step was planned with.
                let [before, after] =
                    [last, at].map(|cell| distance(planner, size, cell, problem.goal).unwrap());
                let is_there = at == last && at == problem.goal;
                assert!(
                    is_there || before == after + 1,
                    "{contender}, map {map}: from {last:?} to {at:?}"
                );
                last = at;
            });
            assert_eq!(walk.unwrap().trail.last(), Some(&problem.goal));
        }
    }
}

/// A world that changes at random, everywhere, both ways; a robot that is sometimes carried away,
/// and a goal that is sometimes elsewhere.
fn shake(mut planner: impl AnyPlanner, size: (u16, u16), first_goal: Cell, rng: &mut impl Rng) {
    let any = |rng: &mut _| {
        let mut side = |length: u16| RngExt::random_range::<u16, _>(rng, 0..length);
        Cell::new(side(size.0), side(size.1))
    };
    let (mut at, mut goal) = (any(rng), first_goal);
    for _ in 0..400 {
        for _ in 0..rng.random_range(0..4) {
            let occupancies = [
                Occupancy::Blocked,
                Occupancy::Blocked,
                Occupancy::Free,
                Occupancy::Unknown,
            ];
            let occupancy = *occupancies.choose(rng).unwrap();
            planner
                .observe(Observation::Cell(any(rng), occupancy))
                .unwrap();
        }
        if rng.random_bool(0.05) {
            goal = any(rng);
            planner.set_goal(goal).unwrap();
        }
        if rng.random_bool(0.05) {
            at = any(rng);
        }
        let is_passable = planner.occupancy(at) != Occupancy::Blocked;
        let before = distance(&planner, size, at, goal).filter(|_| is_passable);
        match planner.tick(at, Budget::UNLIMITED).unwrap() {
            Decision::Arrived => assert_eq!(at, goal),
            Decision::Unreachable => assert_eq!(before, None, "{at:?} to {goal:?}"),
            Decision::Wait => panic!("nothing to wait for"),
            Decision::Step(next) => {
                let after = distance(&planner, size, next, goal);
                assert_eq!(before, after.map(|after| after + 1));
                assert_eq!(at.x.abs_diff(next.x) + at.y.abs_diff(next.y), 1);
                at = next;
            }
        }
    }
}

#[test]
fn steps_stay_shortest_when_cells_and_goal_change() {
    for seed in 0..40 {
        let mut rng = rng::seeded(seed);
        let size = (rng.random_range(1..9), rng.random_range(1..9));
        let goal = Cell::new(0, 0);
        shake(
            FloodFill::new(size, goal, When::NewWall).unwrap(),
            size,
            goal,
            &mut rng,
        );
        shake(Peer::new(size, goal).unwrap(), size, goal, &mut rng);
    }
}

#[test]
fn cells_outside_the_map_are_errors() {
    let outside = Cell::new(3, 0);
    assert!(FloodFill::new((3, 3), outside, When::NewWall).is_err());
    assert!(Peer::new((3, 3), outside).is_err());
    let goal = Cell::new(0, 0);
    let planners: [&mut dyn AnyPlanner; 2] = [
        &mut FloodFill::new((3, 3), goal, When::NewWall).unwrap(),
        &mut Peer::new((3, 3), goal).unwrap(),
    ];
    for planner in planners {
        let seen = Observation::Cell(outside, Occupancy::Blocked);
        assert!(planner.observe(seen).is_err());
        assert!(planner.observe(Observation::Weight(goal, 2)).is_err());
        assert!(planner.tick(outside, Budget::UNLIMITED).is_err());
        assert!(planner.set_goal(outside).is_err());
        assert_eq!(planner.occupancy(outside), Occupancy::Blocked);
    }
}

fn bench(contenders: &[Contender], repeat: u32) -> Vec<BenchResult> {
    let entries = contenders.iter().copied().map(Entry::from);
    race_of(entries.collect(), repeat)
}

fn race_of(entries: Vec<Entry>, repeat: u32) -> Vec<BenchResult> {
    let bench = Bench {
        entries,
        maps: 3,
        size: (31, 21),
        openings: 20,
        seed: 5,
        repeat,
        clock_ns: 0,
    };
    bench.run().unwrap()
}

#[test]
fn repetitions_do_not_change_counts() {
    let counts = |result: &BenchResult| (result.planner, result.expansions, result.moves);
    let once: Vec<_> = bench(contender::DEFAULT, 1).iter().map(counts).collect();
    let thrice: Vec<_> = bench(contender::DEFAULT, 3).iter().map(counts).collect();
    assert_eq!(once, thrice);
    assert_eq!(once.len(), contender::DEFAULT.len());
}

#[test]
fn ratios_are_to_the_contender_listed_first() {
    let [flood, ours] = [Contender::FloodFill, Contender::Ours(Name::DstarLite)];
    let results = bench(&[flood, ours], 2);
    assert_eq!(results[0].ratio_to_first, 1.0);
    let ratio = results[1].run_ns / results[0].run_ns;
    assert_eq!(results[1].ratio_to_first, ratio);
    for result in results {
        let worst = result.worst_step_ns;
        assert!(0.0 < worst && worst <= result.run_ns);
        assert!(worst <= result.worst_of_all_ns as f64);
    }
}

#[test]
fn json_of_bench_has_the_documented_fields() {
    let results = bench(&[Contender::PeerPathfinding], 1);
    let json = serde_json::to_value(&results[0]).unwrap();
    let all = "bench planner limit maps run_ns worst_step_ns expansions moves ratio_to_first ticks \
        median_tick_ns tick_999_ns worst_of_all_ns";
    assert_eq!(fields(&json), sorted(all));
    assert_eq!(json["bench"], "maze-31x21-open-20");
    assert_eq!(json["planner"], "peer-pathfinding");
    assert_eq!(json["maps"], 3);
}

#[test]
fn real_time_planners_run_at_their_limits() {
    for limit in [1, 8, 64] {
        let entry = |&contender: &Contender| Entry {
            contender,
            limit: Some(limit),
        };
        let entries: Vec<Entry> = contender::REAL_TIME.iter().map(entry).collect();
        for result in race_of(entries, 2) {
            assert_eq!(result.limit, Some(limit));
            assert!(result.ticks > result.moves);
            assert!(result.expansions <= result.ticks * f64::from(limit));
            assert!(result.median_tick_ns <= result.tick_999_ns);
            assert!(result.tick_999_ns <= result.worst_of_all_ns);
        }
    }
}
