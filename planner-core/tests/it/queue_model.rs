//! The open lists against sorted models, under random operations.

use std::{cmp::Reverse, collections::BTreeMap};

use planner_core::{
    queue::{
        AuditQueue, Buckets, Entry, Fifo, Full, Holds, Keys, LargerG, Lifo, Linked, Order, Queue,
        Rank, SmallerG, Tie,
    },
    width::{Bits16, Bits32, Width},
};
use proptest::{
    prelude::*,
    test_runner::{TestCaseError, TestCaseResult},
};

use crate::{build::BoxedHeap, runner};

fn check<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value) -> TestCaseResult) {
    let outcome = runner(cases).run(&strategy, test);
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// A node that is nothing but a queue's link.
#[derive(Clone, Copy, Debug, Default)]
struct Node<L>(L);

impl<L> Linked<L> for Node<L> {
    fn link(&mut self) -> &mut L {
        &mut self.0
    }
}

type Nodes<L> = Vec<Node<L>>;

/// Nodes of a queue for `cells` cells; also how many entries it can hold.
fn nodes<W: Width, Q: Queue<W>>(queue: &mut Q, cells: usize) -> (Nodes<Q::Link>, usize) {
    let mut nodes = vec![Node::default(); cells + Q::HEADS];
    let capacity = queue.clear(&mut nodes[..], cells);
    (nodes, capacity)
}

/// Read access to the links of nodes.
fn links<L: Copy>(nodes: &[Node<L>]) -> impl Fn(usize) -> Option<L> {
    |id| nodes.get(id).map(|node| node.0)
}

/// Takes out all entries, the first one first.
fn drain<W: Width, Q: Queue<W>>(queue: &mut Q, nodes: &mut [Node<Q::Link>]) -> Vec<usize> {
    let mut order = Vec::new();
    while let Some((id, _)) = queue.peek(nodes) {
        queue.pop(nodes, id);
        order.push(id);
    }
    order
}

/// Cells of the queues under test: few, so that a random one is often in the queue already.
const CELLS: usize = 24;

/// An operation on a queue; `K` describes a key.
#[derive(Clone, Copy, Debug)]
enum Op<K> {
    /// Inserts a cell, or gives it another key if it is in the queue.
    Put(usize, K),
    /// Removes a cell if it is in the queue.
    Remove(usize),
    /// Takes out a first entry.
    Pop,
    /// From now on keys are relative to one that is this much later.
    Advance(i64),
    /// Empties the queue.
    Clear,
}

fn ops<K: Copy + std::fmt::Debug>(
    key: impl Strategy<Value = K>,
    advance: std::ops::Range<i64>,
) -> impl Strategy<Value = Vec<Op<K>>> {
    let op = prop_oneof![
        30 => (0..CELLS, key).prop_map(|(id, key)| Op::Put(id, key)),
        5 => (0..CELLS).prop_map(Op::Remove),
        20 => Just(Op::Pop),
        5 => advance.prop_map(Op::Advance),
        1 => Just(Op::Clear),
    ];
    prop::collection::vec(op, 1..150)
}

/// First key: also such that keys wrap at the end of the machine word, or at its middle.
fn origin() -> impl Strategy<Value = usize> {
    prop_oneof![
        Just(0),
        Just(usize::MAX - 700),
        Just(isize::MAX as usize - 700),
        any::<usize>(),
    ]
}

/// A key of the model as a queue sees it.
fn on_circle(origin: usize, key: i64) -> usize {
    origin.wrapping_add_signed(key as isize)
}

/// Keys of all sorts: in the window of a ring or far beyond it, before the key popped last (by more
/// than a ring, too), and sparse as those of scaled octile costs.
fn any_distance() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => 0i64..30,
        2 => 0i64..600,
        2 => 0i64..5000,
        1 => -30i64..0,
        1 => -3000i64..0,
        2 => (-2i64..6).prop_map(|steps| steps * 577 * 2),
    ]
}

