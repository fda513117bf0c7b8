//! Invariants of the tree, checked after every step of random walks in random worlds that change.

use super::*;
use crate::{
    Cell, Goals, Observation, Side,
    graph::{Coarse, Eight, Four, NeverCut},
    local::{Hashed, HashedValues, space::State, tba::path::can_move},
    map::{AsFree, CellMap, Map, Occupancy, WallMap, Weights},
    storage::Boxed,
};

extern crate std;
use std::{collections::BinaryHeap, format, vec, vec::Vec};

const SIDE: u16 = 12;

/// Numbers by xorshift.
struct Noise(u32);

impl Noise {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % limit
    }
}

/// Costs to the goal by plain Dijkstra.
fn costs_to<G: Graph>(graph: &G, goal: usize) -> Vec<usize> {
    let mut costs = vec![usize::MAX; graph.grid().vertices()];
    let mut queue = BinaryHeap::from([(core::cmp::Reverse(0), goal)]);
    while let Some((core::cmp::Reverse(cost), vertex)) = queue.pop() {
        if cost >= costs[vertex] || !graph.is_passable(vertex) {
            continue;
        }
        costs[vertex] = cost;
        let moves = graph.moves(vertex);
        for m in (0..G::MOVES).filter(|&m| moves.contains(m)) {
            let before = graph.grid().neighbor(vertex, m);
            if graph.is_passable(before) {
                let through = cost + graph.cost(m ^ 2, vertex);
                queue.push((core::cmp::Reverse(through), before));
            }
        }
    }
    costs
}

/// Distances as a global search might know them: exact ones of some vertices.
struct EveryThird<'a>(&'a [usize]);

impl Distances for EveryThird<'_> {
    fn distance(&self, vertex: usize) -> Option<usize> {
        let cost = *self.0.get(vertex)?;
        (vertex.is_multiple_of(3) && cost < usize::MAX).then_some(cost)
    }
}

impl<S: LearnedStorage<Bits16>, const N: usize> Tba<S, Bits16, N> {
    /// The entries on the path, not behind the robot, from which it can go on.
    fn possible_moves_ahead(&self, graph: &impl Graph) -> Vec<usize> {
        let is_possible = |number: &usize| {
            let entry = self.space.table.entry(*number);
            let into = graph.grid().neighbor(entry.vertex(), entry.next());
            self.is_current(&entry)
                && entry.state() == State::Path
                && *number != usize::from(self.target)
                && entry.g >= self.robot_g
                && can_move(graph, entry.vertex(), entry.next(), into)
        };
        let numbers = 0..self.space.table.len();
        numbers.filter(is_possible).collect()
    }

    /// Checks what the documentation claims of the tree.
    fn audit<G: Graph>(&self, graph: &G, costs: &[usize]) -> Result<(), std::string::String> {
        for (vertex, &cost) in costs.iter().enumerate() {
            let learned = self.learned.get(vertex).unwrap_or(0);
            if learned > cost && !self.has_fallen {
                return Err(format!("{vertex} learned {learned}, and it is {cost}"));
            }
        }
        // A tree whose path is broken is planted again in the next step.
        if self.stage != Stage::Tree || self.is_broken {
            return Ok(());
        }
        let table = &self.space.table;
        let is_in_tree = |vertex| {
            let entry = self.find(vertex).map(|number| table.entry(number));
            entry.is_some_and(|entry| entry.state() != State::Open || entry.link.is_queued())
        };
        let is_expanded = |vertex| {
            self.find(vertex)
                .is_some_and(|number| table.entry(number).state() != State::Open)
        };
        for number in 0..table.len() {
            let entry = table.entry(number);
            if !self.is_current(&entry) || entry.state() == State::Open {
                continue;
            }
            let vertex = entry.vertex();
            let moves = graph.moves(vertex);
            for m in (0..G::MOVES).filter(|&m| moves.contains(m)) {
                let next = graph.grid().neighbor(vertex, m);
                if graph.is_passable(next)
                    && graph.is_passable(vertex)
                    && !is_in_tree(next)
                    && self.refused != Some(number as u16)
                {
                    return Err(format!(
                        "{next} is an exit of {vertex} and was not generated"
                    ));
                }
            }
        }
        // What is left of an old path has an end without a move.
        if let Trace::Branch { end, .. } | Trace::Clear { end, .. } = self.trace
            && table.entry(end.into()).state() == State::Path
        {
            return Err("a robot at the end of the old path would follow it".into());
        }
        // From the root along the path to its end.
        let root = (0..table.len())
            .map(|number| table.entry(number))
            .find(|entry| self.is_current(entry) && entry.g == 0);
        let Some(root) = root else {
            return Err("no root".into());
        };
        let mut vertex = root.vertex();
        for _ in 0..=table.len() {
            let Some(number) = self.find(vertex) else {
                return Err(format!(
                    "the path leads to {vertex}, which was not generated"
                ));
            };
            if number == usize::from(self.target) {
                return Ok(());
            }
            if !is_expanded(vertex) || table.entry(number).state() != State::Path {
                return Err(format!("the path ends at {vertex}"));
            }
            vertex = graph.grid().neighbor(vertex, table.entry(number).next());
        }
        Err("the path is a circle".into())
    }

