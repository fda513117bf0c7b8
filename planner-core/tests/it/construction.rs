//! Bad input is an error value, at construction and afterwards, and what fits is accepted.

use planner_core::{
    Budget, BuildError, Cell, Decision, Goals, GoalsError, Observation, ObserveError, OffMap, Side,
    graph::Graph,
    map::{AsBlocked, AsFree, Map, Occupancy},
    width::{Bits16, Bits32, Width},
};

use crate::{
    build::{self, Kind, Lent, Member, Setup, some_dstar_lites, some_repeated_astars},
    robot::{ENOUGH, Promise, Robot},
    terrains::{Fine8, Plain4, Plain8, Walled4, Weighted4},
    world::{Unknown, World},
};

/// Where planners are built to go from and to.
const ENDS: (Cell, Cell) = (Cell::new(0, 0), Cell::new(1, 1));

/// Builds with all the storage that is needed.
fn fits<W: Width, K: Kind, const WORDS: usize>(
    width: u16,
    height: u16,
    heaviest: u8,
) -> Result<(), BuildError> {
    build::in_blocks::<W, K, WORDS>((width, height), heaviest, ENDS, Lent::default())
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
    assert_eq!(fits::<Bits16, Plain4, 4>(255, 255, 1), Ok(()));
    assert_eq!(
        fits::<Bits16, Plain4, 16>(255, 255, 1),
        too_many(256 * 255 + 512)
    );
    assert_eq!(
        fits::<Bits16, Plain4, 4>(256, 256, 1),
        too_many(257 * 256 + 128)
    );
    assert_eq!(fits::<Bits32, Plain4, 16>(256, 256, 1), Ok(()));
    assert_eq!(fits::<Bits16, Walled4, 4>(255, 255, 1), Ok(()));
    assert_eq!(
        fits::<Bits16, Walled4, 4>(256, 256, 1),
        too_many(65_536 + 128)
    );
    assert_eq!(fits::<Bits32, Walled4, 4>(256, 256, 1), Ok(()));
}

#[test]
fn paths_must_be_cheap_enough_for_16_bit_costs() {
    let is_too_costly = |built| match built {
        Err(BuildError::TooCostly { longest, limit }) => limit == 65_534 && longest > limit,
        _ => false,
    };
    assert!(is_too_costly(fits::<Bits16, Fine8, 4>(40, 40, 1)));
    assert_eq!(fits::<Bits16, Plain8, 4>(40, 40, 1), Ok(()));
    assert_eq!(fits::<Bits32, Fine8, 4>(40, 40, 1), Ok(()));
    assert!(is_too_costly(fits::<Bits16, Weighted4, 4>(40, 40, 41)));
    assert_eq!(fits::<Bits16, Weighted4, 4>(40, 40, 40), Ok(()));
    assert_eq!(fits::<Bits32, Weighted4, 4>(40, 40, 255), Ok(()));
}

#[test]
fn storage_too_short_by_one_block_is_refused_with_what_is_needed() {
    let (size, vertices) = ((9, 7), 70);
    let short = |needed, given| Err(BuildError::TooLittleMemory { needed, given });
    let build = |lent| build::in_blocks::<Bits16, Weighted4, 1>(size, 9, ENDS, lent);
    let all = Lent::default();
    assert_eq!(build(all), Ok(()));
    let four = Some(4);
    assert_eq!(build(Lent { map: four, ..all }), short(5, 4));
    assert_eq!(
        build(Lent {
            weights: four,
            ..all
        }),
        short(vertices, 64)
    );
    let nodes = Some(6);
    assert_eq!(build(Lent { nodes, ..all }), short(vertices + 32, 96));
    let no_map = Lent {
        map: Some(0),
        ..all
    };
    let maze = build::in_blocks::<Bits16, Walled4, 1>(size, 1, ENDS, no_map);
    assert_eq!(maze, short(63, 0));
}

#[test]
fn a_heap_must_have_room_for_every_cell() {
    let known = World::new(9, 7, Plain4::GROUND, Unknown::AsFree);
    let setup = Setup::new(&known, ENDS.0, ENDS.1);
    for (blocks, fits) in [(5, true), (4, false), (0, false)] {
        let refused = BuildError::TooLittleMemory {
            needed: 70,
            given: 16 * blocks,
        };
        let expected = if fits { Ok(()) } else { Err(refused) };
        assert_eq!(build::with_heap_of::<Plain4>(&setup, blocks), expected);
    }
}

