//! What a look-ahead has generated, for [`Learning`](super::Learning) and
//! [`Inspect`](crate::Inspect).

use super::{Generated, Learning, episode::Episodes, space::State};
use crate::{
    CellValues,
    width::{Width, Word},
};

impl<W: Width, const N: usize> Episodes<'_, W, N> {
    pub(super) fn generated(&self, vertex: usize) -> Option<Generated> {
        let entry = self.space.table.entry(self.space.table.find(vertex)?);
        Some(Generated {
            g: entry.g.get(),
            h: entry.h.get(),
            is_closed: entry.state() != State::Open,
            next: self.space.next_move(vertex),
        })
    }
}

/// What a local search keeps of a vertex for which the terrain has an estimate.
pub(crate) fn values(search: &impl Learning, vertex: usize, estimate: usize) -> CellValues {
    let generated = search.generated(vertex);
    let border = generated.filter(|generated| !generated.is_closed);
    CellValues {
        g: generated.map(|generated| generated.g),
        rhs: None,
        h: Some(search.learned(vertex).unwrap_or(estimate)),
        key: border.map(|border| (border.g.saturating_add(border.h), border.g)),
        is_open: border.is_some(),
        is_closed: generated.is_some_and(|generated| generated.is_closed),
    }
}
