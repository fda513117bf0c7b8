//! The explorer explores until the best path is proven and no longer, whatever the maze and the budget.

use planner_core::{
    Budget, Cell, Decision, Navigator, Observation, Planner, Side,
    explore::{MazeExplorer, Phase},
    map::{Map, Occupancy},
    queue::Queue,
    search::Search,
    storage::Storage,
    width::Width,
};
use rand::{RngExt, seq::IndexedRandom};

use crate::{
    build::{Kind, explorer},
    for_seeds, is_within,
    terrains::{Plain8, Walled4},
    world::{Unknown, World, blocked_with},
};

/// A planner that explores.
pub trait InspectExplorer: Planner {
    fn phase(&self) -> Phase;
    fn is_solved(&self) -> bool;
}

impl<M: Map, R: Search, S: Storage, W: Width, Q: Queue<W>> InspectExplorer
    for Navigator<M, MazeExplorer<R, S, W, Q>>
{
    fn phase(&self) -> Phase {
        self.search().phase()
    }

    fn is_solved(&self) -> bool {
        self.search().is_solved()
    }
}

/// A mission in a maze.
pub struct Mission {
    /// What is known of the maze, until the run begins.
    pub free: World,
    pub blocked: World,
    pub trail: Vec<Cell>,
    pub ticks: u32,
    /// The place in the trail where the run began.
    run: Option<usize>,
}

impl Mission {
    /// The cells of the run.
    pub fn run(&self) -> &[Cell] {
        &self.trail[self.run.unwrap_or(self.trail.len())..]
    }
}

/// Explores, returns and runs; `None` if the goal cannot be reached. `check` is called after each tick, with the phase
/// before it.
pub fn carry_out<R: InspectExplorer>(
    robot: &mut R,
    maze: &World,
    (home, goals): (Cell, &[Cell]),
    budget: Budget,
    mut check: impl FnMut(&R, &Mission, Phase, Decision),
) -> Option<Mission> {
    let unseen = |unknown| World::new(maze.width, maze.height, maze.connectivity, unknown);
    let mut mission = Mission {
        free: unseen(Unknown::AsFree),
        blocked: unseen(Unknown::AsBlocked),
        trail: vec![home],
        ticks: 0,
        run: None,
    };
    let mut at = home;
    for _ in 0..400_000 {
        for seen in maze.observations_at(at, false) {
            robot.observe(seen).unwrap();
            if mission.run.is_none() {
                mission.free.observe(seen);
                mission.blocked.observe(seen);
            }
        }
        let before = robot.phase();
        let decision = robot.tick(at, budget).unwrap();
        assert!(is_within(robot.stats().last_tick, budget));
        mission.ticks += 1;
        if robot.phase() == Phase::Run {
            mission.run.get_or_insert(mission.trail.len() - 1);
        }
        check(robot, &mission, before, decision);
        match decision {
            Decision::Step(next) => {
                assert!(maze.step_cost(at, next).is_some(), "{at:?} to {next:?}");
                at = next;
                mission.trail.push(at);
            }
            Decision::Wait => {}
            Decision::Arrived => {
                let is_done = robot.phase() == Phase::Done && robot.is_solved();
                assert!(is_done && goals.contains(&at));
                return Some(mission);
            }
            Decision::Unreachable => return None,
        }
    }
    panic!("a mission without end: {:?} at {at:?}", robot.phase());
}

/// Explores a maze, and checks each time the explorer says whether it is solved; the cost of the run.
fn explore<K: Kind>(
    maze: &World,
    home: Cell,
    goals: &[Cell],
    budget: Budget,
    check_unsolved: bool,
) -> Option<u64> {
    let mut explorer = explorer::<K>((maze.width, maze.height), home, goals);
    let ends = (home, goals);
    let mission = carry_out(
        &mut explorer,
        maze,
        ends,
        budget,
        |robot, known, before, _| {
            let cost = |world: &World| world.costs_to(goals).of(home);
            let is_solved = || cost(&known.free) == cost(&known.blocked);
            if before == Phase::Explore && robot.is_solved() {
                assert!(is_solved(), "solved too early");
            }
            if check_unsolved && before == Phase::Explore && robot.phase() == Phase::Explore {
                assert!(!robot.is_solved() && !is_solved(), "solved too late");
            }
        },
    );
    let steps = mission.as_ref()?.run().windows(2);
    steps.map(|step| maze.step_cost(step[0], step[1])).sum()
}

/// A robot that senses a wall only by driving at it.
fn explore_by_touch(maze: &World, home: Cell, goals: &[Cell], budget: Budget) -> Option<u64> {
    let mut explorer = explorer::<Walled4>((maze.width, maze.height), home, goals);
    let (mut at, mut ran) = (home, 0);
    for _ in 0..50_000 {
        match explorer.tick(at, budget).unwrap() {
            Decision::Step(next) => {
                let side = Side::between(at, next).expect("a step to a neighbor");
                let wall = maze.wall(at, side);
                explorer.observe(Observation::Wall(at, side, wall)).unwrap();
                if wall == Occupancy::Free {
                    at = next;
                    ran += u64::from(explorer.search().phase() == Phase::Run);
                }
            }
            Decision::Wait => {}
            Decision::Arrived => return Some(ran),
            Decision::Unreachable => return None,
        }
    }
    panic!(
        "an exploration without end: {:?} at {at:?}",
        explorer.search().phase()
    );
}

fn runs_are_shortest<K: Kind>(seeds: u64) {
    for_seeds(seeds, |rng| {
        let (width, height) = (rng.random_range(1..12), rng.random_range(1..12));
        let walls = *[0.0, 0.2, 0.35, 0.5].choose(rng).unwrap();
        let mut maze = World::new(width, height, K::CONNECTIVITY, Unknown::AsBlocked);
        maze.fill(|| blocked_with(rng, walls));
        let home = maze.random_passable(rng);
        let goals: Vec<Cell> = (0..rng.random_range(1..=4))
            .map(|_| maze.random_cell(rng))
            .collect();
        if !maze.is_passable(home) {
            return; // nowhere to begin
        }
        let expected = maze.costs_to(&goals).of(home);
        let end = explore::<K>(&maze, home, &goals, Budget::UNLIMITED, true);
        assert_eq!(end, expected);
        // With one expansion the local search has all, and nobody finds out what is cut off.
        let limit = Budget::limit(rng.random_range(2..20));
        let end = explore::<K>(&maze, home, &goals, limit, false);
        assert_eq!(end, expected, "{limit:?}");
    });
}

#[test]
fn a_run_is_as_short_as_any_path_through_the_maze_and_no_sooner_than_that_is_proven() {
    runs_are_shortest::<Walled4>(600);
    runs_are_shortest::<Plain8>(200);
}

#[test]
fn a_robot_that_senses_walls_by_touch_explores_to_the_end() {
    for_seeds(300, |rng| {
        let (width, height) = (rng.random_range(1..10), rng.random_range(1..10));
        let walls = *[0.1, 0.3, 0.5].choose(rng).unwrap();
        let mut maze = World::new(width, height, Walled4::CONNECTIVITY, Unknown::AsBlocked);
        maze.fill(|| blocked_with(rng, walls));
        let (home, goal) = (maze.random_cell(rng), maze.random_cell(rng));
        let shortest = maze.costs_to(&[goal]).of(home);
        let end = explore_by_touch(&maze, home, &[goal], Budget::limit(32));
        assert_eq!(end, shortest);
    });
}
