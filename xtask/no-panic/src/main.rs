//! A chip image that links only if `planner-core` cannot panic.
//!
//! Its panic handler calls a function that does not exist. As long as no panic is reachable, the
//! linker drops the handler and the image links; one panic left, and it does not. The image has no
//! allocator either, so it does not even compile if `planner-core` or a dependency of it asks for
//! `alloc`. Nothing ever runs it: `cargo xtask no-panic` links it and explains a failure.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;

use planner_core::{
    Budget, BuildError, Cell, Navigator, Observation, Planner, Side, Work,
    graph::{Coarse, Eight, Four, NeverCut},
    local::{LocalConfig, LocalPlanner, Lrta},
    map::{AsFree, CellMap, Map, Occupancy, WallMap},
    navigator::{GridNavigator, MazeNavigator},
    queue::{Buckets, Heap, LargerG},
    search::{
        Adaptive, AnytimeDStar, DStarLite, Epsilon, RepeatedAStar, Search, TurnAware, TurnCosts,
    },
    storage::{Array, capacity, maze_capacity},
    subgoal::{
        ExitRule, Grown, Rules, Source, SubgoalLrta, Values,
        packed::{Cover, Packed, Packer},
    },
    width::Bits16,
};

/// Calls what the robot calls of `planner-core`: a function that is not called here is not checked.
///
/// Inputs come out of [`black_box`], or the compiler would compute the answer instead of keeping the
/// code that finds it; answers go into it, or the compiler would drop that code.
fn exercise() {
    let _ = black_box(maze_navigator());
    let _ = black_box(grid_navigator());
    let _ = black_box(dstar_lite());
    let _ = black_box(adaptive());
    let _ = black_box(anytime());
    let _ = black_box(local());
    let _ = black_box(turns());
    let _ = black_box(subgoals());
    let _ = black_box(packed());
}

const N: usize = capacity(33, 33);
type Cells = CellMap<Array<N>>;

/// The preset that the robot runs.
fn maze_navigator() -> Result<(), BuildError> {
    let mut robot = MazeNavigator::<{ maze_capacity(16, 16) }>::new();
    begin(&mut robot)?;
    drive(&mut robot);
    let goals = black_box([Cell::new(7, 7), Cell::new(8, 8)]);
    let _ = black_box((robot.set_goals(&goals), robot.go_to(&goals)));
    let _ = black_box((robot.go_home(), robot.run_again(), robot.is_solved()));
    black_box((robot.phase(), robot.search().best_known()));
    let map = robot.map();
    black_box((
        map.walls().count(),
        map.wall(goals[0], black_box(Side::East)).is_ok(),
    ));
    Ok(())
}

fn grid_navigator() -> Result<(), BuildError> {
    let mut four = GridNavigator::<N>::new();
    begin(&mut four)?;
    drive(&mut four);
    let mut eight = GridNavigator::<N, Eight<NeverCut, Coarse>>::new();
    begin(&mut eight)?;
    drive(&mut eight);
    Ok(())
}

fn dstar_lite() -> Result<(), BuildError> {
    let search = DStarLite::<Array<N>, Bits16, Buckets<4>>::new();
    let mut planner = Navigator::from_parts(Cells::new(), search);
    begin(&mut planner)?;
    drive(&mut planner);
    Ok(())
}

fn adaptive() -> Result<(), BuildError> {
    type Search = RepeatedAStar<Array<N>, Bits16, Heap<Array<N>, u64, LargerG>, Adaptive>;
    let mut planner = Navigator::from_parts(Cells::new(), Search::with_queue(Heap::new()));
    begin(&mut planner)?;
    drive(&mut planner);
    Ok(())
}

fn anytime() -> Result<(), BuildError> {
    let search = AnytimeDStar::<Array<N>>::new(black_box(Epsilon::DEFAULT));
    let mut planner = Navigator::from_parts(Cells::new(), search);
    begin(&mut planner)?;
    drive(&mut planner);
    let search = planner.search();
    black_box((search.epsilon(), search.target(), search.distance()));
    black_box(search.path(planner.map()).count());
    Ok(())
}

fn local() -> Result<(), BuildError> {
    let local = Lrta::<Array<N>, Bits16, 64>::new(black_box(LocalConfig::DEFAULT));
    let search = LocalPlanner::new(local, black_box(9));
    let mut planner = Navigator::from_parts(Cells::new(), search);
    begin(&mut planner)?;
    drive(&mut planner);
    Ok(())
}

fn turns() -> Result<(), BuildError> {
    let costs = black_box(TurnCosts { step: 2, turn: 3 });
    let search = TurnAware::<Array<N>, Bits16, Buckets<2>>::new(costs);
    let mut planner = Navigator::from_parts(WallMap::<Array<N>>::new(), search);
    begin(&mut planner)?;
    drive(&mut planner);
    planner.search_mut().turn_to(black_box(Side::East));
    black_box((planner.search().cost(), planner.search().heading()));
    Ok(())
}

type Trees<const M: usize> = Grown<Array<N>, Array<M>, Bits16, Buckets<1>>;

fn subgoals() -> Result<(), BuildError> {
    let trees = Trees::<99>::allocate(Buckets::new(), N, 99, black_box(ExitRule::Safe));
    let (rules, order) = black_box(Default::default());
    let search = SubgoalLrta::<_, Array<33>>::new(trees, Values::new(), rules, order);
    let map = CellMap::<Array<N>, Eight<NeverCut, Coarse>>::new();
    let mut planner = Navigator::from_parts(map, search);
    begin(&mut planner)?;
    drive(&mut planner);
    Ok(())
}

fn packed() -> Result<(), BuildError> {
    let mut map = CellMap::<Array<N>, Four>::new();
    map.resize(black_box(9), black_box(9))?;
    let graph = map.view::<AsFree>();
    let mut tree = Trees::<9>::allocate(Buckets::new(), N, 9, black_box(ExitRule::Safe));
    tree.begin(&graph)?;
    tree.change_goal(black_box(Cell::new(4, 4)));
    tree.advance(&graph, black_box(Budget::UNLIMITED), &mut Work::default());
    let mut bytes = [0; 99];
    let (trees, cover) = black_box((1, Cover::Written));
    let mut packer = Packer::new(black_box(&mut bytes), &graph, trees, cover);
    let _ = black_box(packer.push(&tree));
    let _ = black_box(packer.finish());
    if let Ok(packed) = Packed::read(black_box(&bytes), &graph) {
        black_box(packed.goals().count());
        let (rules, order) = black_box((Rules::default(), Default::default()));
        let search = SubgoalLrta::<_, Array<9>>::new(packed, Values::new(), rules, order);
        let mut planner = Navigator::from_parts(CellMap::<Array<N>>::new(), search);
        begin(&mut planner)?;
        drive(&mut planner);
    }
    Ok(())
}

/// Begins on a map of any size with any start and goals.
fn begin<M: Map, A: Search>(planner: &mut Navigator<M, A>) -> Result<(), BuildError> {
    let (size, start) = black_box(((33, 33), Cell::new(0, 0)));
    planner.begin(size, start, black_box(&[Cell::new(7, 7)]))
}

/// Every call of the contract, with inputs that may be anything.
fn drive(planner: &mut impl Planner) {
    let cell = black_box(Cell::new(3, 4));
    let _ = black_box(planner.observe(black_box(Observation::Cell(cell, Occupancy::Blocked))));
    let _ = black_box(planner.tick(cell, black_box(Budget::UNLIMITED)));
    let _ = black_box(planner.set_goal(black_box(cell)));
    black_box(planner.stats());
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

    /// Where the linker starts to look for what the image needs.
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
