//! Algorithm 3 of Hernández & Baier (2011): LRTA* that pursues one subgoal after the other.

use core::marker::PhantomData;

use super::{FirstGoal, Growth, Meanwhile, Rules, Source, Sub, Switching, Values};
use crate::{
    BuildError, Cell, GoalsError, OffMap,
    graph::{Graph, cell_after, heuristic},
    inspect::InspectSearch,
    local::SuccessorOrder,
    map::{AsFree, Change, Map, Revision, UnknownPolicy},
    planner::{Budget, Decision, Stats, Work},
    search::{Search, check_fit},
    storage::Storage,
    width::{Bits16, Width},
};

/// Subgoals that are looked at in the time of one expansion, for the nearest one.
pub const SCANNED: u32 = 8;

/// The nearest of the subgoals before `next` is number `best`, at a heuristic distance of `distance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scan {
    next: usize,
    best: usize,
    distance: usize,
}

/// The target that the robot pursues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// To be decided.
    Unset,
    /// The nearest subgoal, as far as they were looked at.
    Scanning(Scan),
    /// The goal, until the tree has grown as far as the robot.
    Meanwhile,
    /// A subgoal. Before the robot is `in_tree` it knows no better than to pursue this one.
    At {
        number: usize,
        cell: Cell,
        in_tree: bool,
    },
}

/// LRTA* with subgoals from the trees of `T`: one expansion per move. Learned values are in storage `S`.
///
/// The map should be known. With a [`Grown`](super::Grown) tree a change of the map makes it grow again; a tree
/// that was [read](super::packed::Packed) is dropped when a cost rises, and the robot goes on by plain LRTA*.
///
/// A robot that is not where it was sent, because it slipped or was carried, starts again from there.
///
/// [`Decision::Unreachable`] is certain, as far as is known.
///
/// ```
/// use planner_core::subgoal::{ExitRule, Grown, Rules, SubgoalLrta, Values};
/// use planner_core::{local::SuccessorOrder, prelude::*, queue::Buckets};
///
/// const N: usize = capacity(9, 9);
/// type Tree = Grown<Array<N>, Array<16>, Bits16, Buckets<1>>;
/// let tree = Tree::allocate(Buckets::new(), N, 16, ExitRule::Safe);
/// let search = SubgoalLrta::<_, Array<16>>::new(tree, Values::new(), Rules::default(), SuccessorOrder::Fixed);
/// let mut planner = Navigator::from_parts(CellMap::<Array<N>>::new(), search);
///
/// let (mut at, goal) = (Cell::new(0, 0), Cell::new(0, 8));
/// planner.begin((9, 9), at, &[goal])?;
/// for x in 0..8 {
///     planner.observe(Observation::Cell(Cell::new(x, 4), Occupancy::Blocked))?;
/// }
/// let (mut moves, mut waits) = (0, 0);
/// loop {
///     match planner.tick(at, Budget::limit(16))? {
///         Decision::Step(next) => (at, moves) = (next, moves + 1),
///         Decision::Wait => waits += 1, // the tree has not yet grown as far as the robot
///         _ => break,
///     }
/// }
/// assert_eq!((at, moves, waits), (goal, 24, 4)); // to the gap at the right, and back
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct SubgoalLrta<T, S: Storage, W: Width = Bits16, U = AsFree> {
    source: T,
    values: Values<S, W>,
    rules: Rules,
    order: SuccessorOrder,
    goal: (usize, Cell),
    target: Target,
    /// The robot's cell in the last tick and the one it was sent to: it should now be at one of the two.
    sent: Option<(Cell, Cell)>,
    stats: Stats,
    revision: Revision,
    unknown: PhantomData<U>,
}

impl<T: Source, S: Storage, W: Width, U: UnknownPolicy> SubgoalLrta<T, S, W, U> {
    /// A search that takes its trees from `source`.
    #[must_use]
    pub const fn new(source: T, values: Values<S, W>, rules: Rules, order: SuccessorOrder) -> Self {
        Self {
            source,
            values,
            rules,
            order,
            goal: (0, Cell::new(0, 0)),
            target: Target::Unset,
            sent: None,
            stats: Stats::ZERO,
            revision: Revision::ZERO,
            unknown: PhantomData,
        }
    }

