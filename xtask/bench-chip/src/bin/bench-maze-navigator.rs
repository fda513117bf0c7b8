//! The preset `MazeNavigator`, which the robot runs: explores a maze with Real-Time D*.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job,
    walk::{Report, Sense, Watch, walk},
    world::World,
};
use planner_core::{BuildError, navigator::MazeNavigator, storage::maze_capacity};

/// Three searches of larger mazes do not fit.
const LARGEST_SIDE: u16 = 65;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    if job.side > LARGEST_SIDE {
        return Ok(Report::default());
    }
    let mut planner =
        const { MazeNavigator::<{ maze_capacity(LARGEST_SIDE, LARGEST_SIDE) }>::new() };
    let mut world = World::new(job.world, job.side, job.seed);
    planner.begin((job.side, job.side), world.start(), &[world.goal()])?;
    let bytes = match job.side {
        0..=33 => size_of::<MazeNavigator<{ maze_capacity(33, 33) }>>(),
        _ => size_of::<MazeNavigator<{ maze_capacity(LARGEST_SIDE, LARGEST_SIDE) }>>(),
    };
    Ok(Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, Sense::Walls, job, watch)
    })
}
