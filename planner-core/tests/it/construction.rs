//! Bad input is an error value, at construction and afterwards, and what fits, fits.

use crate::common::{
    fleet::{Fleet, Member, Setup, SomeDStarLites, SomeRepeatedAStars},
    kind::{Kind, Plain, Walled, Weighted},
    robot::{ENOUGH, Robot},
    world::World,
};
use planner_core::{
    Budget, BuildError, Cell, Goals, GoalsError, Observation, ObserveError, OffMap, Side,
    map::{Map, Occupancy, Unknown, words},
    queue::{BucketLink, Buckets, Heap, LargerG, Lifo, Queue},
    search::{AStarNode, DStarLite, DStarLiteNode, Forward, RepeatedAStar},
    terrain::{
        Cells, Coarse, Eight, Fine, Four, Manhattan, NeverCut, Octile, Terrain, Uniform, Walls,
        Weights,
    },
    width::{Bits16, Bits32, Width},
};

/// Where planners are built to go from and to.
const ENDS: (Cell, Cell) = (Cell::new(0, 0), Cell::new(1, 1));

/// Sizes of the memory lent to a planner; `None` is as much as needed.
#[derive(Clone, Copy, Default)]
struct Memory {
    words: Option<usize>,
    weights: Option<usize>,
    nodes: Option<usize>,
}

/// Builds D* Lite and Repeated A* on a ring of `32 * WORDS` buckets, which must agree.
fn build<W: Width, K: Kind, const WORDS: usize>(
    size: (u16, u16),
    heaviest: u8,
    (start, goal): (Cell, Cell),
    memory: Memory,
) -> Result<(), BuildError> {
    let vertices = K::vertices(size.0, size.1);
    let mut words = vec![0; memory.words.unwrap_or(K::words(size.0, size.1))];
    let mut weights = vec![0; memory.weights.unwrap_or(vertices)];
    let slots = memory.nodes.unwrap_or(vertices + 32 * WORDS);
    let ring = Buckets::<WORDS, Lifo>::new;

    let mut nodes = vec![DStarLiteNode::<W, BucketLink<W::Id>>::default(); slots];
    let terrain = K::terrain(size, &mut words, &mut weights, Unknown::AsFree, heaviest);
    let dstar_lite =
        terrain.and_then(|terrain| DStarLite::new(terrain, ring(), &mut nodes, start, goal));
    let dstar_lite = dstar_lite.map(|_| ());

    let mut nodes = vec![AStarNode::<W, BucketLink<W::Id>>::default(); slots];
    let terrain = K::terrain(size, &mut words, &mut weights, Unknown::AsFree, heaviest);
    let repeated = terrain.and_then(|terrain| {
        RepeatedAStar::<W, _, _, Forward>::new(terrain, ring(), &mut nodes, start, goal)
    });
    assert_eq!(repeated.map(|_| ()), dstar_lite);
    dstar_lite
}

type FourMoves = Plain<Four<Manhattan>>;
type Mud = Weighted<Four<Manhattan>>;
type CoarseEight = Plain<Eight<NeverCut, Coarse, Octile>>;
type FineEight = Plain<Eight<NeverCut, Fine, Octile>>;
type Maze = Walled<Manhattan>;

/// Builds with all the memory that is needed.
fn fits<W: Width, K: Kind, const WORDS: usize>(
    width: u16,
    height: u16,
    heaviest: u8,
) -> Result<(), BuildError> {
    build::<W, K, WORDS>((width, height), heaviest, ENDS, Memory::default())
}

#[test]
fn cells_and_bucket_heads_must_be_few_enough_for_16_bit_ids() {
    let too_many = |slots| {
        Err(BuildError::TooManyCells {
            slots,
            limit: 65_535,
        })
    };
    // A column borders each row of cells.
    assert_eq!(fits::<Bits16, FourMoves, 4>(255, 255, 1), Ok(()));
    assert_eq!(
        fits::<Bits16, FourMoves, 16>(255, 255, 1),
        too_many(256 * 255 + 512)
    );
    assert_eq!(
        fits::<Bits16, FourMoves, 4>(256, 256, 1),
        too_many(257 * 256 + 128)
    );
    assert_eq!(fits::<Bits32, FourMoves, 16>(256, 256, 1), Ok(()));
    assert_eq!(fits::<Bits16, Maze, 4>(255, 255, 1), Ok(()));
    assert_eq!(fits::<Bits16, Maze, 4>(256, 256, 1), too_many(65_536 + 128));
    assert_eq!(fits::<Bits32, Maze, 4>(256, 256, 1), Ok(()));
}

