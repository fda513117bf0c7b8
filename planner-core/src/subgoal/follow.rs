//! Algorithm 3 of 002: LRTA* that pursues one subgoal after the other.

use super::{FirstGoal, Growth, Meanwhile, Rules, Source, Sub, Switching, Values};
use crate::{
    BuildError, Cell, GoalsError, ObserveError, OffMap,
    local::SuccessorOrder,
    map::Occupancy,
    planner::{Budget, Decision, Inspect, Observation, Planner, Stats, Work},
    search::check_fit,
    terrain::{Terrain, estimate, fact_at, step, step_cell},
    width::Width,
};

/// Subgoals that are looked at in the time of one expansion, for the nearest one.
pub const SCANNED: u32 = 8;

/// What the robot pursues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// To be decided.
    Unset,
    /// The nearest of the subgoals before `next` is number `best`, at an estimate of `away`.
    Scanning {
        next: usize,
        best: usize,
        away: usize,
    },
    /// The goal, until the tree has grown as far as the robot.
    Meanwhile,
    /// A subgoal. Before the robot is `in_tree` it knows no better than to pursue this one.
    At {
        number: usize,
        cell: Cell,
        in_tree: bool,
    },
}

/// LRTA* with subgoaling over a terrain `T` and the trees of `S`: one expansion per move.
///
/// The map should be known. With a [`Grown`](super::Grown) tree a change of the map makes it grow again;
/// a tree that was [read](super::packed::Packed) is left when a cost rises, and the robot goes on by plain LRTA*.
///
/// A robot that is not where it was sent, because it slipped or was carried, begins again from there.
///
/// [`Decision::Unreachable`] is certain, as far as the robot knows.
///
/// ```
/// use planner_core::local::SuccessorOrder;
/// use planner_core::subgoal::{ExitRule, Grown, Rules, SubgoalLrta, Value, Values};
/// use planner_core::terrain::{Cells, Four, Terrain, Uniform};
/// use planner_core::{Budget, Cell, Decision, Observation, Planner, map::{Occupancy, Unknown}};
/// use planner_core::{queue::Buckets, width::Bits16};
///
/// type Trees<'m> = Grown<'m, Bits16, Buckets<1>>;
/// const CELLS: usize = Cells::<Four>::vertices(9, 9);
/// let mut bits = [0; Cells::<Four>::words(9, 9)];
/// let mut nodes = [Default::default(); Trees::nodes(CELLS)];
/// let (mut branches, mut memory) = ([Default::default(); 16], [Value::default(); 16]);
/// let mut terrain = Cells::<Four>::new(9, 9, &mut bits, Unknown::AsFree, Uniform)?;
/// for x in 0..8 {
///     terrain.observe(Observation::Cell(Cell::new(x, 4), Occupancy::Blocked)).unwrap();
/// }
///
/// let (mut at, goal) = (Cell::new(0, 0), Cell::new(0, 8));
/// let rule = ExitRule::Safe;
/// let trees = Trees::new(&terrain, Buckets::new(), &mut nodes, &mut branches, rule, goal)?;
/// let values = Values::<Bits16>::new(&mut memory);
/// let (rules, order) = (Rules::default(), SuccessorOrder::Fixed);
/// let mut brain = SubgoalLrta::new(terrain, trees, values, rules, order, goal)?;
/// let (mut moves, mut waits) = (0, 0);
/// loop {
///     match brain.tick(at, Budget::limit(16))? {
///         Decision::Step(next) => (at, moves) = (next, moves + 1),
///         Decision::Wait => waits += 1, // the tree has not yet grown as far as the robot
///         _ => break,
///     }
/// }
/// assert_eq!((at, moves, waits), (goal, 24, 4)); // to the gap at the right, and back
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SubgoalLrta<'m, W: Width, T, S> {
    terrain: T,
    source: S,
    values: Values<'m, W>,
    rules: Rules,
    order: SuccessorOrder,
    goal: (usize, Cell),
    aim: Aim,
    /// Where the robot was and where it was sent: it should now be at one of the two.
    sent: Option<(Cell, Cell)>,
    stats: Stats,
}

