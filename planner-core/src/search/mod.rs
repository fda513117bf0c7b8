//! Searches that run to the end: from the robot or from the goal, afresh or incrementally.
//!
//! | planner | searches | remembers |
//! |---|---|---|
//! | [`RepeatedAStar`]`<`[`Forward`]`>` | from the robot, whenever its path is blocked | nothing |
//! | [`RepeatedAStar`]`<`[`Backward`]`>` | from the goal, whenever its path is blocked | nothing |
//! | [`RepeatedAStar`]`<`[`Adaptive`]`>` | from the robot | better heuristics |
//! | [`DStarLite`] | from the goal, only what changed | the search itself |
//! | [`AnytimeDStar`] | the same, roughly at first and then better | the search itself |
//! | [`TurnAware`] | from the goal, over cells and headings | nothing |

mod anytime;
mod astar;
mod dstar_lite;
mod global;
mod heading;
mod repeated;

pub use anytime::{AnytimeDStar, AnytimeNode, Epsilon};
pub use astar::AStarNode;
pub use dstar_lite::{Broken, DStarLite, DStarLiteNode};
pub use global::{GlobalSearch, Progress};
pub use heading::{StateNode, TurnAware, TurnCosts};
pub use repeated::{Adaptive, Backward, Forward, RepeatedAStar, Strategy};

use crate::{
    BuildError,
    queue::{Linked, Queue},
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
    check_size::<W>(vertices, terrain.longest(), heads, nodes)
}

/// Checks that so many vertices, between which the way is no longer than `longest`, fit the width, and
/// that there is a node for each of them and each head.
pub(crate) fn check_size<W: Width>(
    vertices: usize,
    longest: usize,
    heads: usize,
    nodes: usize,
) -> Result<usize, BuildError> {
    let slots = vertices.saturating_add(heads);
    let limit = <W::Id as Word>::MAX;
    if slots > limit {
        return Err(BuildError::TooManyCells { slots, limit });
    }
    let limit = infinity::<W>() - 1;
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

/// Empties a queue for so many cells, and checks that it can hold an entry for each.
pub(crate) fn clear_queue<W: Width, Q: Queue<W>, N: Linked<Q::Link>>(
    queue: &mut Q,
    nodes: &mut [N],
    cells: usize,
) -> Result<(), BuildError> {
    let (needed, given) = (cells, queue.clear(nodes, cells));
    if given < needed {
        return Err(BuildError::TooLittleMemory { needed, given });
    }
    Ok(())
}
