//! What the robot's planner takes in memory, all included.

use planner_core::{
    local::{LssLrta, entries},
    queue::{Buckets, Fifo, Queue},
    rtd::Rtd,
    search::{DStarLite, DStarLiteNode},
    terrain::{Cells, Four},
    width::{Bits16, Width},
};

type Bins = Buckets<16, Fifo>;
type Link = <Bins as Queue<Bits16>>::Link;
type Global<'m> = DStarLite<'m, Bits16, Cells<'m, Four>, Bins>;
/// A quarter of 64 expansions a tick around the robot, and up to 16 changes waiting.
type Robot<'m> = Rtd<Global<'m>, LssLrta<'m, Bits16, { entries(16, 4) }>, 16>;

/// Bytes for a square map, without the heads of the buckets.
fn bytes(side: u16) -> usize {
    let vertices = Cells::<Four>::vertices(side, side);
    let nodes = vertices * size_of::<DStarLiteNode<Bits16, Link>>();
    let values = vertices * size_of::<<Bits16 as Width>::Cost>();
    let map = Cells::<Four>::words(side, side) * size_of::<u32>();
    nodes + values + map + size_of::<Robot<'_>>()
}

#[test]
fn the_robots_planner_takes_ten_and_a_half_bytes_per_cell() {
    let cells = 101 * 101;
    let per_cell = bytes(101) as f64 / f64::from(cells);
    println!(
        "{per_cell:.3} bytes per cell of 101x101, with {} bytes that any map takes",
        size_of::<Robot<'_>>()
    );
    assert!(per_cell <= 10.5, "{per_cell}");
}
