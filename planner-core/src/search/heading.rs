//! Paths for a robot that has to turn: a state is a cell and a heading.
//!
//! For a robot that is fast on the straight and slow in turns the shortest path is not the fastest.
//! [`TurnAware`] is Dijkstra's algorithm from the goals over states, four for each cell, where a step ahead and
//! a quarter turn have costs of their own. It can be interrupted after any expansion, and a robot that moves
//! needs no new search: the result holds for all states.

use core::marker::PhantomData;

use super::{Search, check_size, clear_queue, key};
use crate::{
    BuildError, Cell, Goals, GoalsError, OffMap, Side,
    budget::Remaining,
    graph::{Graph, cell_after, move_between, opposite},
    inspect::InspectSearch,
    map::{AsFree, Change, Map, Revision, UnknownPolicy},
    planner::{Budget, Decision, Stats, Work},
    queue::{Buckets, Linked, Queue},
    storage::{Allocate, Array, BLOCK, Block, Storage, default_by_new, flat, flat_mut},
    width::{Width, Word, add, infinity},
};

/// Costs of motion, in units of the caller's choice, such as milliseconds. The default is that turns cost nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TurnCosts {
    /// A step to the next cell ahead; zero counts as one.
    pub step: u16,
    /// A quarter turn.
    pub turn: u16,
}

/// Data of [`TurnAware`] per state.
#[derive(Clone, Copy, Debug, Default)]
pub struct StateNode<W: Width, L> {
    /// The cost of the path to the nearest goal, if `search` is the current one.
    g: W::Cost,
    search: u32,
    link: L,
}

impl<W: Width, L> Linked<L> for StateNode<W, L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn link(&mut self) -> &mut L {
        &mut self.link
    }
}

/// The four states of a cell, by heading.
pub type CellStates<W, L> = [StateNode<W, L>; 4];

/// A search that counts turns, for graphs with four moves.
///
/// ```
/// use planner_core::{prelude::*, queue::Buckets, search::{TurnAware, TurnCosts}};
///
/// const N: usize = maze_capacity(4, 4);
/// let search = TurnAware::<Array<N>, Bits16, Buckets<2>>::new();
/// let mut planner = Navigator::from_parts(WallMap::<Array<N>>::new(), search);
/// planner.search_mut().set_costs(TurnCosts { step: 2, turn: 3 });
/// let (start, goal) = (Cell::new(0, 3), Cell::new(3, 0));
/// planner.begin((4, 4), start, &[goal])?;
/// planner.search_mut().turn_to(Side::North);
///
/// let mut at = start;
/// let mut trail = vec![at];
/// while let Decision::Step(next) = planner.tick(at, Budget::limit(64))? {
///     trail.push(next);
///     at = next;
/// }
/// assert_eq!(trail[3], Cell::new(0, 0)); // straight on and a single turn
/// assert_eq!(at, goal);
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct TurnAware<S: Storage, W: Width, Q: Queue<W>, U = AsFree> {
    queue: Q,
    nodes: S::Of<Block<CellStates<W, Q::Link>>>,
    costs: TurnCosts,
    /// Those for the next time that the search begins.
    next_costs: TurnCosts,
    robot: (Cell, usize),
    /// The state of the robot in the last tick.
    robot_state: usize,
    goals: Goals,
    /// The number of the current search; zero before the first.
    search: u32,
    /// True if the result is out of date.
    is_stale: bool,
    queue_ops: u32,
    stats: Stats,
    revision: Revision,
    unknown: PhantomData<U>,
}

impl<W: Width, U, const N: usize, const WORDS: usize> TurnAware<Array<N>, W, Buckets<WORDS>, U> {
    /// A search in an array, all zero.
    #[must_use]
    pub const fn new() -> Self {
        Self::in_storage(Buckets::new(), [[[Self::NODE; 4]; BLOCK]; N])
    }
}

default_by_new!([W: Width, U, const N: usize, const WORDS: usize] TurnAware<Array<N>, W, Buckets<WORDS>, U>);

