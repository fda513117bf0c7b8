//! Local searches keep lower bounds, arrive, and stay within their bounds.
//!
//! Robots walk small random worlds that they know or discover, and every value, every step and every
//! count of every variant is compared with plain Dijkstra.

use std::collections::HashMap;

use planner_core::{
    Budget, BuildError, Cell, Decision, Observation, Side,
    graph::{Coarse, CutCorners, Eight, Fine, Four, Graph, MaxNorm, Octile, OnePassable, Zero},
    local::{Follow, HashedValues, Learned, LearnedValues, LookAhead, SuccessorOrder, entries},
    map::{AsFree, Map, Occupancy},
    storage::Boxed,
    width::{Bits16, Bits32},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{Built, Kind, Local, Plain, Setup, Walled, Weighted, agent, learned, learned_in},
    robot::{Guarantee, Robot},
    terrains::{Fine8, Plain4, Plain8, Walled4, Weighted4, Weighted8},
    world::{Connectivity, Terrain, Unknown, World, blocked_with, problem},
};

const HEAVIEST: u8 = 5;
const LOOK_AHEADS: [LookAhead; 2] = [LookAhead::AStar, LookAhead::BreadthFirst];

fn all_variants() -> Vec<Local> {
    let mut all = Vec::new();
    for by in LOOK_AHEADS {
        for order in [SuccessorOrder::Fixed, SuccessorOrder::Random(1)] {
            all.push(Local::Lss(by, Follow::Path, order));
            all.push(Local::Lss(by, Follow::Descent, order));
            all.push(Local::Lss(by, Follow::ReplanEachStep, order));
            all.push(Local::Lrta(by, order));
        }
    }
    all
}

/// All variants with each of some look-aheads.
fn all_cases<const N: usize>(look_aheads: [u32; N]) -> impl Iterator<Item = (Local, u32)> {
    let variants = all_variants().into_iter();
    variants.flat_map(move |variant| look_aheads.map(|n| (variant, n)))
}

/// Returns whether a search learns the heuristic of every cell that it expands.
fn learns_all(variant: Local) -> bool {
    matches!(variant, Local::Lss(..))
}

/// Returns whether a robot searches before each step.
fn replans(variant: Local) -> bool {
    !matches!(variant, Local::Lss(_, Follow::Path | Follow::Descent, _))
}

type Build<'b> = &'b dyn Fn(&Setup, Local, u32) -> Built;

/// A kind of robot in a kind of world.
#[derive(Clone, Copy)]
struct Case<'b> {
    terrain: Terrain,
    build: Build<'b>,
    variant: Local,
    look_ahead: u32,
}

impl<'b> Case<'b> {
    fn new(terrain: Terrain, build: Build<'b>, variant: Local, look_ahead: u32) -> Self {
        Self {
            terrain,
            build,
            variant,
            look_ahead,
        }
    }

    /// A robot that knows `known`.
    fn robot(&self, known: &World, ends: (Cell, Cell)) -> Robot {
        let setup = Setup::new(known, ends.0, ends.1);
        let look_ahead = self.look_ahead;
        let planner = (self.build)(&setup, self.variant, look_ahead).expect("the map fits");
        Robot::alone(planner, Guarantee::Local { look_ahead }, known, ends)
    }

    /// A world of obstacles or a maze, with weights where the terrain has them.
    fn world(&self, rng: &mut ChaCha8Rng, size: u16) -> World {
        let (width, height) = (rng.random_range(2..=size), rng.random_range(2..=size));
        self.world_of(rng, width, height)
    }

    fn world_of(&self, rng: &mut ChaCha8Rng, width: u16, height: u16) -> World {
        let mut world = World::new(width, height, self.terrain.connectivity, Unknown::AsFree);
        if rng.random_bool(0.4) {
            world.carve_maze(rng);
        } else {
            let density = rng.random_range(0.1..0.45);
            world.fill(|| blocked_with(rng, density));
        }
        if self.terrain.weighted {
            world.weigh(rng, HEAVIEST);
        }
        world
    }

    /// The world, or one of which nothing is known, and a robot in it.
    fn robot_in(
        &self,
        rng: &mut ChaCha8Rng,
        size: u16,
        solvable: bool,
        informed: f64,
    ) -> (World, Robot) {
        let (truth, ends) = problem(rng, solvable, |rng| self.world(rng, size));
        let known = match rng.random_bool(informed) {
            true => truth.clone(),
            false => truth.unseen(),
        };
        let robot = self.robot(&known, ends);
        (truth, robot)
    }
}

