//! A micromouse: finds the goal of an unknown maze, explores until the shortest path is proven, returns and runs.

use planner_core::prelude::*;

/// Corners `o`, walls `-` and `|`; the robot starts in the south-west corner, the goal is `G`.
const MAZE: &str = "\
o-o-o-o-o-o-o
|     |     |
o o-o o o-o o
| |   |   | |
o o o-o-o o o
| |   G|  | |
o o-o-o o-o o
|   |   |   |
o-o o o-o o o
|   |     | |
o o-o-o-o-o o
|           |
o-o-o-o-o-o-o";
const SIZE: u16 = 6;

/// The wall on a side of a cell: what the robot's sensors would see.
fn sense(cell: Cell, side: Side) -> Occupancy {
    let (row, column) = (2 * usize::from(cell.y) + 1, 2 * usize::from(cell.x) + 1);
    let (row, column) = match side {
        Side::South => (row + 1, column),
        Side::West => (row, column - 1),
        Side::North => (row - 1, column),
        Side::East => (row, column + 1),
    };
    let line = MAZE.lines().nth(row).unwrap_or_default();
    match line.as_bytes().get(column) {
        Some(b' ') => Occupancy::Free,
        _ => Occupancy::Blocked,
    }
}

fn main() -> Result<(), planner_core::Error> {
    let mut robot = MazeNavigator::<{ maze_capacity(SIZE, SIZE) }>::new();
    let (home, goal) = (Cell::new(0, SIZE - 1), Cell::new(2, 2));
    robot.begin((SIZE, SIZE), home, &[goal])?;

    let (mut at, mut phase, mut steps) = (home, Phase::Search, 0);
    while robot.phase() != Phase::Done {
        for side in Side::ALL {
            robot.observe(Observation::Wall(at, side, sense(at, side)))?;
        }
        if let Decision::Step(next) = robot.tick(at, Budget::limit(16))? {
            (at, steps) = (next, steps + 1);
        }
        if robot.phase() != phase {
            println!("{phase:?} ends at {at:?} after {steps} steps");
            (phase, steps) = (robot.phase(), 0);
        }
    }
    assert!(robot.is_solved() && at == goal);
    Ok(())
}
