//! Subgoal trees on a desktop: the memory that they grow in, for any number of goals at once.

use planner_core::{
    Budget, BuildError, Cell, Navigator, Work,
    graph::{Eight, Four, Graph, Moves},
    local::SuccessorOrder,
    map::{AsFree, CellMap, Map},
    queue::Buckets,
    storage::{Boxed, blocks},
    subgoal::{
        ExitRule, Grown, Growth, Rules, Source, SubgoalLrta, Values,
        packed::{Cover, PackError, Packed, PackedError, Packer, pack_tree},
    },
    width::Bits32,
};
use rayon::prelude::*;
use thiserror::Error;

use crate::{
    catalog::{self, AnyPlanner},
    world::Grid,
};

/// Two diagonals of a fine scale fit the ring, so no entry ever has to be queued twice.
type Open = Buckets<64>;

/// A tree as it grows here.
pub type Tree = Grown<Boxed, Boxed, Bits32, Open>;

/// The map of a world that is known.
///
/// # Errors
/// The world is empty.
pub fn map<M: Moves>(grid: &Grid) -> Result<CellMap<Boxed, M>, BuildError> {
    catalog::cell_map((grid.width(), grid.height()), Some(grid))
}

/// Memory for any tree of a graph, in which one after the other grows.
#[must_use]
pub fn empty_tree(graph: &impl Graph, rule: ExitRule) -> Tree {
    let vertices = graph.grid().vertices();
    Tree::allocate(Open::new(), blocks(vertices) + 128, vertices, rule)
}

/// Grows the tree of a goal and returns its work.
///
/// # Errors
/// The map does not fit 32 bits, or the goal is outside.
pub fn grow(tree: &mut Tree, graph: &impl Graph, goal: Cell) -> Result<Work, BuildError> {
    graph.grid().vertex(goal)?;
    tree.begin(graph)?;
    tree.change_goal(goal);
    let mut work = Work::default();
    while tree.advance(graph, Budget::UNLIMITED, &mut work) == Growth::Growing {}
    Ok(work)
}

/// Grows the tree of each goal and calls a function with it; the results in the order of the goals.
///
/// # Errors
/// The map does not fit 32 bits, or a goal is outside.
pub fn grow_each<R: Send>(
    graph: impl Graph + Sync,
    rule: ExitRule,
    goals: &[Cell],
    look: impl Fn(&Tree, &Work) -> R + Sync,
) -> Result<Vec<R>, BuildError> {
    goals
        .par_iter()
        .map_init(
            || empty_tree(&graph, rule),
            |tree, &goal| {
                let work = grow(tree, &graph, goal)?;
                Ok(look(tree, &work))
            },
        )
        .collect()
}

/// The bytes of one tree, as [`pack`] puts them together.
///
/// # Errors
/// The goal is blocked, or the tree is too large.
pub fn packed_tree(tree: &Tree, grid: &Grid, cover: Cover) -> Result<Vec<u8>, PackError> {
    let size = (grid.width(), grid.height());
    grown(|buffer| pack_tree(tree, size, cover, buffer).map(<[u8]>::len))
}

/// The bytes of a file with the trees of a map, each from [`packed_tree`], row by row.
///
/// # Errors
/// The trees are not in order, or too large for a file.
pub fn pack(graph: &impl Graph, trees: &[Vec<u8>], cover: Cover) -> Result<Vec<u8>, PackError> {
    grown(|buffer| {
        let mut packer = Packer::new(buffer, graph, trees.len(), cover);
        for tree in trees {
            packer.push_packed(tree)?;
        }
        packer.finish().map(<[u8]>::len)
    })
}

/// Why a file's trees cannot be followed.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The world cannot be planned in.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The bytes are no trees for this world.
    #[error(transparent)]
    Packed(#[from] PackedError),
    /// There are trees, but not the right one.
    #[error("there is no tree for the goal {x},{y}")]
    NoTree {
        /// Column of the goal.
        x: u16,
        /// Row of the goal.
        y: u16,
    },
}

/// Lends a planner that follows the trees of a file.
///
/// # Errors
/// The bytes hold no tree for this world, these moves and this goal.
pub fn with_packed<R>(
    bytes: &[u8],
    grid: &Grid,
    moves: catalog::Moves,
    goal: Cell,
    user: impl FnOnce(&mut dyn AnyPlanner) -> R,
) -> Result<R, ReadError> {
    match moves {
        catalog::Moves::Four => follow_packed::<Four, R>(bytes, grid, goal, user),
        catalog::Moves::Eight => follow_packed::<Eight, R>(bytes, grid, goal, user),
    }
}

fn follow_packed<M: Moves, R>(
    bytes: &[u8],
    grid: &Grid,
    goal: Cell,
    user: impl FnOnce(&mut dyn AnyPlanner) -> R,
) -> Result<R, ReadError> {
    let map = map::<M>(grid)?;
    let mut trees = Packed::read(bytes, &map.view::<AsFree>())?;
    if !trees.choose(goal) {
        let Cell { x, y } = goal;
        return Err(ReadError::NoTree { x, y });
    }
    let values = Values::allocate(catalog::SUBGOAL_VALUES);
    let (rules, order) = (Rules::default(), SuccessorOrder::Fixed);
    let search = SubgoalLrta::<_, Boxed, Bits32>::new(trees, values, rules, order);
    let mut planner = Navigator::from_parts(map, search);
    planner.restart(goal, &[goal])?;
    Ok(user(&mut planner))
}

/// A buffer as large as it has to be.
fn grown(write: impl Fn(&mut [u8]) -> Result<usize, PackError>) -> Result<Vec<u8>, PackError> {
    let mut buffer = Vec::new();
    loop {
        match write(&mut buffer) {
            Err(PackError::NoRoom { needed }) => buffer = vec![0; needed],
            done => return done.map(|_| buffer),
        }
    }
}