#[test]
fn a_map_without_rows_or_columns_is_refused() {
    on_each!([Plain4, Weighted4, Walled4] K => {
        for (width, height) in [(0, 0), (0, 5), (5, 0)] {
            let mut map = K::in_blocks(9, 9, 9);
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
            let cells = build::in_blocks::<Bits16, Plain4, 1>(size, 1, ends, all);
            let walls = build::in_blocks::<Bits32, Walled4, 1>(size, 1, ends, all);
            assert_eq!((cells, walls), (refused, refused));
        }
    }
}

/// Runs something with planners of each sort for an unknown world of 6 by 5 cells, then has each walk to
/// the goal, every decision checked.
fn with_planners<K: Kind>(mut run: impl FnMut(&World, Cell, &mut [Member])) {
    let known = World::new(6, 5, K::GROUND, Unknown::AsFree);
    let ends = (Cell::new(0, 0), Cell::new(5, 4));
    let setup = Setup::new(&known, ends.0, ends.1);
    for mut planners in [
        some_dstar_lites::<K>(&setup),
        some_repeated_astars::<K>(&setup),
    ] {
        run(&known, ends.0, &mut planners);
        let mut robot = Robot::new(planners, 0, Promise::Shortest, &known, ends);
        while robot.step(ENOUGH).unwrap() != Decision::Arrived {
            robot.audit().unwrap();
        }
    }
}

/// Has every planner refuse `observations`, before its first tick and after it, and walk on as if
/// nothing had been observed.
fn refuses<K: Kind>(observations: &[(Observation, ObserveError)]) {
    with_planners::<K>(|_, start, planners| {
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
    refuses::<Plain4>(&refused(&blocked));
    refuses::<Weighted4>(&refused(&blocked));
    refuses::<Weighted4>(&refused(&heavy));
    refuses::<Walled4>(&refused(&walled));
}

#[test]
fn observations_of_what_a_terrain_does_not_have_are_refused_and_change_nothing() {
    let cell = Cell::new(2, 2);
    let refused = |seen| (seen, ObserveError::Unsupported);
    let wall = refused(Observation::Wall(cell, Side::East, Occupancy::Blocked));
    let rock = refused(Observation::Cell(cell, Occupancy::Blocked));
    let heavy = refused(Observation::Weight(cell, 9));
    refuses::<Plain4>(&[wall, heavy]);
    refuses::<Weighted4>(&[wall]);
    refuses::<Walled4>(&[rock, heavy]);
}

#[test]
fn weights_out_of_range_are_refused_and_change_nothing() {
    let refused = |weight| {
        let seen = Observation::Weight(Cell::new(2, 2), weight);
        (seen, ObserveError::WeightOutOfRange)
    };
    refuses::<Weighted4>(&[refused(0), refused(10), refused(u8::MAX)]);
}

#[test]
fn a_tick_or_a_goal_outside_the_map_is_an_error_and_the_planner_works_on() {
    fn check<K: Kind>() {
        with_planners::<K>(|known, start, planners| {
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
        });
    }
    check::<Plain4>();
    check::<Weighted4>();
    check::<Walled4>();
}

#[test]
fn the_outer_walls_of_a_maze_are_known_and_stay() {
    for (width, height) in [(1, 1), (3, 3), (1, 9), (9, 1), (5, 4), (16, 16)] {
        let mut maze = Walled4::unknown((width, height), 1);
        let world = World::new(width, height, Walled4::GROUND, Unknown::AsFree);
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
        let mut map = K::in_blocks(30, 30, 9);
        for (width, height) in [(20, 20), (1, 1), (5, 4), (16, 1), (7, 9)] {
            map.resize(width, height).unwrap();
            let world = World::new(width, height, K::GROUND, Unknown::AsFree);
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
    let world = World::square(3, Plain8::GROUND);
    let from = Cell::new(1, 1);
    for (m, (dx, dy)) in (4..).zip(DIAGONALS) {
        let needed = [(dx, dy), (dx, 0), (0, dy)].map(|(dx, dy)| world.offset(from, dx, dy));
        for seen in 0..8 {
            let mut map = Plain8::unknown((3, 3), 1);
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
