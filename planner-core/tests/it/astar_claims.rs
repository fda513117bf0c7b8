//! What the texts promise of A* and of Adaptive A*.
//!
//! The numbers of cells and the h-values are those of "Fast Trajectory Replanning for Computer
//! Games" (Koenig), the fourth of the project's papers.

use std::collections::BTreeSet;

use crate::common::{
    kind::{Kind, Plain, Walled, Weighted},
    world::{Costs, Ground, World},
};
use planner_core::{
    Budget, Cell, Decision, Observation, Planner, Side,
    map::{Occupancy, Unknown},
    queue::{Heap, LargerG},
    search::{Adaptive, Backward, Forward, RepeatedAStar, Strategy},
    terrain::{Coarse, Eight, Four, Manhattan, MaxNorm, NeverCut, Octile},
    width::Bits32,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const HEAVIEST: u8 = 9;

type Search<'m, K, S> =
    RepeatedAStar<'m, Bits32, <K as Kind>::Terrain<'m>, Heap<'m, u128, LargerG>, S>;

/// Runs something with a planner that knows `known`.
fn with_search<K: Kind, S: Strategy, R>(
    known: &World,
    start: Cell,
    goal: Cell,
    run: impl for<'m> FnOnce(&mut Search<'m, K, S>) -> R,
) -> R {
    let (width, height) = (known.width, known.height);
    let vertices = K::vertices(width, height);
    let mut words = vec![0; K::words(width, height)];
    let mut weights = vec![0; vertices];
    let mut entries = vec![0; vertices];
    let mut nodes = vec![Default::default(); vertices];
    let terrain = K::knowing(known, &mut words, &mut weights, Unknown::AsFree, HEAVIEST);
    let queue = Heap::new(&mut entries);
    let mut search = RepeatedAStar::new(terrain, queue, &mut nodes, start, goal).unwrap();
    run(&mut search)
}

/// A tick of a planner, and what it did.
struct Tick {
    seed: u64,
    known: World,
    at: Cell,
    goal: Cell,
    decision: Decision,
    /// Whether the planner searched.
    searched: bool,
    /// `stats().tick.expansions`.
    expansions: u32,
    expanded: Vec<Cell>,
    /// The h-values of all cells before the tick and after it.
    h: [Vec<u64>; 2],
}

impl Tick {
    fn h_before(&self, cell: Cell) -> u64 {
        self.h[0][usize::from(cell.y) * usize::from(self.known.width) + usize::from(cell.x)]
    }

    fn h_after(&self, cell: Cell) -> u64 {
        self.h[1][usize::from(cell.y) * usize::from(self.known.width) + usize::from(cell.x)]
    }
}

/// What may happen to costs while a robot walks.
#[derive(Clone, Copy, PartialEq)]
enum Changes {
    /// Cells are blocked, walls appear, weights rise.
    Rises,
    /// Costs also fall.
    RisesAndFalls,
}

