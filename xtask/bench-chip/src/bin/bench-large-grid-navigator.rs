//! The preset `LargeGridNavigator`, for the largest map that fits the chip.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, LARGEST_WORLD,
    walk::{Report, Sense, Unrecorded, Watch, walk},
    world::World,
};
use planner_core::{BuildError, navigator::LargeGridNavigator, storage::capacity};

type Planner = LargeGridNavigator<{ capacity(LARGEST_WORLD, LARGEST_WORLD) }>;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    // First, as long as there is memory to make it in: the planner takes up the rest.
    let mut world = World::new(job.world, job.side, job.seed);
    drive(job, &mut world, watch)
}

#[inline(never)]
fn drive<W: Watch>(job: Job, world: &mut World, watch: &mut W) -> Result<Report, BuildError> {
    let mut planner: Planner = const { Planner::new() };
    planner.begin((job.side, job.side), world.start(), &[world.goal()])?;
    Ok(Report {
        bytes: size_of::<Planner>() as u32,
        ..walk(
            &mut planner,
            world,
            Sense::Cells,
            job,
            &mut Unrecorded(watch),
        )
    })
}
