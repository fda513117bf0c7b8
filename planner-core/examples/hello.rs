//! A robot on an unknown grid: observe, tick, move.

use planner_core::prelude::*;

fn main() -> Result<(), planner_core::Error> {
    let mut robot = GridNavigator::<{ capacity(64, 64) }>::new();
    let (mut at, goal) = (Cell::new(1, 1), Cell::new(1, 4));
    robot.begin((64, 64), at, &[goal])?;
    robot.observe(Observation::Cell(Cell::new(1, 2), Occupancy::Blocked))?;
    let mut steps = 0;
    while let Decision::Step(next) = robot.tick(at, Budget::limit(32))? {
        (at, steps) = (next, steps + 1);
        println!("{steps}: {at:?}");
    }
    assert_eq!((at, steps), (goal, 5)); // three rows south, around the blocked cell
    Ok(())
}
