//! Navigators through the functions of C, in memory of exactly the size that they need. Small enough for Miri, which
//! checks every access: `cargo +nightly miri test -p tinystar-c` (half a minute).

use std::{mem::MaybeUninit, ptr::null_mut};

use tinystar_c::{
    grid::{self, Grid},
    maze::{self, Maze},
    types::{Action, Cell, Decision, Occupancy, Phase, Side, Status},
};

const START: Cell = Cell { x: 0, y: 0 };
const GOAL: Cell = Cell { x: 3, y: 2 };
const SIZE: (u16, u16) = (4, 3);
const WAIT: Decision = Decision {
    action: Action::Wait,
    next: START,
};

/// Memory with the alignment of a navigator, not cleared, and its size.
fn memory(size: usize) -> (Vec<u64>, usize) {
    (vec![0x5A5A_5A5A_5A5A_5A5A; size.div_ceil(8)], size)
}

type Init<N> = unsafe extern "C" fn(
    *mut core::ffi::c_void,
    usize,
    u16,
    u16,
    Cell,
    *const Cell,
    usize,
    *mut *mut N,
) -> Status;

fn init<N>(init: Init<N>, (memory, size): &mut (Vec<u64>, usize)) -> *mut N {
    let mut navigator = null_mut();
    let (size, (width, height)) = (*size, SIZE);
    let memory = memory.as_mut_ptr().cast();
    // SAFETY: memory of this size, which outlives the navigator, and one goal.
    let status = unsafe { init(memory, size, width, height, START, &GOAL, 1, &mut navigator) };
    assert_eq!(status, Status::Ok);
    navigator
}

fn init_maze(memory: &mut (Vec<u64>, usize)) -> *mut Maze {
    init(maze::tinystar_maze_init, memory)
}

fn maze_memory() -> (Vec<u64>, usize) {
    memory(maze::tinystar_maze_size(SIZE.0, SIZE.1))
}

fn grid_memory() -> (Vec<u64>, usize) {
    memory(grid::tinystar_grid_size(SIZE.0, SIZE.1))
}

/// Senses and ticks in a maze without inner walls; returns where the robot then is.
fn tick_maze(navigator: *mut Maze, at: Cell) -> Cell {
    let mut decision = WAIT;
    for side in [Side::South, Side::West, Side::North, Side::East] {
        let (side, wall) = (MaybeUninit::new(side), MaybeUninit::new(Occupancy::Free));
        // SAFETY: a navigator.
        let status = unsafe { maze::tinystar_maze_observe_wall(navigator, at, side, wall) };
        assert_eq!(status, Status::Ok);
    }
    // SAFETY: a navigator and a decision.
    let status = unsafe { maze::tinystar_maze_tick(navigator, at, 16, &mut decision) };
    assert_eq!(status, Status::Ok);
    decision.next
}

fn tick_grid(navigator: *mut Grid, at: Cell) -> Decision {
    let mut decision = WAIT;
    // SAFETY: a navigator and a decision.
    let status = unsafe { grid::tinystar_grid_tick(navigator, at, 16, &mut decision) };
    assert_eq!(status, Status::Ok);
    decision
}

fn phase(navigator: *const Maze) -> Phase {
    let mut phase = Phase::Travel;
    // SAFETY: a navigator and a phase.
    let status = unsafe { maze::tinystar_maze_phase(navigator, &mut phase) };
    assert_eq!(status, Status::Ok);
    phase
}

#[test]
fn two_mazes_are_explored_at_once() {
    let mut memories = [maze_memory(), maze_memory()];
    let mazes = memories.each_mut().map(init_maze);
    let mut at = [START; 2];
    for _ in 0..100 {
        for (maze, at) in mazes.iter().zip(&mut at) {
            *at = tick_maze(*maze, *at);
        }
    }
    assert_eq!(at, [GOAL; 2]);
    assert!(mazes.iter().all(|&maze| phase(maze) == Phase::Done));
}

#[test]
fn grids_of_all_kinds_reach_their_goal() {
    let weighted = memory(grid::tinystar_grid_weighted_size(SIZE.0, SIZE.1));
    let kinds: [(Init<Grid>, _, _); 3] = [
        (grid::tinystar_grid_init, grid_memory(), 5),
        (grid::tinystar_grid_init_eight, grid_memory(), 3),
        (grid::tinystar_grid_init_weighted, weighted, 5),
    ];
    for (kind, mut memory, expected) in kinds {
        let navigator = init(kind, &mut memory);
        let (mut at, mut steps) = (START, 0);
        while let Decision {
            action: Action::Step,
            next,
        } = tick_grid(navigator, at)
        {
            (at, steps) = (next, steps + 1);
        }
        assert_eq!((at, steps), (GOAL, expected));
    }
}

#[test]
fn memory_can_be_used_again() {
    let mut memory = maze_memory();
    for _ in 0..2 {
        let maze = init_maze(&mut memory);
        assert_eq!(phase(maze), Phase::Search);
        assert_ne!(tick_maze(maze, START), START);
    }
    let grid = init(grid::tinystar_grid_init, &mut memory);
    assert_eq!(tick_grid(grid, START).action, Action::Step);
    // SAFETY: memory as large as a navigator.
    let status = unsafe { maze::tinystar_maze_go_home(grid.cast()) };
    assert_eq!(status, Status::NotInitialized);
}

#[test]
fn largest_maps_of_the_documentation_fit() {
    let largest: [(Init<Grid>, _, u16); 2] = [
        (
            grid::tinystar_grid_init_eight,
            grid::tinystar_grid_size as extern "C" fn(_, _) -> _,
            110,
        ),
        (
            grid::tinystar_grid_init_weighted,
            grid::tinystar_grid_weighted_size,
            66,
        ),
    ];
    for (init, size, side) in largest {
        for (side, expected) in [(side, Status::Ok), (side + 1, Status::MapTooLarge)] {
            let (mut memory, size) = memory(size(side, side));
            let mut navigator = null_mut();
            let start = memory.as_mut_ptr().cast();
            // SAFETY: memory of this size and one goal.
            let status = unsafe { init(start, size, side, side, START, &GOAL, 1, &mut navigator) };
            assert_eq!(status, expected, "{side}");
        }
    }
}
