//! Bad input is an error value, at construction and afterwards, and what fits is accepted.

use planner_core::{
    Budget, BuildError, Cell, Decision, Goals, GoalsError, Observation, ObserveError, OffMap, Side,
    graph::{Four, Graph, Manhattan},
    map::{AsBlocked, AsFree, Map, Occupancy},
    queue::{Buckets, LargerG, Lifo},
    width::{Bits16, Bits32, Width},
};

use crate::{
    build::{
        self, BoxedHeap, Kind, Lent, NamedPlanner, PlannerUnderTest, Setup, Weighted,
        some_dstar_lites, some_repeated_astars,
    },
    robot::{AMPLE, Guarantee, Robot},
    terrains::{Fine8, Plain4, Plain8, Walled4, Weighted4},
    world::{Unknown, World},
};

type Ring<const WORDS: usize> = Buckets<WORDS, Lifo>;

/// Start and goal.
const ENDS: (Cell, Cell) = (Cell::new(0, 0), Cell::new(1, 1));

/// Builds with all the storage that is needed.
fn fits<W: Width, K: Kind, const WORDS: usize>(width: u16, height: u16) -> Result<(), BuildError> {
    build::in_blocks::<W, K, Ring<WORDS>>((width, height), ENDS, Lent::default())
}

#[test]
fn cells_and_bucket_heads_must_be_few_enough_for_16_bit_ids() {
    let limit = 65_535;
    let too_many = |slots| Err(BuildError::TooManyCells { slots, limit });
    // A column borders each row of cells.
    assert_eq!(fits::<Bits16, Plain4, 4>(255, 255), Ok(()));
    assert_eq!(
        fits::<Bits16, Plain4, 16>(255, 255),
        too_many(256 * 255 + 512)
    );
    assert_eq!(
        fits::<Bits16, Plain4, 4>(256, 256),
        too_many(257 * 256 + 128)
    );
    assert_eq!(fits::<Bits32, Plain4, 16>(256, 256), Ok(()));
    assert_eq!(fits::<Bits16, Walled4, 4>(255, 255), Ok(()));
    assert_eq!(fits::<Bits16, Walled4, 4>(256, 256), too_many(65_536 + 128));
    assert_eq!(fits::<Bits32, Walled4, 4>(256, 256), Ok(()));
}

#[test]
fn paths_must_be_cheap_enough_for_16_bit_costs() {
    type Heavy<const HEAVIEST: u8> = Weighted<Four<Manhattan>, HEAVIEST>;
    let is_too_costly = |built| match built {
        Err(BuildError::TooCostly { longest, limit }) => limit == 65_534 && longest > limit,
        _ => false,
    };
    assert!(is_too_costly(fits::<Bits16, Fine8, 4>(40, 40)));
    assert_eq!(fits::<Bits16, Plain8, 4>(40, 40), Ok(()));
    assert_eq!(fits::<Bits32, Fine8, 4>(40, 40), Ok(()));
    assert!(is_too_costly(fits::<Bits16, Heavy<41>, 4>(40, 40)));
    assert_eq!(fits::<Bits16, Heavy<40>, 4>(40, 40), Ok(()));
    assert_eq!(fits::<Bits32, Heavy<255>, 4>(40, 40), Ok(()));
    // Sixteen million cells with eight moves, without the memory of a search.
    let large = Fine8::unknown((4000, 4000));
    assert!(large.view::<AsFree>().max_path_cost() < u32::MAX as usize);
}

#[test]
fn storage_too_short_by_one_block_is_refused_with_what_is_needed() {
    let (size, vertices, all) = ((9, 7), 70, Lent::default());
    let short = |needed, given| Err(BuildError::TooLittleMemory { needed, given });
    let build = |lent| build::in_blocks::<Bits16, Weighted4, Ring<1>>(size, ENDS, lent);
    let (map, weights, nodes) = (Some(4), Some(4), Some(6));
    assert_eq!(build(all), Ok(()));
    assert_eq!(build(Lent { map, ..all }), short(5, 4));
    assert_eq!(build(Lent { weights, ..all }), short(vertices, 64));
    assert_eq!(build(Lent { nodes, ..all }), short(vertices + 32, 96));
    let map = Some(0);
    let maze = build::in_blocks::<Bits16, Walled4, Ring<1>>(size, ENDS, Lent { map, ..all });
    assert_eq!(maze, short(63, 0));
}

