//! Real-Time D*: the same steps as D* Lite when there is time, the goal in the end when there is
//! little, shortest paths whenever it says so, or with Anytime D* as short as it says, and never more
//! work in a tick than its formula allows.

use crate::common::{
    is_within,
    kind::{Kind, Plain, Walled},
    world::{Ground, World},
};
use planner_core::{
    Budget, Cell, Decision, Observation, Planner, Side, Work,
    local::{Follow, Learned, LocalSearch, LookAhead, Lrta, LssLrta, SuccessorOrder},
    map::{Occupancy, Unknown},
    queue::{Buckets, Entry, Holds, Lifo, Queue},
    rtd::{LocalRatio, NoOp, Rtd},
    search::{AnytimeDStar, DStarLite, Epsilon, GlobalSearch},
    terrain::{Coarse, Eight, Four, Manhattan, NeverCut, Octile, Terrain},
    width::{Bits16, Bits32, Width},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Plain4 = Plain<Four<Manhattan>>;
type Plain8 = Plain<Eight<NeverCut, Coarse, Octile>>;
type Walled4 = Walled<Manhattan>;
type Global<'m, K, W = Bits16> = DStarLite<'m, W, <K as Kind>::Terrain<'m>, Buckets<8, Lifo>>;

/// Which local search drives while the global one is under way.
#[derive(Clone, Copy, Debug)]
enum Local {
    Lss(Follow),
    Lrta,
    NoOp,
}

const LOCALS: [Local; 4] = [
    Local::Lss(Follow::Path),
    Local::Lss(Follow::ReplanEachStep),
    Local::Lrta,
    Local::NoOp,
];

/// Which global search it is.
#[derive(Clone, Copy, Debug)]
enum By {
    Lite,
    Anytime,
}

/// What a test may ask of a global search.
trait Audited: GlobalSearch {
    fn is_sound(&self) -> bool;

    /// The cost of the path it shows, and how many tenths of the shortest one's that is at most; unless
    /// it is shortest anyway.
    fn claim(&self) -> Option<(u64, Option<u32>)> {
        None
    }
}

impl<W: Width, T: Terrain, Q: Queue<W>> Audited for DStarLite<'_, W, T, Q> {
    fn is_sound(&self) -> bool {
        self.audit().is_ok()
    }
}

impl<W: Width, T: Terrain, E: Entry + Holds<W>> Audited for AnytimeDStar<'_, W, T, E> {
    fn is_sound(&self) -> bool {
        self.audit().is_ok()
    }

    fn claim(&self) -> Option<(u64, Option<u32>)> {
        Some((self.distance()? as u64, self.epsilon()))
    }
}

/// What a test may ask of any Real-Time D*.
trait Subject: Planner {
    fn is_informed(&self) -> bool;
    fn is_up_to_date(&self) -> bool;
    fn audit(&self) -> bool;
    fn claim(&self) -> Option<(u64, Option<u32>)>;
}

impl<G: Audited, L: LocalSearch<G::Terrain>, const N: usize> Subject for Rtd<G, L, N> {
    fn is_informed(&self) -> bool {
        Self::is_informed(self)
    }

    fn is_up_to_date(&self) -> bool {
        Self::is_up_to_date(self)
    }

    fn audit(&self) -> bool {
        self.global().is_sound()
    }

    fn claim(&self) -> Option<(u64, Option<u32>)> {
        self.global().claim()
    }
}

