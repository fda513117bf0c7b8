//! Scripts for a robot in a small world: generated, shrunk and printed by proptest.

use planner_core::{Budget, Cell, Observation, Side, map::Occupancy};
use proptest::{prelude::*, test_runner::TestCaseError};

use crate::{
    build::{BuildPlanners, Setup},
    robot::{AMPLE, Guarantee, Robot},
    runner,
    world::{Connectivity, Terrain, Unknown, World},
};

/// A small world and what happens in it.
#[derive(Clone, Debug)]
struct Script {
    size: (u16, u16),
    unknown: Unknown,
    /// Blocked cells, one bit each; or cells with a wall on their east side, and on their south side.
    obstacles: [u64; 2],
    /// True if obstacles are known before the planners are built, or observed afterwards.
    informed: bool,
    start: usize,
    goal: usize,
    /// The planner that the robot follows.
    leader: usize,
    events: Vec<Event>,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// The planners are ticked, with at most so many expansions. The robot may follow.
    Tick { limit: Option<u32>, follow: bool },
    /// A cell, or a wall of it, is observed.
    Observe(Target, Occupancy),
    /// The weight of a cell is observed.
    Weigh(Target, u8),
    /// The robot takes one of the steps it can take.
    Wander(usize),
    /// The robot is carried somewhere.
    Carry(usize),
    /// The robot is sent to the nearest of so many cells.
    SetGoals([usize; 3], usize),
}

/// A cell or wall, named such that it makes sense wherever the robot is by then.
#[derive(Clone, Copy, Debug)]
enum Target {
    Anywhere(usize),
    Robot,
    Goal,
    NextToRobot(usize),
    /// So many steps ahead on a shortest path.
    Ahead(usize),
}

fn occupancy() -> impl Strategy<Value = Occupancy> {
    prop_oneof![
        5 => Just(Occupancy::Free),
        5 => Just(Occupancy::Blocked),
        1 => Just(Occupancy::Unknown),
    ]
}

fn target() -> impl Strategy<Value = Target> {
    prop_oneof![
        4 => (0usize..256).prop_map(Target::Anywhere),
        3 => (0usize..8).prop_map(Target::NextToRobot),
        2 => (1usize..6).prop_map(Target::Ahead),
        1 => Just(Target::Goal),
        1 => Just(Target::Robot),
    ]
}

fn event(weighted: bool, interrupted: bool) -> impl Strategy<Value = Event> {
    let limit = if interrupted {
        prop_oneof![1 => Just(Some(0)), 8 => (1u32..8).prop_map(Some), 1 => Just(None)].boxed()
    } else {
        Just(None).boxed()
    };
    let tick = (limit, prop::bool::weighted(0.8));
    prop_oneof![
        16 => tick.prop_map(|(limit, follow)| Event::Tick { limit, follow }),
        7 => (target(), occupancy()).prop_map(|(target, seen)| Event::Observe(target, seen)),
        3 => (1usize..6).prop_map(|n| Event::Observe(Target::Ahead(n), Occupancy::Blocked)),
        3 => (0usize..256).prop_map(|n| Event::Observe(Target::Anywhere(n), Occupancy::Free)),
        1 => Just(Event::Observe(Target::Goal, Occupancy::Free)),
        3 => (0usize..8).prop_map(Event::Wander),
        1 => (0usize..64).prop_map(Event::Carry),
        1 => ([0usize..64, 0..64, 0..64], 1usize..=3).prop_map(|(n, k)| Event::SetGoals(n, k)),
        6 => (target(), 1..=u8::MAX).prop_map(move |(target, weight)| match weighted {
            true => Event::Weigh(target, weight),
            false => Event::Tick {
                limit: interrupted.then_some(u32::from(weight) % 8),
                follow: true,
            },
        }),
    ]
}

fn size() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![
        6 => (1u16..=8, 1u16..=8),
        4 => (3u16..=6, 3u16..=6),
        1 => (Just(1u16), 1u16..=64),
        1 => (1u16..=64, Just(1u16)),
    ]
}

/// Scripts of up to 60 events; in `interrupted` ones the ticks have small budgets.
fn scripts(weighted: bool, interrupted: bool) -> impl Strategy<Value = Script> {
    let quarter = || (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b);
    let unknown = prop_oneof![3 => Just(Unknown::AsFree), 1 => Just(Unknown::AsBlocked)];
    let world = (size(), [quarter(), quarter()]);
    let events = prop::collection::vec(event(weighted, interrupted), 1..60);
    let cells = (0usize..64, 0usize..64, 0usize..64);
    (world, unknown, any::<bool>(), cells, events).prop_map(
        |(world, unknown, informed, cells, events)| {
            let (size, obstacles) = world;
            // In a corridor an obstacle cuts off the goal: let them be rare.
            let is_corridor = size.0 == 1 || size.1 == 1;
            let sparse = if is_corridor { 0x1111 } else { !0 };
            Script {
                size,
                unknown,
                obstacles: obstacles.map(|bits| bits & sparse),
                informed,
                start: cells.0,
                goal: cells.1,
                leader: cells.2,
                events,
            }
        },
    )
}

