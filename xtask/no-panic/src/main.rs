//! A chip image that links only if neither `planner-core` nor its C interface can panic.
//!
//! Its panic handler calls a function that does not exist. As long as no panic is reachable, the
//! linker drops the handler and the image links; one panic left, and it does not. The image has no
//! allocator either, so it does not even compile if `planner-core` or a dependency of it asks for
//! `alloc`. Nothing ever runs it: `cargo xtask no-panic` links it and explains a failure.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;

use planner_core::{
    BuildError,
    graph::Octile,
    local::{LocalConfig, LocalPlanner, Lrta, LssLrta, SuccessorOrder},
    map::{AsFree, Weights},
    prelude::*,
    queue::{Buckets, Heap, LargerG},
    search::{
        Adaptive, AnytimeDStar, DStarLite, Epsilon, RepeatedAStar, RunLimits, RunTimes, Search,
        TurnAware, TurnCosts,
    },
    storage::BLOCK,
    subgoal::{
        ExitRule, Grown, Rules, Source, SubgoalLrta, Values,
        packed::{Cover, Packed, Packer},
    },
};

/// Blocks of a map of 33x33 cells.
const N: usize = capacity(33, 33);
type Cells = CellMap<Array<N>>;

/// A planner of each kind in a static. All are zero, so that they lie in `.bss`: the linker script refuses an image
/// with anything in `.data`, because flash would hold a copy of it.
mod statics {
    use super::*;

    type Local = LocalPlanner<LssLrta<Array<N>>>;
    type Subgoals = SubgoalLrta<Trees, Array<33>>;

    #[used]
    static mut MAZE: MazeNavigator<N> = MazeNavigator::new();
    #[used]
    static mut GRID: GridNavigator<N> = GridNavigator::new();
    #[used]
    static mut WEIGHTS: CellMap<Array<N>, Four, Weights<Array<N>, 9>> =
        CellMap::in_storage([0; N], Weights::new());
    #[used]
    static mut DSTAR_LITE: Navigator<Cells, DStarLite<Array<N>>> =
        Navigator::from_parts(Cells::new(), DStarLite::new());
    #[used]
    static mut ADAPTIVE: AStar = AStar::with_queue(Open::new());
    #[used]
    static mut ANYTIME: AnytimeDStar<Array<N>> = AnytimeDStar::new();
    #[used]
    static mut LOCAL: Local = Local::new(LssLrta::new(LocalConfig::DEFAULT), u32::MAX);
    #[used]
    static mut TURNS: Turns = Turns::new();
    #[used]
    static mut SUBGOALS: Subgoals = Subgoals::new(
        Trees::in_storage(
            Buckets::new(),
            [[Trees::NODE; BLOCK]; N],
            [Trees::BRANCH; 99],
            ExitRule::Safe,
        ),
        Values::new(),
        Rules::DEFAULT,
        SuccessorOrder::Fixed,
    );
}

/// Calls what a robot calls of `planner-core`: a function that is not called here is not checked.
///
/// Inputs come out of [`black_box`], or the compiler would compute the answer instead of keeping the
/// code that finds it; answers go into it, or the compiler would drop that code.
fn exercise() {
    let _ = black_box(maze_navigator());
    let _ = black_box(drive(&mut GridNavigator::<N>::new()));
    let _ = black_box(drive(
        &mut GridNavigator::<N, Eight<NeverCut, Coarse>>::new(),
    ));
    let _ = black_box(search(DStarLite::<Array<N>>::new()));
    let _ = black_box(adaptive());
    let _ = black_box(anytime());
    let _ = black_box(local());
    let _ = black_box(turns());
    let _ = black_box(subgoals());
    let _ = black_box(packed());
    c_interface::exercise();
}

/// The planner of the firmware.
fn maze_navigator() -> Result<(), BuildError> {
    let mut planner = MazeNavigator::<{ maze_capacity(16, 16) }>::new();
    let robot = planner.search_mut().robot_mut();
    robot.set_ratio(planner_core::rtd::LocalRatio::percent(black_box(25)));
    drive(&mut planner)?;
    if let Ok(times) = RunTimes::new(black_box(RunLimits::MICROMOUSE)) {
        planner.set_run_times(times);
    }
    planner.set_explore_by_time(black_box(true));
    planner.set_prefer_straight(black_box(true));
    planner.turn_to(black_box(Side::North));
    drive(&mut planner)?;
    black_box(planner.run_time_us());
    let goals = black_box([Cell::new(7, 7), Cell::new(8, 8)]);
    let _ = black_box(planner.go_to(&goals));
    let _ = black_box((planner.go_home(), planner.run_again(), planner.is_solved()));
    black_box((planner.phase(), planner.search().best_known()));
    let (cell, side) = black_box((Cell::new(3, 3), Side::East));
    let map = planner.map();
    let _ = black_box((
        map.wall(cell, side),
        map.is_outer(cell, side),
        map.nth_wall(black_box(7)),
    ));
    black_box(map.walls().count());
    Ok(())
}

