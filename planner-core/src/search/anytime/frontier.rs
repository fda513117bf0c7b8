//! The vertices, and which of them are in OPEN, CLOSED and INCONS.

use super::{
    keys::{Away, Keys},
    lists::Lists,
};
use crate::{
    queue::{Entry, Linked},
    terrain::Terrain,
    width::{Width, Word, infinity},
};

/// What Anytime D* keeps of a vertex: 6 bytes with [`Bits16`](crate::width::Bits16).
#[derive(Clone, Copy, Debug, Default)]
pub struct AnytimeNode<W: Width> {
    pub(super) g: W::Cost,
    pub(super) rhs: W::Cost,
    /// Where `g` and `rhs` differ, the place in OPEN or INCONS. Where they agree, the iteration that
    /// put the vertex into CLOSED, or zero.
    pub(super) mark: W::Id,
}

impl<W: Width> Linked<W::Id> for AnytimeNode<W> {
    #[inline(always)]
    fn link(&mut self) -> &mut W::Id {
        &mut self.mark
    }
}

impl<W: Width> AnytimeNode<W> {
    /// A vertex never reached.
    pub(super) fn unreached() -> Self {
        Self {
            g: W::Cost::new(infinity::<W>()),
            rhs: W::Cost::new(infinity::<W>()),
            mark: W::Id::new(0),
        }
    }

    /// A vertex that may not be entered: neighbours read an infinite `g`, and no update can lower
    /// its `rhs`.
    pub(super) fn barred() -> Self {
        Self {
            rhs: W::Cost::new(0),
            ..Self::unreached()
        }
    }
}

/// Which list a vertex is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    /// In none: it is consistent.
    Consistent,
    Open,
    Incons,
}

/// The nodes and the lists.
///
/// - OPEN and INCONS together hold exactly the inconsistent vertices that may be entered.
/// - INCONS holds only over-consistent ones whose `g` was set in this iteration, and is therefore
///   at most epsilon times too large.
/// - An under-consistent vertex is in OPEN, whatever became of it before.
#[derive(Debug)]
pub(super) struct Frontier<'m, W: Width, E> {
    pub(super) nodes: &'m mut [AnytimeNode<W>],
    pub(super) lists: Lists<'m, E>,
    /// The number of the iteration, never zero; it comes round again.
    iteration: usize,
    /// The node that loses a mark left over from long ago when the next iteration begins.
    sweep: usize,
    /// INCONS is not empty and left over from an iteration that has ended; nothing is expanded.
    merging: bool,
}

impl<'m, W: Width, E: Entry> Frontier<'m, W, E> {
    /// `nodes` and `entries` are equally many, and not more than an id can name.
    pub(super) fn new(nodes: &'m mut [AnytimeNode<W>], entries: &'m mut [E]) -> Self {
        Self {
            nodes,
            lists: Lists::new(entries),
            iteration: 1,
            sweep: 0,
            merging: false,
        }
    }

    /// `g` and `rhs`; those of a barred vertex where there is none.
    #[inline(always)]
    pub(super) fn values(&self, vertex: usize) -> (usize, usize) {
        match self.nodes.get(vertex) {
            Some(node) => (node.g.get(), node.rhs.get()),
            None => (infinity::<W>(), 0),
        }
    }

    #[inline(always)]
    fn home(&self, node: &AnytimeNode<W>) -> Home {
        if node.g == node.rhs {
            Home::Consistent
        } else if self.lists.is_open(node.mark.get()) {
            Home::Open
        } else {
            Home::Incons
        }
    }

    /// `UpdateState`: gives a vertex that may be entered other values and puts it into the list where
    /// they belong. Returns how many operations on the lists that took: one or none.
    #[inline(always)]
    pub(super) fn set<T: Terrain>(
        &mut self,
        keys: &Keys<'_, T>,
        (vertex, away): (usize, Away),
        g: usize,
        rhs: usize,
    ) -> u32 {
        let Some(&node) = self.nodes.get(vertex) else {
            return 0;
        };
        let (home, mark) = (self.home(&node), node.mark.get());
        let is_closed = match home {
            Home::Consistent => mark == self.iteration,
            Home::Open => false,
            Home::Incons => true,
        };
        if let Some(node) = self.nodes.get_mut(vertex) {
            node.g = W::Cost::new(g);
            node.rhs = W::Cost::new(rhs);
        }
        if g == rhs {
            if home == Home::Consistent {
                return 0;
            }
            // While lists are merged, CLOSED is empty already.
            let closed_in = if is_closed && !self.merging {
                self.iteration
            } else {
                0
            };
            self.unlist(mark);
            self.mark(vertex, closed_in);
        } else if is_closed && g > rhs {
            if home == Home::Incons {
                return 0;
            }
            self.lists.set_aside(self.nodes, vertex);
        } else {
            let key = keys.key(away, g, rhs);
            match home {
                Home::Open => self.lists.rekey(self.nodes, mark, key),
                Home::Consistent => self.lists.open(self.nodes, vertex, key),
                Home::Incons => {
                    self.unlist(mark);
                    self.lists.open(self.nodes, vertex, key);
                }
            }
        }
        1
    }

    /// Makes the over-consistent vertex that is first in OPEN consistent and puts it into CLOSED.
    #[inline(always)]
    pub(super) fn close(&mut self, vertex: usize) {
        self.lists.remove(self.nodes, 0);
        if let Some(node) = self.nodes.get_mut(vertex) {
            node.g = node.rhs;
            node.mark = W::Id::new(self.iteration);
        }
    }

