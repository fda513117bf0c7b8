//! A planner in a world, tick by tick: the one loop that runs, experiments and benchmarks share.

use std::{borrow::Cow, mem, time::Instant};

use planner_core::{Budget, Cell, Decision, Observation, Side, map::Occupancy};
use serde::Serialize;

use crate::{
    catalog::{Mind, Moves},
    world::{Grid, Maze, doors::Doors, maze::SIDES},
};

/// What the robot sees: the cells at most `radius` away, as it moves (rows plus columns with four
/// moves, the larger of the two with eight).
#[derive(Clone, Debug)]
pub struct Sensor {
    offsets: Vec<(i32, i32)>,
}

impl Sensor {
    /// A sensor with this radius.
    #[must_use]
    pub fn new(radius: u16, moves: Moves) -> Self {
        let radius = i32::from(radius);
        let distance = |dx: i32, dy: i32| match moves {
            Moves::Four => dx.abs() + dy.abs(),
            Moves::Eight => dx.abs().max(dy.abs()),
        };
        let side = || -radius..=radius;
        Self {
            offsets: side()
                .flat_map(|dy| side().map(move |dx| (dx, dy)))
                .filter(|&(dx, dy)| (1..=radius).contains(&distance(dx, dy)))
                .collect(),
        }
    }

    /// What it shows from a cell of a world.
    pub fn see<'a>(&'a self, world: &'a Grid, at: Cell) -> impl Iterator<Item = Observation> + 'a {
        self.offsets.iter().filter_map(move |&(dx, dy)| {
            let x = u16::try_from(i32::from(at.x) + dx).ok()?;
            let y = u16::try_from(i32::from(at.y) + dy).ok()?;
            let cell = Cell::new(x, y);
            world.contains(cell).then(|| look(world, cell))
        })
    }
}

/// What is to be seen of a cell of a world.
#[must_use]
pub fn look(world: &Grid, cell: Cell) -> Observation {
    let fact = if world.is_free(cell) {
        Occupancy::Free
    } else {
        Occupancy::Blocked
    };
    Observation::Cell(cell, fact)
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Arrived,
    Unreachable,
    /// The limit of ticks was reached.
    GaveUp,
}

/// What a walk was like.
#[derive(Clone, Debug)]
pub struct Walk {
    pub outcome: Outcome,
    /// The cells walked, from the start.
    pub trail: Vec<Cell>,
    /// Ticks in which the robot stayed where it was.
    pub waits: u64,
    /// Time that each tick took, with the observations before it.
    pub tick_ns: Vec<u64>,
}

impl Walk {
    /// Cells entered.
    #[must_use]
    pub fn moves(&self) -> u64 {
        self.trail.len() as u64 - 1
    }

    /// Length of the way in cell lengths.
    #[must_use]
    pub fn cost(&self) -> f64 {
        length(&self.trail)
    }

    /// Time for planning in all.
    #[must_use]
    pub fn planning_ns(&self) -> u64 {
        self.tick_ns.iter().sum()
    }
}

/// Length of a way in cell lengths; a diagonal step counts the square root of two.
#[must_use]
pub fn length(trail: &[Cell]) -> f64 {
    let diagonal = |pair: &&[Cell]| pair[0].x != pair[1].x && pair[0].y != pair[1].y;
    let steps = trail.len().saturating_sub(1);
    let diagonals = trail.windows(2).filter(diagonal).count();
    (steps - diagonals) as f64 + diagonals as f64 * std::f64::consts::SQRT_2
}

/// How to walk.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'s> {
    /// `None` when the map is known; the robot is then told of every change.
    pub sensor: Option<&'s Sensor>,
    /// What changes while the robot walks. There may be a way again where there was none, so a robot
    /// that knows of none waits.
    pub doors: Option<&'s Doors>,
    pub budget: Budget,
    pub max_ticks: u64,
}

/// What a robot lives in.
pub trait Surroundings {
    /// Lets a tick go by, and adds what a robot sees at a cell.
    fn look(&mut self, at: Cell, seen: &mut Vec<Observation>);

    /// Whether a way may open where there is none.
    fn may_open(&self) -> bool;
}

/// Cells that the robot sees or is told of.
struct Ground<'w> {
    world: Cow<'w, Grid>,
    sensor: Option<&'w Sensor>,
    doors: Option<Doors>,
    /// What has changed and was not told yet.
    untold: Vec<Cell>,
}

impl Surroundings for Ground<'_> {
    fn look(&mut self, at: Cell, seen: &mut Vec<Observation>) {
        if let Some(doors) = &mut self.doors {
            self.untold.extend(doors.tick(self.world.to_mut()));
        }
        match self.sensor {
            Some(sensor) => seen.extend(sensor.see(&self.world, at)),
            None => {
                let untold = mem::take(&mut self.untold).into_iter();
                let (here, news) = untold.partition(|&cell| cell == at);
                self.untold = here;
                seen.extend(news.iter().map(|&cell| look(&self.world, cell)));
            }
        }
    }

    fn may_open(&self) -> bool {
        self.doors.is_some()
    }
}

/// A maze, of which the robot sees the walls around its cell.
impl Surroundings for &Maze {
    fn look(&mut self, at: Cell, seen: &mut Vec<Observation>) {
        seen.extend(SIDES.map(|side| look_at_wall(self, at, side)));
    }

    fn may_open(&self) -> bool {
        false
    }
}