/// A search on a map of cells with four moves.
fn search<A: Search>(search: A) -> Result<Navigator<Cells, A>, BuildError> {
    let mut planner = Navigator::from_parts(Cells::new(), search);
    drive(&mut planner)?;
    Ok(planner)
}

type Open = Heap<Array<N>, u64, LargerG>;
type AStar = RepeatedAStar<Array<N>, Bits16, Open, Adaptive>;

fn adaptive() -> Result<(), BuildError> {
    search(AStar::with_queue(Open::new()))?;
    Ok(())
}

fn anytime() -> Result<(), BuildError> {
    let mut anytime = AnytimeDStar::<Array<N>>::new();
    anytime.set_schedule(black_box(Epsilon::DEFAULT));
    let planner = search(anytime)?;
    let anytime = planner.search();
    black_box((anytime.epsilon(), anytime.target(), anytime.distance()));
    Ok(())
}

fn local() -> Result<(), BuildError> {
    let config = black_box(LocalConfig::DEFAULT);
    let lss = LssLrta::<Array<N>, Bits16, 64>::new(config);
    search(LocalPlanner::new(lss, black_box(16)))?;
    search(LocalPlanner::new(
        Lrta::<Array<N>, Bits16, 64>::new(config),
        black_box(16),
    ))?;
    Ok(())
}

type Turns = TurnAware<Array<N>, Bits16, Buckets<2>>;

fn turns() -> Result<(), BuildError> {
    let mut planner = Navigator::from_parts(WallMap::<Array<N>>::new(), Turns::new());
    let costs = black_box(TurnCosts { step: 2, turn: 3 });
    planner.search_mut().set_costs(costs);
    drive(&mut planner)?;
    planner.search_mut().turn_to(black_box(Side::East));
    black_box((planner.search().cost(), planner.search().heading()));
    Ok(())
}

type Trees = Grown<Array<N>, Array<99>, Bits16, Buckets<1>>;

fn trees() -> Trees {
    Trees::allocate(Buckets::new(), N, 99, black_box(ExitRule::Safe))
}

fn lrta<T: Source>(trees: T) -> SubgoalLrta<T, Array<33>> {
    let (rules, order) = black_box((Rules::default(), SuccessorOrder::Fixed));
    SubgoalLrta::new(trees, Values::new(), rules, order)
}

fn subgoals() -> Result<(), BuildError> {
    type Map = CellMap<Array<N>, Eight<NeverCut, Coarse, Octile>>;
    drive(&mut Navigator::from_parts(Map::new(), lrta(trees())))
}

fn packed() -> Result<(), BuildError> {
    let mut map = Cells::new();
    map.resize(9, 9)?;
    let mut tree = trees();
    tree.begin(&map.view::<AsFree>())?;
    tree.change_goal(black_box(Cell::new(4, 4)));
    let budget = black_box(Budget::UNLIMITED);
    tree.advance(&map.view::<AsFree>(), budget, &mut Work::default());
    let mut bytes = [0; 999];
    let (count, cover) = black_box((1, Cover::Written));
    let mut packer = Packer::new(black_box(&mut bytes), &map.view::<AsFree>(), count, cover);
    let _ = black_box(packer.push(&tree));
    let _ = black_box(packer.finish());
    if let Ok(packed) = Packed::read(black_box(&bytes), &map.view::<AsFree>()) {
        black_box(packed.goals().count());
        search(lrta(packed))?;
    }
    Ok(())
}

/// Every call of a navigator, with inputs that may be anything.
fn drive<M: Map, A: Search>(planner: &mut Navigator<M, A>) -> Result<(), BuildError> {
    let (size, start, goal) = black_box(((33, 33), Cell::new(0, 0), Cell::new(9, 9)));
    planner.begin(size, start, &[goal])?;
    let (cell, side) = black_box((Cell::new(3, 4), Side::North));
    for seen in [
        Observation::Cell(cell, Occupancy::Blocked),
        Observation::Wall(cell, side, Occupancy::Free),
        Observation::Weight(cell, 3),
    ] {
        let _ = black_box(planner.observe(black_box(seen)));
    }
    let _ = black_box(planner.tick(cell, black_box(Budget::UNLIMITED)));
    let _ = black_box(planner.set_goals(black_box(&[cell, goal])));
    black_box(planner.stats());
    planner.restart(start, &[goal])
}

