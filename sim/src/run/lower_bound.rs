//! Lower bound of the time of a speed run.

use anyhow::{Context, ensure};
use planner_core::{
    Budget, Side, Work,
    search::{RunLimits, RunProgress, RunSearch, RunTimes, UnknownAs},
    storage::{BLOCK, Boxed},
    width::Bits32,
};

use crate::{catalog::wall_map, world::Maze};

/// Returns the least time in seconds from the start of a maze to its goal under limits of motion, from rest to rest, of
/// a robot that knows the maze and senses nothing; `None` if the goal cannot be reached.
///
/// # Errors
/// The limits allow no motion.
pub fn lower_bound_seconds(
    maze: &Maze,
    heading: Side,
    limits: RunLimits,
) -> anyhow::Result<Option<f64>> {
    const TICK_US: u32 = 1000;
    let limits = RunLimits {
        tick_us: TICK_US,
        ..limits
    };
    let map = wall_map(maze, true)?;
    let mut run = RunSearch::<Boxed, Bits32>::allocate(map.grid().vertices().div_ceil(BLOCK));
    run.set_times(RunTimes::new(limits)?);
    let robot = (maze.start, Some(heading));
    run.begin(&map, robot, &maze.goals, UnknownAs::Blocked)?;
    // The search is longer than a tick of any planner, but not than this.
    let progress = run.advance(&map, Budget::UNLIMITED, &mut { Work::ZERO });
    ensure!(
        matches!(progress, RunProgress::Found | RunProgress::NoPath),
        "the maze is too large"
    );
    if progress == RunProgress::NoPath {
        return Ok(None);
    }
    let ticks = run.time().context("a path has a time")?;
    Ok(Some(ticks as f64 * f64::from(TICK_US) / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::bundled;

    const LIMITS: RunLimits = RunLimits::MICROMOUSE;

    fn bound(maze: &Maze, limits: RunLimits) -> Option<f64> {
        lower_bound_seconds(maze, Side::North, limits).unwrap()
    }

    #[test]
    fn a_corridor_takes_the_time_of_one_trapezoid() {
        let mut maze = Maze::open(1, 10).unwrap();
        maze.goals = vec![planner_core::Cell::new(0, 0)];
        // Nine cells: 1.62 m, of which 2/3 m to speed up and to slow down.
        let seconds = 2.0 * 1.0 / 1.5 + (1.62 - 1.0 / 1.5) / 1.0;
        assert!((bound(&maze, LIMITS).unwrap() - seconds).abs() < 0.001);
        let turned = lower_bound_seconds(&maze, Side::South, LIMITS).unwrap();
        assert!((turned.unwrap() - seconds - 1.0).abs() < 0.001);
    }

    #[test]
    fn no_robot_is_faster_than_the_bound_and_a_faster_one_has_a_lower_bound() {
        for (name, maze) in bundled::mazes() {
            let seconds = bound(&maze, LIMITS).unwrap();
            let metres = 0.18 * f64::from(maze.shortest().unwrap());
            // At top speed, and cutting every corner.
            assert!(seconds > metres * 150.0 / 180.0 / 1.0, "{name}");
            let faster = RunLimits {
                top_speed: 1500,
                acceleration: 3000,
                ..LIMITS
            };
            assert!(bound(&maze, faster).unwrap() < seconds, "{name}");
        }
    }

    #[test]
    fn a_goal_behind_walls_has_no_bound() {
        let mut maze = Maze::open(3, 1).unwrap();
        maze.goals = vec![planner_core::Cell::new(2, 0)];
        maze.set_wall(planner_core::Cell::new(1, 0), Side::East, true);
        assert_eq!(bound(&maze, LIMITS), None);
    }
}
