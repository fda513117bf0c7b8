//! D* Lite on a binary heap.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job,
    walk::{Report, Sense, Watch, walk},
    world::World,
};
use planner_core::{
    BuildError, Navigator,
    graph::Four,
    map::{CellMap, Uniform},
    queue::{Heap, SmallerG},
    search::DStarLite,
    storage::{BLOCK, Lent},
    width::Bits16,
};

type Open<'m> = Heap<Lent<'m>, u64, SmallerG>;
type Search<'m> = DStarLite<Lent<'m>, Bits16, Open<'m>>;
type Planner<'m> = Navigator<CellMap<Lent<'m>, Four>, Search<'m>>;

/// 129 does not fit: a heap takes eight bytes more per cell.
const LARGEST_SIDE: u16 = 101;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    const BLOCKS: usize = CellMap::vertices(LARGEST_SIDE, LARGEST_SIDE).div_ceil(BLOCK);
    if job.side > LARGEST_SIDE {
        return Ok(Report::default());
    }
    let mut words = [0; BLOCKS];
    let mut nodes = [[Search::NODE; BLOCK]; BLOCKS];
    let mut entries = [[0; BLOCK]; BLOCKS];
    let mut world = World::new(job.world, job.side, job.seed);
    let blocks = CellMap::vertices(job.side, job.side).div_ceil(BLOCK);
    let (words, nodes) = (&mut words[..blocks], &mut nodes[..blocks]);
    let entries = &mut entries[..blocks];
    let bytes =
        size_of_val(words) + size_of_val(nodes) + size_of_val(entries) + size_of::<Planner<'_>>();
    let search = Search::in_storage(Open::in_storage(entries), nodes);
    let mut planner = Planner::from_parts(CellMap::in_storage(words, Uniform), search);
    planner.begin((job.side, job.side), world.start(), &[world.goal()])?;
    Ok(Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, Sense::Cells, job, watch)
    })
}
