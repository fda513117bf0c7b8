//! LSS-LRTA*, with a look-ahead of as many cells as a tick may expand.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, LARGEST_SIDE,
    walk::{Report, Sense, Watch, walk},
    world::World,
};
use planner_core::{
    BuildError, Navigator,
    graph::Four,
    local::{Follow, Learned, LocalConfig, LocalPlanner, LssLrta, entries},
    map::{CellMap, Uniform},
    storage::{BLOCK, Lent},
    width::Bits16,
};

type Local<'m> = LssLrta<Lent<'m>, Bits16, { entries(64, 4) }>;
type Planner<'m> = Navigator<CellMap<Lent<'m>, Four>, LocalPlanner<Local<'m>>>;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    const BLOCKS: usize = CellMap::vertices(LARGEST_SIDE, LARGEST_SIDE).div_ceil(BLOCK);
    let mut words = [0; BLOCKS];
    let mut values = [[0; BLOCK]; BLOCKS];
    let mut world = World::new(job.world, job.side, job.seed);
    let blocks = CellMap::vertices(job.side, job.side).div_ceil(BLOCK);
    let (words, values) = (&mut words[..blocks], &mut values[..blocks]);
    let bytes = size_of_val(words) + size_of_val(values) + size_of::<Planner<'_>>();
    let config = LocalConfig {
        follow: Follow::Path,
        ..LocalConfig::DEFAULT
    };
    let local = Local::with_learned(Learned::in_storage(values), config);
    let search = LocalPlanner::new(local, job.limit);
    let mut planner = Planner::from_parts(CellMap::in_storage(words, Uniform), search);
    planner.begin((job.side, job.side), world.start(), &[world.goal()])?;
    Ok(Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, Sense::Cells, job, watch)
    })
}