#[test]
fn a_heap_must_have_room_for_every_cell() {
    type Heap = BoxedHeap<u64, LargerG>;
    for (blocks, fits) in [(5, true), (4, false), (0, false)] {
        let (needed, given) = (70, 16 * blocks);
        let refused = Err(BuildError::TooLittleMemory { needed, given });
        let (entries, all) = (Some(blocks), Lent::default());
        let built = build::in_blocks::<Bits16, Plain4, Heap>((9, 7), ENDS, Lent { entries, ..all });
        assert_eq!(built, if fits { Ok(()) } else { refused });
    }
}

#[test]
fn a_map_without_rows_or_columns_is_refused() {
    on_each!([Plain4, Weighted4, Walled4] K => {
        for (width, height) in [(0, 0), (0, 5), (5, 0)] {
            let mut map = K::in_blocks(9, 9);
            assert_eq!(map.resize(width, height), Err(BuildError::Empty));
        }
    });
}

#[test]
fn start_and_goal_must_be_on_the_map() {
    let (inside, size, all) = (Cell::new(8, 6), (9, 7), Lent::default());
    for outside in [Cell::new(9, 6), Cell::new(8, 7), Cell::new(u16::MAX, 0)] {
        let refused = Err(BuildError::OffMap(OffMap(outside)));
        for ends in [(outside, inside), (inside, outside), (outside, outside)] {
            let cells = build::in_blocks::<Bits16, Plain4, Ring<1>>(size, ends, all);
            let walls = build::in_blocks::<Bits32, Walled4, Ring<1>>(size, ends, all);
            assert_eq!((cells, walls), (refused, refused));
        }
    }
}

const OUTSIDE: [Cell; 4] = [
    Cell::new(6, 0),
    Cell::new(0, 5),
    Cell::new(6, 5),
    Cell::new(u16::MAX, u16::MAX),
];

/// Has planners of each sort refuse something, before their first tick and after it, in an unknown world
/// of 6 by 5 cells. Then each walks to the goal as if nothing had happened, every decision checked.
fn refuses<K: Kind>(refuse: impl Fn(&mut dyn PlannerUnderTest, &str)) {
    let known = World::new(6, 5, K::CONNECTIVITY, Unknown::AsFree);
    let ends = (Cell::new(0, 0), Cell::new(5, 4));
    let setup = &Setup::new(&known, ends.0, ends.1);
    for mut planners in [
        some_dstar_lites::<K>(setup),
        some_repeated_astars::<K>(setup),
    ] {
        for NamedPlanner { name, planner } in &mut planners {
            refuse(&mut **planner, name);
            planner.tick(ends.0, Budget::limit(4)).unwrap();
            refuse(&mut **planner, name);
            assert_eq!(planner.audit(), Ok(()), "{name}");
        }
        let mut robot = Robot::new(planners, 0, Guarantee::Shortest, &known, ends);
        while robot.step(AMPLE).unwrap() != Decision::Arrived {
            robot.audit().unwrap();
        }
    }
}

#[test]
fn observations_that_a_map_cannot_hold_are_refused_and_change_nothing() {
    fn check<K: Kind>(observations: &[(Observation, ObserveError)]) {
        refuses::<K>(|planner, name| {
            for &(seen, error) in observations {
                assert_eq!(planner.observe(seen), Err(error), "{name}, {seen:?}");
            }
        });
    }
    let blocked = |cell| Observation::Cell(cell, Occupancy::Blocked);
    let walled = |cell| Observation::Wall(cell, Side::North, Occupancy::Blocked);
    let heavy = |cell| Observation::Weight(cell, 9);
    let outside = |seen: &dyn Fn(Cell) -> Observation| {
        OUTSIDE.map(|cell| (seen(cell), ObserveError::OffMap(OffMap(cell))))
    };
    check::<Plain4>(&outside(&blocked));
    check::<Weighted4>(&outside(&blocked));
    check::<Weighted4>(&outside(&heavy));
    check::<Walled4>(&outside(&walled));

    let inside = Cell::new(2, 2);
    let unsupported = |seen| (seen, ObserveError::Unsupported);
    let [rock, wall, heavy] = [blocked(inside), walled(inside), heavy(inside)].map(unsupported);
    check::<Plain4>(&[wall, heavy]);
    check::<Weighted4>(&[wall]);
    check::<Walled4>(&[rock, heavy]);

    let weights = [0, 10, u8::MAX].map(|weight| Observation::Weight(inside, weight));
    check::<Weighted4>(&weights.map(|seen| (seen, ObserveError::WeightOutOfRange)));
}

