//! Anytime D* (Likhachev, Ferguson, Gordon, Stentz & Thrun 2005), interruptible at any point.
//!
//! It is [`DStarLite`] with the heuristic multiplied by epsilon in keys. So it finds a path that costs at most
//! epsilon times as much as the shortest, in far fewer expansions, and then improves it with a lower epsilon
//! and the values found so far. Each round is an *iteration*. A vertex that was made consistent in it is in
//! CLOSED; when it could be improved once more it waits in INCONS for the next iteration; all other
//! inconsistent vertices are in OPEN.
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
use super::dstar_lite::{DStarLite, DStarLiteNode, InvariantViolation};
use crate::{
    map::{AsFree, Map, UnknownPolicy},
    queue::{Entry, Heap, Holds, SmallerG},
    storage::{Allocate, Array, BLOCK, Block, Storage, default_by_new},
    width::{Bits16, Width, Word},
};

/// Data of Anytime D* per vertex, beside its heap entry: 8 bytes with [`Bits16`].
pub type AnytimeNode<W> = DStarLiteNode<W, <W as Width>::Id, <W as Width>::Id>;

/// Anytime D* with a heap of entries `E`: `u64` for 16 bits, `u128` for 32.
///
/// If constant time per operation and memory matter more than an early path, use [`DStarLite`] with
/// buckets.
///
/// ```
/// use planner_core::{prelude::*, search::AnytimeDStar};
///
/// const N: usize = capacity(33, 33);
/// let mut planner = Navigator::from_parts(CellMap::<Array<N>>::new(), AnytimeDStar::<Array<N>>::new());
/// let (start, goal) = (Cell::new(0, 0), Cell::new(30, 20));
/// planner.begin((33, 33), start, &[goal])?;
///
/// assert!(matches!(planner.tick(start, Budget::limit(55))?, Decision::Step(_)));
/// assert!(planner.search().epsilon() <= Some(30)); // at most three times as long as the shortest
/// planner.tick(start, Budget::UNLIMITED)?;
/// assert_eq!(planner.search().epsilon(), Some(10)); // shortest
/// # Ok::<(), planner_core::Error>(())
/// ```
#[derive(Debug)]
pub struct AnytimeDStar<S: Storage, W: Width = Bits16, E: Entry + Holds<W> = u64, U = AsFree> {
    search: DStarLite<S, W, Heap<S, E, SmallerG>, U, Inflated>,
    /// [`Epsilon::DEFAULT`] if none was set, so that a new search is all zero.
    schedule: Option<Epsilon>,
    /// A lower bound of the cost from the robot to the goal, if the robot is on a path: if the best successor
    /// of its vertex, the best successor of that one and so on lead to the goal.
    path: Option<usize>,
    /// True if costs have changed since the search was last complete.
    changed: bool,
    /// True if they have, and the last tick ended without a path.
    late: bool,
    /// The node that loses its stamp when the next iteration begins.
    sweep: usize,
    /// Vertices of the map.
    vertices: usize,
}

impl<W: Width, E: Entry + Holds<W>, U, const N: usize> AnytimeDStar<Array<N>, W, E, U> {
    /// A search in arrays, all zero.
    ///
    /// The graph's heuristic must not fall as columns or rows grow apart.
    #[must_use]
    pub const fn new() -> Self {
        Self::in_storage(Heap::new(), [[Self::NODE; BLOCK]; N])
    }
}

default_by_new!([W: Width, E: Entry + Holds<W>, U, const N: usize] AnytimeDStar<Array<N>, W, E, U>);

impl<S: Allocate, W: Width, E: Entry + Holds<W>, U> AnytimeDStar<S, W, E, U> {
    /// A search with memory for so many [`blocks`](crate::storage::blocks).
    #[must_use]
    pub fn allocate(blocks: usize) -> Self {
        let nodes = S::allocate(blocks, [Self::NODE; BLOCK]);
        Self::in_storage(Heap::allocate(blocks), nodes)
    }
}

impl<S: Storage, W: Width, E: Entry + Holds<W>, U> AnytimeDStar<S, W, E, U> {
    /// A node before its first use: all zero.
    pub const NODE: AnytimeNode<W> = DStarLiteNode::zero(W::Id::ZERO, W::Id::ZERO);

    /// A search in `nodes` and the memory of `heap`.
    #[must_use]
    pub const fn in_storage(
        heap: Heap<S, E, SmallerG>,
        nodes: S::Of<Block<AnytimeNode<W>>>,
    ) -> Self {
        Self {
            search: DStarLite::inflated(heap, nodes, Inflated::ZERO),
            schedule: None,
            path: None,
            changed: false,
            late: false,
            sweep: 0,
            vertices: 0,
        }
    }

    /// Sets the schedule of epsilon, which counts from the next [`Search::begin`](super::Search::begin) on.
    pub fn set_schedule(&mut self, schedule: Epsilon) {
        self.schedule = Some(schedule);
    }

    /// Returns the proven suboptimality bound of the path of the last tick, in tenths: 10 means that it is
    /// shortest. `None` without a path, or when nothing is proven.
    ///
    /// The proof is for the cell where the search was last complete. The bound grows as the robot moves on,
    /// until the search is complete again.
    pub fn epsilon(&self) -> Option<u32> {
        let least = self.path.filter(|&least| least > 0)? as u64;
        let tenths = (self.distance()? as u64).saturating_mul(ONE.into());
        let bound = tenths.div_ceil(least).max(ONE.into());
        Some(u32::try_from(bound).unwrap_or(u32::MAX))
    }

    /// Returns the epsilon of the current iteration, in tenths.
    pub fn target(&self) -> u32 {
        self.search.open.inflation.epsilon.into()
    }

    /// Returns the cost of the path that the last tick found or kept, from the robot to the goal. Following it
    /// may turn out to cost less.
    pub fn distance(&self) -> Option<usize> {
        self.path.and(self.search.distance())
    }
}

impl<S: Storage, W: Width, E: Entry + Holds<W>, U: UnknownPolicy> AnytimeDStar<S, W, E, U> {
    /// Checks the invariants that the proofs rest on, like [`DStarLite::audit`].
    ///
    /// # Errors
    /// The first violation found.
    pub fn audit<M: Map>(&self, map: &M) -> Result<(), InvariantViolation> {
        self.search.audit(map)
    }
}