impl<'m, W: Width, T: Terrain, S: Source<T>> SubgoalLrta<'m, W, T, S> {
    /// A planner that knows what `terrain` knows and takes its trees from `source`, which may have
    /// begun with the one for `goal` or not.
    ///
    /// # Errors
    /// The map does not fit the width `W`, or `goal` is outside.
    pub fn new(
        terrain: T,
        mut source: S,
        values: Values<'m, W>,
        rules: Rules,
        order: SuccessorOrder,
        goal: Cell,
    ) -> Result<Self, BuildError> {
        check_fit::<W>(&terrain, 0, usize::MAX)?; // it has no nodes of its own
        let vertex = terrain.grid().vertex(goal)?;
        if source.subgoal(0).is_none_or(|root| root.cell != goal) {
            source.change_goal(goal);
        }
        Ok(Self {
            terrain,
            source,
            values,
            rules,
            order,
            goal: (vertex, goal),
            aim: Aim::Unset,
            sent: None,
            stats: Stats::default(),
        })
    }

    /// What the robot knows of the world.
    pub fn terrain(&self) -> &T {
        &self.terrain
    }

    /// Where the tree comes from.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// What was learned on the way.
    pub fn values(&self) -> &Values<'m, W> {
        &self.values
    }

    /// The number and the cell of the subgoal that the robot pursues, once it does.
    pub fn subgoal(&self) -> Option<(usize, Cell)> {
        match self.aim {
            Aim::At { number, cell, .. } => Some((number, cell)),
            Aim::Meanwhile => Some((0, self.goal.1)),
            Aim::Unset | Aim::Scanning { .. } => None,
        }
    }

    /// What was decided and learned is void.
    fn begin_again(&mut self) {
        self.aim = Aim::Unset;
        self.values.forget();
    }

    fn pursue(&mut self, number: usize, in_tree: bool) {
        let cell = match self.source.subgoal(number) {
            Some(subgoal) => subgoal.cell,
            None => self.goal.1,
        };
        self.aim = Aim::At {
            number,
            cell,
            in_tree,
        };
    }

    /// Line 5: goes on with the scan for the nearest subgoal, over at most so many.
    fn scan(&mut self, at: Cell, limit: usize) {
        let (mut next, mut best, mut away) = match self.aim {
            Aim::Scanning { next, best, away } => (next, best, away),
            _ => match self.rules.first {
                FirstGoal::NearestExit => (1, 0, usize::MAX),
                _ => (0, 0, usize::MAX),
            },
        };
        let end = next.saturating_add(limit).min(self.source.len());
        while next < end {
            if let Some(subgoal) = self.source.subgoal(next) {
                let estimate = estimate(&self.terrain, at, subgoal.cell);
                if estimate < away {
                    (best, away) = (next, estimate);
                }
            }
            next += 1;
        }
        if next >= self.source.len() {
            self.pursue(best, false);
        } else {
            self.aim = Aim::Scanning { next, best, away };
        }
    }

    /// Decides on a first subgoal, if that can be; the answer if there is no way.
    fn choose(&mut self, at: Cell, growth: Growth, left: u32) -> Option<Decision> {
        let sub = self.source.sub(at);
        if sub == Sub::NoWay {
            return Some(Decision::Unreachable);
        }
        match (self.rules.first, sub, growth) {
            (FirstGoal::TrueSub, Sub::Of(number), _) => self.pursue(number, true),
            (_, _, Growth::Done) => {
                self.scan(at, (left as usize).saturating_mul(SCANNED as usize));
            }
            (_, _, Growth::Growing) if self.rules.meanwhile == Meanwhile::Walk => {
                self.aim = Aim::Meanwhile;
            }
            _ => {}
        }
        None
    }

    /// Line 8: at a subgoal, pursues its parent.
    fn switch(&mut self, at: Cell) {
        let Aim::At {
            number, in_tree, ..
        } = self.aim
        else {
            return;
        };
        let Some(parent) = self.source.find(at).and_then(|here| {
            let subgoal = self.source.subgoal(here)?;
            subgoal.parent
        }) else {
            return;
        };
        match self.rules.switching {
            Switching::Any => self.pursue(parent, true),
            Switching::Rootwards if !in_tree || parent < number => {
                self.pursue(parent, true);
                if parent < number {
                    self.values.forget(); // the robot will not pursue the old one again
                }
            }
            Switching::Rootwards => {}
        }
    }

    #[inline(always)]
    fn h(&self, vertex: usize, cell: Cell, (number, subgoal): (usize, Cell)) -> usize {
        match self.values.get(vertex, number) {
            Some(learned) => learned,
            None => estimate(&self.terrain, cell, subgoal),
        }
    }

    /// Lines 9-11.
    fn step(&mut self, robot: (usize, Cell), aim: (usize, Cell)) -> Decision {
        let moves = self.terrain.moves(robot.0);
        let mut best = None;
        for m in self.order.moves(T::MOVES) {
            let next = step(self.terrain.grid(), robot.0, m);
            if !moves.contains(m) || !self.terrain.is_open(next) {
                continue;
            }
            let cell = step_cell(robot.1, m);
            let cost = self.terrain.cost(m, next);
            let f = cost.saturating_add(self.h(next, cell, aim));
            if best.is_none_or(|(least, _)| f < least) {
                best = Some((f, cell));
            }
        }
        let Some((f, next)) = best else {
            return Decision::Unreachable;
        };
        if f > self.terrain.longest() {
            return Decision::Unreachable; // a lower bound of a way that is there is never so long
        }
        if f > self.h(robot.0, robot.1, aim) {
            self.values.set(robot.0, aim.0, f);
        }
        Decision::Step(next)
    }

    fn decide(&mut self, robot: (usize, Cell), budget: Budget, work: &mut Work) -> Decision {
        let steps = match (self.aim, self.rules.meanwhile) {
            (Aim::Unset | Aim::Scanning { .. }, Meanwhile::Wait) => 0,
            _ => 1,
        };
        let background = Budget {
            expansions: budget.expansions.saturating_sub(steps),
            ..budget
        };
        let growth = self.source.advance(&self.terrain, background, work);
        let left = budget.after(*work).expansions;
        if !matches!(self.aim, Aim::At { .. })
            && let Some(decision) = self.choose(robot.1, growth, left)
        {
            return decision;
        }
        self.switch(robot.1);
        match self.subgoal() {
            Some(_) if left == 0 => Decision::Wait,
            Some(aim) => {
                work.expansions += 1;
                self.step(robot, aim)
            }
            None => Decision::Wait,
        }
    }
}

