//! LRTA* (001, "Previous Work"): a look-ahead, and a new value for the robot's cell.

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

/// LRTA* with a look-ahead of at most `N` generated cells: by A* it is TLA*, breadth first it is
/// Korf's minimin. Plans again at each step.
///
/// Its values are lower bounds as long as costs only rise, but not consistent: a cell that it stood
/// on knows more than its neighbours. What such cells know therefore counts in the look-ahead, on
/// every way that leads over them. A search that asks only the cells at its border would send the
/// robot back to where it just came from, for ever.
///
/// [`LssLrta`](super::LssLrta) learns faster, for the same work. Memory is the same.
///
/// ```
/// use planner_core::local::{Learned, Learning, LocalSearch, LookAhead, Lrta, SuccessorOrder};
/// use planner_core::{Cell, Goals, Work, map::Unknown, width::Bits16};
/// use planner_core::terrain::{Cells, Four, Terrain, Uniform};
///
/// let mut bits = [0; Cells::<Four>::words(9, 9)];
/// let mut values = [0; Cells::<Four>::vertices(9, 9)];
/// let terrain = Cells::<Four>::new(9, 9, &mut bits, Unknown::AsFree, Uniform)?;
/// let learned = Learned::<Bits16>::new(&terrain, &mut values)?;
/// let mut search = Lrta::<_, 64>::new(learned, LookAhead::AStar, SuccessorOrder::Fixed);
///
/// let at = |cell| Ok::<_, planner_core::OffMap>((terrain.grid().vertex(cell)?, cell));
/// let robot = at(Cell::new(0, 0))?;
/// let goals = Goals::new(terrain.grid(), &[Cell::new(0, 5)])?;
/// let next = search.step(&terrain, robot, &goals, 3, &mut Work::default());
/// assert_eq!((next, search.learned(robot.0)), (Some(Cell::new(0, 1)), Some(5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Lrta<'m, W: Width, const N: usize> {
    episodes: Episodes<'m, W, N>,
}

impl<'m, W: Width, const N: usize> Lrta<'m, W, N> {
    /// A search that has learned what is in `learned`.
    #[must_use]
    pub fn new(learned: Learned<'m, W>, look_ahead: LookAhead, order: SuccessorOrder) -> Self {
        Self {
            episodes: Episodes::new(learned, look_ahead, order),
        }
    }
}

impl<W: Width, T: Terrain, const N: usize> LocalSearch<T> for Lrta<'_, W, N> {
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
        let style = (Keep::Robots, Follow::ReplanEachStep);
        let next = self
            .episodes
            .plan(terrain, at.0, goals, limit, style, work)?;
        Some(step_cell(at.1, next))
    }

    fn forget(&mut self) {
        self.episodes.learned.forget();
    }

    fn world_changed(&mut self) {}

    fn upkeep(&mut self) {
        self.episodes.learned.sweep(Learned::<W>::SWEEP);
    }
}

impl<W: Width, const N: usize> Learning for Lrta<'_, W, N> {
    fn learned(&self, vertex: usize) -> Option<usize> {
        self.episodes.learned.get(vertex)
    }

    fn generated(&self, vertex: usize) -> Option<Generated> {
        self.episodes.generated(vertex)
    }
}