/// Every function for C.
///
/// Pointers are null, so that nothing happens on a desktop; behind [`black_box`] the compiler cannot know.
mod c_interface {
    use core::{ffi::c_void, hint::black_box, mem::MaybeUninit, ptr::null_mut};

    use tinystar_c::{
        grid::*,
        maze::*,
        types::{Cell, Occupancy, Side, tinystar_alignment, tinystar_version},
    };

    const CELL: Cell = Cell { x: 1, y: 2 };

    /// Anything that is in memory; null, as far as a desktop is concerned.
    fn pointer<T>() -> *mut T {
        black_box(null_mut())
    }

    pub fn exercise() {
        let at = black_box(CELL);
        black_box((tinystar_version(), tinystar_alignment()));
        black_box(tinystar_maze_size(at.x, at.y));
        black_box(tinystar_grid_size(at.x, at.y));
        black_box(tinystar_grid_weighted_size(at.x, at.y));
        // SAFETY: every pointer is null, which each function refuses.
        unsafe { maze(at) };
        // SAFETY: the same.
        unsafe { grid(at) };
    }

    unsafe fn maze(at: Cell) {
        let (maze, goals, count) = (pointer::<Maze>(), pointer(), black_box(1));
        let side = black_box(MaybeUninit::new(Side::East));
        let wall = black_box(MaybeUninit::new(Occupancy::Free));
        let memory = pointer::<c_void>();
        // SAFETY: the caller's.
        black_box(unsafe {
            [
                tinystar_maze_init(memory, count, at.x, at.y, at, goals, count, pointer()),
                tinystar_maze_restart(maze, at, goals, count),
                tinystar_maze_observe_wall(maze, at, side, wall),
                tinystar_maze_tick(maze, at, black_box(9), pointer()),
                tinystar_maze_set_goals(maze, goals, count),
                tinystar_maze_set_goal(maze, at),
                tinystar_maze_go_to(maze, goals, count),
                tinystar_maze_go_home(maze),
                tinystar_maze_run_again(maze),
                tinystar_maze_phase(maze, pointer()),
                tinystar_maze_is_solved(maze, pointer()),
                tinystar_maze_wall(maze, at, side, pointer()),
                tinystar_maze_stats(maze, pointer()),
            ]
        });
    }

    unsafe fn grid(at: Cell) {
        let (grid, goals, count) = (pointer::<Grid>(), pointer(), black_box(1));
        let cell = black_box(MaybeUninit::new(Occupancy::Free));
        let memory = pointer::<c_void>();
        // SAFETY: the caller's.
        black_box(unsafe {
            [
                tinystar_grid_init(memory, count, at.x, at.y, at, goals, count, pointer()),
                tinystar_grid_init_eight(memory, count, at.x, at.y, at, goals, count, pointer()),
                tinystar_grid_init_weighted(memory, count, at.x, at.y, at, goals, count, pointer()),
                tinystar_grid_restart(grid, at, goals, count),
                tinystar_grid_observe_cell(grid, at, cell),
                tinystar_grid_set_weight(grid, at, black_box(3)),
                tinystar_grid_tick(grid, at, black_box(9), pointer()),
                tinystar_grid_set_goals(grid, goals, count),
                tinystar_grid_set_goal(grid, at),
                tinystar_grid_cell(grid, at, pointer()),
                tinystar_grid_stats(grid, pointer()),
            ]
        });
    }
}

#[cfg(target_os = "none")]
mod chip {
    use core::panic::PanicInfo;

    unsafe extern "C" {
        /// Defined nowhere: that is the check.
        safe fn planner_core_can_panic() -> !;
    }

    #[panic_handler]
    fn panic(_: &PanicInfo) -> ! {
        planner_core_can_panic()
    }

    /// Entry point: the linker starts here.
    #[unsafe(no_mangle)]
    extern "C" fn _start() {
        super::exercise();
    }
}

/// On a desktop there is nothing to link against: the same calls, so that this file compiles there too.
#[cfg(not(target_os = "none"))]
fn main() {
    exercise();
}
