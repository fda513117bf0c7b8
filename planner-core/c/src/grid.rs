//! The functions of the grid navigator.

use core::{ffi::c_void, mem::MaybeUninit};

use planner_core::{
    Budget, Navigator, Observation, Planner,
    graph::{Coarse, Eight, Four, Moves, NeverCut},
    map::{CellMap, Costs, Map, Uniform, Weights},
    navigator::GridSearch,
    storage::{Block, blocks},
};

use crate::{
    boundary::{
        self, GoalCells, Handle, answer, call, change, change_goals, check, check_cells, read,
    },
    memory::{self, Carver, Memory, Node},
    types::{Cell, Decision, MAX_WEIGHT, Occupancy, Stats, Status},
};

/// Bytes of a grid navigator whatever the map, most of them the table of the local search.
pub const GRID_STATE_BYTES: usize = 19712;

/// Bytes of a grid navigator for 16 cells.
pub const GRID_BLOCK_BYTES: usize = 164;
/// Bytes of a grid navigator with weights for 16 cells.
pub const GRID_WEIGHTED_BLOCK_BYTES: usize = 180;

const _: () = {
    let before = size_of::<Grid>().next_multiple_of(align_of::<Weighted>());
    assert!(
        before + size_of::<Weighted>() <= GRID_STATE_BYTES,
        "the planner has grown: raise the number, and type: cargo xtask c-lib --header"
    );
    assert!(size_of::<In<Four, Uniform>>() <= size_of::<Weighted>());
    assert!(size_of::<In<EightMoves, Uniform>>() <= size_of::<Weighted>());
    let (search, learned) = (size_of::<Block<Node>>(), size_of::<Block<u16>>());
    assert!(search + learned + size_of::<u32>() == GRID_BLOCK_BYTES);
    assert!(GRID_BLOCK_BYTES + size_of::<Block<u8>>() == GRID_WEIGHTED_BLOCK_BYTES);
};

type In<M, C> = Navigator<CellMap<Memory, M, C>, GridSearch<Memory>>;
type CellWeights = Weights<Memory, MAX_WEIGHT>;
type Weighted = In<Four, CellWeights>;
type EightMoves = Eight<NeverCut, Coarse>;

/// A robot on a grid of cells that are free or blocked: it goes to the nearest of some cells.
pub struct Grid {
    tag: u32,
    /// Behind this in memory. A trait object, so that a program links only the kinds that it initialises.
    robot: &'static mut dyn Robot,
}

impl Handle for Grid {
    const TAG: u32 = u32::from_le_bytes(*b"Grid");

    fn tag(handle: *mut Self) -> *mut u32 {
        handle
            .wrapping_byte_add(core::mem::offset_of!(Self, tag))
            .cast()
    }
}

/// A navigator of any kind of grid.
trait Robot: Planner {
    fn restart(
        &mut self,
        start: planner_core::Cell,
        goals: &[planner_core::Cell],
    ) -> Result<(), Status>;
    fn occupancy(&self, cell: planner_core::Cell) -> Result<planner_core::map::Occupancy, Status>;
}

impl<M: Moves, C: Costs> Robot for In<M, C> {
    fn restart(
        &mut self,
        start: planner_core::Cell,
        goals: &[planner_core::Cell],
    ) -> Result<(), Status> {
        check_cells(self.map(), start, goals)?;
        Ok(Navigator::restart(self, start, goals)?)
    }

    fn occupancy(&self, cell: planner_core::Cell) -> Result<planner_core::map::Occupancy, Status> {
        check_cells(self.map(), cell, &[])?;
        Ok(self.map().occupancy(cell))
    }
}

/// Returns the bytes of memory for a grid of `width` by `height` cells: the same as `TINYSTAR_GRID_SIZE`. 0 if the grid
/// is too large.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub extern "C" fn tinystar_grid_size(width: u16, height: u16) -> usize {
    let vertices = CellMap::vertices(width, height);
    memory::size(vertices, GRID_STATE_BYTES, GRID_BLOCK_BYTES)
}

/// Returns the bytes of memory for a grid of `width` by `height` cells with weights: the same as
/// `TINYSTAR_GRID_WEIGHTED_SIZE`. 0 if the grid is too large.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub extern "C" fn tinystar_grid_weighted_size(width: u16, height: u16) -> usize {
    let vertices = CellMap::vertices(width, height);
    memory::size(vertices, GRID_STATE_BYTES, GRID_WEIGHTED_BLOCK_BYTES)
}

