//! Subgoal trees on a desktop: the memory that they grow in, for any number of goals at once.

use planner_core::{
    Budget, BuildError, Cell, Work,
    local::SuccessorOrder,
    queue::{Buckets, Queue},
    subgoal::{
        Branch, ExitRule, Grown, GrownNode, Growth, Rules, Source, SubgoalLrta, Value, Values,
        packed::{Cover, PackError, Packed, PackedError, Packer, pack_tree},
    },
    terrain::{Cells, Eight, Four, Moves, Terrain},
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
pub type Tree<'m> = Grown<'m, Bits32, Open>;

/// The terrain of a world that is known, in memory of [`words`].
///
/// # Errors
/// The world is empty.
pub fn terrain<'m, M: Moves>(
    grid: &Grid,
    memory: &'m mut [u32],
) -> Result<Cells<'m, M>, BuildError> {
    catalog::terrain((grid.width(), grid.height()), memory, Some(grid))
}

/// Memory for the [`terrain`] of a world.
#[must_use]
pub fn words(grid: &Grid) -> Vec<u32> {
    vec![0; Cells::<Four>::words(grid.width(), grid.height())]
}

/// Memory in which one tree after the other grows.
#[derive(Debug)]
pub struct Soil {
    nodes: Vec<GrownNode<Bits32, <Open as Queue<Bits32>>::Link>>,
    branches: Vec<Branch<Bits32>>,
}

impl Soil {
    /// Enough for any tree of a terrain.
    #[must_use]
    pub fn new(terrain: &impl Terrain) -> Self {
        let vertices = terrain.grid().vertices();
        Self {
            nodes: vec![GrownNode::default(); Tree::nodes(vertices)],
            branches: vec![Branch::default(); vertices],
        }
    }

    /// Grows the tree of a goal and tells what that took.
    ///
    /// # Errors
    /// The map does not fit 32 bits, or the goal is outside.
    pub fn grow<T: Terrain>(
        &mut self,
        terrain: &T,
        rule: ExitRule,
        goal: Cell,
    ) -> Result<(Tree<'_>, Work), BuildError> {
        let Self { nodes, branches } = self;
        let mut tree = Tree::new(terrain, Open::new(), nodes, branches, rule, goal)?;
        let mut work = Work::default();
        while tree.advance(terrain, Budget::UNLIMITED, &mut work) == Growth::Growing {}
        Ok((tree, work))
    }
}

/// What there is to know of a tree, in the order of the goals.
pub fn grow_each<T: Terrain + Sync, R: Send>(
    terrain: &T,
    rule: ExitRule,
    goals: &[Cell],
    look: impl Fn(&Tree<'_>, &Work) -> R + Sync,
) -> Result<Vec<R>, BuildError> {
    goals
        .par_iter()
        .map_init(
            || Soil::new(terrain),
            |soil, &goal| {
                let (tree, work) = soil.grow(terrain, rule, goal)?;
                Ok(look(&tree, &work))
            },
        )
        .collect()
}

/// The bytes of one tree, as [`pack`] puts them together.
///
/// # Errors
/// The goal is blocked, or the tree is too large.
pub fn packed_tree(tree: &Tree<'_>, grid: &Grid, cover: Cover) -> Result<Vec<u8>, PackError> {
    let size = (grid.width(), grid.height());
    grown(|buffer| pack_tree(tree, size, cover, buffer).map(<[u8]>::len))
}

/// The bytes of a file with the trees of a map, each from [`packed_tree`], row by row.
///
/// # Errors
/// The trees are not in order, or too large for a file.
pub fn pack(terrain: &impl Terrain, trees: &[Vec<u8>], cover: Cover) -> Result<Vec<u8>, PackError> {
    grown(|buffer| {
        let mut packer = Packer::new(buffer, terrain, trees.len(), cover);
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
    let mut memory = words(grid);
    let terrain = terrain::<M>(grid, &mut memory)?;
    let mut trees = Packed::read(bytes, &terrain)?;
    if !trees.choose(goal) {
        let Cell { x, y } = goal;
        return Err(ReadError::NoTree { x, y });
    }
    let mut values = vec![Value::default(); catalog::SUBGOAL_VALUES];
    let values = Values::<Bits32>::new(&mut values);
    let (rules, order) = (Rules::default(), SuccessorOrder::Fixed);
    let mut planner = SubgoalLrta::new(terrain, trees, values, rules, order, goal)?;
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
