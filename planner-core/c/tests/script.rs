//! Random calls, many of them wrong, on a navigator of C and on one of planner-core: same answers, same errors.

// One contract for all calls of a block.
#![allow(clippy::multiple_unsafe_ops_per_block)]

use std::{mem::MaybeUninit, ptr::null_mut};

use planner_core::{
    Budget, Cell, GoalsError, Observation, ObserveError, Planner,
    map::Occupancy,
    prelude::{MazeNavigator, Side, maze_capacity},
};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tinystar_c::{
    maze::*,
    types::{self, Action, Decision, Phase, Stats, Status},
};

const LARGEST: u16 = 12;
const CALLS: usize = if cfg!(miri) { 60 } else { 600 };
const SCRIPTS: u64 = if cfg!(miri) { 2 } else { 100 };

/// The same mission in C and in Rust.
struct Pair {
    /// Memory that the first points into.
    _memory: Vec<u64>,
    in_c: *mut Maze,
    in_rust: Box<MazeNavigator<{ maze_capacity(LARGEST, LARGEST) }>>,
    size: (u16, u16),
    at: Cell,
}

fn in_c(cell: Cell) -> types::Cell {
    types::Cell {
        x: cell.x,
        y: cell.y,
    }
}

fn status<T, E: Into<Status>>(result: Result<T, E>) -> Status {
    result.map_or_else(Into::into, |_| Status::Ok)
}

/// A cell of the map, or now and then one beside it.
fn any_cell((width, height): (u16, u16), rng: &mut impl Rng) -> Cell {
    let beyond = u16::from(rng.random_ratio(1, 16));
    Cell::new(
        rng.random_range(0..width + beyond),
        rng.random_range(0..height + beyond),
    )
}

impl Pair {
    fn new(rng: &mut impl Rng) -> Self {
        let size = (rng.random_range(1..=LARGEST), rng.random_range(1..=LARGEST));
        let bytes = tinystar_maze_size(size.0, size.1);
        let mut memory = vec![u64::MAX; bytes.div_ceil(8)];
        let (start, goal) = (Cell::new(0, size.1 - 1), Cell::new(size.0 / 2, size.1 / 2));
        let mut maze = null_mut();
        let (from, to) = (in_c(start), in_c(goal));
        let at = memory.as_mut_ptr().cast();
        // SAFETY: memory of this size, which lives as long as the navigator, and one goal.
        let done =
            unsafe { tinystar_maze_init(at, bytes, size.0, size.1, from, &to, 1, &mut maze) };
        let mut in_rust = Box::new(MazeNavigator::new());
        assert_eq!(done, status(in_rust.begin(size, start, &[goal])));
        Self {
            _memory: memory,
            in_c: maze,
            in_rust,
            size,
            at: start,
        }
    }

    fn observe(&mut self, rng: &mut impl Rng) {
        let cell = any_cell(self.size, rng);
        let (side, wall): (u8, u8) = (rng.random_range(0..5), rng.random_range(0..4));
        // SAFETY: a navigator; enumerations of C may be any byte.
        let done =
            unsafe { tinystar_maze_observe_wall(self.in_c, in_c(cell), any(side), any(wall)) };
        let side = Side::ALL.get(usize::from(side));
        let wall = [Occupancy::Unknown, Occupancy::Free, Occupancy::Blocked]
            .get(usize::from(wall))
            .copied();
        let expected = match side.zip(wall) {
            Some((&side, wall)) => {
                status::<_, ObserveError>(self.in_rust.observe(Observation::Wall(cell, side, wall)))
            }
            None => Status::InvalidValue,
        };
        assert_eq!(done, expected);
    }

    fn tick(&mut self, rng: &mut impl Rng) {
        let at = if rng.random_ratio(1, 8) {
            any_cell(self.size, rng)
        } else {
            self.at
        };
        let budget = rng.random_range(0..40);
        let untouched = Decision {
            action: Action::Wait,
            next: types::Cell { x: 999, y: 999 },
        };
        let mut decision = untouched;
        // SAFETY: a navigator and a decision.
        let done = unsafe { tinystar_maze_tick(self.in_c, in_c(at), budget, &mut decision) };
        let tick = self.in_rust.tick(at, Budget::limit(budget));
        assert_eq!(done, status(tick));
        match tick {
            Ok(tick) => assert_eq!(decision, Decision::new(tick, in_c(at))),
            Err(_) => assert_eq!(decision, untouched),
        }
        if let Ok(planner_core::Decision::Step(next)) = tick {
            self.at = next;
        }
    }

