//! The planner that counts turns takes the quickest path, by Dijkstra over cells and headings.

use pathfinding::prelude::dijkstra;
use planner_core::{
    Budget, BuildError, Cell, Decision, Planner, Side,
    search::TurnCosts,
    width::{Bits16, Bits32},
};
use rand::RngExt;

use crate::{
    build::turn_aware,
    for_seeds, is_used_up, is_within,
    world::{Connectivity, World, blocked_with},
};

/// The cost of the quickest path from a state to any goal: forward, so not as the planner searches.
fn quickest(maze: &World, from: (Cell, Side), goals: &[Cell], costs: TurnCosts) -> Option<u64> {
    let next = |&(cell, side): &(Cell, Side)| {
        let turned = [side.left(), side.right()].map(|side| ((cell, side), costs.turn.into()));
        let ahead = maze.step(cell, side);
        let ahead = ahead.map(|ahead| ((ahead, side), u64::from(costs.step)));
        turned.into_iter().chain(ahead)
    };
    dijkstra(&from, next, |(cell, _)| goals.contains(cell)).map(|(_, cost)| cost)
}

#[test]
fn the_path_is_the_quickest_whatever_walls_and_goals_and_budgets() {
    for_seeds(120, |rng| {
        let (width, height) = (rng.random_range(1..10), rng.random_range(1..10));
        let costs = TurnCosts {
            step: rng.random_range(1..5),
            turn: rng.random_range(0..9),
        };
        let mut known = World::new(width, height, Connectivity::Walled, Default::default());
        let (mut at, mut side) = (known.random_cell(rng), Side::ALL[rng.random_range(0..4)]);
        let mut goals = vec![known.random_cell(rng)];
        let size = (width, height);
        let search = turn_aware::<Bits16>(size, None, costs, (at, side), goals[0]);
        let mut search = search.unwrap();
        for _ in 0..200 {
            if rng.random_bool(0.2) {
                let state = blocked_with(rng, 0.67);
                let seen = known.random_state(rng, state);
                assert_eq!(search.observe(seen), Ok(known.observe(seen)));
            }
            if rng.random_bool(0.05) {
                let count = rng.random_range(1..4);
                goals = (0..count).map(|_| known.random_cell(rng)).collect();
                search.set_goals(&goals).unwrap();
            }
            let budget = Budget::limit(rng.random_range(0..60));
            let expected = quickest(&known, (at, side), &goals, costs);
            let decision = search.tick(at, budget).unwrap();
            let work = search.stats().last_tick;
            assert!(is_within(work, budget));
            assert!(work.queue_ops <= work.expansions * 4 + work.requeues + 4 * 16);
            match decision {
                Decision::Arrived => assert!(goals.contains(&at)),
                Decision::Wait => assert!(is_used_up(work, budget), "{work:?} of {budget:?}"),
                Decision::Unreachable => assert_eq!(expected, None),
                Decision::Step(next) => {
                    let found = search.search().cost().map(|cost| cost as u64);
                    assert_eq!(found, expected);
                    let heading = Side::between(at, next).unwrap();
                    let turns = (heading as u64 + 4 - side as u64) % 4;
                    let spent =
                        turns.min(4 - turns) * u64::from(costs.turn) + u64::from(costs.step);
                    let rest = quickest(&known, (next, heading), &goals, costs).unwrap();
                    assert_eq!(Some(spent + rest), expected);
                    (at, side) = (next, heading);
                }
            }
        }
    });
}

#[test]
fn a_map_that_costs_do_not_fit_is_refused() {
    let robot = (Cell::new(0, 0), Side::East);
    let narrow = |turn| {
        let costs = TurnCosts { step: 1, turn };
        turn_aware::<Bits16>((100, 100), None, costs, robot, Cell::new(9, 9)).err()
    };
    assert_eq!(narrow(2), None);
    assert!(matches!(narrow(3), Some(BuildError::TooCostly { .. })));

    let costs = TurnCosts { step: 1, turn: 1 };
    let short = turn_aware::<Bits32>((9, 9), Some(1), costs, robot, Cell::new(8, 8)).err();
    assert!(matches!(short, Some(BuildError::TooLittleMemory { .. })));
}
