//! Values of a local search, for [`Inspect`](crate::Inspect).

use super::Learning;
use crate::CellValues;

/// The values of a vertex where the graph's heuristic is `heuristic`.
pub(crate) fn values(search: &impl Learning, vertex: usize, heuristic: usize) -> CellValues {
    let generated = search.generated(vertex);
    let frontier = generated.filter(|generated| !generated.is_closed);
    CellValues {
        g: generated.map(|generated| generated.g),
        rhs: None,
        h: Some(search.learned(vertex).unwrap_or(heuristic)),
        key: frontier.map(|frontier| (frontier.g.saturating_add(frontier.h), frontier.g)),
        is_open: frontier.is_some(),
        is_closed: generated.is_some_and(|generated| generated.is_closed),
    }
}
