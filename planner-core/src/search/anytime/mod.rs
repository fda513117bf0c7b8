//! Anytime D* (Likhachev, Ferguson, Gordon, Stentz & Thrun 2005), interruptible at any point.
//!
//! Like D* Lite the search runs from the goal to the robot and repairs only what changed. Unlike it,
//! it first looks for a path that costs at most epsilon times as much as the shortest, which takes
//! far fewer expansions, and then improves it: with a lower epsilon and what it has found so far.
//! Each round is an *iteration*. CLOSED holds the vertices expanded in it; one of them that could be
//! improved once more waits in INCONS for the next iteration; all other inconsistent vertices are in
//! OPEN.
//!
//! # Policy
//!
//! - *Down*: a complete search that has expansions left goes on with a lower epsilon at once, so a
//!   tick without limits ends with a shortest path.
//! - *Up*: a tick that ends without a path after costs have changed makes epsilon larger for the next
//!   one. A new goal makes it as large as at the start.
//! - *Meanwhile*: while no cost changes, a robot that follows the path keeps it: the search never
//!   takes back a path that it has shown. See [`AnytimeDStar::epsilon`] for how good it is.
//!
//! # What differs from the paper's figure
//!
//! - When epsilon falls, keys are not recomputed all at once. `k_m` grows by what a key can lose at
//!   most: all keys in OPEN are then lower bounds of the true ones, as they are after a move of the
//!   robot, and are corrected when they come up. When the robot moves, `k_m` grows by *epsilon* times
//!   the estimate; when epsilon rises, keys only grow and nothing is to be done.
//! - INCONS is merged into OPEN a vertex at a time. Each such move, and each correction of a key, is a
//!   re-queue: counted, and paid from the budget. Changes can be taken in at any point.
//! - An under-consistent vertex is always in OPEN, never in INCONS, and a vertex only counts as closed
//!   while it keeps the `g` it was closed with. So robot and epsilon's rise need no new iteration:
//!   that the `g` of closed vertices is at most epsilon times too large depends on neither.
//! - The place that keys are made for, the *aim*, follows the robot only as fast as the search can
//!   bear, as in [`DStarLite`](super::DStarLite). Barred vertices and new goals are as there, too.

mod audit;
mod contract;
mod epsilon;
mod frontier;
mod improve;
mod keys;
mod lists;

pub use audit::AnytimeBroken;
pub use epsilon::Epsilon;
pub use frontier::AnytimeNode;

use self::{
    epsilon::ONE,
    frontier::Frontier,
    keys::{Aim, Keys, farthest, half_circle},
};
use crate::{
    BuildError, Cell,
    planner::Stats,
    queue::{Entry, Holds},
    terrain::{Terrain, estimate, step, step_cell},
    width::{Width, infinity},
};

/// Anytime D* over a terrain `T`, with OPEN and INCONS in entries of type `E`: `u64` for 16 bits,
/// `u128` for 32.
///
/// Memory is handed over: a node and an entry for each vertex. Its queue is a heap; where constant
/// time per operation matters more than an early path, use [`DStarLite`](super::DStarLite) with
/// buckets.
///
/// ```
/// use planner_core::{Budget, Cell, Decision, Planner, map::Unknown};
/// use planner_core::search::{AnytimeDStar, Epsilon};
/// use planner_core::terrain::{Cells, Eight, Coarse, NeverCut, Uniform};
/// use planner_core::width::Bits16;
///
/// type Ground<'m> = Cells<'m, Eight<NeverCut, Coarse>>;
/// type Search<'m> = AnytimeDStar<'m, Bits16, Ground<'m>, u64>;
///
/// const VERTICES: usize = Cells::vertices(33, 33);
/// let mut bits = [0; Cells::words(33, 33)];
/// let (mut nodes, mut entries) = ([Default::default(); VERTICES], [0; VERTICES]);
/// let terrain = Ground::new(33, 33, &mut bits, Unknown::AsFree, Uniform)?;
/// let (start, goal) = (Cell::new(0, 0), Cell::new(30, 20));
/// let schedule = Epsilon::DEFAULT;
/// let mut planner = Search::new(terrain, &mut entries, &mut nodes, start, goal, schedule)?;
///
/// let few = Budget::limit(32);
/// assert!(matches!(planner.tick(start, few)?, Decision::Step(_)));
/// assert_eq!(planner.epsilon(), Some(20)); // at most twice as long as need be
/// planner.tick(start, Budget::UNLIMITED)?;
/// assert_eq!(planner.epsilon(), Some(10)); // shortest
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AnytimeDStar<'m, W: Width, T, E> {
    terrain: T,
    frontier: Frontier<'m, W, E>,
    /// The robot's place.
    start: (usize, Cell),
    aim: Aim,
    /// More than any key less `k_m`.
    reach: usize,
    schedule: Epsilon,
    /// The path that the robot is on, if it has one: the best successor of its vertex, the best
    /// successor of that one and so on are not under-consistent and lead to the goal.
    path: Option<Proof>,
    repair: Repair,
    /// Whether the search is complete for `start`, with the epsilon it works with.
    settled: bool,
    /// Expansions less re-queues since keys were outdated or the search was complete, not below zero
    /// while keys may be outdated again.
    lead: i32,
    goal: usize,
    /// Whether the goal is barred: its node looks the same when it is open and not yet expanded.
    goal_barred: bool,
    /// Operations on the lists since the last tick ended.
    queue_ops: u32,
    stats: Stats,
}

