//! The robot's knowledge of the world: observations in, changes out.
//!
//! | map | blocked are | memory per cell |
//! |---|---|---|
//! | [`CellMap`] | cells, with four or eight [moves](crate::graph::Moves) | 2 bits, and 1 byte with [`Weights`] |
//! | [`WallMap`] | walls on the edges between cells | 1 byte |
//!
//! A map says nothing about a search. It is lent to any number of them in each call, and each reads it
//! through a [view](Map::view) with its own [`UnknownPolicy`].

mod cell_map;
mod occupancy;
mod revision;
mod wall_map;
mod weights;

pub use cell_map::{CellGraph, CellMap};
pub use occupancy::{AsBlocked, AsFree, Occupancy, UnknownPolicy};
pub use revision::Revision;
pub use wall_map::{WallGraph, WallMap};
pub use weights::{Costs, Uniform, Weights};

use core::fmt::Debug;

use crate::{
    BuildError, Cell, ObserveError, Side,
    graph::{Graph, GraphChange, Trend},
};

/// Something that was sensed, for [`Planner::observe`](crate::Planner::observe) and [`Map::observe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Observation {
    /// The occupancy of a cell.
    Cell(Cell, Occupancy),
    /// The occupancy of the wall on one side of a cell.
    Wall(Cell, Side, Occupancy),
    /// The cost of entering a cell, as a multiple of a plain one.
    Weight(Cell, u8),
}

/// A change of a map, to be passed to every search on it with
/// [`Search::update`](crate::search::Search::update). [`Revision`] finds out when one is not.
#[must_use = "a search that misses a change plans on an old map"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The occupancy of a cell changed.
    Cell {
        /// The vertex of the cell.
        vertex: usize,
        /// Occupancy before.
        from: Occupancy,
        /// Occupancy now.
        to: Occupancy,
    },
    /// The occupancy of a wall changed.
    Wall {
        /// The vertices on both sides of the wall.
        between: (usize, usize),
        /// Occupancy before.
        from: Occupancy,
        /// Occupancy now.
        to: Occupancy,
    },
    /// The cost of entering a cell changed.
    Weight(usize, Trend),
}

impl Change {
    /// Returns the change of the graph of a search with policy `U`; `None` if it stays the same.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn seen_as<U: UnknownPolicy>(self) -> Option<GraphChange> {
        let trend =
            |from: Occupancy, to: Occupancy| match (from.is_passable::<U>(), to.is_passable::<U>())
            {
                (true, false) => Some(Trend::Rise),
                (false, true) => Some(Trend::Fall),
                _ => None,
            };
        match self {
            Self::Cell { vertex, from, to } => trend(from, to).map(|trend| match trend {
                Trend::Rise => GraphChange::Blocked(vertex),
                Trend::Fall => GraphChange::Unblocked(vertex),
            }),
            Self::Wall { between, from, to } => {
                trend(from, to).map(|trend| GraphChange::Edge(between.0, between.1, trend))
            }
            Self::Weight(vertex, trend) => Some(GraphChange::Weight(vertex, trend)),
        }
    }
}

/// A map of a grid world. `examples/custom_terrain.rs` implements one.
pub trait Map: Debug {
    /// The graph that a search with policy `U` runs on.
    type Graph<'a, U: UnknownPolicy>: Graph
    where
        Self: 'a;

    /// Makes the map one of `width` by `height` cells of which nothing is known. Takes time in proportion to
    /// the map.
    ///
    /// # Errors
    /// The size is zero or exceeds the capacity; the map is then empty.
    fn resize(&mut self, width: u16, height: u16) -> Result<(), BuildError>;

    /// Records an observation; `None` when it was known already.
    ///
    /// # Errors
    /// The observation is outside the map or of a kind that it does not hold.
    fn observe(&mut self, observation: Observation) -> Result<Option<Change>, ObserveError>;

    /// Returns the graph as a search with policy `U` sees it. Takes constant time.
    fn view<U: UnknownPolicy>(&self) -> Self::Graph<'_, U>;

    /// Returns the occupancy of a cell. Outside the map every cell is blocked; in a maze every cell of the
    /// map is free.
    fn occupancy(&self, cell: Cell) -> Occupancy;

    /// Returns whether it is known if move `m` from a vertex is possible.
    fn is_known(&self, from: usize, m: usize) -> bool;

    /// Returns the number of changes so far, counted by `resize` and by `observe`; `None` if the map does not
    /// count them, and a dropped one goes unnoticed.
    fn revision(&self) -> Option<Revision> {
        None
    }
}
