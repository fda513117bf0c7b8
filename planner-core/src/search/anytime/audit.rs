//! The invariants that the proofs rest on, checked over the whole map.

use super::{AnytimeDStar, keys::Keys};
use crate::{
    queue::{Entry, Holds},
    terrain::Terrain,
    width::{Width, Word},
};

/// An invariant of Anytime D* that does not hold, at a vertex: a mistake in the planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnytimeBroken {
    /// The search takes a vertex for open that is barred in the map, or the other way round.
    Map(usize),
    /// `rhs` is not the best of the successors' `g` plus the cost of the step.
    Rhs(usize),
    /// An inconsistent vertex is not where its node says.
    Place(usize),
    /// OPEN and INCONS do not hold exactly the inconsistent vertices.
    Lists {
        /// Inconsistent vertices.
        inconsistent: usize,
        /// Entries of OPEN.
        open: usize,
        /// Entries of INCONS.
        incons: usize,
    },
    /// A vertex of INCONS is under-consistent.
    Under(usize),
    /// The key of a vertex of OPEN is later than its true one.
    Key(usize),
    /// OPEN is no heap at this place.
    Order(usize),
    /// The path of the robot comes through an under-consistent vertex, or does not reach the goal.
    Path(usize),
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> AnytimeDStar<'_, W, T, E> {
    /// Checks the invariants, for a search that is up to date with its map. For tests: it visits the
    /// whole map.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn audit(&self) -> Result<(), AnytimeBroken> {
        let mut inconsistent = 0;
        for vertex in 0..self.terrain.grid().vertices() {
            let (g, rhs) = self.frontier.values(vertex);
            let is_open = self.terrain.is_open(vertex);
            self.audit_rhs(vertex, is_open)?;
            if is_open && g != rhs {
                inconsistent += 1;
                self.audit_list(vertex)?;
            }
        }
        let (open, incons) = self.frontier.lists.len();
        if open + incons != inconsistent {
            return Err(AnytimeBroken::Lists {
                inconsistent,
                open,
                incons,
            });
        }
        if let Some(place) = self.frontier.lists.disorder() {
            return Err(AnytimeBroken::Order(place));
        }
        self.audit_path()
    }

    fn audit_rhs(&self, vertex: usize, is_open: bool) -> Result<(), AnytimeBroken> {
        if is_open == self.is_barred(vertex) {
            return Err(AnytimeBroken::Map(vertex));
        }
        let expected = if !is_open || vertex == self.goal {
            0
        } else {
            Keys::new(&self.terrain, &self.aim).look_ahead(self.frontier.nodes, vertex)
        };
        match self.frontier.values(vertex).1 == expected {
            true => Ok(()),
            false => Err(AnytimeBroken::Rhs(vertex)),
        }
    }

    fn audit_list(&self, vertex: usize) -> Result<(), AnytimeBroken> {
        let (g, rhs) = self.frontier.values(vertex);
        let place = self.frontier.nodes.get(vertex).map(|node| node.mark.get());
        let place = place.ok_or(AnytimeBroken::Place(vertex))?;
        let (key, holds) = self.frontier.lists.entry(place);
        let keys = Keys::new(&self.terrain, &self.aim);
        let true_key: E = keys.key(keys.away(vertex), g, rhs);
        if holds != vertex {
            Err(AnytimeBroken::Place(vertex))
        } else if !self.frontier.lists.is_open(place) {
            match g > rhs {
                true => Ok(()),
                false => Err(AnytimeBroken::Under(vertex)),
            }
        } else if true_key.is_before(key) {
            Err(AnytimeBroken::Key(vertex))
        } else {
            Ok(())
        }
    }

    fn audit_path(&self) -> Result<(), AnytimeBroken> {
        if self.path.is_none() {
            return Ok(());
        }
        let mut last = self.start.0;
        for cell in self.path() {
            last = self.terrain.grid().vertex(cell).unwrap_or(last);
            let (g, rhs) = self.frontier.values(last);
            if g < rhs || self.is_barred(last) {
                return Err(AnytimeBroken::Path(last));
            }
        }
        match last == self.goal {
            true => Ok(()),
            false => Err(AnytimeBroken::Path(last)),
        }
    }
}