/// A strategy whose h-values can be told.
trait Guided: Strategy + Sized {
    /// The h-value of a cell for a robot `at` one cell and a goal at another.
    fn h<K: Estimate>(planner: &Search<'_, K, Self>, cell: Cell, at: Cell, goal: Cell) -> u64;
}

impl Guided for Forward {
    fn h<K: Estimate>(_: &Search<'_, K, Self>, cell: Cell, _at: Cell, goal: Cell) -> u64 {
        K::estimate(cell, goal)
    }
}

impl Guided for Backward {
    fn h<K: Estimate>(_: &Search<'_, K, Self>, cell: Cell, at: Cell, _goal: Cell) -> u64 {
        K::estimate(cell, at)
    }
}

impl Guided for Adaptive {
    fn h<K: Estimate>(planner: &Search<'_, K, Self>, cell: Cell, _at: Cell, _goal: Cell) -> u64 {
        planner.h(cell).unwrap() as u64
    }
}

/// Walks a robot through a random world that changes, and reports each tick.
fn walk<K: Estimate, S: Guided>(seed: u64, changes: Changes, mut report: impl FnMut(&Tick)) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let [width, height] = [(); 2].map(|()| rng.random_range(2..=12));
    let mut known = World::new(width, height, K::GROUND, Unknown::AsFree);
    let mut any = |n: usize| rng.random_range(0..n);
    let start = known.nth(any(known.count()));
    let goal = known.nth(any(known.count()));
    with_search::<K, S, _>(&known.clone(), start, goal, |planner| {
        let mut at = start;
        for _ in 0..60 {
            for _ in 0..any(5) {
                let cell = known.nth(any(known.count()));
                let falls = changes == Changes::RisesAndFalls && any(2) == 0;
                let fact = if falls {
                    Occupancy::Free
                } else {
                    Occupancy::Blocked
                };
                let side = [Side::South, Side::West, Side::North, Side::East][any(4)];
                let weight = known.weight(cell) as u8;
                let seen = match K::GROUND {
                    Ground::Walled => Observation::Wall(cell, side, fact),
                    _ if K::WEIGHTED && any(2) == 0 && falls => {
                        Observation::Weight(cell, weight.div_ceil(2))
                    }
                    _ if K::WEIGHTED && any(2) == 0 => {
                        Observation::Weight(cell, weight.saturating_add(3).min(HEAVIEST))
                    }
                    // The robot and the goal stand on open cells.
                    _ if cell == at || cell == goal => continue,
                    _ => Observation::Cell(cell, fact),
                };
                let changed = planner.observe(seen);
                assert_eq!(changed, Ok(known.see(seen)), "seed {seed}");
            }
            let h_values = |planner: &Search<'_, K, S>| {
                let h = |cell| S::h::<K>(planner, cell, at, goal);
                known.cells().map(h).collect()
            };
            let before = h_values(planner);
            let searches = planner.stats().searches;
            let decision = planner.tick(at, Budget::UNLIMITED).unwrap();
            report(&Tick {
                seed,
                known: known.clone(),
                at,
                goal,
                decision,
                searched: planner.stats().searches > searches,
                expansions: planner.stats().tick.expansions,
                // A cell in the list twice would make it endless.
                expanded: planner.expanded().take(2 * known.count()).collect(),
                h: [before, h_values(planner)],
            });
            match decision {
                Decision::Step(next) => at = next,
                _ if changes == Changes::RisesAndFalls => at = known.nth(any(known.count())),
                _ => break,
            }
            if !known.is_open(at) {
                break;
            }
        }
    });
}

/// The estimate that a kind of terrain is asked to use.
trait Estimate: Kind {
    fn estimate(a: Cell, b: Cell) -> u64;
}

fn apart(a: Cell, b: Cell) -> (u64, u64) {
    (a.x.abs_diff(b.x).into(), a.y.abs_diff(b.y).into())
}

impl Estimate for Plain<Four<Manhattan>> {
    fn estimate(a: Cell, b: Cell) -> u64 {
        let (dx, dy) = apart(a, b);
        dx + dy
    }
}

impl Estimate for Weighted<Eight<NeverCut, Coarse, Octile>> {
    fn estimate(a: Cell, b: Cell) -> u64 {
        let (dx, dy) = apart(a, b);
        7 * dx.min(dy) + 5 * dx.abs_diff(dy)
    }
}

impl Estimate for Walled<MaxNorm> {
    fn estimate(a: Cell, b: Cell) -> u64 {
        let (dx, dy) = apart(a, b);
        dx.max(dy)
    }
}

type FourMoves = Plain<Four<Manhattan>>;
type EightMoves = Weighted<Eight<NeverCut, Coarse, Octile>>;
type BetweenWalls = Walled<MaxNorm>;

/// Checks what a search from `root` to `target` expanded, where `g` are the true costs of the ways
/// from the root.
fn check_expansions(tick: &Tick, root: Cell, target: Cell, g: &Costs) {
    if !tick.searched {
        return;
    }
    let seed = tick.seed;
    let expanded: BTreeSet<Cell> = tick.expanded.iter().copied().collect();
    assert_eq!(
        expanded.len(),
        tick.expanded.len(),
        "a cell twice, seed {seed}"
    );
    assert_eq!(expanded.len(), tick.expansions as usize, "seed {seed}");
    assert!(!expanded.contains(&target), "seed {seed}");
    let cost = g.of(target);
    for cell in tick.known.cells() {
        let f = g.of(cell).map(|g| g + tick.h_before(cell));
        let is_expanded = expanded.contains(&cell);
        match (f, cost) {
            (None, _) => assert!(!is_expanded, "{cell:?} out of reach, seed {seed}"),
            (Some(_), None) => assert!(is_expanded, "{cell:?} in reach, seed {seed}"),
            (Some(f), Some(cost)) if f < cost => {
                assert!(
                    is_expanded,
                    "{cell:?} left out, {root:?} to {target:?}, seed {seed}"
                );
            }
            (Some(f), Some(cost)) if f > cost => {
                assert!(
                    !is_expanded,
                    "{cell:?} in vain, {root:?} to {target:?}, seed {seed}"
                );
            }
            _ => {} // a tie
        }
    }
}