/// Applies operations on a ring of buckets. What `peek` offers is never after any entry's key, and an
/// entry offered with its own key is a minimum, found in a bounded number of looks.
fn play_on_buckets<W: Width, Q: AuditQueue<W, Key = usize>>(
    mut queue: Q,
    origin: usize,
    ops: &[Op<i64>],
) -> TestCaseResult {
    let buckets = Q::HEADS;
    let (mut nodes, capacity) = nodes::<W, Q>(&mut queue, CELLS);
    prop_assert_eq!(capacity, CELLS);
    let mut model: BTreeMap<usize, i64> = BTreeMap::new();
    let mut base = 0;
    // No key was put before this one since the queue was empty.
    let mut lowest = 0;
    for &op in ops {
        match op {
            Op::Put(id, distance) => {
                let key = base + distance;
                lowest = if model.is_empty() {
                    key
                } else {
                    lowest.min(key)
                };
                if model.insert(id, key).is_some() {
                    queue.rekey(&mut nodes[..], id, on_circle(origin, key));
                } else {
                    prop_assert_eq!(
                        queue.insert(&mut nodes[..], id, on_circle(origin, key)),
                        Ok(())
                    );
                }
            }
            Op::Remove(id) => {
                if model.remove(&id).is_some() {
                    queue.remove(&mut nodes[..], id);
                }
            }
            Op::Pop => {
                let ahead: i64 = model.values().map(|key| key - lowest).sum();
                let mut looks = ahead as usize / (buckets - 1) + 2 * model.len();
                while let Some((id, bound)) = queue.peek(&mut nodes[..]) {
                    prop_assert_eq!(queue.peek(&mut nodes[..]), Some((id, bound)));
                    let is_before = |key: &&i64| Q::is_before(on_circle(origin, **key), bound);
                    let too_late = model.values().find(is_before);
                    prop_assert_eq!(too_late, None, "{} is offered", bound);
                    let key = *model.get(&id).ok_or(TestCaseError::fail("no such entry"))?;
                    if bound == on_circle(origin, key) {
                        prop_assert_eq!(model.values().min(), Some(&key));
                        queue.pop(&mut nodes[..], id);
                        model.remove(&id);
                        base = key;
                        break;
                    }
                    prop_assert!(looks > 0, "too many looks");
                    looks -= 1;
                    queue.requeue(&mut nodes[..], id, on_circle(origin, key));
                }
            }
            Op::Advance(by) => base += by,
            Op::Clear => {
                queue.clear(&mut nodes[..], CELLS);
                model.clear();
            }
        }
        prop_assert_eq!(queue.count(links(&nodes)), model.len());
        prop_assert_eq!(queue.peek(&mut nodes[..]).is_none(), model.is_empty());
        for (&id, &key) in &model {
            let bound = queue
                .bound(links(&nodes), id)
                .ok_or(TestCaseError::fail("not found"))?;
            prop_assert!(!Q::is_before(on_circle(origin, key), bound));
        }
        if let Some((id, bound)) = queue.peek(&mut nodes[..]) {
            prop_assert_eq!(queue.bound(links(&nodes), id), Some(bound));
        }
    }
    Ok(())
}

#[test]
fn buckets_give_a_minimum_however_keys_grow_wrap_and_move_back() {
    check(
        3000,
        (origin(), ops(any_distance(), 0..3000)),
        |(origin, ops)| {
            play_on_buckets::<Bits16, _>(Buckets::<1, Lifo>::new(), origin, &ops)?;
            play_on_buckets::<Bits32, _>(Buckets::<1, Fifo>::new(), origin, &ops)?;
            play_on_buckets::<Bits32, _>(Buckets::<2, Lifo>::new(), origin, &ops)?;
            play_on_buckets::<Bits16, _>(Buckets::<16, Fifo>::new(), origin, &ops)
        },
    );
}

/// The `f`, `g` and `under` of a rank; `f` is relative to a base that moves.
type RelativeRank = (i64, usize, bool);

/// A queue that is exact to the last tie, and the order of its entries.
trait Exact<W: Width>: AuditQueue<W, Key: PartialEq + std::fmt::Debug> {
    type Order: Copy + Ord;

    fn in_blocks(blocks: usize) -> Self;

    /// The distance from the key popped last, brought to where the queue is exact.
    fn distance(f: i64) -> i64;

    fn key_at(origin: usize, rank: RelativeRank) -> Self::Key;

    /// The order of an entry that was put in some turn.
    fn order(rank: RelativeRank, turn: i64, id: usize) -> Self::Order;
}

/// In the window, among equal keys as `O` says. A new key makes an entry the newest of its bucket.
impl<W: Width, const WORDS: usize, O: Order> Exact<W> for Buckets<WORDS, O> {
    type Order = (i64, i64);

    fn in_blocks(_blocks: usize) -> Self {
        Self::new()
    }

