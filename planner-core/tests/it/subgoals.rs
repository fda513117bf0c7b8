//! Trees of subgoals: grown in any number of pieces they are the same, every subgoal is an exit from a
//! heuristic depression, and a robot that follows them arrives, within the bound of every tick.

use std::collections::HashMap;

use planner_core::{
    Budget, Cell, Decision, Inspect, Observation, Planner, Work,
    graph::{Coarse, Eight, Octile, OnePassable},
    local::SuccessorOrder,
    map::{AsFree, Map, Occupancy},
    queue::SmallerG,
    storage::Array,
    subgoal::{
        CLEARED, ExitRule, FirstGoal, Growth, Meanwhile, Rules, SCANNED, Source, Sub, Switching,
        Tree, Values,
    },
    width::{Bits16, Bits32, Width},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{self, BoxedHeap, Follower, GrownTree, Kind, Plain},
    for_seeds, is_within,
    subgoal_walks::{Contents, Walk, contents, draw, in_worlds, walk, walk_for},
    terrains::{Fine8, Plain4, Plain8, Walled4, Weighted4, Weighted8},
    world::{Connectivity, World, blocked_with},
};

type OnePassable8 = Plain<Eight<OnePassable, Coarse, Octile>>;

const RULES: [ExitRule; 3] = [ExitRule::Stale, ExitRule::Reached, ExitRule::Safe];
const FIRSTS: [FirstGoal; 3] = [
    FirstGoal::NearestExit,
    FirstGoal::Nearest,
    FirstGoal::TrueSub,
];

/// A tree and a robot that follows it.
#[derive(Clone, Copy)]
struct Setup {
    goal: Cell,
    exits: ExitRule,
    /// The most subgoals; by default more than the map has cells.
    capacity: Option<usize>,
    rules: Rules,
    order: SuccessorOrder,
    /// The most learned values; by default more than the map has cells.
    values: Option<usize>,
}

impl Setup {
    fn new(goal: Cell) -> Self {
        Self {
            goal,
            exits: ExitRule::default(),
            capacity: None,
            rules: Rules::default(),
            order: SuccessorOrder::Fixed,
            values: None,
        }
    }

    /// A tree with one of the paper's or our rules.
    fn by(exits: ExitRule, goal: Cell) -> Self {
        Self {
            exits,
            ..Self::new(goal)
        }
    }

    /// A tree that has not begun to grow, and its map.
    fn tree<K: Kind, W: Width>(self, world: &World) -> (K::Map, GrownTree<W>) {
        let map = K::knowing(world);
        let capacity = self.capacity.unwrap_or(world.count() + 1);
        let tree = build::tree(&map, self.exits, capacity, self.goal);
        (map, tree)
    }

    /// Grows a tree in pieces, each under its own budget; also the expansions that took.
    fn grow<K: Kind, W: Width>(
        self,
        world: &World,
        mut budget: impl FnMut() -> Budget,
    ) -> (GrownTree<W>, u32) {
        let (map, mut tree) = self.tree::<K, W>(world);
        let mut expansions = 0;
        loop {
            let (budget, mut work) = (budget(), Work::default());
            let growth = tree.advance(&map.view::<AsFree>(), budget, &mut work);
            assert!(is_within(work, budget));
            expansions += work.expansions;
            if growth == Growth::Done {
                return (tree, expansions);
            }
        }
    }

    fn grown<K: Kind, W: Width>(self, world: &World) -> Contents {
        contents(&self.grow::<K, W>(world, || Budget::UNLIMITED).0, world)
    }

    /// A planner that grows its tree itself.
    fn follower<K: Kind, W: Width>(self, world: &World) -> Follower<K, W> {
        let (map, tree) = self.tree::<K, W>(world);
        let values = self.values.unwrap_or(4 * world.count() + 1);
        let rules = (self.rules, self.order);
        build::follower::<K, W, _>(map, tree, values, rules, self.goal)
    }

    /// Walks a robot that arrives exactly when there is a path.
    fn follow<K: Kind, W: Width>(self, world: &World, start: Cell, budget: Budget) -> Walk {
        let mut planner = self.follower::<K, W>(world);
        let walk = walk(&mut planner, world, (start, self.goal), budget);
        assert_eq!(planner.search().values().overflows(), 0);
        walk
    }
}