#[test]
fn paths_must_be_cheap_enough_for_16_bit_costs() {
    let is_too_costly = |built| match built {
        Err(BuildError::TooCostly { longest, limit }) => limit == 65_534 && longest > limit,
        _ => false,
    };
    assert!(is_too_costly(fits::<Bits16, FineEight, 4>(40, 40, 1)));
    assert_eq!(fits::<Bits16, CoarseEight, 4>(40, 40, 1), Ok(()));
    assert_eq!(fits::<Bits32, FineEight, 4>(40, 40, 1), Ok(()));
    assert!(is_too_costly(fits::<Bits16, Mud, 4>(40, 40, 41)));
    assert_eq!(fits::<Bits16, Mud, 4>(40, 40, 40), Ok(()));
    assert_eq!(fits::<Bits32, Mud, 4>(40, 40, 255), Ok(()));
}

#[test]
fn memory_too_short_by_one_element_is_refused_with_what_is_needed() {
    let (size, vertices) = ((9, 7), 70);
    let short = |needed: usize| BuildError::TooLittleMemory {
        needed,
        given: needed - 1,
    };
    let build = |memory| build::<Bits16, Mud, 1>(size, 9, ENDS, memory);
    assert_eq!(build(Memory::default()), Ok(()));
    let words = Some(words(vertices) - 1);
    let short_words = Memory {
        words,
        ..Memory::default()
    };
    assert_eq!(build(short_words), Err(short(5)));
    let short_weights = Memory {
        weights: Some(vertices - 1),
        ..Memory::default()
    };
    assert_eq!(build(short_weights), Err(short(vertices)));
    let short_nodes = Memory {
        nodes: Some(vertices + 32 - 1),
        ..Memory::default()
    };
    assert_eq!(build(short_nodes), Err(short(vertices + 32)));

    let no_words = Memory {
        words: Some(0),
        ..Memory::default()
    };
    let maze = self::build::<Bits16, Maze, 1>((9, 7), 1, ENDS, no_words);
    let nothing = BuildError::TooLittleMemory {
        // Two facts of two bits for each of 63 cells, and four moves of one bit.
        needed: (2 * 63usize).div_ceil(16) + 63usize.div_ceil(8),
        given: 0,
    };
    assert_eq!(maze, Err(nothing));
}

#[test]
fn a_heap_must_have_room_for_every_cell() {
    let vertices = Cells::<Four>::vertices(9, 7);
    fn terrain(words: &mut [u32]) -> Cells<'_, Four> {
        Cells::new(9, 7, words, Unknown::AsFree, Uniform).unwrap()
    }
    for (room, fits) in [(vertices, true), (vertices - 1, false), (0, false)] {
        let refused = Some(BuildError::TooLittleMemory {
            needed: vertices,
            given: room,
        });
        let expected = if fits { None } else { refused };
        let mut words = [0; Cells::<Four>::words(9, 7)];
        let mut entries = vec![0; room];
        let mut nodes = vec![DStarLiteNode::<Bits16, _>::default(); vertices];
        let heap = Heap::<u64, LargerG>::new(&mut entries);
        let built = DStarLite::new(terrain(&mut words), heap, &mut nodes, ENDS.0, ENDS.1);
        assert_eq!(built.err(), expected);

        let mut nodes = vec![AStarNode::<Bits16, _>::default(); vertices];
        let heap = Heap::<u64, LargerG>::new(&mut entries);
        let built = RepeatedAStar::<_, _, _, Forward>::new(
            terrain(&mut words),
            heap,
            &mut nodes,
            ENDS.0,
            ENDS.1,
        );
        assert_eq!(built.err(), expected);
    }
}

#[test]
fn a_map_without_rows_or_columns_is_refused() {
    for (width, height) in [(0, 0), (0, 5), (5, 0)] {
        let mut words = [0; 9];
        let cells = Cells::<Four>::new(width, height, &mut words, Unknown::AsFree, Uniform);
        assert_eq!(cells.err(), Some(BuildError::Empty));
        let mut weights = [0; 9];
        let weights = Weights::new(&mut weights, 9);
        let mud = Cells::<Four, _>::new(width, height, &mut words, Unknown::AsFree, weights);
        assert_eq!(mud.err(), Some(BuildError::Empty));
        let maze: Result<Walls, _> = Walls::new(width, height, &mut words, Unknown::AsFree);
        assert_eq!(maze.err(), Some(BuildError::Empty));
    }
}

