//! Trees of subgoals: grown in any number of pieces they are the same, every subgoal is an exit from a
//! heuristic depression, and whoever follows them arrives, within the bound of every tick.

use std::collections::HashMap;

use planner_core::{
    Budget, Cell, Decision, Inspect, Observation, Planner, Work,
    graph::{Coarse, Eight, Octile, OnePassable},
    local::SuccessorOrder,
    map::{AsFree, Map, Occupancy},
    queue::SmallerG,
    subgoal::{
        CLEARED, ExitRule, FirstGoal, Growth, Meanwhile, Rules, SCANNED, Source, Sub, Switching,
        Tree,
    },
    width::{Bits16, Bits32, Width},
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    build::{self, Follower, GrownTree, Kind, OwnedHeap, Plain},
    is_within, runner,
    subgoal_walks::{
        Contents, Drawing, HEAVIEST, Walk, contents, drawing, expected_end, walk, walk_for,
    },
    terrains::{Fine8, Plain4, Plain8, Walled4, Weighted4, Weighted8},
    world::{Ground, World},
};

type OnePassable8 = Plain<Eight<OnePassable, Coarse, Octile>>;

const RULES: [ExitRule; 3] = [ExitRule::Stale, ExitRule::Reached, ExitRule::Safe];
const FIRSTS: [FirstGoal; 3] = [
    FirstGoal::NearestExit,
    FirstGoal::Nearest,
    FirstGoal::TrueSub,
];

/// How a tree is grown.
#[derive(Clone, Copy)]
struct Plan {
    rule: ExitRule,
    /// The most subgoals; by default more than the map has cells.
    capacity: Option<usize>,
    goal: Cell,
}

impl Plan {
    fn new(rule: ExitRule, goal: Cell) -> Self {
        Self {
            rule,
            capacity: None,
            goal,
        }
    }

    fn tree<K: Kind, W: Width>(self, world: &World) -> (K::Map, GrownTree<W>) {
        let map = K::knowing(world, HEAVIEST);
        let capacity = self.capacity.unwrap_or(world.count() + 1);
        let tree = build::tree(&map, self.rule, capacity, self.goal);
        (map, tree)
    }
}

