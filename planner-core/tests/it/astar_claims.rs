//! Properties that the papers state of A* and of Adaptive A*.
//!
//! The numbers of cells and the h-values are those of Koenig, "Fast Trajectory Replanning for Computer
//! Games".

use std::{any::TypeId, collections::BTreeSet};

use planner_core::{
    Budget, Cell, Decision, Observation, Side,
    map::{AsFree, Occupancy},
    queue::LargerG,
    search::{Adaptive, Backward, Forward, Strategy},
    width::Bits32,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{BoxedHeap, Kind, PlannerUnderTest, Setup, repeated_astar},
    for_seeds,
    terrains::{Plain4, WalledMaxNorm, Weighted8},
    world::{Connectivity, Costs, World},
};

const HEAVIEST: u8 = 9;

fn search<K: Kind, S: Strategy + 'static>(
    known: &World,
    ends: (Cell, Cell),
) -> Box<dyn PlannerUnderTest> {
    let setup = Setup::new(known, ends.0, ends.1);
    repeated_astar::<K, Bits32, BoxedHeap<u128, LargerG>, AsFree, S>(&setup).expect("the map fits")
}

/// A tick of a planner, and what it did.
struct Tick {
    known: World,
    at: Cell,
    goal: Cell,
    decision: Decision,
    /// True if the planner searched.
    searched: bool,
    /// `stats().last_tick.expansions`.
    expansions: u32,
    expanded: Vec<Cell>,
    /// The h-values of all cells before the tick and after it.
    h: [Vec<u64>; 2],
}

impl Tick {
    fn h_before(&self, cell: Cell) -> u64 {
        self.h[0][self.known.index(cell)]
    }

    fn h_after(&self, cell: Cell) -> u64 {
        self.h[1][self.known.index(cell)]
    }
}

/// Changes of costs while a robot walks.
#[derive(Clone, Copy, PartialEq)]
enum Changes {
    /// Cells are blocked, walls appear, weights rise.
    Rises,
    /// Costs also fall.
    RisesAndFalls,
}

/// Walks a robot through a random world that changes, and reports each tick.
fn walk<K: Heuristic, S: Strategy + 'static>(
    rng: &mut ChaCha8Rng,
    changes: Changes,
    mut report: impl FnMut(&Tick),
) {
    let is_backward = TypeId::of::<S>() == TypeId::of::<Backward>();
    let (width, height) = (rng.random_range(2..=12), rng.random_range(2..=12));
    let mut known = World::new(width, height, K::CONNECTIVITY, Default::default());
    let (start, goal) = (known.random_cell(rng), known.random_cell(rng));
    let mut planner = search::<K, S>(&known, (start, goal));
    let mut at = start;
    for _ in 0..60 {
        for _ in 0..rng.random_range(0..5) {
            let falls = changes == Changes::RisesAndFalls && rng.random();
            let state = [Occupancy::Blocked, Occupancy::Free][usize::from(falls)];
            let cell = known.random_cell(rng);
            let weight = known.weight(cell) as u8;
            let seen = match known.random_state(rng, state) {
                _ if K::WEIGHTED && rng.random() && falls => {
                    Observation::Weight(cell, weight.div_ceil(2))
                }
                _ if K::WEIGHTED && rng.random() => {
                    Observation::Weight(cell, weight.saturating_add(3).min(HEAVIEST))
                }
                // The robot and the goal stand on passable cells.
                Observation::Cell(cell, _) if cell == at || cell == goal => continue,
                seen => seen,
            };
            assert_eq!(planner.observe(seen), Ok(known.observe(seen)));
        }
        let h_values = |planner: &dyn PlannerUnderTest| {
            let h = |cell| match is_backward {
                true => K::heuristic(cell, at),
                false => planner.h(cell).expect("on the map"),
            };
            known.cells().map(h).collect()
        };
        let before = h_values(&*planner);
        let searches = planner.stats().searches;
        let decision = planner.tick(at, Budget::UNLIMITED).unwrap();
        report(&Tick {
            known: known.clone(),
            at,
            goal,
            decision,
            searched: planner.stats().searches > searches,
            expansions: planner.stats().last_tick.expansions,
            expanded: planner.expanded(),
            h: [before, h_values(&*planner)],
        });
        match decision {
            Decision::Step(next) => at = next,
            _ if changes == Changes::RisesAndFalls => at = known.random_cell(rng),
            _ => break,
        }
        if !known.is_passable(at) {
            break;
        }
    }
}