fn tick(robot: &mut Robot) -> Result<Decision, String> {
    robot.step(Budget::UNLIMITED)
}

fn h(robot: &Robot, cell: Cell) -> u64 {
    robot.planner().h(cell).expect("on the map")
}

/// The heuristic values learned so far.
fn learned_values(robot: &Robot) -> HashMap<Cell, u64> {
    let cells = robot.known.cells();
    let learned = cells.filter(|&cell| robot.planner().is_expanded(cell));
    learned.map(|cell| (cell, h(robot, cell))).collect()
}

/// Every value is a lower bound and, if all are kept, no more than a neighbor's and the step.
fn check_values(robot: &mut Robot, consistent: bool) -> Result<(), String> {
    let costs = robot.costs().clone();
    for cell in robot.known.cells() {
        let (h_here, cost) = (h(robot, cell), costs.of(cell));
        if robot.known.is_passable(cell) && cost.is_some_and(|cost| h_here > cost) {
            return Err(format!("h of {cell:?} is {h_here}, the cost {cost:?}"));
        }
        for next in robot.known.steps(cell).into_iter().filter(|_| consistent) {
            let cost = robot.known.step_cost(cell, next).expect("a step");
            let beyond = h(robot, next);
            if h_here > cost + beyond {
                return Err(format!(
                    "h of {cell:?} is {h_here}, of {next:?}, {cost} away, {beyond}"
                ));
            }
        }
    }
    Ok(())
}

/// Checks a claim for all variants and look-aheads; a failure says how to repeat it.
fn claim<T>(
    terrain: Terrain,
    build: Build,
    runs: u64,
    check: impl Fn(&mut ChaCha8Rng, Case) -> Result<T, String>,
) {
    for (variant, look_ahead) in all_cases([1, 2, 5, 17]) {
        for seed in 0..runs {
            let case = Case::new(terrain, build, variant, look_ahead);
            if let Err(failure) = check(&mut ChaCha8Rng::seed_from_u64(seed), case) {
                let name = terrain.name;
                panic!("{name}, {variant:?}, look-ahead {look_ahead}, seed {seed}: {failure}");
            }
        }
    }
}

/// Checks a claim on all terrains, each with the width that its costs fit.
macro_rules! claim_on_all_terrains {
    ($runs:expr, $check:expr) => {
        on_each!([
            Plain4,
            Plain<Four<Zero>>,
            Weighted<Four<MaxNorm>>,
            Plain8,
            Weighted<Eight<OnePassable, Coarse, Octile>>,
            Walled4,
        ] K => claim(K::terrain(), &agent::<K, Bits16, 128>, $runs, $check));
        on_each!([Plain<Eight<CutCorners, Fine, MaxNorm>>, Walled<Zero>] K =>
            claim(K::terrain(), &agent::<K, Bits32, 128>, $runs, $check));
    };
}

#[test]
fn values_are_lower_bounds_and_consistent_while_costs_only_rise() {
    fn check(rng: &mut ChaCha8Rng, case: Case) -> Result<(), String> {
        let (truth, mut robot) = case.robot_in(rng, 9, false, 0.3);
        let consistent = learns_all(case.variant);
        check_values(&mut robot, consistent)?;
        for tick in 0..60 {
            let in_tick = |error| format!("tick {tick}: {error}");
            let mut seen = truth.observations_at(robot.at, case.terrain.weighted);
            let cell = truth.random_cell(rng);
            if case.terrain.weighted && robot.known.weight(cell) < truth.weight(cell) {
                seen.push(Observation::Weight(cell, truth.weight(cell) as u8));
            }
            robot.observe_all(seen).map_err(in_tick)?;
            let limit = Budget::limit(rng.random_range(1..=20));
            let decision = robot.step(limit).map_err(in_tick)?;
            check_values(&mut robot, consistent).map_err(in_tick)?;
            if !matches!(decision, Decision::Step(_)) {
                break;
            }
        }
        Ok(())
    }
    claim_on_all_terrains!(25, check);
}

#[test]
fn every_robot_arrives_in_a_static_world_that_it_knows_or_discovers() {
    claim_on_all_terrains!(60, |rng, case| {
        let (truth, mut robot) = case.robot_in(rng, 14, true, 0.5);
        robot.arrive(&truth, case.terrain.weighted, Budget::UNLIMITED)
    });
}

