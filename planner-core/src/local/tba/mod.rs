//! Time-bounded A* (Björnsson, Bulitko & Sturtevant 2009) with a weighted heuristic, in unknown and changing
//! worlds.
//!
//! LRTA* and LSS-LRTA* throw their look-ahead away after each step. This search keeps it: the tree grows from
//! tick to tick while the robot follows a path in it.
//!
//! ```text
//!  plant -> grow -> choose a target -> trace the path to it -> move      each tick, within the budget
//!    ^                                                          |
//!    +-- the path is blocked -----------------------------------+
//!    +-- learn <-- the path ends and the table is full ---------+
//! ```
//!
//! - **Plant**: a new tree begins at the robot. What earlier trees have expanded stays in the table and is taken
//!   over, for less than the price of an expansion, when the new tree reaches it.
//! - **Grow** (`grow.rs`): A* by `g + 2 h`. It stops at the goal, or at a vertex whose distance the global search
//!   knows: the tree is complete and costs nothing more.
//! - **Target**: while the tree is incomplete, the cell in OPEN with the smallest `h` of those seen in this tick.
//! - **Trace** (`path.rs`): the path is recorded from the target up to the path that the robot is on. A robot that
//!   is not on the new path goes back towards the root until it is.
//! - **Learn** (`learn.rs`): a full table is used as a local search space a last time. Dijkstra's algorithm from
//!   its frontier raises the learned values of all cells that were expanded; then the table is cleared. If costs have
//!   fallen since it was cleared before, it is cleared at once: the next fall would forget the values anyway.
//!
//! # The bound
//!
//! One [`step`](LocalSearch::step) with a budget of `E` expansions on a graph with `M` moves does at most
//!
//! | work | at most |
//! |---|---|
//! | cells expanded, taken over or learned from, and trace steps at their [price](Budget) | `E` |
//! | operations on OPEN, each in constant time | `4 E (M + 1) + 2` |
//! | comparisons in a look-up | 6 |
//! | trees planted | 1 |
//! | neighbors compared, when there is no path to follow | `M` |
//!
//! [`update`](LocalSearch::update) makes at most `2 (M + 2)` look-ups and two insertions, with diagonal moves `5 (M + 2)`
//! and five. No term depends on the size of the map.
//!
//! # Correctness
//!
//! - *Learned values are lower bounds.* Every exit of the expanded cells is in OPEN, so Dijkstra's algorithm gives
//!   lower bounds in whatever order they were expanded. When a cost falls all values are forgotten (without a
//!   tree, before the next one is planted), and a cell that can be entered from the tree again joins OPEN.
//! - *The robot never enters a blocked cell.* Each move is compared with the map when it is made.
//! - *The robot arrives.* Alone, once costs no longer fall, it gives up a full table only after raising values, which
//!   cannot rise for ever.
//!   In Real-Time D*, the global search has its share of every tick and is followed once it is complete.

mod changes;
mod grow;
mod learn;
mod open;
mod path;
#[cfg(all(test, feature = "alloc"))]
mod tests;

use super::{
    Distances, Generated, Learned, LearnedStorage, LearnedValues, Learning, LocalSearch, Problem,
    space::{Entry, State, Table},
    steps::Steps,
};
use crate::{
    BuildError,
    budget::{CLEAR_VISITS, EDGE_STEPS, EXPANSION, Remaining, TRACE_STEP, VISIT},
    graph::{Graph, GraphChange, Trend, cell_after},
    planner::{Budget, Decision, Work},
    storage::{Allocate, Array},
    width::{Bits16, Width, Word, add, infinity},
};
use learn::LearnPhase;
use open::{Neighbors, OpenBuckets};
use path::Trace;

/// The content of the table.
// With a tag of its own, not a value that a field has to spare: a search in a static is all zero.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing: a tree is planted in the next step.
    Empty,
    /// A tree that grows.
    Tree,
    /// A tree that was given up, whose values are being learned.
    Learning(LearnPhase),
}

/// The cells of a tree and of those before it, and OPEN.
#[derive(Debug)]
struct Tree<W: Width, const N: usize> {
    table: Table<W, N, Neighbors>,
    open: OpenBuckets,
}

impl<W: Width, const N: usize> Tree<W, N> {
    /// To be cleared before its first use: all zero.
    const ZERO: Self = Self {
        table: Table::ZERO,
        open: OpenBuckets::ZERO,
    };
}

/// Generations are numbered with seven bits.
const LAST_GENERATION: u8 = u8::MAX >> 1;

