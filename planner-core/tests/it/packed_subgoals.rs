//! Trees as bytes: what was written is read, in place and for its own map only; every damage is found.

use planner_core::{
    Budget, Cell, Decision, Observation, Planner, Work,
    local::SuccessorOrder,
    map::{AsFree, Map, Occupancy},
    subgoal::{
        ExitRule, FirstGoal, Rules, Source, Sub, Tree,
        packed::{Cover, PackError, Packed, PackedError, Packer, fingerprint, pack_tree},
    },
    width::Bits32,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{self, Follower, GrownTree, Kind},
    for_seeds,
    subgoal_walks::{Contents, contents, draw, in_worlds, walk},
    terrains::{Fine8, Plain4, Plain8, Walled4},
    world::{Connectivity, World, blocked_with},
};

const COVERS: [Cover; 2] = [Cover::Written, Cover::LeftOut];

/// A tree that has not begun to grow.
fn seedling<K: Kind>(map: &K::Map, world: &World, goal: Cell) -> GrownTree<Bits32> {
    build::tree(map, ExitRule::Safe, world.count() + 1, goal)
}

/// The trees of some goals.
fn trees<K: Kind>(world: &World, goals: &[Cell]) -> Vec<GrownTree<Bits32>> {
    let map = K::knowing(world);
    let grow = |&goal: &Cell| {
        let mut tree = seedling::<K>(&map, world, goal);
        let work = &mut Work::default();
        tree.advance(&map.view::<AsFree>(), Budget::UNLIMITED, work);
        tree
    };
    goals.iter().map(grow).collect()
}

/// Passable cells, row by row: goals to pack trees for.
fn goals(world: &World, rng: &mut ChaCha8Rng, count: usize) -> Vec<Cell> {
    let mut goals: Vec<Cell> = (0..count).map(|_| world.random_cell(rng)).collect();
    goals.retain(|&goal| world.is_passable(goal));
    goals.sort_by_key(|goal| (goal.y, goal.x));
    goals.dedup();
    goals
}

/// The bytes of the trees for some goals.
fn pack<K: Kind>(world: &World, goals: &[Cell], cover: Cover) -> Vec<u8> {
    let (map, trees) = (K::knowing(world), trees::<K>(world, goals));
    let mut buffer = Vec::new();
    loop {
        let mut packer = Packer::new(&mut buffer, &map.view::<AsFree>(), goals.len(), cover);
        for tree in &trees {
            packer.push(tree).expect("in order");
        }
        match packer.finish().map(<[u8]>::to_vec) {
            Ok(bytes) => {
                assert_eq!(bytes, buffer, "exactly as long as was said");
                return bytes;
            }
            Err(PackError::NoRoom { needed }) => {
                assert!(needed > buffer.len());
                buffer = vec![0xa5; needed];
            }
            Err(other) => panic!("{other}"),
        }
    }
}

fn read<K: Kind>(world: &World, bytes: &[u8]) -> Result<(), PackedError> {
    Packed::read(bytes, &K::knowing(world).view::<AsFree>()).map(|_| ())
}

fn survives<K: Kind>(cases: u64) {
    in_worlds::<K>(cases, 18, |world, rng| {
        let count = rng.random_range(0..5);
        let goals = goals(&world, rng, count);
        for cover in COVERS {
            let bytes = pack::<K>(&world, &goals, cover);
            // At every alignment.
            let shift = rng.random_range(0..8);
            let shifted = [&vec![0; shift][..], &bytes].concat();
            let map = K::knowing(&world);
            let packed = Packed::read(&shifted[shift..], &map.view::<AsFree>());
            let mut packed = packed.expect("as written");
            assert_eq!(packed.goals().collect::<Vec<_>>(), goals);
            assert_eq!(packed.len(), 0, "none is chosen yet");
            for (tree, &goal) in trees::<K>(&world, &goals).iter().zip(&goals) {
                assert!(packed.choose(goal));
                let (was, mut is) = (contents(tree, &world), contents(&packed, &world));
                if cover == Cover::LeftOut {
                    assert!(is.subs.iter().all(|&sub| sub == Sub::Unknown));
                    is = Contents {
                        subs: was.subs.clone(),
                        ..is
                    };
                }
                assert_eq!(is, was);
                let mut cells = world.cells();
                assert!(cells.all(|cell| packed.find(cell) == tree.find(cell)));
            }
            let other = world.random_cell(rng);
            assert_eq!(packed.choose(other), goals.contains(&other));
        }
    });
}