    /// Returns the source of the tree.
    pub fn source(&self) -> &T {
        &self.source
    }

    /// Returns the learned values.
    pub fn values(&self) -> &Values<S, W> {
        &self.values
    }

    /// Returns the number and the cell of the subgoal that the robot pursues, once it does.
    pub fn subgoal(&self) -> Option<(usize, Cell)> {
        match self.target {
            Target::At { number, cell, .. } => Some((number, cell)),
            Target::Meanwhile => Some((0, self.goal.1)),
            Target::Unset | Target::Scanning(_) => None,
        }
    }

    /// Drops the target and the learned values.
    fn start_again(&mut self) {
        self.target = Target::Unset;
        self.values.forget();
    }

    fn pursue(&mut self, number: usize, in_tree: bool) {
        let cell = match self.source.subgoal(number) {
            Some(subgoal) => subgoal.cell,
            None => self.goal.1,
        };
        self.target = Target::At {
            number,
            cell,
            in_tree,
        };
    }

    /// Line 5: goes on with the scan for the nearest subgoal, over at most so many.
    fn scan(&mut self, graph: &impl Graph, at: Cell, limit: usize) {
        let mut scan = match self.target {
            Target::Scanning(scan) => scan,
            _ => Scan {
                next: usize::from(self.rules.first == FirstGoal::NearestExit),
                best: 0,
                distance: usize::MAX,
            },
        };
        let end = scan.next.saturating_add(limit).min(self.source.len());
        while scan.next < end {
            if let Some(subgoal) = self.source.subgoal(scan.next) {
                let h = heuristic(graph, at, subgoal.cell);
                if h < scan.distance {
                    (scan.best, scan.distance) = (scan.next, h);
                }
            }
            scan.next += 1;
        }
        if scan.next >= self.source.len() {
            self.pursue(scan.best, false);
        } else {
            self.target = Target::Scanning(scan);
        }
    }

    /// Chooses a first subgoal, if possible; returns the decision if there is no path.
    fn choose(
        &mut self,
        graph: &impl Graph,
        at: Cell,
        growth: Growth,
        left: u32,
    ) -> Option<Decision> {
        let sub = self.source.sub(at);
        if sub == Sub::NoPath {
            return Some(Decision::Unreachable);
        }
        match (self.rules.first, sub, growth) {
            (FirstGoal::TrueSub, Sub::Of(number), _) => self.pursue(number, true),
            (_, _, Growth::Done) => {
                self.scan(graph, at, (left as usize).saturating_mul(SCANNED as usize));
            }
            (_, _, Growth::Growing) if self.rules.meanwhile == Meanwhile::Walk => {
                self.target = Target::Meanwhile;
            }
            _ => {}
        }
        None
    }

