//! Real-Time D* that waits for D* Lite: all of its work is the global search's.
#![cfg_attr(target_os = "none", no_std, no_main)]

use planner_core::{
    Navigator,
    map::CellMap,
    navigator::BACKLOG,
    queue::Buckets,
    rtd::{LocalRatio, NoOp, Rtd},
    search::DStarLite,
    storage::Array,
    width::Bits16,
};

type Search<const N: usize> = Rtd<DStarLite<Array<N>, Bits16, Buckets<16>>, NoOp, BACKLOG>;
type Planner<const N: usize> = Navigator<CellMap<Array<N>>, Search<N>>;

bench_chip::planner_image!(
    Planner,
    Navigator::from_parts(
        CellMap::new(),
        Rtd::new(DStarLite::new(), NoOp, LocalRatio::PRESET),
    )
);
