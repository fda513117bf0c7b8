//! Real-Time D*: D* Lite on buckets and LSS-LRTA*, a quarter of the budget around the robot.
#![cfg_attr(target_os = "none", no_std, no_main)]

use bench_chip::{
    Job, LARGEST_SIDE,
    walk::{Report, Watch, walk},
    world::World,
};
use planner_core::{
    BuildError,
    local::{Follow, Learned, LookAhead, LssLrta, SuccessorOrder, entries},
    map::Unknown,
    queue::Buckets,
    rtd::{LocalRatio, Rtd},
    search::DStarLite,
    terrain::{Cells, Four, Uniform},
    width::{Bits16, Width},
};

type Global<'m> = DStarLite<'m, Bits16, Cells<'m, Four>, Buckets<16>>;
type Local<'m> = LssLrta<'m, Bits16, { entries(16, 4) }>;
type Robot<'m> = Rtd<Global<'m>, Local<'m>, 16>;

bench_chip::image!(run);

fn run<W: Watch>(job: Job, watch: &mut W) -> Result<Report, BuildError> {
    const VERTICES: usize = Cells::<Four>::vertices(LARGEST_SIDE, LARGEST_SIDE);
    let mut words = [0; Cells::<Four>::words(LARGEST_SIDE, LARGEST_SIDE)];
    let mut nodes = [Default::default(); Global::nodes(VERTICES)];
    let mut values = [<Bits16 as Width>::Cost::default(); VERTICES];
    let mut world = World::new(job.world, job.side, job.seed);
    let vertices = Cells::<Four>::vertices(job.side, job.side);
    let words = &mut words[..Cells::<Four>::words(job.side, job.side)];
    let nodes = &mut nodes[..Global::nodes(vertices)];
    let values = &mut values[..vertices];
    let bytes =
        size_of_val(words) + size_of_val(nodes) + size_of_val(values) + size_of::<Robot<'_>>();
    let terrain = Cells::new(job.side, job.side, words, Unknown::AsFree, Uniform)?;
    let learned = Learned::new(&terrain, values)?;
    let (start, goal) = (world.start(), world.goal());
    let global = Global::new(terrain, Buckets::new(), nodes, start, goal)?;
    let local = Local::new(
        learned,
        LookAhead::AStar,
        Follow::Path,
        SuccessorOrder::Fixed,
    );
    let mut planner = Robot::new(global, local, LocalRatio::percent(25));
    Ok(Report {
        bytes: bytes as u32,
        ..walk(&mut planner, &mut world, job, watch)
    })
}
