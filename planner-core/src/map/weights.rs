//! Costs of entering cells, as multiples of a plain one.

use core::fmt::Debug;

use crate::{
    BuildError, ObserveError,
    graph::Trend,
    storage::{Array, BLOCK, Block, Storage, default_by_new, flat, flat_mut},
};

/// The weights of cells.
pub trait Costs: Debug {
    /// True if every weight is one.
    const UNIFORM: bool = false;

    /// Returns the weight of a vertex, at least one.
    fn weight(&self, vertex: usize) -> usize;

    /// Returns the largest weight that a vertex can get.
    fn heaviest(&self) -> usize;

    /// Changes a weight and returns whether it rose or fell.
    ///
    /// # Errors
    /// Weights are not kept, or this one is out of range.
    fn set(&mut self, vertex: usize, weight: u8) -> Result<Option<Trend>, ObserveError>;

    /// Makes all of `vertices` plain.
    ///
    /// # Errors
    /// The capacity is too small.
    fn reset(&mut self, vertices: usize) -> Result<(), BuildError>;
}

/// All cells are plain; takes no memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl Costs for Uniform {
    const UNIFORM: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn weight(&self, _vertex: usize) -> usize {
        1
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heaviest(&self) -> usize {
        1
    }

    fn set(&mut self, _vertex: usize, _weight: u8) -> Result<Option<Trend>, ObserveError> {
        Err(ObserveError::Unsupported)
    }

    fn reset(&mut self, _vertices: usize) -> Result<(), BuildError> {
        Ok(())
    }
}

/// A weight for each cell, one byte, from 1 to `MAX`.
///
/// ```
/// use planner_core::{map::Weights, prelude::*};
///
/// const N: usize = capacity(4, 4);
/// let mut map = CellMap::<Array<N>, Four, _>::in_storage([0; N], Weights::<Array<N>, 9>::new());
/// map.resize(4, 4)?;
/// assert!(map.observe(Observation::Weight(Cell::new(2, 2), 9)).is_ok());
/// assert!(map.observe(Observation::Weight(Cell::new(2, 2), 10)).is_err());
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Weights<S: Storage, const MAX: u8> {
    /// Weights less one, so that plain cells are zero; below `MAX`.
    extra: S::Of<Block<u8>>,
}

impl<const N: usize, const MAX: u8> Weights<Array<N>, MAX> {
    /// Weights in an array, all zero.
    #[must_use]
    pub const fn new() -> Self {
        Self::in_storage([[0; BLOCK]; N])
    }
}

default_by_new!([const N: usize, const MAX: u8] Weights<Array<N>, MAX>);

impl<S: Storage, const MAX: u8> Weights<S, MAX> {
    /// Weights in a byte for each vertex.
    #[must_use]
    pub const fn in_storage(extra: S::Of<Block<u8>>) -> Self {
        const { assert!(MAX > 0, "a weight is at least one") };
        Self { extra }
    }
}

impl<S: Storage, const MAX: u8> Costs for Weights<S, MAX> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn weight(&self, vertex: usize) -> usize {
        flat(&self.extra).get(vertex).map_or(1, |&w| w as usize + 1)
    }

    fn heaviest(&self) -> usize {
        MAX.into()
    }

    fn set(&mut self, vertex: usize, weight: u8) -> Result<Option<Trend>, ObserveError> {
        if weight == 0 || weight > MAX {
            return Err(ObserveError::WeightOutOfRange);
        }
        let Some(kept) = flat_mut(&mut self.extra).get_mut(vertex) else {
            return Err(ObserveError::Unsupported);
        };
        let before = core::mem::replace(kept, weight - 1);
        Ok(match before.cmp(kept) {
            core::cmp::Ordering::Less => Some(Trend::Rise),
            core::cmp::Ordering::Equal => None,
            core::cmp::Ordering::Greater => Some(Trend::Fall),
        })
    }

    fn reset(&mut self, vertices: usize) -> Result<(), BuildError> {
        let extra = flat_mut(&mut self.extra);
        let given = extra.len();
        let Some(extra) = extra.get_mut(..vertices) else {
            return Err(BuildError::TooLittleMemory {
                needed: vertices,
                given,
            });
        };
        extra.fill(0);
        Ok(())
    }
}
