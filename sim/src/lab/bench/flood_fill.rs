//! Flood fill, the planner of micromouse robots, in a world of cells: label every cell with its
//! distance from the goal, breadth first, whenever a new wall is seen or when one is in the way, and
//! step to a neighbour with a smaller label.

use planner_core::{
    Budget, Cell, Decision, GoalsError, Inspect, Observation, ObserveError, OffMap, Planner, Stats,
    map::Occupancy,
};

use super::{
    bordered_grid::{BorderedGrid, Change},
    flood::{Flood, When},
    record_tick,
};

/// Flood fill over free and blocked cells.
#[derive(Clone, Debug)]
pub struct FloodFill {
    known: BorderedGrid,
    flood: Flood,
    stats: Stats,
}

impl FloodFill {
    /// A planner that knows nothing of a world of this size.
    ///
    /// # Errors
    /// The goal is outside the world.
    pub fn new(size: (u16, u16), goal: Cell, when: When) -> Result<Self, OffMap> {
        let known = BorderedGrid::new(size);
        let mut flood = Flood::new(known.cells(), vec![known.id(goal)?], when);
        for border in (0..known.cells()).filter(|&id| !known.is_passable(id)) {
            flood.close(border);
        }
        Ok(Self {
            known,
            flood,
            stats: Stats::default(),
        })
    }
}

impl Planner for FloodFill {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let change = self.known.observe(seen)?;
        match change {
            Some(Change::Blocked(id)) => self.flood.close(id),
            Some(Change::Freed(id)) => self.flood.open(id),
            None => return Ok(false),
        }
        self.flood
            .changed(matches!(change, Some(Change::Blocked(_))));
        Ok(true)
    }

    fn tick(&mut self, at: Cell, _budget: Budget) -> Result<Decision, OffMap> {
        let robot = self.known.id(at)?;
        if self.flood.goals.contains(&robot) {
            return Ok(Decision::Arrived);
        }
        let stride = self.known.stride();
        let (next, cells) = self
            .flood
            .next(robot, |id| BorderedGrid::neighbors(stride, id));
        record_tick(&mut self.stats, cells);
        Ok(match next {
            Some(id) => Decision::Step(self.known.cell(id)),
            None => Decision::Unreachable,
        })
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.flood.goals = self.known.goals(goals)?;
        self.flood.is_stale = true;
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl Inspect for FloodFill {
    fn occupancy(&self, cell: Cell) -> Occupancy {
        self.known.occupancy(cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        self.known
            .id(cell)
            .is_ok_and(|id| self.flood.is_labeled(id))
    }
}
