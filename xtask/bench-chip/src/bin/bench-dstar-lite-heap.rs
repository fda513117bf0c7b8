//! D* Lite on a binary heap.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job,
    walk::{Report, Watch, walk},
    world::World,
};
use planner_core::{
    BuildError,
    map::Unknown,
    queue::{Heap, SmallerG},
    search::DStarLite,
    terrain::{Cells, Four, Uniform},
    width::Bits16,
};

type Search<'m> = DStarLite<'m, Bits16, Cells<'m, Four>, Heap<'m, u64, SmallerG>>;

/// 129 does not fit: a heap takes eight bytes more per cell.
const LARGEST_SIDE: u16 = 101;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    const VERTICES: usize = Cells::<Four>::vertices(LARGEST_SIDE, LARGEST_SIDE);
    if job.side > LARGEST_SIDE {
        return Ok(Report::default());
    }
    let mut words = [0; Cells::<Four>::words(LARGEST_SIDE, LARGEST_SIDE)];
    let mut nodes = [Default::default(); Search::nodes(VERTICES)];
    let mut entries = [0; VERTICES];
    let mut world = World::new(job.world, job.side, job.seed);
    let vertices = Cells::<Four>::vertices(job.side, job.side);
    let words = &mut words[..Cells::<Four>::words(job.side, job.side)];
    let nodes = &mut nodes[..Search::nodes(vertices)];
    let entries = &mut entries[..vertices];
    let bytes =
        size_of_val(words) + size_of_val(nodes) + size_of_val(entries) + size_of::<Search<'_>>();
    let terrain = Cells::new(job.side, job.side, words, Unknown::AsFree, Uniform)?;
    let (start, goal) = (world.start(), world.goal());
    let mut planner = Search::new(terrain, Heap::new(entries), nodes, start, goal)?;
    Ok(Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, job, watch)
    })
}
