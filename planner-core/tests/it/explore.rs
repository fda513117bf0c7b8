//! The explorer explores until the best path is proven and no longer, whatever the maze and the budget.

use planner_core::{
    Budget, Cell, Decision, Observation, Planner, Side, explore::Phase, map::Occupancy,
};
use rand::{RngExt, seq::IndexedRandom};

use crate::{
    build::{Kind, explorer},
    for_seeds, is_within,
    terrains::{Plain8, Walled4},
    world::{Unknown, World, blocked_with},
};

/// Outcome of an exploration.
#[derive(Debug, PartialEq)]
enum End {
    /// The cost of the run.
    Done(u64),
    Unreachable,
}

/// Explores a maze, and checks each time the explorer says whether it is solved.
fn explore<K: Kind>(
    maze: &World,
    home: Cell,
    goals: &[Cell],
    budget: Budget,
    check_unsolved: bool,
) -> End {
    let (width, height) = (maze.width, maze.height);
    let mut explorer = explorer::<K>((width, height), home, goals);
    let mut free = World::new(width, height, K::GROUND, Unknown::AsFree);
    let mut blocked = World::new(width, height, K::GROUND, Unknown::AsBlocked);
    let (mut at, mut ran) = (home, 0);
    for _ in 0..200_000 {
        for seen in maze.look_around(at, false) {
            explorer.observe(seen).unwrap();
            free.observe(seen);
            blocked.observe(seen);
        }
        let before = explorer.search().phase();
        let decision = explorer.tick(at, budget).unwrap();
        assert!(is_within(explorer.stats().last_tick, budget));

        let is_solved = || free.costs_to(goals).of(home) == blocked.costs_to(goals).of(home);
        let (phase, says_so) = (explorer.search().phase(), explorer.search().is_solved());
        if before == Phase::Explore && says_so {
            assert!(is_solved(), "solved too early");
        }
        if check_unsolved && before == Phase::Explore && phase == Phase::Explore {
            assert!(!says_so && !is_solved(), "solved too late");
        }
        match decision {
            Decision::Step(next) => {
                let cost = maze.step_cost(at, next);
                let cost = cost.unwrap_or_else(|| panic!("{at:?} to {next:?}"));
                at = next;
                ran += cost * u64::from(phase == Phase::Run);
            }
            Decision::Wait => {}
            Decision::Arrived => {
                assert!(goals.contains(&at) && phase == Phase::Done && says_so);
                return End::Done(ran);
            }
            Decision::Unreachable => return End::Unreachable,
        }
    }
    panic!(
        "an exploration without end: {:?} at {at:?}",
        explorer.search().phase()
    );
}

/// A robot that senses a wall only by driving at it.
fn explore_by_touch(maze: &World, home: Cell, goals: &[Cell], budget: Budget) -> End {
    let mut explorer = explorer::<Walled4>((maze.width, maze.height), home, goals);
    let (mut at, mut ran) = (home, 0);
    for _ in 0..50_000 {
        match explorer.tick(at, budget).unwrap() {
            Decision::Step(next) => {
                let mut sides = Side::ALL.into_iter();
                let side = sides.find(|&side| at.neighbor(side) == Some(next));
                let side = side.expect("a step to a neighbor");
                let wall = maze.wall(at, side);
                explorer.observe(Observation::Wall(at, side, wall)).unwrap();
                if wall == Occupancy::Free {
                    at = next;
                    ran += u64::from(explorer.search().phase() == Phase::Run);
                }
            }
            Decision::Wait => {}
            Decision::Arrived => return End::Done(ran),
            Decision::Unreachable => return End::Unreachable,
        }
    }
    panic!(
        "an exploration without end: {:?} at {at:?}",
        explorer.search().phase()
    );
}

fn runs_are_shortest<K: Kind>(seeds: u64) {
    for_seeds(seeds, |rng| {
        let (width, height) = (rng.random_range(1..12), rng.random_range(1..12));
        let walls = *[0.0, 0.2, 0.35, 0.5].choose(rng).unwrap();
        let mut maze = World::new(width, height, K::GROUND, Unknown::AsBlocked);
        maze.fill(|| blocked_with(rng, walls));
        let home = maze.random_passable(rng);
        let goals: Vec<Cell> = (0..rng.random_range(1..=4))
            .map(|_| maze.random_cell(rng))
            .collect();
        if !maze.is_passable(home) {
            return; // nowhere to begin
        }
        let shortest = maze.costs_to(&goals).of(home);
        let expected = shortest.map_or(End::Unreachable, End::Done);
        let end = explore::<K>(&maze, home, &goals, Budget::UNLIMITED, true);
        assert_eq!(end, expected);
        // With one expansion the local search has all, and nobody finds out what is cut off.
        let limit = Budget::limit(rng.random_range(2..20));
        let end = explore::<K>(&maze, home, &goals, limit, false);
        assert_eq!(end, expected, "{limit:?}");
    });
}

#[test]
fn a_run_is_as_short_as_any_path_through_the_maze_and_no_sooner_than_that_is_proven() {
    runs_are_shortest::<Walled4>(600);
    runs_are_shortest::<Plain8>(200);
}

#[test]
fn a_robot_that_senses_walls_by_touch_explores_to_the_end() {
    for_seeds(300, |rng| {
        let (width, height) = (rng.random_range(1..10), rng.random_range(1..10));
        let walls = *[0.1, 0.3, 0.5].choose(rng).unwrap();
        let mut maze = World::new(width, height, Walled4::GROUND, Unknown::AsBlocked);
        maze.fill(|| blocked_with(rng, walls));
        let (home, goal) = (maze.random_cell(rng), maze.random_cell(rng));
        let shortest = maze.costs_to(&[goal]).of(home);
        let end = explore_by_touch(&maze, home, &[goal], Budget::limit(32));
        assert_eq!(end, shortest.map_or(End::Unreachable, End::Done));
    });
}
