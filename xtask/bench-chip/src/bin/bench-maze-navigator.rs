//! The preset `MazeNavigator`, which the robot runs: explores a maze with Real-Time D*, returns, and runs by the path of
//! least time.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, Situation,
    walk::{Report, Sense, Watch, walk},
    world::World,
};
use planner_core::{
    BuildError,
    navigator::MazeNavigator,
    search::{RunLimits, RunTimes},
    storage::maze_capacity,
};

/// Three searches of larger mazes do not fit.
const LARGEST_SIDE: u16 = 65;

/// The motion of a micromouse.
const TIMES: RunTimes = match RunTimes::new(RunLimits::MICROMOUSE) {
    Ok(times) => times,
    Err(_) => panic!("out of range"),
};

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    if job.side > LARGEST_SIDE {
        return Ok(Report::default());
    }
    let mut planner =
        const { MazeNavigator::<{ maze_capacity(LARGEST_SIDE, LARGEST_SIDE) }>::new() };
    let mut world = World::new(job.world, job.side, job.seed);
    planner.begin((job.side, job.side), world.start(), &[world.goal()])?;
    planner.set_run_times(TIMES);
    let sense = match job.situation {
        Situation::Usual => Sense::Walls,
        Situation::Rare => {
            planner.set_explore_by_time(true);
            Sense::Touch
        }
    };
    let bytes = match job.side {
        0..=33 => size_of::<MazeNavigator<{ maze_capacity(33, 33) }>>(),
        _ => size_of::<MazeNavigator<{ maze_capacity(LARGEST_SIDE, LARGEST_SIDE) }>>(),
    };
    Ok(Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, sense, job, watch)
    })
}