    /// Learned values once the tree is given up, by repeated passes over all its cells.
    fn values_to_learn<G: Graph, D: Distances>(
        &self,
        problem: &Problem<'_, G, D>,
    ) -> Vec<Option<usize>> {
        let graph = &problem.graph;
        let vertices = graph.grid().vertices();
        let (mut values, mut is_inside) = (vec![usize::MAX; vertices], vec![false; vertices]);
        for number in 0..self.space.table.len() {
            let entry = self.space.table.entry(number);
            let vertex = entry.vertex();
            if !self.is_current(&entry) {
                continue;
            }
            is_inside[vertex] = entry.state() != State::Open && self.refused != Some(number as u16);
            if !is_inside[vertex] && graph.is_passable(vertex) {
                values[vertex] = self.estimate(problem, vertex).h;
            }
        }
        let mut has_changed = true;
        while core::mem::take(&mut has_changed) {
            for vertex in (0..vertices).filter(|&vertex| is_inside[vertex]) {
                let moves = graph.moves(vertex);
                for m in (0..G::MOVES).filter(|&m| moves.contains(m)) {
                    let next = graph.grid().neighbor(vertex, m);
                    if graph.is_passable(next) && values[next] < usize::MAX {
                        let through = values[next] + graph.cost(m, next);
                        has_changed |= through < values[vertex];
                        values[vertex] = values[vertex].min(through);
                    }
                }
            }
        }
        let learned = |vertex: usize| match is_inside[vertex] && values[vertex] < usize::MAX {
            true => self.learned.get(vertex).max(Some(values[vertex])),
            false => self.learned.get(vertex),
        };
        (0..vertices).map(learned).collect()
    }
}

/// Lets a map and its search take in an observation, and checks that the path is broken if a move on it is no longer
/// possible.
fn observe_in<M: Map, S: LearnedStorage<Bits16>, const N: usize>(
    map: &mut M,
    search: &mut Tba<S, Bits16, N>,
    seen: Observation,
) {
    let before = search.possible_moves_ahead(&map.view::<AsFree>());
    if let Some(change) = map.observe(seen).unwrap()
        && let Some(change) = change.seen_as::<AsFree>()
    {
        let graph = map.view::<AsFree>();
        search.update(&graph, change);
        let after = search.possible_moves_ahead(&graph);
        let is_lost = before.iter().any(|number| !after.contains(number));
        assert!(
            !is_lost || search.is_broken || search.stage != Stage::Tree,
            "{change:?} is missed"
        );
    }
}

