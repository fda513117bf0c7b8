//! Time-bounded A* alone, with the table of the presets.
#![cfg_attr(target_os = "none", no_std, no_main)]

use planner_core::{
    Navigator,
    local::{LocalPlanner, Tba},
    map::CellMap,
    navigator::ENTRIES,
    storage::Array,
    width::Bits16,
};

type Planner<const N: usize> =
    Navigator<CellMap<Array<N>>, LocalPlanner<Tba<Array<N>, Bits16, ENTRIES>>>;

bench_chip::planner_image!(
    Planner,
    Navigator::from_parts(CellMap::new(), LocalPlanner::new(Tba::new(), u32::MAX))
);
