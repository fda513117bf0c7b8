//! A chip image that links only if `planner-core` cannot panic.
//!
//! Its panic handler calls a function that does not exist. As long as no panic is reachable, the
//! linker drops the handler and the image links; one panic left, and it does not. The image has no
//! allocator either, so it does not even compile if `planner-core` or a dependency of it asks for
//! `alloc`. Nothing ever runs it: `cargo xtask no-panic` links it and explains a failure.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;

use planner_core::{
    Budget, BuildError, Cell, GoalsError, Observation, Planner, Side, Work,
    explore::MazeExplorer,
    local::{Follow, Learned, LookAhead, LssLrta, SuccessorOrder},
    map::{Occupancy, Unknown},
    queue::{Buckets, Heap, LargerG},
    rtd::{LocalRatio, Rtd},
    search::{Adaptive, AnytimeDStar, DStarLite, Epsilon, RepeatedAStar, TurnAware, TurnCosts},
    subgoal::{
        ExitRule, Grown, Rules, Source, SubgoalLrta, Value, Values,
        packed::{Cover, Packed, Packer},
    },
    terrain::{Cells, Coarse, Eight, Four, NeverCut, Octile, Uniform, Walls},
    width::Bits16,
};

/// Calls what the robot calls of `planner-core`: a function that is not called here is not checked.
///
/// Inputs come out of [`black_box`], or the compiler would compute the answer instead of keeping the
/// code that finds it; answers go into it, or the compiler would drop that code.
fn exercise() {
    let _ = black_box(dstar_lite());
    let _ = black_box(adaptive());
    let _ = black_box(anytime());
    let _ = black_box(real_time());
    let _ = black_box(tour());
    let _ = black_box(turns());
    let _ = black_box(subgoals());
    let _ = black_box(packed());
}

/// A map of so many columns and rows on which nothing is known.
fn cells(size: (u16, u16), bits: &mut [u32]) -> Result<Cells<'_, Four>, BuildError> {
    let ((width, height), unknown) = black_box((size, Unknown::AsFree));
    Cells::new(width, height, black_box(bits), unknown, Uniform)
}

fn dstar_lite() -> Result<(), BuildError> {
    type Search<'m> = DStarLite<'m, Bits16, Cells<'m, Four>, Buckets<4>>;
    let mut bits = [0; Cells::<Four>::words(33, 33)];
    let mut nodes = [Default::default(); Search::nodes(Cells::<Four>::vertices(33, 33))];
    let terrain = cells((33, 33), &mut bits)?;
    let (start, goal) = black_box((Cell::new(0, 0), Cell::new(9, 9)));
    drive(&mut Search::new(
        terrain,
        Buckets::new(),
        black_box(&mut nodes),
        start,
        goal,
    )?);
    Ok(())
}

fn adaptive() -> Result<(), BuildError> {
    type Search<'m> = RepeatedAStar<'m, Bits16, Cells<'m, Four>, Heap<'m, u64, LargerG>, Adaptive>;
    let mut bits = [0; Cells::<Four>::words(9, 9)];
    let mut nodes = [Default::default(); Search::nodes(Cells::<Four>::vertices(9, 9))];
    let mut entries = [0; Cells::<Four>::vertices(9, 9)];
    let terrain = cells((9, 9), &mut bits)?;
    let (start, goal) = black_box((Cell::new(0, 0), Cell::new(9, 9)));
    drive(&mut Search::new(
        terrain,
        Heap::new(black_box(&mut entries)),
        black_box(&mut nodes),
        start,
        goal,
    )?);
    Ok(())
}

fn anytime() -> Result<(), BuildError> {
    const CELLS: usize = Cells::<Four>::vertices(9, 9);
    let mut bits = [0; Cells::<Four>::words(9, 9)];
    let (mut nodes, mut entries) = ([Default::default(); CELLS], [0u64; CELLS]);
    let terrain = cells((9, 9), &mut bits)?;
    let (start, goal) = black_box((Cell::new(0, 0), Cell::new(9, 9)));
    let mut planner = AnytimeDStar::<Bits16, _, _>::new(
        terrain,
        black_box(&mut entries),
        black_box(&mut nodes),
        start,
        goal,
        black_box(Epsilon::DEFAULT),
    )?;
    drive(&mut planner);
    black_box((planner.epsilon(), planner.target(), planner.distance()));
    black_box(planner.path().count());
    Ok(())
}

fn real_time() -> Result<(), BuildError> {
    type Search<'m> = DStarLite<'m, Bits16, Walls<'m>, Buckets<4>>;
    const CELLS: usize = Walls::vertices(16, 16);
    let mut bits = [0; Walls::words(16, 16)];
    let mut nodes = [Default::default(); Search::nodes(CELLS)];
    let mut values = [0; CELLS];
    let (width, height) = black_box((16, 16));
    let unknown = black_box(Unknown::AsFree);
    let terrain = Walls::new(width, height, black_box(&mut bits), unknown)?;
    let (start, goal) = black_box((Cell::new(0, 0), Cell::new(7, 7)));
    let learned = Learned::<Bits16>::new(&terrain, black_box(&mut values))?;
    let global = Search::new(terrain, Buckets::new(), black_box(&mut nodes), start, goal)?;
    let (look_ahead, follow, order) =
        black_box((LookAhead::AStar, Follow::Path, SuccessorOrder::Fixed));
    let local = LssLrta::<_, 64>::new(learned, look_ahead, follow, order);
    drive(&mut Rtd::<_, _, 32>::new(
        global,
        local,
        black_box(LocalRatio::percent(50)),
    ));
    Ok(())
}

