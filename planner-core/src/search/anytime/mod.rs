//! Anytime D* (Likhachev, Ferguson, Gordon, Stentz & Thrun 2005), interruptible at any point.
//!
//! It is [`DStarLite`] with keys in which the estimate counts epsilon times. So it finds a path that
//! costs at most epsilon times as much as the shortest, in far fewer expansions, and then improves it
//! with a lower epsilon and what it has found so far. Each round is an *iteration*. A vertex that was
//! made consistent in it is in CLOSED; when it could be improved once more it waits in INCONS for the
//! next iteration; all other inconsistent vertices are in OPEN.
//!
//! # When epsilon changes
//!
//! - *Down*, whenever the search is complete and the tick has expansions and re-queues left: at once,
//!   and the search goes on. So a tick ends with its budget used up, or with a shortest path.
//! - *Up*, after every tick that ended without a path because costs have changed. A new goal makes it
//!   as high as at the start.
//! - *Meanwhile* a robot that follows the path keeps it: as long as no cost changes, the search never
//!   takes back a path that it has shown.
//!
//! # How an iteration ends in constant time
//!
//! - CLOSED is emptied by counting on: a stamp is good for one iteration.
//! - INCONS lies in the same queue as OPEN, behind it, all at one distance ahead of `k_m`. That much is
//!   added to `k_m`: every key in the queue is then a lower bound of its true one, as after a move of
//!   the robot, those of INCONS as well as those made for a higher epsilon. An entry is moved to its
//!   true place when it comes up first: a re-queue, counted and paid from the budget. So keys are made
//!   again over several ticks, and changes can be taken in at any point.
//! - When only costs have changed and INCONS is empty, `k_m` stays and no key is made again.
//!
//! An iteration ends when epsilon falls, and when a cost may have fallen: what is in CLOSED is then no
//! longer within epsilon. It goes on when the robot moves, when costs rise and when epsilon does,
//! because nothing in CLOSED is the worse for that. A vertex leaves CLOSED when its `g` is made
//! infinite.
//!
//! # The bound
//!
//! A tick does at most the expansions `E` and re-queues `R` that its budget allows, and
//! `R + E (M + 1) + C (M + 3)` operations on the queue, for `M` moves and `C` changes since the last
//! tick, of which a new goal counts for two. The end of an iteration does none. No term has the size of
//! the map in it but the steps of one operation on a heap, at most as many as an id has bits.
//!
//! # Why a heap
//!
//! Keys in tenths, and all of them moved at once, fit [buckets](crate::queue::Buckets) badly: an entry
//! that is behind by several turns of the ring is re-queued once per turn. A heap re-queues it once.

mod contract;
mod epsilon;
mod improve;
mod inflated;

pub use epsilon::Epsilon;

use self::{epsilon::ONE, inflated::Inflated};
use super::{
    GlobalSearch,
    dstar_lite::{Broken, DStarLite, DStarLiteNode},
};
use crate::{
    BuildError, Cell,
    queue::{Entry, Heap, Holds, SmallerG},
    terrain::Terrain,
    width::Width,
};

/// What Anytime D* keeps of a vertex, beside its entry: 8 bytes with
/// [`Bits16`](crate::width::Bits16).
pub type AnytimeNode<W> = DStarLiteNode<W, <W as Width>::Id, <W as Width>::Id>;

