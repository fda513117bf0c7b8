//! D* Lite (Koenig & Likhachev), with a heap or with the buckets of Likhachev & Koenig (2006).
//!
//! The search runs from the goal, which stays, to the robot, which moves. It keeps two estimates of
//! the distance from each vertex to the goal, `g` and the one-step look-ahead `rhs`, and a queue of
//! exactly the vertices where the two differ. When a cost changes, only what depends on it is
//! searched again.
//!
//! Four things differ from the papers' figures, none of them the result:
//!
//! - Keys are made for an *aim*, which moves to the robot's place when there is something to search,
//!   and `k_m` follows every move of the aim, whether or not costs changed. So a search that was
//!   interrupted by its budget stays correct, and a winding walk to a near place outdates few keys.
//! - While a search is interrupted, the aim moves only as long as the re-queues this costs are matched
//!   by expansions: a robot that paces to and fro would otherwise outdate all keys faster than a
//!   small budget can renew them, and the search would never end. Any consistent heuristic will do
//!   for correctness; an aim behind the robot is only a little less focused.
//! - A closed vertex is marked in its own node by a pair no open one can have, `g` infinite and `rhs`
//!   zero: neighbours read an infinite `g`, and no update can lower its `rhs`. The inner loop
//!   therefore never asks the map whether a cell is blocked. Borders and bucket heads look the same.
//! - Another goal is a change of two costs, as if every possible goal had an edge to one true root: the
//!   old goal's becomes infinite, the new one's zero. Nothing is cleared. Several goals are several
//!   edges.

mod inflation;
mod inspect;
mod repair;

pub use self::inflation::{Exact, Inflation};
use self::repair::{Aim, Tally, compute_shortest_path, set, values};
use crate::{
    BuildError, Cell, CellValues, Goals, GoalsError, ObserveError, OffMap,
    budget::Meter,
    map::Occupancy,
    planner::{Budget, Decision, Inspect, Observation, Planner, Stats, Work},
    queue::{Linked, Queue},
    search::global::{GlobalSearch, Progress},
    terrain::{Change, Terrain, estimate, fact_at, opposite, step, step_cell},
    width::{Width, Word, infinity, sum},
};

/// What D* Lite keeps of a vertex: 8 bytes with buckets and [`Bits16`](crate::width::Bits16).
#[derive(Clone, Copy, Debug, Default)]
pub struct DStarLiteNode<W: Width, L, S = ()> {
    g: W::Cost,
    rhs: W::Cost,
    link: L,
    /// Of Anytime D*; D* Lite needs none.
    pub(super) stamp: S,
}

impl<W: Width, L, S> Linked<L> for DStarLiteNode<W, L, S> {
    #[inline(always)]
    fn link(&mut self) -> &mut L {
        &mut self.link
    }
}

impl<W: Width, L: Default, S: Default> DStarLiteNode<W, L, S> {
    /// A vertex never reached.
    fn unreached() -> Self {
        Self {
            g: W::Cost::new(infinity::<W>()),
            rhs: W::Cost::new(infinity::<W>()),
            link: L::default(),
            stamp: S::default(),
        }
    }

    /// A vertex that may not be entered.
    fn closed() -> Self {
        Self {
            rhs: W::Cost::new(0),
            ..Self::unreached()
        }
    }
}

/// An invariant of D* Lite that does not hold, at a vertex: a mistake in the planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The search takes a vertex for open that is closed in the map, or the other way round.
    Map(usize),
    /// `rhs` is not the best of the successors' `g` plus the cost of the step.
    Rhs(usize),
    /// The queue does not hold exactly the inconsistent vertices.
    Queue {
        /// Inconsistent vertices.
        inconsistent: usize,
        /// Entries.
        queued: usize,
    },
    /// The queue has an inconsistent vertex later than where its key belongs, or not at all.
    Key(usize),
}

