//! The path of a run takes the least time, by plain Dijkstra over cells, headings and lengths of straights.

use std::{cmp::Reverse, collections::BinaryHeap};

use planner_core::{
    Budget, BuildError, Cell, Observation, Side, Work,
    map::{Map, Occupancy, WallMap},
    search::{
        RunLimits, RunPosition, RunProgress, RunSearch, RunStep, RunTimes, RunTimesError, UnknownAs,
    },
    storage::{Allocate, BLOCK, Boxed, blocks},
    width::{Bits16, Bits32, Width},
};
use rand::{Rng, RngExt, seq::IndexedRandom};

use crate::{
    for_seeds, is_used_up, is_within,
    world::{Ground, Unknown, World, blocked_with},
};

pub const LIMITS: RunLimits = RunLimits::MICROMOUSE;

pub fn times(limits: RunLimits) -> RunTimes {
    RunTimes::new(limits).expect("in range")
}

/// Cell of a robot, length of its straight so far, and whether it is at rest.
type State = (usize, usize, usize, bool);

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
    let longest = usize::from(maze.width.max(maze.height));
    let index = |(cell, side, cells, rest): State| {
        ((cell * 4 + side) * longest + cells) * 2 + usize::from(rest)
    };
    // The time of the straight so far, if a turn followed now.
    let straight = |cells: usize, rest: bool| match rest {
        true => times.from_rest(cells),
        false => times.straight(cells),
    };
    let mut best = vec![usize::MAX; maze.count() * 4 * longest * 2];
    let mut open: BinaryHeap<(Reverse<usize>, State)> = BinaryHeap::new();
    let mut found = usize::MAX;
    let next = |cell: Cell, side: Side| {
        let ahead = maze.neighbor(cell, side)?;
        maze.step_cost(cell, ahead).map(|_| ahead)
    };
    for side in Side::ALL {
        let quarters = heading.map_or(0, |heading| (side as usize + 4 - heading as usize) % 4);
        if let Some(ahead) = next(start, side) {
            let time = times.pivot(quarters.min(4 - quarters)) + times.from_rest(0);
            open.push((Reverse(time), (maze.index(ahead), side as usize, 0, true)));
        }
    }
    while let Some((Reverse(time), state)) = open.pop() {
        if time >= best[index(state)] {
            continue;
        }
        best[index(state)] = time;
        let (number, heading, cells, rest) = state;
        let (cell, side) = (maze.nth(number), Side::ALL[heading]);
        if goals.contains(&cell) {
            let stop = match rest {
                true => times.rest_to_rest(cells + 1),
                false => times.from_rest(cells),
            };
            found = found.min(time - straight(cells, rest) + stop);
        }
        if let Some(ahead) = next(cell, side) {
            let longer = time - straight(cells, rest) + straight(cells + 1, rest);
            open.push((
                Reverse(longer),
                (maze.index(ahead), heading, cells + 1, rest),
            ));
        }
        for side in [side.left(), side.right()] {
            if let Some(into) = next(cell, side) {
                let turned = time + times.turn() + times.straight(0);
                open.push((Reverse(turned), (maze.index(into), side as usize, 0, false)));
            }
        }
    }
    (found < usize::MAX).then_some(found)
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
    let quarters = heading.map_or(0, |side| (at.heading() as usize + 4 - side as usize) % 4);
    let mut time = times.pivot(quarters.min(4 - quarters));
    let (mut cell, mut side) = (at.cell(), at.heading());
    // Cells of the straight, and whether it began at rest.
    let (mut cells, mut rest) = (0, true);
    let mut is_first = true;
    loop {
        match run.next(map, cell).expect("on the path") {
            RunStep::Blocked => panic!("a wall at {cell:?}"),
            RunStep::Arrived => {
                assert!(goals.contains(&cell));
                return match (is_first, rest) {
                    (true, _) => 0,
                    (_, true) => time + times.rest_to_rest(cells + 1),
                    (_, false) => time + times.from_rest(cells),
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
                    time += times.turn()
                        + match rest {
                            true => times.from_rest(cells),
                            false => times.straight(cells),
                        };
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
                assert_eq!(driven, time, "the path does not keep its promise");
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
    times(limits)
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
    let mut maze = World::new(width, height, Ground::Walled, as_seen);
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
        let mut maze = World::new(width, height, Ground::Walled, Unknown::AsBlocked);
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
fn with_turns_as_fast_as_straights_the_path_is_a_shortest_one() {
    let times = times(RunLimits {
        turn_um: 180_000,
        turn_speed: 300,
        top_speed: 300,
        acceleration: u16::MAX,
        ..LIMITS
    });
    assert_eq!(times.turn(), times.straight(1));
    for_seeds(300, |rng| {
        let (maze, unknown) = random_world(rng, 12);
        let (start, goal) = (maze.random_cell(rng), maze.random_cell(rng));
        let map = map_of(&maze);
        let mut run = search::<Bits32>(&map, times);
        run.begin(&map, (start, None), &[goal], unknown).unwrap();
        advance(&mut run, &map, Budget::limit(9));
        // Start and stop take a few ticks, and so does the rounding.
        let cells = run.time().map(|time| (time + 100) / times.turn());
        let shortest = maze.costs_to(&[goal]).of(start);
        assert_eq!(cells, shortest.map(|cells| cells as usize));
    });
}

/// The fewest turns of any path, not counting those in place at the start.
fn fewest_turns(maze: &World, start: Cell, goal: Cell) -> Option<usize> {
    let mut turns = vec![usize::MAX; maze.count() * 4];
    let mut open = std::collections::VecDeque::new();
    for side in 0..4 {
        turns[maze.index(start) * 4 + side] = 0;
        open.push_back((start, side));
    }
    while let Some((cell, side)) = open.pop_front() {
        let here = turns[maze.index(cell) * 4 + side];
        if cell == goal {
            return Some(here);
        }
        let sides = [(side, 0), ((side + 1) % 4, 1), ((side + 3) % 4, 1)];
        for (side, more) in sides {
            let ahead = maze.neighbor(cell, Side::ALL[side]);
            let ahead = ahead.filter(|&ahead| maze.step_cost(cell, ahead).is_some());
            let Some(ahead) = ahead else { continue };
            let place = &mut turns[maze.index(ahead) * 4 + side];
            if here + more < *place {
                *place = here + more;
                match more {
                    0 => open.push_front((ahead, side)),
                    _ => open.push_back((ahead, side)),
                }
            }
        }
    }
    None
}

#[test]
fn with_turns_that_take_for_ever_the_path_has_the_fewest() {
    let times = times(RunLimits {
        turn_um: 4_000_000,
        turn_speed: 70,
        ..LIMITS
    });
    assert!(times.turn() > 50_000);
    for_seeds(300, |rng| {
        let (maze, unknown) = random_world(rng, 12);
        let (start, goal) = (maze.random_cell(rng), maze.random_cell(rng));
        let map = map_of(&maze);
        let mut run = search::<Bits32>(&map, times);
        run.begin(&map, (start, None), &[goal], unknown).unwrap();
        advance(&mut run, &map, Budget::limit(9));
        let turns = run.time().map(|time| time / times.turn());
        assert_eq!(turns, fewest_turns(&maze, start, goal));
    });
}

#[test]
fn a_wall_that_appears_on_the_path_is_driven_around() {
    for_seeds(400, |rng| {
        let mut maze = World::new(9, 9, Ground::Walled, Unknown::AsBlocked);
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
    let mut maze = World::new(5, 5, Ground::Walled, Unknown::AsBlocked);
    maze.fill(|| Occupancy::Free);
    let map = map_of(&maze);
    let mut run = search::<Bits16>(&map, times(LIMITS));
    let (start, goal) = (Cell::new(0, 4), Cell::new(4, 4));
    assert_eq!(run.next(&map, start), None, "it has not begun");
    run.begin(&map, (start, None), &[goal], UnknownAs::Blocked)
        .unwrap();
    assert_eq!(run.next(&map, start), None, "nothing was found yet");
    assert_eq!(
        advance(&mut run, &map, Budget::limit(5)),
        RunProgress::Found
    );
    assert!(matches!(run.next(&map, start), Some(RunStep::To(_))));
    assert!(
        matches!(run.next(&map, start), Some(RunStep::To(_))),
        "still there"
    );
    assert!(matches!(
        run.next(&map, Cell::new(1, 4)),
        Some(RunStep::To(_))
    ));
    assert_eq!(run.next(&map, Cell::new(2, 3)), None);
    assert!(matches!(
        run.next(&map, Cell::new(1, 4)),
        Some(RunStep::To(_))
    ));
}

#[test]
fn what_does_not_fit_is_an_error_and_not_a_path() {
    // Row after row, to and fro.
    let mut maze = World::new(64, 64, Ground::Walled, Unknown::AsBlocked);
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
    assert_eq!(
        advance(&mut run, &map, Budget::UNLIMITED),
        RunProgress::TooLong
    );
    assert_eq!((run.time(), run.next(&map, start)), (None, None));
    // With a coarser unit, the same run fits.
    let coarse = times(RunLimits {
        tick_us: 20_000,
        ..LIMITS
    });
    check::<Bits16>(&maze, robot, &[goal], UnknownAs::Blocked, coarse, [64]);

    let off_map = Cell::new(64, 0);
    assert!(matches!(
        begin(&mut run, (off_map, None), &[goal]),
        Err(BuildError::OffMap(_))
    ));
    assert!(matches!(
        begin(&mut run, robot, &[off_map]),
        Err(BuildError::OffMap(_))
    ));
    assert!(matches!(
        begin(&mut run, robot, &[]),
        Err(BuildError::Goals(_))
    ));
    let mut small = RunSearch::allocate(255);
    small.set_times(times(LIMITS));
    assert_eq!(
        begin(&mut small, robot, &[goal]),
        Err(BuildError::TooLittleMemory {
            needed: 4096,
            given: 4080
        })
    );
    assert_eq!(
        advance(&mut small, &map, Budget::limit(1)),
        RunProgress::NoPath
    );
    assert_eq!(
        begin(&mut RunSearch::allocate(256), robot, &[goal]),
        Err(BuildError::Empty)
    );
    assert_eq!(
        RunTimes::new(RunLimits {
            tick_us: 0,
            ..LIMITS
        }),
        Err(RunTimesError::OutOfRange)
    );
}