/// Builds Real-Time D* with room for `BACKLOG` changes and runs something with it.
fn with<K: Kind, W: Width, const BACKLOG: usize>(
    (by, local): (By, Local),
    known: &World,
    (start, goal): (Cell, Cell),
    run: &mut dyn FnMut(&mut dyn Subject),
) where
    u128: Holds<W>,
{
    let (width, height) = (known.width, known.height);
    let vertices = K::vertices(width, height);
    let mut words = vec![0; K::words(width, height)];
    let (mut weights, mut values) = (vec![0; vertices], vec![Default::default(); vertices]);
    let terrain = K::knowing(known, &mut words, &mut weights, Unknown::AsFree, 1);
    let learned = Learned::<W>::new(&terrain, &mut values).expect("there is a value for each");
    match by {
        By::Lite => {
            let mut nodes = vec![Default::default(); Global::<K, W>::nodes(vertices)];
            let global = Global::<K, W>::new(terrain, Buckets::new(), &mut nodes, start, goal);
            drive::<_, W, BACKLOG>(global.expect("the map fits"), local, learned, run);
        }
        By::Anytime => {
            let (mut nodes, mut entries) = (vec![Default::default(); vertices], vec![0; vertices]);
            let schedule = Epsilon::DEFAULT;
            let global = AnytimeDStar::<W, _, u128>::new(
                terrain,
                &mut entries,
                &mut nodes,
                start,
                goal,
                schedule,
            );
            drive::<_, W, BACKLOG>(global.expect("the map fits"), local, learned, run);
        }
    }
}

/// Joins a global search with a local one.
fn drive<G: Audited, W: Width, const BACKLOG: usize>(
    global: G,
    local: Local,
    learned: Learned<'_, W>,
    run: &mut dyn FnMut(&mut dyn Subject),
) {
    let (by, order) = (LookAhead::AStar, SuccessorOrder::Fixed);
    let ratio = LocalRatio::percent(50);
    match local {
        Local::Lss(follow) => {
            let local = LssLrta::<_, 512>::new(learned, by, follow, order);
            run(&mut Rtd::<_, _, BACKLOG>::new(global, local, ratio));
        }
        Local::Lrta => {
            let local = Lrta::<_, 512>::new(learned, by, order);
            run(&mut Rtd::<_, _, BACKLOG>::new(global, local, ratio));
        }
        Local::NoOp => run(&mut Rtd::<_, _, BACKLOG>::new(global, NoOp, ratio)),
    }
}

/// Something that blocks or frees: a cell, or a wall where those are.
fn thing(world: &World, rng: &mut ChaCha8Rng, fact: Occupancy) -> Observation {
    let cell = world.nth(rng.random_range(0..world.count()));
    match world.ground {
        Ground::Walled => {
            let side = [Side::South, Side::West, Side::North, Side::East][rng.random_range(0..4)];
            Observation::Wall(cell, side, fact)
        }
        _ => Observation::Cell(cell, fact),
    }
}

/// A world with obstacles, and two cells in it between which there is a way.
fn solvable<K: Kind>(rng: &mut ChaCha8Rng, side: u16) -> (World, Cell, Cell) {
    loop {
        let mut world = World::new(side, side, K::GROUND, Unknown::AsFree);
        for _ in 0..world.count() * 3 / 10 {
            let seen = thing(&world, rng, Occupancy::Blocked);
            world.see(seen);
        }
        let start = world.nth(rng.random_range(0..world.count()));
        let goal = world.nth(rng.random_range(0..world.count()));
        let costs = world.costs_to(&[goal]);
        if start != goal && world.is_open(start) && world.is_open(goal) && costs.of(start).is_some()
        {
            return (world, start, goal);
        }
    }
}

/// What a robot sees around it.
fn sights(truth: &World, at: Cell) -> Vec<Observation> {
    let fact = |fact| match fact {
        Occupancy::Blocked => Occupancy::Blocked,
        _ => Occupancy::Free,
    };
    match truth.ground {
        Ground::Walled => [Side::South, Side::West, Side::North, Side::East]
            .map(|side| Observation::Wall(at, side, fact(truth.wall(at, side))))
            .to_vec(),
        _ => truth
            .around(at)
            .map(|cell| Observation::Cell(cell, fact(truth.fact(cell))))
            .collect(),
    }
}