impl<W: Width, T: Terrain, S: Source<T>> Planner for SubgoalLrta<'_, W, T, S> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let change = self.terrain.observe(seen)?;
        if let Some(change) = change {
            self.source.world_changed(change.trend());
            self.begin_again();
        }
        Ok(change.is_some())
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        let robot = (self.terrain.grid().vertex(at)?, at);
        if self.sent.is_some_and(|(from, to)| at != from && at != to) {
            self.begin_again(); // pushed or carried elsewhere, where another subgoal may be next
        }
        let mut work = Work::default();
        let decision = if robot.0 == self.goal.0 {
            Decision::Arrived
        } else if !self.terrain.is_open(robot.0) || !self.terrain.is_open(self.goal.0) {
            Decision::Unreachable
        } else {
            self.decide(robot, budget, &mut work)
        };
        self.sent = Some(match decision {
            Decision::Step(next) => (at, next),
            _ => (at, at),
        });
        self.stats.searches += u32::from(work.expansions > 0);
        self.stats.book(work);
        Ok(decision)
    }

    /// A tree has one goal: of several, none is taken.
    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        let &[goal] = goals else {
            return Err(match goals {
                [] => GoalsError::None,
                _ => GoalsError::TooMany,
            });
        };
        self.goal = (self.terrain.grid().vertex(goal)?, goal);
        self.source.change_goal(goal);
        self.begin_again();
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<W: Width, T: Terrain, S: Source<T>> Inspect for SubgoalLrta<'_, W, T, S> {
    fn fact(&self, cell: Cell) -> Occupancy {
        fact_at(&self.terrain, cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        let Ok(vertex) = self.terrain.grid().vertex(cell) else {
            return false;
        };
        let learned = |aim: (usize, Cell)| self.values.get(vertex, aim.0).is_some();
        matches!(self.source.sub(cell), Sub::Of(_)) || self.subgoal().is_some_and(learned)
    }
}