/// Grows a tree in pieces, each under its own budget; the expansions that took.
fn grow_in_pieces<K: Kind, W: Width>(
    world: &World,
    plan: Plan,
    mut budget: impl FnMut() -> Budget,
) -> (GrownTree<W>, u32) {
    let (map, mut tree) = plan.tree::<K, W>(world);
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

fn grow<K: Kind, W: Width>(world: &World, plan: Plan) -> (GrownTree<W>, u32) {
    grow_in_pieces::<K, W>(world, plan, || Budget::UNLIMITED)
}

fn grown<K: Kind, W: Width>(world: &World, rule: ExitRule, goal: Cell) -> Contents {
    contents(&grow::<K, W>(world, Plan::new(rule, goal)).0, world)
}

/// How a robot is set up.
#[derive(Clone, Copy)]
struct Setup {
    plan: Plan,
    rules: Rules,
    order: SuccessorOrder,
    /// The most learned values; by default more than the map has cells.
    values: Option<usize>,
}

impl Setup {
    fn new(goal: Cell) -> Self {
        Self {
            plan: Plan::new(ExitRule::default(), goal),
            rules: Rules::default(),
            order: SuccessorOrder::Fixed,
            values: None,
        }
    }

    /// A planner that grows its tree itself.
    fn follower<K: Kind, W: Width>(self, world: &World) -> Follower<K, W> {
        let (map, tree) = self.plan.tree::<K, W>(world);
        let values = self.values.unwrap_or(4 * world.count() + 1);
        let rules = (self.rules, self.order);
        build::follower::<K, W, _>(map, tree, values, rules, self.plan.goal)
    }
}

/// Walks a robot and checks that it arrives exactly when there is a path.
fn follow<K: Kind, W: Width>(world: &World, setup: Setup, start: Cell, budget: Budget) -> Walk {
    let mut planner = setup.follower::<K, W>(world);
    let walk = walk(&mut planner, world, start, budget);
    let expected = expected_end(world, start, setup.plan.goal);
    assert_eq!(walk.last, expected, "after {} moves", walk.trail.len() - 1);
    assert_eq!(planner.search().values().overflows(), 0);
    walk
}

fn heuristic<K: Kind>(a: Cell, b: Cell) -> u64 {
    let (dx, dy) = (u64::from(a.x.abs_diff(b.x)), u64::from(a.y.abs_diff(b.y)));
    match K::GROUND {
        Ground::Eight {
            straight, diagonal, ..
        } => dx.min(dy) * diagonal + dx.abs_diff(dy) * straight,
        _ => dx + dy,
    }
}

/// Every rule, first subgoal and order arrives.
fn arrives<K: Kind, W: Width>(cases: u32, side: u16) {
    let strategy = (drawing(side), any::<u32>());
    let test = |(drawing, order): (Drawing, u32)| {
        let world = drawing.world(K::field());
        let rng = &mut drawing.rng(1);
        for rule in RULES {
            for first in FIRSTS {
                for order in [SuccessorOrder::Fixed, SuccessorOrder::Random(order)] {
                    let mut setup = Setup::new(world.random_cell(rng));
                    setup.plan.rule = rule;
                    setup.rules.first = first;
                    setup.order = order;
                    let start = world.random_cell(rng);
                    follow::<K, W>(&world, setup, start, Budget::UNLIMITED);
                }
            }
        }
        Ok(())
    };
    runner(cases).run(&strategy, test).unwrap();
}

#[test]
fn whoever_follows_a_tree_arrives_with_four_moves() {
    arrives::<Plain4, Bits16>(300, 20);
}

#[test]
fn whoever_follows_a_tree_arrives_with_eight_moves() {
    arrives::<Plain8, Bits16>(300, 20);
    arrives::<Fine8, Bits32>(60, 16);
    arrives::<OnePassable8, Bits32>(60, 16);
}

#[test]
fn whoever_follows_a_tree_arrives_between_walls() {
    arrives::<Walled4, Bits16>(150, 16);
}

fn is_shortest<K: Kind, W: Width>(cases: u32, side: u16) {
    let strategy = (drawing(side), any::<u32>());
    let test = |(drawing, order): (Drawing, u32)| {
        let world = drawing.world(K::field());
        let rng = &mut drawing.rng(10);
        for order in [SuccessorOrder::Fixed, SuccessorOrder::Random(order)] {
            let mut setup = Setup::new(world.random_cell(rng));
            setup.order = order;
            setup.values = Some(0);
            let start = world.random_cell(rng);
            let walk = follow::<K, W>(&world, setup, start, Budget::UNLIMITED);
            if let Some(cost) = world.costs_to(&[setup.plan.goal]).of(start) {
                assert_eq!(walk.cost(&world), cost);
            }
        }
        Ok(())
    };
    runner(cases).run(&strategy, test).unwrap();
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
fn whoever_follows_a_tree_arrives_where_cells_have_weights() {
    arrives::<Weighted4, Bits16>(100, 14);
    arrives::<Weighted8, Bits16>(100, 14);
}

#[test]
fn a_robot_that_is_carried_elsewhere_goes_on_from_there_on_a_shortest_path() {
    let test = |drawing: Drawing| {
        let world = drawing.world(Plain8::field());
        let rng = &mut drawing.rng(11);
        let goal = world.random_cell(rng);
        let planner = &mut Setup::new(goal).follower::<Plain8, Bits16>(&world);
        for _ in 0..4 {
            let at = world.random_cell(rng);
            walk_for(
                planner,
                &world,
                at,
                Budget::UNLIMITED,
                rng.random_range(0..9),
            );
        }
        let start = world.random_cell(rng);
        let walk = walk(planner, &world, start, Budget::UNLIMITED);
        assert_eq!(walk.last, expected_end(&world, start, goal));
        if let Some(cost) = world.costs_to(&[goal]).of(start) {
            assert_eq!(walk.cost(&world), cost);
        }
        Ok(())
    };
    runner(300).run(&drawing(16), test).unwrap();
}

/// Checks a complete tree against the tests' own shortest paths.
fn is_a_tree_of_exits<K: Kind, W: Width>(world: &World, rule: ExitRule, goal: Cell) {
    let to_goal = world.costs_to(&[goal]);
    let (tree, _) = grow::<K, W>(world, Plan::new(rule, goal));
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
        let subgoal = tree
            .subgoal(number)
            .expect("a cell's subgoal is in the tree");
        if rule != ExitRule::Stale {
            // The heuristic to the subgoal is the true cost, and the path leads over it.
            let away = heuristic::<K>(cell, subgoal.cell);
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
            let depressed =
                |next: &Cell| heuristic::<K>(*next, parent.cell) < to_parent.of(*next).unwrap();
            assert!(world.steps(exit.cell).iter().any(depressed), "{exit:?}");
        }
    }
}

fn trees_are_of_exits<K: Kind, W: Width>(cases: u32, side: u16) {
    let test = |drawing: Drawing| {
        let world = drawing.world(K::field());
        let goal = world.random_cell(&mut drawing.rng(2));
        for rule in RULES {
            is_a_tree_of_exits::<K, W>(&world, rule, goal);
        }
        Ok(())
    };
    runner(cases).run(&drawing(side), test).unwrap();
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

fn pieces_do_not_matter<K: Kind, W: Width>(cases: u32) {
    let test = |drawing: Drawing| {
        let world = drawing.world(K::field());
        let rng = &mut drawing.rng(3);
        let goal = world.random_cell(rng);
        for rule in RULES {
            let whole = grown::<K, W>(&world, rule, goal);
            let budget = || random_budget(rng);
            let (tree, _) = grow_in_pieces::<K, W>(&world, Plan::new(rule, goal), budget);
            assert_eq!(contents(&tree, &world), whole);
        }
        Ok(())
    };
    runner(cases).run(&drawing(20), test).unwrap();
}

#[test]
fn a_tree_grown_in_pieces_is_the_one_grown_at_once() {
    pieces_do_not_matter::<Plain4, Bits16>(100);
    pieces_do_not_matter::<Plain8, Bits16>(100);
    pieces_do_not_matter::<Fine8, Bits32>(50);
}

#[test]
fn a_tree_begun_for_another_goal_or_map_leaves_nothing_behind() {
    let test = |(drawing, pieces): (Drawing, usize)| {
        let mut world = drawing.world(Plain8::field());
        let rng = &mut drawing.rng(4);
        let goals = [0; 4].map(|_| world.random_cell(rng));
        let (mut map, mut tree) =
            Plan::new(ExitRule::Safe, goals[0]).tree::<Plain8, Bits16>(&world);
        for goal in goals {
            for _ in 0..rng.random_range(0..=pieces) {
                tree.advance(
                    &map.view::<AsFree>(),
                    random_budget(rng),
                    &mut Work::default(),
                );
            }
            tree.change_goal(goal);
        }
        for _ in 0..pieces {
            tree.advance(
                &map.view::<AsFree>(),
                Budget::limit(3),
                &mut Work::default(),
            );
        }
        let seen = Observation::Cell(world.random_cell(rng), Occupancy::Blocked);
        world.observe(seen);
        let change = map.observe(seen).unwrap();
        if let Some(change) = change.and_then(|change| change.seen_as::<AsFree>()) {
            tree.world_changed(change.trend());
        }
        while tree.advance(
            &map.view::<AsFree>(),
            Budget::limit(5),
            &mut Work::default(),
        ) == Growth::Growing
        {}
        let last = contents(&tree, &world);
        assert_eq!(
            last,
            grown::<Plain8, Bits16>(&world, ExitRule::Safe, goals[3])
        );
        Ok(())
    };
    let strategy = (drawing(20), 0..60usize);
    runner(150).run(&strategy, test).unwrap();
}

#[test]
fn a_heap_and_buckets_find_the_same_distances() {
    let test = |drawing: Drawing| {
        let world = drawing.world(Plain8::field());
        let goal = world.random_cell(&mut drawing.rng(5));
        let map = Plain8::knowing(&world, HEAVIEST);
        let room = world.count() + 1;
        let mut tree =
            build::tree::<Bits16, OwnedHeap<u64, SmallerG>>(&map, ExitRule::Safe, room, goal);
        tree.advance(
            &map.view::<AsFree>(),
            Budget::UNLIMITED,
            &mut Work::default(),
        );
        let costs = world.costs_to(&[goal]);
        for cell in world.cells() {
            assert_eq!(tree.distance(cell).map(|g| g as u64), costs.of(cell));
        }
        Ok(())
    };
    runner(60).run(&drawing(16), test).unwrap();
}

#[test]
fn a_full_tree_is_the_beginning_of_the_whole_one_and_still_leads_to_the_goal() {
    let strategy = (drawing(18), 1..12usize);
    let test = |(drawing, capacity): (Drawing, usize)| {
        let world = drawing.world(Plain8::field());
        let rng = &mut drawing.rng(6);
        let goal = world.random_cell(rng);
        let start = world.random_cell(rng);
        for rule in RULES {
            let whole = grown::<Plain8, Bits16>(&world, rule, goal);
            let plan = Plan {
                capacity: Some(capacity),
                ..Plan::new(rule, goal)
            };
            let (tree, expansions) = grow::<Plain8, Bits16>(&world, plan);
            let cut = contents(&tree, &world);
            let kept = whole.subgoals.len().min(capacity);
            assert_eq!(cut.subgoals[..], whole.subgoals[..kept]);
            assert_eq!(tree.is_full(), whole.subgoals.len() > capacity);
            let known = |subs: &[Sub]| subs.iter().filter(|&&s| s != Sub::NoPath).count();
            assert_eq!(known(&cut.subs), known(&whole.subs));
            assert_eq!(expansions as usize, known(&whole.subs));
            for first in FIRSTS {
                let mut setup = Setup::new(goal);
                setup.plan = plan;
                setup.rules.first = first;
                follow::<Plain8, Bits16>(&world, setup, start, Budget::UNLIMITED);
            }
        }
        Ok(())
    };
    runner(100).run(&strategy, test).unwrap();
}

#[test]
fn a_full_table_of_values_forgets_and_the_robot_goes_on() {
    // A wall with a gap at one end between the robot and its goal, and nothing to lead around it.
    let mut world = World::square(21, Ground::Four);
    for x in 0..20 {
        world.block(Cell::new(x, 10));
    }
    let (start, goal) = (Cell::new(0, 9), Cell::new(0, 20));
    let mut setup = Setup::new(goal);
    setup.plan.capacity = Some(1); // no subgoal but the goal: plain LRTA*, which has much to learn
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
    follow::<Plain4, Bits16>(&world, setup, start, Budget::UNLIMITED);
    // With its subgoals it has next to nothing to learn.
    setup.plan.capacity = None;
    setup.values = Some(2);
    let walk = follow::<Plain4, Bits16>(&world, setup, start, Budget::UNLIMITED);
    assert_eq!(Some(walk.cost(&world)), world.costs_to(&[goal]).of(start));
}

/// A serpentine, no obstacles, pillars, and dead ends as deep as the map.
fn worlds(side: u16, ground: Ground) -> [World; 4] {
    let open = World::square(side, ground);
    let mut pillars = open.clone();
    for cell in open
        .cells()
        .filter(|cell| cell.x % 2 == 1 && cell.y % 2 == 1)
    {
        pillars.block(cell);
    }
    let (serpentine, comb) = (World::serpentine(side, ground), World::comb(side, ground));
    [serpentine, open, pillars, comb]
}

/// Checks the bound of the module's documentation, and that nothing is cleared or scanned at once.
fn stays_in_its_bound<K: Kind, W: Width>(side: u16, first: FirstGoal, meanwhile: Meanwhile) {
    const LIMIT: u32 = 24;
    let moves = if K::GROUND == Ground::Four { 4 } else { 8 };
    for world in worlds(side, K::GROUND) {
        let corner = Cell::new(side - 1, side - 1);
        let (start, middle) = (Cell::new(0, 0), Cell::new(side / 2 / 2 * 2, 0));
        let mut setup = Setup::new(corner);
        setup.rules.first = first;
        setup.rules.meanwhile = meanwhile;
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
    let world = World::serpentine(301, Ground::Four);
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
    let world = World::square(101, Ground::Four);
    let (start, goal) = (Cell::new(3, 3), Cell::new(3, 6));
    let setup = Setup::new(goal);
    let walk = follow::<Plain4, Bits16>(&world, setup, start, Budget::limit(4));
    assert_eq!((walk.trail.len(), walk.cost(&world)), (4, 3));
    assert!(walk.waits < 8, "{} ticks spent waiting", walk.waits);
}

#[test]
fn a_robot_that_walks_meanwhile_never_waits() {
    let test = |drawing: Drawing| {
        let world = drawing.world(Plain8::field());
        let rng = &mut drawing.rng(7);
        let mut setup = Setup::new(world.random_cell(rng));
        setup.rules.meanwhile = Meanwhile::Walk;
        setup.rules.first = FIRSTS[rng.random_range(0..3)];
        let start = world.random_cell(rng);
        let limit = Budget {
            expansions: rng.random_range(2..6),
            ..Budget::UNLIMITED
        };
        let walk = follow::<Plain8, Bits16>(&world, setup, start, limit);
        if setup.rules.first == FirstGoal::TrueSub {
            assert_eq!(walk.waits, 0);
        }
        Ok(())
    };
    runner(200).run(&drawing(16), test).unwrap();
}

#[test]
fn what_was_learned_belongs_to_one_problem() {
    let test = |drawing: Drawing| {
        let world = drawing.world(Plain8::field());
        let rng = &mut drawing.rng(8);
        let mut setup = Setup::new(world.random_cell(rng));
        setup.rules.switching = [Switching::Any, Switching::Rootwards][rng.random_range(0..2)];
        setup.plan.capacity = Some(rng.random_range(1..5)); // so that there is something to learn
        let second = Setup {
            plan: Plan {
                goal: world.random_cell(rng),
                ..setup.plan
            },
            ..setup
        };
        let start = world.random_cell(rng);
        let budget = Budget::UNLIMITED;
        let alone = &mut second.follower::<Plain8, Bits16>(&world);
        let used = &mut setup.follower::<Plain8, Bits16>(&world);
        walk(used, &world, start, budget);
        used.set_goal(second.plan.goal).unwrap();
        assert!(used.search().values().is_empty());
        assert_eq!(
            walk(used, &world, start, budget),
            walk(alone, &world, start, budget)
        );
        Ok(())
    };
    runner(200).run(&drawing(14), test).unwrap();
}

#[test]
fn values_learned_for_a_subgoal_are_dropped_when_its_parent_is_pursued() {
    let mut dropped = 0;
    for seed in 0..100 {
        let drawing = Drawing::new(24, 24, 35, seed);
        let world = drawing.world(Plain8::field());
        let rng = &mut drawing.rng(13);
        let mut setup = Setup::new(world.random_passable(rng));
        setup.plan.capacity = Some(6); // so that there is something to learn
        setup.plan.rule = ExitRule::Reached;
        setup.rules.first = FirstGoal::Nearest;
        setup.rules.switching = Switching::Rootwards;
        let mut planner = setup.follower::<Plain8, Bits16>(&world);
        let mut at = world.random_passable(rng);
        let mut before = (None, 0);
        while let Decision::Step(next) = planner.tick(at, Budget::UNLIMITED).unwrap() {
            let after = (planner.search().subgoal(), planner.search().values().len());
            if let (Some((was, _)), Some((is, _))) = (before.0, after.0)
                && is < was
            {
                dropped += before.1;
                assert!(after.1 <= 1, "{} values, seed {seed}", after.1);
            }
            (at, before) = (next, after);
        }
    }
    assert!(dropped > 20, "only {dropped} values were to be dropped");
}

#[test]
fn a_change_of_the_map_makes_the_tree_grow_again() {
    let test = |(drawing, changes): (Drawing, usize)| {
        let mut world = drawing.world(Plain8::field());
        let rng = &mut drawing.rng(9);
        let goal = world.random_cell(rng);
        let planner = &mut Setup::new(goal).follower::<Plain8, Bits16>(&world);
        let (few, mut at) = (Budget::limit(20), world.random_cell(rng));
        for _ in 0..changes {
            for _ in 0..rng.random_range(0..30) {
                if let Decision::Step(next) = planner.tick(at, few).unwrap() {
                    at = next;
                }
            }
            let state = [Occupancy::Free, Occupancy::Blocked][rng.random_range(0..2)];
            let cell = world.random_cell(rng);
            if cell != at {
                let seen = Observation::Cell(cell, state);
                assert_eq!(planner.observe(seen).unwrap(), world.observe(seen));
                assert_eq!(planner.occupancy(cell), state);
            }
        }
        let walk = walk(planner, &world, at, few);
        assert_eq!(walk.last, expected_end(&world, at, goal));
        Ok(())
    };
    let strategy = (drawing(14), 0..6usize);
    runner(200).run(&strategy, test).unwrap();
}

/// Sizes of trees under review: larger ones would be no mistake, but worse.
#[test]
fn trees_are_as_small_as_they_were() {
    let sizes = [10, 20, 30].map(|density| {
        let drawing = Drawing::new(40, 40, density, 7);
        let world = drawing.world(Plain8::field());
        let goal = world
            .cells()
            .find(|&cell| world.costs_to(&[cell]).of(Cell::new(20, 20)).is_some());
        let goal = goal.unwrap_or(Cell::new(20, 20));
        RULES.map(|rule| grown::<Plain8, Bits16>(&world, rule, goal).subgoals.len())
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
    const STEPS: [(i16, i16); 8] = [
        (0, 1),
        (-1, 0),
        (0, -1),
        (1, 0),
        (-1, 1),
        (-1, -1),
        (1, -1),
        (1, 1),
    ];
    let cell = |number: usize| tree.subgoal(number).unwrap().cell;
    let nearest = |from| {
        let numbers = from..tree.len();
        numbers.min_by_key(|&number| heuristic::<K>(start, cell(number)))
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
            if rules.switching == Switching::Any || !in_tree || parent < aim {
                (aim, in_tree) = (parent, true);
            }
        }
        let h = |of: Cell| {
            let known = learned.get(&(of, aim)).copied();
            known.unwrap_or(heuristic::<K>(of, cell(aim)))
        };
        let steps = STEPS.iter().filter_map(|&(dx, dy)| {
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

fn walks_as_the_model<K: Kind>(cases: u32, side: u16) {
    const MOVES: usize = 3000;
    let test = |drawing: Drawing| {
        let world = drawing.world(K::field());
        let rng = &mut drawing.rng(12);
        let (start, goal) = (world.random_cell(rng), world.random_cell(rng));
        if start == goal || world.costs_to(&[goal]).of(start).is_none() {
            return Ok(());
        }
        for rule in RULES {
            for first in FIRSTS {
                for switching in [Switching::Any, Switching::Rootwards] {
                    let mut setup = Setup::new(goal);
                    setup.plan.rule = rule;
                    setup.rules.first = first;
                    setup.rules.switching = switching;
                    let planner = &mut setup.follower::<K, Bits16>(&world);
                    let walk = walk_for(planner, &world, start, Budget::UNLIMITED, MOVES);
                    let tree = planner.search().source();
                    let expected = model::<K>(&world, tree, setup.rules, start, MOVES);
                    assert_eq!(walk.trail, expected, "{rule:?} {:?}", setup.rules);
                }
            }
        }
        Ok(())
    };
    runner(cases).run(&drawing(side), test).unwrap();
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
    let drawing = Drawing::new(30, 14, 23, 4608);
    let world = drawing.world(Plain4::field());
    let (start, goal) = (Cell::new(14, 11), Cell::new(7, 8));
    let mut setup = Setup::new(goal);
    setup.plan.rule = ExitRule::Reached;
    for first in FIRSTS {
        setup.rules.first = first;
        setup.rules.switching = Switching::Any;
        let planner = &mut setup.follower::<Plain4, Bits16>(&world);
        let mut walk_on = |from| {
            let walk = walk_for(planner, &world, from, Budget::UNLIMITED, 20_000);
            assert!(
                matches!(walk.last, Decision::Step(_)),
                "{:?}, {first:?}",
                walk.last
            );
            (walk.trail[20_000], planner.search().values().len())
        };
        let (at, learned) = walk_on(start);
        assert_eq!(walk_on(at).1, learned);
        setup.rules.switching = Switching::Rootwards;
        follow::<Plain4, Bits16>(&world, setup, start, Budget::UNLIMITED);
    }
}

/// Most of the detour is on the path to the first subgoal.
#[test]
fn the_true_sub_is_worth_more_than_the_nearest_subgoal() {
    let mut sums = [0, 0, 0];
    for seed in 0..60 {
        let drawing = Drawing::new(40, 40, 30, seed);
        let world = drawing.world(Plain8::field());
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (start, goal) = (world.random_cell(rng), world.random_cell(rng));
        let Some(shortest) = world.costs_to(&[goal]).of(start) else {
            continue;
        };
        let mut setup = Setup::new(goal);
        setup.plan.rule = ExitRule::Reached;
        sums[0] += shortest;
        for (sum, first) in sums[1..]
            .iter_mut()
            .zip([FirstGoal::TrueSub, FirstGoal::Nearest])
        {
            setup.rules.first = first;
            let walk = follow::<Plain8, Bits16>(&world, setup, start, Budget::UNLIMITED);
            *sum += walk.cost(&world);
        }
    }
    let [shortest, true_sub, nearest] = sums;
    let (own, other) = (true_sub - shortest, nearest - shortest);
    assert!(2 * own < other, "{own} and {other} above {shortest}");
}