fn unlimited_steps_are_dstar_lites<K: Kind>() {
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (truth, start, goal) = solvable::<K>(&mut rng, 16);
        let unknown = World::new(16, 16, K::GROUND, Unknown::AsFree);
        with::<K, Bits16, 64>(
            (By::Lite, LOCALS[seed as usize % 4]),
            &unknown,
            (start, goal),
            &mut |rtd| {
                let vertices = K::vertices(16, 16);
                let mut words = vec![0; K::words(16, 16)];
                let mut weights = vec![0; vertices];
                let mut nodes = vec![Default::default(); Global::<K>::nodes(vertices)];
                let terrain = K::terrain((16, 16), &mut words, &mut weights, Unknown::AsFree, 1);
                let terrain = terrain.expect("memory is as asked for");
                let lite = Global::<K>::new(terrain, Buckets::new(), &mut nodes, start, goal);
                let mut lite = lite.expect("the map fits 16 bits");
                let mut at = start;
                for tick in 0.. {
                    for seen in sights(&truth, at) {
                        assert_eq!(rtd.observe(seen), lite.observe(seen));
                    }
                    let decision = rtd.tick(at, Budget::UNLIMITED);
                    let context = format!("seed {seed}, tick {tick} at {at:?}");
                    assert_eq!(decision, lite.tick(at, Budget::UNLIMITED), "{context}");
                    match decision {
                        Ok(Decision::Step(next)) => at = next,
                        other => {
                            assert_eq!(other, Ok(Decision::Arrived), "{context}");
                            break;
                        }
                    }
                }
            },
        );
    }
}

#[test]
fn with_an_unlimited_budget_the_steps_are_those_of_dstar_lite() {
    unlimited_steps_are_dstar_lites::<Plain4>();
    unlimited_steps_are_dstar_lites::<Plain8>();
    unlimited_steps_are_dstar_lites::<Walled4>();
}

fn reaches_the_goal<K: Kind>(by: By) {
    for seed in 0..40 {
        for (local, limit) in LOCALS
            .into_iter()
            .flat_map(|l| [1, 2, 3, 8, 40].map(|n| (l, n)))
        {
            // At a limit of one the global search gets nothing and a robot that waits for it waits.
            if matches!((local, limit), (Local::NoOp, 1)) {
                continue;
            }
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let (truth, start, goal) = solvable::<K>(&mut rng, 14);
            let unknown = World::new(14, 14, K::GROUND, Unknown::AsFree);
            with::<K, Bits16, 64>((by, local), &unknown, (start, goal), &mut |rtd| {
                let mut at = start;
                for _ in 0..20_000 {
                    for seen in sights(&truth, at) {
                        rtd.observe(seen).expect("on the map");
                    }
                    let decision = rtd.tick(at, Budget::limit(limit)).expect("on the map");
                    assert!(rtd.stats().tick.expansions <= limit);
                    match decision {
                        Decision::Step(next) => {
                            assert!(
                                truth.step_cost(at, next).is_some(),
                                "through a wall it has seen"
                            );
                            at = next;
                        }
                        Decision::Wait => assert!(matches!(local, Local::NoOp)),
                        Decision::Arrived => return,
                        Decision::Unreachable => panic!("seed {seed}, {local:?}: it is reachable"),
                    }
                }
                panic!("seed {seed}, {local:?}, limit {limit}: no end");
            });
        }
    }
}

#[test]
fn any_limit_reaches_the_goal_of_a_static_world() {
    for by in [By::Lite, By::Anytime] {
        reaches_the_goal::<Plain4>(by);
        reaches_the_goal::<Plain8>(by);
        reaches_the_goal::<Walled4>(by);
    }
}

