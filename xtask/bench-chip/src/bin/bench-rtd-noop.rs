//! Real-Time D* that waits for D* Lite: all of its work is the global search's.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, LARGEST_SIDE,
    walk::{Report, Sense, Watch, walk},
    world::World,
};
use planner_core::{
    BuildError, Navigator,
    map::CellMap,
    navigator::BACKLOG,
    queue::Buckets,
    rtd::{LocalRatio, NoOp, Rtd},
    search::DStarLite,
    storage::{Array, capacity},
    width::Bits16,
};

type Search<const N: usize> = Rtd<DStarLite<Array<N>, Bits16, Buckets<16>>, NoOp, BACKLOG>;
type Planner<const N: usize> = Navigator<CellMap<Array<N>>, Search<N>>;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    const N: usize = capacity(LARGEST_SIDE, LARGEST_SIDE);
    let mut planner: Planner<N> = const {
        Navigator::from_parts(
            CellMap::new(),
            Rtd::new(DStarLite::new(), NoOp, LocalRatio::PRESET),
        )
    };
    let mut world = World::new(job.world, job.side, job.seed);
    planner.begin((job.side, job.side), world.start(), &[world.goal()])?;
    Ok(Report {
        bytes: size_of::<Planner<N>>() as u32,
        ..walk(&mut planner, &mut world, Sense::Cells, job, watch)
    })
}