#[test]
fn start_and_goal_must_be_on_the_map() {
    let inside = Cell::new(8, 6);
    for outside in [Cell::new(9, 6), Cell::new(8, 7), Cell::new(u16::MAX, 0)] {
        let refused = Err(BuildError::OffMap(OffMap(outside)));
        for ends in [(outside, inside), (inside, outside), (outside, outside)] {
            let memory = Memory::default();
            assert_eq!(
                build::<Bits16, FourMoves, 1>((9, 7), 1, ends, memory),
                refused
            );
            assert_eq!(build::<Bits32, Maze, 1>((9, 7), 1, ends, memory), refused);
        }
    }
}

/// Runs something with planners of each sort over a kind of terrain of 6 by 5 cells, of which none is known.
fn with_planners<K: Kind>(mut run: impl FnMut(World, Cell, Cell, &mut [Member])) {
    let known = World::new(6, 5, K::GROUND, Unknown::AsFree);
    let setup = Setup {
        known: &known,
        unknown: Unknown::AsFree,
        heaviest: 9,
        start: Cell::new(0, 0),
        goal: Cell::new(5, 4),
    };
    let mut run = |planners: &mut [Member]| run(known.clone(), setup.start, setup.goal, planners);
    SomeDStarLites::with::<K>(&setup, &mut run);
    SomeRepeatedAStars::with::<K>(&setup, &mut run);
}

/// Walks to the goal with planners, every answer checked.
fn arrive(known: World, mut at: Cell, goal: Cell, planners: &mut [Member]) {
    let mut robot = Robot::new(known, at, goal, planners, 0);
    while at != goal {
        robot.tick(ENOUGH).unwrap();
        robot.audit().unwrap();
        at = robot.advice.expect("there is a way");
        robot.go(at);
    }
    robot.tick(ENOUGH).unwrap();
}

/// Has every planner refuse `observations`, before its first tick and after it, and walk on as if
/// nothing had been said.
fn refuses<K: Kind>(observations: &[(Observation, ObserveError)]) {
    with_planners::<K>(|known, start, goal, planners| {
        for round in 0..2 {
            for Member { name, planner } in &mut *planners {
                for &(seen, error) in observations {
                    assert_eq!(planner.observe(seen), Err(error), "{name}, {seen:?}");
                    assert_eq!(planner.audit(), Ok(()), "{name}, {seen:?}");
                }
                if round == 0 {
                    planner.tick(start, Budget::limit(4)).unwrap();
                }
            }
        }
        arrive(known, start, goal, planners);
    });
}

const OUTSIDE: [Cell; 4] = [
    Cell::new(6, 0),
    Cell::new(0, 5),
    Cell::new(6, 5),
    Cell::new(u16::MAX, u16::MAX),
];

#[test]
fn observations_outside_the_map_are_refused_and_change_nothing() {
    let blocked = |cell| Observation::Cell(cell, Occupancy::Blocked);
    let heavy = |cell| Observation::Weight(cell, 9);
    let walled = |cell| Observation::Wall(cell, Side::North, Occupancy::Blocked);
    let refused = |seen: &dyn Fn(Cell) -> Observation| {
        OUTSIDE.map(|cell| (seen(cell), ObserveError::OffMap(OffMap(cell))))
    };
    refuses::<FourMoves>(&refused(&blocked));
    refuses::<Mud>(&refused(&blocked));
    refuses::<Mud>(&refused(&heavy));
    refuses::<Maze>(&refused(&walled));
}

#[test]
fn observations_of_what_a_terrain_does_not_have_are_refused_and_change_nothing() {
    let cell = Cell::new(2, 2);
    let refused = |seen| (seen, ObserveError::NotOnThisTerrain);
    let wall = refused(Observation::Wall(cell, Side::East, Occupancy::Blocked));
    let rock = refused(Observation::Cell(cell, Occupancy::Blocked));
    let heavy = refused(Observation::Weight(cell, 9));
    refuses::<FourMoves>(&[wall, heavy]);
    refuses::<Mud>(&[wall]);
    refuses::<Maze>(&[rock, heavy]);
}

#[test]
fn weights_out_of_range_are_refused_and_change_nothing() {
    let refused = |weight| {
        let seen = Observation::Weight(Cell::new(2, 2), weight);
        (seen, ObserveError::WeightOutOfRange)
    };
    refuses::<Mud>(&[refused(0), refused(10), refused(u8::MAX)]);
}

