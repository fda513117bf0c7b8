//! A set of buckets in use, in which the next one is found without a loop.

/// Bits of a word.
const BITS: usize = u32::BITS as usize;

/// A ring of `32 * WORDS` bits with a summary of which words have any; `WORDS` is a power of two.
///
/// A bit of the summary is for a group of words where there are more than 32; a group is searched through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)] // the chip reaches what comes first with one instruction
pub(crate) struct Bitmap<const WORDS: usize> {
    /// Bit `n` is set exactly when a word of group `n` is not zero.
    summary: u32,
    words: [u32; WORDS],
}

impl<const WORDS: usize> Bitmap<WORDS> {
    /// Words of a group.
    const GROUP: usize = if WORDS > BITS { WORDS / BITS } else { 1 };

    /// All bits clear.
    pub(crate) const EMPTY: Self = {
        assert!(WORDS.is_power_of_two(), "the ring turns by masking");
        Self {
            words: [0; WORDS],
            summary: 0,
        }
    };

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn is_empty(&self) -> bool {
        self.summary == 0
    }

    /// A bit for each group of words that has any.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn groups(&self) -> u32 {
        self.summary
    }

    /// The group of a bit.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn group(bit: usize) -> usize {
        ((bit / BITS) & (WORDS - 1)) / Self::GROUP
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn contains(&self, bit: usize) -> bool {
        let word = self.words[(bit / BITS) & (WORDS - 1)];
        word >> (bit % BITS) & 1 != 0
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn insert(&mut self, bit: usize) {
        let word = (bit / BITS) & (WORDS - 1);
        self.words[word] |= 1 << (bit % BITS);
        self.summary |= 1 << (word / Self::GROUP);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn remove(&mut self, bit: usize) {
        let word = (bit / BITS) & (WORDS - 1);
        let rest = self.words[word] & !(1 << (bit % BITS));
        self.words[word] = rest;
        let group = word / Self::GROUP;
        if rest == 0 && (Self::GROUP == 1 || self.first_of(group * Self::GROUP, group).is_none()) {
            self.summary &= !(1 << group);
        }
    }

    /// The first word in a group that is not zero, from a word on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn first_of(&self, from: usize, group: usize) -> Option<usize> {
        (from..(group + 1) * Self::GROUP).find(|&word| self.words[word & (WORDS - 1)] != 0)
    }

    /// Steps from a bit to the next one that is set, around the ring; zero if it is set itself.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn distance(&self, from: usize) -> Option<usize> {
        let from = from & (WORDS * BITS - 1);
        let word = (from / BITS) & (WORDS - 1);
        let rest = self.words[word] >> (from % BITS);
        if rest != 0 {
            return Some(rest.trailing_zeros() as usize);
        }
        if self.is_empty() {
            return None;
        }
        let steps_to = |word: usize, turn: usize| {
            let bit = self.words[word & (WORDS - 1)].trailing_zeros() as usize;
            (turn + word * BITS + bit).wrapping_sub(from)
        };
        let group = word / Self::GROUP;
        if Self::GROUP > 1
            && let Some(next) = self.first_of(word + 1, group)
        {
            return Some(steps_to(next, 0));
        }
        // The first group comes round again last, for the bits before.
        let behind = self.summary & (u32::MAX << group << 1);
        let (others, turn) = match behind {
            0 => (self.summary, WORDS * BITS),
            _ => (behind, 0),
        };
        let next = others.trailing_zeros() as usize;
        let next = match Self::GROUP {
            1 => next,
            _ => self.first_of(next * Self::GROUP, next)?,
        };
        Some(steps_to(next, turn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random bits are set and cleared beside a list of them that is searched through.
    fn check<const WORDS: usize, const SIZE: usize>() {
        let mut noise = 7_u32;
        let mut draw = |below: usize| {
            noise ^= noise << 13;
            noise ^= noise >> 17;
            noise ^= noise << 5;
            noise as usize % below
        };
        let (mut bitmap, mut bits) = (Bitmap::<WORDS>::EMPTY, [false; SIZE]);
        for n in 0..50_000 {
            let bit = draw(SIZE);
            // From time to time most are cleared.
            if draw(8) < 3 + n / 64 % 4 {
                bitmap.remove(bit);
                bits[bit] = false;
            } else {
                bitmap.insert(bit);
                bits[bit] = true;
            }
            if n % 997 == 0 {
                (bitmap, bits) = (Bitmap::EMPTY, [false; SIZE]);
            }
            let from = draw(2 * SIZE);
            let next = (0..SIZE).find(|n| bits[(from + n) % SIZE]);
            assert_eq!(bitmap.distance(from), next, "from {from}");
            assert_eq!(bitmap.is_empty(), next.is_none());
            assert_eq!(bitmap.contains(bit), bits[bit]);
        }
        assert_eq!(Bitmap::<WORDS>::EMPTY.distance(5), None);
    }

    #[test]
    fn the_next_bit_is_found_around_the_ring() {
        check::<1, 32>();
        check::<4, 128>();
        check::<64, 2048>();
        check::<128, 4096>();
    }
}
