//! Ways for a robot that has to turn: a state is a cell and a heading.
//!
//! For a robot that is fast on the straight and slow in turns the shortest way is not the quickest.
//! [`TurnAware`] is Dijkstra's algorithm from the goals over states, four for each cell, where a step
//! ahead and a quarter turn have costs of their own. It can be interrupted after any expansion, and a
//! robot that moves, wherever to, needs no new search: what was found holds for all states.

use super::{check_size, clear_queue};
use crate::{
    BuildError, Cell, Goals, GoalsError, ObserveError, OffMap, Side,
    budget::Meter,
    map::Occupancy,
    planner::{Budget, Decision, Inspect, Observation, Planner, Stats, Work},
    queue::{Linked, Queue, Rank},
    terrain::{Terrain, fact_at, opposite, step, step_cell, step_move},
    width::{Width, Word, add, infinity},
};

/// What moving costs, in units of the caller's choice, such as milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TurnCosts {
    /// A step to the next cell ahead; at least one.
    pub step: u16,
    /// A quarter turn.
    pub turn: u16,
}

/// What is kept of a state.
#[derive(Clone, Copy, Debug, Default)]
pub struct StateNode<W: Width, L> {
    /// The cost of the way to the nearest goal, if `search` is the current one.
    g: W::Cost,
    search: u32,
    link: L,
}

impl<W: Width, L> Linked<L> for StateNode<W, L> {
    #[inline(always)]
    fn link(&mut self) -> &mut L {
        &mut self.link
    }
}

/// A planner that counts turns, for terrains with four moves.
///
/// ```
/// use planner_core::{Budget, Cell, Decision, Observation, Planner, Side, map::{Occupancy, Unknown}};
/// use planner_core::{queue::Buckets, terrain::Walls, width::Bits16};
/// use planner_core::search::{TurnAware, TurnCosts};
///
/// type Search<'m> = TurnAware<'m, Bits16, Walls<'m>, Buckets<2>>;
/// let mut map = [0; Walls::words(4, 4)];
/// let mut nodes = [Default::default(); Search::nodes(Walls::vertices(4, 4))];
/// let maze = Walls::new(4, 4, &mut map, Unknown::AsFree)?;
/// let costs = TurnCosts { step: 2, turn: 3 };
/// let (start, goal) = (Cell::new(0, 3), Cell::new(3, 0));
/// let mut search =
///     Search::new(maze, Buckets::new(), &mut nodes, costs, (start, Side::North), goal)?;
///
/// let mut at = start;
/// let mut trail = vec![at];
/// while let Decision::Step(next) = search.tick(at, Budget::limit(64))? {
///     trail.push(next);
///     at = next;
/// }
/// assert_eq!(trail[3], Cell::new(0, 0)); // straight on and a single turn
/// assert_eq!(at, goal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TurnAware<'m, W: Width, T, Q: Queue<W>> {
    terrain: T,
    queue: Q,
    nodes: &'m mut [StateNode<W, Q::Link>],
    costs: TurnCosts,
    robot: (Cell, usize),
    goals: Goals,
    /// The number of the current search; zero before the first.
    search: u32,
    /// Whether what was found no longer holds.
    is_stale: bool,
    queue_ops: u32,
    stats: Stats,
}

impl<'m, W: Width, T: Terrain, Q: Queue<W>> TurnAware<'m, W, T, Q> {
    /// Nodes needed for this many vertices.
    #[must_use]
    pub const fn nodes(vertices: usize) -> usize {
        vertices.saturating_mul(4).saturating_add(Q::HEADS)
    }

