//! A planner that counts turns takes the quickest way, by Dijkstra's algorithm over cells and headings.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::common::{
    is_used_up, is_within,
    world::{Ground, World},
};
use planner_core::{
    Budget, BuildError, Cell, Decision, Observation, Planner, Side,
    map::{Occupancy, Unknown},
    queue::{Buckets, Fifo},
    search::{TurnAware, TurnCosts},
    terrain::Walls,
    width::{Bits16, Bits32},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SIDES: [Side; 4] = [Side::South, Side::West, Side::North, Side::East];

type Search<'m> = TurnAware<'m, Bits16, Walls<'m>, Buckets<4, Fifo>>;

/// The cost of the quickest way from a state to any goal: forward, so not as the planner searches.
fn quickest(maze: &World, from: (Cell, usize), goals: &[Cell], costs: TurnCosts) -> Option<u64> {
    let mut best = vec![u64::MAX; maze.count() * 4];
    let index = |(cell, side): (Cell, usize)| {
        (usize::from(cell.y) * usize::from(maze.width) + usize::from(cell.x)) * 4 + side
    };
    let mut open = BinaryHeap::from([(Reverse(0), from.0.x, from.0.y, from.1)]);
    best[index(from)] = 0;
    while let Some((Reverse(cost), x, y, side)) = open.pop() {
        let cell = Cell::new(x, y);
        if goals.contains(&cell) {
            return Some(cost);
        }
        let turn = u64::from(costs.turn);
        let mut next = vec![
            ((cell, (side + 1) % 4), turn),
            ((cell, (side + 3) % 4), turn),
        ];
        if let Some(ahead) = maze.beyond(cell, SIDES[side])
            && maze.step_cost(cell, ahead).is_some()
        {
            next.push(((ahead, side), u64::from(costs.step)));
        }
        for (state, step) in next {
            if cost + step < best[index(state)] {
                best[index(state)] = cost + step;
                open.push((Reverse(cost + step), state.0.x, state.0.y, state.1));
            }
        }
    }
    None
}

#[test]
fn the_way_is_the_quickest_whatever_walls_and_goals_and_budgets() {
    for seed in 0..120 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (width, height) = (rng.random_range(1..10), rng.random_range(1..10));
        let costs = TurnCosts {
            step: rng.random_range(1..5),
            turn: rng.random_range(0..9),
        };
        let mut map = vec![0; Walls::words(width, height)];
        let mut nodes = vec![Default::default(); Search::nodes(Walls::vertices(width, height))];
        let mut known = World::new(width, height, Ground::Walled, Unknown::AsFree);
        let place =
            |rng: &mut ChaCha8Rng, known: &World| known.nth(rng.random_range(0..known.count()));
        let (mut at, mut side) = (place(&mut rng, &known), rng.random_range(0..4));
        let mut goals = vec![place(&mut rng, &known)];
        let walls = Walls::new(width, height, &mut map, Unknown::AsFree).unwrap();
        let robot = (at, SIDES[side]);
        let mut search =
            Search::new(walls, Buckets::new(), &mut nodes, costs, robot, goals[0]).unwrap();
        for _ in 0..200 {
            if rng.random_bool(0.2) {
                let wall = SIDES[rng.random_range(0..4)];
                let fact = [Occupancy::Free, Occupancy::Blocked, Occupancy::Blocked]
                    [rng.random_range(0..3)];
                let seen = Observation::Wall(place(&mut rng, &known), wall, fact);
                assert_eq!(search.observe(seen), Ok(known.see(seen)));
            }
            if rng.random_bool(0.05) {
                goals = (0..rng.random_range(1..4))
                    .map(|_| place(&mut rng, &known))
                    .collect();
                search.set_goals(&goals).unwrap();
            }
            let budget = Budget::limit(rng.random_range(0..60));
            let expected = quickest(&known, (at, side), &goals, costs);
            let decision = search.tick(at, budget).unwrap();
            let work = search.stats().tick;
            assert!(is_within(work, budget));
            assert!(work.queue_ops <= work.expansions * 4 + work.requeues + 4 * 16);
            match decision {
                Decision::Arrived => assert!(goals.contains(&at)),
                Decision::Wait => {
                    assert!(is_used_up(work, budget), "{work:?} of {budget:?}");
                }
                Decision::Unreachable => assert_eq!(expected, None),
                Decision::Step(next) => {
                    assert_eq!(
                        search.cost().map(|cost| cost as u64),
                        expected,
                        "seed {seed}"
                    );
                    let m = SIDES
                        .iter()
                        .position(|&s| known.beyond(at, s) == Some(next))
                        .unwrap();
                    let turns = (m + 4 - side) % 4;
                    let spent =
                        turns.min(4 - turns) as u64 * u64::from(costs.turn) + u64::from(costs.step);
                    let rest = quickest(&known, (next, m), &goals, costs).unwrap();
                    assert_eq!(Some(spent + rest), expected, "seed {seed}");
                    (at, side) = (next, m);
                }
            }
        }
    }
}

#[test]
fn a_map_that_costs_do_not_fit_is_refused() {
    let build16 = |turn| {
        let mut map = [0; Walls::words(100, 100)];
        let mut nodes = vec![Default::default(); Search::nodes(Walls::vertices(100, 100))];
        let walls = Walls::new(100, 100, &mut map, Unknown::AsFree).unwrap();
        let costs = TurnCosts { step: 1, turn };
        let robot = (Cell::new(0, 0), Side::East);
        Search::new(
            walls,
            Buckets::new(),
            &mut nodes,
            costs,
            robot,
            Cell::new(9, 9),
        )
        .err()
    };
    assert_eq!(build16(2), None);
    assert!(matches!(build16(3), Some(BuildError::TooCostly { .. })));

    let mut map = [0; Walls::words(9, 9)];
    let mut nodes = [Default::default(); 10];
    let walls = Walls::new(9, 9, &mut map, Unknown::AsFree).unwrap();
    let costs = TurnCosts { step: 1, turn: 1 };
    let robot = (Cell::new(0, 0), Side::East);
    let search = TurnAware::<Bits32, Walls, Buckets<4, Fifo>>::new(
        walls,
        Buckets::new(),
        &mut nodes,
        costs,
        robot,
        Cell::new(8, 8),
    );
    assert!(matches!(
        search.err(),
        Some(BuildError::TooLittleMemory { .. })
    ));
}
