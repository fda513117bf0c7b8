//! Scripts for a robot in a small world: generated, shrunk and printed by proptest.

use planner_core::{
    Budget, Cell, Observation, Side,
    map::{Occupancy, Unknown},
};
use proptest::prelude::*;

use super::{
    fleet::{Fleet, Setup},
    kind::Kind,
    robot::{ENOUGH, Robot},
    world::{Ground, World, side},
};

/// A small world and what happens in it.
#[derive(Clone, Debug)]
pub struct Script {
    pub width: u16,
    pub height: u16,
    pub unknown: Unknown,
    pub heaviest: u8,
    /// Which cells are blocked, one bit each.
    pub rocks: u64,
    /// Which cells have a wall on their east side, and which on their south side.
    pub walls: [u64; 2],
    /// Whether rocks and walls are known before the planners are built, or seen afterwards.
    pub informed: bool,
    pub start: usize,
    pub goal: usize,
    /// Whose advice the robot follows.
    pub leader: usize,
    pub events: Vec<Event>,
}

/// Something that happens.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// The planners are asked, with at most so many expansions. The robot may follow the advice.
    Tick { limit: Option<u32>, follow: bool },
    /// A cell, or a wall beside it, is seen.
    See(Place, Occupancy),
    /// The cost of entering a cell is seen.
    Weigh(Place, u8),
    /// The robot takes one of the steps it can take, advised or not.
    Wander(usize),
    /// The robot is carried somewhere.
    Carry(usize),
    /// The robot is sent elsewhere: to the nearest of so many places.
    SetGoals([usize; 3], usize),
}

/// A place in a script that makes sense wherever the robot is by then.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    Anywhere(usize),
    Robot,
    Goal,
    /// Next to the robot.
    Beside(usize),
    /// So many steps ahead on a shortest path.
    Ahead(usize),
}

fn fact() -> impl Strategy<Value = Occupancy> {
    prop_oneof![
        5 => Just(Occupancy::Free),
        5 => Just(Occupancy::Blocked),
        1 => Just(Occupancy::Unknown),
    ]
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        4 => (0usize..256).prop_map(Place::Anywhere),
        3 => (0usize..8).prop_map(Place::Beside),
        2 => (1usize..6).prop_map(Place::Ahead),
        1 => Just(Place::Goal),
        1 => Just(Place::Robot),
    ]
}

fn event(weighted: bool, interrupted: bool) -> impl Strategy<Value = Event> {
    let limit = if interrupted {
        prop_oneof![1 => Just(Some(0)), 8 => (1u32..8).prop_map(Some), 1 => Just(None)].boxed()
    } else {
        Just(None).boxed()
    };
    let tick = (limit, prop::bool::weighted(0.8));
    let mut events = vec![
        (
            16,
            tick.prop_map(|(limit, follow)| Event::Tick { limit, follow })
                .boxed(),
        ),
        (
            7,
            (place(), fact())
                .prop_map(|(place, fact)| Event::See(place, fact))
                .boxed(),
        ),
        (
            3,
            (1usize..6)
                .prop_map(|n| Event::See(Place::Ahead(n), Occupancy::Blocked))
                .boxed(),
        ),
        (
            3,
            (0usize..256)
                .prop_map(|n| Event::See(Place::Anywhere(n), Occupancy::Free))
                .boxed(),
        ),
        (1, Just(Event::See(Place::Goal, Occupancy::Free)).boxed()),
        (3, (0usize..8).prop_map(Event::Wander).boxed()),
        (1, (0usize..64).prop_map(Event::Carry).boxed()),
        (
            1,
            ([0usize..64, 0..64, 0..64], 1usize..=3)
                .prop_map(|(n, k)| Event::SetGoals(n, k))
                .boxed(),
        ),
    ];
    if weighted {
        let weigh = (place(), 1u8..=u8::MAX).prop_map(|(place, w)| Event::Weigh(place, w));
        events.push((6, weigh.boxed()));
    }
    prop::strategy::Union::new_weighted(events)
}

fn size() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![
        6 => (1u16..=8, 1u16..=8),
        4 => (3u16..=6, 3u16..=6),
        1 => (Just(1u16), 1u16..=64),
        1 => (1u16..=64, Just(1u16)),
    ]
}

/// Scripts of up to `length` events; in `interrupted` ones the ticks have small budgets.
pub fn scripts<K: Kind>(length: usize, interrupted: bool) -> impl Strategy<Value = Script> {
    let quarter = || (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b);
    let unknown = prop_oneof![3 => Just(Unknown::AsFree), 1 => Just(Unknown::AsBlocked)];
    let world = (size(), quarter(), quarter(), quarter());
    let events = prop::collection::vec(event(K::WEIGHTED, interrupted), 1..length);
    let heaviest = prop::sample::select(vec![2u8, 9, 40, 255]);
    (
        (world, unknown, heaviest, any::<bool>()),
        (0usize..64, 0usize..64, 0usize..64),
        events,
    )
        .prop_map(|((world, unknown, heaviest, informed), cells, events)| {
            let ((width, height), rocks, east, south) = world;
            // In a corridor a rock bars the way for good: let them be rare.
            let sparse = if width == 1 || height == 1 {
                0x1111
            } else {
                !0
            };
            Script {
                width,
                height,
                unknown,
                heaviest,
                rocks: rocks & sparse,
                walls: [east & sparse, south & sparse],
                informed,
                start: cells.0,
                goal: cells.1,
                leader: cells.2,
                events,
            }
        })
}