/// Checks that a walk is a shortest path, if there is one.
fn check_shortest(walk: &Walk, world: &World, goal: Cell) {
    if let Some(cost) = world.costs_to(&[goal]).of(walk.trail[0]) {
        assert_eq!(walk.cost(world), cost);
    }
}

/// Every rule, first subgoal and order arrives.
fn arrives<K: Kind, W: Width>(cases: u64, side: u16) {
    in_worlds::<K>(cases, side, |world, rng| {
        let orders = [SuccessorOrder::Fixed, SuccessorOrder::Random(rng.random())];
        for (rule, first) in RULES.into_iter().flat_map(|r| FIRSTS.map(|f| (r, f))) {
            for order in orders {
                let mut setup = Setup::by(rule, world.random_cell(rng));
                (setup.rules.first, setup.order) = (first, order);
                setup.follow::<K, W>(&world, world.random_cell(rng), Budget::UNLIMITED);
            }
        }
    });
}

#[test]
fn a_follower_of_a_tree_arrives_with_four_moves_and_between_walls() {
    arrives::<Plain4, Bits16>(300, 20);
    arrives::<Walled4, Bits16>(150, 16);
}

#[test]
fn a_follower_of_a_tree_arrives_with_eight_moves() {
    arrives::<Plain8, Bits16>(300, 20);
    arrives::<Fine8, Bits32>(60, 16);
    arrives::<OnePassable8, Bits32>(60, 16);
}

#[test]
fn a_follower_of_a_tree_arrives_where_cells_have_weights() {
    arrives::<Weighted4, Bits16>(100, 14);
    arrives::<Weighted8, Bits16>(100, 14);
}

fn is_shortest<K: Kind, W: Width>(cases: u64, side: u16) {
    in_worlds::<K>(cases, side, |world, rng| {
        for order in [SuccessorOrder::Fixed, SuccessorOrder::Random(rng.random())] {
            let mut setup = Setup::new(world.random_cell(rng));
            (setup.order, setup.values) = (order, Some(0));
            let start = world.random_cell(rng);
            let walk = setup.follow::<K, W>(&world, start, Budget::UNLIMITED);
            check_shortest(&walk, &world, setup.goal);
        }
    });
}

/// Nothing is learned: there is no room for a single value, and none is missed.
#[test]
fn with_every_repair_the_path_is_shortest_and_nothing_has_to_be_learned() {
    is_shortest::<Plain4, Bits16>(1000, 24);
    is_shortest::<Plain8, Bits16>(1000, 24);
    is_shortest::<Fine8, Bits32>(300, 20);
    is_shortest::<OnePassable8, Bits32>(300, 20);
    is_shortest::<Walled4, Bits16>(300, 20);
}

#[test]
fn a_robot_that_is_carried_elsewhere_goes_on_from_there_on_a_shortest_path() {
    in_worlds::<Plain8>(300, 16, |world, rng| {
        let goal = world.random_cell(rng);
        let planner = &mut Setup::new(goal).follower::<Plain8, Bits16>(&world);
        for _ in 0..4 {
            let (at, ticks) = (world.random_cell(rng), rng.random_range(0..9));
            walk_for(planner, &world, at, Budget::UNLIMITED, ticks);
        }
        let ends = (world.random_cell(rng), goal);
        let walk = walk(planner, &world, ends, Budget::UNLIMITED);
        check_shortest(&walk, &world, goal);
    });
}