#[test]
fn trees_packed_alone_make_the_same_bytes() {
    in_worlds::<Plain8>(40, 14, |world, rng| {
        let goals = goals(&world, rng, 3);
        let map = Plain8::knowing(&world);
        for cover in COVERS {
            let together = pack::<Plain8>(&world, &goals, cover);
            let mut buffer = vec![0; together.len()];
            let mut packer = Packer::new(&mut buffer, &map.view::<AsFree>(), goals.len(), cover);
            for tree in &trees::<Plain8>(&world, &goals) {
                let mut alone = vec![0; together.len()];
                let size = (world.width, world.height);
                let alone = pack_tree(tree, size, cover, &mut alone).expect("room");
                let short = pack_tree(tree, size, cover, &mut []);
                let needed = alone.len();
                assert_eq!(short, Err(PackError::NoRoom { needed }));
                packer.push_packed(alone).expect("in order");
            }
            assert_eq!(packer.finish(), Ok(&together[..]));
        }
    });
}

#[test]
fn packed_trees_round_trip() {
    survives::<Plain4>(80);
    survives::<Plain8>(80);
    survives::<Fine8>(40);
    survives::<Walled4>(40);
}

#[test]
fn every_single_bit_error_is_detected() {
    for_seeds(6, |rng| {
        let world = draw::<Plain8>(rng, (9, 8), 30);
        let goals = goals(&world, rng, 2);
        for cover in COVERS {
            let mut bytes = pack::<Plain8>(&world, &goals, cover);
            for bit in 0..8 * bytes.len() {
                assert_eq!(read::<Plain8>(&world, &bytes), Ok(()));
                bytes[bit / 8] ^= 1 << (bit % 8);
                let error = read::<Plain8>(&world, &bytes).unwrap_err();
                let expected = match bit / 8 {
                    0..4 => matches!(error, PackedError::NotTrees),
                    4..6 => matches!(error, PackedError::WrongVersion { .. }),
                    8..12 => matches!(error, PackedError::WrongLength { .. }),
                    _ => matches!(error, PackedError::Damaged),
                };
                assert!(expected, "bit {bit}: {error}");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    });
}

#[test]
fn truncated_and_overlong_bytes_are_refused() {
    let world = World::square(7, Connectivity::Four);
    let mut bytes = pack::<Plain4>(&world, &[Cell::new(3, 3)], Cover::Written);
    for length in 0..bytes.len() {
        let error = read::<Plain4>(&world, &bytes[..length]).unwrap_err();
        let expected = match length {
            0..4 => PackedError::NotTrees,
            _ => PackedError::WrongLength {
                written: if length < 12 { 28 } else { bytes.len() as u32 },
                given: length,
            },
        };
        assert_eq!(error, expected);
    }
    bytes.push(0);
    let error = read::<Plain4>(&world, &bytes).unwrap_err();
    assert!(matches!(error, PackedError::WrongLength { .. }));
}

#[test]
fn trees_of_another_map_are_refused() {
    in_worlds::<Plain8>(40, 9, |mut world, rng| {
        let goals = goals(&world, rng, 2);
        let bytes = pack::<Plain8>(&world, &goals, Cover::Written);
        assert_eq!(read::<Plain8>(&world, &bytes), Ok(()));
        // Another scale, that is, other costs of moves.
        let other = read::<Fine8>(&world, &bytes);
        assert!(matches!(other, Err(PackedError::OtherMap { .. })));
        // Any one cell.
        for cell in world.cells() {
            let was = world.occupancy(cell);
            let other = match was {
                Occupancy::Blocked => Occupancy::Free,
                _ => Occupancy::Blocked,
            };
            world.observe(Observation::Cell(cell, other));
            let error = read::<Plain8>(&world, &bytes).unwrap_err();
            assert!(matches!(error, PackedError::OtherMap { .. }), "{error}");
            world.observe(Observation::Cell(cell, was));
        }
    });
}

#[test]
fn maps_of_equal_shape_and_another_size_or_weight_have_other_fingerprints() {
    let print = |width, height| {
        let world = World::new(width, height, Plain4::CONNECTIVITY, Default::default());
        fingerprint(&Plain4::knowing(&world).view::<AsFree>())
    };
    let mut prints: Vec<u32> = (1..12)
        .flat_map(|width| (1..12).map(move |height| print(width, height)))
        .collect();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), 11 * 11);
}

