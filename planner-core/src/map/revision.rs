//! A count of map changes, by which a search notices that it missed one.

use super::Map;

/// The number of changes of a map, in builds with debug assertions; empty in others.
///
/// The map counts each [`Change`](super::Change) that it returns, a search each one that is
/// [passed to it](crate::search::Search::update). If the counts differ in a tick, a change was dropped and the
/// search plans on an old map: a mistake in the program, so a build with debug assertions panics. In a release
/// build nothing is counted or compared, and a tick costs what it costs without the check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    #[cfg(debug_assertions)]
    changes: u32,
}

impl Revision {
    /// Before the first change.
    pub const ZERO: Self = Self {
        #[cfg(debug_assertions)]
        changes: 0,
    };

    /// Counts a change.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn advance(&mut self) {
        #[cfg(debug_assertions)]
        {
            self.changes = self.changes.wrapping_add(1);
        }
    }

    /// Returns the revision of a map that a search begins on.
    pub(crate) fn of(map: &impl Map) -> Self {
        map.revision().unwrap_or_default()
    }

    /// Checks that a search has taken in every change of its map.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn check(self, map: &impl Map) {
        debug_assert!(
            map.revision().is_none_or(|revision| revision == self),
            "a change of the map was not passed to the search, or the map was resized: it plans on an old map"
        );
    }
}