/// A* expands each cell at most once: every one that is nearer than the goal by `f`, none that is
/// farther, and all in reach when there is no way.
fn a_search_expands_just_what_it_must<K: Estimate>() {
    for seed in 0..150 {
        let changes = Changes::RisesAndFalls;
        walk::<K, Forward>(seed, changes, |tick| {
            check_expansions(tick, tick.at, tick.goal, &tick.known.costs_from(tick.at));
        });
        walk::<K, Backward>(seed, changes, |tick| {
            check_expansions(tick, tick.goal, tick.at, &tick.known.costs_to(&[tick.goal]));
        });
        walk::<K, Adaptive>(seed, changes, |tick| {
            check_expansions(tick, tick.at, tick.goal, &tick.known.costs_from(tick.at));
        });
    }
}

#[test]
fn a_search_expands_just_what_it_must_and_nothing_twice() {
    a_search_expands_just_what_it_must::<FourMoves>();
    a_search_expands_just_what_it_must::<EightMoves>();
    a_search_expands_just_what_it_must::<BetweenWalls>();
}

fn check_consistent(tick: &Tick) {
    let (seed, known) = (tick.seed, &tick.known);
    assert_eq!(tick.h_after(tick.goal), 0, "seed {seed}");
    for from in known.cells() {
        for to in known.steps(from) {
            let cost = known.step_cost(from, to).unwrap();
            assert!(
                tick.h_after(from) <= cost + tick.h_after(to),
                "h({from:?}) > c + h({to:?}), seed {seed}"
            );
        }
    }
}

fn check_shortest(tick: &Tick) {
    let costs = tick.known.costs_to(&[tick.goal]);
    let shortest = match tick.decision {
        Decision::Step(next) => {
            let step = tick.known.step_cost(tick.at, next);
            let through = step.zip(costs.of(next)).map(|(step, rest)| step + rest);
            through.is_some() && through == costs.of(tick.at)
        }
        Decision::Unreachable => costs.of(tick.at).is_none(),
        Decision::Arrived => tick.at == tick.goal,
        Decision::Wait => false,
    };
    assert!(shortest, "{:?}, seed {}", tick.decision, tick.seed);
}

fn h_values_stay_consistent_and_only_rise<K: Estimate>() {
    let mut raised = 0;
    for seed in 0..150 {
        let mut last: Option<Vec<u64>> = None;
        walk::<K, Adaptive>(seed, Changes::Rises, |tick| {
            check_consistent(tick);
            check_shortest(tick);
            // What happened since the last tick was only rises: they take nothing back.
            let last = last.get_or_insert_with(|| {
                let estimate = |cell| K::estimate(cell, tick.goal);
                tick.known.cells().map(estimate).collect()
            });
            let before = tick.h[0].iter().zip(&*last);
            assert!(before.clone().all(|(h, was)| h == was), "seed {seed}");
            let after = tick.h[1].iter().zip(&*last);
            assert!(after.clone().all(|(h, was)| h >= was), "seed {seed}");
            raised += after.filter(|(h, was)| h > was).count();
            last.clone_from(&tick.h[1]);
        });
    }
    assert!(raised > 100, "h-values were raised only {raised} times");
}

#[test]
fn learned_h_values_stay_consistent_and_never_fall_while_costs_rise() {
    h_values_stay_consistent_and_only_rise::<FourMoves>();
    h_values_stay_consistent_and_only_rise::<EightMoves>();
    h_values_stay_consistent_and_only_rise::<BetweenWalls>();
}

fn h_values_are_consistent_after_falls<K: Estimate>() {
    for seed in 0..150 {
        walk::<K, Adaptive>(seed, Changes::RisesAndFalls, |tick| {
            check_consistent(tick);
            check_shortest(tick);
        });
    }
}