/// Time-bounded A* that learns, with a table of at most `N` generated cells.
///
/// The local search of the presets. Under small budgets the robot makes far fewer steps than with
/// [`LssLrta`](super::LssLrta), which searches anew in each. Exception: parallel long dead ends that are discovered one
/// cell at a time. There the robot goes back and forth between two of them: at 8 expansions per tick it needs 6.5 times the
/// ticks of D* Lite without a limit, where LSS-LRTA* needs 3.9
/// (`cargo sim experiment unknown-world --world combs --runs 40 --seed 7000`).
///
/// Memory: 16 bytes per generated cell with [`Bits16`], 22 with [`Bits32`](crate::width::Bits32), 560 for OPEN, and the
/// [`Learned`] values in storage `S`, or a table of a fixed size with [`Hashed`](super::Hashed).
///
/// ```
/// use planner_core::{local::{LocalPlanner, Tba}, prelude::*};
///
/// const N: usize = capacity(9, 9);
/// let search = LocalPlanner::new(Tba::<Array<N>, Bits16, 64>::new(), 3);
/// let mut planner = Navigator::from_parts(CellMap::<Array<N>>::new(), search);
/// planner.begin((9, 9), Cell::new(0, 0), &[Cell::new(0, 5)])?;
/// let decision = planner.tick(Cell::new(0, 0), Budget::limit(3))?;
/// assert_eq!(decision, Decision::Step(Cell::new(0, 1)));
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Tba<S: LearnedStorage<W>, W: Width = Bits16, const N: usize = 512> {
    space: Tree<W, N>,
    learned: S::Values,
    stage: Stage,
    /// The entry at which the path ends.
    target: u16,
    trace: Trace,
    /// Cost of the path from the root to a robot that is on it: what is nearer to the root is behind it. Zero for a
    /// robot that is not.
    robot_g: W::Cost,
    /// True if the path cannot be followed to its end.
    is_broken: bool,
    /// True if costs have fallen while there was no tree: learned values may be too high.
    has_fallen: bool,
    /// True if costs have fallen since the table was cleared: they will again, and what is learned is forgotten then.
    is_changing: bool,
    /// The number of the tree since the table was last cleared. Entries of earlier trees are taken over when
    /// they are reached.
    generation: u8,
    /// The root's part of the key.
    root_h: W::Cost,
    /// An entry some of whose successors found no room; with it the table is full.
    refused: Option<u16>,
}

impl<W: Width, const B: usize, const N: usize> Tba<Array<B>, W, N> {
    /// A search in arrays, all zero.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_learned(Learned::new())
    }
}

impl<W: Width, const B: usize, const N: usize> Default for Tba<Array<B>, W, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Allocate, W: Width, const N: usize> Tba<S, W, N> {
    /// A search with memory for a number of [`blocks`](crate::storage::blocks).
    #[must_use]
    pub fn allocate(blocks: usize) -> Self {
        Self::with_learned(Learned::allocate(blocks))
    }
}

impl<S: LearnedStorage<W>, W: Width, const N: usize> Tba<S, W, N> {
    /// A search that learns in `learned`.
    #[must_use]
    pub const fn with_learned(learned: S::Values) -> Self {
        Self {
            space: Tree::ZERO,
            learned,
            stage: Stage::Empty,
            target: 0,
            trace: Trace::Done,
            robot_g: W::Cost::ZERO,
            is_broken: false,
            has_fallen: false,
            is_changing: false,
            generation: 0,
            root_h: W::Cost::ZERO,
            refused: None,
        }
    }

    /// Plants a tree at the robot. It takes over what earlier trees have expanded, unless there is no room; `false` when the budget
    /// does not cover clearing the table.
    fn plant<G: Graph, D: Distances>(
        &mut self,
        problem: &Problem<'_, G, D>,
        left: &mut Remaining,
        work: &mut Work,
    ) -> bool {
        const {
            assert!(
                N > G::MOVES,
                "no room for the robot's cell and those around"
            );
        }
        let is_last = self.generation == LAST_GENERATION;
        if self.stage == Stage::Empty || is_last || self.is_full(G::MOVES) {
            if !left.take(CLEAR_VISITS * VISIT) {
                return false;
            }
            work.visits += CLEAR_VISITS;
            self.space.table.clear();
            (self.generation, self.refused) = (0, None);
            self.is_changing = false;
        } else {
            self.generation += 1;
        }
        if core::mem::take(&mut self.has_fallen) {
            self.learned.forget();
        }
        self.space.open.clear(&problem.graph);
        self.stage = Stage::Tree;
        let weighted = self.estimate(problem, problem.robot).weighted;
        self.root_h = W::Cost::new(weighted);
        let root = self.reach::<G>(problem.robot, 0, 0, weighted);
        if root.is_none() {
            self.stage = Stage::Empty; // no room in its slot: the next tree begins with an empty table
        }
        self.target = root.unwrap_or(0);
        self.trace = Trace::Done;
        self.is_broken = false;
        true
    }

    fn is_full(&self, moves: usize) -> bool {
        self.refused.is_some() || !self.space.table.has_room_for(moves)
    }

    /// Returns whether the table is full and the tree of no more use to a robot at a vertex.
    fn is_used_up<G: Graph>(&self, robot: usize) -> bool {
        let at_end = || self.find(robot) == Some(usize::from(self.target));
        self.is_full(G::MOVES) && (self.is_broken || at_end() && self.trace == Trace::Done)
    }

