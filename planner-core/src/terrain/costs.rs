//! What it costs to enter a cell, in multiples of a plain one.

use crate::{BuildError, ObserveError, map::Trend};

/// The weights of cells.
pub trait Costs {
    /// The weight of a vertex, at least one.
    fn weight(&self, vertex: usize) -> usize;

    /// The heaviest that a vertex can become.
    fn heaviest(&self) -> usize;

    /// Changes a weight and says whether that made it dearer or cheaper.
    ///
    /// # Errors
    /// Weights are not kept, or this one is out of range.
    fn set(&mut self, vertex: usize, weight: u8) -> Result<Option<Trend>, ObserveError>;

    /// Makes sure that there is a weight for each of `vertices`.
    ///
    /// # Errors
    /// There is too little memory.
    fn check(&self, vertices: usize) -> Result<(), BuildError>;
}

/// All cells are plain; takes no memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl Costs for Uniform {
    #[inline(always)]
    fn weight(&self, _vertex: usize) -> usize {
        1
    }

    #[inline(always)]
    fn heaviest(&self) -> usize {
        1
    }

    fn set(&mut self, _vertex: usize, _weight: u8) -> Result<Option<Trend>, ObserveError> {
        Err(ObserveError::NotOnThisTerrain)
    }

    fn check(&self, _vertices: usize) -> Result<(), BuildError> {
        Ok(())
    }
}

/// A weight of its own for each cell, one byte, in memory lent by the caller.
///
/// ```
/// use planner_core::{Cell, Observation, map::{Unknown, words}};
/// use planner_core::terrain::{Cells, Four, Terrain, Weights};
///
/// let (mut bits, mut weights) = ([0; words(4 * 5)], [0; 4 * 5]);
/// let costs = Weights::new(&mut weights, 9);
/// let mut mud = Cells::<Four, _>::new(4, 4, &mut bits, Unknown::AsFree, costs)?;
/// assert!(mud.observe(Observation::Weight(Cell::new(2, 2), 9)).is_ok());
/// assert!(mud.observe(Observation::Weight(Cell::new(2, 2), 10)).is_err());
/// # Ok::<(), planner_core::BuildError>(())
/// ```
#[derive(Debug)]
pub struct Weights<'m> {
    /// Always in `1..=heaviest`.
    weights: &'m mut [u8],
    heaviest: u8,
}

impl<'m> Weights<'m> {
    /// All weights one, none ever above `heaviest` (taken as one when it is zero).
    #[must_use]
    pub fn new(memory: &'m mut [u8], heaviest: u8) -> Self {
        memory.fill(1);
        Self {
            weights: memory,
            heaviest: heaviest.max(1),
        }
    }
}

impl Costs for Weights<'_> {
    #[inline(always)]
    fn weight(&self, vertex: usize) -> usize {
        self.weights.get(vertex).map_or(1, |&w| w as usize)
    }

    fn heaviest(&self) -> usize {
        self.heaviest as usize
    }

    fn set(&mut self, vertex: usize, weight: u8) -> Result<Option<Trend>, ObserveError> {
        if weight == 0 || weight > self.heaviest {
            return Err(ObserveError::WeightOutOfRange);
        }
        let Some(kept) = self.weights.get_mut(vertex) else {
            return Err(ObserveError::NotOnThisTerrain);
        };
        let was = core::mem::replace(kept, weight);
        Ok(match was.cmp(&weight) {
            core::cmp::Ordering::Less => Some(Trend::Rise),
            core::cmp::Ordering::Equal => None,
            core::cmp::Ordering::Greater => Some(Trend::Fall),
        })
    }

    fn check(&self, vertices: usize) -> Result<(), BuildError> {
        let given = self.weights.len();
        if given < vertices {
            return Err(BuildError::TooLittleMemory {
                needed: vertices,
                given,
            });
        }
        Ok(())
    }
}