#[test]
fn learned_h_values_are_consistent_and_paths_shortest_after_costs_fell() {
    h_values_are_consistent_after_falls::<FourMoves>();
    h_values_are_consistent_after_falls::<EightMoves>();
    h_values_are_consistent_after_falls::<BetweenWalls>();
}

/// The cells that a fresh forward search of the same problem expands.
fn forward_expands<K: Kind>(tick: &Tick) -> BTreeSet<Cell> {
    with_search::<K, Forward, _>(&tick.known, tick.at, tick.goal, |planner| {
        planner.tick(tick.at, Budget::UNLIMITED).unwrap();
        planner.expanded().collect()
    })
}

fn adaptive_expands_no_more_than_forward<K: Estimate>() {
    let (mut adaptive, mut forward) = (0, 0);
    for seed in 0..150 {
        walk::<K, Adaptive>(seed, Changes::Rises, |tick| {
            if !tick.searched {
                return;
            }
            let theirs = forward_expands::<K>(tick);
            adaptive += tick.expanded.len();
            forward += theirs.len();
            let g = tick.known.costs_from(tick.at);
            let cost = g.of(tick.goal).unwrap_or(u64::MAX);
            for &cell in &tick.expanded {
                let is_tie = g.of(cell).unwrap() + tick.h_before(cell) == cost;
                assert!(is_tie || theirs.contains(&cell), "{cell:?}, seed {seed}");
            }
        });
    }
    assert!(adaptive < forward, "{adaptive} against {forward}");
}

#[test]
fn adaptive_astar_expands_no_cell_that_forward_astar_would_not_but_for_ties() {
    adaptive_expands_no_more_than_forward::<FourMoves>();
    adaptive_expands_no_more_than_forward::<EightMoves>();
    adaptive_expands_no_more_than_forward::<BetweenWalls>();
}

/// The cells that the first two searches expand in Figure 2's world, and the robot's way between.
fn first_two_searches<S: Strategy>() -> ([BTreeSet<String>; 2], String) {
    let cell = |name: &str| match name.as_bytes() {
        [row, column] => Cell::new(u16::from(column - b'1'), u16::from(row - b'A')),
        _ => panic!("{name} is no cell"),
    };
    let name = |cell: Cell| {
        let (row, column) = (b'A' + cell.y as u8, b'1' + cell.x as u8);
        String::from_utf8(vec![row, column]).unwrap()
    };
    let blocked = ["B3", "C3", "D3", "E4"].map(cell);
    let unknown = World::new(5, 5, Ground::Four, Unknown::AsFree);
    let (mut at, goal) = (cell("E3"), cell("E5"));
    let mut way = name(at);
    let mut searches = Vec::new();
    with_search::<FourMoves, S, _>(&unknown, at, goal, |planner| {
        while searches.len() < 2 {
            for beside in unknown
                .around(at)
                .filter(|c| apart(*c, at).0 + apart(*c, at).1 == 1)
            {
                let fact = match blocked.contains(&beside) {
                    true => Occupancy::Blocked,
                    false => Occupancy::Free,
                };
                planner.observe(Observation::Cell(beside, fact)).unwrap();
            }
            let Ok(Decision::Step(next)) = planner.tick(at, Budget::UNLIMITED) else {
                panic!("there is a way");
            };
            if planner.stats().searches as usize > searches.len() {
                searches.push(planner.expanded().map(name).collect());
            }
            if searches.len() < 2 {
                at = next;
                way += &name(at);
            }
        }
    });
    (searches.try_into().expect("there are two"), way)
}

#[test]
fn the_example_of_the_paper_comes_out_to_the_cell() {
    let ([first, second], way) = first_two_searches::<Forward>();
    let ([learning, learned], same_way) = first_two_searches::<Adaptive>();
    assert_eq!(way, "E3E2D2C2");
    assert_eq!(way, same_way);
    assert_eq!(first, learning);
    assert_eq!(first.len() + second.len(), 23);
    assert_eq!(learning.len() + learned.len(), 20);
    let spared: Vec<&String> = second.difference(&learned).collect();
    assert_eq!(spared, ["E1", "E2", "E3"]);
    assert!(learned.is_subset(&second));
}