/// D* Lite over a terrain `T` and a queue `Q`.
///
/// Memory is handed over: a node for each vertex and each of the queue's heads. `I` is how the estimate
/// counts in keys: as it is, but in [`AnytimeDStar`](super::AnytimeDStar).
///
/// ```
/// use planner_core::{Budget, Cell, Decision, Planner, map::Unknown};
/// use planner_core::queue::Buckets;
/// use planner_core::search::DStarLite;
/// use planner_core::terrain::{Cells, Four, Uniform};
/// use planner_core::width::Bits16;
///
/// type Search<'m> = DStarLite<'m, Bits16, Cells<'m, Four>, Buckets<4>>;
///
/// let mut bits = [0; Cells::<Four>::words(33, 33)];
/// let mut nodes = [Default::default(); Search::nodes(Cells::<Four>::vertices(33, 33))];
/// let terrain = Cells::new(33, 33, &mut bits, Unknown::AsFree, Uniform)?;
/// let (start, goal) = (Cell::new(0, 0), Cell::new(2, 0));
/// let mut planner = Search::new(terrain, Buckets::new(), &mut nodes, start, goal)?;
/// assert_eq!(planner.tick(start, Budget::UNLIMITED), Ok(Decision::Step(Cell::new(1, 0))));
/// # Ok::<(), planner_core::BuildError>(())
/// ```
#[derive(Debug)]
pub struct DStarLite<'m, W: Width, T, Q: Queue<W>, I: Inflation<W> = Exact> {
    terrain: T,
    queue: Q,
    pub(super) nodes: &'m mut [DStarLiteNode<W, Q::Link, I::Stamp>],
    pub(super) inflation: I,
    /// The robot's place.
    pub(super) start: (usize, Cell),
    /// The place that keys are made for: the robot's, or where it was.
    aim: Cell,
    pub(super) k_m: usize,
    /// Whether the way from `start` is known.
    pub(super) settled: bool,
    /// Expansions less re-queues since the aim moved, not below zero while it may move again.
    pub(super) lead: i32,
    goals: Goals,
    /// Which goals are closed: the node of one looks the same when it is open and not yet expanded.
    closed_goals: u16,
    /// Since the last tick ended.
    pub(super) tally: Tally,
    pub(super) stats: Stats,
}

impl<'m, W: Width, T: Terrain, Q: Queue<W>> DStarLite<'m, W, T, Q> {
    /// A node before its first use, for memory that is a constant.
    pub const NODE: DStarLiteNode<W, Q::Link> = DStarLiteNode {
        g: W::Cost::ZERO,
        rhs: W::Cost::ZERO,
        link: Q::NO_LINK,
        stamp: (),
    };

    /// Nodes needed for this many vertices.
    #[must_use]
    pub const fn nodes(vertices: usize) -> usize {
        vertices.saturating_add(Q::HEADS)
    }

    /// A planner that knows what `terrain` knows. Takes time in proportion to the map, once.
    ///
    /// # Errors
    /// The map does not fit the width `W`, memory is short, or `start` or `goal` is outside.
    pub fn new(
        terrain: T,
        queue: Q,
        nodes: &'m mut [DStarLiteNode<W, Q::Link>],
        start: Cell,
        goal: Cell,
    ) -> Result<Self, BuildError> {
        Self::inflated(terrain, queue, nodes, start, goal, Exact)
    }
}

