//! The preset for mazes with times of motion: its runs take the least time, and it explores until that is proven, if
//! asked. Without times it decides as it always has.

use planner_core::{
    Budget, Cell, Decision, Inspect, Observation, Planner, Side,
    explore::Phase,
    map::Occupancy,
    navigator::MazeNavigatorIn,
    search::{RunLimits, RunTimes},
    storage::Boxed,
};
use rand::{Rng, RngExt, seq::IndexedRandom};

use crate::{
    explore::{Mission, carry_out},
    for_seeds,
    run::{LIMITS, least_time, pivot, stop, straight, times},
    world::{Connectivity, Unknown, World, blocked_with},
};

type Robot = MazeNavigatorIn<Boxed>;

/// The time of a path from rest to rest, by its cells, for a robot with a heading.
fn time_of(trail: &[Cell], heading: Option<Side>, times: &RunTimes) -> usize {
    let sides: Vec<Side> = trail
        .windows(2)
        .map(|pair| Side::between(pair[0], pair[1]).expect("adjacent"))
        .collect();
    let Some(&first) = sides.first() else {
        return 0;
    };
    let mut time = pivot(times, heading, first);
    // The straights: cells besides the one in which the robot starts or turns, and the last.
    let (mut cells, mut is_first) = (0, true);
    for pair in sides.windows(2) {
        if pair[0] == pair[1] {
            cells += 1;
            continue;
        }
        assert_ne!(pair[0], pair[1].opposite(), "a turn in place");
        time += times.turn() + straight(times, cells, is_first);
        (cells, is_first) = (0, false);
    }
    time + stop(times, cells, is_first)
}

/// A maze, a home and goals.
fn random_maze(rng: &mut impl Rng, largest: u16) -> (World, Cell, Vec<Cell>) {
    let [width, height] = [(); 2].map(|()| rng.random_range(2..=largest));
    let mut maze = World::new(width, height, Connectivity::Walled, Unknown::AsBlocked);
    if rng.random_bool(0.4) {
        maze.carve_maze(rng);
    } else {
        let walls = *[0.0, 0.2, 0.35].choose(rng).unwrap();
        maze.fill(|| blocked_with(rng, walls));
    }
    let goals = (0..rng.random_range(1..=4)).map(|_| maze.random_cell(rng));
    let goals = goals.collect();
    let home = maze.random_cell(rng);
    (maze, home, goals)
}

/// The heading of a robot where its run begins.
fn heading(mission: &Mission) -> Option<Side> {
    let before = mission.trail.len() - mission.run().len();
    Side::between(*mission.trail[..before].last()?, *mission.run().first()?)
}

/// A robot that has begun.
fn robot(
    maze: &World,
    (home, goals): (Cell, &[Cell]),
    times: Option<RunTimes>,
    by_time: bool,
) -> Robot {
    let mut robot = Robot::allocate(maze.width, maze.height);
    if let Some(times) = times {
        robot.set_run_times(times);
    }
    robot.set_explore_by_time(by_time);
    let begun = robot.begin((maze.width, maze.height), home, goals);
    begun.expect("the maze fits");
    robot
}

/// Explores, returns and runs as the robot shows beforehand; also the time of the run that it planned.
fn run(
    robot: &mut Robot,
    maze: &World,
    ends: (Cell, &[Cell]),
    budget: Budget,
) -> Option<(Mission, Option<u64>)> {
    let mut planned_us = None;
    let mission = carry_out(robot, maze, ends, budget, |robot, mission, _, decision| {
        if robot.phase() == Phase::Run {
            planned_us = planned_us.or(robot.run_time_us());
            if let Decision::Step(next) = decision {
                let at = mission.trail[mission.trail.len() - 1];
                assert_eq!(robot.next_on_path(at), Some(next));
            }
        }
    });
    Some((mission?, planned_us))
}

