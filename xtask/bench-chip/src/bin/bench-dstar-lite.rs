//! D* Lite on buckets.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, LARGEST_SIDE,
    walk::{Report, Watch, walk},
    world::World,
};
use planner_core::{
    BuildError,
    map::Unknown,
    queue::Buckets,
    search::DStarLite,
    terrain::{Cells, Four, Uniform},
    width::Bits16,
};

type Search<'m> = DStarLite<'m, Bits16, Cells<'m, Four>, Buckets<16>>;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    const VERTICES: usize = Cells::<Four>::vertices(LARGEST_SIDE, LARGEST_SIDE);
    let mut words = [0; Cells::<Four>::words(LARGEST_SIDE, LARGEST_SIDE)];
    let mut nodes = [Default::default(); Search::nodes(VERTICES)];
    let mut world = World::new(job.world, job.side, job.seed);
    let vertices = Cells::<Four>::vertices(job.side, job.side);
    let words = &mut words[..Cells::<Four>::words(job.side, job.side)];
    let nodes = &mut nodes[..Search::nodes(vertices)];
    let bytes = size_of_val(words) + size_of_val(nodes) + size_of::<Search<'_>>();
    let terrain = Cells::new(job.side, job.side, words, Unknown::AsFree, Uniform)?;
    let (start, goal) = (world.start(), world.goal());
    let mut planner = Search::new(terrain, Buckets::new(), nodes, start, goal)?;
    Ok(Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, job, watch)
    })
}
