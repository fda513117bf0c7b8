//! The functions of the maze navigator.

use core::{ffi::c_void, mem::MaybeUninit};

use planner_core::{
    Budget, Observation, Planner,
    explore::MazeExplorer,
    map::WallMap,
    navigator::MazeNavigatorIn,
    search::RunSearch,
    storage::{Block, blocks},
};

use crate::{
    boundary::{
        self, GoalCells, Handle, answer, call, change, change_goals, check, check_cells, read,
    },
    memory::{self, Carver, Memory, Node},
    types::{Cell, Decision, Occupancy, Phase, Side, Stats, Status},
};

/// Bytes of a maze navigator whatever the map, most of them the table of the local search.
pub const MAZE_STATE_BYTES: usize = 20736;

/// Bytes of a maze navigator for 16 cells.
pub const MAZE_BLOCK_BYTES: usize = 432;

const _: () = {
    assert!(
        size_of::<Maze>() <= MAZE_STATE_BYTES,
        "the planner has grown: raise the number, and type: cargo xtask c-lib --header"
    );
    let search = size_of::<Block<Node>>();
    let (learned, sides) = (size_of::<Block<u16>>(), size_of::<Block<u8>>());
    assert!(3 * search + learned + sides == MAZE_BLOCK_BYTES);
};

/// A robot in a maze with walls between cells: it finds the goal, explores until the shortest path is proven, returns
/// and runs, or it goes to a cell.
pub struct Maze {
    tag: u32,
    robot: MazeNavigatorIn<Memory>,
}

impl Handle for Maze {
    const TAG: u32 = u32::from_le_bytes(*b"Maze");

    fn tag(handle: *mut Self) -> *mut u32 {
        handle
            .wrapping_byte_add(core::mem::offset_of!(Self, tag))
            .cast()
    }
}

/// Returns the bytes of memory for a maze of `width` by `height` cells: the same as `TINYSTAR_MAZE_SIZE`. 0 if the
/// maze is too large.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub extern "C" fn tinystar_maze_size(width: u16, height: u16) -> usize {
    let vertices = WallMap::vertices(width, height);
    memory::size(vertices, MAZE_STATE_BYTES, MAZE_BLOCK_BYTES)
}

/// Makes a navigator in `memory`, of `size` bytes, for a maze of `width` by `height` cells of which only the outer
/// walls are known. The robot is at `start`, which is its home, and searches the nearest of `goals`.
///
/// `memory` is aligned as `TINYSTAR_ALIGNMENT` says and has at least `tinystar_maze_size(width, height)` bytes; it need
/// not be cleared. `*maze` is the navigator, or null after an error; a navigator that was in `memory` may then be lost.
///
/// Cost: grows with the map, like that of `tinystar_maze_restart`.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)] // C has no named fields to gather them in a call.
pub unsafe extern "C" fn tinystar_maze_init(
    memory: *mut c_void,
    size: usize,
    width: u16,
    height: u16,
    start: Cell,
    goals: *const Cell,
    goal_count: usize,
    maze: *mut *mut Maze,
) -> Status {
    call(|| {
        // SAFETY: the contract of the crate.
        unsafe { answer(maze, core::ptr::null_mut()) }?;
        let needed = tinystar_maze_size(width, height);
        // SAFETY: the contract of the crate.
        let (place, mut carver) = unsafe { Carver::new::<Maze>(memory.cast(), size, needed) }?;
        // SAFETY: the contract of the crate.
        let goals = unsafe { GoalCells::new(goals, goal_count) }?;
        let blocks = blocks(WallMap::vertices(width, height));
        let nodes = carver.zeros(blocks)?;
        let (optimistic, known) = (carver.zeros(blocks)?, carver.zeros(blocks)?);
        let learned = carver.zeros(blocks)?;
        let sides = carver.zeros(blocks)?;
        let search = MazeExplorer::new(
            memory::search(nodes, learned),
            memory::global(optimistic),
            memory::global(known),
            RunSearch::in_storage(Default::default(), Default::default()), // runs are planned by cells
        );
        let robot = MazeNavigatorIn::from_parts(WallMap::in_storage(sides), search);
        // SAFETY: the start of the navigator's memory, aligned and large enough.
        unsafe { place.write(Maze { tag: 0, robot }) };
        // SAFETY: written just now; nobody else has a pointer to it.
        let navigator = unsafe { &mut *place };
        let (size, start) = ((width, height), start.into());
        navigator.robot.begin(size, start, goals.as_slice())?;
        navigator.tag = Maze::TAG;
        // SAFETY: the contract of the crate.
        unsafe { answer(maze, place) }
    })
}

/// Begins again on the map as it is, with the robot at home in `start`. To be called after observations of a maze that
/// is known from the start: it is faster than to search while they come in.
///
/// Cost: grows with the map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_restart(
    maze: *mut Maze,
    start: Cell,
    goals: *const Cell,
    goal_count: usize,
) -> Status {
    let body = |maze: &mut Maze, goals: &[planner_core::Cell]| {
        check_cells(maze.robot.map(), start.into(), goals)?;
        Ok(maze.robot.restart(start.into(), goals)?)
    };
    // SAFETY: the contract of the crate.
    unsafe { change_goals(maze, goals, goal_count, body) }
}

