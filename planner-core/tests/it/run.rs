//! The path of a run takes the least time, by plain Dijkstra over cells, headings and lengths of straights.

use pathfinding::prelude::dijkstra;
use planner_core::{
    Budget, BuildError, Cell, GoalsError, Observation, OffMap, Side, Work,
    map::{Map, Occupancy, WallMap},
    search::{RunLimits, RunPosition, RunProgress, RunSearch, RunStep, RunTimes, UnknownAs},
    storage::{Allocate, BLOCK, Boxed, blocks},
    width::{Bits16, Bits32, Width},
};
use rand::{Rng, RngExt, seq::IndexedRandom};

use crate::{
    for_seeds, is_used_up, is_within,
    world::{Connectivity, Unknown, World, blocked_with},
};

pub const LIMITS: RunLimits = RunLimits::MICROMOUSE;

pub fn times(limits: RunLimits) -> RunTimes {
    RunTimes::new(limits).expect("in range")
}

/// A state of a robot that runs.
#[derive(Clone, PartialEq, Eq, Hash)]
enum State {
    /// At rest in the first cell.
    Start,
    /// On a straight: cell, heading, cells so far and whether it began at rest.
    Straight(Cell, Side, usize, bool),
    /// At rest in a goal.
    Stopped,
}

/// The least time from rest in a cell to rest in a goal: forward and cell by cell, so not as the search finds it.
pub fn least_time(
    maze: &World,
    (start, heading): (Cell, Option<Side>),
    goals: &[Cell],
    times: &RunTimes,
) -> Option<usize> {
    if goals.contains(&start) {
        return Some(0);
    }
    let next = |state: &State| {
        let &State::Straight(cell, side, cells, rest) = state else {
            let first = |side| {
                let first = State::Straight(maze.step(start, side)?, side, 0, true);
                Some((first, pivot(times, heading, side) + times.from_rest(0)))
            };
            return Side::ALL.into_iter().filter_map(first).collect();
        };
        let mut next = Vec::new();
        // The time of the straight so far, if a turn followed now.
        let now = straight(times, cells, rest);
        if goals.contains(&cell) {
            next.push((State::Stopped, stop(times, cells, rest) - now));
        }
        if let Some(ahead) = maze.step(cell, side) {
            let longer = straight(times, cells + 1, rest) - now;
            next.push((State::Straight(ahead, side, cells + 1, rest), longer));
        }
        for side in [side.left(), side.right()] {
            if let Some(into) = maze.step(cell, side) {
                let turned = State::Straight(into, side, 0, false);
                next.push((turned, times.turn() + times.straight(0)));
            }
        }
        next
    };
    let path = dijkstra(&State::Start, next, |state| *state == State::Stopped);
    path.map(|(_, time)| time)
}

/// The time of the turns in place before the first step.
pub fn pivot(times: &RunTimes, from: Option<Side>, to: Side) -> usize {
    let quarters = from.map_or(0, |from| (to as usize + 4 - from as usize) % 4);
    times.pivot(quarters.min(4 - quarters))
}

/// The time of a straight that ends in a turn.
pub fn straight(times: &RunTimes, cells: usize, from_rest: bool) -> usize {
    match from_rest {
        true => times.from_rest(cells),
        false => times.straight(cells),
    }
}

/// The time of a straight that ends at rest.
pub fn stop(times: &RunTimes, cells: usize, from_rest: bool) -> usize {
    match from_rest {
        true => times.rest_to_rest(cells + 1),
        false => times.from_rest(cells),
    }
}

/// A map with all that a world knows.
pub fn map_of(known: &World) -> WallMap<Boxed> {
    let blocks = blocks(WallMap::vertices(known.width, known.height));
    let mut map = WallMap::in_storage(Boxed::allocate(blocks, [0; BLOCK]));
    map.resize(known.width, known.height).unwrap();
    for seen in known.observations() {
        let _ = map.observe(seen).unwrap();
    }
    map
}

fn search<W: Width>(map: &WallMap<Boxed>, times: RunTimes) -> RunSearch<Boxed, W> {
    let mut run = RunSearch::allocate(map.grid().vertices().div_ceil(BLOCK));
    run.set_times(times);
    run
}

/// Searches in ticks, each within its budget, and returns how it ended.
fn advance<W: Width>(
    run: &mut RunSearch<Boxed, W>,
    map: &WallMap<Boxed>,
    budget: Budget,
) -> RunProgress {
    for _ in 0..1_000_000 {
        let mut work = Work::ZERO;
        let progress = run.advance(map, budget, &mut work);
        assert!(is_within(work, budget), "{work:?}");
        match progress {
            RunProgress::Searching => assert!(is_used_up(work, budget), "{work:?}"),
            done => return done,
        }
    }
    panic!("a search without end");
}