    fn distance(f: i64) -> i64 {
        f.rem_euclid(32 * WORDS as i64)
    }

    fn key_at(origin: usize, (f, ..): RelativeRank) -> Self::Key {
        on_circle(origin, f)
    }

    fn order((f, ..): RelativeRank, turn: i64, _id: usize) -> Self::Order {
        (f, if O::LIFO { -turn } else { turn })
    }
}

/// Equal entries of `u128` by age, of `u64` by id.
impl<W: Width, E: Entry + Holds<W> + PartialEq, T: Tie + 'static> Exact<W> for BoxedHeap<E, T> {
    type Order = (i64, Reverse<bool>, i64, i64);

    fn in_blocks(blocks: usize) -> Self {
        Self::allocate(blocks)
    }

    fn distance(f: i64) -> i64 {
        f
    }

    fn key_at(origin: usize, (f, g, under): RelativeRank) -> Self::Key {
        let f = on_circle(origin, f);
        Self::key(Rank { f, g, under })
    }

    fn order((f, g, under): RelativeRank, turn: i64, id: usize) -> Self::Order {
        let by_age = size_of::<E>() == size_of::<u128>();
        let tie = if by_age { turn } else { id as i64 };
        match std::any::TypeId::of::<T>() == std::any::TypeId::of::<LargerG>() {
            true => (f, Reverse(under), -(g as i64), tie),
            false => (f, Reverse(false), g as i64, tie),
        }
    }
}

/// Applies operations on a queue beside a sorted model.
fn play_exactly<W: Width, Q: Exact<W>>(
    origin: usize,
    blocks: usize,
    ops: &[Op<RelativeRank>],
) -> TestCaseResult {
    let mut queue = Q::in_blocks(blocks);
    let (mut nodes, capacity) = nodes::<W, _>(&mut queue, CELLS);
    let mut model = BTreeMap::new();
    let mut base = 0;
    for (turn, &op) in (0..).zip(ops) {
        match op {
            Op::Put(id, (f, g, under)) => {
                let rank = (base + Q::distance(f), g, under);
                let (order, key) = (Q::order(rank, turn, id), Q::key_at(origin, rank));
                if model.contains_key(&id) {
                    queue.rekey(&mut nodes[..], id, key);
                } else if model.len() < capacity {
                    prop_assert_eq!(queue.insert(&mut nodes[..], id, key), Ok(()));
                } else {
                    let first = queue.peek(&mut nodes[..]);
                    prop_assert_eq!(queue.insert(&mut nodes[..], id, key), Err(Full));
                    prop_assert_eq!(queue.peek(&mut nodes[..]), first);
                    continue;
                }
                model.insert(id, (order, key, rank.0));
            }
            Op::Remove(id) => {
                if model.remove(&id).is_some() {
                    queue.remove(&mut nodes[..], id);
                }
            }
            Op::Pop => {
                let first = model.iter().min_by_key(|(_, (order, ..))| *order);
                let first = first.map(|(&id, &(_, key, f))| (id, key, f));
                prop_assert_eq!(
                    queue.peek(&mut nodes[..]),
                    first.map(|(id, key, _)| (id, key))
                );
                if let Some((id, _, f)) = first {
                    queue.pop(&mut nodes[..], id);
                    model.remove(&id);
                    base = f;
                }
            }
            Op::Advance(by) => base += by,
            Op::Clear => {
                queue.clear(&mut nodes[..], CELLS);
                model.clear();
            }
        }
        prop_assert_eq!(queue.count(links(&nodes)), model.len());
        for (&id, &(_, key, _)) in &model {
            prop_assert_eq!(queue.bound(links(&nodes), id), Some(key));
        }
    }
    Ok(())
}

#[test]
fn entries_of_a_bucket_come_out_in_its_order() {
    let distance = prop_oneof![0i64..4, 0i64..512];
    // The window begins at the key popped last.
    let cases = (origin(), ops((distance, Just(0), Just(false)), 0..1));
    check(2000, cases, |(origin, ops)| {
        play_exactly::<Bits16, Buckets<1, Lifo>>(origin, 0, &ops)?;
        play_exactly::<Bits16, Buckets<1, Fifo>>(origin, 0, &ops)?;
        play_exactly::<Bits16, Buckets<16, Lifo>>(origin, 0, &ops)?;
        play_exactly::<Bits16, Buckets<16, Fifo>>(origin, 0, &ops)
    });
}