/// What is to be seen of a wall.
#[must_use]
pub fn look_at_wall(maze: &Maze, cell: Cell, side: Side) -> Observation {
    let fact = if maze.has_wall(cell, side) {
        Occupancy::Blocked
    } else {
        Occupancy::Free
    };
    Observation::Wall(cell, side, fact)
}

/// Walks a robot from `start` until it arrives, cannot, or gives up; `watch` sees every tick.
///
/// A door may close where the robot stands. It can leave, and learns of it when it has.
pub fn walk(
    planner: &mut dyn Mind,
    world: &Grid,
    start: Cell,
    rules: Rules<'_>,
    watch: impl FnMut(&dyn Mind, Cell),
) -> Walk {
    let mut ground = Ground {
        world: Cow::Borrowed(world),
        sensor: rules.sensor,
        doors: rules.doors.cloned(),
        untold: Vec::new(),
    };
    walk_in(
        planner,
        &mut ground,
        start,
        (rules.budget, rules.max_ticks),
        watch,
    )
}

/// The same in any surroundings, with so much of a budget and so many ticks at most.
pub fn walk_in(
    planner: &mut dyn Mind,
    surroundings: &mut dyn Surroundings,
    start: Cell,
    (budget, max_ticks): (Budget, u64),
    mut watch: impl FnMut(&dyn Mind, Cell),
) -> Walk {
    let mut walk = Walk {
        outcome: Outcome::GaveUp,
        trail: vec![start],
        waits: 0,
        tick_ns: Vec::new(),
    };
    let mut at = start;
    let mut seen = Vec::new();
    for _ in 0..max_ticks {
        seen.clear();
        surroundings.look(at, &mut seen);
        let begin = Instant::now();
        for &observation in &seen {
            planner
                .observe(observation)
                .expect("the sensor sees only what is in the world");
        }
        let decision = planner
            .tick(at, budget)
            .expect("the robot stands on a cell of the world");
        walk.tick_ns.push(begin.elapsed().as_nanos() as u64);
        match decision {
            Decision::Step(next) => {
                at = next;
                walk.trail.push(at);
            }
            Decision::Wait => walk.waits += 1,
            Decision::Arrived => walk.outcome = Outcome::Arrived,
            Decision::Unreachable if surroundings.may_open() => walk.waits += 1,
            Decision::Unreachable => walk.outcome = Outcome::Unreachable,
        }
        watch(planner, at);
        if walk.outcome != Outcome::GaveUp {
            break;
        }
    }
    walk
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::{Name, Task, with_planner},
        world::{rng, rooms::rooms},
    };

    #[test]
    fn a_robot_hears_of_a_door_that_closed_on_it_when_it_has_left() {
        let mut world = rooms(30, 30, &mut rng::seeded(1)).unwrap();
        let doors: Vec<Cell> = world.doors.iter().map(|door| door.cell).collect();
        let changes = Doors::new(&mut world, 6.0, rng::seeded(2));
        let mut told = world.grid.clone();
        let mut ground = Ground {
            world: Cow::Borrowed(&world.grid),
            sensor: None,
            doors: Some(changes),
            untold: Vec::new(),
        };
        let mut closed_on_it = 0;
        for tick in 0..400 {
            // The robot stays in a doorway for some time, then it is in another.
            let at = doors[tick / 20 % doors.len()];
            let mut seen = Vec::new();
            ground.look(at, &mut seen);
            for observation in seen {
                let Observation::Cell(cell, fact) = observation else {
                    panic!("{observation:?}");
                };
                assert_ne!(cell, at, "it would stand in a wall");
                told.set_blocked(cell, fact == Occupancy::Blocked);
            }
            closed_on_it += u32::from(!ground.world.is_free(at));
            let differs = |&cell: &Cell| told.is_free(cell) != ground.world.is_free(cell);
            assert!(told.cells().filter(differs).all(|cell| cell == at));
        }
        assert!(closed_on_it > 10);
    }

    /// A corridor of three cells with a door in the middle.
    struct Corridor {
        /// Ticks until the door opens.
        closed_for: u64,
        may_open: bool,
    }

    impl Surroundings for Corridor {
        fn look(&mut self, _at: Cell, seen: &mut Vec<Observation>) {
            let fact = match self.closed_for {
                0 => Occupancy::Free,
                _ => Occupancy::Blocked,
            };
            self.closed_for = self.closed_for.saturating_sub(1);
            seen.push(Observation::Cell(Cell::new(1, 0), fact));
        }

        fn may_open(&self) -> bool {
            self.may_open
        }
    }

    #[test]
    fn a_robot_without_a_way_waits_only_where_one_may_open() {
        let (start, goal) = (Cell::new(0, 0), Cell::new(2, 0));
        let walk = |may_open| {
            let mut corridor = Corridor {
                closed_for: 5,
                may_open,
            };
            let limits = (Budget::UNLIMITED, 100);
            with_planner(
                Name::DstarLite,
                Task::new((3, 1), start, goal),
                |planner: &mut dyn Mind| walk_in(planner, &mut corridor, start, limits, |_, _| ()),
            )
            .unwrap()
        };
        let patient = walk(true);
        assert_eq!((patient.outcome, patient.waits), (Outcome::Arrived, 5));
        assert_eq!(patient.moves(), 2);
        let gone = walk(false);
        assert_eq!((gone.outcome, gone.moves()), (Outcome::Unreachable, 0));
    }
}