/// Drives the path found, wall by wall, and returns its time, with the turns in place at the start.
fn drive<W: Width>(
    run: &mut RunSearch<Boxed, W>,
    map: &WallMap<Boxed>,
    maze: &World,
    heading: Option<Side>,
    goals: &[Cell],
) -> usize {
    let times = *run.times().expect("set");
    let at: RunPosition = run.start().expect("found");
    let mut time = pivot(&times, heading, at.heading());
    let (mut cell, mut side) = (at.cell(), at.heading());
    // Cells of the straight, and whether it began at rest.
    let (mut cells, mut rest) = (0, true);
    let mut is_first = true;
    loop {
        match run.next(map, cell).expect("on the path") {
            RunStep::Blocked => panic!("a wall at {cell:?}"),
            RunStep::Arrived => {
                assert!(goals.contains(&cell));
                return match is_first {
                    true => 0,
                    false => time + stop(&times, cells, rest),
                };
            }
            RunStep::To(next) => {
                assert_eq!(Side::between(cell, next.cell()), Some(next.heading()));
                assert!(maze.step_cost(cell, next.cell()).is_some(), "a wall");
                if is_first {
                    assert_eq!(next.heading(), side);
                } else if next.heading() == side {
                    cells += 1;
                } else {
                    assert_ne!(next.heading(), side.opposite(), "a turn in place");
                    time += times.turn() + straight(&times, cells, rest);
                    (cells, rest) = (0, false);
                }
                is_first = false;
                (cell, side) = (next.cell(), next.heading());
            }
        }
    }
}

fn check<W: Width>(
    known: &World,
    robot: (Cell, Option<Side>),
    goals: &[Cell],
    unknown: UnknownAs,
    times: RunTimes,
    budgets: impl IntoIterator<Item = u32>,
) {
    let map = map_of(known);
    let expected = least_time(known, robot, goals, &times);
    let mut run = search::<W>(&map, times);
    for limit in budgets {
        run.begin(&map, robot, goals, unknown).unwrap();
        let progress = advance(&mut run, &map, Budget::limit(limit));
        match expected {
            Some(time) => {
                assert_eq!((progress, run.time()), (RunProgress::Found, Some(time)));
                let driven = drive(&mut run, &map, known, robot.1, goals);
                assert_eq!(driven, time, "the path does not keep its guarantee");
            }
            None => assert_eq!((progress, run.time()), (RunProgress::NoPath, None)),
        }
    }
}

/// Times of a random robot.
fn random_times(rng: &mut impl Rng) -> RunTimes {
    let limits = RunLimits {
        turn_um: *[1, 100_000, 150_000, 2_000_000].choose(rng).unwrap(),
        turn_speed: rng.random_range(50..350),
        top_speed: rng.random_range(350..3000),
        acceleration: rng.random_range(700..9000),
        pivot_us: rng.random_range(0..900_000),
        tick_us: *[1000, 3000].choose(rng).unwrap(),
        ..LIMITS
    };
    times(match rng.random_range(0..10) {
        0 => EVEN,
        1 => SLOW,
        _ => limits,
    })
}

/// A turn takes as long as a cell, and the shortest path the least time.
const EVEN: RunLimits = RunLimits {
    turn_um: 180_000,
    top_speed: 300,
    acceleration: u16::MAX,
    ..LIMITS
};

/// A turn takes a minute, and the path with the fewest turns the least time.
const SLOW: RunLimits = RunLimits {
    turn_um: 4_000_000,
    turn_speed: 70,
    ..LIMITS
};

#[test]
fn extreme_limits_have_turns_of_a_cell_and_of_a_minute() {
    assert_eq!(times(EVEN).turn(), times(EVEN).straight(1));
    assert!(times(SLOW).turn() > 50_000);
}

#[test]
fn the_least_time_is_the_sum_of_its_parts() {
    let times = times(LIMITS);
    let corridor = World::new(1, 3, Connectivity::Walled, Unknown::AsFree);
    let south = (Cell::new(0, 0), Some(Side::North));
    assert_eq!(
        least_time(&corridor, south, &[Cell::new(0, 2)], &times),
        Some(times.pivot(2) + times.rest_to_rest(2))
    );
    let square = World::new(2, 2, Connectivity::Walled, Unknown::AsFree);
    let east = (Cell::new(0, 0), Some(Side::East));
    assert_eq!(
        least_time(&square, east, &[Cell::new(1, 1)], &times),
        Some(times.pivot(0) + times.from_rest(0) + times.turn() + times.from_rest(0))
    );
}

