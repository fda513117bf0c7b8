//! The open lists against sorted models, under random operations.

use std::{cmp::Reverse, collections::BTreeMap, marker::PhantomData};

use planner_core::{
    queue::{
        AuditQueue, Buckets, Entry, Fifo, Full, Heap, Holds, Keys, LargerG, Lifo, Linked, Order,
        Queue, Rank, SmallerG, Tie,
    },
    width::{Bits16, Bits32, Width},
};
use proptest::{
    prelude::*,
    test_runner::{TestCaseError, TestCaseResult},
};

use crate::{build::OwnedHeap, runner};

/// A node that is nothing but a queue's link.
#[derive(Clone, Copy, Debug, Default)]
struct Node<L>(L);

impl<L> Linked<L> for Node<L> {
    fn link(&mut self) -> &mut L {
        &mut self.0
    }
}

/// A queue with its nodes.
struct WithNodes<W: Width, Q: AuditQueue<W>> {
    queue: Q,
    nodes: Vec<Node<Q::Link>>,
    width: PhantomData<W>,
}

impl<W: Width, Q: AuditQueue<W>> WithNodes<W, Q> {
    /// Holds a queue for `cells` cells; also says how many entries it can hold.
    fn new(mut queue: Q, cells: usize) -> (Self, usize) {
        let mut nodes = vec![Node::default(); cells + Q::HEADS];
        let capacity = queue.clear(&mut nodes[..], cells);
        let width = PhantomData;
        (
            Self {
                queue,
                nodes,
                width,
            },
            capacity,
        )
    }

    fn clear(&mut self) {
        let cells = self.nodes.len() - Q::HEADS;
        self.queue.clear(&mut self.nodes[..], cells);
    }

    fn insert(&mut self, id: usize, key: Q::Key) -> Result<(), Full> {
        self.queue.insert(&mut self.nodes[..], id, key)
    }

    fn remove(&mut self, id: usize) {
        self.queue.remove(&mut self.nodes[..], id);
    }

    fn rekey(&mut self, id: usize, key: Q::Key) {
        self.queue.rekey(&mut self.nodes[..], id, key);
    }

    fn peek(&mut self) -> Option<(usize, Q::Key)> {
        self.queue.peek(&mut self.nodes[..])
    }

    fn bound(&self, id: usize) -> Option<Q::Key> {
        self.queue
            .bound(|id| self.nodes.get(id).map(|node| node.0), id)
    }

    /// Takes out the entry that was just peeked at.
    fn pop(&mut self, first: usize) {
        self.queue.pop(&mut self.nodes[..], first);
    }

    /// Gives the entry that was just peeked at another key.
    fn requeue(&mut self, first: usize, key: Q::Key) {
        self.queue.requeue(&mut self.nodes[..], first, key);
    }

    /// Takes out all entries, the first one first.
    fn drain(&mut self) -> Vec<usize> {
        let mut order = Vec::new();
        while let Some((id, _)) = self.peek() {
            self.pop(id);
            order.push(id);
        }
        order
    }

    fn count(&self) -> usize {
        let link = |id: usize| self.nodes.get(id).map(|node| node.0);
        self.queue.count(link)
    }
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

/// Where the keys begin: also so that they run over the end of the machine word, or over its middle.
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

/// Plays operations on a ring of buckets. What `peek` offers is never after any entry's key, and an
/// entry offered with its own key is a minimum, found in a bounded number of looks.
fn play_on_buckets<W: Width, const WORDS: usize, O: Order>(
    origin: usize,
    ops: &[Op<i64>],
) -> TestCaseResult {
    let buckets = 32 * WORDS;
    let (mut queue, capacity) = WithNodes::<W, Buckets<WORDS, O>>::new(Buckets::new(), CELLS);
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
                    queue.rekey(id, on_circle(origin, key));
                } else {
                    prop_assert_eq!(queue.insert(id, on_circle(origin, key)), Ok(()));
                }
            }
            Op::Remove(id) => {
                if model.remove(&id).is_some() {
                    queue.remove(id);
                }
            }
            Op::Pop => {
                let ahead: i64 = model.values().map(|key| key - lowest).sum();
                let mut looks = ahead as usize / (buckets - 1) + 2 * model.len();
                while let Some((id, bound)) = queue.peek() {
                    prop_assert_eq!(queue.peek(), Some((id, bound)));
                    let too_late = model.values().find(|&&key| {
                        <Buckets<WORDS, O> as Keys>::is_before(on_circle(origin, key), bound)
                    });
                    prop_assert_eq!(too_late, None, "{} is offered", bound);
                    let key = *model.get(&id).ok_or(TestCaseError::fail("no such entry"))?;
                    if bound == on_circle(origin, key) {
                        prop_assert_eq!(model.values().min(), Some(&key));
                        queue.pop(id);
                        model.remove(&id);
                        base = key;
                        break;
                    }
                    prop_assert!(looks > 0, "too many looks");
                    looks -= 1;
                    queue.requeue(id, on_circle(origin, key));
                }
            }
            Op::Advance(by) => base += by,
            Op::Clear => {
                queue.clear();
                model.clear();
            }
        }
        prop_assert_eq!(queue.count(), model.len());
        prop_assert_eq!(queue.peek().is_none(), model.is_empty());
        for (&id, &key) in &model {
            let bound = queue.bound(id).ok_or(TestCaseError::fail("not found"))?;
            let key = on_circle(origin, key);
            prop_assert!(!<Buckets<WORDS, O> as Keys>::is_before(key, bound));
        }
        if let Some((id, bound)) = queue.peek() {
            prop_assert_eq!(queue.bound(id), Some(bound));
        }
    }
    Ok(())
}