impl Script {
    /// The rocks and walls it begins with.
    fn first_sights(&self, world: &World) -> Vec<Observation> {
        let bit = |bits: u64, n: usize| match bits >> n & 1 {
            0 => Occupancy::Free,
            _ => Occupancy::Blocked,
        };
        let mut sights = Vec::new();
        for (n, cell) in world.cells().enumerate() {
            if world.ground == Ground::Walled {
                let [east, south] = self.walls.map(|bits| bit(bits, n));
                sights.push(Observation::Wall(cell, Side::East, east));
                sights.push(Observation::Wall(cell, Side::South, south));
            } else {
                sights.push(Observation::Cell(cell, bit(self.rocks, n)));
            }
        }
        // Where unknown is free, leave what is free unknown.
        sights.retain(|seen| match seen {
            Observation::Cell(_, fact) | Observation::Wall(_, _, fact) => {
                *fact == Occupancy::Blocked || self.unknown == Unknown::AsBlocked
            }
            Observation::Weight(..) => true,
        });
        sights
    }

    /// Plays the script with all planners of a fleet.
    pub fn play<F: Fleet, K: Kind>(&self) -> Result<(), String> {
        let mut known = World::new(self.width, self.height, K::GROUND, self.unknown);
        let sights = self.first_sights(&known);
        if self.informed {
            for &seen in &sights {
                known.see(seen);
            }
        }
        let (start, goal) = (known.nth(self.start), known.nth(self.goal));
        let setup = Setup {
            known: &known,
            unknown: self.unknown,
            heaviest: self.heaviest,
            start,
            goal,
        };
        let mut outcome = Ok(());
        F::with::<K>(&setup, &mut |planners| {
            let robot = Robot::new(known.clone(), start, goal, planners, self.leader);
            let sights = if self.informed { &[] } else { &*sights };
            outcome = self.play_with(robot, sights);
        });
        outcome
    }

    fn play_with(&self, mut robot: Robot, sights: &[Observation]) -> Result<(), String> {
        robot.audit()?;
        for &seen in sights {
            robot.see(seen)?;
            robot.audit()?;
        }
        for (n, &event) in self.events.iter().enumerate() {
            let after = |error| format!("event {n}, {event:?}: {error}");
            self.happen(&mut robot, event).map_err(after)?;
            robot.audit().map_err(after)?;
        }
        robot.tick_to_the_end(Budget::limit(3))?;
        robot.audit()
    }

    fn happen(&self, robot: &mut Robot, event: Event) -> Result<(), String> {
        match event {
            Event::Tick { limit, follow } => {
                robot.tick(limit.map_or(ENOUGH, Budget::limit))?;
                if let (true, Some(next)) = (follow, robot.advice) {
                    robot.go(next);
                }
            }
            Event::See(place, fact) => {
                let (cell, side) = self.find(robot, place);
                robot.see(match robot.known.ground {
                    Ground::Walled => Observation::Wall(cell, side, fact),
                    Ground::Four | Ground::Eight { .. } => Observation::Cell(cell, fact),
                })?;
            }
            Event::Weigh(place, weight) => {
                let (cell, _) = self.find(robot, place);
                let weight = (weight - 1) % self.heaviest + 1;
                robot.see(Observation::Weight(cell, weight))?;
            }
            Event::Wander(n) => {
                let steps = robot.known.steps(robot.at);
                if !steps.is_empty() {
                    robot.go(steps[n % steps.len()]);
                }
            }
            Event::Carry(n) => {
                let open: Vec<Cell> = robot.known.cells().collect();
                let open: Vec<Cell> = open
                    .into_iter()
                    .filter(|&cell| robot.known.is_open(cell))
                    .collect();
                if !open.is_empty() {
                    robot.go(open[n % open.len()]);
                }
            }
            Event::SetGoals(n, count) => {
                robot.set_goals(&n.map(|n| robot.known.nth(n))[..count])?;
            }
        }
        Ok(())
    }

    /// The cell at a place, and a side of it.
    fn find(&self, robot: &mut Robot, place: Place) -> (Cell, Side) {
        const SIDES: [Side; 4] = [Side::South, Side::West, Side::North, Side::East];
        match place {
            Place::Anywhere(n) => {
                let turn = n / robot.known.count() + n;
                (robot.known.nth(n), SIDES[turn % 4])
            }
            Place::Robot => (robot.at, Side::North),
            Place::Goal => (robot.goals[0], Side::South),
            Place::Beside(n) if robot.known.ground == Ground::Walled => (robot.at, SIDES[n % 4]),
            Place::Beside(n) => {
                let around: Vec<Cell> = robot.known.around(robot.at).collect();
                let beside = around.get(n % around.len().max(1)).copied();
                (beside.unwrap_or(robot.at), Side::South)
            }
            Place::Ahead(steps) => {
                let (before, at) = robot.ahead(steps);
                // The side through which the path leads there, seen from there.
                (at, side(at, before).unwrap_or(Side::South))
            }
        }
    }
}