    /// A planner that knows what `terrain` knows, for a robot at a cell with a heading. Takes time in
    /// proportion to the map, once.
    ///
    /// # Errors
    /// The map does not fit the width `W`, memory is short, or the robot or `goal` is outside.
    pub fn new(
        terrain: T,
        mut queue: Q,
        nodes: &'m mut [StateNode<W, Q::Link>],
        costs: TurnCosts,
        (at, heading): (Cell, Side),
        goal: Cell,
    ) -> Result<Self, BuildError> {
        const {
            assert!(T::MOVES == 4, "a heading is one of four");
        }
        let costs = TurnCosts {
            step: costs.step.max(1),
            ..costs
        };
        terrain.grid().vertex(at)?;
        terrain.grid().vertex(goal)?;
        let states = terrain.grid().vertices().saturating_mul(4);
        // On a shortest way there are at most two turns in each cell.
        let dearest = usize::from(costs.step) + 2 * usize::from(costs.turn);
        let longest = terrain.longest().saturating_add(1).saturating_mul(dearest);
        check_size::<W>(states, longest, Q::HEADS, nodes.len())?;
        nodes.fill(StateNode::default());
        clear_queue::<W, Q, _>(&mut queue, nodes, states)?;
        Ok(Self {
            terrain,
            queue,
            nodes,
            costs,
            robot: (at, heading as usize),
            goals: Goals::one(goal),
            search: 0,
            is_stale: true,
            queue_ops: 0,
            stats: Stats::default(),
        })
    }

    /// The cost of the way that the last tick found.
    pub fn cost(&self) -> Option<usize> {
        let g = self.g(self.state(self.robot.0, self.robot.1)?);
        (g < infinity::<W>()).then_some(g)
    }

    /// Where the robot is heading, as far as its moves tell.
    pub fn heading(&self) -> Side {
        [Side::South, Side::West, Side::North, Side::East][self.robot.1 & 3]
    }

    /// Tells where the robot is heading, when it has turned on the spot.
    pub fn turn_to(&mut self, heading: Side) {
        self.robot.1 = heading as usize;
    }

    /// The state of a robot at a cell, heading along a move.
    fn state(&self, cell: Cell, heading: usize) -> Option<usize> {
        let vertex = self.terrain.grid().vertex(cell).ok()?;
        Some(vertex * 4 + heading)
    }

    #[inline(always)]
    fn g(&self, state: usize) -> usize {
        match self.nodes.get(state) {
            Some(node) if self.search > 0 && node.search == self.search => node.g.get(),
            _ => infinity::<W>(),
        }
    }

    #[inline(always)]
    fn key(g: usize) -> Q::Key {
        Q::key(Rank {
            f: g,
            g,
            under: false,
        })
    }

    fn begin(&mut self) {
        if self.search == u32::MAX {
            // Once in four billion searches, numbers begin again.
            self.nodes.fill(StateNode::default());
            self.search = 0;
        }
        self.search += 1;
        self.is_stale = false;
        self.stats.searches += 1;
        let grid = *self.terrain.grid();
        self.queue.clear(self.nodes, grid.vertices() * 4);
        let goals = self.goals.clone();
        for vertex in goals.vertices(&grid) {
            for heading in 0..4 {
                if self.terrain.is_open(vertex) {
                    self.reach(vertex * 4 + heading, 0);
                }
            }
        }
    }

    /// A way of cost `g` leads from a state to a goal.
    #[inline(always)]
    fn reach(&mut self, state: usize, g: usize) {
        let Some(node) = self.nodes.get_mut(state) else {
            return;
        };
        let is_new = node.search != self.search;
        if !is_new && node.g.get() <= g {
            return;
        }
        (node.g, node.search) = (W::Cost::new(g), self.search);
        if is_new {
            // Cannot be full: it holds as many entries as there are states.
            let _ = self.queue.insert(self.nodes, state, Self::key(g));
        } else {
            self.queue.rekey(self.nodes, state, Self::key(g));
        }
        self.queue_ops += 1;
    }

    /// Searches until the robot's state is done, as far as the budget goes; `false` when it ran out.
    fn run(&mut self, robot: usize, budget: Budget, work: &mut Work) -> bool {
        let mut meter = Meter::new(budget);
        let done = self.spend(robot, &mut meter);
        // Each of either kind pops an entry or moves it.
        self.queue_ops += meter.book(work);
        done
    }