    fn change_mission(&mut self, rng: &mut impl Rng) {
        let count = rng.random_range(0..19);
        let goals: Vec<_> = (0..count).map(|_| any_cell(self.size, rng)).collect();
        let cells: Vec<_> = goals.iter().map(|&goal| in_c(goal)).collect();
        let (from, count) = (cells.as_ptr(), cells.len());
        let start = any_cell(self.size, rng);
        // More than sixteen are refused before duplicates are left out.
        let is_refused = count == 0 || count > types::MAX_GOALS;
        let refused = match count {
            0 => Status::NoGoal,
            _ => Status::TooManyGoals,
        };
        let (maze, robot) = (self.in_c, &mut self.in_rust);
        let kind = rng.random_range(0..5);
        // SAFETY: a navigator, and an array of that many goals.
        let done = unsafe {
            match kind {
                0 => tinystar_maze_set_goals(maze, from, count),
                1 => tinystar_maze_go_to(maze, from, count),
                2 => tinystar_maze_restart(maze, in_c(start), from, count),
                3 => tinystar_maze_go_home(maze),
                _ => tinystar_maze_run_again(maze),
            }
        };
        let is_outside = |cell: &Cell| cell.x >= self.size.0 || cell.y >= self.size.1;
        let expected = match kind {
            0..3 if is_refused => refused,
            0 => status::<_, GoalsError>(robot.set_goals(&goals)),
            1 => status(robot.go_to(&goals)),
            2 if goals.iter().chain([&start]).any(is_outside) => Status::OffMap,
            2 => status(robot.restart(start, &goals)),
            3 => status(robot.go_home()),
            _ => status(robot.run_again()),
        };
        assert_eq!(done, expected);
    }

    /// Compares all that can be read.
    fn compare(&self, rng: &mut impl Rng) {
        let (mut phase, mut is_solved, mut stats) = (Phase::Travel, false, Stats::default());
        let (mut wall, cell) = (types::Occupancy::Unknown, any_cell(self.size, rng));
        let side: u8 = rng.random_range(0..4);
        // SAFETY: a navigator, and places for the answers.
        let done = unsafe {
            assert_eq!(tinystar_maze_phase(self.in_c, &mut phase), Status::Ok);
            assert_eq!(
                tinystar_maze_is_solved(self.in_c, &mut is_solved),
                Status::Ok
            );
            assert_eq!(tinystar_maze_stats(self.in_c, &mut stats), Status::Ok);
            tinystar_maze_wall(self.in_c, in_c(cell), any(side), &mut wall)
        };
        assert_eq!(phase, self.in_rust.phase().into());
        assert_eq!(is_solved, self.in_rust.is_solved());
        assert_eq!(stats, self.in_rust.stats().into());
        let known = self.in_rust.map().wall(cell, Side::ALL[usize::from(side)]);
        assert_eq!(done, status(known));
        assert_eq!(wall, known.map_or(types::Occupancy::Unknown, Into::into));
    }
}

/// An enumeration with any byte in it, as C may pass it.
fn any<T>(byte: u8) -> MaybeUninit<T> {
    assert_eq!(size_of::<T>(), 1);
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: one byte long.
    unsafe { value.as_mut_ptr().cast::<u8>().write(byte) };
    value
}

#[test]
fn random_calls_have_the_same_effect_in_c_and_in_rust() {
    for seed in 0..SCRIPTS {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let mut pair = Pair::new(rng);
        println!("seed {seed}: {:?}", pair.size);
        for _ in 0..CALLS {
            match rng.random_range(0..32) {
                0 => pair.change_mission(rng),
                1..12 => pair.observe(rng),
                _ => pair.tick(rng),
            }
            pair.compare(rng);
        }
    }
}
