//! Names that most users need: `use planner_core::prelude::*;`.

#[cfg(feature = "alloc")]
pub use crate::storage::Boxed;
pub use crate::{
    Budget, Cell, Decision, Inspect, Navigator, Observation, Planner, Side, Stats, Work,
    explore::Phase,
    graph::{Coarse, Eight, Four, NeverCut},
    map::{CellMap, Map, Occupancy, WallMap},
    navigator::{
        GridNavigator, GridNavigatorIn, LargeGridNavigator, MazeNavigator, MazeNavigatorIn,
    },
    storage::{Array, Lent, capacity, maze_capacity},
    width::{Bits16, Bits32},
};
