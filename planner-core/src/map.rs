//! What the robot knows: two bits per fact, observations in, changes out.
//!
//! A fact is about a cell (is it blocked?) or about an edge between two cells (is there a wall?);
//! the [terrain](crate::terrain) decides which, and numbers its facts.

use crate::BuildError;

/// What is known of one cell or one edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Occupancy {
    /// Not seen yet, or forgotten.
    #[default]
    Unknown,
    /// Seen, and nothing in the way.
    Free,
    /// Seen, and in the way.
    Blocked,
}

/// How a planner takes what it does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Unknown {
    /// The freespace assumption: unknown is free until seen otherwise.
    #[default]
    AsFree,
    /// Only what was seen free is free: no surprises on a speed run.
    AsBlocked,
}

/// Whether a change made the world dearer or cheaper to cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Trend {
    /// A cost rose: something is now in the way, or slower.
    Rise,
    /// A cost fell: something is no longer in the way, or faster.
    Fall,
}

const FACTS_PER_WORD: usize = u32::BITS as usize / 2;

/// Words of memory for `facts` facts.
#[must_use]
pub const fn words(facts: usize) -> usize {
    facts.div_ceil(FACTS_PER_WORD)
}

/// A table of facts in memory lent by the caller.
///
/// ```
/// use planner_core::map::{Occupancy, Map, Trend, Unknown, words};
///
/// let mut memory = [0; words(100)];
/// let mut map = Map::new(100, &mut memory, Unknown::AsFree)?;
/// assert!(map.is_open(7)); // unknown counts as free ...
/// assert_eq!(map.note(7, Occupancy::Free), None); // ... so learning that it is changes nothing
/// assert_eq!(map.note(7, Occupancy::Blocked), Some(Trend::Rise));
/// assert!(!map.is_open(7));
/// # Ok::<(), planner_core::BuildError>(())
/// ```
#[derive(Debug)]
pub struct Map<'m> {
    words: &'m mut [u32],
    facts: usize,
    /// Bit `n` is set when the fact stored as `n` lets the robot pass.
    open: u32,
}

impl<'m> Map<'m> {
    /// `facts` facts, all unknown.
    ///
    /// # Errors
    /// `memory` has fewer than [`words`]`(facts)` words.
    pub fn new(facts: usize, memory: &'m mut [u32], unknown: Unknown) -> Result<Self, BuildError> {
        let (needed, given) = (words(facts), memory.len());
        let words = memory
            .get_mut(..needed)
            .ok_or(BuildError::TooLittleMemory { needed, given })?;
        words.fill(0);
        let open = match unknown {
            Unknown::AsFree => 1 << Occupancy::Unknown as u32 | 1 << Occupancy::Free as u32,
            Unknown::AsBlocked => 1 << Occupancy::Free as u32,
        };
        Ok(Self { words, facts, open })
    }

    #[inline(always)]
    fn stored(&self, fact: usize) -> u32 {
        match self.words.get(fact / FACTS_PER_WORD) {
            Some(word) => word >> (fact % FACTS_PER_WORD * 2) & 3,
            None => Occupancy::Blocked as u32,
        }
    }

    /// What is known; a fact beyond the table is [`Occupancy::Blocked`].
    #[must_use]
    pub fn fact(&self, fact: usize) -> Occupancy {
        match self.stored(fact) {
            0 if fact < self.facts => Occupancy::Unknown,
            1 if fact < self.facts => Occupancy::Free,
            _ => Occupancy::Blocked,
        }
    }

    /// Whether the robot may pass, as far as it knows; not beyond the table.
    #[inline(always)]
    #[must_use]
    pub fn is_open(&self, fact: usize) -> bool {
        fact < self.facts && self.open >> self.stored(fact) & 1 != 0
    }

    /// Takes in what was seen and says what it changes for the planner, if anything.
    #[inline(always)]
    pub fn note(&mut self, fact: usize, seen: Occupancy) -> Option<Trend> {
        let stored = self.stored(fact);
        if stored == seen as u32 || fact >= self.facts {
            return None;
        }
        if let Some(word) = self.words.get_mut(fact / FACTS_PER_WORD) {
            *word ^= (stored ^ seen as u32) << (fact % FACTS_PER_WORD * 2);
        }
        let is_open = |fact: u32| self.open >> fact & 1 != 0;
        match (is_open(stored), is_open(seen as u32)) {
            (true, false) => Some(Trend::Rise),
            (false, true) => Some(Trend::Fall),
            _ => None,
        }
    }
}