    #[inline(always)]
    fn spend(&mut self, robot: usize, meter: &mut Meter) -> bool {
        while let Some((state, bound)) = self.queue.peek(self.nodes) {
            let g_robot = self.g(robot);
            if g_robot < infinity::<W>() && !Q::is_before(bound, Q::floor(g_robot)) {
                break;
            }
            let g = self.g(state);
            if Q::is_before(bound, Self::key(g)) {
                if !meter.requeue() {
                    return false;
                }
                self.queue.requeue(self.nodes, state, Self::key(g));
                continue;
            }
            if !meter.expand() {
                return false;
            }
            self.queue.pop(self.nodes, state);
            self.expand(state, g);
        }
        true
    }

    /// Reaches the states from which one move leads to this one.
    #[inline(always)]
    fn expand(&mut self, state: usize, g: usize) {
        let (vertex, heading) = (state / 4, state % 4);
        let turned = add::<W>(g, self.costs.turn.into());
        self.reach(vertex * 4 + (heading + 1) % 4, turned);
        self.reach(vertex * 4 + (heading + 3) % 4, turned);
        let back = opposite(heading);
        let behind = step(self.terrain.grid(), vertex, back);
        if self.terrain.moves(vertex).contains(back) && self.terrain.is_open(behind) {
            let ahead = self.terrain.cost(heading, vertex) * usize::from(self.costs.step);
            self.reach(behind * 4 + heading, add::<W>(g, ahead));
        }
    }

    /// The way on from the robot's state: turns as cheap as any, then a step ahead.
    fn next(&self) -> Option<Cell> {
        let (cell, heading) = self.robot;
        let vertex = self.terrain.grid().vertex(cell).ok()?;
        let moves = self.terrain.moves(vertex);
        let mut best = (infinity::<W>(), None);
        for quarter in [0, 1, 3, 2] {
            let m = (heading + quarter) % 4;
            let into = step(self.terrain.grid(), vertex, m);
            if moves.contains(m) && self.terrain.is_open(into) {
                let turns = quarter.min(4 - quarter) * usize::from(self.costs.turn);
                let ahead = self.terrain.cost(m, into) * usize::from(self.costs.step);
                let through = add::<W>(self.g(into * 4 + m), turns + ahead);
                if through < best.0 {
                    best = (through, Some(step_cell(cell, m)));
                }
            }
        }
        best.1
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>> Planner for TurnAware<'_, W, T, Q> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let changed = self.terrain.observe(seen)?.is_some();
        self.is_stale |= changed;
        Ok(changed)
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        let vertex = self.terrain.grid().vertex(at)?;
        let heading = step_move(self.robot.0, at).filter(|&m| m < 4);
        self.robot = (at, heading.unwrap_or(self.robot.1));
        if self.goals.contains(at) {
            self.stats.book(Work::default());
            return Ok(Decision::Arrived);
        }
        let mut work = Work::default();
        if self.is_stale {
            self.begin();
        }
        let done =
            !self.terrain.is_open(vertex) || self.run(vertex * 4 + self.robot.1, budget, &mut work);
        work.queue_ops = core::mem::take(&mut self.queue_ops);
        self.stats.book(work);
        Ok(match self.next() {
            _ if !done => Decision::Wait,
            Some(next) if self.terrain.is_open(vertex) => Decision::Step(next),
            _ => Decision::Unreachable,
        })
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.goals = Goals::new(self.terrain.grid(), goals)?;
        self.is_stale = true;
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>> Inspect for TurnAware<'_, W, T, Q> {
    fn fact(&self, cell: Cell) -> Occupancy {
        fact_at(&self.terrain, cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        (0..4).any(|heading| match self.state(cell, heading) {
            Some(state) => self.g(state) < infinity::<W>(),
            None => false,
        })
    }
}