/// Checks a complete tree against the tests' own shortest paths.
fn is_a_tree_of_exits<K: Kind, W: Width>(world: &World, rule: ExitRule, goal: Cell) {
    let to_goal = world.costs_to(&[goal]);
    let (tree, _) = Setup::by(rule, goal).grow::<K, W>(world, || Budget::UNLIMITED);
    if !world.is_passable(goal) {
        assert_eq!(tree.len(), 0);
        return;
    }
    assert_eq!(tree.subgoal(0).map(|root| root.cell), Some(goal));
    for cell in world.cells() {
        let distance = tree.distance(cell).map(|g| g as u64);
        assert_eq!(distance, to_goal.of(cell), "g of {cell:?}");
        let (Sub::Of(number), Some(distance)) = (tree.sub(cell), distance) else {
            assert_eq!((tree.sub(cell), distance), (Sub::NoPath, None));
            continue;
        };
        let subgoal = tree.subgoal(number).expect("that of a cell is in the tree");
        if rule != ExitRule::Stale {
            // The heuristic to the subgoal is the true cost, and the path leads over it.
            let away = K::CONNECTIVITY.distance(cell, subgoal.cell);
            assert_eq!(away, world.costs_to(&[subgoal.cell]).of(cell).unwrap());
            assert_eq!(distance, away + to_goal.of(subgoal.cell).unwrap());
        }
        assert_eq!(tree.find(cell) == Some(number), subgoal.cell == cell);
    }
    for number in 1..tree.len() {
        let exit = tree.subgoal(number).unwrap();
        let parent = exit.parent.expect("only the goal has none");
        assert!(parent < number);
        assert_eq!(tree.find(exit.cell), Some(number));
        let parent = tree.subgoal(parent).unwrap();
        assert!(to_goal.of(parent.cell) < to_goal.of(exit.cell));
        if rule == ExitRule::Reached {
            // The paper's definition: the heuristic of a successor is lower than its true cost.
            let to_parent = world.costs_to(&[parent.cell]);
            let depressed = |next: &Cell| {
                K::CONNECTIVITY.distance(*next, parent.cell) < to_parent.of(*next).unwrap()
            };
            assert!(world.steps(exit.cell).iter().any(depressed), "{exit:?}");
        }
    }
}

fn trees_are_of_exits<K: Kind, W: Width>(cases: u64, side: u16) {
    in_worlds::<K>(cases, side, |world, rng| {
        let goal = world.random_cell(rng);
        for rule in RULES {
            is_a_tree_of_exits::<K, W>(&world, rule, goal);
        }
    });
}

#[test]
fn every_subgoal_is_an_exit_and_the_heuristic_to_the_subgoal_of_a_cell_is_exact() {
    trees_are_of_exits::<Plain4, Bits16>(300, 18);
    trees_are_of_exits::<Plain8, Bits16>(300, 18);
    trees_are_of_exits::<Fine8, Bits32>(60, 14);
    trees_are_of_exits::<Walled4, Bits16>(60, 12);
}

/// Budgets of every kind, nothing among them.
fn random_budget(rng: &mut ChaCha8Rng) -> Budget {
    Budget::limit(rng.random_range(0..12))
}

fn pieces_do_not_matter<K: Kind, W: Width>(cases: u64) {
    in_worlds::<K>(cases, 20, |world, rng| {
        let goal = world.random_cell(rng);
        for setup in RULES.map(|rule| Setup::by(rule, goal)) {
            let (tree, _) = setup.grow::<K, W>(&world, || random_budget(rng));
            assert_eq!(contents(&tree, &world), setup.grown::<K, W>(&world));
        }
    });
}

#[test]
fn a_tree_grown_in_pieces_is_the_one_grown_at_once() {
    pieces_do_not_matter::<Plain4, Bits16>(100);
    pieces_do_not_matter::<Plain8, Bits16>(100);
    pieces_do_not_matter::<Fine8, Bits32>(50);
}

#[test]
fn a_tree_begun_for_another_goal_or_map_leaves_nothing_behind() {
    in_worlds::<Plain8>(150, 20, |mut world, rng| {
        let pieces = rng.random_range(0..60);
        let goals = [0; 4].map(|_| world.random_cell(rng));
        let (mut map, mut tree) = Setup::new(goals[0]).tree::<Plain8, Bits16>(&world);
        let grow = |tree: &mut GrownTree<Bits16>, map: &<Plain8 as Kind>::Map, budget| {
            tree.advance(&map.view::<AsFree>(), budget, &mut Work::default())
        };
        for goal in goals {
            for _ in 0..rng.random_range(0..=pieces) {
                grow(&mut tree, &map, random_budget(rng));
            }
            tree.change_goal(goal);
        }
        for _ in 0..pieces {
            grow(&mut tree, &map, Budget::limit(3));
        }
        let seen = Observation::Cell(world.random_cell(rng), Occupancy::Blocked);
        world.observe(seen);
        let change = map.observe(seen).unwrap();
        if let Some(change) = change.and_then(|change| change.seen_as::<AsFree>()) {
            tree.world_changed(change.trend());
        }
        while grow(&mut tree, &map, Budget::limit(5)) == Growth::Growing {}
        let fresh = Setup::new(goals[3]).grown::<Plain8, Bits16>(&world);
        assert_eq!(contents(&tree, &world), fresh);
    });
}