/// A maze of any kind, partly unknown.
fn random_world(rng: &mut impl Rng, largest: u16) -> (World, UnknownAs) {
    let (width, height) = (rng.random_range(1..=largest), rng.random_range(1..=largest));
    let (as_seen, unknown) = *[
        (Unknown::AsBlocked, UnknownAs::Blocked),
        (Unknown::AsFree, UnknownAs::Free),
    ]
    .choose(rng)
    .unwrap();
    let mut maze = World::new(width, height, Connectivity::Walled, as_seen);
    match rng.random_range(0..5) {
        0 => maze.carve_maze(rng),
        1 => maze.fill(|| Occupancy::Free),
        kind => maze.fill(|| blocked_with(rng, 0.15 * f64::from(kind))),
    }
    for _ in 0..rng.random_range(0..=maze.count() / 4) {
        let forgotten = maze.random_state(rng, Occupancy::Unknown);
        maze.observe(forgotten);
    }
    (maze, unknown)
}

#[test]
fn the_path_takes_the_least_time_whatever_walls_and_goals_and_motion() {
    for_seeds(4000, |rng| {
        let (maze, unknown) = random_world(rng, 12);
        let heading = [None, Some(Side::ALL[rng.random_range(0..4)])];
        let robot = (maze.random_cell(rng), *heading.choose(rng).unwrap());
        let goals: Vec<Cell> = (0..rng.random_range(1..=4))
            .map(|_| maze.random_cell(rng))
            .collect();
        let limits = [rng.random_range(1..40), u32::MAX];
        let times = random_times(rng);
        check::<Bits32>(&maze, robot, &goals, unknown, times, limits);
    });
}

#[test]
fn the_path_is_the_same_under_ticks_of_every_limit() {
    for_seeds(12, |rng| {
        let (maze, unknown) = random_world(rng, 16);
        let robot = (maze.random_cell(rng), Some(Side::North));
        let goals = [maze.random_cell(rng)];
        check::<Bits16>(&maze, robot, &goals, unknown, times(LIMITS), 1..=64);
    });
}

/// The bundled mazes of the simulator: drawings with posts, of which cells are four characters wide.
fn bundled() -> impl Iterator<Item = (World, Cell, Vec<Cell>)> {
    const DRAWINGS: [&str; 4] = [
        include_str!("../../../sim/worlds/maze-easy.txt"),
        include_str!("../../../sim/worlds/maze-medium.txt"),
        include_str!("../../../sim/worlds/maze-hard.txt"),
        include_str!("../../../sim/worlds/maze-large.txt"),
    ];
    DRAWINGS.into_iter().map(|drawing| {
        let lines: Vec<&[u8]> = drawing.lines().map(str::as_bytes).collect();
        let at = |line: usize, column: usize| lines[line].get(column).copied().unwrap_or(b' ');
        let (height, width) = ((lines.len() / 2) as u16, (lines[0].len() / 4) as u16);
        let mut maze = World::new(width, height, Connectivity::Walled, Unknown::AsBlocked);
        let (mut start, mut goals) = (Cell::new(0, height - 1), vec![]);
        for cell in maze.cells() {
            let (line, column) = (2 * usize::from(cell.y) + 1, 4 * usize::from(cell.x) + 2);
            match at(line, column) {
                b'S' => start = cell,
                b'G' => goals.push(cell),
                _ => {}
            }
            for (side, wall) in [
                (Side::East, at(line, column + 2)),
                (Side::South, at(line + 1, column)),
            ] {
                let is_free = if wall == b' ' {
                    Occupancy::Free
                } else {
                    Occupancy::Blocked
                };
                maze.observe(Observation::Wall(cell, side, is_free));
            }
        }
        (maze, start, goals)
    })
}

#[test]
fn the_path_through_every_bundled_maze_takes_the_least_time() {
    for (maze, start, goals) in bundled() {
        assert!(!goals.is_empty());
        for (turn_um, tick_us) in [(100_000, 2000), (150_000, 4000), (500_000, 4000)] {
            let times = times(RunLimits {
                turn_um,
                tick_us,
                ..LIMITS
            });
            let robot = (start, Some(Side::North));
            let limits = [1, 7, 64, 1000];
            check::<Bits16>(&maze, robot, &goals, UnknownAs::Blocked, times, limits);
        }
    }
}

