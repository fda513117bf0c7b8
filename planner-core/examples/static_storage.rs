//! Memory without an allocator: a navigator in a static, as on a chip, and searches in borrowed slices.

use std::sync::Mutex;

use planner_core::{
    map::Uniform,
    prelude::*,
    queue::Buckets,
    search::DStarLite,
    storage::{BLOCK, blocks},
};

const N: usize = capacity(32, 32);

/// All zero, so it lies in `.bss`. On a chip a `ConstStaticCell` takes the place of the mutex.
static ROBOT: Mutex<GridNavigator<N>> = Mutex::new(GridNavigator::new());

/// Walks any planner to its goal; the number of steps.
fn walk(robot: &mut impl Planner, mut at: Cell) -> Result<u32, planner_core::Error> {
    let mut steps = 0;
    loop {
        match robot.tick(at, Budget::limit(64))? {
            Decision::Step(next) => (at, steps) = (next, steps + 1),
            Decision::Wait => {} // the search goes on in the next tick
            Decision::Arrived | Decision::Unreachable => return Ok(steps),
        }
    }
}

fn main() -> Result<(), planner_core::Error> {
    let (start, goal) = (Cell::new(0, 0), Cell::new(9, 9));
    let Ok(robot) = &mut ROBOT.lock() else {
        return Ok(());
    };
    // One capacity serves fields of any size up to it.
    for (side, goal) in [(10, goal), (32, Cell::new(31, 31))] {
        robot.begin((side, side), start, &[goal])?;
        assert_eq!(walk(&mut **robot, start)?, 2 * u32::from(side) - 2);
    }
    println!("{} bytes in a static", size_of::<GridNavigator<N>>());

    // The same with slices that the caller keeps: `Lent` storage.
    type Search<'m> = DStarLite<Lent<'m>, Bits16, Buckets<8>>;
    let mut words = [0; blocks(10 * 11)];
    let mut nodes = [[Search::NODE; BLOCK]; blocks(10 * 11)];
    let map = CellMap::<Lent<'_>, Four>::in_storage(&mut words, Uniform);
    let search = Search::in_storage(Buckets::new(), &mut nodes);
    let mut borrowed = Navigator::from_parts(map, search);
    borrowed.begin((10, 10), start, &[goal])?;
    assert_eq!(walk(&mut borrowed, start)?, 18);
    Ok(())
}
