//! Keys of Anytime D*, in tenths, and the stamps of CLOSED.

use super::epsilon::{Epsilon, ONE};
use crate::{
    BuildError,
    graph::Graph,
    queue::Queue,
    search::dstar_lite::Inflation,
    width::{Width, Word, infinity},
};

/// The heuristic is multiplied by epsilon, except for under-consistent vertices.
///
/// CLOSED holds the vertices that carry the number of the iteration as their stamp. One of them that
/// is over-consistent is in INCONS: in the same queue as OPEN, but with a key behind all of OPEN's.
#[derive(Debug)]
pub struct Inflated {
    pub(super) schedule: Epsilon,
    /// In tenths.
    pub(super) epsilon: u8,
    /// The number of the iteration, never zero; it comes round again.
    pub(super) iteration: usize,
    /// Costs above it count as if they were equal. No cost that matters is: see [`Inflated::new`].
    ceiling: usize,
    /// More than the `f` of any vertex in OPEN, less `k_m`, and more than `k_m` grows when the robot
    /// crosses the whole map and epsilon then falls from its most to one.
    pub(super) far: usize,
}

impl Inflated {
    /// Before a search begins.
    pub(super) const ZERO: Self = Self {
        schedule: Epsilon {
            start: 0,
            step_down: 0,
            step_up: 0,
            maximum: 0,
        },
        epsilon: 0,
        iteration: 0,
        ceiling: 0,
        far: 0,
    };

    /// Keys for the epsilons of a schedule.
    ///
    /// # Errors
    /// Keys could come to lie so far apart that a queue `Q` cannot compare them.
    pub(super) fn new<W: Width, Q: Queue<W>>(
        graph: &impl Graph,
        schedule: Epsilon,
    ) -> Result<Self, BuildError> {
        let (width, height) = (graph.grid().width(), graph.grid().height());
        let across = graph.heuristic(width.into(), height.into());
        let most = usize::from(schedule.most());
        let inflated = across.saturating_mul(most).saturating_mul(2);
        // The first entry is at most two times `far` behind `k_m`, the last one `far` ahead of it.
        let room = half_circle::<W, Q>() / 4;
        let ceiling = room.saturating_sub(inflated).saturating_sub(1) / ONE as usize;
        let longest = graph.max_path_cost();
        // Either no finite cost is above the ceiling, or none that epsilon allows.
        let (ceiling, limit) = match infinity::<W>() - 1 {
            largest if largest <= ceiling => (largest, largest),
            _ => (
                ceiling,
                ceiling.saturating_sub(1).saturating_mul(ONE.into()) / most,
            ),
        };
        if longest > limit {
            return Err(BuildError::TooCostly { longest, limit });
        }
        Ok(Self {
            schedule,
            epsilon: schedule.first(),
            iteration: 1,
            ceiling,
            far: ceiling
                .wrapping_mul(ONE.into())
                .wrapping_add(inflated)
                .wrapping_add(1),
        })
    }
}

impl<W: Width> Inflation<W> for Inflated {
    type Stamp = W::Id;

    /// Not inflated if under-consistent: a vertex that is farther from the goal than it seems must come
    /// before all that rely on it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn f(&self, cost: usize, h: usize, under: bool) -> usize {
        let weight = if under { ONE } else { self.epsilon };
        let cost = cost.min(self.ceiling).wrapping_mul(ONE.into());
        cost.wrapping_add(h.wrapping_mul(weight.into()))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn stamp(&self) -> W::Id {
        W::Id::new(self.iteration)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_incons(&self, stamp: W::Id) -> bool {
        stamp.get() == self.iteration
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn far(&self) -> usize {
        self.far
    }
}

/// The largest difference of two `f` that a queue can compare: half of its circle of keys.
fn half_circle<W: Width, Q: Queue<W>>() -> usize {
    (0..usize::BITS - 1)
        .map(|bit| 1 << bit)
        .take_while(|&f| Q::is_before(Q::floor(0), Q::floor(f)))
        .last()
        .unwrap_or(0)
}