#[test]
fn values_never_fall_and_every_robot_arrives_once_the_world_stops_changing() {
    fn check(rng: &mut ChaCha8Rng, case: Case) -> Result<u32, String> {
        let (mut truth, mut robot) = case.robot_in(rng, 10, false, 1.0);
        for _ in 0..rng.random_range(1..150) {
            for _ in 0..rng.random_range(0..4) {
                let state = blocked_with(rng, 0.5);
                let weight = rng.random_range(1..=HEAVIEST);
                let mut seen = vec![truth.random_state(rng, state)];
                if case.terrain.weighted {
                    seen.push(Observation::Weight(truth.random_cell(rng), weight));
                }
                let ends = [robot.at, robot.goals[0]];
                seen.retain(
                    |seen| !matches!(seen, Observation::Cell(cell, _) if ends.contains(cell)),
                );
                seen.iter().for_each(|&seen| _ = truth.observe(seen));
                robot.observe_all(seen)?;
            }
            let before = learned_values(&robot);
            tick(&mut robot)?;
            for (cell, value) in learned_values(&robot) {
                if before.get(&cell).is_some_and(|&old| value < old) {
                    return Err(format!("the value of {cell:?} fell to {value}"));
                }
            }
        }
        // From now on the world stays. If there is no path, the last changes make one.
        for cell in truth.cells() {
            if robot.cost().is_some() {
                break;
            }
            let free = truth.states(cell, Occupancy::Free);
            free.iter().for_each(|&seen| _ = truth.observe(seen));
            robot.observe_all(free)?;
        }
        robot.arrive(&truth, case.terrain.weighted, Budget::UNLIMITED)
    }
    claim_on_all_terrains!(40, check);
}

/// A robot does not go in circles, because each path ends at a cell whose value is smaller than
/// that where it began, by what it cost or more.
#[test]
fn every_path_leads_to_a_value_smaller_by_its_cost() {
    fn check(rng: &mut ChaCha8Rng, case: Case) -> Result<(), String> {
        let (world, mut robot) = case.robot_in(rng, 10, false, 1.0);
        let before = case.world_of(rng, world.width, world.height);
        // Values learned in another world are too high, or inconsistent, in this one.
        for world in [&before, &world] {
            let mut seen = world.observations();
            seen.retain(|seen| *seen != Observation::Cell(robot.at, Occupancy::Blocked));
            robot.observe_all(seen)?;
            for _ in 0..rng.random_range(0..40) {
                tick(&mut robot)?;
            }
        }
        let mut path = None;
        for _ in 0..60 {
            let (from, value) = (robot.at, h(&robot, robot.at));
            let searches = robot.planner().stats().searches;
            if !matches!(tick(&mut robot)?, Decision::Step(_)) {
                break;
            }
            if robot.planner().stats().searches > searches {
                if let Some((first, cost)) = path.take()
                    && value + cost > first
                {
                    return Err(format!(
                        "{first} at first, {value} at {from:?}, {cost} later"
                    ));
                }
                let learned = robot.planner().is_expanded(from);
                path = learned.then(|| (h(&robot, from), 0));
            }
            if let Some((_, cost)) = &mut path {
                *cost += robot.known.step_cost(from, robot.at).expect("a step");
            }
        }
        Ok(())
    }
    claim_on_all_terrains!(40, check);
}

/// A robot on plain cells with four moves and a problem of its own.
fn plain_robot(
    known: &World,
    variant: Local,
    look_ahead: u32,
    start: (u16, u16),
    goal: (u16, u16),
) -> Robot {
    let (terrain, build): (_, Build) = (Plain4::terrain(), &agent::<Plain4, Bits16, 128>);
    let case = Case::new(terrain, build, variant, look_ahead);
    case.robot(
        known,
        (Cell::new(start.0, start.1), Cell::new(goal.0, goal.1)),
    )
}

fn corridor() -> World {
    World::new(40, 1, Connectivity::Four, Unknown::AsFree)
}

/// A room with a door that opens and shuts. The values on either side rise each time.
#[test]
fn values_that_became_too_high_do_not_keep_a_robot_from_arriving() {
    let mut truth = World::new(7, 5, Connectivity::Four, Unknown::AsFree);
    let doors = [Cell::new(3, 0), Cell::new(3, 4)];
    for y in 1..5 {
        truth.block(Cell::new(3, y));
    }
    for (variant, look_ahead) in all_cases([1, 3, 8]) {
        let mut robot = plain_robot(&truth, variant, look_ahead, (0, 2), (6, 2));
        for round in 0..300 {
            for _ in 0..10 {
                tick(&mut robot).unwrap();
                // Kept from leaving the room.
                robot.go(Cell::new(robot.at.x.min(2), robot.at.y));
            }
            let states = [Occupancy::Free, Occupancy::Blocked];
            for (n, door) in doors.into_iter().enumerate() {
                let seen = Observation::Cell(door, states[(round + n + 1) % 2]);
                robot.observe(seen).unwrap();
            }
        }
        let arrived = robot.arrive(&robot.known.clone(), false, Budget::UNLIMITED);
        arrived.unwrap_or_else(|e| panic!("{variant:?}, look-ahead {look_ahead}: {e}"));
    }
}

