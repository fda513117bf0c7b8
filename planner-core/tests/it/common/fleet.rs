//! Planners side by side, over the same terrain but each with memory of its own.

use planner_core::{
    BuildError, Cell, Planner,
    map::Unknown,
    queue::{Buckets, Entry, Fifo, Heap, LargerG, Lifo, Order, Queue, SmallerG, Tie},
    search::{Adaptive, Backward, DStarLite, Forward, RepeatedAStar, Strategy},
    terrain::Terrain,
    width::{Bits16, Bits32, Width},
};

use super::{kind::Kind, world::World};

/// A planner under test.
pub trait Subject: Planner {
    /// Whether its invariants hold.
    fn audit(&self) -> Result<(), String> {
        Ok(())
    }

    /// The cost of the way it found in its last tick, if it tells: `Some(None)` for no way.
    fn found(&self) -> Option<Option<usize>> {
        None
    }

    /// How often it expands a cell in one tick at most, if there is a bound.
    fn times(&self) -> Option<usize> {
        None
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>, S: Strategy> Subject for RepeatedAStar<'_, W, T, Q, S> {
    fn times(&self) -> Option<usize> {
        Some(1)
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>> Subject for DStarLite<'_, W, T, Q> {
    fn audit(&self) -> Result<(), String> {
        DStarLite::audit(self).map_err(|broken| format!("{broken:?}"))
    }

    fn found(&self) -> Option<Option<usize>> {
        Some(self.distance())
    }

    fn times(&self) -> Option<usize> {
        Some(2)
    }
}

/// A planner and what to call it.
pub struct Member<'p> {
    pub name: &'static str,
    pub planner: &'p mut dyn Subject,
}

/// What planners are built for.
pub struct Setup<'w> {
    /// What is known from the start.
    pub known: &'w World,
    pub unknown: Unknown,
    pub heaviest: u8,
    pub start: Cell,
    pub goal: Cell,
}

/// A queue that can be made in memory lent to it.
pub trait Open<'m> {
    type Entry: Clone + Default;

    fn open(memory: &'m mut [Self::Entry]) -> Self;
}

impl<const WORDS: usize, O: Order> Open<'_> for Buckets<WORDS, O> {
    type Entry = ();

    fn open(_memory: &mut [()]) -> Self {
        Self::new()
    }
}

impl<'m, E: Entry, T: Tie> Open<'m> for Heap<'m, E, T> {
    type Entry = E;

    fn open(memory: &'m mut [E]) -> Self {
        Self::new(memory)
    }
}

/// Builds a planner and has it join a fleet, if the map is not too costly for 16 bits.
macro_rules! join {
    ($fleet:ident, $kind:ty, $setup:ident, $search:ident, $width:ty, $queue:ty $(, $strategy:ty)?) => {
        let (width, height) = ($setup.known.width, $setup.known.height);
        let vertices = <$kind>::vertices(width, height);
        let mut words = vec![0; <$kind>::words(width, height)];
        let mut weights = vec![0; vertices];
        let mut entries = vec![Default::default(); vertices];
        let mut nodes = vec![
            Default::default();
            $search::<$width, <$kind as Kind>::Terrain<'_>, $queue $(, $strategy)?>::nodes(vertices)
        ];
        let (unknown, heaviest) = ($setup.unknown, $setup.heaviest);
        let terrain =
            <$kind>::knowing($setup.known, &mut words, &mut weights, unknown, heaviest);
        let queue = <$queue as Open>::open(&mut entries);
        let mut planner = $search::<$width, _, $queue $(, $strategy)?>::new(
            terrain,
            queue,
            &mut nodes,
            $setup.start,
            $setup.goal,
        );
        match &mut planner {
            Ok(planner) => $fleet.push(Member {
                name: concat!(
                    stringify!($search), " ", $(stringify!($strategy), " ",)?
                    stringify!($width), " ", stringify!($queue)
                ),
                planner,
            }),
            Err(BuildError::TooCostly { .. }) => assert_eq!(stringify!($width), "Bits16"),
            Err(other) => panic!("{other}"),
        }
    };
}

/// A choice of planners.
pub trait Fleet {
    /// Builds them and runs something with them.
    fn with<K: Kind>(setup: &Setup, run: &mut dyn FnMut(&mut [Member]));
}

/// D* Lite with every queue at both widths, down to a ring of 32 buckets.
pub struct DStarLites;

/// D* Lite with a heap and with a tiny ring, for the terrains beside the main ones.
pub struct SomeDStarLites;

/// Repeated A*, each way, with every queue at both widths.
pub struct RepeatedAStars;

/// Repeated A* backward and adaptive, for the terrains beside the main ones.
pub struct SomeRepeatedAStars;

impl Fleet for DStarLites {
    fn with<K: Kind>(setup: &Setup, run: &mut dyn FnMut(&mut [Member])) {
        let mut fleet = Vec::new();
        join!(fleet, K, setup, DStarLite, Bits16, Buckets<16, Lifo>);
        join!(fleet, K, setup, DStarLite, Bits16, Buckets<1, Lifo>);
        join!(fleet, K, setup, DStarLite, Bits16, Heap<u64, SmallerG>);
        join!(fleet, K, setup, DStarLite, Bits16, Heap<u64, LargerG>);
        join!(fleet, K, setup, DStarLite, Bits32, Buckets<2, Fifo>);
        join!(fleet, K, setup, DStarLite, Bits32, Heap<u128, SmallerG>);
        join!(fleet, K, setup, DStarLite, Bits32, Heap<u128, LargerG>);
        run(&mut fleet);
    }
}

impl Fleet for SomeDStarLites {
    fn with<K: Kind>(setup: &Setup, run: &mut dyn FnMut(&mut [Member])) {
        let mut fleet = Vec::new();
        join!(fleet, K, setup, DStarLite, Bits16, Heap<u64, SmallerG>);
        join!(fleet, K, setup, DStarLite, Bits32, Buckets<1, Lifo>);
        run(&mut fleet);
    }
}

impl Fleet for RepeatedAStars {
    fn with<K: Kind>(setup: &Setup, run: &mut dyn FnMut(&mut [Member])) {
        let mut fleet = Vec::new();
        join!(fleet, K, setup, RepeatedAStar, Bits16, Heap<u128, LargerG>, Forward);
        join!(fleet, K, setup, RepeatedAStar, Bits16, Heap<u128, LargerG>, Backward);
        join!(fleet, K, setup, RepeatedAStar, Bits16, Heap<u128, LargerG>, Adaptive);
        join!(fleet, K, setup, RepeatedAStar, Bits16, Heap<u64, SmallerG>, Forward);
        join!(fleet, K, setup, RepeatedAStar, Bits16, Heap<u64, SmallerG>, Adaptive);
        join!(fleet, K, setup, RepeatedAStar, Bits16, Buckets<16, Lifo>, Backward);
        join!(fleet, K, setup, RepeatedAStar, Bits32, Buckets<1, Fifo>, Forward);
        join!(fleet, K, setup, RepeatedAStar, Bits32, Buckets<1, Lifo>, Adaptive);
        run(&mut fleet);
    }
}

impl Fleet for SomeRepeatedAStars {
    fn with<K: Kind>(setup: &Setup, run: &mut dyn FnMut(&mut [Member])) {
        let mut fleet = Vec::new();
        join!(fleet, K, setup, RepeatedAStar, Bits32, Buckets<1, Fifo>, Backward);
        join!(fleet, K, setup, RepeatedAStar, Bits32, Heap<u128, LargerG>, Adaptive);
        run(&mut fleet);
    }
}
