//! D* Lite on buckets.
#![cfg_attr(target_os = "none", no_std, no_main)]

use planner_core::{
    Navigator, map::CellMap, queue::Buckets, search::DStarLite, storage::Array, width::Bits16,
};

type Planner<const N: usize> =
    Navigator<CellMap<Array<N>>, DStarLite<Array<N>, Bits16, Buckets<16>>>;

bench_chip::planner_image!(
    Planner,
    Navigator::from_parts(CellMap::new(), DStarLite::new())
);