#[test]
fn a_lent_tree_grows_again_on_a_map_of_another_size() {
    let (start, goal) = (Cell::new(0, 0), Cell::new(0, 8));
    let (_, mut tree) =
        Setup::new(goal).tree::<Plain4, Bits16>(&World::square(9, Connectivity::Four));
    for (width, height) in [(9, 9), (9, 9), (5, 9)] {
        let world = World::new(width, height, Connectivity::Four, Default::default());
        let (map, rules) = (Plain4::knowing(&world), Default::default());
        let planner = &mut build::follower::<Plain4, Bits16, _>(map, &mut tree, 9, rules, goal);
        let walk = walk(planner, &world, (start, goal), Budget::UNLIMITED);
        check_shortest(&walk, &world, goal);
    }
}

#[test]
fn a_heap_and_buckets_find_the_same_distances() {
    in_worlds::<Plain8>(60, 16, |world, rng| {
        let (goal, room) = (world.random_cell(rng), world.count() + 1);
        let map = Plain8::knowing(&world);
        let mut tree =
            build::tree::<Bits16, BoxedHeap<u64, SmallerG>>(&map, ExitRule::Safe, room, goal);
        let work = &mut Work::default();
        tree.advance(&map.view::<AsFree>(), Budget::UNLIMITED, work);
        let costs = world.costs_to(&[goal]);
        for cell in world.cells() {
            assert_eq!(tree.distance(cell).map(|g| g as u64), costs.of(cell));
        }
    });
}

#[test]
fn a_full_tree_is_the_beginning_of_the_whole_one_and_still_leads_to_the_goal() {
    in_worlds::<Plain8>(100, 18, |world, rng| {
        let capacity = rng.random_range(1..12);
        let (goal, start) = (world.random_cell(rng), world.random_cell(rng));
        for mut setup in RULES.map(|rule| Setup::by(rule, goal)) {
            let whole = setup.grown::<Plain8, Bits16>(&world);
            setup.capacity = Some(capacity);
            let (tree, expansions) = setup.grow::<Plain8, Bits16>(&world, || Budget::UNLIMITED);
            let cut = contents(&tree, &world);
            let kept = whole.subgoals.len().min(capacity);
            assert_eq!(cut.subgoals[..], whole.subgoals[..kept]);
            assert_eq!(tree.is_full(), whole.subgoals.len() > capacity);
            let known = |subs: &[Sub]| subs.iter().filter(|&&s| s != Sub::NoPath).count();
            assert_eq!(known(&cut.subs), known(&whole.subs));
            assert_eq!(expansions as usize, known(&whole.subs));
            for first in FIRSTS {
                setup.rules.first = first;
                setup.follow::<Plain8, Bits16>(&world, start, Budget::UNLIMITED);
            }
        }
    });
}

