//! The preset `GridNavigator`: Real-Time D* on cells.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, LARGEST_SIDE,
    walk::{Report, Sense, Watch, walk},
    world::World,
};
use planner_core::{BuildError, navigator::GridNavigator, storage::capacity};

bench_chip::image!(run);

/// Bytes of a navigator of some capacity.
const fn bytes<const CAPACITY: usize>() -> usize {
    size_of::<GridNavigator<CAPACITY>>()
}

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    let mut planner = const { GridNavigator::<{ capacity(LARGEST_SIDE, LARGEST_SIDE) }>::new() };
    let mut world = World::new(job.world, job.side, job.seed);
    planner.begin((job.side, job.side), world.start(), &[world.goal()])?;
    let bytes = match job.side {
        0..=33 => bytes::<{ capacity(33, 33) }>(),
        34..=65 => bytes::<{ capacity(65, 65) }>(),
        66..=101 => bytes::<{ capacity(101, 101) }>(),
        _ => bytes::<{ capacity(LARGEST_SIDE, LARGEST_SIDE) }>(),
    };
    Ok(Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, Sense::Cells, job, watch)
    })
}