/// Makes a navigator with moves `M` in `memory`, of which it needs so many bytes, or 0 if the map is too large. Makes
/// its costs in memory for a number of blocks.
///
/// # Safety
/// The contract of the crate.
#[inline(always)]
unsafe fn init<M: Moves + 'static, C: Costs + 'static>(
    (memory, size, needed): (*mut c_void, usize, usize),
    map: (u16, u16),
    start: Cell,
    (goals, goal_count): (*const Cell, usize),
    grid: *mut *mut Grid,
    costs: impl FnOnce(&mut Carver, usize) -> Result<C, Status>,
) -> Status {
    call(|| {
        // SAFETY: the contract of the crate.
        unsafe { answer(grid, core::ptr::null_mut()) }?;
        // SAFETY: the contract of the crate.
        let (place, mut carver) = unsafe { Carver::new::<Grid>(memory.cast(), size, needed) }?;
        // SAFETY: the contract of the crate.
        let goals = unsafe { GoalCells::new(goals, goal_count) }?;
        let behind = carver.take::<In<M, C>>(1)?;
        let blocks = blocks(CellMap::vertices(map.0, map.1));
        let nodes = carver.zeros(blocks)?;
        let learned = carver.zeros(blocks)?;
        let words = carver.slice(blocks, 0)?;
        let costs = costs(&mut carver, blocks)?;
        let cells = CellMap::in_storage(words, costs);
        let robot = Navigator::from_parts(cells, memory::search(nodes, learned));
        // SAFETY: memory of the navigator, aligned and large enough.
        unsafe { behind.write(robot) };
        // SAFETY: written just now; nobody else has a pointer to it.
        let robot = unsafe { &mut *behind };
        robot.begin(map, start.into(), goals.as_slice())?;
        let tag = Grid::TAG;
        // SAFETY: the start of the navigator's memory, aligned and large enough.
        unsafe { place.write(Grid { tag, robot }) };
        // SAFETY: the contract of the crate.
        unsafe { answer(grid, place) }
    })
}

/// Makes a navigator in `memory`, of `size` bytes, for a robot with four moves on a grid of `width` by `height` cells of
/// which nothing is known. The robot is at `start` and goes to the nearest of `goals`.
///
/// `memory` is aligned as `TINYSTAR_ALIGNMENT` says and has at least `tinystar_grid_size(width, height)` bytes; it need
/// not be cleared. `*grid` is the navigator, or null after an error; a navigator that was in `memory` may then be lost.
///
/// Cost: grows with the map, like that of `tinystar_grid_restart`.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)] // C has no named fields to gather them in a call.
pub unsafe extern "C" fn tinystar_grid_init(
    memory: *mut c_void,
    size: usize,
    width: u16,
    height: u16,
    start: Cell,
    goals: *const Cell,
    goal_count: usize,
    grid: *mut *mut Grid,
) -> Status {
    let memory = (memory, size, tinystar_grid_size(width, height));
    let (map, goals) = ((width, height), (goals, goal_count));
    // SAFETY: the contract of the crate.
    unsafe { init::<Four, _>(memory, map, start, goals, grid, |_, _| Ok(Uniform)) }
}

/// The same as `tinystar_grid_init` for a robot with eight moves. A diagonal step costs 7 where a straight one costs 5,
/// and is taken only if both cells beside it are passable. Paths may cost up to 65,534, which limits the map: 110 by 110
/// cells fit.
///
/// Cost: grows with the map.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)] // C has no named fields to gather them in a call.
pub unsafe extern "C" fn tinystar_grid_init_eight(
    memory: *mut c_void,
    size: usize,
    width: u16,
    height: u16,
    start: Cell,
    goals: *const Cell,
    goal_count: usize,
    grid: *mut *mut Grid,
) -> Status {
    let memory = (memory, size, tinystar_grid_size(width, height));
    let (map, goals) = ((width, height), (goals, goal_count));
    // SAFETY: the contract of the crate.
    unsafe { init::<EightMoves, _>(memory, map, start, goals, grid, |_, _| Ok(Uniform)) }
}

