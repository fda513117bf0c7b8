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
//! - *Down*: a complete search that has expansions left goes on with a lower epsilon, as soon as the
//!   re-queues which that will cost are no more than were left over, in this tick and since costs last
//!   changed. So a tick without limits ends with a shortest path; and where changes come faster than
//!   keys can be renewed, epsilon stays where it is, and the search ready for the next change.
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
//! - The place that keys are made for, the *aim*, follows the robot only when there is something to
//!   search, and as fast as the search can bear, as in [`DStarLite`](super::DStarLite). Barred
//!   vertices and new goals are as there, too.

mod audit;
mod contract;
mod epsilon;
mod frontier;
mod improve;
mod keys;
mod lists;
mod pace;
mod path;
mod update;

pub use audit::AnytimeBroken;
pub use epsilon::Epsilon;
pub use frontier::AnytimeNode;

use self::{epsilon::ONE, frontier::Frontier, keys::Aim, pace::Repair, path::Proof};
use crate::{
    BuildError, Cell,
    planner::Stats,
    queue::{Entry, Holds},
    terrain::Terrain,
    width::Width,
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
    /// Expansions less re-queues since keys were outdated or the search was complete, not below zero
    /// while keys may be outdated again.
    lead: i32,
    /// Re-queues that were allowed and not needed since costs last changed.
    credit: u32,
    goal: usize,
    /// Whether the goal is barred: its node looks the same when it is open and not yet expanded.
    goal_barred: bool,
    /// Operations on the lists since the last tick ended.
    queue_ops: u32,
    stats: Stats,
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
        let (ceiling, reach) = pace::span::<W, E>(&terrain, schedule)?;
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
            lead: 0,
            credit: 0,
            goal,
            goal_barred,
            queue_ops: 0,
            stats: Stats::default(),
        };
        planner.update_vertex(goal);
        Ok(planner)
    }

    /// The epsilon that the search under way works with, in tenths. With a path and time left it is
    /// below [`AnytimeDStar::epsilon`]; without a path it is what the next one will keep.
    pub fn target(&self) -> u32 {
        self.aim.epsilon.into()
    }
}
