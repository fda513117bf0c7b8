//! D* Lite on buckets.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, LARGEST_SIDE,
    walk::{Report, Sense, Watch, walk},
    world::World,
};
use planner_core::{
    BuildError, Navigator,
    graph::Four,
    map::{CellMap, Uniform},
    queue::Buckets,
    search::DStarLite,
    storage::{BLOCK, Lent, blocks, capacity},
    width::Bits16,
};

type Search<'m> = DStarLite<Lent<'m>, Bits16, Buckets<16>>;
type Planner<'m> = Navigator<CellMap<Lent<'m>, Four>, Search<'m>>;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    const BLOCKS: usize = capacity(LARGEST_SIDE, LARGEST_SIDE);
    let mut words = [0; BLOCKS];
    let mut nodes = [[Search::NODE; BLOCK]; BLOCKS];
    let mut world = World::new(job.world, job.side, job.seed);
    let blocks = blocks(CellMap::vertices(job.side, job.side));
    let (words, nodes) = (&mut words[..blocks], &mut nodes[..blocks]);
    let bytes = size_of_val(words) + size_of_val(nodes) + size_of::<Planner<'_>>();
    let search = Search::in_storage(Buckets::new(), nodes);
    let mut planner = Planner::from_parts(CellMap::in_storage(words, Uniform), search);
    planner.begin((job.side, job.side), world.start(), &[world.goal()])?;
    Ok(Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, Sense::Cells, job, watch)
    })
}
