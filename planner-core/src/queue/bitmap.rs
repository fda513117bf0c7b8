//! A set of buckets in use, in which the next one is found without a loop.

/// Bits of a word.
const BITS: usize = u32::BITS as usize;

/// A ring of `32 * WORDS` bits with a summary of which words have any; at most 32 words, a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bitmap<const WORDS: usize> {
    words: [u32; WORDS],
    /// Bit `n` is set exactly when word `n` is not zero.
    summary: u32,
}

impl<const WORDS: usize> Bitmap<WORDS> {
    /// All bits clear.
    pub(crate) const EMPTY: Self = {
        assert!(WORDS.is_power_of_two(), "the ring turns by masking");
        assert!(WORDS <= BITS, "the summary is one word");
        Self {
            words: [0; WORDS],
            summary: 0,
        }
    };

    #[inline(always)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.summary == 0
    }

    #[inline(always)]
    pub(crate) fn insert(&mut self, bit: usize) {
        let word = (bit / BITS) & (WORDS - 1);
        self.words[word] |= 1 << (bit % BITS);
        self.summary |= 1 << word;
    }

    #[inline(always)]
    pub(crate) fn remove(&mut self, bit: usize) {
        let word = (bit / BITS) & (WORDS - 1);
        let rest = self.words[word] & !(1 << (bit % BITS));
        self.words[word] = rest;
        if rest == 0 {
            self.summary &= !(1 << word);
        }
    }

    /// Steps from a bit to the next one that is set, around the ring; zero if it is set itself.
    #[inline(always)]
    pub(crate) fn distance(&self, from: usize) -> Option<usize> {
        let (word, bit) = ((from / BITS) & (WORDS - 1), from % BITS);
        let rest = self.words[word] >> bit;
        if rest != 0 {
            return Some(rest.trailing_zeros() as usize);
        }
        if self.is_empty() {
            return None;
        }
        // The first word comes round again last, for the bits before.
        let behind = self.summary & (u32::MAX << word << 1);
        let (others, turn) = match behind {
            0 => (self.summary, WORDS * BITS),
            _ => (behind, 0),
        };
        let next = others.trailing_zeros() as usize;
        let ahead = self.words[next & (WORDS - 1)].trailing_zeros() as usize;
        Some((turn + next * BITS + ahead).wrapping_sub(from & (WORDS * BITS - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random bits are set and cleared beside a list of them that is searched through.
    #[test]
    fn the_next_bit_is_found_around_the_ring() {
        const SIZE: usize = 128;
        let mut noise = 7_u32;
        let mut draw = |below: usize| {
            noise ^= noise << 13;
            noise ^= noise >> 17;
            noise ^= noise << 5;
            noise as usize % below
        };
        let (mut bitmap, mut bits) = (Bitmap::<4>::EMPTY, [false; SIZE]);
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
            let from = draw(2 * SIZE);
            let next = (0..SIZE).find(|n| bits[(from + n) % SIZE]);
            assert_eq!(bitmap.distance(from), next, "from {from}");
            assert_eq!(bitmap.is_empty(), next.is_none());
        }
        assert_eq!(Bitmap::<4>::EMPTY.distance(5), None);
    }
}