#[test]
fn lss_lrta_learns_a_value_per_expansion_and_lrta_one_per_search() {
    let world = World::square(20, Connectivity::Four);
    for variant in all_variants() {
        let mut robot = plain_robot(&world, variant, 12, (5, 5), (19, 19));
        tick(&mut robot).unwrap();
        let expected = if learns_all(variant) { 12 } else { 1 };
        assert_eq!(learned_values(&robot).len(), expected, "{variant:?}");
    }
}

/// Koenig (2004), section 4: what is known about a cell that was left counts, or the robot returns to it.
#[test]
fn lrta_leaves_a_dead_end_that_is_deeper_than_its_look_ahead() {
    let mut truth = World::new(30, 5, Connectivity::Four, Unknown::AsFree);
    for x in 2..28 {
        truth.block(Cell::new(x, 1));
        truth.block(Cell::new(x, 3));
    }
    truth.block(Cell::new(27, 2));
    for (look_ahead, by) in [1, 2, 3, 5, 9, 17]
        .into_iter()
        .flat_map(|n| LOOK_AHEADS.map(|by| (n, by)))
    {
        let variant = Local::Lrta(by, SuccessorOrder::Fixed);
        let mut robot = plain_robot(&truth, variant, look_ahead, (20, 2), (29, 2));
        let arrived = robot.arrive(&truth, false, Budget::UNLIMITED);
        arrived.unwrap_or_else(|e| panic!("{by:?}, look-ahead {look_ahead}: {e}"));
    }
}

#[test]
fn values_learned_for_one_goal_are_not_used_for_the_next() {
    fn check(rng: &mut ChaCha8Rng, case: Case) -> Result<(), String> {
        let (world, mut robot) = case.robot_in(rng, 40, false, 1.0);
        for tick in 0..40 {
            if tick < 20 || rng.random_bool(0.2) {
                robot.set_goals(&[world.random_passable(rng)])?;
                if world.cells().any(|cell| robot.planner().is_expanded(cell)) {
                    return Err("an old value".into());
                }
            }
            self::tick(&mut robot)?;
            check_values(&mut robot, false).map_err(|error| format!("tick {tick}: {error}"))?;
        }
        Ok(())
    }
    on_each!([Plain4, Walled4] K => claim(K::terrain(), &agent::<K, Bits16, 128>, 4, check));
    claim(
        Weighted8::terrain(),
        &agent::<Weighted8, Bits32, 128>,
        4,
        check,
    );
}

#[test]
fn learned_values_are_those_set_since_they_were_last_cleared() {
    let map = Plain4::unknown((60, 60));
    let vertices = 61 * 60;
    for seed in 0..50 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut learned = learned::<Bits16>(&map).unwrap();
        let mut model: HashMap<usize, usize> = HashMap::new();
        let mut swept = vertices;
        let mut opened = true;
        for _ in 0..2000 {
            let vertex = rng.random_range(0..vertices);
            match rng.random_range(0..100) {
                0 => {
                    learned.forget();
                    model.clear();
                    (swept, opened) = (0, false);
                }
                1..20 => {
                    let cells = rng.random_range(0..200);
                    learned.sweep(cells);
                    swept += if opened { cells } else { 0 };
                }
                _ => {
                    let value = rng.random_range(1..1000);
                    learned.set(vertex, value);
                    let kept = learned.get(vertex);
                    let is_unswept = swept < vertices && opened;
                    assert!(kept == Some(value) || is_unswept, "seed {seed}");
                    if kept.is_some() {
                        model.insert(vertex, value);
                    }
                    (swept, opened) = (swept + 1, true);
                }
            }
            for _ in 0..20 {
                let vertex = rng.random_range(0..vertices);
                let known = model.get(&vertex).copied();
                assert_eq!(learned.get(vertex), known, "seed {seed}, vertex {vertex}");
            }
        }
        let is_kept = |vertex| learned.get(vertex) == model.get(&vertex).copied();
        assert!((0..vertices).all(is_kept), "seed {seed}");
    }
}