#[test]
fn buckets_give_a_minimum_however_keys_grow_wrap_and_move_back() {
    let cases = (origin(), ops(any_distance(), 0..3000));
    let outcome = runner(3000).run(&cases, |(origin, ops)| {
        play_on_buckets::<Bits16, 1, Lifo>(origin, &ops)?;
        play_on_buckets::<Bits32, 1, Fifo>(origin, &ops)?;
        play_on_buckets::<Bits32, 2, Lifo>(origin, &ops)?;
        play_on_buckets::<Bits16, 2, Fifo>(origin, &ops)?;
        play_on_buckets::<Bits16, 16, Lifo>(origin, &ops)?;
        play_on_buckets::<Bits32, 16, Fifo>(origin, &ops)
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Plays operations with keys that all lie in the ring's window: order is exact, and among equal
/// keys as `O` says. A new key makes an entry the newest of its bucket.
fn play_in_the_window<const WORDS: usize, O: Order>(
    origin: usize,
    ops: &[Op<i64>],
) -> TestCaseResult {
    let buckets = 32 * WORDS as i64;
    let (mut queue, _) = WithNodes::<Bits16, Buckets<WORDS, O>>::new(Buckets::new(), CELLS);
    let mut model: BTreeMap<usize, (i64, i64)> = BTreeMap::new();
    let mut base = 0;
    for (turn, &op) in ops.iter().enumerate() {
        let age = turn as i64 * if O::LIFO { -1 } else { 1 };
        match op {
            Op::Put(id, distance) => {
                let key = base + distance.rem_euclid(buckets);
                match model.insert(id, (key, age)) {
                    Some(_) => queue.rekey(id, on_circle(origin, key)),
                    None => queue.insert(id, on_circle(origin, key)).unwrap(),
                }
            }
            Op::Remove(id) => {
                if model.remove(&id).is_some() {
                    queue.remove(id);
                }
            }
            Op::Pop => {
                let first = model.iter().min_by_key(|(_, order)| **order);
                let first = first.map(|(&id, &(key, _))| (id, key));
                let expected = first.map(|(id, key)| (id, on_circle(origin, key)));
                prop_assert_eq!(queue.peek(), expected);
                if let Some((id, key)) = first {
                    queue.pop(id);
                    model.remove(&id);
                    base = key;
                }
            }
            Op::Advance(_) => {} // the window begins at the key popped last
            Op::Clear => {
                queue.clear();
                model.clear();
            }
        }
    }
    Ok(())
}

#[test]
fn entries_of_a_bucket_come_out_in_its_order() {
    let distance = prop_oneof![0i64..4, 0i64..512];
    let cases = (origin(), ops(distance, 0..3000));
    let outcome = runner(2000).run(&cases, |(origin, ops)| {
        play_in_the_window::<1, Lifo>(origin, &ops)?;
        play_in_the_window::<1, Fifo>(origin, &ops)?;
        play_in_the_window::<2, Lifo>(origin, &ops)?;
        play_in_the_window::<2, Fifo>(origin, &ops)?;
        play_in_the_window::<16, Lifo>(origin, &ops)?;
        play_in_the_window::<16, Fifo>(origin, &ops)
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn a_ring_refuses_cells_beyond_its_capacity_and_stays_as_it_was() {
    let (mut queue, capacity) = WithNodes::<Bits16, Buckets<1, Fifo>>::new(Buckets::new(), 5);
    assert_eq!(capacity, 5);
    for id in 0..5 {
        assert_eq!(queue.insert(id, 7), Ok(()));
    }
    for id in [5, 6, 5 + 31, 5 + 32, usize::MAX] {
        assert_eq!(queue.insert(id, 3), Err(Full));
        assert_eq!((queue.count(), queue.peek()), (5, Some((0, 7))));
    }
    assert_eq!(queue.drain(), [0, 1, 2, 3, 4]);
}

/// A rank whose `f` is relative to a base that moves.
type Place = (i64, usize, bool);

/// How a heap's entries are ordered, from the first to the last.
trait Sorted: Tie {
    fn order(f: i64, g: usize, under: bool) -> (i64, Reverse<bool>, i64);
}

impl Sorted for LargerG {
    fn order(f: i64, g: usize, under: bool) -> (i64, Reverse<bool>, i64) {
        (f, Reverse(under), -(g as i64))
    }
}

impl Sorted for SmallerG {
    fn order(f: i64, g: usize, _under: bool) -> (i64, Reverse<bool>, i64) {
        (f, Reverse(false), g as i64)
    }
}

/// How entries with equal keys are ordered.
trait Stable: Entry {
    fn tie(turn: usize, id: usize) -> usize;
}

impl Stable for u128 {
    fn tie(turn: usize, _id: usize) -> usize {
        turn
    }
}

impl Stable for u64 {
    fn tie(_turn: usize, id: usize) -> usize {
        id
    }
}

/// Plays operations on a heap, which is exact to the last tie.
fn play_on_heap<W: Width, E: Stable + Holds<W> + PartialEq, T: Sorted>(
    origin: usize,
    blocks: usize,
    ops: &[Op<Place>],
) -> TestCaseResult {
    let key = |f: i64, g: usize, under: bool| {
        let f = on_circle(origin, f);
        <OwnedHeap<E, T> as Keys>::key(Rank { f, g, under })
    };
    let (mut queue, room) = WithNodes::<W, OwnedHeap<E, T>>::new(Heap::allocate(blocks), CELLS);
    let capacity = 16 * blocks;
    prop_assert_eq!(room, capacity);
    let mut model = BTreeMap::new();
    let mut base = 0;
    for (turn, &op) in ops.iter().enumerate() {
        match op {
            Op::Put(id, (f, g, under)) => {
                let f = base + f;
                let order = (T::order(f, g, under), E::tie(turn, id));
                let entry = (order, key(f, g, under), f);
                if model.contains_key(&id) {
                    queue.rekey(id, entry.1);
                } else if model.len() < capacity {
                    prop_assert_eq!(queue.insert(id, entry.1), Ok(()));
                } else {
                    let first = queue.peek();
                    prop_assert_eq!(queue.insert(id, entry.1), Err(Full));
                    prop_assert!(queue.peek() == first);
                    continue;
                }
                model.insert(id, entry);
            }
            Op::Remove(id) => {
                if model.remove(&id).is_some() {
                    queue.remove(id);
                }
            }
            Op::Pop => {
                let first = model.iter().min_by_key(|(_, (order, _, _))| *order);
                let first = first.map(|(&id, &(_, key, f))| (id, key, f));
                prop_assert!(queue.peek() == first.map(|(id, key, _)| (id, key)));
                if let Some((id, _, f)) = first {
                    queue.pop(id);
                    model.remove(&id);
                    base = f;
                }
            }
            Op::Advance(by) => base += by,
            Op::Clear => {
                queue.clear();
                model.clear();
            }
        }
        prop_assert_eq!(queue.count(), model.len());
        for id in 0..CELLS {
            prop_assert!(queue.bound(id) == model.get(&id).map(|&(_, key, _)| key));
        }
    }
    Ok(())
}

#[test]
fn a_heap_is_exact_to_the_last_tie_however_keys_grow_and_wrap() {
    let f = prop_oneof![4 => -3i64..4, 1 => any_distance()];
    let g = prop_oneof![4 => 0usize..4, 1 => 0..=usize::from(u16::MAX)];
    let ops = ops((f, g, any::<bool>()), 0..100_000);
    let blocks = 1..=2usize; // the first has less room than there are cells
    let outcome = runner(3000).run(&(origin(), blocks, ops), |(origin, blocks, ops)| {
        play_on_heap::<Bits16, u64, LargerG>(origin, blocks, &ops)?;
        play_on_heap::<Bits16, u64, SmallerG>(origin, blocks, &ops)?;
        play_on_heap::<Bits16, u128, LargerG>(origin, blocks, &ops)?;
        play_on_heap::<Bits32, u128, SmallerG>(origin, blocks, &ops)
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn a_heap_refuses_cells_that_have_no_node() {
    let (mut queue, _) = WithNodes::<Bits16, OwnedHeap<u64, LargerG>>::new(Heap::allocate(1), 3);
    let key = <OwnedHeap<u64, LargerG> as Keys>::floor(7);
    assert_eq!(queue.insert(2, key), Ok(()));
    for id in [3, 9, usize::MAX] {
        assert_eq!(queue.insert(id, key), Err(Full));
        assert_eq!((queue.count(), queue.peek()), (1, Some((2, key))));
    }
}

#[test]
fn equal_entries_of_a_stable_heap_come_out_first_in_first_out() {
    let (mut queue, _) = WithNodes::<Bits32, OwnedHeap<u128, LargerG>>::new(Heap::allocate(1), 8);
    let key = <OwnedHeap<u128, LargerG> as Keys>::floor(7);
    for id in [3, 1, 4, 0, 5, 2] {
        queue.insert(id, key).unwrap();
    }
    queue.rekey(4, key); // the newest now
    queue.remove(0);
    let first = queue.peek().map(|(id, _)| id);
    assert_eq!(first, Some(3));
    queue.requeue(3, key);
    assert_eq!(queue.drain(), [1, 5, 2, 4, 3]);
}

/// Where `a` comes before `b`, and not the other way round.
fn precedes<Q: Queue<Bits16>>(a: Q::Key, b: Q::Key) -> bool {
    assert!(!(Q::is_before(a, b) && Q::is_before(b, a)));
    Q::is_before(a, b)
}

fn check_ranks<Q: Queue<Bits16>>(f: usize, g: usize) -> TestCaseResult {
    let rank = |f, g, under| Q::key(Rank { f, g, under });
    for under in [true, false] {
        let next = f.wrapping_add(1);
        prop_assert!(!precedes::<Q>(rank(f, g, under), Q::floor(f)));
        prop_assert!(precedes::<Q>(rank(f, g, under), Q::floor(next)));
        for later in [true, false] {
            prop_assert!(precedes::<Q>(rank(f, g, under), rank(next, 0, later)));
            prop_assert!(precedes::<Q>(rank(f, g, under), rank(next, 65_535, later)));
        }
    }
    Ok(())
}

#[test]
fn keys_put_f_first_then_under_consistency_then_g_as_the_queue_says() {
    let outcome = runner(1000).run(&(origin(), 0usize..65_535), |(f, g)| {
        let rank = |g, under| Rank { f, g, under };
        check_ranks::<Buckets<1, Lifo>>(f, g)?;
        check_ranks::<OwnedHeap<u64, LargerG>>(f, g)?;
        check_ranks::<OwnedHeap<u64, SmallerG>>(f, g)?;
        check_ranks::<OwnedHeap<u128, LargerG>>(f, g)?;
        check_ranks::<OwnedHeap<u128, SmallerG>>(f, g)?;

        type Ring = Buckets<1, Lifo>;
        let key = |rank| <Ring as Keys>::key(rank);
        prop_assert!(precedes::<Ring>(key(rank(g, true)), key(rank(g, false))));

        type Larger = OwnedHeap<u64, LargerG>;
        let key = |rank| <Larger as Keys>::key(rank);
        prop_assert!(precedes::<Larger>(
            key(rank(g, true)),
            key(rank(g + 1, false))
        ));
        prop_assert!(precedes::<Larger>(
            key(rank(g + 1, false)),
            key(rank(g, false))
        ));

        type Smaller = OwnedHeap<u64, SmallerG>;
        let key = |rank| <Smaller as Keys>::key(rank);
        prop_assert!(precedes::<Smaller>(
            key(rank(g, false)),
            key(rank(g + 1, true))
        ));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