#[test]
fn a_heap_is_exact_to_the_last_tie_however_keys_grow_and_wrap() {
    let f = prop_oneof![4 => -3i64..4, 1 => any_distance()];
    let g = prop_oneof![4 => 0usize..4, 1 => 0..=usize::from(u16::MAX)];
    let ops = ops((f, g, any::<bool>()), 0..100_000);
    let blocks = 1..=2usize; // the first has less room than there are cells
    check(3000, (origin(), blocks, ops), |(origin, blocks, ops)| {
        play_exactly::<Bits16, BoxedHeap<u64, LargerG>>(origin, blocks, &ops)?;
        play_exactly::<Bits16, BoxedHeap<u64, SmallerG>>(origin, blocks, &ops)?;
        play_exactly::<Bits16, BoxedHeap<u128, LargerG>>(origin, blocks, &ops)?;
        play_exactly::<Bits32, BoxedHeap<u128, SmallerG>>(origin, blocks, &ops)
    });
}

/// Fills a queue for `cells` cells, which refuses all others and stays as it was.
fn refuses<W: Width, Q: AuditQueue<W, Key: PartialEq + std::fmt::Debug>>(
    mut queue: Q,
    cells: usize,
    room: usize,
    others: &[usize],
) {
    let (mut nodes, capacity) = nodes::<W, Q>(&mut queue, cells);
    assert_eq!(capacity, room);
    let key = Q::floor(7);
    for id in 0..cells {
        assert_eq!(queue.insert(&mut nodes[..], id, key), Ok(()));
    }
    for &id in others {
        assert_eq!(queue.insert(&mut nodes[..], id, Q::floor(3)), Err(Full));
        assert_eq!(queue.count(links(&nodes)), cells);
        assert_eq!(queue.peek(&mut nodes[..]), Some((0, key)));
    }
    let all: Vec<usize> = (0..cells).collect();
    assert_eq!(drain::<W, Q>(&mut queue, &mut nodes), all);
}

#[test]
fn cells_beyond_the_capacity_are_refused_and_the_queue_stays_as_it_was() {
    let ring = Buckets::<1, Fifo>::new();
    refuses::<Bits16, _>(ring, 5, 5, &[5, 6, 5 + 31, 5 + 32, usize::MAX]);
    let heap = BoxedHeap::<u64, LargerG>::allocate(1);
    refuses::<Bits16, _>(heap, 3, 16, &[3, 9, usize::MAX]);
}

/// Returns whether an entry comes before another, and the other does not come before it.
fn precedes<Q: Queue<Bits16>>(a: Q::Key, b: Q::Key) -> bool {
    assert!(!(Q::is_before(a, b) && Q::is_before(b, a)));
    Q::is_before(a, b)
}

/// Checks that `f` comes first, and that of equal `f` the entries of `sorted` come in their order.
fn check_ranks<Q: Queue<Bits16>>(f: usize, g: usize, sorted: &[(usize, bool)]) {
    let rank = |f, g, under| Q::key(Rank { f, g, under });
    let next = f.wrapping_add(1);
    for under in [true, false] {
        assert!(!precedes::<Q>(rank(f, g, under), Q::floor(f)));
        assert!(precedes::<Q>(rank(f, g, under), Q::floor(next)));
        for (g_next, later) in [(0, true), (0, false), (65_535, true), (65_535, false)] {
            assert!(precedes::<Q>(rank(f, g, under), rank(next, g_next, later)));
        }
    }
    for pair in sorted.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(|(g, under)| rank(f, g, under));
        assert!(precedes::<Q>(a, b), "{pair:?}");
    }
}

#[test]
fn keys_put_f_first_then_under_consistency_then_g_as_the_queue_says() {
    check(1000, (origin(), 0usize..65_535), |(f, g)| {
        let larger = [(g, true), (g + 1, false), (g, false)];
        let smaller = [(g, false), (g + 1, true)];
        check_ranks::<Buckets<1, Lifo>>(f, g, &[(g, true), (g, false)]);
        check_ranks::<BoxedHeap<u64, LargerG>>(f, g, &larger);
        check_ranks::<BoxedHeap<u64, SmallerG>>(f, g, &smaller);
        check_ranks::<BoxedHeap<u128, LargerG>>(f, g, &larger);
        check_ranks::<BoxedHeap<u128, SmallerG>>(f, g, &smaller);
        Ok(())
    });
}
