//! One problem, for every contender and every limit.

use anyhow::{Context, ensure};
use planner_core::Cell;

use super::{Contender, Unit};
use crate::{
    catalog::{AnyPlanner, Moves, Name, Task, build_planner},
    environment::{KnownWorld, Sensor, SimulatedWorld},
    walk::{Limits, Outcome, Walk, walk},
    world::{Grid, World, doors::Doors},
};

/// A world, two cells of it, and what the robot sees of it.
#[derive(Clone, Debug)]
pub struct Trial<'s> {
    pub world: Grid,
    pub start: Cell,
    pub goal: Cell,
    pub moves: Moves,
    /// `None`: the robot knows the map and hears of all changes.
    pub sensor: Option<&'s Sensor>,
    pub doors: Option<Doors>,
    /// The world in which the shortest path is measured.
    pub ideal: Grid,
    /// The robot gives up after this many times the steps of the shortest path.
    pub max_ratio: u64,
}

/// The result of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialResult {
    /// Ticks over the steps of the shortest path.
    pub steps: f64,
    /// Distance over that of the shortest path.
    pub distance: f64,
    pub has_arrived: bool,
}

impl Trial<'_> {
    /// Runs each contender at each limit.
    ///
    /// # Errors
    /// The goal is out of reach, or a planner cannot be built.
    pub fn results(
        &self,
        contenders: &[Contender],
        unit: Unit,
    ) -> anyhow::Result<Vec<Vec<TrialResult>>> {
        let limits = unit.limits();
        let shortest = self.shortest()?;
        let steps = shortest.moves();
        ensure!(steps > 0, "the robot is at its goal already");
        let result = |contender: Contender, limit| {
            let walk = self.walk(contender, limit, steps * self.max_ratio)?;
            anyhow::Ok(TrialResult {
                // The last tick finds the robot at its goal.
                steps: (walk.tick_ns.len() as u64 - 1) as f64 / steps as f64,
                distance: walk.cost() / shortest.cost(),
                has_arrived: walk.outcome == Outcome::Arrived,
            })
        };
        let of = |&contender: &Contender| {
            if contender.is_limited {
                return limits
                    .iter()
                    .map(|&limit| result(contender, Some(unit.expansions(contender, limit)?)))
                    .collect();
            }
            let result = result(contender, None)?;
            Ok(vec![result; limits.len()])
        };
        contenders.iter().map(of).collect()
    }

    fn task(&self) -> Task<'_> {
        let size = (self.world.width(), self.world.height());
        Task {
            moves: self.moves,
            ..Task::new(size, self.start, &self.goal)
        }
    }

    fn shortest(&self) -> anyhow::Result<Walk> {
        let task = Task {
            known: Some(&self.ideal),
            ..self.task()
        };
        let limits = Limits::new(None, self.world.cells().count() as u64 + 1);
        let mut planner = build_planner(Name::ForwardAstar, &task)?;
        let walk = walk(&mut *planner, &mut KnownWorld, self.start, limits)?;
        ensure!(walk.outcome == Outcome::Arrived, "the goal is out of reach");
        Ok(walk)
    }

    fn build(
        &self,
        contender: Contender,
        limit: Option<u32>,
    ) -> anyhow::Result<Box<dyn AnyPlanner>> {
        let task = Task {
            known: self.sensor.is_none().then_some(&self.world),
            limit,
            local_percent: contender.local_percent,
            free_requeues: contender.free_requeues,
            ..self.task()
        };
        build_planner(contender.name, &task).with_context(|| contender.to_string())
    }

    fn walk(&self, contender: Contender, limit: Option<u32>, ticks: u64) -> anyhow::Result<Walk> {
        let world = World::Cells(self.world.clone());
        let mut world = SimulatedWorld::new(world, self.sensor.cloned(), self.doors.clone());
        let limits = Limits::new(limit, ticks + 1);
        let mut planner = self.build(contender, limit)?;
        walk(&mut *planner, &mut world, self.start, limits)
    }
}

#[cfg(test)]
mod tests {
    use planner_core::Budget;

    use super::super::contender::{LSS, UNLIMITED};
    use super::*;

    fn trial(world: Grid, start: Cell, goal: Cell) -> Trial<'static> {
        Trial {
            ideal: world.clone(),
            world,
            start,
            goal,
            moves: Moves::Eight,
            sensor: None,
            doors: None,
            max_ratio: 1000,
        }
    }

    #[test]
    fn a_shortest_path_has_a_ratio_of_one() {
        // A wall between start and goal, with a gap at its far end.
        let mut world = Grid::filled(40, 40, false).unwrap();
        for y in 0..38 {
            world.set_blocked(Cell::new(20, y), true);
        }
        let trial = trial(world, Cell::new(2, 2), Cell::new(38, 2));
        let results = trial.results(&[UNLIMITED], Unit::Expansions).unwrap();
        for result in &results[0] {
            assert!(result.has_arrived);
            assert_eq!((result.steps, result.distance), (1.0, 1.0));
        }
    }

    #[test]
    fn the_limit_sets_the_look_ahead() {
        let row = Grid::filled(200, 1, false).unwrap();
        let trial = trial(row, Cell::new(0, 0), Cell::new(199, 0));
        for limit in [8, 128] {
            let mut planner = trial.build(LSS, Some(limit)).unwrap();
            planner.tick(trial.start, Budget::UNLIMITED).unwrap();
            assert_eq!(planner.stats().last_tick.expansions, limit);
            // A longer look-ahead would take more than a tick.
            let walk = trial.walk(LSS, Some(limit), 1000).unwrap();
            assert_eq!((walk.moves(), walk.ticks()), (199, 200));
        }
    }
}