#[test]
fn a_wall_that_appears_on_the_path_is_driven_around() {
    for_seeds(400, |rng| {
        let mut maze = World::new(9, 9, Connectivity::Walled, Unknown::AsBlocked);
        maze.fill(|| blocked_with(rng, 0.3));
        let (mut at, goal) = (maze.random_cell(rng), maze.random_cell(rng));
        let mut map = map_of(&maze);
        let mut run = search::<Bits16>(&map, times(LIMITS));
        run.begin(&map, (at, None), &[goal], UnknownAs::Blocked)
            .unwrap();
        // The robot drives; walls come and go anywhere, also while it searches.
        for _ in 0..300 {
            if rng.random_bool(0.05) {
                let state = blocked_with(rng, 0.9);
                let seen = maze.random_state(rng, state);
                maze.observe(seen);
                if let Some(change) = map.observe(seen).unwrap() {
                    run.update(change);
                }
            }
            match run.advance(&map, Budget::limit(2), &mut { Work::ZERO }) {
                RunProgress::Searching => continue,
                RunProgress::NoPath => {
                    assert_eq!(maze.costs_to(&[goal]).of(at), None, "there is a path");
                    return;
                }
                RunProgress::TooLong => panic!("no path of 81 cells is too long"),
                RunProgress::Found => {}
            }
            match run.next(&map, at) {
                Some(RunStep::To(next)) => {
                    assert!(maze.step_cost(at, next.cell()).is_some(), "into a wall");
                    at = next.cell();
                }
                Some(RunStep::Arrived) => return assert_eq!(at, goal),
                Some(RunStep::Blocked) => panic!("found, and blocked"),
                // It went on while a search from the cell before began.
                None => run
                    .begin(&map, (at, None), &[goal], UnknownAs::Blocked)
                    .unwrap(),
            }
        }
    });
}

#[test]
fn a_robot_off_its_path_needs_another_search() {
    let mut maze = World::new(5, 5, Connectivity::Walled, Unknown::AsBlocked);
    maze.fill(|| Occupancy::Free);
    let map = map_of(&maze);
    let mut run = search::<Bits16>(&map, times(LIMITS));
    let (start, goal) = (Cell::new(0, 4), Cell::new(4, 4));
    assert_eq!(run.next(&map, start), None, "it has not begun");
    run.begin(&map, (start, None), &[goal], UnknownAs::Blocked)
        .unwrap();
    assert_eq!(run.next(&map, start), None, "nothing was found yet");
    let progress = advance(&mut run, &map, Budget::limit(5));
    assert_eq!(progress, RunProgress::Found);
    let mut goes_on = |cell| matches!(run.next(&map, cell), Some(RunStep::To(_)));
    assert!(goes_on(start));
    assert!(goes_on(start), "still there");
    assert!(goes_on(Cell::new(1, 4)));
    assert!(!goes_on(Cell::new(2, 3)));
    assert!(goes_on(Cell::new(1, 4)));
    assert_eq!(run.next(&map, Cell::new(2, 3)), None);
}

#[test]
fn what_does_not_fit_is_an_error_and_not_a_path() {
    // Row after row, to and fro.
    let mut maze = World::new(64, 64, Connectivity::Walled, Unknown::AsBlocked);
    maze.fill(|| Occupancy::Free);
    for cell in maze.cells() {
        let is_gap = cell.x == [63, 0][usize::from(cell.y % 2)];
        if !is_gap && cell.y < 63 {
            maze.observe(Observation::Wall(cell, Side::South, Occupancy::Blocked));
        }
    }
    let map = map_of(&maze);
    let (start, goal) = (Cell::new(0, 0), Cell::new(0, 63));
    let shortest = maze.costs_to(&[goal]).of(start).unwrap();
    assert_eq!(shortest, 4095);
    let robot = (start, None);
    let begin = |run: &mut RunSearch<Boxed, Bits16>, robot, goals: &[Cell]| {
        run.begin(&map, robot, goals, UnknownAs::Blocked)
    };

    let mut run = search::<Bits16>(&map, times(LIMITS));
    begin(&mut run, robot, &[goal]).unwrap();
    let progress = advance(&mut run, &map, Budget::UNLIMITED);
    assert_eq!(progress, RunProgress::TooLong);
    assert_eq!((run.time(), run.next(&map, start)), (None, None));
    // With a coarser unit, the same run fits.
    let tick_us = 20_000;
    let coarse = times(RunLimits { tick_us, ..LIMITS });
    check::<Bits16>(&maze, robot, &[goal], UnknownAs::Blocked, coarse, [64]);

    let off_map = Cell::new(64, 0);
    let outside = Err(BuildError::OffMap(OffMap(off_map)));
    assert_eq!(begin(&mut run, (off_map, None), &[goal]), outside);
    assert_eq!(begin(&mut run, robot, &[off_map]), outside);
    let no_goal = Err(BuildError::Goals(GoalsError::None));
    assert_eq!(begin(&mut run, robot, &[]), no_goal);
    let mut small = RunSearch::allocate(255);
    small.set_times(times(LIMITS));
    let (needed, given) = (4096, 4080);
    let refused = begin(&mut small, robot, &[goal]);
    assert_eq!(refused, Err(BuildError::TooLittleMemory { needed, given }));
    let progress = advance(&mut small, &map, Budget::limit(1));
    assert_eq!(progress, RunProgress::NoPath);
    let without_times = begin(&mut RunSearch::allocate(256), robot, &[goal]);
    assert_eq!(without_times, Err(BuildError::Empty));
}