    /// Gives a vertex a new node, after taking it out of its list if `listed`.
    pub(super) fn replace(&mut self, vertex: usize, node: AnytimeNode<W>, listed: bool) {
        let Some(kept) = self.nodes.get_mut(vertex) else {
            return;
        };
        let place = core::mem::replace(kept, node).mark;
        if listed {
            self.unlist(place.get());
        }
    }

    /// Empties CLOSED. What is in INCONS has to be [merged](Frontier::merge_one) into OPEN before
    /// anything is expanded.
    pub(super) fn end_iteration(&mut self) {
        self.iteration = match self.iteration {
            n if n >= <W::Id as Word>::MAX => 1,
            n => n + 1,
        };
        // One node per iteration is enough: there are no more nodes than numbers of iterations, so
        // each is visited before the number of an iteration it was closed in comes round again.
        if let Some(&node) = self.nodes.get(self.sweep)
            && self.home(&node) == Home::Consistent
        {
            self.mark(self.sweep, 0);
        }
        self.sweep = if self.sweep + 1 < self.nodes.len() {
            self.sweep + 1
        } else {
            0
        };
        self.merging = self.lists.len().1 > 0;
    }

    /// Moves a vertex from INCONS to OPEN, if INCONS is left over from an earlier iteration.
    #[inline(always)]
    pub(super) fn merge_one<T: Terrain>(&mut self, keys: &Keys<'_, T>) {
        if let (true, Some((place, vertex))) = (self.merging, self.lists.last_aside()) {
            let (g, rhs) = self.values(vertex);
            let key = keys.key(keys.away(vertex), g, rhs);
            self.unlist(place);
            self.lists.open(self.nodes, vertex, key);
        }
    }

    /// Whether INCONS has to be merged into OPEN before anything is expanded.
    #[inline(always)]
    pub(super) fn is_merging(&self) -> bool {
        self.merging
    }

    #[inline(always)]
    fn unlist(&mut self, place: usize) {
        self.lists.remove(self.nodes, place);
        self.merging &= self.lists.len().1 > 0;
    }

    fn mark(&mut self, vertex: usize, mark: usize) {
        if let Some(node) = self.nodes.get_mut(vertex) {
            node.mark = W::Id::new(mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::keys::Aim, *};
    use crate::{
        Cell,
        map::{Unknown, words},
        terrain::{Cells, Four, Uniform},
    };

    /// A byte: as an id, it numbers 255 iterations.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    struct Byte(u8);

    impl Word for Byte {
        const MAX: usize = u8::MAX as usize;

        fn new(value: usize) -> Self {
            Self(value as u8)
        }

        fn get(self) -> usize {
            self.0.into()
        }
    }

    #[derive(Clone, Copy, Debug, Default)]
    struct Bits8;

    impl Width for Bits8 {
        type Id = Byte;
        type Cost = u16;
    }

    const ORIGIN: Aim = Aim {
        at: Cell::new(0, 0),
        epsilon: 30,
        k_m: 0,
        ceiling: 1000,
        detours_fit: true,
    };

    type At = (usize, Away);

    /// Runs something with a vertex that was closed five away from the goal; the sizes of OPEN and
    /// INCONS afterwards.
    fn after_closing(
        vertex: usize,
        run: impl Fn(&mut Frontier<Bits8, u64>, &Keys<Cells<Four>>, At),
    ) -> (usize, usize) {
        const VERTICES: usize = Cells::<Four>::vertices(14, 17);
        let mut bits = [0; words(VERTICES)];
        let terrain = Cells::<Four>::new(14, 17, &mut bits, Unknown::AsFree, Uniform).unwrap();
        let keys = Keys::new(&terrain, &ORIGIN);
        let mut nodes = [AnytimeNode::<Bits8>::unreached(); VERTICES];
        let mut entries = [0u64; VERTICES];
        let mut frontier = Frontier::new(&mut nodes, &mut entries);
        let at = (vertex, keys.away(vertex));
        frontier.set(&keys, at, infinity::<Bits8>(), 5);
        frontier.close(vertex);
        run(&mut frontier, &keys, at);
        frontier.lists.len()
    }

    /// The vertex is improved some iterations after it was closed.
    fn improved_after(iterations: usize, vertex: usize) -> (usize, usize) {
        after_closing(vertex, |frontier, keys, at| {
            for _ in 0..iterations {
                frontier.end_iteration();
            }
            frontier.set(keys, at, 5, 4);
        })
    }

    #[test]
    fn a_closed_vertex_is_set_aside_until_its_iteration_ends() {
        assert_eq!(improved_after(0, 3), (0, 1));
        assert_eq!(improved_after(1, 3), (1, 0));
    }

    #[test]
    fn a_vertex_is_not_closed_when_the_number_of_its_iteration_comes_round_again() {
        for vertex in [0, 1, 100, 253, 254] {
            for turns in 1..4 {
                assert_eq!(improved_after(turns * 255, vertex), (1, 0), "{vertex}");
            }
        }
    }

    #[test]
    fn a_vertex_is_not_closed_when_its_improvement_is_undone_while_lists_are_merged() {
        let sizes = after_closing(3, |frontier, keys, at| {
            frontier.set(keys, at, 5, 4);
            frontier.end_iteration();
            assert!(frontier.is_merging());
            frontier.set(keys, at, 5, 5);
            assert!(!frontier.is_merging());
            frontier.set(keys, at, 5, 3);
        });
        assert_eq!(sizes, (1, 0));
    }

    #[test]
    fn a_closed_vertex_that_turns_out_to_be_farther_is_open() {
        let sizes = after_closing(3, |frontier, keys, at| {
            frontier.set(keys, at, 5, 4);
            frontier.set(keys, at, 5, 9);
        });
        assert_eq!(sizes, (1, 0));
    }
}
