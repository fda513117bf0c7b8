//! The crate's terrains by type, each beside the tests' own description of it.

use std::marker::PhantomData;

use planner_core::{
    BuildError,
    map::Unknown,
    terrain::{
        Cells, Coarse, CornerRule, CutCorners, Eight, Fine, ForEight, ForFour, Four, Moves,
        NeverCut, OneOpen, Scale, Terrain, Uniform, Walls, Weights,
    },
};

use super::world::{Corners, Ground, World};

/// A terrain of the crate and what a [`World`](super::world::World) must be like to match it.
pub trait Kind {
    type Terrain<'m>: Terrain;

    const GROUND: Ground;

    /// Whether cells have weights.
    const WEIGHTED: bool = false;

    fn vertices(width: u16, height: u16) -> usize {
        Cells::<Four>::vertices(width, height)
    }

    fn words(width: u16, height: u16) -> usize {
        Cells::<Four>::words(width, height)
    }

    /// A terrain of which nothing is known yet.
    fn terrain<'m>(
        size: (u16, u16),
        words: &'m mut [u32],
        weights: &'m mut [u8],
        unknown: Unknown,
        heaviest: u8,
    ) -> Result<Self::Terrain<'m>, BuildError>;

    /// A terrain that knows all that a world does, in memory of the right size.
    fn knowing<'m>(
        world: &World,
        words: &'m mut [u32],
        weights: &'m mut [u8],
        unknown: Unknown,
        heaviest: u8,
    ) -> Self::Terrain<'m> {
        let size = (world.width, world.height);
        let terrain = Self::terrain(size, words, weights, unknown, heaviest);
        let mut terrain = terrain.expect("memory is as asked for");
        for seen in world.observations() {
            terrain.observe(seen).expect("the world is of this kind");
        }
        terrain
    }
}

/// Cells that all cost the same.
pub struct Plain<M>(PhantomData<M>);

/// Cells with weights.
pub struct Weighted<M>(PhantomData<M>);

/// Walls on edges.
pub struct Walled<H>(PhantomData<H>);

impl<M: Described + 'static> Kind for Plain<M> {
    type Terrain<'m> = Cells<'m, M>;

    const GROUND: Ground = M::GROUND;

    fn terrain<'m>(
        (width, height): (u16, u16),
        words: &'m mut [u32],
        _weights: &'m mut [u8],
        unknown: Unknown,
        _heaviest: u8,
    ) -> Result<Self::Terrain<'m>, BuildError> {
        Cells::new(width, height, words, unknown, Uniform)
    }
}

impl<M: Described + 'static> Kind for Weighted<M> {
    type Terrain<'m> = Cells<'m, M, Weights<'m>>;

    const GROUND: Ground = M::GROUND;
    const WEIGHTED: bool = true;

    fn terrain<'m>(
        (width, height): (u16, u16),
        words: &'m mut [u32],
        weights: &'m mut [u8],
        unknown: Unknown,
        heaviest: u8,
    ) -> Result<Self::Terrain<'m>, BuildError> {
        let weights = Weights::new(weights, heaviest);
        Cells::new(width, height, words, unknown, weights)
    }
}

impl<H: ForFour + 'static> Kind for Walled<H> {
    type Terrain<'m> = Walls<'m, H>;

    const GROUND: Ground = Ground::Walled;

    fn vertices(width: u16, height: u16) -> usize {
        Walls::vertices(width, height)
    }

    fn words(width: u16, height: u16) -> usize {
        Walls::words(width, height)
    }

    fn terrain<'m>(
        (width, height): (u16, u16),
        words: &'m mut [u32],
        _weights: &'m mut [u8],
        unknown: Unknown,
        _heaviest: u8,
    ) -> Result<Self::Terrain<'m>, BuildError> {
        Walls::new(width, height, words, unknown)
    }
}

/// Moves with the tests' own description.
pub trait Described: Moves {
    const GROUND: Ground;
}

impl<H: ForFour> Described for Four<H> {
    const GROUND: Ground = Ground::Four;
}

impl<R: DescribedRule, S: DescribedScale, H: ForEight> Described for Eight<R, S, H> {
    const GROUND: Ground = Ground::Eight {
        corners: R::CORNERS,
        straight: S::STEPS.0,
        diagonal: S::STEPS.1,
    };
}

pub trait DescribedRule: CornerRule {
    const CORNERS: Corners;
}

impl DescribedRule for NeverCut {
    const CORNERS: Corners = Corners::NeverCut;
}

impl DescribedRule for OneOpen {
    const CORNERS: Corners = Corners::OneOpen;
}

impl DescribedRule for CutCorners {
    const CORNERS: Corners = Corners::Cut;
}

pub trait DescribedScale: Scale {
    const STEPS: (u64, u64);
}

impl DescribedScale for Coarse {
    const STEPS: (u64, u64) = (5, 7);
}

impl DescribedScale for Fine {
    const STEPS: (u64, u64) = (408, 577);
}