#[test]
fn a_sweep_clears_no_more_than_asked_for_and_comes_to_an_end() {
    let map = Plain4::unknown((99, 100));
    for first in [0, 1, 300, 5000, 9990, 9999] {
        let mut learned = learned::<Bits16>(&map).unwrap();
        learned.forget();
        learned.set(first, 1);
        let mut open = 0;
        for sweeps in 0.. {
            (0..10_000).for_each(|vertex| learned.set(vertex, 1));
            let now = (0..10_000).filter(|&v| learned.get(v).is_some()).count();
            if now == 10_000 {
                assert!(
                    sweeps <= 200,
                    "{sweeps} sweeps of 50 at each end for 10,000"
                );
                break;
            }
            assert!(now > open && now <= 2 * Learned::<Boxed>::SWEEP + 1 + 100 * sweeps);
            open = now;
            learned.sweep(50);
        }
    }
}

/// A table of `N` values on a map of 60x60 cells.
fn hashed<const N: usize>() -> HashedValues<N> {
    let mut hashed = HashedValues::new();
    let map = Plain4::unknown((60, 60));
    hashed.begin(&map.view::<AsFree>()).unwrap();
    hashed
}

#[test]
fn a_hashed_value_is_the_last_that_was_set_or_lost() {
    let vertices = 61 * 60;
    for seed in 0..50 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut learned = hashed::<256>();
        let mut model: HashMap<usize, usize> = HashMap::new();
        let mut cleared = 256;
        for _ in 0..2000 {
            match rng.random_range(0..200) {
                0 => {
                    learned.forget();
                    model.clear();
                    cleared = 0;
                }
                1..20 => {
                    learned.upkeep();
                    cleared += HashedValues::<256>::SWEEP;
                }
                _ => {
                    let (vertex, value) =
                        (rng.random_range(0..vertices), rng.random_range(1..1000));
                    learned.set(vertex, value);
                    model.insert(vertex, value);
                    let is_kept = learned.get(vertex) == Some(value);
                    assert!(is_kept || cleared < 256, "seed {seed}: the latest was lost");
                }
            }
            let vertex = rng.random_range(0..vertices);
            let value = learned.get(vertex);
            assert!(
                value.is_none() || value == model.get(&vertex).copied(),
                "seed {seed}"
            );
        }
        let is_right = |vertex| match learned.get(vertex) {
            None => true,
            value => value == model.get(&vertex).copied(),
        };
        assert!((0..vertices).all(is_right), "seed {seed}");
    }
}

#[test]
fn a_full_table_keeps_as_many_hashed_values_as_it_has_room_for() {
    let mut learned = hashed::<256>();
    let kept =
        |learned: &HashedValues<256>| (0..3600).filter(|&v| learned.get(v).is_some()).count();
    for vertex in 0..128 {
        learned.set(vertex, 1 + vertex);
    }
    // With one place for each vertex, 101 of 128 are kept.
    assert!(kept(&learned) > 105, "{} of 128", kept(&learned));
    for vertex in 0..3600 {
        learned.set(vertex, 2 + vertex / 2);
    }
    assert_eq!(kept(&learned), 256);
    assert!((0..3600).all(|v| learned.get(v).is_none_or(|value| value == 2 + v / 2)));
    learned.forget();
    assert_eq!(kept(&learned), 0);
    for _ in 0..256 / HashedValues::<256>::SWEEP {
        learned.upkeep();
        assert_eq!(kept(&learned), 0, "old values come back");
    }
    learned.set(9, 1);
    assert_eq!(learned.get(9), Some(1));
    learned.set(8, usize::MAX);
    assert_eq!(
        learned.get(9),
        None,
        "a value that no path can have makes all others void"
    );
}

#[test]
fn a_value_above_every_path_cost_clears_all_values() {
    let map = Plain4::unknown((8, 8));
    let max_path_cost = map.view::<AsFree>().max_path_cost();
    let mut learned = learned::<Bits16>(&map).unwrap();
    learned.set(3, max_path_cost);
    assert_eq!(learned.get(3), Some(max_path_cost));
    learned.set(5, max_path_cost + 1);
    assert_eq!((learned.get(3), learned.get(5)), (None, None));
    learned.set(1000, 1);
    assert_eq!(learned.get(1000), None);
}

