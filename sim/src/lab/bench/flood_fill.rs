//! Flood fill, the planner of micromouse robots: label every cell with its distance from the goal, breadth
//! first, whenever a new wall is seen or when one is in the way, and step to a neighbour with a smaller label.

use planner_core::{
    Budget, Cell, Decision, GoalsError, Inspect, Observation, ObserveError, OffMap, Planner, Stats,
    map::Occupancy,
};

use super::{
    bench_map::{BenchMap, BorderedGrid, WallGrid},
    flood::{Flood, When},
    record_tick,
};
use crate::world::Maze;

/// Flood fill over a map of cells or of walls.
#[derive(Clone, Debug)]
pub struct FloodFill<M> {
    known: M,
    flood: Flood,
    stats: Stats,
}

impl FloodFill<BorderedGrid> {
    /// A planner that knows nothing of a world of cells of this size.
    pub fn new(size: (u16, u16), goal: Cell, when: When) -> Result<Self, OffMap> {
        let known = BorderedGrid::new(size);
        let mut flood = Flood::new(known.cells(), vec![known.id(goal)?], when);
        for border in (0..known.cells()).filter(|&id| !known.is_passable(id)) {
            flood.close(border);
        }
        let stats = Stats::default();
        Ok(Self {
            known,
            flood,
            stats,
        })
    }
}

impl FloodFill<WallGrid> {
    /// A planner that knows the outer walls of a maze and its goals.
    pub fn in_maze(maze: &Maze, when: When) -> Result<Self, GoalsError> {
        let known = WallGrid::new(maze);
        let goals = known.goals(&maze.goals)?;
        Ok(Self {
            flood: Flood::new(known.cells(), goals, when),
            known,
            stats: Stats::default(),
        })
    }
}

impl<M: BenchMap> Planner for FloodFill<M> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let Some(change) = self.known.observe(seen)? else {
            return Ok(false);
        };
        match (change.cell, change.is_blocked) {
            (Some(id), true) => self.flood.close(id),
            (Some(id), false) => self.flood.open(id),
            (None, _) => {}
        }
        self.flood.changed(change.is_blocked);
        Ok(true)
    }

    fn tick(&mut self, at: Cell, _budget: Budget) -> Result<Decision, OffMap> {
        let robot = self.known.id(at)?;
        if self.flood.goals.contains(&robot) {
            return Ok(Decision::Arrived);
        }
        let known = &self.known;
        let (next, cells) = self.flood.next(robot, |id| known.neighbors(id));
        record_tick(&mut self.stats, cells);
        let step = next.map(|id| Decision::Step(known.cell(id)));
        Ok(step.unwrap_or(Decision::Unreachable))
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

impl<M: BenchMap> Inspect for FloodFill<M> {
    fn occupancy(&self, cell: Cell) -> Occupancy {
        self.known.occupancy(cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        let id = self.known.id(cell);
        id.is_ok_and(|id| self.flood.is_labeled(id))
    }
}
