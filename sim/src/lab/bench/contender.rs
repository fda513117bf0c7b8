//! The contenders: every planner of the catalog, and two others for comparison.

use std::{fmt, sync::LazyLock};

use anyhow::bail;
use clap::{ValueEnum, builder::PossibleValue};
use serde::{Serialize, Serializer};

use super::{flood::When, flood_fill::FloodFill, peer::Peer};
use crate::{
    catalog::{AnyPlanner, Name, Task, build_planner_in},
    lab::problem::Problem,
    world::World,
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
            limit,
            ..problem.task()
        };
        let flood_fill = |when| -> anyhow::Result<Box<dyn AnyPlanner>> {
            Ok(match &problem.world {
                World::Cells(_) => Box::new(FloodFill::new(task.size, problem.goal, when)?),
                World::Walls(maze) => Box::new(FloodFill::in_maze(maze, when)?),
            })
        };
        match self {
            Self::Ours(name) => Ok(build_planner_in(name, &problem.world, false, &task)?),
            Self::FloodFill => flood_fill(When::NewWall),
            Self::FloodFillWhenBlocked => flood_fill(When::Blocked),
            Self::PeerPathfinding => match problem.world {
                World::Cells(_) => Ok(Box::new(Peer::new(task.size, problem.goal)?)),
                World::Walls(_) => bail!("{self} does not know walls between cells"),
            },
        }
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
    use crate::{catalog::LOOK_AHEAD, world::Maze};

    #[test]
    fn the_limit_sets_the_look_ahead() {
        let mut maze = Maze::open(200, 200).unwrap();
        maze.goals = vec![Cell::new(199, 0)];
        let problem = Problem::of(maze);
        for limit in [LOOK_AHEAD / 2, 2 * LOOK_AHEAD] {
            let contender = Contender::Ours(Name::LssLrta);
            let mut planner = contender.build(&problem, Some(limit)).unwrap();
            planner.tick(problem.start, Budget::UNLIMITED).unwrap();
            assert_eq!(planner.stats().last_tick.expansions, limit);
        }
    }
}