#[test]
fn learned_values_that_do_not_fit_are_refused() {
    let plain = |side| Plain4::unknown((side, side));
    let short = learned_in::<Bits16>(&plain(8), 4).err();
    let (needed, given) = (72, 64);
    assert_eq!(short, Some(BuildError::TooLittleMemory { needed, given }));
    let many = learned::<Bits16>(&plain(300)).err();
    assert!(
        matches!(many, Some(BuildError::TooManyCells { .. })),
        "{many:?}"
    );
    let costly = learned::<Bits16>(&Fine8::unknown((40, 40))).err();
    assert!(
        matches!(costly, Some(BuildError::TooCostly { .. })),
        "{costly:?}"
    );
}

fn bounds_hold(terrain: Terrain, build: Build) {
    let (comb, spiral) = (
        World::comb(31, terrain.connectivity),
        World::spiral(31, terrain.connectivity),
    );
    for (name, truth, goal) in [("comb", &comb, (15, 0)), ("spiral", &spiral, (15, 15))] {
        let goal = Cell::new(goal.0, goal.1);
        assert!(truth.is_passable(goal));
        for (variant, look_ahead) in all_cases([1, 4, 16, 64]) {
            for known in [truth, &truth.unseen()] {
                let case = Case::new(terrain, build, variant, look_ahead);
                let mut robot = case.robot(known, (Cell::new(0, 30), goal));
                let mut most = 0;
                for _ in 0..1500 {
                    let context = || format!("{name}, {variant:?}, {look_ahead}");
                    robot
                        .observe_all(truth.observations_at(robot.at, false))
                        .unwrap();
                    let decision = tick(&mut robot);
                    let decision = decision.unwrap_or_else(|e| panic!("{}: {e}", context()));
                    most = most.max(robot.planner().stats().last_tick.expansions);
                    if decision == Decision::Arrived {
                        break;
                    }
                    assert!(matches!(decision, Decision::Step(_)), "{}", context());
                }
                assert!(most >= look_ahead.min(16), "the look-ahead is used");
            }
        }
    }
}

/// The robot checks the bounds in every test; here they are near.
#[test]
fn expansions_and_queue_operations_are_bounded_on_combs_and_spirals() {
    bounds_hold(Plain4::terrain(), &agent::<Plain4, Bits32, 4096>);
    bounds_hold(Plain8::terrain(), &agent::<Plain8, Bits32, 4096>);
}

#[test]
fn a_full_local_search_space_ends_the_look_ahead_and_nothing_else() {
    const FOUR: usize = entries(33, 4);
    const EIGHT: usize = entries(33, 8);
    fn expanded<K: Kind>(build: Build, obstacles: &[Cell], variant: Local, n: u32) -> u32 {
        let terrain = K::terrain();
        let mut world = World::square(41, terrain.connectivity);
        obstacles.iter().for_each(|&cell| world.block(cell));
        let case = Case::new(terrain, build, variant, n);
        let mut robot = case.robot(&world, (Cell::new(20, 20), Cell::new(0, 0)));
        tick(&mut robot).unwrap();
        robot.planner().stats().last_tick.expansions
    }
    let (four, eight) = (expanded::<Plain4>, expanded::<Plain8>);
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let cells: Vec<Cell> = World::square(41, Connectivity::Four).cells().collect();
    let ends = [Cell::new(20, 20), Cell::new(0, 0)];
    for density in [0.0].into_iter().chain([0.2; 40]) {
        let is_blocked = |cell: &&Cell| rng.random_bool(density) && !ends.contains(cell);
        let world: Vec<Cell> = cells.iter().filter(is_blocked).copied().collect();
        for variant in all_variants() {
            // As much as was asked for, unless there are fewer cells than that.
            let wide = four(&agent::<Plain4, Bits32, 4096>, &world, variant, 33);
            let just = four(&agent::<Plain4, Bits32, FOUR>, &world, variant, 33);
            assert_eq!(just, wide);
            let wide = eight(&agent::<Plain8, Bits32, 4096>, &world, variant, 33);
            let just = eight(&agent::<Plain8, Bits32, EIGHT>, &world, variant, 33);
            assert_eq!(just, wide);
            // Less where there is no room, but always the robot's cell.
            let tight = four(&agent::<Plain4, Bits32, 20>, &world, variant, 1000);
            assert!((1..=16).contains(&tight), "{tight}");
            assert_eq!(four(&agent::<Plain4, Bits32, 5>, &world, variant, 1000), 1);
            assert_eq!(eight(&agent::<Plain8, Bits32, 9>, &world, variant, 1000), 1);
        }
    }
}