#[test]
fn a_run_takes_the_least_time_over_known_space() {
    for_seeds(400, |rng| {
        let (maze, home, goals) = random_maze(rng, 12);
        let limit = Budget::limit(*[2, 5, 20, 64, u32::MAX].choose(rng).unwrap());
        let (times, ends) = (times(LIMITS), (home, &goals[..]));
        let mut robot = robot(&maze, ends, Some(times), false);
        let mission = run(&mut robot, &maze, ends, limit);
        let shortest = maze.costs_to(&goals).of(home);
        assert_eq!(mission.is_some(), shortest.is_some());
        let Some((mission, planned_us)) = mission.filter(|(mission, _)| !mission.run().is_empty())
        else {
            return;
        };
        let heading = heading(&mission);
        let time = time_of(mission.run(), heading, &times);
        let least = least_time(&mission.blocked, (home, heading), &goals, &times);
        assert_eq!(least, Some(time));
        assert_eq!(planned_us, Some(1000 * time as u64));
        assert!(mission.run().len() as u64 > shortest.unwrap());
    });
}

#[test]
fn an_explorer_by_time_proves_the_path_of_least_time_of_the_maze() {
    let mut differ = 0;
    for_seeds(300, |rng| {
        let (maze, home, goals) = random_maze(rng, 10);
        let limit = Budget::limit(*[3, 20, 64, u32::MAX].choose(rng).unwrap());
        let turn_um = *[100_000, 500_000].choose(rng).unwrap();
        let times = times(RunLimits {
            turn_um,
            pivot_us: 0,
            ..LIMITS
        });
        let ends = (home, &goals[..]);
        let mut by_time = robot(&maze, ends, Some(times), true);
        let Some((mission, _)) = run(&mut by_time, &maze, ends, limit) else {
            assert_eq!(maze.costs_to(&goals).of(home), None);
            return;
        };
        let from = (home, None);
        let least = least_time(&maze, from, &goals, &times).unwrap();
        assert_eq!(time_of(mission.run(), None, &times), least);
        for known in [&mission.free, &mission.blocked] {
            assert_eq!(least_time(known, from, &goals, &times), Some(least));
        }
        let mut by_cells = robot(&maze, ends, None, true);
        let (other, _) = run(&mut by_cells, &maze, ends, limit).unwrap();
        differ += usize::from(other.trail.len() != mission.trail.len());
    });
    assert!(differ > 20, "exploring by time is not the same: {differ}");
}

#[test]
fn a_wall_that_appears_in_a_run_is_driven_around() {
    for_seeds(200, |rng| {
        let mut maze = World::new(8, 8, Connectivity::Walled, Unknown::AsBlocked);
        maze.fill(|| blocked_with(rng, 0.15));
        let (mut at, goal) = (maze.random_cell(rng), maze.random_cell(rng));
        let mut robot = robot(&maze, (at, &[goal]), Some(times(LIMITS)), false);
        for seen in maze.observations() {
            robot.observe(seen).unwrap();
        }
        for _ in 0..20_000 {
            if robot.phase() == Phase::Run && rng.random_bool(0.02) {
                let seen = maze.random_state(rng, Occupancy::Blocked);
                maze.observe(seen);
                robot.observe(seen).unwrap();
            }
            match robot.tick(at, Budget::limit(7)).unwrap() {
                Decision::Wait => {}
                Decision::Step(next) => {
                    assert!(maze.step_cost(at, next).is_some(), "a wall");
                    at = next;
                }
                Decision::Arrived => return assert_eq!(at, goal),
                Decision::Unreachable => {
                    return assert_eq!(maze.costs_to(&[goal]).of(at), None);
                }
            }
        }
        panic!("a run without end");
    });
}

#[test]
fn a_run_that_is_too_long_for_its_unit_is_the_shortest() {
    let mut maze = World::new(16, 16, Connectivity::Walled, Unknown::AsBlocked);
    maze.fill(|| Occupancy::Free);
    let (home, goal) = (Cell::new(0, 15), Cell::new(15, 0));
    // A turn takes 50 s, and only one fits.
    let slow = times(RunLimits {
        turn_um: 2_500_000,
        turn_speed: 50,
        ..LIMITS
    });
    for (cell, side) in [
        (Cell::new(0, 8), Side::South),
        (Cell::new(8, 15), Side::East),
    ] {
        maze.observe(Observation::Wall(cell, side, Occupancy::Blocked));
    }
    for by_time in [false, true] {
        let ends = (home, &[goal][..]);
        let mut robot = robot(&maze, ends, Some(slow), by_time);
        let (mission, planned_us) = run(&mut robot, &maze, ends, Budget::limit(64)).unwrap();
        assert_eq!((mission.run().len(), planned_us), (31, None));
    }
}