#[test]
fn a_full_table_of_values_forgets_and_the_robot_goes_on() {
    // A wall with a gap at one end between the robot and its goal, and nothing to lead around it.
    let mut world = World::square(21, Connectivity::Four);
    (0..20).for_each(|x| world.block(Cell::new(x, 10)));
    let (start, goal) = (Cell::new(0, 9), Cell::new(0, 20));
    let mut setup = Setup::new(goal);
    setup.capacity = Some(1); // no subgoal but the goal: plain LRTA*, which has much to learn
    for (values, ticks) in [(0, 500), (1, 500), (7, 2_000), (30, 20_000)] {
        setup.values = Some(values);
        let planner = &mut setup.follower::<Plain4, Bits16>(&world);
        let mut at = start;
        for _ in 0..ticks {
            let walk = walk_for(planner, &world, at, Budget::UNLIMITED, 1);
            assert!(matches!(walk.last, Decision::Step(_)), "{:?}", walk.last);
            at = walk.trail[1];
            assert!(planner.search().values().len() <= values);
        }
        assert!(planner.search().values().overflows() > 0);
    }
    setup.values = Some(400);
    setup.follow::<Plain4, Bits16>(&world, start, Budget::UNLIMITED);
    // With its subgoals it has next to nothing to learn.
    (setup.capacity, setup.values) = (None, Some(2));
    let walk = setup.follow::<Plain4, Bits16>(&world, start, Budget::UNLIMITED);
    check_shortest(&walk, &world, goal);
}

/// Random calls of a table with room for `N` values, against a reference model.
fn check_table<const N: usize>(rng: &mut ChaCha8Rng) {
    let mut values = Values::<Array<N>>::new();
    let (mut model, mut overflows) = (HashMap::new(), 0);
    for _ in 0..2000 {
        let mut key = || (rng.random_range(0..200), rng.random_range(0..3));
        let (key, other) = (key(), key());
        if rng.random_ratio(1, 150) {
            values.forget();
            model.clear();
        } else {
            let h = rng.random_range(0..1000);
            if !model.contains_key(&key) && model.len() == N {
                model.clear();
                overflows += 1;
            }
            model.extend((N > 0).then_some((key, h)));
            values.set(key.0, key.1, h);
        }
        for key in [key, other] {
            assert_eq!(values.get(key.0, key.1), model.get(&key).copied());
        }
        assert_eq!((values.len(), values.overflows()), (model.len(), overflows));
    }
}

#[test]
fn values_are_kept_by_cell_and_subgoal_until_there_is_no_room_or_they_are_forgotten() {
    for_seeds(20, |rng| {
        check_table::<0>(rng);
        check_table::<7>(rng);
        check_table::<97>(rng);
    });
}

/// A serpentine, no obstacles, pillars, and dead ends as deep as the map.
fn worlds(side: u16, connectivity: Connectivity) -> [World; 4] {
    let open = World::square(side, connectivity);
    let mut pillars = open.clone();
    let is_pillar = |cell: &Cell| cell.x % 2 == 1 && cell.y % 2 == 1;
    open.cells()
        .filter(is_pillar)
        .for_each(|cell| pillars.block(cell));
    let (serpentine, comb) = (
        World::serpentine(side, connectivity),
        World::comb(side, connectivity),
    );
    [serpentine, open, pillars, comb]
}

/// Checks the bound of the module's documentation, and that nothing is cleared or scanned at once.
fn stays_in_its_bound<K: Kind, W: Width>(side: u16, first: FirstGoal, meanwhile: Meanwhile) {
    const LIMIT: u32 = 24;
    let moves = if K::CONNECTIVITY == Connectivity::Four {
        4
    } else {
        8
    };
    for world in worlds(side, K::CONNECTIVITY) {
        let corner = Cell::new(side - 1, side - 1);
        let (start, middle) = (Cell::new(0, 0), Cell::new(side / 2 / 2 * 2, 0));
        let mut setup = Setup::new(corner);
        (setup.rules.first, setup.rules.meanwhile) = (first, meanwhile);
        let mut planner = setup.follower::<K, W>(&world);
        let budget = Budget::limit(LIMIT);
        let mut at = start;
        let mut ticks_to_clear = 0;
        for tick in 0..4 * world.count().min(5_000) as u32 {
            if tick % 1000 == 999 {
                // A new goal now and then, sometimes in the middle of growing or clearing.
                let goal = if tick % 2000 == 999 { middle } else { corner };
                planner.set_goal(goal).unwrap();
                ticks_to_clear = 0;
            }
            match planner.tick(at, budget).unwrap() {
                Decision::Step(next) => at = next,
                Decision::Wait | Decision::Arrived => {}
                Decision::Unreachable => panic!("all is connected"),
            }
            ticks_to_clear += 1;
            let is_clearing = planner.search().source().len() == 0;
            let cleared = ticks_to_clear * LIMIT * CLEARED;
            assert!(
                tick < 1000 || is_clearing || cleared as usize >= world.count(),
                "all was cleared within {ticks_to_clear} ticks"
            );
            let work = planner.stats().last_tick;
            assert!(is_within(work, budget));
            let ops = LIMIT * (moves + 1) + 1;
            assert!(work.queue_ops <= ops, "{} of {ops}", work.queue_ops);
        }
    }
}

