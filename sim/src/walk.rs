//! The one loop of the simulator: a planner drives a robot through an environment, tick by tick.

use std::ops::ControlFlow;

use planner_core::{Budget, Cell, Decision, Observation, Planner};
use serde::Serialize;
use web_time::Instant;

use crate::environment::Environment;

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Arrived,
    Unreachable,
    /// The limit of ticks was reached.
    GaveUp,
}

/// A robot that is driven by a planner.
#[derive(Clone, Debug)]
pub struct Walker {
    at: Cell,
    /// Observations of the last tick.
    seen: Vec<Observation>,
}

/// One tick of a run.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    /// The cell that the robot is in after the tick.
    pub at: Cell,
    pub decision: Decision,
    /// Time for the observations and the planner's tick.
    pub planning_ns: u64,
    /// Set in the last tick.
    pub outcome: Option<Outcome>,
}

impl Tick {
    /// Returns whether the robot stays where it is and goes on later.
    pub fn is_wait(&self) -> bool {
        self.outcome.is_none() && !matches!(self.decision, Decision::Step(_))
    }
}

impl Walker {
    /// A robot at its start.
    pub fn new(start: Cell) -> Self {
        Self {
            at: start,
            seen: Vec::new(),
        }
    }

    /// The cell that the robot is in.
    pub fn at(&self) -> Cell {
        self.at
    }

    /// Observations of the last tick.
    pub fn seen(&self) -> &[Observation] {
        &self.seen
    }

    /// Senses, plans and moves. A robot without a path waits if the environment may change.
    ///
    /// # Errors
    /// The environment failed, or shows what is not on the planner's map.
    pub fn tick(
        &mut self,
        planner: &mut (impl Planner + ?Sized),
        environment: &mut (impl Environment + ?Sized),
        budget: Budget,
    ) -> anyhow::Result<Tick> {
        self.seen.clear();
        environment.sense(self.at, &mut self.seen)?;
        let begin = Instant::now();
        planner.observe_all(&self.seen)?;
        let decision = planner.tick(self.at, budget)?;
        let planning_ns = begin.elapsed().as_nanos() as u64;
        let outcome = match decision {
            Decision::Step(next) => {
                self.at = environment.step(self.at, next)?;
                None
            }
            Decision::Arrived => Some(Outcome::Arrived),
            Decision::Unreachable if !environment.may_change() => Some(Outcome::Unreachable),
            Decision::Wait | Decision::Unreachable => None,
        };
        Ok(Tick {
            at: self.at,
            decision,
            planning_ns,
            outcome,
        })
    }
}

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Work of one tick.
    pub budget: Budget,
    pub max_ticks: u64,
}

impl Limits {
    /// At most this many expansions per tick, and this many ticks.
    pub fn new(expansions: Option<u32>, max_ticks: u64) -> Self {
        let budget = expansions.map_or(Budget::UNLIMITED, Budget::limit);
        Self { budget, max_ticks }
    }
}

/// The record of a run.
#[derive(Clone, Debug)]
pub struct Walk {
    pub outcome: Outcome,
    /// The cells walked, from the start.
    pub trail: Vec<Cell>,
    /// Ticks in which the robot stayed where it was.
    pub waits: u64,
    /// Planning time of each tick.
    pub tick_ns: Vec<u64>,
}

impl Walk {
    /// Cells entered.
    pub fn moves(&self) -> u64 {
        self.trail.len() as u64 - 1
    }

    /// Ticks in all.
    pub fn ticks(&self) -> u64 {
        self.tick_ns.len() as u64
    }

    /// Length of the trail in cell lengths.
    pub fn cost(&self) -> f64 {
        length(&self.trail)
    }

    /// Planning time in all.
    pub fn planning_ns(&self) -> u64 {
        self.tick_ns.iter().sum()
    }
}

/// Length of a path in cell lengths; a diagonal step counts the square root of two.
pub fn length(path: &[Cell]) -> f64 {
    let diagonal = |pair: &&[Cell]| pair[0].x != pair[1].x && pair[0].y != pair[1].y;
    let steps = path.len().saturating_sub(1);
    let diagonals = path.windows(2).filter(diagonal).count();
    (steps - diagonals) as f64 + diagonals as f64 * std::f64::consts::SQRT_2
}

/// Walks a robot from `start` until it arrives, cannot, or gives up.
pub fn walk(
    planner: &mut (impl Planner + ?Sized),
    environment: &mut (impl Environment + ?Sized),
    start: Cell,
    limits: Limits,
) -> anyhow::Result<Walk> {
    let go_on = |_: &_, _: &mut _, _: &_| Ok(ControlFlow::Continue(()));
    walk_watched(planner, environment, start, limits, go_on)
}

/// Walks a robot as [`walk`] does; `watch` is called after each tick and may end the run.
pub fn walk_watched<P: Planner + ?Sized, E: Environment + ?Sized>(
    planner: &mut P,
    environment: &mut E,
    start: Cell,
    limits: Limits,
    mut watch: impl FnMut(&P, &mut E, &Tick) -> anyhow::Result<ControlFlow<()>>,
) -> anyhow::Result<Walk> {
    let mut walker = Walker::new(start);
    let mut walk = Walk {
        outcome: Outcome::GaveUp,
        trail: vec![start],
        waits: 0,
        tick_ns: Vec::new(),
    };
    for _ in 0..limits.max_ticks {
        let tick = walker.tick(planner, environment, limits.budget)?;
        walk.tick_ns.push(tick.planning_ns);
        walk.waits += u64::from(tick.is_wait());
        if matches!(tick.decision, Decision::Step(_)) {
            walk.trail.push(tick.at);
        }
        let flow = watch(planner, environment, &tick)?;
        if let Some(outcome) = tick.outcome {
            walk.outcome = outcome;
            break;
        }
        if flow.is_break() {
            break;
        }
    }
    Ok(walk)
}

#[cfg(test)]
mod tests {
    use planner_core::map::Occupancy;

    use super::*;
    use crate::catalog::{Name, Task, build_planner};

    /// A corridor of three cells with a door in the middle.
    struct Corridor {
        /// Ticks until the door opens.
        closed_for: u64,
        may_change: bool,
    }

    impl Environment for Corridor {
        fn sense(&mut self, _at: Cell, seen: &mut Vec<Observation>) -> anyhow::Result<()> {
            let occupancy = match self.closed_for {
                0 => Occupancy::Free,
                _ => Occupancy::Blocked,
            };
            self.closed_for = self.closed_for.saturating_sub(1);
            seen.push(Observation::Cell(Cell::new(1, 0), occupancy));
            Ok(())
        }

        fn may_change(&self) -> bool {
            self.may_change
        }
    }

    #[test]
    fn a_robot_without_a_path_waits_only_where_the_world_may_change() {
        let (start, goal) = (Cell::new(0, 0), Cell::new(2, 0));
        let walk = |may_change| {
            let mut corridor = Corridor {
                closed_for: 5,
                may_change,
            };
            let limits = Limits::new(None, 100);
            let task = Task::new((3, 1), start, &goal);
            let mut planner = build_planner(Name::DstarLite, &task).unwrap();
            walk(&mut *planner, &mut corridor, start, limits).unwrap()
        };
        let patient = walk(true);
        assert_eq!((patient.outcome, patient.waits), (Outcome::Arrived, 5));
        assert_eq!(patient.moves(), 2);
        let gone = walk(false);
        assert_eq!((gone.outcome, gone.moves()), (Outcome::Unreachable, 0));
    }
}