/// The heuristic that a kind of terrain is asked to use.
trait Heuristic: Kind {
    fn heuristic(a: Cell, b: Cell) -> u64 {
        Self::CONNECTIVITY.distance(a, b)
    }
}

impl Heuristic for Plain4 {}
impl Heuristic for Weighted8 {}
impl Heuristic for WalledMaxNorm {
    fn heuristic(a: Cell, b: Cell) -> u64 {
        a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)).into()
    }
}

/// Checks what a search to `target` expanded, where `g` are the true costs of the paths from its root: each
/// cell at most once, every one that is nearer than the target by `f`, none that is farther, and all in reach
/// when there is no path.
fn check_expansions(tick: &Tick, target: Cell, g: &Costs) {
    if !tick.searched {
        return;
    }
    let expanded: BTreeSet<Cell> = tick.expanded.iter().copied().collect();
    assert_eq!(expanded.len(), tick.expanded.len(), "a cell twice");
    assert_eq!(expanded.len(), tick.expansions as usize);
    assert!(!expanded.contains(&target));
    for cell in tick.known.cells() {
        let f = g.of(cell).map(|g| g + tick.h_before(cell));
        let must_be = match (f, g.of(target)) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(f), Some(cost)) if f == cost => continue, // a tie
            (Some(f), Some(cost)) => f < cost,
        };
        assert_eq!(expanded.contains(&cell), must_be, "{cell:?} to {target:?}");
    }
}

#[test]
fn a_search_expands_just_what_it_must_and_nothing_twice() {
    let changes = Changes::RisesAndFalls;
    let forward = |tick: &Tick| {
        check_expansions(tick, tick.goal, &tick.known.costs_from(tick.at));
    };
    let backward = |tick: &Tick| {
        check_expansions(tick, tick.at, &tick.known.costs_to(&[tick.goal]));
    };
    on_each!([Plain4, Weighted8, WalledMaxNorm] K => {
        for_seeds(150, |rng| {
            walk::<K, Forward>(rng, changes, forward);
            walk::<K, Backward>(rng, changes, backward);
            walk::<K, Adaptive>(rng, changes, forward);
        });
    });
}

/// Checks that h-values are consistent and that the step is on a shortest path.
fn check_consistent(tick: &Tick) {
    let known = &tick.known;
    assert_eq!(tick.h_after(tick.goal), 0);
    for from in known.cells() {
        for to in known.steps(from) {
            let through = known.step_cost(from, to).unwrap() + tick.h_after(to);
            assert!(tick.h_after(from) <= through, "h of {from:?} and {to:?}");
        }
    }
    let costs = known.costs_to(&[tick.goal]);
    let cost = costs.of(tick.at);
    let is_shortest = match tick.decision {
        Decision::Step(next) => cost.is_some() && known.cost_through(tick.at, next, &costs) == cost,
        Decision::Unreachable => cost.is_none(),
        Decision::Arrived => tick.at == tick.goal,
        Decision::Wait => false,
    };
    assert!(is_shortest, "{:?}", tick.decision);
}

fn h_values_stay_consistent_and_only_rise<K: Heuristic>() {
    let mut raised = 0;
    for_seeds(200, |rng| {
        let mut last: Option<Vec<u64>> = None;
        walk::<K, Adaptive>(rng, Changes::Rises, |tick| {
            check_consistent(tick);
            // What happened since the last tick was only rises: they take nothing back.
            let last = last.get_or_insert_with(|| {
                let heuristic = |cell| K::heuristic(cell, tick.goal);
                tick.known.cells().map(heuristic).collect()
            });
            assert_eq!(tick.h[0], *last);
            let after = tick.h[1].iter().zip(&*last);
            assert!(after.clone().all(|(h, was)| h >= was));
            raised += after.filter(|(h, was)| h > was).count();
            last.clone_from(&tick.h[1]);
        });
    });
    assert!(raised > 100, "h-values were raised only {raised} times");
}