    /// Line 8: at a subgoal, pursues its parent.
    fn switch(&mut self, at: Cell) {
        let Target::At {
            number, in_tree, ..
        } = self.target
        else {
            return;
        };
        let here = self.source.find(at);
        let here = here.and_then(|number| self.source.subgoal(number));
        let Some(parent) = here.and_then(|subgoal| subgoal.parent) else {
            return;
        };
        match self.rules.switching {
            Switching::Any => self.pursue(parent, true),
            Switching::Rootwards if !in_tree || parent < number => {
                self.pursue(parent, true);
                if parent < number {
                    self.values.forget(); // most belong to subgoals that are not pursued again
                }
            }
            Switching::Rootwards => {}
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn h(
        &self,
        graph: &impl Graph,
        vertex: usize,
        cell: Cell,
        (number, subgoal): (usize, Cell),
    ) -> usize {
        match self.values.get(vertex, number) {
            Some(learned) => learned,
            None => heuristic(graph, cell, subgoal),
        }
    }

    /// Lines 9-11.
    fn step<G: Graph>(
        &mut self,
        graph: &G,
        robot: (usize, Cell),
        target: (usize, Cell),
    ) -> Decision {
        let moves = graph.moves(robot.0);
        let mut best = None;
        for m in self.order.moves(G::MOVES) {
            let next = graph.grid().neighbor(robot.0, m);
            if !moves.contains(m) || !graph.is_passable(next) {
                continue;
            }
            let cell = cell_after(robot.1, m);
            let cost = graph.cost(m, next);
            let f = cost.saturating_add(self.h(graph, next, cell, target));
            if best.is_none_or(|(least, _)| f < least) {
                best = Some((f, cell));
            }
        }
        let Some((f, next)) = best else {
            return Decision::Unreachable;
        };
        if f > graph.max_path_cost() {
            return Decision::Unreachable; // no lower bound of a path exceeds it
        }
        if f > self.h(graph, robot.0, robot.1, target) {
            self.values.set(robot.0, target.0, f);
        }
        Decision::Step(next)
    }

    fn decide<G: Graph>(
        &mut self,
        graph: &G,
        robot: (usize, Cell),
        budget: Budget,
        work: &mut Work,
    ) -> Decision {
        let steps = match (self.target, self.rules.meanwhile) {
            (Target::Unset | Target::Scanning(_), Meanwhile::Wait) => 0,
            _ => 1,
        };
        let background = Budget::limit(budget.expansions.saturating_sub(steps));
        let growth = self.source.advance(graph, background, work);
        let left = budget.after(*work).expansions;
        if !matches!(self.target, Target::At { .. })
            && let Some(decision) = self.choose(graph, robot.1, growth, left)
        {
            return decision;
        }
        self.switch(robot.1);
        match self.subgoal() {
            Some(_) if left == 0 => Decision::Wait,
            Some(target) => {
                work.expansions += 1;
                self.step(graph, robot, target)
            }
            None => Decision::Wait,
        }
    }
}

impl<T: Source, S: Storage, W: Width, U: UnknownPolicy> Search for SubgoalLrta<T, S, W, U> {
    fn begin<M: Map>(&mut self, map: &M, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        self.revision = Revision::of(map);
        let graph = map.view::<U>();
        check_fit::<W>(&graph, 0, usize::MAX)?; // it has no nodes of its own
        graph.grid().vertex(start)?;
        let goal = single(goals)?;
        self.goal = (graph.grid().vertex(goal)?, goal);
        self.source.begin(&graph)?;
        if self.source.subgoal(0).is_none_or(|root| root.cell != goal) {
            self.source.change_goal(goal);
        }
        self.start_again();
        (self.sent, self.stats) = (None, Stats::ZERO);
        Ok(())
    }

    fn update<M: Map>(&mut self, _map: &M, change: Change) -> bool {
        self.revision.advance();
        let Some(change) = change.seen_as::<U>() else {
            return false;
        };
        self.source.world_changed(change.trend());
        self.start_again();
        true
    }

    fn tick<M: Map>(&mut self, map: &M, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.revision.check(map);
        let graph = &map.view::<U>();
        let robot = (graph.grid().vertex(at)?, at);
        if self.sent.is_some_and(|(from, to)| at != from && at != to) {
            self.start_again(); // pushed or carried elsewhere, where another subgoal may be next
        }
        let mut work = Work::ZERO;
        let decision = if robot.0 == self.goal.0 {
            Decision::Arrived
        } else if !graph.is_passable(robot.0) || !graph.is_passable(self.goal.0) {
            Decision::Unreachable
        } else {
            self.decide(graph, robot, budget, &mut work)
        };
        self.sent = Some(match decision {
            Decision::Step(next) => (at, next),
            _ => (at, at),
        });
        self.stats.record_tick(work);
        Ok(decision)
    }

    /// A tree has one goal: of several, none is taken.
    fn set_goals<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError> {
        let goal = single(goals)?;
        self.goal = (map.view::<U>().grid().vertex(goal)?, goal);
        self.source.change_goal(goal);
        self.start_again();
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

/// The only goal.
fn single(goals: &[Cell]) -> Result<Cell, GoalsError> {
    match goals {
        [] => Err(GoalsError::None),
        &[goal] => Ok(goal),
        _ => Err(GoalsError::TooMany),
    }
}

impl<T: Source, S: Storage, W: Width, U: UnknownPolicy> InspectSearch for SubgoalLrta<T, S, W, U> {
    fn is_expanded<M: Map>(&self, map: &M, cell: Cell) -> bool {
        let Ok(vertex) = map.view::<U>().grid().vertex(cell) else {
            return false;
        };
        let learned = |target: (usize, Cell)| self.values.get(vertex, target.0).is_some();
        matches!(self.source.sub(cell), Sub::Of(_)) || self.subgoal().is_some_and(learned)
    }
}
