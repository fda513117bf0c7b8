//! LSS-LRTA*, with a look-ahead of as many cells as a tick may expand.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, LARGEST_SIDE,
    walk::{Report, Watch, walk},
    world::World,
};
use planner_core::{
    local::{Agent, Follow, Learned, LookAhead, LssLrta, SuccessorOrder, entries},
    map::Unknown,
    terrain::{Cells, Four, Uniform},
    width::{Bits16, Width},
};

type Local<'m> = LssLrta<'m, Bits16, { entries(64, 4) }>;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Report {
    const VERTICES: usize = Cells::<Four>::vertices(LARGEST_SIDE, LARGEST_SIDE);
    let mut words = [0; Cells::<Four>::words(LARGEST_SIDE, LARGEST_SIDE)];
    let mut values = [<Bits16 as Width>::Cost::default(); VERTICES];
    let mut world = World::new(job.world, job.side, job.seed);
    let vertices = Cells::<Four>::vertices(job.side, job.side);
    let words = &mut words[..Cells::<Four>::words(job.side, job.side)];
    let values = &mut values[..vertices];
    let bytes = size_of_val(words) + size_of_val(values) + size_of::<Agent<Cells<'_>, Local<'_>>>();
    let Ok(terrain) = Cells::<Four>::new(job.side, job.side, words, Unknown::AsFree, Uniform)
    else {
        return Report::default();
    };
    let Ok(learned) = Learned::new(&terrain, values) else {
        return Report::default();
    };
    let local = Local::new(
        learned,
        LookAhead::AStar,
        Follow::Path,
        SuccessorOrder::Fixed,
    );
    let Ok(mut planner) = Agent::new(terrain, local, job.limit, world.goal()) else {
        return Report::default();
    };
    Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, job, watch)
    }
}
