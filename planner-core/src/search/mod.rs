//! Searches that run to the end: from the robot or from the goal, afresh or incrementally.
//!
//! | planner | searches | remembers |
//! |---|---|---|
//! | [`RepeatedAStar`]`<`[`Forward`]`>` | from the robot, whenever its path is blocked | nothing |
//! | [`RepeatedAStar`]`<`[`Backward`]`>` | from the goal, whenever its path is blocked | nothing |
//! | [`RepeatedAStar`]`<`[`Adaptive`]`>` | from the robot | better heuristics |
//! | [`DStarLite`] | from the goal, only what changed | the search itself |

mod astar;
mod dstar_lite;
mod global;
mod repeated;

pub use astar::AStarNode;
pub use dstar_lite::{Broken, DStarLite, DStarLiteNode};
pub use global::{GlobalSearch, Progress};
pub use repeated::{Adaptive, Backward, Forward, RepeatedAStar, Strategy};

use crate::{
    BuildError,
    terrain::Terrain,
    width::{Width, Word, infinity},
};

/// Checks that `terrain` fits the width and that there is a node for each vertex and head.
pub(crate) fn check_fit<W: Width>(
    terrain: &impl Terrain,
    heads: usize,
    nodes: usize,
) -> Result<usize, BuildError> {
    let vertices = terrain.grid().vertices();
    let slots = vertices.saturating_add(heads);
    let limit = <W::Id as Word>::MAX;
    if slots > limit {
        return Err(BuildError::TooManyCells { slots, limit });
    }
    let (longest, limit) = (terrain.longest(), infinity::<W>() - 1);
    // Keys are twice the sum of three costs and are compared on a circle of machine words.
    if longest > limit || longest > usize::MAX / 16 {
        return Err(BuildError::TooCostly { longest, limit });
    }
    if nodes < slots {
        return Err(BuildError::TooLittleMemory {
            needed: slots,
            given: nodes,
        });
    }
    Ok(vertices)
}