impl<'m, W: Width, T: Terrain, Q: Queue<W>, I: Inflation<W>> DStarLite<'m, W, T, Q, I> {
    /// Like [`DStarLite::new`], with keys of another kind.
    pub(super) fn inflated(
        terrain: T,
        mut queue: Q,
        nodes: &'m mut [DStarLiteNode<W, Q::Link, I::Stamp>],
        start: Cell,
        goal: Cell,
        inflation: I,
    ) -> Result<Self, BuildError> {
        let vertices = super::check_fit::<W>(&terrain, Q::HEADS, nodes.len())?;
        let start_vertex = terrain.grid().vertex(start)?;
        let goal_vertex = terrain.grid().vertex(goal)?;
        for (vertex, node) in nodes.iter_mut().enumerate() {
            *node = if terrain.is_open(vertex) {
                DStarLiteNode::unreached()
            } else {
                DStarLiteNode::closed()
            };
        }
        super::clear_queue::<W, Q, _>(&mut queue, nodes, vertices)?;
        let closed_goals = u16::from(!terrain.is_open(goal_vertex));
        let mut planner = Self {
            terrain,
            queue,
            nodes,
            inflation,
            start: (start_vertex, start),
            aim: start,
            k_m: 0,
            settled: true,
            lead: 0,
            goals: Goals::one(goal),
            closed_goals,
            tally: Tally::default(),
            stats: Stats::default(),
        };
        planner.enter_goal(goal_vertex);
        Ok(planner)
    }

    /// The cost of the way from where the last tick was to the goal, if that tick found one.
    pub fn distance(&self) -> Option<usize> {
        let (_, rhs) = self.values(self.start.0);
        (!self.is_closed(self.start.0) && rhs < infinity::<W>()).then_some(rhs)
    }

    #[inline(always)]
    pub(super) fn values(&self, vertex: usize) -> (usize, usize) {
        values(self.nodes, vertex)
    }

    /// Whether the search takes the vertex for closed; the map may know better since.
    pub(super) fn is_closed(&self, vertex: usize) -> bool {
        let is_closed_goal = |place: usize| self.closed_goals >> place & 1 != 0;
        self.values(vertex) == (infinity::<W>(), 0) && self.goal(vertex).is_none_or(is_closed_goal)
    }

    /// Which goal a vertex is.
    #[inline(always)]
    fn goal(&self, vertex: usize) -> Option<usize> {
        self.goals.place(self.terrain.grid(), vertex)
    }

    /// Lines 07-09: brings `rhs` and the queue up to date after costs around a vertex changed. A goal and
    /// a closed vertex, whose `rhs` is zero, stay what they are.
    fn update_vertex(&mut self, vertex: usize) {
        if self.values(vertex).1 > 0 {
            self.look_again(vertex);
        }
    }

    /// Makes the `rhs` of an open vertex what its successors say.
    fn look_again(&mut self, vertex: usize) {
        let aim = Aim::new(&self.terrain, &self.inflation, self.aim, self.k_m);
        let rhs = aim.look_ahead(self.nodes, vertex);
        self.set_rhs(vertex, rhs);
    }

    #[inline(always)]
    fn set_rhs(&mut self, vertex: usize, rhs: usize) {
        let aim = Aim::new(&self.terrain, &self.inflation, self.aim, self.k_m);
        let (g, _) = values(self.nodes, vertex);
        let at = (vertex, aim.estimate(aim.away(vertex)));
        let (queue, tally) = (&mut self.queue, &mut self.tally);
        set(&aim, queue, self.nodes, at, (g, rhs), tally);
    }

    /// Whether the way from the robot is known already, as on a path on which nothing changed.
    pub(super) fn is_done(&mut self) -> bool {
        let aim = Aim::new(&self.terrain, &self.inflation, self.aim, self.k_m);
        match self.queue.peek(self.nodes) {
            Some((_, first)) => aim.end::<W, Q>(self.nodes, self.start).is_before(first),
            None => true,
        }
    }

    /// Lines 30-31: aims at the robot. Keys made for the old aim are now lower bounds.
    fn follow(&mut self) {
        if self.settled || self.lead >= 0 {
            self.aim_at_robot();
        }
    }

    pub(super) fn aim_at_robot(&mut self) {
        let distance = estimate(&self.terrain, self.aim, self.start.1);
        self.k_m = self.k_m.wrapping_add(self.inflation.f(0, distance, false));
        self.aim = self.start.1;
        self.lead = 0;
    }