impl<S: Allocate, W: Width, Q: Queue<W>, U> TurnAware<S, W, Q, U> {
    /// A search with memory for so many [`blocks`](crate::storage::blocks).
    #[must_use]
    pub fn allocate(queue: Q, blocks: usize) -> Self {
        Self::in_storage(queue, S::allocate(blocks, [[Self::NODE; 4]; BLOCK]))
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U> TurnAware<S, W, Q, U> {
    /// A node before its first use: all zero.
    pub const NODE: StateNode<W, Q::Link> = StateNode {
        g: W::Cost::ZERO,
        search: 0,
        link: Q::NO_LINK,
    };

    /// A search in `nodes`.
    #[must_use]
    pub const fn in_storage(queue: Q, nodes: S::Of<Block<CellStates<W, Q::Link>>>) -> Self {
        const FREE_TURNS: TurnCosts = TurnCosts { step: 0, turn: 0 };
        Self {
            queue,
            nodes,
            costs: FREE_TURNS,
            next_costs: FREE_TURNS,
            robot: (Cell::new(0, 0), 0),
            robot_state: 0,
            goals: Goals::NONE,
            search: 0,
            is_stale: false,
            queue_ops: 0,
            stats: Stats::ZERO,
            revision: Revision::ZERO,
            unknown: PhantomData,
        }
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy> TurnAware<S, W, Q, U> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nodes(&self) -> &[StateNode<W, Q::Link>] {
        flat(&self.nodes).as_flattened()
    }

    /// Sets the costs of motion, which count from the next [`Search::begin`] on.
    pub fn set_costs(&mut self, costs: TurnCosts) {
        self.next_costs = costs;
    }

    /// Returns the cost of the path that the last tick found.
    pub fn cost(&self) -> Option<usize> {
        let g = self.g(self.robot_state);
        (g < infinity::<W>()).then_some(g)
    }

    /// Returns the heading of the robot, as inferred from its moves.
    pub fn heading(&self) -> Side {
        Side::ALL[self.robot.1 & 3]
    }

    /// Sets the heading of a robot that has turned on the spot.
    pub fn turn_to(&mut self, heading: Side) {
        self.robot.1 = heading as usize;
        self.robot_state = self.robot_state & !3 | self.robot.1;
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn g(&self, state: usize) -> usize {
        match self.nodes().get(state) {
            Some(node) if self.search > 0 && node.search == self.search => node.g.get(),
            _ => infinity::<W>(),
        }
    }

    fn begin_search(&mut self, graph: &impl Graph) {
        if self.search == u32::MAX {
            // Once in four billion searches, numbers begin again.
            flat_mut(&mut self.nodes).fill([Self::NODE; 4]);
            self.search = 0;
        }
        self.search += 1;
        self.is_stale = false;
        self.stats.searches += 1;
        let states = graph.grid().vertices() * 4;
        let nodes = flat_mut(&mut self.nodes).as_flattened_mut();
        self.queue.clear(nodes, states);
        let goals = self.goals;
        for vertex in goals.vertices(graph.grid()) {
            for heading in 0..4 {
                if graph.is_passable(vertex) {
                    self.reach(vertex * 4 + heading, 0);
                }
            }
        }
    }

    /// Lowers the cost of a state to `g`, if that is lower.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn reach(&mut self, state: usize, g: usize) {
        let nodes = flat_mut(&mut self.nodes).as_flattened_mut();
        let Some(node) = nodes.get_mut(state) else {
            return;
        };
        let is_new = node.search != self.search;
        if !is_new && node.g.get() <= g {
            return;
        }
        (node.g, node.search) = (W::Cost::new(g), self.search);
        if is_new {
            // Cannot be full: it holds as many entries as there are states.
            let _ = self.queue.insert(nodes, state, key::<Q>(g, g));
        } else {
            self.queue.rekey(nodes, state, key::<Q>(g, g));
        }
        self.queue_ops += 1;
    }

    /// Searches until the robot's state is done, as far as the budget goes; `false` when it ran out.
    fn run(&mut self, graph: &impl Graph, robot: usize, budget: Budget, work: &mut Work) -> bool {
        let mut remaining = Remaining::new(budget);
        let done = loop {
            let nodes = flat_mut(&mut self.nodes).as_flattened_mut();
            let Some((state, bound)) = self.queue.peek(nodes) else {
                break true;
            };
            let (g, g_robot) = (self.g(state), self.g(robot));
            if g_robot < infinity::<W>() && !Q::is_before(bound, Q::floor(g_robot)) {
                break true;
            }
            let nodes = flat_mut(&mut self.nodes).as_flattened_mut();
            if Q::is_before(bound, key::<Q>(g, g)) {
                if !remaining.requeue() {
                    break false;
                }
                self.queue.requeue(nodes, state, key::<Q>(g, g));
            } else if remaining.expand() {
                self.queue.pop(nodes, state);
                self.expand(graph, state, g);
            } else {
                break false;
            }
        };
        // Each of either kind pops an entry or moves it.
        self.queue_ops += remaining.record(work);
        done
    }

    /// Reaches the states from which one move leads to this one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn expand(&mut self, graph: &impl Graph, state: usize, g: usize) {
        let (vertex, heading) = (state / 4, state % 4);
        let turned = add::<W>(g, self.costs.turn.into());
        self.reach(vertex * 4 + (heading + 1) % 4, turned);
        self.reach(vertex * 4 + (heading + 3) % 4, turned);
        let back = opposite(heading);
        let behind = graph.grid().neighbor(vertex, back);
        if graph.moves(vertex).contains(back) && graph.is_passable(behind) {
            let ahead = graph.cost(heading, vertex) * usize::from(self.costs.step);
            self.reach(behind * 4 + heading, add::<W>(g, ahead));
        }
    }

    /// The robot's next cell on a path of least cost.
    fn next(&self, graph: &impl Graph) -> Option<Cell> {
        let (cell, heading) = self.robot;
        let vertex = graph.grid().vertex(cell).ok()?;
        let moves = graph.moves(vertex);
        let mut best = (infinity::<W>(), None);
        for quarter in [0, 1, 3, 2] {
            let m = (heading + quarter) % 4;
            let into = graph.grid().neighbor(vertex, m);
            if moves.contains(m) && graph.is_passable(into) {
                let turns = quarter.min(4 - quarter) * usize::from(self.costs.turn);
                let ahead = graph.cost(m, into) * usize::from(self.costs.step);
                let through = add::<W>(self.g(into * 4 + m), turns + ahead);
                if through < best.0 {
                    best = (through, Some(cell_after(cell, m)));
                }
            }
        }
        best.1
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy> Search for TurnAware<S, W, Q, U> {
    /// The robot faces south until [`TurnAware::turn_to`] says otherwise.
    fn begin<M: Map>(&mut self, map: &M, start: Cell, goals: &[Cell]) -> Result<(), BuildError> {
        const {
            assert!(
                <M::Graph<'_, U> as Graph>::MOVES == 4,
                "a heading is one of four"
            );
        }
        (self.goals, self.revision) = (Goals::NONE, Revision::of(map));
        let graph = map.view::<U>();
        self.costs = self.next_costs;
        self.costs.step = self.costs.step.max(1);
        let vertex = graph.grid().vertex(start)?;
        let goals = Goals::new(graph.grid(), goals)?;
        let states = graph.grid().vertices().saturating_mul(4);
        // On a path of least cost there are at most two turns in each cell.
        let dearest = usize::from(self.costs.step) + 2 * usize::from(self.costs.turn);
        let cells = graph.max_path_cost().saturating_add(1);
        let nodes = flat_mut(&mut self.nodes).as_flattened_mut();
        check_size::<W>(states, cells.saturating_mul(dearest), Q::HEADS, nodes.len())?;
        nodes.fill(Self::NODE);
        clear_queue::<W, Q, _>(&mut self.queue, nodes, states)?;
        (self.robot, self.robot_state) = ((start, 0), vertex * 4);
        self.goals = goals;
        (self.search, self.is_stale, self.queue_ops) = (0, true, 0);
        self.stats = Stats::ZERO;
        Ok(())
    }

    fn update<M: Map>(&mut self, _map: &M, change: Change) -> bool {
        self.revision.advance();
        let is_change = change.seen_as::<U>().is_some();
        self.is_stale |= is_change;
        is_change
    }

    fn tick<M: Map>(&mut self, map: &M, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.revision.check(map);
        let graph = &map.view::<U>();
        let vertex = graph.grid().vertex(at)?;
        let heading = move_between(self.robot.0, at).filter(|&m| m < 4);
        self.robot = (at, heading.unwrap_or(self.robot.1));
        self.robot_state = vertex * 4 + self.robot.1;
        if self.goals.contains(at) {
            self.stats.record(Work::ZERO);
            return Ok(Decision::Arrived);
        }
        let mut work = Work::ZERO;
        if self.is_stale {
            self.begin_search(graph);
        }
        let done =
            !graph.is_passable(vertex) || self.run(graph, self.robot_state, budget, &mut work);
        work.queue_ops = core::mem::take(&mut self.queue_ops);
        self.stats.record(work);
        Ok(match self.next(graph) {
            _ if !done => Decision::Wait,
            Some(next) if graph.is_passable(vertex) => Decision::Step(next),
            _ => Decision::Unreachable,
        })
    }

    fn set_goals<M: Map>(&mut self, map: &M, goals: &[Cell]) -> Result<(), GoalsError> {
        self.goals = Goals::new(map.view::<U>().grid(), goals)?;
        self.is_stale = true;
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<S: Storage, W: Width, Q: Queue<W>, U: UnknownPolicy> InspectSearch for TurnAware<S, W, Q, U> {
    fn is_expanded<M: Map>(&self, map: &M, cell: Cell) -> bool {
        match map.view::<U>().grid().vertex(cell) {
            Ok(vertex) => (0..4).any(|heading| self.g(vertex * 4 + heading) < infinity::<W>()),
            Err(_) => false,
        }
    }
}
