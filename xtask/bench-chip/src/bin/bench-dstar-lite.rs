//! D* Lite on buckets.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, LARGEST_SIDE,
    walk::{Report, Sense, Watch, walk},
    world::World,
};
use planner_core::{
    BuildError, Navigator,
    map::CellMap,
    queue::Buckets,
    search::DStarLite,
    storage::{Array, capacity},
    width::Bits16,
};

type Planner<const N: usize> =
    Navigator<CellMap<Array<N>>, DStarLite<Array<N>, Bits16, Buckets<16>>>;

bench_chip::image!(run);

/// Bytes of a planner of some capacity.
const fn bytes<const N: usize>() -> usize {
    size_of::<Planner<N>>()
}

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    const N: usize = capacity(LARGEST_SIDE, LARGEST_SIDE);
    // A constant: it is all zero and made in place.
    let mut planner: Planner<N> = const { Navigator::from_parts(CellMap::new(), DStarLite::new()) };
    let mut world = World::new(job.world, job.side, job.seed);
    planner.begin((job.side, job.side), world.start(), &[world.goal()])?;
    let bytes = match job.side {
        0..=33 => bytes::<{ capacity(33, 33) }>(),
        34..=65 => bytes::<{ capacity(65, 65) }>(),
        66..=101 => bytes::<{ capacity(101, 101) }>(),
        _ => bytes::<N>(),
    };
    Ok(Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, Sense::Cells, job, watch)
    })
}
