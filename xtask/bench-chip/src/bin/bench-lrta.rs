//! LRTA*, with a look-ahead of as many cells as a tick may expand.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, LARGEST_SIDE,
    walk::{Report, Sense, Watch, walk},
    world::World,
};
use planner_core::{
    BuildError, Navigator,
    local::{LocalConfig, LocalPlanner, Lrta, entries},
    map::CellMap,
    storage::{Array, capacity},
    width::Bits16,
};

type Planner<const N: usize> =
    Navigator<CellMap<Array<N>>, LocalPlanner<Lrta<Array<N>, Bits16, { entries(64, 4) }>>>;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    const N: usize = capacity(LARGEST_SIDE, LARGEST_SIDE);
    let mut planner: Planner<N> = const {
        Navigator::from_parts(
            CellMap::new(),
            LocalPlanner::new(Lrta::new(LocalConfig::DEFAULT), u32::MAX),
        )
    };
    let mut world = World::new(job.world, job.side, job.seed);
    planner.begin((job.side, job.side), world.start(), &[world.goal()])?;
    Ok(Report {
        bytes: size_of::<Planner<N>>() as u32,
        ..walk(&mut planner, &mut world, Sense::Cells, job, watch)
    })
}