/// What was known when a search was complete: a path from `at` to the goal, `distance` long, and that
/// none is shorter by more than a factor of `epsilon`.
#[derive(Clone, Copy, Debug)]
struct Proof {
    at: Cell,
    distance: usize,
    epsilon: u8,
}

/// Whether the search is behind the changes of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repair {
    /// It was complete after the last change.
    Done,
    /// Costs have changed since.
    Due,
    /// Costs have changed since, and a tick has ended without a path.
    Late,
}

impl<'m, W: Width, T: Terrain, E: Entry + Holds<W>> AnytimeDStar<'m, W, T, E> {
    /// Nodes, and entries, needed for this many vertices.
    #[must_use]
    pub const fn nodes(vertices: usize) -> usize {
        vertices
    }

    /// A planner that knows what `terrain` knows. Takes time in proportion to the map, once.
    ///
    /// The terrain's estimates must not fall as columns or rows grow apart.
    ///
    /// # Errors
    /// The map does not fit the width `W` or its costs the keys of `E`, memory is short, or `start`
    /// or `goal` is outside.
    pub fn new(
        terrain: T,
        entries: &'m mut [E],
        nodes: &'m mut [AnytimeNode<W>],
        start: Cell,
        goal: Cell,
        schedule: Epsilon,
    ) -> Result<Self, BuildError> {
        let vertices = super::check_fit::<W>(&terrain, 0, nodes.len())?;
        let given = entries.len();
        let (Some(nodes), Some(entries)) = (nodes.get_mut(..vertices), entries.get_mut(..vertices))
        else {
            return Err(BuildError::TooLittleMemory {
                needed: vertices,
                given,
            });
        };
        let start_vertex = terrain.grid().vertex(start)?;
        let goal = terrain.grid().vertex(goal)?;
        let (ceiling, reach) = span::<W, E>(&terrain, schedule)?;
        let longest_detour = terrain.longest().saturating_mul(schedule.most().into());
        let detours_fit = longest_detour <= ceiling.saturating_mul(ONE.into());
        for (vertex, node) in nodes.iter_mut().enumerate() {
            *node = if terrain.is_open(vertex) {
                AnytimeNode::unreached()
            } else {
                AnytimeNode::barred()
            };
        }
        let goal_barred = !terrain.is_open(goal);
        let mut planner = Self {
            terrain,
            frontier: Frontier::new(nodes, entries),
            start: (start_vertex, start),
            aim: Aim {
                at: start,
                epsilon: schedule.first(),
                k_m: 0,
                ceiling,
                detours_fit,
            },
            reach,
            schedule,
            path: None,
            repair: Repair::Done,
            settled: true,
            lead: 0,
            goal,
            goal_barred,
            queue_ops: 0,
            stats: Stats::default(),
        };
        planner.update_vertex(goal);
        Ok(planner)
    }