#[test]
fn learned_h_values_stay_consistent_and_never_fall_while_costs_rise() {
    on_each!([Plain4, Weighted8, WalledMaxNorm] K => h_values_stay_consistent_and_only_rise::<K>());
}

#[test]
fn learned_h_values_are_consistent_and_paths_shortest_after_costs_fell() {
    on_each!([Plain4, Weighted8, WalledMaxNorm] K => for_seeds(150, |rng| {
        walk::<K, Adaptive>(rng, Changes::RisesAndFalls, check_consistent);
    }));
}

fn adaptive_expands_no_more_than_forward<K: Heuristic>() {
    let (mut adaptive, mut forward) = (0, 0);
    for_seeds(150, |rng| {
        walk::<K, Adaptive>(rng, Changes::Rises, |tick| {
            if !tick.searched {
                return;
            }
            // A fresh forward search of the same problem.
            let mut other = search::<K, Forward>(&tick.known, (tick.at, tick.goal));
            other.tick(tick.at, Budget::UNLIMITED).unwrap();
            let theirs: BTreeSet<Cell> = other.expanded().into_iter().collect();
            adaptive += tick.expanded.len();
            forward += theirs.len();
            let g = tick.known.costs_from(tick.at);
            let cost = g.of(tick.goal).unwrap_or(u64::MAX);
            for &cell in &tick.expanded {
                let is_tie = g.of(cell).unwrap() + tick.h_before(cell) == cost;
                assert!(is_tie || theirs.contains(&cell), "{cell:?}");
            }
        });
    });
    assert!(adaptive < forward, "{adaptive} against {forward}");
}

#[test]
fn adaptive_astar_expands_no_cell_that_forward_astar_would_not_but_for_ties() {
    on_each!([Plain4, Weighted8, WalledMaxNorm] K => adaptive_expands_no_more_than_forward::<K>());
}

/// The cells that the first two searches expand in Figure 2's world, and the robot's path between.
fn first_two_searches<S: Strategy + 'static>() -> ([BTreeSet<String>; 2], String) {
    let cell = |name: &str| match name.as_bytes() {
        [row, column] => Cell::new(u16::from(column - b'1'), u16::from(row - b'A')),
        _ => panic!("{name} is no cell"),
    };
    let name = |cell: Cell| {
        let (row, column) = (b'A' + cell.y as u8, b'1' + cell.x as u8);
        String::from_utf8(vec![row, column]).unwrap()
    };
    let mut truth = World::square(5, Connectivity::Four);
    for blocked in ["B3", "C3", "D3", "E4"] {
        truth.block(cell(blocked));
    }
    let (mut at, goal) = (cell("E3"), cell("E5"));
    let mut path = name(at);
    let mut searches = Vec::new();
    let mut planner = search::<Plain4, S>(&truth.unseen(), (at, goal));
    while searches.len() < 2 {
        for next in Side::ALL
            .into_iter()
            .filter_map(|side| truth.neighbor(at, side))
        {
            planner
                .observe(truth.observations_of(next, false)[0])
                .unwrap();
        }
        let Ok(Decision::Step(next)) = planner.tick(at, Budget::UNLIMITED) else {
            panic!("there is a path");
        };
        if planner.stats().searches as usize > searches.len() {
            searches.push(planner.expanded().into_iter().map(name).collect());
        }
        if searches.len() < 2 {
            at = next;
            path += &name(at);
        }
    }
    (searches.try_into().expect("there are two"), path)
}

#[test]
fn the_example_of_the_paper_comes_out_to_the_cell() {
    let ([first, second], path) = first_two_searches::<Forward>();
    let ([learning, learned], same_path) = first_two_searches::<Adaptive>();
    assert_eq!(path, "E3E2D2C2");
    assert_eq!(path, same_path);
    assert_eq!(first, learning);
    assert_eq!(first.len() + second.len(), 23);
    assert_eq!(learning.len() + learned.len(), 20);
    let spared: Vec<&String> = second.difference(&learned).collect();
    assert_eq!(spared, ["E1", "E2", "E3"]);
    assert!(learned.is_subset(&second));
}
