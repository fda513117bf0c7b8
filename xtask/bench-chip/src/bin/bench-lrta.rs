//! LRTA*, with a look-ahead of as many cells as a tick may expand.
#![cfg_attr(target_os = "none", no_std, no_main)]

use planner_core::{
    Navigator,
    local::{LocalConfig, LocalPlanner, Lrta, entries},
    map::CellMap,
    storage::Array,
    width::Bits16,
};

type Planner<const N: usize> =
    Navigator<CellMap<Array<N>>, LocalPlanner<Lrta<Array<N>, Bits16, { entries(64, 4) }>>>;

bench_chip::planner_image!(
    Planner,
    Navigator::from_parts(
        CellMap::new(),
        LocalPlanner::new(Lrta::new(LocalConfig::DEFAULT), u32::MAX),
    )
);