#[test]
fn a_robot_with_a_tiny_local_search_space_arrives_all_the_same() {
    claim(
        Plain4::terrain(),
        &agent::<Plain4, Bits16, 11>,
        30,
        |rng, case| {
            let case = Case {
                look_ahead: 1000,
                ..case
            };
            let (truth, mut robot) = case.robot_in(rng, 10, true, 0.0);
            for _ in 0..50 {
                robot.observe_all(truth.observations_at(robot.at, false))?;
                if tick(&mut robot)? == Decision::Arrived {
                    break;
                }
                check_values(&mut robot, learns_all(case.variant))?;
            }
            robot.arrive(&truth, false, Budget::UNLIMITED)
        },
    );
}

#[test]
fn unreachable_is_returned_exactly_when_all_reachable_cells_were_searched() {
    let mut world = World::square(9, Connectivity::Four);
    for n in 0..5 {
        world.block(Cell::new(n, 4));
        world.block(Cell::new(4, n));
    }
    for variant in all_variants() {
        let mut robot = plain_robot(&world, variant, 16, (1, 1), (8, 8));
        assert_eq!(tick(&mut robot), Ok(Decision::Unreachable));
        // A door opens.
        let door = Observation::Cell(Cell::new(4, 2), Occupancy::Free);
        robot.observe(door).unwrap();
        robot
            .arrive(&robot.known.clone(), false, Budget::UNLIMITED)
            .unwrap();

        let mut robot = plain_robot(&world, variant, 15, (1, 1), (8, 8));
        for _ in 0..2000 {
            let decision = tick(&mut robot).unwrap();
            assert!(
                matches!(decision, Decision::Step(_)),
                "{variant:?}: {decision:?}"
            );
        }
    }
}

#[test]
fn a_robot_arrives_waits_and_gives_up_where_it_should() {
    let world = World::square(5, Connectivity::Four);
    let blocked = |cell| Observation::Cell(cell, Occupancy::Blocked);
    let (start, goal) = (Cell::new(0, 0), Cell::new(4, 4));
    let nine = Budget::limit(9);
    for variant in all_variants() {
        let setup = Setup::new(&world, start, goal);
        let mut agent = agent::<Plain4, Bits16, 128>(&setup, variant, 9).unwrap();
        assert_eq!(agent.tick(goal, Budget::limit(0)), Ok(Decision::Arrived));
        assert_eq!(agent.tick(start, Budget::limit(0)), Ok(Decision::Wait));
        assert_eq!(agent.stats().total.queue_ops, 0);
        assert!(agent.tick(Cell::new(5, 0), nine).is_err());
        assert!(agent.set_goal(Cell::new(0, 5)).is_err());
        let wall = Observation::Wall(start, Side::East, Occupancy::Free);
        assert!(agent.observe(wall).is_err());
        assert_eq!(agent.stats().searches, 0);
        agent.observe(blocked(goal)).unwrap();
        assert_eq!(agent.tick(start, nine), Ok(Decision::Unreachable));
        agent.set_goal(Cell::new(4, 0)).unwrap();
        agent.observe(blocked(start)).unwrap();
        assert_eq!(agent.tick(start, nine), Ok(Decision::Unreachable));
        assert_eq!(agent.stats().searches, 0);
    }
}

