//! The order in which the successors of a cell are generated.

/// The order in which a look-ahead generates the successors of a cell. It decides ties.
///
/// With a fixed order a robot that looks only a few cells ahead walks along walls in the same
/// direction over and over; a random one gets it out of dead ends sooner.
///
/// ```
/// use planner_core::local::SuccessorOrder;
///
/// assert_eq!(SuccessorOrder::default(), SuccessorOrder::Fixed);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum SuccessorOrder {
    /// The order in which the graph numbers its moves.
    #[default]
    Fixed,
    /// Another one for each cell, drawn from this seed on; the same seed gives the same orders.
    Random(u32),
}

/// The moves 0 to 7 in the graph's order, a nibble each, the first one lowest.
const IN_ORDER: u32 = 0x7654_3210;

impl SuccessorOrder {
    /// The moves `0..count` in the order for the next cell.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn moves(&mut self, count: usize) -> impl Iterator<Item = usize> + use<> {
        self.moves_but(count, 0)
    }

    /// The same without those in `skip`, a bit each.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn moves_but(
        &mut self,
        count: usize,
        skip: u8,
    ) -> impl Iterator<Item = usize> + use<> {
        let order = self.next(count);
        let nth = move |n: u32| (order >> (4 * n) & 7) as usize;
        let skipped = match self {
            Self::Fixed => skip.into(),
            Self::Random(_) => {
                (0..count as u32).fold(0, |set, n| set | u32::from(skip >> nth(n) & 1) << n)
            }
        };
        let mut left = !skipped & !(u32::MAX << count);
        core::iter::from_fn(move || {
            let n = left.trailing_zeros();
            (left != 0).then(|| {
                left &= left - 1;
                nth(n)
            })
        })
    }

    /// All of them in that order, a nibble each, the first one lowest.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(&mut self, count: usize) -> u32 {
        let Self::Random(state) = self else {
            return IN_ORDER;
        };
        let (mut rest, mut order) = (IN_ORDER, 0);
        for taken in 0..count.min(8) as u32 {
            let shift = 4 * draw(state, count as u32 - taken);
            let beyond = rest >> shift;
            order |= (beyond & 7) << (4 * taken);
            rest = rest & !(u32::MAX << shift) | beyond >> 4 << shift;
        }
        order
    }
}

/// A number below `limit`, which is at most 8, by xorshift.
#[cfg_attr(not(debug_assertions), inline(always))]
fn draw(state: &mut u32, limit: u32) -> u32 {
    // Zero is the one state that xorshift does not leave.
    let mut x = if *state == 0 { 0x9e37_79b9 } else { *state };
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    ((x >> 16) * limit) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the 24 orders of four moves this is.
    fn number(order: u32) -> usize {
        let at = |n: u32| order >> (4 * n) & 15;
        (0..4).fold(0, |number, n| {
            let smaller = (n + 1..4).filter(|&later| at(later) < at(n)).count();
            number * (4 - n as usize) + smaller
        })
    }

    #[test]
    fn a_fixed_order_is_that_of_the_graph() {
        assert_eq!(SuccessorOrder::Fixed.next(4) & 0xffff, 0x3210);
        assert_eq!(SuccessorOrder::Fixed.next(8), 0x7654_3210);
    }

    #[test]
    fn random_orders_hold_each_move_once() {
        for count in [4, 8] {
            let mut order = SuccessorOrder::Random(0);
            for _ in 0..1000 {
                let drawn = order.next(count);
                let seen = (0..count).fold(0, |seen, n| seen | 1 << (drawn >> (4 * n) & 15));
                assert_eq!(seen, (1 << count) - 1, "{drawn:x}");
            }
        }
    }

    #[test]
    fn moves_are_skipped_in_any_order() {
        for seed in 0..200 {
            for (count, skip) in [(4, 0), (4, 0b0101), (4, 0b1111), (8, 0), (8, 0b1010_0001)] {
                for order in [SuccessorOrder::Fixed, SuccessorOrder::Random(seed)] {
                    let (mut all, mut some) = (order, order);
                    let all = all.moves(count).filter(|&m| skip >> m & 1 == 0);
                    assert!(all.eq(some.moves_but(count, skip)));
                }
            }
        }
    }

    #[test]
    fn all_random_orders_are_equally_likely() {
        let mut order = SuccessorOrder::Random(7);
        let mut drawn = [0; 24];
        for _ in 0..24_000 {
            drawn[number(order.next(4))] += 1;
        }
        assert!(drawn.iter().all(|n| (880..1120).contains(n)), "{drawn:?}");
    }
}