fn informed_steps_are_short<K: Kind, const BACKLOG: usize>(by: By) {
    let mut informed = 0;
    for seed in 0..80 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut known, start, goal) = solvable::<K>(&mut rng, 12);
        let local = LOCALS[seed as usize % 4];
        with::<K, Bits16, BACKLOG>((by, local), &known.clone(), (start, goal), &mut |rtd| {
            let (mut at, mut goals) = (start, vec![goal]);
            for tick in 0..400 {
                for _ in 0..[0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 30][rng.random_range(0..11)] {
                    let fact = [Occupancy::Free, Occupancy::Blocked][rng.random_range(0..2)];
                    let seen = thing(&known, &mut rng, fact);
                    assert_eq!(rtd.observe(seen), Ok(known.see(seen)));
                }
                if rng.random_ratio(1, 40) {
                    let count = rng.random_range(1..=3);
                    let place = |_| known.nth(rng.random_range(0..known.count()));
                    goals = (0..count).map(place).collect();
                    rtd.set_goals(&goals).expect("on the map");
                }
                let limit = [1, 2, 3, 6, 20][rng.random_range(0..5)];
                let decision = rtd.tick(at, Budget::limit(limit)).expect("on the map");
                let costs = known.costs_to(&goals);
                let cost = known.is_open(at).then(|| costs.of(at)).flatten();
                let context = format!("seed {seed}, tick {tick}, {local:?}, {at:?} to {goals:?}");
                if rtd.is_up_to_date() {
                    assert!(rtd.audit(), "{context}");
                }
                match decision {
                    Decision::Step(next) => {
                        let step = known.step_cost(at, next);
                        assert!(
                            step.is_some() || !known.is_open(at),
                            "{context}: no such step"
                        );
                        if rtd.is_informed() {
                            informed += 1;
                            let through = step.zip(costs.of(next)).map(|(a, b)| a + b);
                            match (rtd.claim(), cost) {
                                (Some((found, Some(bound))), Some(cost)) => {
                                    let within = found * 10 <= cost * u64::from(bound);
                                    let is_way = through.is_some() && found >= cost;
                                    assert!(within && is_way, "{context}: {found}, {bound}");
                                }
                                (Some((_, None)), Some(_)) => assert!(through.is_some()),
                                _ => assert_eq!(through, cost, "{context}"),
                            }
                        }
                        at = next;
                    }
                    Decision::Unreachable => assert_eq!(cost, None, "{context}"),
                    Decision::Arrived => {
                        assert!(goals.contains(&at), "{context}");
                        at = known.nth(rng.random_range(0..known.count()));
                    }
                    Decision::Wait => {}
                }
            }
        });
    }
    assert!(
        informed > 400,
        "only {informed} informed steps were checked"
    );
}

#[test]
fn a_step_that_is_called_informed_is_on_a_path_as_short_as_claimed_whatever_changes() {
    for by in [By::Lite, By::Anytime] {
        informed_steps_are_short::<Plain4, 64>(by);
        informed_steps_are_short::<Plain8, 64>(by);
        informed_steps_are_short::<Walled4, 64>(by);
    }
}

#[test]
fn changes_that_do_not_fit_the_backlog_are_made_good_by_a_sweep() {
    for by in [By::Lite, By::Anytime] {
        informed_steps_are_short::<Plain4, 2>(by);
        informed_steps_are_short::<Plain8, 2>(by);
        informed_steps_are_short::<Walled4, 2>(by);
    }
}

/// A world made to be hard on a planner.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    /// Teeth all across, each with its gap at the other end.
    Comb,
    /// A corridor that winds to the middle.
    Spiral,
    /// Doors in a wall that open and close in every tick.
    Doors,
    /// A thousand cells change at once, now and then.
    Burst,
    /// Another goal in every tick.
    Goals,
}

const TROUBLES: [Trouble; 5] = [
    Trouble::Comb,
    Trouble::Spiral,
    Trouble::Doors,
    Trouble::Burst,
    Trouble::Goals,
];