    /// The cost of the path that the last tick found or kept, from the robot to the goal. Walking it
    /// may turn out to cost less.
    pub fn distance(&self) -> Option<usize> {
        self.path.map(|_| self.frontier.values(self.start.0).1)
    }

    /// How many times as much as the shortest path the one of the last tick costs at most, in tenths:
    /// 10 says that it is shortest. `None` without a path, or when nothing is proven.
    ///
    /// The bound belongs to the place where the search was last complete. As the robot walks on while
    /// the search does not keep up, what is proven for the rest of its path grows weaker.
    pub fn epsilon(&self) -> Option<u32> {
        let proof = self.path?;
        let epsilon = u64::from(proof.epsilon);
        let tenths = |cost: usize| (cost as u64).saturating_mul(ONE.into());
        let walked = estimate(&self.terrain, proof.at, self.start.1) as u64;
        // No path from the old place is shorter than its distance by epsilon, and none from here is
        // shorter than that by more than what lies between.
        let least = tenths(proof.distance).checked_sub(epsilon.saturating_mul(walked))?;
        let bound = tenths(self.distance()?)
            .saturating_mul(epsilon)
            .checked_add(least.checked_sub(1)?)?
            .checked_div(least)?;
        u32::try_from(bound.max(epsilon)).ok()
    }

    /// The epsilon that the search under way works with, in tenths. With a path and time left it is
    /// below [`AnytimeDStar::epsilon`]; without a path it is what the next one will keep.
    pub fn target(&self) -> u32 {
        self.aim.epsilon.into()
    }

    /// The cells of the path, from the one after the robot's to the goal; none without a path. For
    /// pictures and tests: it takes time in proportion to the path.
    pub fn path(&self) -> impl Iterator<Item = Cell> {
        let start = self.path.map(|_| self.start);
        let next = |&(vertex, cell): &(usize, Cell)| match vertex == self.goal {
            true => None,
            false => self.best_from(vertex, cell),
        };
        core::iter::successors(start, next)
            .map(|(_, cell)| cell)
            .take(self.frontier.nodes.len())
            .skip(1)
    }

    /// The successor through which the way is shortest.
    fn best_from(&self, vertex: usize, cell: Cell) -> Option<(usize, Cell)> {
        let mut best = (infinity::<W>(), None);
        for (through, next) in self.ways_from(vertex, cell) {
            if through < best.0 {
                best = (through, Some(next));
            }
        }
        best.1
    }

    /// The successors of a vertex, each with the distance through it.
    fn ways_from(&self, vertex: usize, cell: Cell) -> impl Iterator<Item = (usize, (usize, Cell))> {
        let keys = Keys::new(&self.terrain, &self.aim);
        let moves = self.terrain.moves(vertex);
        (0..T::MOVES)
            .filter(move |&m| moves.contains(m))
            .map(move |m| {
                let into = step(&keys.grid, vertex, m);
                let (g, _) = self.frontier.values(into);
                let through = keys.add::<W>(g, self.terrain.cost(m, into));
                (through, (into, step_cell(cell, m)))
            })
    }

    /// Whether the search takes the vertex for barred; the map may know better since.
    fn is_barred(&self, vertex: usize) -> bool {
        self.frontier.values(vertex) == (infinity::<W>(), 0)
            && (vertex != self.goal || self.goal_barred)
    }

    /// Brings `rhs` and the lists up to date after costs around a vertex changed.
    fn update_vertex(&mut self, vertex: usize) {
        if !self.is_barred(vertex) {
            let keys = Keys::new(&self.terrain, &self.aim);
            let rhs = if vertex == self.goal {
                0
            } else {
                keys.look_ahead(self.frontier.nodes, vertex)
            };
            let (g, _) = self.frontier.values(vertex);
            let at = (vertex, keys.away(vertex));
            self.queue_ops += self.frontier.set(&keys, at, g, rhs);
        }
    }

