//! One planning episode: look ahead, update, choose a path.

use super::{
    Follow, Learned, LookAhead, SuccessorOrder, lookahead::Aim, space::Space, steps::Steps,
    update::Keep,
};
use crate::{Goals, planner::Work, terrain::Terrain, width::Width};

/// What LRTA* and LSS-LRTA* have in common.
#[derive(Debug)]
pub(super) struct Episodes<'m, W: Width, const N: usize> {
    pub(super) space: Space<W, N>,
    pub(super) learned: Learned<'m, W>,
    look_ahead: LookAhead,
    order: SuccessorOrder,
}

impl<'m, W: Width, const N: usize> Episodes<'m, W, N> {
    pub(super) fn new(
        learned: Learned<'m, W>,
        look_ahead: LookAhead,
        order: SuccessorOrder,
    ) -> Self {
        Self {
            space: Space::new(),
            learned,
            look_ahead,
            order,
        }
    }

    /// Plans for a robot that stands at an open cell which is not the goal, and returns its move;
    /// `None` when there is no path, or no expansion allowed.
    ///
    /// Every episode ends in a cell with a smaller value than the robot's, by at least the cost of the
    /// way: the border of the local search space, or, when planning again after each step, the next
    /// cell. So the robot cannot go in circles unless values rise, and they cannot rise for ever.
    pub(super) fn plan<T: Terrain>(
        &mut self,
        terrain: &T,
        robot: usize,
        goals: &Goals,
        limit: u32,
        (keep, follow): (Keep, Follow),
        work: &mut Work,
    ) -> Option<usize> {
        if limit == 0 {
            return None;
        }
        let Self { space, learned, .. } = self;
        let mut aim = Aim {
            terrain,
            goals,
            learned,
            steps: Steps::new(terrain),
        };
        let (kind, order) = (self.look_ahead, &mut self.order);
        let best = space.look_ahead(kind, &aim, robot, limit, order, work)?;
        let f = space.table.entry(best).f();
        let floor = follow == Follow::ReplanEachStep;
        let value = space.update(&mut aim, keep, floor, work);
        let ends_lower = match follow {
            Follow::Descent => false,
            Follow::Path => {
                space.mark_tree_path(terrain, best);
                f <= value
            }
            Follow::ReplanEachStep => {
                space.mark_tree_path(terrain, best);
                space.descends(terrain)
            }
        };
        if !ends_lower {
            space.mark_descent(terrain, &mut self.order);
        }
        space.next_move(robot)
    }
}