/// Runs `cases` random scripts with all planners.
pub fn run_scripts(terrain: Terrain, build: BuildPlanners, cases: u32, interrupted: bool) {
    let scripts = scripts(terrain.weighted, interrupted);
    let outcome = runner(cases).run(&scripts, |script| {
        let result = script.run(terrain, build);
        result.map_err(TestCaseError::fail)
    });
    outcome.unwrap_or_else(|failure| panic!("{}: {failure}", terrain.name));
}

impl Script {
    /// The obstacles it begins with.
    fn first_observations(&self, world: &World) -> Vec<Observation> {
        let bit = |bits: u64, n: usize| match bits >> n & 1 {
            0 => Occupancy::Free,
            _ => Occupancy::Blocked,
        };
        let mut seen = Vec::new();
        for (n, cell) in world.cells().enumerate() {
            let [one, other] = self.obstacles.map(|bits| bit(bits, n));
            if world.connectivity == Connectivity::Walled {
                seen.push(Observation::Wall(cell, Side::East, one));
                seen.push(Observation::Wall(cell, Side::South, other));
            } else {
                seen.push(Observation::Cell(cell, one));
            }
        }
        // Where the unknown is free, leave what is free unknown.
        seen.retain(|seen| match seen {
            Observation::Cell(_, state) | Observation::Wall(_, _, state) => {
                *state == Occupancy::Blocked || self.unknown == Unknown::AsBlocked
            }
            Observation::Weight(..) => true,
        });
        seen
    }

    fn run(&self, terrain: Terrain, build: BuildPlanners) -> Result<(), String> {
        let mut known = World::new(self.size.0, self.size.1, terrain.connectivity, self.unknown);
        let mut seen = self.first_observations(&known);
        if self.informed {
            for seen in seen.drain(..) {
                known.observe(seen);
            }
        }
        let (start, goal) = (known.nth(self.start), known.nth(self.goal));
        let planners = build(&Setup::new(&known, start, goal));
        if planners.is_empty() {
            return Ok(()); // the map is too costly for their width
        }
        let ends = (start, goal);
        let mut robot = Robot::new(planners, self.leader, Guarantee::Shortest, &known, ends);
        robot.audit()?;
        for seen in seen {
            robot.observe(seen)?;
            robot.audit()?;
        }
        for (n, &event) in self.events.iter().enumerate() {
            let after = |error| format!("event {n}, {event:?}: {error}");
            self.happen(&mut robot, event, terrain.heaviest)
                .map_err(after)?;
            robot.audit().map_err(after)?;
        }
        robot.tick_to_the_end(Budget::limit(3))?;
        robot.audit()
    }

    fn happen(&self, robot: &mut Robot, event: Event, heaviest: u8) -> Result<(), String> {
        match event {
            Event::Tick { limit, follow } => {
                robot.tick(limit.map_or(AMPLE, Budget::limit))?;
                if follow {
                    robot.follow();
                }
            }
            Event::Observe(target, state) => {
                let (cell, side) = self.find(robot, target);
                robot.observe(match robot.known.connectivity {
                    Connectivity::Walled => Observation::Wall(cell, side, state),
                    Connectivity::Four | Connectivity::Eight { .. } => {
                        Observation::Cell(cell, state)
                    }
                })?;
            }
            Event::Weigh(target, weight) => {
                let (cell, _) = self.find(robot, target);
                let weight = (weight - 1) % heaviest + 1;
                robot.observe(Observation::Weight(cell, weight))?;
            }
            Event::Wander(n) => {
                let steps = robot.known.steps(robot.at);
                if !steps.is_empty() {
                    robot.go(steps[n % steps.len()]);
                }
            }
            Event::Carry(n) => {
                let cells = robot.known.cells();
                let passable: Vec<Cell> = cells
                    .filter(|&cell| robot.known.is_passable(cell))
                    .collect();
                if !passable.is_empty() {
                    robot.go(passable[n % passable.len()]);
                }
            }
            Event::SetGoals(n, count) => {
                robot.set_goals(&n.map(|n| robot.known.nth(n))[..count])?;
            }
        }
        Ok(())
    }

    /// The cell of a target, and a side of it.
    fn find(&self, robot: &mut Robot, target: Target) -> (Cell, Side) {
        match target {
            Target::Anywhere(n) => {
                let turn = n / robot.known.count() + n;
                (robot.known.nth(n), Side::ALL[turn % 4])
            }
            Target::Robot => (robot.at, Side::North),
            Target::Goal => (robot.goals[0], Side::South),
            Target::NextToRobot(n) if robot.known.connectivity == Connectivity::Walled => {
                (robot.at, Side::ALL[n % 4])
            }
            Target::NextToRobot(n) => {
                let around: Vec<Cell> = robot.known.around(robot.at).collect();
                let next = around.get(n % around.len().max(1)).copied();
                (next.unwrap_or(robot.at), Side::South)
            }
            Target::Ahead(steps) => {
                let (before, at) = robot.ahead(steps);
                // The side through which the path leads there, seen from there.
                (at, Side::between(at, before).unwrap_or(Side::South))
            }
        }
    }
}