    /// Bars or opens a vertex as the map says; `false` when it was so already.
    fn match_map(&mut self, vertex: usize) -> bool {
        let is_open = self.terrain.is_open(vertex);
        if is_open != self.is_barred(vertex) {
            return false;
        }
        if vertex == self.goal {
            self.goal_barred = !is_open;
        }
        let (g, rhs) = self.frontier.values(vertex);
        if is_open {
            let node = AnytimeNode::unreached();
            self.frontier.replace(vertex, node, false);
        } else {
            self.frontier
                .replace(vertex, AnytimeNode::barred(), g != rhs);
            self.queue_ops += u32::from(g != rhs);
        }
        true
    }

    /// Makes a vertex that was the goal one like others.
    fn leave_goal(&mut self, vertex: usize) {
        if self.frontier.values(vertex) == (infinity::<W>(), 0) {
            // Not yet expanded: out of its list, before its values are taken for those of a barred one.
            let node = AnytimeNode::unreached();
            self.frontier.replace(vertex, node, true);
            self.queue_ops += 1;
        }
        self.update_vertex(vertex);
    }

    /// Costs change: vertices that were closed may be farther from the goal than epsilon allows, and
    /// the path may lead nowhere.
    fn begin_repair(&mut self) {
        self.frontier.end_iteration();
        self.path = None;
        if self.repair == Repair::Done {
            self.repair = Repair::Due;
        }
    }

    /// Takes a complete search for what it is.
    fn record(&mut self) {
        let (_, rhs) = self.frontier.values(self.start.0);
        self.repair = Repair::Done;
        self.lead = self.lead.max(0);
        self.path = (rhs < infinity::<W>()).then_some(Proof {
            at: self.start.1,
            distance: rhs,
            epsilon: self.aim.epsilon,
        });
    }

    /// Begins the iteration with the next lower epsilon; `false` when there is none.
    fn lower_epsilon(&mut self) -> bool {
        let old = self.aim.epsilon;
        let next = self.schedule.lowered(old);
        let drop = old.saturating_sub(next);
        // Keys are outdated in any case, so let them be made for where the robot is.
        let moved = estimate(&self.terrain, self.aim.at, self.start.1);
        let lost = farthest(&self.terrain, self.start.1).wrapping_mul(drop.into());
        if drop == 0 || !self.outdate(moved.wrapping_mul(old.into()).wrapping_add(lost)) {
            return false;
        }
        self.aim.at = self.start.1;
        self.aim.epsilon = next;
        self.frontier.end_iteration();
        true
    }

    fn raise_epsilon(&mut self, to: u8) {
        if to > self.aim.epsilon {
            self.aim.epsilon = to;
            self.lead = 0;
        }
    }

    /// Makes the keys in OPEN lower bounds of ones that are up to `by` smaller than they were;
    /// `false`, and nothing is done, if they would come to lie too far apart to be compared.
    fn outdate(&mut self, by: usize) -> bool {
        let k_m = match self.frontier.lists.first() {
            Some(_) => self.aim.k_m.wrapping_add(by),
            None => 0,
        };
        let last = E::pack(k_m.wrapping_add(self.reach), 0);
        let comparable = match self.frontier.lists.first() {
            Some((_, first)) => first.is_before(last),
            None => true,
        };
        if comparable {
            self.aim.k_m = k_m;
            self.lead = 0;
        }
        comparable
    }
}

/// The largest finite cost and a bound of keys, such that keys can always be compared.
fn span<W: Width, E: Entry>(
    terrain: &impl Terrain,
    schedule: Epsilon,
) -> Result<(usize, usize), BuildError> {
    // Keys may lie apart by one span because costs differ, and by two more because some of them are
    // outdated by a move and by a lower epsilon at once.
    let room = half_circle::<E>() / 4;
    let most = farthest(terrain, Cell::new(0, 0)).saturating_mul(schedule.most().into());
    let ceiling =
        (room.saturating_sub(most).saturating_sub(1) / usize::from(ONE)).min(infinity::<W>() - 1);
    let longest = terrain.longest();
    if longest > ceiling {
        return Err(BuildError::TooCostly {
            longest,
            limit: ceiling,
        });
    }
    let reach = ceiling.wrapping_mul(ONE.into()).wrapping_add(most);
    Ok((ceiling, reach.wrapping_add(1)))
}