#[test]
fn a_path_is_followed_to_its_end_or_left_after_each_step() {
    for variant in all_variants() {
        // Towards the goal four cells are expanded, or two of them behind the robot.
        let expected: Vec<u32> = match variant {
            _ if replans(variant) => (1..=12).collect(),
            Local::Lss(LookAhead::AStar, ..) => vec![1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
            Local::Lss(_, _, SuccessorOrder::Fixed) => vec![1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5],
            _ => continue,
        };
        let mut robot = plain_robot(&corridor(), variant, 4, (0, 0), (39, 0));
        let searches = (0..12).map(|_| {
            tick(&mut robot).unwrap();
            robot.planner().stats().searches
        });
        assert_eq!(searches.collect::<Vec<_>>(), expected, "{variant:?}");
    }
}

#[test]
fn a_path_is_followed_without_a_budget() {
    for variant in all_variants() {
        let mut robot = plain_robot(&corridor(), variant, 4, (0, 0), (39, 0));
        assert!(
            matches!(tick(&mut robot), Ok(Decision::Step(_))),
            "{variant:?}"
        );
        let then = robot.tick(Budget::limit(0));
        let moves = matches!(then, Ok(Decision::Step(_)));
        assert_eq!(moves, !replans(variant), "{variant:?}: {then:?}");
        assert_eq!(robot.planner().stats().last_tick.expansions, 0);
    }
}

/// Among equally good next cells, a path goes on in the local search space and a descent may not.
#[test]
fn a_descent_leaves_the_local_search_space_sooner_than_a_path() {
    let world = World::square(40, Connectivity::Four);
    let searches = |follow| -> u32 {
        let walk = |seed| {
            let order = SuccessorOrder::Random(seed);
            let variant = Local::Lss(LookAhead::BreadthFirst, follow, order);
            let mut robot = plain_robot(&world, variant, 3, (0, 0), (39, 39));
            // Every step of a shortest path, which both find on a terrain without obstacles.
            for _ in 0..78 {
                tick(&mut robot).unwrap();
            }
            assert_eq!(robot.at, Cell::new(39, 39), "{follow:?}, seed {seed}");
            robot.planner().stats().searches
        };
        (1..=20).map(walk).sum()
    };
    let [path, descent] = [Follow::Path, Follow::Descent].map(searches);
    assert!(descent > path, "{descent} searches against {path}");
}

#[test]
fn a_path_is_left_when_the_goal_changes() {
    for variant in all_variants() {
        let mut robot = plain_robot(&corridor(), variant, 4, (20, 0), (39, 0));
        tick(&mut robot).unwrap();
        robot.set_goals(&[Cell::new(0, 0)]).unwrap();
        tick(&mut robot).unwrap();
        assert_eq!(robot.at, Cell::new(20, 0), "{variant:?}");
    }
}

#[test]
fn a_path_is_left_when_it_is_blocked_or_its_cost_changes_and_only_then() {
    let world = World::new(12, 3, Connectivity::Four, Unknown::AsFree);
    let (start, far) = (Cell::new(0, 1), Cell::new(11, 2));
    let follows = [Follow::Path, Follow::Descent];
    for (by, follow) in LOOK_AHEADS
        .into_iter()
        .flat_map(|by| follows.map(|f| (by, f)))
    {
        let case = Case {
            terrain: Weighted4::terrain(),
            build: &agent::<Weighted4, Bits16, 128>,
            variant: Local::Lss(by, follow, SuccessorOrder::Fixed),
            look_ahead: 20,
        };
        let new = || case.robot(&world, (start, Cell::new(11, 1)));
        let mut robot = new();
        let path: Vec<Cell> = (0..4)
            .map(|n| {
                (0..n.min(1)).for_each(|_| _ = tick(&mut robot).unwrap());
                robot.at
            })
            .collect();
        for (seen, again) in [
            (Observation::Cell(path[2], Occupancy::Blocked), true),
            (Observation::Cell(path[3], Occupancy::Blocked), true),
            (Observation::Weight(path[2], 2), true),
            (Observation::Weight(path[3], 2), true),
            (Observation::Cell(path[0], Occupancy::Blocked), false),
            (Observation::Weight(path[0], 2), false),
            (Observation::Weight(path[1], 2), false),
            (Observation::Cell(far, Occupancy::Blocked), false),
            (Observation::Weight(far, 2), false),
        ] {
            let mut robot = new();
            tick(&mut robot).unwrap();
            robot.observe(seen).unwrap();
            tick(&mut robot).unwrap();
            let searches = robot.planner().stats().searches;
            assert_eq!(searches, 1 + u32::from(again), "{by:?}: {seen:?}");
            tick(&mut robot).unwrap();
            assert_eq!(
                robot.planner().stats().searches,
                searches,
                "{by:?}: {seen:?}"
            );
        }
    }
}

#[test]
fn of_several_goals_a_robot_reaches_one_and_the_nearest_when_it_sees_so_far() {
    let mut known = World::square(20, Connectivity::Four);
    // The nearer goal is behind a wall.
    for y in 0..18 {
        known.block(Cell::new(3, y));
    }
    let start = Cell::new(0, 0);
    let setup = Setup::new(&known, start, Cell::new(19, 19));
    let variant = Local::Lss(LookAhead::AStar, Follow::Path, SuccessorOrder::Fixed);
    let mut agent = agent::<Plain4, Bits32, 4096>(&setup, variant, 500).unwrap();
    let goals = [Cell::new(4, 0), Cell::new(0, 9), Cell::new(19, 0)];
    agent.set_goals(&goals).unwrap();
    let (mut at, mut steps) = (start, 0);
    while let Decision::Step(next) = agent.tick(at, Budget::limit(500)).unwrap() {
        (at, steps) = (next, steps + 1);
    }
    assert_eq!((at, steps), (Cell::new(0, 9), 9));
}