/// Records the wall on a side of a cell: blocked, free, or unknown to forget it. The outer walls stand, whatever is
/// observed.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_observe_wall(
    maze: *mut Maze,
    cell: Cell,
    side: MaybeUninit<Side>,
    wall: MaybeUninit<Occupancy>,
) -> Status {
    let body = |maze: &mut Maze| {
        let (side, wall) = (boundary::side(side)?, boundary::occupancy(wall)?);
        maze.robot
            .observe(Observation::Wall(cell.into(), side, wall))?;
        Ok(())
    };
    // SAFETY: the contract of the crate.
    unsafe { change(maze, body) }
}

/// Plans for a robot that stands in the middle of cell `at` and writes what it has to do next to `*decision`. A step
/// never leads through an observed wall.
///
/// Cost: at most `budget` expansions, or other work at its price, whatever the size of the map. 32 to 64 suit a
/// Cortex-M0+.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_tick(
    maze: *mut Maze,
    at: Cell,
    budget: u32,
    decision: *mut Decision,
) -> Status {
    let body = |maze: &mut Maze| {
        check(decision)?;
        let tick = maze.robot.tick(at.into(), Budget::limit(budget))?;
        // SAFETY: the contract of the crate.
        unsafe { answer(decision, Decision::new(tick, at)) }
    };
    // SAFETY: the contract of the crate.
    unsafe { change(maze, body) }
}

/// Begins a new search for the nearest of `goals`, and explores again. The map stays.
///
/// Cost: constant for each goal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_set_goals(
    maze: *mut Maze,
    goals: *const Cell,
    goal_count: usize,
) -> Status {
    let body = |maze: &mut Maze, goals: &[planner_core::Cell]| Ok(maze.robot.set_goals(goals)?);
    // SAFETY: the contract of the crate.
    unsafe { change_goals(maze, goals, goal_count, body) }
}

/// Begins a new search for a goal, and explores again. The map stays.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_set_goal(maze: *mut Maze, goal: Cell) -> Status {
    // SAFETY: the contract of the crate; the goal is a cell.
    unsafe { tinystar_maze_set_goals(maze, &goal, 1) }
}

/// Sends the robot to the nearest of `goals` without exploring; its phase is then `TINYSTAR_PHASE_TRAVEL`.
///
/// Cost: constant for each goal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_go_to(
    maze: *mut Maze,
    goals: *const Cell,
    goal_count: usize,
) -> Status {
    let body = |maze: &mut Maze, goals: &[planner_core::Cell]| Ok(maze.robot.go_to(goals)?);
    // SAFETY: the contract of the crate.
    unsafe { change_goals(maze, goals, goal_count, body) }
}

/// Stops exploring: the robot returns home, and then runs by the shortest path known by then.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_go_home(maze: *mut Maze) -> Status {
    let body = |maze: &mut Maze| Ok(maze.robot.go_home()?);
    // SAFETY: the contract of the crate.
    unsafe { change(maze, body) }
}

/// Sends the robot home, and lets it run once more. The map stays.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_run_again(maze: *mut Maze) -> Status {
    let body = |maze: &mut Maze| Ok(maze.robot.run_again()?);
    // SAFETY: the contract of the crate.
    unsafe { change(maze, body) }
}

/// Writes the phase of the mission to `*phase`.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_phase(maze: *const Maze, phase: *mut Phase) -> Status {
    let body = |maze: &Maze| Ok(maze.robot.phase().into());
    // SAFETY: the contract of the crate.
    unsafe { read(maze, phase, body) }
}

/// Writes to `*is_solved` whether the shortest path is proven: nothing unknown can be part of a shorter one.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_is_solved(
    maze: *const Maze,
    is_solved: *mut bool,
) -> Status {
    let body = |maze: &Maze| Ok(maze.robot.is_solved());
    // SAFETY: the contract of the crate.
    unsafe { read(maze, is_solved, body) }
}

/// Writes what is known of the wall on a side of a cell to `*wall`, for example to store the map.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_wall(
    maze: *const Maze,
    cell: Cell,
    side: MaybeUninit<Side>,
    wall: *mut Occupancy,
) -> Status {
    let body = |maze: &Maze| {
        let known = maze.robot.map().wall(cell.into(), boundary::side(side)?)?;
        Ok(known.into())
    };
    // SAFETY: the contract of the crate.
    unsafe { read(maze, wall, body) }
}

/// Writes the statistics since `init` or `restart` to `*stats`.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_maze_stats(maze: *const Maze, stats: *mut Stats) -> Status {
    let body = |maze: &Maze| Ok(maze.robot.stats().into());
    // SAFETY: the contract of the crate.
    unsafe { read(maze, stats, body) }
}
