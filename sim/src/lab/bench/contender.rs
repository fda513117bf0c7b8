//! The contenders: every planner of the catalog, and two others for comparison.

use std::{fmt, sync::LazyLock};

use anyhow::bail;
use clap::{ValueEnum, builder::PossibleValue};
use serde::{Serialize, Serializer};

use super::{flood::When, flood_fill::FloodFill, peer::Peer};
use crate::{
    catalog::{AnyPlanner, LOOK_AHEAD, Name, Task, build_maze_planner, build_planner},
    lab::problem::Problem,
    world::Maze,
};

/// A planner in the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contender {
    /// One of ours.
    Ours(Name),
    /// Flood fill at every new wall, as micromouse robots do.
    FloodFill,
    /// Flood fill only when the path is blocked.
    FloodFillWhenBlocked,
    /// Repeated A* of the `pathfinding` crate.
    PeerPathfinding,
}

/// Default contenders; ratios are to the first.
pub const DEFAULT: &[Contender] = &[
    Contender::Ours(Name::DstarLite),
    Contender::Ours(Name::DstarLiteLifo),
    Contender::Ours(Name::DstarLiteHeapLargerG),
    Contender::Ours(Name::DstarLiteHeap),
    Contender::Ours(Name::ForwardAstar),
    Contender::Ours(Name::ForwardAstarBuckets),
    Contender::Ours(Name::BackwardAstar),
    Contender::Ours(Name::AdaptiveAstar),
    Contender::FloodFill,
    Contender::PeerPathfinding,
];

/// Default contenders under a limit.
pub const REAL_TIME: &[Contender] = &[
    Contender::Ours(Name::RtdTba),
    Contender::Ours(Name::Rtd),
    Contender::Ours(Name::RtdLrta),
    Contender::Ours(Name::RtdAnytime),
    Contender::Ours(Name::RtdNoop),
    Contender::Ours(Name::LssLrtaReplan),
    Contender::Ours(Name::LssLrta),
    Contender::Ours(Name::Lrta),
];

/// Default contenders in micromouse mazes.
pub const IN_MAZES: &[Contender] = &[
    Contender::Ours(Name::DstarLite),
    Contender::Ours(Name::RtdTba),
    Contender::FloodFillWhenBlocked,
    Contender::FloodFill,
];

impl Contender {
    /// Builds the planner for a problem and a limit of expansions per tick.
    pub fn build(
        self,
        problem: &Problem,
        limit: Option<u32>,
    ) -> anyhow::Result<Box<dyn AnyPlanner>> {
        let task = Task {
            look_ahead: limit.unwrap_or(LOOK_AHEAD),
            ..problem.task()
        };
        let flood_fill = |when| FloodFill::new(task.size, task.goal, when);
        Ok(match self {
            Self::Ours(name) => build_planner(name, &task)?,
            Self::FloodFill => Box::new(flood_fill(When::NewWall)?),
            Self::FloodFillWhenBlocked => Box::new(flood_fill(When::Blocked)?),
            Self::PeerPathfinding => Box::new(Peer::new(task.size, task.goal)?),
        })
    }

    /// Builds the planner for a maze and a limit of expansions per tick.
    pub fn build_in_maze(
        self,
        maze: &Maze,
        limit: Option<u32>,
    ) -> anyhow::Result<Box<dyn AnyPlanner>> {
        let size = (maze.width(), maze.height());
        let task = Task {
            look_ahead: limit.unwrap_or(LOOK_AHEAD),
            ..Task::new(size, maze.start, maze.goals[0])
        };
        Ok(match self {
            Self::Ours(name) => build_maze_planner(name, maze, false, &task)?,
            Self::FloodFill => Box::new(FloodFill::in_maze(maze, When::NewWall)?),
            Self::FloodFillWhenBlocked => Box::new(FloodFill::in_maze(maze, When::Blocked)?),
            Self::PeerPathfinding => bail!("{self} does not know walls between cells"),
        })
    }
}

/// The contenders that are not ours, with their names and descriptions.
const GUESTS: [(Contender, &str, &str); 3] = [
    (
        Contender::FloodFill,
        "flood-fill",
        "What micromouse robots do",
    ),
    (
        Contender::FloodFillWhenBlocked,
        "flood-fill-when-blocked",
        "Flood fill only when the path is blocked",
    ),
    (
        Contender::PeerPathfinding,
        "peer-pathfinding",
        "Repeated A* of the `pathfinding` crate",
    ),
];

impl ValueEnum for Contender {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Contender>> = LazyLock::new(|| {
            let ours = Name::all().iter().copied().map(Contender::Ours);
            ours.chain(GUESTS.map(|(guest, ..)| guest)).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        if let Self::Ours(name) = self {
            return name.to_possible_value();
        }
        let (_, name, help) = GUESTS.into_iter().find(|(guest, ..)| guest == self)?;
        Some(PossibleValue::new(name).help(help))
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_possible_value() {
            Some(value) => f.write_str(value.get_name()),
            None => Ok(()),
        }
    }
}

impl Serialize for Contender {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use planner_core::{Budget, Cell};

    use super::*;
    use crate::world::Grid;

    #[test]
    fn the_limit_sets_the_look_ahead() {
        let limit = 2 * LOOK_AHEAD;
        let lss = Contender::Ours(Name::LssLrta);
        let first_tick = |planner: anyhow::Result<Box<dyn AnyPlanner>>, start| {
            let mut planner = planner.unwrap();
            planner.tick(start, Budget::limit(limit)).unwrap();
            planner.stats().last_tick.expansions
        };
        let problem = Problem {
            world: Grid::filled(200, 200, false).unwrap(),
            start: Cell::new(0, 0),
            goal: Cell::new(199, 199),
        };
        let planner = lss.build(&problem, Some(limit));
        assert_eq!(first_tick(planner, problem.start), limit);
        let mut maze = Maze::open(200, 200).unwrap();
        maze.goals = vec![Cell::new(199, 0)];
        let planner = lss.build_in_maze(&maze, Some(limit));
        assert_eq!(first_tick(planner, maze.start), limit);
    }
}