#[test]
fn no_tick_does_more_than_its_bound_whatever_the_size_of_the_map() {
    for side in [33, 101, 301] {
        stays_in_its_bound::<Plain4, Bits32>(side, FirstGoal::TrueSub, Meanwhile::Wait);
        stays_in_its_bound::<Plain8, Bits32>(side, FirstGoal::TrueSub, Meanwhile::Walk);
        stays_in_its_bound::<Fine8, Bits32>(side, FirstGoal::Nearest, Meanwhile::Wait);
    }
}

#[test]
fn the_nearest_subgoal_is_looked_for_in_pieces() {
    let world = World::serpentine(301, Connectivity::Four);
    let (start, goal) = (Cell::new(300, 0), Cell::new(0, 300));
    let mut setup = Setup::new(goal);
    setup.rules.first = FirstGoal::Nearest;
    let mut planner = setup.follower::<Plain4, Bits32>(&world);
    let mut waits = 0;
    while planner.tick(start, Budget::limit(1)).unwrap() == Decision::Wait {
        waits += 1;
    }
    let subgoals = planner.search().source().len() as u32;
    let cells = world.cells().filter(|&c| world.is_passable(c)).count() as u32;
    assert!(subgoals > 100);
    assert_eq!(waits, cells + subgoals.div_ceil(SCANNED) - 1);
}

#[test]
fn the_robot_walks_as_soon_as_its_own_cell_is_in_the_tree() {
    let world = World::square(101, Connectivity::Four);
    let (start, goal) = (Cell::new(3, 3), Cell::new(3, 6));
    let walk = Setup::new(goal).follow::<Plain4, Bits16>(&world, start, Budget::limit(4));
    assert_eq!((walk.trail.len(), walk.cost(&world)), (4, 3));
    assert!(walk.waits < 8, "{} ticks spent waiting", walk.waits);
}

#[test]
fn a_robot_that_walks_meanwhile_never_waits() {
    in_worlds::<Plain8>(200, 16, |world, rng| {
        let mut setup = Setup::new(world.random_cell(rng));
        setup.rules.meanwhile = Meanwhile::Walk;
        setup.rules.first = FIRSTS[rng.random_range(0..3)];
        let limit = Budget::limit(rng.random_range(2..6));
        let walk = setup.follow::<Plain8, Bits16>(&world, world.random_cell(rng), limit);
        assert!(walk.waits == 0 || setup.rules.first != FirstGoal::TrueSub);
    });
}

#[test]
fn what_was_learned_belongs_to_one_problem() {
    in_worlds::<Plain8>(200, 14, |world, rng| {
        let mut setup = Setup::new(world.random_cell(rng));
        setup.rules.switching = [Switching::Any, Switching::Rootwards][rng.random_range(0..2)];
        setup.capacity = Some(rng.random_range(1..5)); // so that there is something to learn
        let start = world.random_cell(rng);
        let used = &mut setup.follower::<Plain8, Bits16>(&world);
        walk(used, &world, (start, setup.goal), Budget::UNLIMITED);
        setup.goal = world.random_cell(rng);
        used.set_goal(setup.goal).unwrap();
        assert!(used.search().values().is_empty());
        let alone = &mut setup.follower::<Plain8, Bits16>(&world);
        let walks = [used, alone].map(|p| walk(p, &world, (start, setup.goal), Budget::UNLIMITED));
        assert_eq!(walks[0], walks[1]);
    });
}

