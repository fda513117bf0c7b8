//! The path that the robot is on, and how good it is.
//!
//! It is nowhere written down: it leads from a vertex to its best successor. When a search is complete,
//! none of the vertices that the robot can come to in this way is under-consistent, so each step takes
//! it nearer to the goal by at least what the step costs. That stays so while the search goes on and no
//! cost changes. An over-consistent vertex is expanded only when no under-consistent one lies ahead of
//! it, for that would have the smaller key; and when an under-consistent vertex is expanded, those that
//! do not rely on it do not notice.

use super::{AnytimeDStar, epsilon::ONE, keys::Keys};
use crate::{
    Cell,
    queue::{Entry, Holds},
    terrain::{Terrain, estimate, step, step_cell},
    width::{Width, infinity},
};

/// What was known when a search was complete: a path from `at` to the goal, `distance` long, and that
/// none is shorter by more than a factor of `epsilon`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proof {
    pub(super) at: Cell,
    pub(super) distance: usize,
    pub(super) epsilon: u8,
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> AnytimeDStar<'_, W, T, E> {
    /// The cost of the path that the last tick found or kept, from the robot to the goal. Walking it
    /// may turn out to cost less.
    pub fn distance(&self) -> Option<usize> {
        self.path.map(|_| self.frontier.values(self.start.0).1)
    }

    /// How many times as much as the shortest path the one of the last tick costs at most, in tenths:
    /// 10 says that it is shortest. `None` without a path, or when nothing is proven.
    ///
    /// The bound belongs to the place where the search was last complete. As the robot walks on while
    /// the search does not keep up, what is proven for the rest of its path grows weaker.
    pub fn epsilon(&self) -> Option<u32> {
        let proof = self.path?;
        let epsilon = u64::from(proof.epsilon);
        let tenths = |cost: usize| (cost as u64).saturating_mul(ONE.into());
        let walked = estimate(&self.terrain, proof.at, self.start.1) as u64;
        // The shortest path from the old place is at least its distance by epsilon. So is that from
        // here, less what lies between, or else the search has found a path from here, too, that is
        // within epsilon of it.
        let least = tenths(proof.distance).checked_sub(epsilon.saturating_mul(walked))?;
        let bound = tenths(self.distance()?)
            .saturating_mul(epsilon)
            .checked_add(least.checked_sub(1)?)?
            .checked_div(least)?;
        u32::try_from(bound.max(epsilon)).ok()
    }

    /// The cells of the path, from the one after the robot's to the goal; none without a path. For
    /// pictures and tests: it takes time in proportion to the path.
    pub fn path(&self) -> impl Iterator<Item = Cell> {
        let start = self.path.map(|_| self.start);
        let next = |&(vertex, cell): &(usize, Cell)| match vertex == self.goal {
            true => None,
            false => self.best_from(vertex, cell),
        };
        core::iter::successors(start, next)
            .map(|(_, cell)| cell)
            .take(self.frontier.nodes.len())
            .skip(1)
    }

    /// The successor through which the way is shortest.
    pub(super) fn best_from(&self, vertex: usize, cell: Cell) -> Option<(usize, Cell)> {
        let mut best = (infinity::<W>(), None);
        for (through, next) in self.ways_from(vertex, cell) {
            if through < best.0 {
                best = (through, Some(next));
            }
        }
        best.1
    }

    /// The successors of a vertex, each with the distance through it.
    pub(super) fn ways_from(
        &self,
        vertex: usize,
        cell: Cell,
    ) -> impl Iterator<Item = (usize, (usize, Cell))> {
        let keys = Keys::new(&self.terrain, &self.aim);
        let moves = self.terrain.moves(vertex);
        (0..T::MOVES)
            .filter(move |&m| moves.contains(m))
            .map(move |m| {
                let into = step(&keys.grid, vertex, m);
                let (g, _) = self.frontier.values(into);
                let through = keys.add::<W>(g, self.terrain.cost(m, into));
                (through, (into, step_cell(cell, m)))
            })
    }
}