#[test]
fn a_tick_or_a_goal_outside_the_map_is_an_error_and_the_planner_works_on() {
    let many: Vec<Cell> = (0..=Goals::MAX as u16)
        .map(|n| Cell::new(n % 6, n / 6))
        .collect();
    on_each!([Plain4, Weighted4, Walled4] K => refuses::<K>(|planner, name| {
        for cell in OUTSIDE {
            for budget in [Budget::UNLIMITED, Budget::limit(0)] {
                assert_eq!(planner.tick(cell, budget), Err(OffMap(cell)), "{name}");
            }
            let off_map = GoalsError::OffMap(OffMap(cell));
            assert_eq!(planner.set_goal(cell), Err(off_map), "{name}");
        }
        assert_eq!(planner.set_goals(&[]), Err(GoalsError::None), "{name}");
        assert_eq!(planner.set_goals(&many), Err(GoalsError::TooMany), "{name}");
    }));
}

#[test]
fn the_outer_walls_of_a_maze_are_known_and_stay() {
    for (width, height) in [(1, 1), (3, 3), (1, 9), (9, 1), (5, 4), (16, 16)] {
        let mut maze = Walled4::unknown((width, height));
        let world = World::new(width, height, Walled4::CONNECTIVITY, Unknown::AsFree);
        let sides = world
            .cells()
            .flat_map(|cell| Side::ALL.map(|side| (cell, side)));
        for (cell, side) in sides.filter(|&(cell, side)| world.neighbor(cell, side).is_none()) {
            let at = format!("{side:?} of {cell:?} in {width}x{height}");
            assert_eq!(maze.wall(cell, side), Ok(Occupancy::Blocked), "{at}");
            let gap = Observation::Wall(cell, side, Occupancy::Free);
            assert_eq!(maze.observe(gap), Ok(None), "{at}");
            assert_eq!(maze.wall(cell, side), Ok(Occupancy::Blocked), "{at}");
        }
    }
}

#[test]
fn vertices_beyond_a_map_are_blocked_whatever_it_held_before() {
    on_each!([Plain4, Weighted4, Plain8] K => {
        let mut map = K::in_blocks(30, 30);
        for (width, height) in [(20, 20), (1, 1), (5, 4), (16, 1), (7, 9)] {
            map.resize(width, height).unwrap();
            let world = World::new(width, height, K::CONNECTIVITY, Unknown::AsFree);
            let graph = map.view::<AsFree>();
            let cells: Vec<usize> = world.cells().map(|c| graph.grid().vertex(c).unwrap()).collect();
            for vertex in (0..30 * 16).chain([usize::MAX]) {
                let is_cell = cells.contains(&vertex);
                assert_eq!(graph.is_passable(vertex), is_cell, "{vertex} of {width}x{height}");
                assert!(!map.view::<AsBlocked>().is_passable(vertex));
            }
            assert_eq!(map.occupancy(Cell::new(width, 0)), Occupancy::Blocked);
            for cell in world.cells() {
                assert_eq!(map.occupancy(cell), Occupancy::Unknown);
                let free = map.observe(Observation::Cell(cell, Occupancy::Free));
                assert!(free.unwrap().is_some());
            }
        }
    });
}

#[test]
fn a_diagonal_is_known_when_its_end_and_both_corners_are() {
    const DIAGONALS: [(i16, i16); 4] = [(-1, 1), (-1, -1), (1, -1), (1, 1)];
    let world = World::square(3, Plain8::CONNECTIVITY);
    let from = Cell::new(1, 1);
    for (m, (dx, dy)) in (4..).zip(DIAGONALS) {
        let needed = [(dx, dy), (dx, 0), (0, dy)].map(|(dx, dy)| world.offset(from, dx, dy));
        for seen in 0..8 {
            let mut map = Plain8::unknown((3, 3));
            for (n, cell) in needed.into_iter().flatten().enumerate() {
                if seen >> n & 1 != 0 {
                    let free = Observation::Cell(cell, Occupancy::Free);
                    assert!(map.observe(free).unwrap().is_some());
                }
            }
            let vertex = map.view::<AsFree>().grid().vertex(from).unwrap();
            assert_eq!(map.is_known(vertex, m), seen == 7, "{m}, {seen:b}");
        }
    }
}