#[test]
fn values_learned_for_a_subgoal_are_dropped_when_its_parent_is_pursued() {
    let mut dropped = 0;
    for_seeds(100, |rng| {
        let world = draw::<Plain8>(rng, (24, 24), 35);
        let mut setup = Setup::by(ExitRule::Reached, world.random_passable(rng));
        setup.capacity = Some(6); // so that there is something to learn
        setup.rules.first = FirstGoal::Nearest;
        let mut planner = setup.follower::<Plain8, Bits16>(&world);
        let mut at = world.random_passable(rng);
        let mut before = (None, 0);
        while let Decision::Step(next) = planner.tick(at, Budget::UNLIMITED).unwrap() {
            let after = (planner.search().subgoal(), planner.search().values().len());
            if let (Some((was, _)), Some((is, _))) = (before.0, after.0)
                && is < was
            {
                dropped += before.1;
                assert!(after.1 <= 1, "{} values", after.1);
            }
            (at, before) = (next, after);
        }
    });
    assert!(dropped > 20, "only {dropped} values were to be dropped");
}

#[test]
fn a_change_of_the_map_makes_the_tree_grow_again() {
    in_worlds::<Plain8>(200, 14, |mut world, rng| {
        let goal = world.random_cell(rng);
        let planner = &mut Setup::new(goal).follower::<Plain8, Bits16>(&world);
        let (few, mut at) = (Budget::limit(20), world.random_cell(rng));
        for _ in 0..rng.random_range(0..6) {
            for _ in 0..rng.random_range(0..30) {
                if let Decision::Step(next) = planner.tick(at, few).unwrap() {
                    at = next;
                }
            }
            let (state, cell) = (blocked_with(rng, 0.5), world.random_cell(rng));
            if cell != at {
                let seen = Observation::Cell(cell, state);
                assert_eq!(planner.observe(seen).unwrap(), world.observe(seen));
                assert_eq!(planner.occupancy(cell), state);
            }
        }
        walk(planner, &world, (at, goal), few);
    });
}

/// Sizes of trees under review: larger ones would be no mistake, but worse.
#[test]
fn tree_sizes_are_those_of_the_table() {
    let sizes = [10, 20, 30].map(|density| {
        let world = draw::<Plain8>(&mut ChaCha8Rng::seed_from_u64(7), (40, 40), density);
        let goal = world
            .cells()
            .find(|&cell| world.costs_to(&[cell]).of(Cell::new(20, 20)).is_some());
        let goal = goal.unwrap_or(Cell::new(20, 20));
        RULES.map(|rule| {
            let tree = Setup::by(rule, goal).grown::<Plain8, Bits16>(&world);
            tree.subgoals.len()
        })
    });
    assert_eq!(sizes, [[237, 122, 179], [334, 207, 251], [358, 242, 268]]);
}

/// Algorithm 3 once more, as directly as possible: at most so many moves of a robot with a tree.
fn model<K: Kind>(
    world: &World,
    tree: &impl Tree,
    rules: Rules,
    start: Cell,
    moves: usize,
) -> Vec<Cell> {
    const STRAIGHT: [(i16, i16); 4] = [(0, 1), (-1, 0), (0, -1), (1, 0)];
    const DIAGONAL: [(i16, i16); 4] = [(-1, 1), (-1, -1), (1, -1), (1, 1)];
    let cell = |number: usize| tree.subgoal(number).unwrap().cell;
    let nearest = |from| {
        let numbers = from..tree.len();
        numbers.min_by_key(|&number| K::CONNECTIVITY.distance(start, cell(number)))
    };
    let (mut aim, mut in_tree) = match (rules.first, tree.sub(start)) {
        (FirstGoal::TrueSub, Sub::Of(number)) => (number, true),
        (FirstGoal::NearestExit, _) => (nearest(1).unwrap_or(0), false),
        _ => (nearest(0).unwrap(), false),
    };
    let mut learned = HashMap::<(Cell, usize), u64>::new();
    let mut trail = vec![start];
    let mut at = start;
    while at != cell(0) && trail.len() <= moves {
        if let Some(here) = tree.find(at) {
            let parent = tree.subgoal(here).unwrap().parent.unwrap();
            if rules.switching == Switching::Rootwards && parent < aim {
                learned.clear();
            }
            if rules.switching == Switching::Any || !in_tree || parent < aim {
                (aim, in_tree) = (parent, true);
            }
        }
        let h = |of: Cell| {
            let known = learned.get(&(of, aim)).copied();
            known.unwrap_or(K::CONNECTIVITY.distance(of, cell(aim)))
        };
        let steps = STRAIGHT.iter().chain(&DIAGONAL).filter_map(|&(dx, dy)| {
            let next = world.offset(at, dx, dy)?;
            Some((world.step_cost(at, next)? + h(next), next))
        });
        let (f, next) = steps.min_by_key(|step| step.0).unwrap();
        if f > h(at) {
            learned.insert((at, aim), f);
        }
        at = next;
        trail.push(at);
    }
    trail
}