#[test]
fn a_tick_or_a_goal_outside_the_map_is_an_error_and_the_planner_works_on() {
    fn check<K: Kind>() {
        with_planners::<K>(|known, start, goal, planners| {
            for round in 0..2 {
                for Member { name, planner } in &mut *planners {
                    for cell in OUTSIDE {
                        for budget in [Budget::UNLIMITED, Budget::limit(0)] {
                            let decision = planner.tick(cell, budget);
                            assert_eq!(decision, Err(OffMap(cell)), "{name}");
                        }
                        assert_eq!(
                            planner.set_goal(cell),
                            Err(GoalsError::OffMap(OffMap(cell))),
                            "{name}"
                        );
                        let too_many: Vec<Cell> = known.cells().take(Goals::MAX + 1).collect();
                        assert_eq!(planner.set_goals(&[]), Err(GoalsError::None), "{name}");
                        assert_eq!(
                            planner.set_goals(&too_many),
                            Err(GoalsError::TooMany),
                            "{name}"
                        );
                        assert_eq!(planner.audit(), Ok(()), "{name}");
                    }
                    if round == 0 {
                        planner.tick(start, Budget::limit(4)).unwrap();
                    }
                }
            }
            arrive(known, start, goal, planners);
        });
    }
    check::<FourMoves>();
    check::<Mud>();
    check::<Maze>();
}

#[test]
fn the_outer_walls_of_a_maze_are_known_and_stay() {
    for (width, height) in [(1, 1), (3, 3), (1, 9), (9, 1), (5, 4), (16, 16)] {
        let mut words = vec![0; Walls::words(width, height)];
        let mut maze: Walls = Walls::new(width, height, &mut words, Unknown::AsFree).unwrap();
        let columns = (0..width).flat_map(|x| {
            let (north, south) = (Cell::new(x, 0), Cell::new(x, height - 1));
            [(north, Side::North), (south, Side::South)]
        });
        let rows = (0..height).flat_map(|y| {
            let (west, east) = (Cell::new(0, y), Cell::new(width - 1, y));
            [(west, Side::West), (east, Side::East)]
        });
        for (cell, side) in columns.chain(rows) {
            let at = format!("{side:?} of {cell:?} in {width}x{height}");
            assert_eq!(maze.wall(cell, side), Ok(Occupancy::Blocked), "{at}");
            let gap = Observation::Wall(cell, side, Occupancy::Free);
            assert_eq!(maze.observe(gap), Ok(None), "{at}");
            assert_eq!(maze.wall(cell, side), Ok(Occupancy::Blocked), "{at}");
        }
    }
}

#[test]
fn facts_beyond_a_map_are_blocked_whatever_is_noted() {
    for facts in [0, 1, 5, 16, 17] {
        let mut memory = [u32::MAX; 4];
        let mut map = Map::new(facts, &mut memory, Unknown::AsFree).unwrap();
        for beyond in [facts, facts + 1, 15, 31, 63, 64, usize::MAX] {
            if beyond >= facts {
                assert_eq!(map.fact(beyond), Occupancy::Blocked, "{beyond} of {facts}");
                assert_eq!(
                    map.note(beyond, Occupancy::Free),
                    None,
                    "{beyond} of {facts}"
                );
                assert!(!map.is_open(beyond), "{beyond} of {facts}");
                assert_eq!(map.fact(beyond), Occupancy::Blocked, "{beyond} of {facts}");
            }
        }
        assert!((0..facts).all(|fact| map.fact(fact) == Occupancy::Unknown));
    }
}

#[test]
fn dstar_lite_on_buckets_takes_at_most_eight_and_a_half_bytes_per_cell() {
    type Search<'m> = DStarLite<'m, Bits16, Cells<'m, Four>, Buckets<8, Lifo>>;
    type Link = <Buckets<8, Lifo> as Queue<Bits16>>::Link;
    let heads = <Buckets<8, Lifo> as Queue<Bits16>>::HEADS;
    for side in [64, 101] {
        let nodes = Search::nodes(Cells::<Four>::vertices(side, side)) - heads;
        let bytes = nodes * size_of::<DStarLiteNode<Bits16, Link>>()
            + Cells::<Four>::words(side, side) * size_of::<u32>();
        let per_cell = bytes as f64 / f64::from(side).powi(2);
        assert!(per_cell <= 8.5, "{per_cell} at {side}x{side}");
    }
}