    /// Searches until the way from the robot is known, or the budget is used up: `false`.
    pub(super) fn search(&mut self, meter: &mut Meter, work: &mut Work) -> bool {
        let before = *work;
        let aim = Aim::new(&self.terrain, &self.inflation, self.aim, self.k_m);
        let (queue, nodes) = (&mut self.queue, &mut *self.nodes);
        let (done, tally) = compute_shortest_path(aim, queue, nodes, self.start, meter, work);
        let expanded = work.expansions.wrapping_sub(before.expansions);
        let requeued = work.requeues.wrapping_sub(before.requeues);
        self.lead = self
            .lead
            .saturating_add_unsigned(expanded)
            .saturating_sub_unsigned(requeued);
        self.tally.queue_ops += tally.queue_ops;
        self.tally.aside |= tally.aside;
        done
    }

    /// Books the queue operations since this was last done.
    pub(super) fn book_queue_ops(&mut self, work: &mut Work) {
        let queue_ops = core::mem::take(&mut self.tally.queue_ops);
        work.queue_ops = work.queue_ops.saturating_add(queue_ops);
    }

    /// Closes or opens a vertex as the map says; `false` when it was so already.
    fn match_map(&mut self, vertex: usize) -> bool {
        let is_open = self.terrain.is_open(vertex);
        if is_open != self.is_closed(vertex) {
            return false;
        }
        let (g, rhs) = self.values(vertex);
        if !is_open && g != rhs {
            self.queue.remove(self.nodes, vertex);
            self.tally.queue_ops += 1;
        }
        self.replace(
            vertex,
            if is_open {
                DStarLiteNode::unreached()
            } else {
                DStarLiteNode::closed()
            },
        );
        if let Some(place) = self.goal(vertex) {
            self.closed_goals ^= 1 << place;
            self.enter_goal(vertex);
        }
        true
    }

    fn replace(&mut self, vertex: usize, node: DStarLiteNode<W, Q::Link, I::Stamp>) {
        if let Some(kept) = self.nodes.get_mut(vertex) {
            *kept = node;
        }
    }

    /// Makes a vertex a goal, unless it is closed.
    fn enter_goal(&mut self, vertex: usize) {
        if !self.is_closed(vertex) {
            self.set_rhs(vertex, 0);
        }
    }

    /// Makes an open vertex that was a goal one like others.
    fn leave_goal(&mut self, vertex: usize) {
        let (g, rhs) = self.values(vertex);
        if g == infinity::<W>() && rhs == 0 {
            // Open and not yet expanded: out of the queue, before its values are taken for closed.
            self.queue.remove(self.nodes, vertex);
            self.tally.queue_ops += 1;
            self.replace(vertex, DStarLiteNode::unreached());
        }
        self.look_again(vertex);
    }

    /// Line 26: the first successor through which the way from a vertex, not a goal, is as short as its
    /// `rhs` says.
    pub(super) fn best_from(&self, vertex: usize, cell: Cell) -> Option<(usize, Cell)> {
        let (moves, (_, rhs)) = (self.terrain.moves(vertex), self.values(vertex));
        for m in 0..T::MOVES {
            let into = step(self.terrain.grid(), vertex, m);
            let through = sum::<W>(self.values(into).0, self.terrain.cost(m, into));
            if through == rhs && rhs < infinity::<W>() && moves.contains(m) {
                return Some((into, step_cell(cell, m)));
            }
        }
        None
    }

    /// The way between two vertices beside each other was just barred or opened. Which of them relied
    /// on the other, or now could, looks again. To be told before the search goes on.
    #[inline(never)] // most of what is seen changes nothing, and is over sooner without this
    fn edge_changed(&mut self, a: usize, b: usize) {
        for (from, into) in [(a, b), (b, a)] {
            if self.values(into).0 < self.values(from).1 {
                self.update_vertex(from);
            }
        }
    }