fn walks_as_the_model<K: Kind>(cases: u64, side: u16) {
    const MOVES: usize = 3000;
    in_worlds::<K>(cases, side, |world, rng| {
        let (start, goal) = (world.random_cell(rng), world.random_cell(rng));
        if start == goal || world.costs_to(&[goal]).of(start).is_none() {
            return;
        }
        for (rule, first) in RULES.into_iter().flat_map(|r| FIRSTS.map(|f| (r, f))) {
            for switching in [Switching::Any, Switching::Rootwards] {
                let mut setup = Setup::by(rule, goal);
                (setup.rules.first, setup.rules.switching) = (first, switching);
                let planner = &mut setup.follower::<K, Bits16>(&world);
                let walk = walk_for(planner, &world, start, Budget::UNLIMITED, MOVES);
                let tree = planner.search().source();
                let expected = model::<K>(&world, tree, setup.rules, start, MOVES);
                assert_eq!(walk.trail, expected, "{rule:?} {:?}", setup.rules);
            }
        }
    });
}

#[test]
fn every_walk_is_that_of_a_model_with_values_by_cell_and_subgoal() {
    walks_as_the_model::<Plain4>(150, 24);
    walks_as_the_model::<Plain8>(150, 24);
    walks_as_the_model::<Walled4>(100, 16);
}

/// Line 8 as printed: subgoals on the path send the robot back and forth, and nothing is learned from it.
#[test]
fn as_printed_a_robot_may_go_in_circles_and_rootwards_it_arrives() {
    let world = draw::<Plain4>(&mut ChaCha8Rng::seed_from_u64(4608), (30, 14), 23);
    let (start, goal) = (Cell::new(14, 11), Cell::new(7, 8));
    let mut setup = Setup::by(ExitRule::Reached, goal);
    for first in FIRSTS {
        setup.rules.first = first;
        setup.rules.switching = Switching::Any;
        let planner = &mut setup.follower::<Plain4, Bits16>(&world);
        let mut walk_on = |from| {
            let walk = walk_for(planner, &world, from, Budget::UNLIMITED, 20_000);
            let is_walking = matches!(walk.last, Decision::Step(_));
            assert!(is_walking, "{:?}, {first:?}", walk.last);
            (walk.trail[20_000], planner.search().values().len())
        };
        let (at, learned) = walk_on(start);
        assert_eq!(walk_on(at).1, learned);
        setup.rules.switching = Switching::Rootwards;
        setup.follow::<Plain4, Bits16>(&world, start, Budget::UNLIMITED);
    }
}

/// Most of the detour is on the path to the first subgoal.
#[test]
fn the_true_sub_is_worth_more_than_the_nearest_subgoal() {
    let mut detours = [0, 0];
    for_seeds(60, |rng| {
        let world = draw::<Plain8>(rng, (40, 40), 30);
        let (start, goal) = (world.random_cell(rng), world.random_cell(rng));
        let Some(shortest) = world.costs_to(&[goal]).of(start) else {
            return;
        };
        let mut setup = Setup::by(ExitRule::Reached, goal);
        for (detour, first) in detours
            .iter_mut()
            .zip([FirstGoal::TrueSub, FirstGoal::Nearest])
        {
            setup.rules.first = first;
            let walk = setup.follow::<Plain8, Bits16>(&world, start, Budget::UNLIMITED);
            *detour += walk.cost(&world) - shortest;
        }
    });
    assert!(2 * detours[0] < detours[1], "{detours:?}");
}