fn troubled(trouble: Trouble, side: u16) -> World {
    let mut world = World::new(side, side, Ground::Four, Unknown::AsFree);
    let mut block = |x, y| {
        world.see(Observation::Cell(Cell::new(x, y), Occupancy::Blocked));
    };
    match trouble {
        Trouble::Comb => {
            for y in (1..side - 1).step_by(2) {
                let gap = if y % 4 == 1 { 0 } else { side - 1 };
                (0..side).filter(|&x| x != gap).for_each(|x| block(x, y));
            }
        }
        Trouble::Spiral => {
            for ring in (1..side / 2).step_by(2) {
                for at in ring..side - ring {
                    block(at, ring);
                    block(at, side - 1 - ring);
                    block(side - 1 - ring, at);
                    if at > ring + 1 {
                        block(ring, at);
                    }
                }
            }
            for ring in (1..side / 2).step_by(2) {
                world.see(Observation::Cell(
                    Cell::new(ring, ring + 1),
                    Occupancy::Free,
                ));
            }
        }
        Trouble::Doors | Trouble::Burst | Trouble::Goals => {
            for y in 0..side {
                block(side / 2, y);
            }
            world.see(Observation::Cell(
                Cell::new(side / 2, side / 2),
                Occupancy::Free,
            ));
        }
    }
    world
}

/// The largest work of a tick in `ticks` ticks of a troubled world.
fn most_work(by: By, trouble: Trouble, side: u16, limit: u32, ticks: u32) -> Work {
    let known = troubled(trouble, side);
    let (start, goal) = (Cell::new(0, 0), Cell::new(side - 1, side - 1));
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(side));
    let mut most = Work::default();
    let local = Local::Lss(Follow::ReplanEachStep);
    with::<Plain4, Bits32, 64>((by, local), &known, (start, goal), &mut |rtd| {
        let mut at = start;
        for tick in 0..ticks {
            let fact = [Occupancy::Free, Occupancy::Blocked][tick as usize % 2];
            let door = |y| Observation::Cell(Cell::new(side / 2, y), fact);
            match trouble {
                Trouble::Doors => {
                    for y in (0..side).step_by(8) {
                        rtd.observe(door(y)).expect("on the map");
                    }
                }
                Trouble::Burst if tick % 50 == 49 => {
                    for _ in 0..1000 {
                        let (x, y) = (rng.random_range(0..side), rng.random_range(0..side));
                        rtd.observe(Observation::Cell(Cell::new(x, y), fact))
                            .expect("on the map");
                    }
                }
                Trouble::Goals => {
                    let (x, y) = (rng.random_range(0..side), rng.random_range(0..side));
                    rtd.set_goal(Cell::new(x, y)).expect("on the map");
                }
                _ => {}
            }
            let budget = Budget::limit(limit);
            match rtd.tick(at, budget).expect("on the map") {
                Decision::Step(next) => at = next,
                Decision::Arrived => at = start,
                Decision::Wait | Decision::Unreachable => {}
            }
            let work = rtd.stats().tick;
            assert!(is_within(work, budget), "{by:?}, {trouble:?}: {work:?}");
        }
        most = rtd.stats().most;
    });
    most
}

#[test]
fn a_tick_keeps_its_bound_on_maps_of_any_size() {
    const LIMIT: u32 = 32;
    const MOVES: u32 = 4;
    let budget = Budget::limit(LIMIT);
    let global = LIMIT * (MOVES + 1) + budget.changes * (MOVES + 3);
    let local = 2 * LIMIT * (MOVES + 1) + 1;
    let all = [By::Lite, By::Anytime].map(|by| TROUBLES.map(|trouble| (by, trouble)));
    for (by, trouble) in all.into_iter().flatten() {
        let most = [33, 101, 301].map(|side| most_work(by, trouble, side, LIMIT, 4000));
        println!("{by:?}, {trouble:?}: {most:?}");
        for work in most {
            assert!(work.expansions <= LIMIT, "{by:?}, {trouble:?}: {work:?}");
            assert!(
                work.queue_ops <= global + local,
                "{by:?}, {trouble:?}: {work:?}"
            );
        }
        // The formula has no term for the map, and what is reached does not grow with it either.
        assert_eq!(
            most[1].expansions, most[2].expansions,
            "{by:?}, {trouble:?}"
        );
    }
}
