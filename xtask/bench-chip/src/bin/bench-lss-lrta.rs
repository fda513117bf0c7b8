//! LSS-LRTA*, with a look-ahead of as many cells as a tick may expand.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, LARGEST_SIDE,
    walk::{Report, Watch, walk},
    world::World,
};
use planner_core::{
    BuildError,
    local::{Agent, Follow, Learned, LookAhead, LssLrta, SuccessorOrder, entries},
    map::Unknown,
    terrain::{Cells, Four, Uniform},
    width::{Bits16, Width},
};

type Local<'m> = LssLrta<'m, Bits16, { entries(64, 4) }>;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    const VERTICES: usize = Cells::<Four>::vertices(LARGEST_SIDE, LARGEST_SIDE);
    let mut words = [0; Cells::<Four>::words(LARGEST_SIDE, LARGEST_SIDE)];
    let mut values = [<Bits16 as Width>::Cost::default(); VERTICES];
    let mut world = World::new(job.world, job.side, job.seed);
    let vertices = Cells::<Four>::vertices(job.side, job.side);
    let words = &mut words[..Cells::<Four>::words(job.side, job.side)];
    let values = &mut values[..vertices];
    let bytes = size_of_val(words) + size_of_val(values) + size_of::<Agent<Cells<'_>, Local<'_>>>();
    let terrain = Cells::<Four>::new(job.side, job.side, words, Unknown::AsFree, Uniform)?;
    let learned = Learned::new(&terrain, values)?;
    let local = Local::new(
        learned,
        LookAhead::AStar,
        Follow::Path,
        SuccessorOrder::Fixed,
    );
    let mut planner = Agent::new(terrain, local, job.limit, world.goal())?;
    Ok(Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, job, watch)
    })
}
