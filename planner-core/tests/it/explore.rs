//! A tour explores until the best way is proven and no longer, whatever the maze and the budget.

use crate::common::{
    is_within,
    world::{Ground, World},
};
use planner_core::{
    Budget, Cell, Decision, Observation, Planner, Side,
    explore::{MazeExplorer, Phase},
    local::{Follow, Learned, LookAhead, LssLrta, SuccessorOrder},
    map::{Occupancy, Unknown},
    queue::Buckets,
    rtd::{LocalRatio, Rtd},
    search::DStarLite,
    terrain::Walls,
    width::Bits16,
};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

const SIDES: [Side; 4] = [Side::South, Side::West, Side::North, Side::East];

type Search<'m> = DStarLite<'m, Bits16, Walls<'m>, Buckets<4>>;

/// A maze in which each inner wall stands with some probability, known to the last wall.
fn maze(rng: &mut impl Rng, (width, height): (u16, u16), walls: f64) -> World {
    let mut maze = World::new(width, height, Ground::Walled, Unknown::AsBlocked);
    let cells: Vec<Cell> = maze.cells().collect();
    for cell in cells {
        for side in [Side::North, Side::West] {
            let stands = rng.random_bool(walls);
            let fact = if stands {
                Occupancy::Blocked
            } else {
                Occupancy::Free
            };
            maze.see(Observation::Wall(cell, side, fact));
        }
    }
    maze
}

/// What a robot at a cell sees.
fn look(maze: &World, at: Cell) -> [Observation; 4] {
    SIDES.map(|side| Observation::Wall(at, side, maze.wall(at, side)))
}

/// What became of a tour.
#[derive(Debug, PartialEq)]
enum End {
    /// The steps of the run.
    Done(u64),
    Unreachable,
}

/// Tours a maze, and checks each time the tour says whether it is solved.
fn explore(maze: &World, home: Cell, goals: &[Cell], budget: Budget, check_unsolved: bool) -> End {
    let (width, height) = (maze.width, maze.height);
    let vertices = Walls::vertices(width, height);
    let mut maps = vec![vec![0; Walls::words(width, height)]; 3];
    let mut nodes = vec![vec![Default::default(); Search::nodes(vertices)]; 3];
    let mut values = vec![0; vertices];
    let mut memory = maps.iter_mut().zip(&mut nodes);
    let mut search = |unknown| {
        let (map, nodes) = memory.next().unwrap();
        let walls = Walls::new(width, height, map, unknown).unwrap();
        Search::new(walls, Buckets::new(), nodes, home, goals[0]).unwrap()
    };
    let global = search(Unknown::AsFree);
    let (best, safe) = (search(Unknown::AsFree), search(Unknown::AsBlocked));
    let learned = Learned::<Bits16>::new(
        planner_core::search::GlobalSearch::terrain(&global),
        &mut values,
    );
    let (by, order) = (LookAhead::AStar, SuccessorOrder::Fixed);
    let local = LssLrta::<_, 200>::new(learned.unwrap(), by, Follow::ReplanEachStep, order);
    let robot: Rtd<_, _> = Rtd::new(global, local, LocalRatio::percent(50));
    let mut tour = MazeExplorer::new(robot, best, safe, home, goals).unwrap();

    let mut free = World::new(width, height, Ground::Walled, Unknown::AsFree);
    let mut blocked = World::new(width, height, Ground::Walled, Unknown::AsBlocked);
    let (mut at, mut ran) = (home, 0);
    for _ in 0..200_000 {
        for seen in look(maze, at) {
            tour.observe(seen).unwrap();
            free.see(seen);
            blocked.see(seen);
        }
        let before = tour.phase();
        let decision = tour.tick(at, budget).unwrap();
        let work = tour.stats().tick;
        assert!(is_within(work, budget));

        let is_solved = || free.costs_to(goals).of(home) == blocked.costs_to(goals).of(home);
        if tour.is_solved() && before == Phase::Explore {
            assert!(is_solved(), "solved too early");
        }
        if check_unsolved && before == Phase::Explore && tour.phase() == Phase::Explore {
            assert!(!tour.is_solved() && !is_solved(), "solved too late");
        }
        match decision {
            Decision::Step(next) => {
                assert!(maze.step_cost(at, next).is_some(), "{at:?} to {next:?}");
                at = next;
                ran += u64::from(tour.phase() == Phase::Run);
            }
            Decision::Wait => {}
            Decision::Arrived => {
                assert!(goals.contains(&at) && tour.phase() == Phase::Done && tour.is_solved());
                return End::Done(ran);
            }
            Decision::Unreachable => return End::Unreachable,
        }
    }
    panic!("a tour without end: {:?} at {at:?}", tour.phase());
}

#[test]
fn a_run_is_as_short_as_any_way_through_the_maze_and_no_sooner_than_that_is_proven() {
    for seed in 0..600 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let size = (rng.random_range(1..12), rng.random_range(1..12));
        let walls = *[0.0, 0.2, 0.35, 0.5].choose(&mut rng).unwrap();
        let maze = maze(&mut rng, size, walls);
        let home = maze.nth(rng.random_range(0..maze.count()));
        let goals: Vec<Cell> = (0..rng.random_range(1..=4))
            .map(|_| maze.nth(rng.random_range(0..maze.count())))
            .collect();
        let shortest = maze.costs_to(&goals).of(home);
        let expected = shortest.map_or(End::Unreachable, End::Done);
        let end = explore(&maze, home, &goals, Budget::UNLIMITED, true);
        assert_eq!(end, expected, "seed {seed}");
        // With one expansion the search around the robot has all, and nobody finds out what is cut off.
        let limit = Budget::limit(rng.random_range(2..20));
        let end = explore(&maze, home, &goals, limit, false);
        assert_eq!(end, expected, "seed {seed}, {limit:?}");
    }
}