/// Walks a robot through a changing world and checks every step. `rises` keeps costs from falling.
fn walk<M: Map, S: LearnedStorage<Bits16>, const N: usize>(
    seed: u32,
    rises: bool,
    mut map: M,
    mut search: Tba<S, Bits16, N>,
    mut observe: impl FnMut(&mut Noise, Occupancy) -> Observation,
) -> usize {
    let noise = &mut Noise(seed.wrapping_mul(0x9e37_79b9) | 1);
    map.resize(SIDE, SIDE).unwrap();
    search.begin(&map.view::<AsFree>()).unwrap();
    let cell = |noise: &mut Noise| Cell::new(noise.below(12) as u16, noise.below(12) as u16);
    let (mut at, mut goal) = (cell(noise), cell(noise));
    let mut arrivals = 0;
    for tick in 0..600 {
        let changes = [0, 0, 0, 1, 1, 3][noise.below(6)];
        for _ in 0..changes {
            let state = match rises || noise.below(3) > 0 {
                true => Occupancy::Blocked,
                false => Occupancy::Free,
            };
            let mut seen = observe(noise, state);
            // The end of a path that is being recorded is rarely met by chance.
            if let (Observation::Cell(cell, Occupancy::Blocked), Trace::Up { target, .. }) =
                (&mut seen, search.trace)
                && noise.below(4) == 0
            {
                let end = search.space.table.entry(target.into()).vertex();
                *cell = map.view::<AsFree>().grid().cell(end);
            }
            if !matches!(seen, Observation::Cell(cell, _) if cell == at || cell == goal) {
                observe_in(&mut map, &mut search, seen);
            }
        }
        let graph = map.view::<AsFree>();
        if at == goal || rises && tick % 150 == 149 {
            arrivals += usize::from(at == goal);
            goal = cell(noise);
            search.forget();
            if !graph.is_passable(graph.grid().vertex(goal).unwrap()) || at == goal {
                goal = at;
                continue;
            }
        }
        let costs = costs_to(&graph, graph.grid().vertex(goal).unwrap());
        let robot = graph.grid().vertex(at).unwrap();
        let goals = Goals::one(goal);
        let budget = Budget::limit([1, 2, 5, 9, 40][noise.below(5)]);
        let mut work = Work::ZERO;
        search.upkeep();
        let decision = if noise.below(2) == 0 {
            let distances = EveryThird(&costs);
            let problem = Problem {
                graph,
                robot,
                at,
                goals: &goals,
                distances,
            };
            search.step(&problem, budget, &mut work)
        } else {
            let problem = Problem {
                graph,
                robot,
                at,
                goals: &goals,
                distances: (),
            };
            search.step(&problem, budget, &mut work)
        };
        let context = format!("seed {seed}, tick {tick}, at {at:?}, goal {goal:?}");
        if let Err(error) = search.audit(&graph, &costs) {
            panic!("{context}: {error}");
        }
        match decision {
            Decision::Step(next) => {
                let into = graph.grid().vertex(next).unwrap();
                let moves = graph.moves(robot);
                let is_legal =
                    (0..8).any(|m| moves.contains(m) && graph.grid().neighbor(robot, m) == into);
                assert!(
                    is_legal && graph.is_passable(into),
                    "{context}: into {next:?}"
                );
                at = next;
            }
            Decision::Unreachable => assert_eq!(costs[robot], usize::MAX, "{context}"),
            Decision::Wait => {}
            Decision::Arrived => panic!("{context}: arrived"),
        }
    }
    let limit = [1, 2, 5, 9, 40][seed as usize % 5];
    if !S::KEEPS_ALL {
        return arrivals;
    }
    arrive(&mut search, &map.view::<AsFree>(), (at, goal), limit, seed);
    arrivals
}

/// Walks a robot to its goal, if it can be reached, now that nothing changes any more.
fn arrive<G: Graph, S: LearnedStorage<Bits16>, const N: usize>(
    search: &mut Tba<S, Bits16, N>,
    graph: &G,
    (mut at, goal): (Cell, Cell),
    limit: u32,
    seed: u32,
) {
    let costs = costs_to(graph, graph.grid().vertex(goal).unwrap());
    if costs[graph.grid().vertex(at).unwrap()] == usize::MAX {
        return;
    }
    let goals = Goals::one(goal);
    // Values of at most 144 cells rise to at most 144 cells' cost, one cell in a step at the least.
    for _ in 0..144 * 144 {
        if at == goal {
            return;
        }
        let problem = Problem {
            graph: *graph,
            robot: graph.grid().vertex(at).unwrap(),
            at,
            goals: &goals,
            distances: (),
        };
        search.upkeep();
        let budget = Budget::limit(limit);
        if let Decision::Step(next) = search.step(&problem, budget, &mut Work::default()) {
            at = next;
        }
    }
    panic!("seed {seed}, limit {limit}: at {at:?} instead of {goal:?}");
}

fn cells(noise: &mut Noise, state: Occupancy) -> Observation {
    let cell = Cell::new(noise.below(12) as u16, noise.below(12) as u16);
    Observation::Cell(cell, state)
}

fn weight(noise: &mut Noise) -> Observation {
    let cell = Cell::new(noise.below(12) as u16, noise.below(12) as u16);
    Observation::Weight(cell, 1 + noise.below(100) as u8)
}

fn walls(noise: &mut Noise, state: Occupancy) -> Observation {
    let cell = Cell::new(noise.below(12) as u16, noise.below(12) as u16);
    Observation::Wall(cell, Side::ALL[noise.below(4)], state)
}

/// Half a million steps, with tables that hold the whole map and tables that are full all the time.
fn check<M: Map, const N: usize>(
    map: impl Fn() -> M,
    observe: fn(&mut Noise, Occupancy) -> Observation,
) {
    let mut arrivals = 0;
    for seed in 0..70 {
        let search = Tba::<Boxed, Bits16, N>::allocate(30);
        arrivals += walk(seed, seed % 2 == 0, map(), search, observe);
        let lossy = Tba::<Hashed<16>, Bits16, N>::with_learned(HashedValues::new());
        walk(seed, seed % 2 == 0, map(), lossy, observe);
    }
    assert!(arrivals > 300, "only {arrivals} arrivals");
}