/// Decisions of robots without times in a few mazes, as one number.
fn decisions_without_times() -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for_seeds(40, |rng| {
        let (maze, home, goals) = random_maze(rng, 16);
        let ends = (home, &goals[..]);
        for budget in [2, 17, 64, u32::MAX].map(Budget::limit) {
            let mut robot = robot(&maze, ends, None, false);
            carry_out(
                &mut robot,
                &maze,
                ends,
                budget,
                |robot, mission, _, decision| {
                    let place = match decision {
                        Decision::Step(next) => u64::from(next.x) << 8 | u64::from(next.y),
                        Decision::Wait => 1 << 32,
                        Decision::Arrived => 2 << 32,
                        Decision::Unreachable => 3 << 32,
                    };
                    let work = robot.stats().last_tick;
                    let digest =
                        place ^ u64::from(work.expansions) << 36 ^ u64::from(work.changes) << 50;
                    if mission.ticks <= 3000 {
                        hash = (hash ^ digest).wrapping_mul(0x100_0000_01b3);
                    }
                },
            );
        }
    });
    hash
}

#[test]
fn without_times_every_decision_is_as_it_was() {
    // Only a change of the rules of a search, or of the prices of its work, may change this digest.
    assert_eq!(decisions_without_times(), 945_725_658_757_226_514);
}

/// Walks to a goal and returns the steps and the turns, of a robot that waits for the global search.
fn walk(robot: &mut Robot, maze: &World, start: Cell, goal: Cell) -> Option<(usize, usize)> {
    robot
        .begin((maze.width, maze.height), start, &[start])
        .unwrap();
    for seen in maze.observations() {
        robot.observe(seen).unwrap();
    }
    robot.go_to(&[goal]).unwrap();
    let (mut at, mut heading, mut steps, mut turns) = (start, None, 0, 0);
    for _ in 0..100_000 {
        match robot.tick(at, Budget::limit(64)).unwrap() {
            Decision::Step(next) if robot.search().robot().is_informed() => {
                let side = Side::between(at, next);
                turns += usize::from(heading.is_some() && heading != side);
                (at, heading, steps) = (next, side, steps + 1);
            }
            Decision::Step(_) | Decision::Wait => {}
            Decision::Arrived => return Some((steps, turns)),
            Decision::Unreachable => return None,
        }
    }
    panic!("a walk without end");
}

#[test]
fn a_robot_that_prefers_to_go_straight_turns_less_on_paths_that_are_as_short() {
    let (mut plain_turns, mut straight_turns) = (0, 0);
    for_seeds(200, |rng| {
        let (maze, start, goals) = random_maze(rng, 20);
        let mut robot = Robot::allocate(20, 20);
        let plain = walk(&mut robot, &maze, start, goals[0]);
        robot.set_prefer_straight(true);
        let straight = walk(&mut robot, &maze, start, goals[0]);
        assert_eq!(straight.map(|walk| walk.0), plain.map(|walk| walk.0));
        let shortest = maze.costs_to(&goals[..1]).of(start);
        assert_eq!(straight.map(|walk| walk.0 as u64), shortest);
        plain_turns += plain.map_or(0, |walk| walk.1);
        straight_turns += straight.map_or(0, |walk| walk.1);
    });
    assert!(straight_turns < plain_turns, "{straight_turns} turns");
}

#[test]
fn in_the_open_one_turn_is_enough() {
    let terrain = World::new(64, 64, Connectivity::Walled, Unknown::AsFree);
    let mut robot = Robot::allocate(64, 64);
    robot.set_prefer_straight(true);
    let (start, goal) = (Cell::new(32, 32), Cell::new(34, 28));
    assert_eq!(walk(&mut robot, &terrain, start, goal), Some((6, 1)));
}
