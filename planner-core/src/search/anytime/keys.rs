//! What decides the order of a search: the keys of Anytime D*, in tenths.

use super::{epsilon::ONE, frontier::AnytimeNode};
use crate::{
    Cell,
    queue::Entry,
    terrain::{Grid, Terrain, step},
    width::{Width, Word, infinity},
};

/// Columns and rows from the aim to a vertex.
pub(super) type Away = (isize, isize);

/// What stays the same while a search runs.
pub(super) struct Keys<'t, T> {
    pub(super) terrain: &'t T,
    pub(super) grid: Grid,
    /// Column and row of the place that heuristics are measured from.
    origin: (usize, usize),
    epsilon: usize,
    k_m: usize,
    /// The largest finite cost.
    ceiling: usize,
    pub(super) detours_fit: bool,
}

/// What keys are made for. The first three may change from tick to tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    /// The robot's place, or where it was.
    pub(super) at: Cell,
    /// Of the search under way, in tenths.
    pub(super) epsilon: u8,
    /// Added to all keys, so that keys made for an earlier aim are lower bounds.
    pub(super) k_m: usize,
    /// The largest finite cost. Keys have room for ten times as much; sums above it are infinite.
    pub(super) ceiling: usize,
    /// Whether no path that epsilon allows costs more than that.
    pub(super) detours_fit: bool,
}

impl<'t, T: Terrain> Keys<'t, T> {
    pub(super) fn new(terrain: &'t T, aim: &Aim) -> Self {
        Self {
            terrain,
            grid: *terrain.grid(),
            origin: (aim.at.x.into(), aim.at.y.into()),
            epsilon: aim.epsilon.into(),
            k_m: aim.k_m,
            ceiling: aim.ceiling,
            detours_fit: aim.detours_fit,
        }
    }

    #[inline(always)]
    pub(super) fn away(&self, vertex: usize) -> Away {
        let (x, y) = self.grid.position(vertex);
        (
            x.wrapping_sub(self.origin.0) as isize,
            y.wrapping_sub(self.origin.1) as isize,
        )
    }

    /// The key of an inconsistent vertex. Only an over-consistent one is inflated: a vertex that is
    /// farther from the goal than it seems must come before all those that rely on it.
    #[inline(always)]
    pub(super) fn key<E: Entry>(&self, away: Away, g: usize, rhs: usize) -> E {
        if g > rhs {
            self.inflated(away, rhs)
        } else {
            self.pack(away, g, ONE.into())
        }
    }

    /// What no key may come before once the way from the robot, `rhs` long, is known.
    ///
    /// The robot's own key would do for a robot at the aim. Elsewhere its estimate is not zero, and
    /// has to be inflated even if the robot's vertex is consistent: those compared with it are.
    #[inline(always)]
    pub(super) fn inflated<E: Entry>(&self, away: Away, rhs: usize) -> E {
        self.pack(away, rhs, self.epsilon)
    }

    #[inline(always)]
    fn pack<E: Entry>(&self, (dx, dy): Away, distance: usize, weight: usize) -> E {
        let h = self
            .terrain
            .estimate(dx.unsigned_abs(), dy.unsigned_abs())
            .wrapping_mul(weight);
        let f = distance
            .wrapping_mul(ONE.into())
            .wrapping_add(h)
            .wrapping_add(self.k_m);
        E::pack(f, distance.min(E::MAX_G))
    }

    /// A sum of costs.
    #[inline(always)]
    pub(super) fn add<W: Width>(&self, a: usize, b: usize) -> usize {
        let sum = a.saturating_add(b);
        if sum > self.ceiling {
            infinity::<W>()
        } else {
            sum
        }
    }

    /// The best of the successors.
    #[inline(always)]
    pub(super) fn look_ahead<W: Width>(&self, nodes: &[AnytimeNode<W>], vertex: usize) -> usize {
        let moves = self.terrain.moves(vertex);
        let mut best = infinity::<W>();
        for m in 0..T::MOVES {
            if moves.contains(m) {
                let into = step(&self.grid, vertex, m);
                let g = nodes.get(into).map_or(infinity::<W>(), |node| node.g.get());
                best = best.min(self.add::<W>(g, self.terrain.cost(m, into)));
            }
        }
        best
    }
}

/// How far apart keys may be at most: half of the circle on which entries of this type compare them.
pub(super) fn half_circle<E: Entry>() -> usize {
    let zero = E::pack(0, 0);
    (0..usize::BITS)
        .map(|bit| 1 << bit)
        .take_while(|&f| zero.is_before(E::pack(f, 0)))
        .last()
        .unwrap_or(0)
}

/// The estimate of the cost of the way to the farthest corner of the map.
pub(super) fn farthest(terrain: &impl Terrain, from: Cell) -> usize {
    let grid = terrain.grid();
    let side = |at: u16, length: u16| at.max(length.saturating_sub(1).saturating_sub(at));
    let (dx, dy) = (side(from.x, grid.width()), side(from.y, grid.height()));
    terrain.estimate(dx.into(), dy.into())
}