    /// Checks the invariants that D* Lite's proof rests on, for a search that is up to date with its
    /// map: `rhs` is the best of the successors, the queue holds exactly the vertices where it differs
    /// from `g`, and none of them later than its key says. For tests: it visits the whole map.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn audit(&self) -> Result<(), Broken> {
        let aim = Aim::new(&self.terrain, &self.inflation, self.aim, self.k_m);
        let mut inconsistent = 0;
        for vertex in 0..self.terrain.grid().vertices() {
            let (g, rhs) = self.values(vertex);
            let is_open = self.terrain.is_open(vertex);
            if is_open == self.is_closed(vertex) {
                return Err(Broken::Map(vertex));
            }
            let expected = if !is_open || self.goal(vertex).is_some() {
                0
            } else {
                aim.look_ahead(self.nodes, vertex)
            };
            if rhs != expected {
                return Err(Broken::Rhs(vertex));
            }
            if is_open && g != rhs {
                inconsistent += 1;
                self.audit_key(&aim, vertex)?;
            }
        }
        let link = |id: usize| self.nodes.get(id).map(|node| node.link);
        let queued = self.queue.count(link);
        if queued != inconsistent {
            return Err(Broken::Queue {
                inconsistent,
                queued,
            });
        }
        Ok(())
    }

    /// Checks that the queue has an inconsistent vertex, and not later than its key. The key is that
    /// for the aim: the one for the robot, once it is aimed at, is not before it.
    fn audit_key(&self, aim: &Aim<'_, T, I>, vertex: usize) -> Result<(), Broken> {
        let link = |id: usize| self.nodes.get(id).map(|node| node.link);
        let (Some(node), Some(bound)) = (self.nodes.get(vertex), self.queue.bound(link, vertex))
        else {
            return Err(Broken::Key(vertex));
        };
        let h = aim.estimate(aim.away(vertex));
        let (key, _) = aim.key::<W, Q>(h, self.values(vertex), node.stamp);
        match Q::is_before(key, bound) {
            true => Err(Broken::Key(vertex)),
            false => Ok(()),
        }
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>, I: Inflation<W>> GlobalSearch
    for DStarLite<'_, W, T, Q, I>
{
    type Terrain = T;

    fn terrain(&self) -> &T {
        &self.terrain
    }

    fn note(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError> {
        self.terrain.observe(seen)
    }

    fn reconcile(&mut self, vertex: usize) {
        self.match_map(vertex);
        self.update_vertex(vertex);
        // The edges to the vertex changed, and with a corner rule those between its neighbours.
        for m in 0..T::MOVES {
            self.update_vertex(step(self.terrain.grid(), vertex, m));
        }
    }

    /// Lines 32-34, for what depends on the change.
    fn apply(&mut self, change: Change) {
        match change {
            Change::Edge(a, b, _) => {
                self.update_vertex(a);
                self.update_vertex(b);
            }
            // It may have been opened and closed several times since: the map knows what it is now.
            Change::Closed(vertex) | Change::Opened(vertex) if !T::CORNERS => {
                let (g, _) = self.values(vertex);
                if !self.match_map(vertex) {
                    return;
                }
                self.update_vertex(vertex);
                for m in 0..T::MOVES {
                    let from = step(self.terrain.grid(), vertex, m);
                    let through = sum::<W>(g, self.terrain.cost(opposite(m), vertex));
                    if g < infinity::<W>() && self.values(from).1 == through {
                        self.update_vertex(from);
                    }
                }
            }
            Change::Closed(vertex) | Change::Opened(vertex) | Change::Weighed(vertex, _) => {
                self.reconcile(vertex);
            }
        }
    }

    fn refresh(&mut self, vertex: usize) {
        if self.match_map(vertex) {
            self.reconcile(vertex);
        } else {
            self.update_vertex(vertex);
        }
    }

    fn move_to(&mut self, at: Cell) -> Result<(), OffMap> {
        self.start = (self.terrain.grid().vertex(at)?, at);
        Ok(())
    }

    fn advance(&mut self, budget: Budget, work: &mut Work) -> Progress {
        self.settled = self.is_closed(self.start.0) || self.is_done() || {
            self.follow();
            self.search(&mut Meter::new(budget), work)
        };
        self.book_queue_ops(work);
        match self.settled {
            false => Progress::Searching,
            true if self.is_closed(self.start.0) => Progress::NoPath,
            true => {
                let next = self.best_from(self.start.0, self.start.1);
                next.map_or(Progress::NoPath, |(_, cell)| Progress::Path(cell))
            }
        }
    }

    fn change_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        let goals = Goals::new(self.terrain.grid(), goals)?;
        let grid = *self.terrain.grid();
        let closed = |vertex| u16::from(self.is_closed(vertex));
        let closed_goals = goals
            .vertices(&grid)
            .enumerate()
            .fold(0, |set, (place, vertex)| set | closed(vertex) << place);
        let old = core::mem::replace(&mut self.goals, goals.clone());
        // As no longer a goal, a closed one is told by its values.
        let was_closed = core::mem::replace(&mut self.closed_goals, closed_goals);
        for (place, vertex) in old.vertices(&grid).enumerate() {
            if was_closed >> place & 1 == 0 && goals.place(&grid, vertex).is_none() {
                self.leave_goal(vertex);
            }
        }
        for vertex in goals.vertices(&grid) {
            if old.place(&grid, vertex).is_none() {
                self.enter_goal(vertex);
            }
        }
        self.settled &= old == goals;
        Ok(())
    }

    fn goals(&self) -> &Goals {
        &self.goals
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>> Planner for DStarLite<'_, W, T, Q> {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        match self.note(seen)? {
            None => return Ok(false),
            Some(Change::Edge(a, b, _)) => self.edge_changed(a, b),
            Some(change) => self.apply(change),
        }
        Ok(true)
    }

    fn tick(&mut self, at: Cell, budget: Budget) -> Result<Decision, OffMap> {
        self.move_to(at)?;
        // The `rhs` of goals, and of no other open vertex, is zero.
        if self.values(self.start.0).1 == 0 && self.goals.contains(at) {
            self.stats.book(Work::default());
            return Ok(Decision::Arrived);
        }
        let mut work = Work::default();
        let progress = self.advance(budget, &mut work);
        self.stats.searches += u32::from(work.expansions > 0);
        self.stats.book(work);
        Ok(progress.into())
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.change_goals(goals)
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>, I: Inflation<W>> Inspect for DStarLite<'_, W, T, Q, I> {
    fn fact(&self, cell: Cell) -> Occupancy {
        fact_at(&self.terrain, cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        match self.terrain.grid().vertex(cell) {
            Ok(vertex) => self.values(vertex).0 < infinity::<W>(),
            Err(_) => false,
        }
    }

    fn values(&self, cell: Cell) -> CellValues {
        self.values_at(cell)
    }

    fn after(&self, cell: Cell) -> Option<Cell> {
        self.after_cell(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        map::Unknown,
        queue::Buckets,
        terrain::{Cells, Four, Uniform},
        width::Bits16,
    };

    /// Along a corridor each cell that is expanded was inserted and taken out, and lets one more in.
    #[test]
    fn every_operation_on_the_queue_is_counted() {
        type Search<'m> = DStarLite<'m, Bits16, Cells<'m, Four>, Buckets<4>>;
        let mut bits = [0; Cells::<Four>::words(9, 1)];
        let mut nodes = [Search::NODE; Search::nodes(Cells::<Four>::vertices(9, 1))];
        let terrain = Cells::new(9, 1, &mut bits, Unknown::AsFree, Uniform).unwrap();
        let (start, goal) = (Cell::new(0, 0), Cell::new(8, 0));
        let mut planner = Search::new(terrain, Buckets::new(), &mut nodes, start, goal).unwrap();
        planner.tick(start, Budget::UNLIMITED).unwrap();
        let work = planner.stats().tick;
        assert_eq!((work.expansions, work.requeues), (8, 0));
        assert_eq!(work.queue_ops, 2 * work.expansions + 1);
    }
}