/// The same as `tinystar_grid_init` for a grid whose cells have weights, all 1 at first: see `tinystar_grid_set_weight`.
/// `memory` has at least `tinystar_grid_weighted_size(width, height)` bytes. Paths may cost up to 65,534, which limits
/// the map: 66 by 66 cells fit.
///
/// Cost: grows with the map.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)] // C has no named fields to gather them in a call.
pub unsafe extern "C" fn tinystar_grid_init_weighted(
    memory: *mut c_void,
    size: usize,
    width: u16,
    height: u16,
    start: Cell,
    goals: *const Cell,
    goal_count: usize,
    grid: *mut *mut Grid,
) -> Status {
    let memory = (memory, size, tinystar_grid_weighted_size(width, height));
    let (map, goals) = ((width, height), (goals, goal_count));
    let weights = |carver: &mut Carver, blocks| Ok(CellWeights::in_storage(carver.zeros(blocks)?));
    // SAFETY: the contract of the crate.
    unsafe { init::<Four, _>(memory, map, start, goals, grid, weights) }
}

/// Begins again on the map as it is, with the robot in `start`. To be called after observations of a map that is known
/// from the start: it is faster than to search while they come in.
///
/// Cost: grows with the map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_grid_restart(
    grid: *mut Grid,
    start: Cell,
    goals: *const Cell,
    goal_count: usize,
) -> Status {
    let body =
        |grid: &mut Grid, goals: &[planner_core::Cell]| grid.robot.restart(start.into(), goals);
    // SAFETY: the contract of the crate.
    unsafe { change_goals(grid, goals, goal_count, body) }
}

/// Records a cell: blocked, free, or unknown to forget it.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_grid_observe_cell(
    grid: *mut Grid,
    cell: Cell,
    occupancy: MaybeUninit<Occupancy>,
) -> Status {
    let body = |grid: &mut Grid| {
        let occupancy = boundary::occupancy(occupancy)?;
        let observation = Observation::Cell(cell.into(), occupancy);
        grid.robot.observe(observation)?;
        Ok(())
    };
    // SAFETY: the contract of the crate.
    unsafe { change(grid, body) }
}

/// Sets the weight of a cell, from 1 to `TINYSTAR_MAX_WEIGHT`: the cost of a step into it. Only for
/// navigators of `tinystar_grid_init_weighted`.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_grid_set_weight(
    grid: *mut Grid,
    cell: Cell,
    weight: u8,
) -> Status {
    let body = |grid: &mut Grid| {
        let observation = Observation::Weight(cell.into(), weight);
        grid.robot.observe(observation)?;
        Ok(())
    };
    // SAFETY: the contract of the crate.
    unsafe { change(grid, body) }
}

/// Plans for a robot that stands in the middle of cell `at` and writes what it has to do next to `*decision`. A step
/// never leads into an observed obstacle.
///
/// Cost: at most `budget` expansions, or other work at its price, whatever the size of the map. 32 to 64 suit a
/// Cortex-M0+.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_grid_tick(
    grid: *mut Grid,
    at: Cell,
    budget: u32,
    decision: *mut Decision,
) -> Status {
    let body = |grid: &mut Grid| {
        check(decision)?;
        let tick = grid.robot.tick(at.into(), Budget::limit(budget))?;
        // SAFETY: the contract of the crate.
        unsafe { answer(decision, Decision::new(tick, at)) }
    };
    // SAFETY: the contract of the crate.
    unsafe { change(grid, body) }
}

/// Sends the robot to the nearest of `goals`. The map stays.
///
/// Cost: constant for each goal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_grid_set_goals(
    grid: *mut Grid,
    goals: *const Cell,
    goal_count: usize,
) -> Status {
    let body = |grid: &mut Grid, goals: &[planner_core::Cell]| Ok(grid.robot.set_goals(goals)?);
    // SAFETY: the contract of the crate.
    unsafe { change_goals(grid, goals, goal_count, body) }
}

/// Sends the robot to a goal. The map stays.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_grid_set_goal(grid: *mut Grid, goal: Cell) -> Status {
    // SAFETY: the contract of the crate; the goal is a cell.
    unsafe { tinystar_grid_set_goals(grid, &goal, 1) }
}

/// Writes what is known of a cell to `*occupancy`, for example to store the map.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_grid_cell(
    grid: *const Grid,
    cell: Cell,
    occupancy: *mut Occupancy,
) -> Status {
    let body = |grid: &Grid| {
        let known = grid.robot.occupancy(cell.into())?;
        Ok(known.into())
    };
    // SAFETY: the contract of the crate.
    unsafe { read(grid, occupancy, body) }
}

/// Writes the statistics since `init` or `restart` to `*stats`.
///
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinystar_grid_stats(grid: *const Grid, stats: *mut Stats) -> Status {
    let body = |grid: &Grid| Ok(grid.robot.stats().into());
    // SAFETY: the contract of the crate.
    unsafe { read(grid, stats, body) }
}
