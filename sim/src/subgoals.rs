//! Subgoal trees: built for any number of goals at once, packed into files, and followed.

use planner_core::{
    Budget, BuildError, Cell, Navigator, Work,
    graph::{Eight, Four, Graph, Moves},
    local::SuccessorOrder,
    map::{AsFree, CellMap, Map},
    queue::{Buckets, Queue},
    storage::{BLOCK, Boxed},
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

/// Two diagonals of a fine scale fit the ring, so that no entry has to be queued twice.
type Open = Buckets<64>;

/// A tree that is built here.
pub type Tree = Grown<Boxed, Boxed, Bits32, Open>;

/// The map of a known world.
pub fn known_map<M: Moves>(grid: &Grid) -> Result<CellMap<Boxed, M>, BuildError> {
    catalog::cell_map((grid.width(), grid.height()), Some(grid))
}

/// An empty tree with room for any goal of a map; [`grow`] builds it.
pub fn empty_tree(map: &impl Map, rule: ExitRule) -> Result<Tree, BuildError> {
    let graph = map.view::<AsFree>();
    let vertices = graph.grid().vertices();
    let blocks = (vertices + <Open as Queue<Bits32>>::HEADS).div_ceil(BLOCK);
    let mut tree = Tree::allocate(Open::new(), blocks, vertices, rule);
    tree.begin(&graph)?;
    Ok(tree)
}

/// Builds the tree of a goal, and returns the work that it took.
pub fn grow(tree: &mut Tree, map: &impl Map, goal: Cell) -> Work {
    let mut work = Work::default();
    tree.change_goal(goal);
    while tree.advance(&map.view::<AsFree>(), Budget::UNLIMITED, &mut work) == Growth::Growing {}
    work
}

/// Builds the trees of all goals in parallel, and returns what `evaluate` makes of each, in order.
pub fn grow_each<M: Map + Sync, R: Send>(
    map: &M,
    rule: ExitRule,
    goals: &[Cell],
    evaluate: impl Fn(&Tree, &Work) -> R + Sync,
) -> Result<Vec<R>, BuildError> {
    goals
        .par_iter()
        .map_init(
            || empty_tree(map, rule),
            |tree, &goal| {
                let tree = tree.as_mut().map_err(|error| *error)?;
                let work = grow(tree, map, goal);
                Ok(evaluate(tree, &work))
            },
        )
        .collect()
}

/// The bytes of one tree, for [`pack`].
pub fn packed_tree(tree: &Tree, grid: &Grid, cover: Cover) -> Result<Vec<u8>, PackError> {
    let size = (grid.width(), grid.height());
    sized(|buffer| pack_tree(tree, size, cover, buffer).map(<[u8]>::len))
}

/// The bytes of a file with the trees of a map, each from [`packed_tree`], row by row.
pub fn pack(graph: &impl Graph, trees: &[Vec<u8>], cover: Cover) -> Result<Vec<u8>, PackError> {
    sized(|buffer| {
        let mut packer = Packer::new(buffer, graph, trees.len(), cover);
        for tree in trees {
            packer.push_packed(tree)?;
        }
        packer.finish().map(<[u8]>::len)
    })
}

/// A file of trees that cannot be followed.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The world cannot be planned in.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The bytes are no trees for this world.
    #[error(transparent)]
    Packed(#[from] PackedError),
    /// None of the trees is for this goal.
    #[error("there is no tree for the goal {},{}", .0.x, .0.y)]
    NoTree(Cell),
}

/// Builds a planner that follows the trees of a file.
///
/// # Errors
/// The bytes hold no tree for this world, these moves and this goal.
pub fn packed_planner<'b>(
    bytes: &'b [u8],
    grid: &Grid,
    moves: catalog::Moves,
    ends: (Cell, Cell),
) -> Result<Box<dyn AnyPlanner + 'b>, ReadError> {
    match moves {
        catalog::Moves::Four => follow_packed::<Four>(bytes, grid, ends),
        catalog::Moves::Eight => follow_packed::<Eight>(bytes, grid, ends),
    }
}

fn follow_packed<'b, M: Moves + 'b>(
    bytes: &'b [u8],
    grid: &Grid,
    (start, goal): (Cell, Cell),
) -> Result<Box<dyn AnyPlanner + 'b>, ReadError> {
    let map = known_map::<M>(grid)?;
    let mut trees = Packed::read(bytes, &map.view::<AsFree>())?;
    if !trees.choose(goal) {
        return Err(ReadError::NoTree(goal));
    }
    let values = Values::<Boxed, Bits32>::allocate(catalog::SUBGOAL_VALUES);
    let search =
        SubgoalLrta::<_, _, _>::new(trees, values, Rules::default(), SuccessorOrder::Fixed);
    let mut planner = Navigator::from_parts(map, search);
    planner.restart(start, &[goal])?;
    Ok(Box::new(planner))
}

/// A buffer as large as it has to be.
fn sized(write: impl Fn(&mut [u8]) -> Result<usize, PackError>) -> Result<Vec<u8>, PackError> {
    let mut buffer = Vec::new();
    loop {
        match write(&mut buffer) {
            Err(PackError::NoRoom { needed }) => buffer = vec![0; needed],
            done => return done.map(|_| buffer),
        }
    }
}