#[test]
fn the_tree_keeps_its_invariants_on_four_moves() {
    let map = || CellMap::<Boxed, Four>::in_storage(vec![0; 30].into(), crate::map::Uniform);
    check::<_, 400>(map, cells);
    check::<_, 24>(map, cells);
}

#[test]
fn the_tree_keeps_its_invariants_on_eight_moves() {
    let map = || {
        let words = vec![0; 30].into();
        CellMap::<Boxed, Eight<NeverCut, Coarse>>::in_storage(words, crate::map::Uniform)
    };
    check::<_, 400>(map, cells);
    check::<_, 24>(map, cells);
}

#[test]
fn the_tree_keeps_its_invariants_among_walls() {
    let map = || WallMap::<Boxed>::in_storage(vec![[0; 16]; 30].into());
    check::<_, 400>(map, walls);
    check::<_, 24>(map, walls);
}

/// Walks a robot through a world in which more and more is blocked, gives its trees up now and then, and compares
/// what is learned from them; returns the number of such trees, and of those that had no room for a cell. A cell is
/// visited up to `turns` times, which is more than once where values are more than a turn of OPEN apart.
fn check_learning<M: Map, const N: usize>(
    seed: u32,
    mut map: M,
    observe: fn(&mut Noise, Occupancy) -> Observation,
    turns: usize,
) -> [usize; 2] {
    let noise = &mut Noise(seed.wrapping_mul(0x9e37_79b9) | 1);
    map.resize(SIDE, SIDE).unwrap();
    for _ in 0..100 {
        let _ = map.observe(weight(noise)); // most maps have no weights
    }
    let mut search = Tba::<Boxed, Bits16, N>::allocate(30);
    search.begin(&map.view::<AsFree>()).unwrap();
    let (mut at, goal) = (Cell::new(1, 6), Cell::new(11, 6));
    let goals = Goals::one(goal);
    let mut trees = [0; 2];
    for tick in 0..200 {
        let changes = if tick == 0 { 60 } else { noise.below(3) };
        for _ in 0..changes {
            let seen = observe(noise, Occupancy::Blocked);
            if !matches!(seen, Observation::Cell(cell, _) if cell == at || cell == goal) {
                observe_in(&mut map, &mut search, seen);
            }
        }
        let graph = map.view::<AsFree>();
        let costs = costs_to(&graph, graph.grid().vertex(goal).unwrap());
        let robot = graph.grid().vertex(at).unwrap();
        if at == goal || costs[robot] == usize::MAX {
            break;
        }
        let problem = Problem {
            graph,
            robot,
            at,
            goals: &goals,
            distances: EveryThird(&costs),
        };
        search.upkeep();
        if search.stage == Stage::Tree && noise.below(4) == 0 {
            // As if a successor of some cell had found no room.
            let number = noise.below(search.space.table.len());
            let entry = search.space.table.entry(number);
            if search.is_current(&entry) && entry.state() != State::Open {
                search.refused = Some(number as u16);
            }
            let expected = search.values_to_learn(&problem);
            trees[0] += 1;
            trees[1] += usize::from(search.refused.is_some());
            search.begin_learning(&graph);
            let mut work = Work::ZERO;
            while search.stage != Stage::Empty {
                let budget = Budget::limit(1 + noise.below(3) as u32);
                let mut left = Remaining::new(budget);
                search.learn(&problem, &Steps::new(&graph), &mut left, &mut work);
                let is_done = search.stage == Stage::Empty;
                assert!(is_done || !left.has(EXPANSION), "seed {seed}, tick {tick}");
            }
            let learned = |vertex| search.learned.get(vertex);
            let learned: Vec<_> = (0..costs.len()).map(learned).collect();
            assert_eq!(learned, expected, "seed {seed}, tick {tick}");
            assert!(
                work.visits as usize <= search.space.table.len() * turns,
                "seed {seed}, tick {tick}"
            );
            continue;
        }
        let budget = Budget::limit([1, 2, 5, 9, 40][noise.below(5)]);
        if let Decision::Step(next) = search.step(&problem, budget, &mut Work::default()) {
            at = next;
        }
    }
    trees
}