fn tour() -> Result<(), GoalsError> {
    type Search<'m> = DStarLite<'m, Bits16, Walls<'m>, Buckets<2>>;
    const CELLS: usize = Walls::vertices(16, 16);
    let mut maps = [[0; Walls::words(16, 16)]; 3];
    let mut nodes = [[Default::default(); Search::nodes(CELLS)]; 3];
    let [robot, best, safe] = black_box(&mut maps);
    let [robot_nodes, best_nodes, safe_nodes] = black_box(&mut nodes);
    let (home, goals) = black_box((Cell::new(0, 0), [Cell::new(7, 7), Cell::new(8, 8)]));
    let search = |map, nodes, unknown| {
        let (width, height) = black_box((16, 16));
        let maze = Walls::new(width, height, map, unknown)?;
        Search::new(maze, Buckets::new(), nodes, home, home)
    };
    let (Ok(robot), Ok(best), Ok(safe)) = (
        search(robot, robot_nodes, Unknown::AsFree),
        search(best, best_nodes, Unknown::AsFree),
        search(safe, safe_nodes, Unknown::AsBlocked),
    ) else {
        return Ok(());
    };
    let mut tour = MazeExplorer::new(robot, best, safe, home, &goals)?;
    drive(&mut tour);
    let _ = black_box(tour.set_goals(black_box(&goals)));
    let _ = black_box((tour.go_home(), tour.again(), tour.is_solved()));
    black_box((tour.phase(), tour.best_known()));
    Ok(())
}

fn turns() -> Result<(), BuildError> {
    type Search<'m> = TurnAware<'m, Bits16, Walls<'m>, Buckets<2>>;
    let mut map = [0; Walls::words(16, 16)];
    let mut nodes = [Default::default(); Search::nodes(Walls::vertices(16, 16))];
    let (width, height) = black_box((16, 16));
    let maze = Walls::new(width, height, black_box(&mut map), Unknown::AsFree)?;
    let (costs, robot) = black_box((
        TurnCosts { step: 2, turn: 3 },
        (Cell::new(0, 0), Side::North),
    ));
    let goal = black_box(Cell::new(7, 7));
    let nodes = black_box(&mut nodes);
    let mut planner = Search::new(maze, Buckets::new(), nodes, costs, robot, goal)?;
    drive(&mut planner);
    planner.turn_to(black_box(Side::East));
    black_box((planner.cost(), planner.heading()));
    Ok(())
}

fn subgoals() -> Result<(), BuildError> {
    type Trees<'m> = Grown<'m, Bits16, Buckets<1>>;
    const CELLS: usize = Cells::<Four>::vertices(33, 33);
    let mut bits = [0; Cells::<Four>::words(33, 33)];
    let mut nodes = [Default::default(); Trees::nodes(CELLS)];
    let (mut branches, mut memory) = ([Default::default(); 99], [Value::default(); 33]);
    let (width, height) = black_box((33, 33));
    let unknown = black_box(Unknown::AsFree);
    let bits = black_box(&mut bits);
    let terrain =
        Cells::<Eight<NeverCut, Coarse, Octile>>::new(width, height, bits, unknown, Uniform)?;
    let (rule, goal) = black_box((ExitRule::Safe, Cell::new(9, 9)));
    let (nodes, branches) = black_box((&mut nodes, &mut branches));
    let trees = Trees::new(&terrain, Buckets::new(), nodes, branches, rule, goal)?;
    let (rules, order) = black_box((Rules::default(), SuccessorOrder::Fixed));
    let values = Values::<Bits16>::new(black_box(&mut memory));
    drive(&mut SubgoalLrta::new(
        terrain, trees, values, rules, order, goal,
    )?);
    Ok(())
}

fn packed() -> Result<(), BuildError> {
    type Trees<'m> = Grown<'m, Bits16, Buckets<1>>;
    let mut bits = [0; Cells::<Four>::words(9, 9)];
    let mut nodes = [Default::default(); Trees::nodes(Cells::<Four>::vertices(9, 9))];
    let (mut branches, mut memory) = ([Default::default(); 9], [Value::default(); 9]);
    let mut bytes = [0; 99];
    let unknown = black_box(Unknown::AsFree);
    let terrain = Cells::<Four>::new(9, 9, black_box(&mut bits), unknown, Uniform)?;
    let (rule, goal) = black_box((ExitRule::Safe, Cell::new(4, 4)));
    let (nodes, branches) = black_box((&mut nodes, &mut branches));
    let mut tree = Trees::new(&terrain, Buckets::new(), nodes, branches, rule, goal)?;
    tree.advance(&terrain, black_box(Budget::UNLIMITED), &mut Work::default());
    let (trees, cover) = black_box((1, Cover::Written));
    let mut packer = Packer::new(black_box(&mut bytes), &terrain, trees, cover);
    let _ = black_box(packer.push(&tree));
    let _ = black_box(packer.finish());
    if let Ok(packed) = Packed::read(black_box(&bytes), &terrain) {
        black_box(packed.goals().count());
        let (rules, order) = black_box((Rules::default(), SuccessorOrder::Fixed));
        let values = Values::<Bits16>::new(black_box(&mut memory));
        drive(&mut SubgoalLrta::new(
            terrain, packed, values, rules, order, goal,
        )?);
    }
    Ok(())
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