/// Anytime D* over a terrain `T`, with a heap of entries `E`: `u64` for 16 bits, `u128` for 32.
///
/// Memory is handed over: a node and an entry for each vertex. Where constant time per operation and
/// memory matter more than an early path, use [`DStarLite`] with buckets.
///
/// ```
/// use planner_core::{Budget, Cell, Decision, Planner, map::Unknown};
/// use planner_core::search::{AnytimeDStar, Epsilon};
/// use planner_core::terrain::{Cells, Four, Uniform};
/// use planner_core::width::Bits16;
///
/// const VERTICES: usize = Cells::<Four>::vertices(33, 33);
/// let mut bits = [0; Cells::<Four>::words(33, 33)];
/// let (mut nodes, mut entries) = ([Default::default(); VERTICES], [0u64; VERTICES]);
/// let terrain = Cells::<Four>::new(33, 33, &mut bits, Unknown::AsFree, Uniform)?;
/// let (start, goal, schedule) = (Cell::new(0, 0), Cell::new(30, 20), Epsilon::DEFAULT);
/// let mut planner =
///     AnytimeDStar::<Bits16, _, _>::new(terrain, &mut entries, &mut nodes, start, goal, schedule)?;
///
/// assert!(matches!(planner.tick(start, Budget::limit(55))?, Decision::Step(_)));
/// assert!(planner.epsilon() <= Some(30)); // at most three times as long as need be
/// planner.tick(start, Budget::UNLIMITED)?;
/// assert_eq!(planner.epsilon(), Some(10)); // shortest
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AnytimeDStar<'m, W: Width, T, E: Entry + Holds<W>> {
    search: DStarLite<'m, W, T, Heap<'m, E, SmallerG>, Inflated>,
    schedule: Epsilon,
    /// The least that a way from the robot to the goal can cost, if the robot is on a path: if the
    /// best successor of its vertex, the best successor of that one and so on lead to the goal.
    path: Option<usize>,
    /// Whether costs have changed since the search was last complete.
    changed: bool,
    /// Whether they have, and the last tick ended without a path.
    late: bool,
    /// The node that loses its stamp when the next iteration begins.
    sweep: usize,
}

impl<'m, W: Width, T: Terrain, E: Entry + Holds<W>> AnytimeDStar<'m, W, T, E> {
    /// A planner that knows what `terrain` knows. Takes time in proportion to the map, once.
    ///
    /// The terrain's estimates must not fall as columns or rows grow apart.
    ///
    /// # Errors
    /// The map does not fit the width `W` or its costs, inflated, the keys of `E`; memory is short; or
    /// `start` or `goal` is outside.
    pub fn new(
        terrain: T,
        entries: &'m mut [E],
        nodes: &'m mut [AnytimeNode<W>],
        start: Cell,
        goal: Cell,
        schedule: Epsilon,
    ) -> Result<Self, BuildError> {
        let keys = Inflated::new::<W, Heap<E, SmallerG>>(&terrain, schedule)?;
        let queue = Heap::new(entries);
        Ok(Self {
            search: DStarLite::inflated(terrain, queue, nodes, start, goal, keys)?,
            schedule,
            path: None,
            changed: false,
            late: false,
            sweep: 0,
        })
    }

    /// How many times as much as the shortest path the one of the last tick costs at most, in tenths:
    /// 10 says that it is shortest. `None` without a path, or when nothing is proven.
    ///
    /// What is proven belongs to the place where the search was last complete. It grows weaker as the
    /// robot walks on, until the search is complete again.
    pub fn epsilon(&self) -> Option<u32> {
        let least = self.path.filter(|&least| least > 0)? as u64;
        let tenths = (self.distance()? as u64).saturating_mul(ONE.into());
        let bound = tenths.div_ceil(least).max(ONE.into());
        Some(u32::try_from(bound).unwrap_or(u32::MAX))
    }

    /// The epsilon that the search under way works with, in tenths. With a path and time left it is
    /// below [`AnytimeDStar::epsilon`]; without a path it is what the next one will keep.
    pub fn target(&self) -> u32 {
        self.search.inflation.epsilon.into()
    }

    /// The cost of the path that the last tick found or kept, from the robot to the goal. Walking it
    /// may turn out to cost less.
    pub fn distance(&self) -> Option<usize> {
        self.path.and(self.search.distance())
    }

    /// The cells of the path, from the one after the robot's to the goal; none without a path. For
    /// pictures and tests: it takes time in proportion to the path.
    pub fn path(&self) -> impl Iterator<Item = Cell> {
        let start = self.path.map(|_| self.search.start);
        let next = |&(vertex, cell): &(usize, Cell)| match self.search.goals().contains(cell) {
            true => None,
            false => self.search.best_from(vertex, cell),
        };
        core::iter::successors(start, next)
            .map(|(_, cell)| cell)
            .take(self.search.terrain().grid().vertices())
            .skip(1)
    }

    /// Checks the invariants that the proofs rest on, like [`DStarLite::audit`].
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn audit(&self) -> Result<(), Broken> {
        self.search.audit()
    }
}