#[test]
fn cells_learn_the_least_cost_through_the_frontier() {
    let four = || CellMap::<Boxed, Four>::in_storage(vec![0; 30].into(), crate::map::Uniform);
    let eight = || {
        let words = vec![0; 30].into();
        CellMap::<Boxed, Eight<NeverCut, Coarse>>::in_storage(words, crate::map::Uniform)
    };
    let weighted = || {
        let weights = Weights::<Boxed, 100>::in_storage(vec![[0; 16]; 30].into());
        CellMap::<Boxed, Four, _>::in_storage(vec![0; 30].into(), weights)
    };
    let wall = || WallMap::<Boxed>::in_storage(vec![[0; 16]; 30].into());
    let mut trees = [[0; 2]; 6];
    for seed in 0..150 {
        let counts = [
            check_learning::<_, 400>(seed, four(), cells, 1),
            check_learning::<_, 13>(seed, four(), cells, 1),
            check_learning::<_, 26>(seed, eight(), cells, 1),
            check_learning::<_, 400>(seed, weighted(), cells, 9),
            check_learning::<_, 24>(seed, wall(), walls, 1),
            check_learning::<_, 60>(seed, wall(), walls, 1),
        ];
        for (sums, counts) in trees.iter_mut().zip(counts) {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }
    let is_enough = |trees: &[usize; 2]| trees[0] > 100 && trees[1] > 50;
    assert!(trees.iter().all(is_enough), "{trees:?}");
}

#[test]
fn a_search_learns_again_once_costs_no_longer_fall() {
    let mut map = CellMap::<Boxed, Four>::in_storage(vec![0; 30].into(), crate::map::Uniform);
    map.resize(SIDE, SIDE).unwrap();
    // A dead end of more cells than the table holds, between the robot and its goal, and a cell that opens.
    let opens = Cell::new(0, 11);
    let trap = (2..=9).flat_map(|n| [Cell::new(9, n), Cell::new(n, 2), Cell::new(n, 9)]);
    for cell in trap.chain([opens]) {
        map.observe(Observation::Cell(cell, Occupancy::Blocked))
            .unwrap();
    }
    for limit in [1, 2, 5, 9, 40] {
        let mut search = Tba::<Boxed, Bits16, 24>::allocate(30);
        search.begin(&map.view::<AsFree>()).unwrap();
        let opened = map.view::<AsFree>().grid().vertex(opens).unwrap();
        search.update(&map.view::<AsFree>(), GraphChange::Unblocked(opened));
        let ends = (Cell::new(8, 5), Cell::new(11, 5));
        arrive(&mut search, &map.view::<AsFree>(), ends, limit, 0);
    }
}

/// More trees than have a number, a large one and many that are given up at once: the path is blocked in every tick.
#[test]
fn entries_of_a_tree_are_not_taken_for_those_of_one_with_the_same_number() {
    let mut map = CellMap::<Boxed, Four>::in_storage(vec![0; 30].into(), crate::map::Uniform);
    map.resize(SIDE, SIDE).unwrap();
    for y in 0..SIDE - 1 {
        let seen = Observation::Cell(Cell::new(8, y), Occupancy::Blocked);
        map.observe(seen).unwrap();
    }
    let mut search = Tba::<Boxed, Bits16, 400>::allocate(30);
    search.begin(&map.view::<AsFree>()).unwrap();
    let (at, goal) = (Cell::new(4, 1), Cell::new(11, 1));
    let goals = Goals::one(goal);
    let mut generations = Vec::new();
    let mut door = None;
    for tick in 0..2 * usize::from(LAST_GENERATION) {
        let graph = map.view::<AsFree>();
        let costs = costs_to(&graph, graph.grid().vertex(goal).unwrap());
        let problem = Problem {
            graph,
            robot: graph.grid().vertex(at).unwrap(),
            at,
            goals: &goals,
            distances: (),
        };
        let is_first = tick.is_multiple_of(usize::from(LAST_GENERATION) + 1);
        let budget = Budget::limit(if is_first { 60 } else { 2 });
        let decision = search.step(&problem, budget, &mut Work::default());
        assert_ne!(decision, Decision::Unreachable, "tick {tick}");
        if let Err(error) = search.audit(&graph, &costs) {
            panic!("tick {tick}: {error}");
        }
        generations.push(search.generation);
        if let Some(cell) = door.take() {
            let opened = Observation::Cell(cell, Occupancy::Free);
            observe_in(&mut map, &mut search, opened);
        }
        if let Decision::Step(next) = decision {
            let blocked = Observation::Cell(next, Occupancy::Blocked);
            observe_in(&mut map, &mut search, blocked);
            door = Some(next);
        }
    }
    assert!(generations.contains(&LAST_GENERATION), "{generations:?}");
}
