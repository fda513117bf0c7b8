//! The contract of a memory of learned heuristic values.

use super::Learned;
use crate::{BuildError, graph::Graph, storage::Storage, width::Width};

/// Learned heuristic values, by vertex. One that is not kept reads as not learned, which is a lower bound too.
pub trait LearnedValues: core::fmt::Debug {
    /// Begins on a graph with nothing learned. Takes time in proportion to the map.
    ///
    /// # Errors
    /// The graph does not fit the capacity or the width.
    fn begin(&mut self, graph: &impl Graph) -> Result<(), BuildError>;

    /// Returns the learned value of a vertex; `None` where the graph's heuristic holds.
    #[must_use]
    fn get(&self, vertex: usize) -> Option<usize>;

    /// Sets the value of a vertex.
    ///
    /// A value that no shortest path can have is not kept. It occurs when costs have fallen and values have
    /// become too high, or when there is no path: everything is forgotten then.
    fn set(&mut self, vertex: usize, value: usize);

    /// Forgets every value, in constant time.
    fn forget(&mut self);

    /// Clears a bounded number of forgotten values, once a tick.
    fn upkeep(&mut self);
}

/// Storage of learned values: a value per cell in a [`Storage`], or a table of fixed size,
/// [`Hashed`](super::Hashed).
pub trait LearnedStorage<W: Width>: core::fmt::Debug {
    /// The values in it.
    type Values: LearnedValues;

    /// True if no value is ever lost for want of room.
    const KEEPS_ALL: bool;
}

impl<S: Storage, W: Width> LearnedStorage<W> for S {
    type Values = Learned<S, W>;
    const KEEPS_ALL: bool = true;
}