    /// The entry of a vertex in the tree.
    fn find(&self, vertex: usize) -> Option<usize> {
        let number = self.space.table.find(vertex)?;
        self.is_current(&self.space.table.entry(number))
            .then_some(number)
    }

    /// Returns whether an entry belongs to the tree, and not to an earlier one.
    fn is_current(&self, entry: &Entry<W, Neighbors>) -> bool {
        entry.generation() == self.generation
    }

    /// The step to the neighbor with the least estimated cost to the goal.
    fn best_neighbor<G: Graph, D: Distances>(&self, problem: &Problem<'_, G, D>) -> Decision {
        let (graph, robot) = (&problem.graph, problem.robot);
        let moves = graph.moves(robot);
        let mut least = infinity::<W>();
        let mut next = Decision::Unreachable;
        for m in (0..G::MOVES).filter(|&m| moves.contains(m)) {
            let vertex = graph.grid().neighbor(robot, m);
            if !graph.is_passable(vertex) {
                continue;
            }
            let h = self.estimate(problem, vertex).h;
            let through = add::<W>(h, graph.cost(m, vertex));
            if through < least || next == Decision::Unreachable {
                least = through;
                next = Decision::Step(cell_after(problem.at, m));
            }
        }
        next
    }
}

impl<S: LearnedStorage<W>, W: Width, const N: usize> LocalSearch for Tba<S, W, N> {
    const KEEPS_ALL: bool = S::KEEPS_ALL;

    fn begin(&mut self, graph: &impl Graph) -> Result<(), BuildError> {
        self.learned.begin(graph)?;
        (self.stage, self.has_fallen) = (Stage::Empty, false);
        Ok(())
    }

    fn step<G: Graph, D: Distances>(
        &mut self,
        problem: &Problem<'_, G, D>,
        budget: Budget,
        work: &mut Work,
    ) -> Decision {
        if !problem.graph.is_passable(problem.robot) {
            return Decision::Unreachable;
        }
        let steps = &Steps::new(&problem.graph);
        let mut left = Remaining::new(budget);
        if self.stage == Stage::Tree && self.is_used_up::<G>(problem.robot) {
            match self.is_changing {
                true => self.stage = Stage::Empty,
                false => self.begin_learning(&problem.graph),
            }
        }
        if matches!(self.stage, Stage::Learning(_)) {
            self.learn(problem, steps, &mut left, work);
            return self.best_neighbor(problem);
        }
        if self.stage == Stage::Empty || self.is_broken || self.find(problem.robot).is_none() {
            if !self.plant(problem, &mut left, work) {
                return Decision::Wait;
            }
            work.queue_ops += 1;
        }
        let Some(robot) = self.find(problem.robot) else {
            return Decision::Wait;
        };
        let entry = self.space.table.entry(robot);
        self.robot_g = match entry.state() {
            State::Path => entry.g,
            State::Open | State::Closed => W::Cost::ZERO,
        };
        // Half of the budget at most: a path that takes long to record must not keep the tree from growing.
        const HALF: u32 = EXPANSION / (2 * EDGE_STEPS * TRACE_STEP);
        let mut steps_left = budget.expansions.saturating_mul(HALF);
        self.trace(problem, steps, &mut steps_left, &mut left, work);
        if self.is_broken {
            return self.best_neighbor(problem);
        }
        if !self.grow(problem, steps, robot, budget, &mut left, work) {
            return Decision::Unreachable;
        }
        self.trace(problem, steps, &mut steps_left, &mut left, work);
        self.next_step(problem, steps, robot)
    }

    fn forget(&mut self) {
        self.learned.forget();
        (self.stage, self.has_fallen) = (Stage::Empty, false);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn update(&mut self, graph: &impl Graph, change: GraphChange) {
        // Without a tree, higher costs change nothing: learned values stay lower bounds.
        if self.stage == Stage::Tree || change.trend() == Trend::Fall {
            self.absorb(graph, change);
        }
    }

    fn upkeep(&mut self) {
        self.learned.upkeep();
    }
}

impl<S: LearnedStorage<W>, W: Width, const N: usize> Learning for Tba<S, W, N> {
    fn learned(&self, vertex: usize) -> Option<usize> {
        self.learned.get(vertex)
    }

    fn generated(&self, vertex: usize) -> Option<Generated> {
        let table = &self.space.table;
        if self.stage != Stage::Tree {
            return None;
        }
        let number = self.find(vertex)?;
        let entry = table.entry(number);
        let is_on_path = entry.state() == State::Path && number != usize::from(self.target);
        Some(Generated {
            g: entry.g.get(),
            h: entry.h.get(),
            is_closed: entry.state() != State::Open,
            next: is_on_path.then(|| entry.next()),
        })
    }
}