/// Puts the right length and checksum on bytes, as only someone with ill intent would.
fn seal(bytes: &mut [u8]) {
    let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
    let end = bytes.len() - 4;
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    let sum = crc.checksum(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn invalid_trees_with_a_valid_checksum_are_refused() {
    let world = draw::<Plain8>(&mut ChaCha8Rng::seed_from_u64(1), (9, 8), 30);
    let goal = goals(&world, &mut ChaCha8Rng::seed_from_u64(1), 1);
    let good = pack::<Plain8>(&world, &goal, Cover::Written);
    let tree = 24 + 8;
    let subgoals = usize::from(u16::from_le_bytes([good[tree], good[tree + 1]]));
    assert!(subgoals > 2, "there is something to forge");
    let (first, numbers) = (tree + 2, tree + 2 + 6 * subgoals);
    let rows = numbers + 2 * subgoals;
    let runs = rows + 4 * (usize::from(world.height) + 1);
    for (what, at, value) in [
        ("a subgoal that is its own parent", first + 6 + 4, 1),
        ("a parent that comes later", first + 6 + 4, 2),
        ("a parent that is not there", first + 6 + 4, subgoals as u16),
        ("a subgoal outside the map", first + 6, world.width),
        ("a root elsewhere", first, goal[0].x ^ 1),
        ("numbers out of order", numbers, u16::MAX),
        ("a cover of no subgoal", runs + 2, subgoals as u16),
        ("a run outside the map", runs, world.width),
        ("rows that do not begin with none", rows, 1),
        ("another flag", 6, 2),
        ("another width", 16, world.width + 1),
        ("a tree that begins outside", 24 + 4, u16::MAX),
        ("more trees than there are", 20, 2),
    ] {
        let mut bytes = good.clone();
        bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
        seal(&mut bytes);
        let read = read::<Plain8>(&world, &bytes);
        assert_eq!(read, Err(PackedError::Malformed), "{what}");
    }
}

/// Whatever passes the checksum is refused or can be used without harm.
#[test]
fn bytes_with_a_forged_checksum_never_panic() {
    in_worlds::<Plain8>(600, 9, |world, rng| {
        let goals = goals(&world, rng, 3);
        let mut bytes = pack::<Plain8>(&world, &goals, COVERS[rng.random_range(0..2)]);
        for _ in 0..rng.random_range(0..6) {
            // Beyond the header's version and fingerprint, or nothing would be tried.
            let at = rng.random_range(16..bytes.len() - 4);
            bytes[at] = [0, 1, rng.random(), 0xff][rng.random_range(0..4)];
        }
        if rng.random_ratio(1, 8) {
            let length = rng.random_range(28..=bytes.len());
            bytes.truncate(length);
        }
        seal(&mut bytes);
        let map = Plain8::knowing(&world);
        let Ok(packed) = Packed::read(&bytes, &map.view::<AsFree>()) else {
            return;
        };
        let goal = world.random_cell(rng);
        let mut planner = follower(map, packed, FirstGoal::default(), goal);
        let mut at = world.random_cell(rng);
        for _ in 0..300 {
            if let Decision::Step(next) = planner.tick(at, Budget::limit(4)).unwrap() {
                assert!(world.step_cost(at, next).is_some());
                at = next;
            }
        }
    });
}

proptest! {
    #[test]
    fn any_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let world = World::square(5, Connectivity::Four);
        prop_assert!(read::<Plain4>(&world, &bytes).is_err());
    }
}

/// A robot with any source of trees.
fn follower<S: Source>(
    map: <Plain8 as Kind>::Map,
    source: S,
    first: FirstGoal,
    goal: Cell,
) -> Follower<Plain8, Bits32, S> {
    let rules = Rules {
        first,
        ..Rules::default()
    };
    build::follower::<Plain8, Bits32, S>(map, source, 999, (rules, SuccessorOrder::Fixed), goal)
}

/// A robot with the trees in flash walks as one that grew them, and arrives without a cover too.
#[test]
fn a_tree_that_was_read_leads_as_the_one_that_was_grown() {
    in_worlds::<Plain8>(60, 14, |world, rng| {
        let goals = goals(&world, rng, 3);
        let start = world.random_cell(rng);
        let map = || Plain8::knowing(&world);
        for &goal in &goals {
            for (cover, first, same) in [
                (Cover::Written, FirstGoal::TrueSub, FirstGoal::TrueSub),
                (Cover::LeftOut, FirstGoal::Nearest, FirstGoal::Nearest),
                (Cover::LeftOut, FirstGoal::TrueSub, FirstGoal::Nearest),
            ] {
                let bytes = pack::<Plain8>(&world, &goals, cover);
                let enough = Budget::limit(1 << 20);
                let packed = Packed::read(&bytes, &map().view::<AsFree>()).expect("as written");
                let reader = &mut follower(map(), packed, first, goal);
                let tree = seedling::<Plain8>(&map(), &world, goal);
                let grower = &mut follower(map(), tree, same, goal);
                let read = walk(reader, &world, (start, goal), enough);
                let grown = walk(grower, &world, (start, goal), enough);
                if read.last == Decision::Arrived {
                    assert_eq!(read, grown);
                }
            }
        }
    });
}

#[test]
fn when_a_path_is_blocked_a_read_tree_is_left_and_the_robot_arrives_nevertheless() {
    in_worlds::<Plain8>(200, 12, |mut world, rng| {
        let Some(&goal) = goals(&world, rng, 3).first() else {
            return;
        };
        let bytes = pack::<Plain8>(&world, &[goal], Cover::Written);
        let map = Plain8::knowing(&world);
        let packed = Packed::read(&bytes, &map.view::<AsFree>()).expect("as written");
        let mut planner = follower(map, packed, FirstGoal::default(), goal);
        let mut at = world.random_cell(rng);
        for _ in 0..4 {
            if let Decision::Step(next) = planner.tick(at, Budget::limit(1)).unwrap() {
                at = next;
            }
            let (state, cell) = (blocked_with(rng, 0.5), world.random_cell(rng));
            if cell == at {
                continue;
            }
            let seen = Observation::Cell(cell, state);
            let changed = planner.observe(seen).unwrap();
            assert_eq!(changed, world.observe(seen));
            if changed && state == Occupancy::Blocked {
                assert_eq!(planner.search().source().len(), 0);
            }
        }
        walk(&mut planner, &world, (at, goal), Budget::limit(1));
    });
}

#[test]
fn packed_trees_are_dropped_on_another_map() {
    let mut parted = World::square(9, Connectivity::Four);
    (0..9).for_each(|x| parted.block(Cell::new(x, 4)));
    let (start, goal) = (Cell::new(0, 0), Cell::new(0, 8));
    let bytes = pack::<Plain8>(&parted, &[goal], Cover::Written);
    let map = Plain8::knowing(&parted);
    let packed = Packed::read(&bytes, &map.view::<AsFree>()).expect("as written");
    let planner = &mut follower(map, packed, FirstGoal::default(), goal);
    walk(planner, &parted, (start, goal), Budget::UNLIMITED);
    planner.begin((9, 9), start, &[goal]).unwrap();
    walk(planner, &parted.unseen(), (start, goal), Budget::UNLIMITED);
}

#[test]
fn what_cannot_be_packed_is_refused() {
    let mut world = World::square(7, Connectivity::Four);
    let (one, two) = (Cell::new(1, 1), Cell::new(2, 2));
    let push = |world: &World, goals: &[Cell], announced| {
        let (mut buffer, map) = ([0; 999], Plain4::knowing(world));
        let graph = &map.view::<AsFree>();
        let mut packer = Packer::new(&mut buffer, graph, announced, Cover::Written);
        let trees = trees::<Plain4>(world, goals);
        trees.iter().try_for_each(|tree| packer.push(tree))?;
        packer.finish().map(<[u8]>::len)
    };
    assert!(push(&world, &[one, two], 2).is_ok());
    for (goals, announced) in [
        (&[two, one][..], 2),
        (&[one, one], 2),
        (&[one, two], 1),
        (&[one], 2),
    ] {
        assert_eq!(push(&world, goals, announced), Err(PackError::OutOfOrder));
    }
    world.observe(Observation::Cell(one, Occupancy::Blocked));
    assert_eq!(push(&world, &[one], 1), Err(PackError::Empty));
}
