//! LSS-LRTA* (003, Figure 2): a look-ahead, and new values for all that it expanded.

use super::{
    Follow, Generated, Learned, Learning, LocalSearch, LookAhead, SuccessorOrder,
    episode::Episodes, update::Keep,
};
use crate::{
    Cell, Goals,
    planner::Work,
    terrain::{Terrain, step_cell},
    width::Width,
};

/// LSS-LRTA* with a local search space of at most `N` generated cells.
///
/// It learns faster than [`Lrta`](super::Lrta), which keeps one value per search. With
/// [`LookAhead::BreadthFirst`] it is the planner `lss-lrta-bfs`.
///
/// Memory: 18 bytes per generated cell with [`Bits16`](crate::width::Bits16), 30 with
/// [`Bits32`](crate::width::Bits32), and the [`Learned`] values.
///
/// ```
/// use planner_core::local::{Follow, Learned, LocalSearch, LookAhead, LssLrta, SuccessorOrder};
/// use planner_core::{Cell, Goals, Work, map::Unknown, width::Bits16};
/// use planner_core::terrain::{Cells, Four, Terrain, Uniform};
///
/// let mut bits = [0; Cells::<Four>::words(9, 9)];
/// let mut values = [0; Cells::<Four>::vertices(9, 9)];
/// let terrain = Cells::<Four>::new(9, 9, &mut bits, Unknown::AsFree, Uniform)?;
/// let learned = Learned::<Bits16>::new(&terrain, &mut values)?;
/// let (look_ahead, order) = (LookAhead::AStar, SuccessorOrder::Fixed);
/// let mut search = LssLrta::<_, 64>::new(learned, look_ahead, Follow::Path, order);
///
/// let at = |cell| Ok::<_, planner_core::OffMap>((terrain.grid().vertex(cell)?, cell));
/// let robot = at(Cell::new(0, 0))?;
/// let goals = Goals::new(terrain.grid(), &[Cell::new(0, 5)])?;
/// let mut work = Work::default();
/// let next = search.step(&terrain, robot, &goals, 3, &mut work);
/// assert_eq!((next, work.expansions), (Some(Cell::new(0, 1)), 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LssLrta<'m, W: Width, const N: usize> {
    episodes: Episodes<'m, W, N>,
    follow: Follow,
    /// Whether the world has changed since the path was last found to be intact.
    changed: bool,
}

impl<'m, W: Width, const N: usize> LssLrta<'m, W, N> {
    /// A search that has learned what is in `learned`.
    #[must_use]
    pub fn new(
        learned: Learned<'m, W>,
        look_ahead: LookAhead,
        follow: Follow,
        order: SuccessorOrder,
    ) -> Self {
        Self {
            episodes: Episodes::new(learned, look_ahead, order),
            follow,
            changed: false,
        }
    }

    /// The move along the path, if there is one that holds.
    fn along_path<T: Terrain>(&mut self, terrain: &T, vertex: usize) -> Option<usize> {
        if self.follow == Follow::ReplanEachStep {
            return None;
        }
        let space = &self.episodes.space;
        let next = space.next_move(vertex)?;
        if self.changed && !space.is_intact(terrain, vertex) {
            return None;
        }
        self.changed = false;
        Some(next)
    }
}

impl<W: Width, T: Terrain, const N: usize> LocalSearch<T> for LssLrta<'_, W, N> {
    fn step(
        &mut self,
        terrain: &T,
        at: (usize, Cell),
        goals: &Goals,
        limit: u32,
        work: &mut Work,
    ) -> Option<Cell> {
        if goals.contains(at.1) || !terrain.is_open(at.0) {
            return None;
        }
        let next = match self.along_path(terrain, at.0) {
            Some(next) => next,
            None => {
                self.changed = false;
                let style = (Keep::All, self.follow);
                self.episodes
                    .plan(terrain, at.0, goals, limit, style, work)?
            }
        };
        Some(step_cell(at.1, next))
    }

    fn forget(&mut self) {
        self.episodes.learned.forget();
        self.episodes.space.table.clear();
    }

    fn world_changed(&mut self) {
        self.changed = true;
    }

    fn upkeep(&mut self) {
        self.episodes.learned.sweep(Learned::<W>::SWEEP);
    }
}

impl<W: Width, const N: usize> Learning for LssLrta<'_, W, N> {
    fn learned(&self, vertex: usize) -> Option<usize> {
        self.episodes.learned.get(vertex)
    }

    fn generated(&self, vertex: usize) -> Option<Generated> {
        self.episodes.generated(vertex)
    }
}
