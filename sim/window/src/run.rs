//! A robot in a world, one tick after the other.
//!
//! Memory of a run and time of a tick do not grow with the number of ticks before.

use std::collections::{HashSet, VecDeque};

use planner_core::{
    Budget, BuildError, Cell, Decision, Observation, Side, Work, explore::Phase, map::Occupancy,
};
use serde::{Deserialize, Serialize};
use sim::{
    catalog::{Explorer, LOOK_AHEAD, Moves, Name, Task, build_explorer, build_planner_in},
    environment::{Sensor, SimulatedWorld},
    options::view::ViewOptions,
    view,
    walk::{Outcome, Walker},
    world::{Scenario, World, scenario::occupancy},
};

use crate::{
    expansions::ExpansionTracker,
    mission::{Driver, Mission},
    observed::ObservedMap,
    settings,
    snapshot::{CellSnapshot, Snapshot},
};

/// The last cells of a trail that are kept.
const TRAIL: usize = 4096;
/// The last ticks whose work is kept.
pub const HISTORY: usize = 400;

/// The planner and its conditions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    #[serde(with = "settings::name")]
    pub planner: Name,
    pub moves: Moves,
    /// True if the robot knows the whole map, and is told of every change.
    pub is_known: bool,
    /// Sensor range in cells, if it does not know the map.
    pub sense: u16,
    /// The most expansions in a tick.
    pub limit: Option<u32>,
    /// The share of a tick for the search around the robot, in per cent, if not the planner's own.
    pub local_percent: Option<u8>,
    /// True if the robot is told of walls that somebody draws, wherever it is.
    pub is_told: bool,
    /// True if a robot in an unknown maze searches, explores, returns and runs; else it goes to the goal once.
    pub is_mission: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            planner: Name::DstarLite,
            moves: Moves::Four,
            is_known: false,
            sense: 1,
            limit: None,
            local_percent: None,
            is_told: true,
            is_mission: true,
        }
    }
}

impl From<&ViewOptions> for Options {
    fn from(args: &ViewOptions) -> Self {
        Self {
            planner: args.planner.planner(),
            moves: args.planner.moves,
            is_known: args.is_known(),
            sense: args.planner.sense.unwrap_or(1),
            limit: args.planner.limit,
            local_percent: args.planner.local_ratio,
            ..Self::default()
        }
    }
}

impl Options {
    /// The budget of one tick.
    pub fn budget(&self) -> Budget {
        self.limit.map_or(Budget::UNLIMITED, Budget::limit)
    }

    /// Returns whether the whole map is known, because it was asked for or the planner needs it.
    pub fn knows_map(&self) -> bool {
        self.is_known || self.planner.is_known_map_only()
    }

    /// The robot's sensor, unless it knows the map.
    fn sensor(&self) -> Option<Sensor> {
        (!self.knows_map()).then(|| Sensor::new(self.sense, self.moves))
    }

    /// Returns whether a planner for these options can go on under others.
    fn suits(&self, others: &Self) -> bool {
        let built = |options: &Self| {
            let look_ahead = options.limit.unwrap_or(LOOK_AHEAD);
            let local = options.planner.is_real_time().then_some(look_ahead);
            let Self {
                planner,
                moves,
                local_percent,
                is_mission,
                ..
            } = *options;
            let map = (options.knows_map(), is_mission);
            (planner, moves, map, local_percent, local)
        };
        built(self) == built(others)
    }
}

/// A change by the user during a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Blocks a cell or frees it.
    Block(Cell, bool),
    /// Adds or removes a wall on a side of a cell of a maze.
    Wall(Cell, Side, bool),
    /// Sets another goal.
    Goal(Cell),
    /// Changes planner or conditions. The robot keeps its map.
    Options(Options),
}

/// The work of one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub tick: u64,
    pub work: Work,
}

/// A running robot.
pub struct Run {
    pub options: Options,
    environment: SimulatedWorld,
    walker: Walker,
    observed: ObservedMap,
    driver: Driver,
    /// The phases so far, in a mission.
    pub mission: Mission,
    expansions: ExpansionTracker,
    start: Cell,
    pub goals: Vec<Cell>,
    /// Ticks so far.
    pub tick: u64,
    /// Cells entered.
    pub moves: u64,
    /// Ticks in which the robot stayed where it was.
    pub waits: u64,
    /// The outcome, after the end.
    pub outcome: Option<Outcome>,
    /// Time for planning so far, in nanoseconds.
    pub planning_ns: u64,
    /// The end of the trail, in a mission that of the phase; at most [`TRAIL`].
    trail: VecDeque<Cell>,
    /// For each cell, whether the robot has been there.
    walked: Vec<bool>,
    /// The work of the last ticks, the oldest first; at most [`HISTORY`].
    pub history: VecDeque<Sample>,
    /// All work so far.
    pub total: Work<u64>,
    /// Changes with each tick and each change.
    pub revision: u64,
}

impl Run {
    /// A robot at the start of a scenario.
    ///
    /// # Errors
    /// The planner cannot be built for this world.
    pub fn new(scenario: &Scenario, options: Options) -> Result<Self, BuildError> {
        let (world, start, goals) = (&scenario.world, scenario.start, scenario.goals().to_vec());
        let size = world.size();
        let observed = ObservedMap::new(world)?;
        let driver = build(world, &observed, (start, &goals), &options)?;
        let environment =
            SimulatedWorld::new(world.clone(), options.sensor(), scenario.doors.clone());
        let mut run = Self {
            options,
            environment,
            walker: Walker::new(start),
            observed,
            driver,
            mission: Mission::default(),
            expansions: ExpansionTracker::default(),
            start,
            goals,
            tick: 0,
            moves: 0,
            waits: 0,
            outcome: None,
            planning_ns: 0,
            trail: VecDeque::from([start]),
            walked: vec![false; usize::from(size.0) * usize::from(size.1)],
            history: VecDeque::new(),
            total: Work::default(),
            revision: 0,
        };
        run.mark_walked();
        run.observe_known_map();
        Ok(run)
    }

    /// The world as it is.
    pub fn world(&self) -> &World {
        self.environment.world()
    }

    /// The robot's cell.
    pub fn robot(&self) -> Cell {
        self.walker.at()
    }

    /// Makes one tick; with `track`, finds the cells that it expands. Does nothing after the end.
    pub fn advance(&mut self, track: bool) {
        if self.outcome.is_some() {
            return;
        }
        let (budget, size) = (self.options.budget(), self.world().size());
        let planner = self.driver.planner_mut();
        let tick = if track {
            let planner = &mut self.expansions.track(planner, size);
            self.walker.tick(planner, &mut self.environment, budget)
        } else {
            self.expansions.reset();
            self.walker.tick(planner, &mut self.environment, budget)
        };
        for &observation in self.walker.seen() {
            self.observed.record(observation);
        }
        self.tick += 1;
        self.revision += 1;
        self.record_work();
        if let Some(explorer) = self.driver.explorer() {
            let decision = tick.as_ref().map(|tick| tick.decision);
            let is_moved = matches!(decision, Ok(Decision::Step(_)));
            if self.mission.record(explorer, self.tick, is_moved) {
                self.trail.drain(..self.trail.len() - 1);
            }
        }
        match tick {
            Ok(tick) => {
                let tracking = self.expansions.tracking_ns();
                self.planning_ns += tick.planning_ns.saturating_sub(tracking);
                self.waits += u64::from(tick.is_wait());
                self.outcome = tick.outcome;
                if let Decision::Step(next) = tick.decision {
                    self.moves += 1;
                    if self.trail.len() == TRAIL {
                        self.trail.pop_front();
                    }
                    self.trail.push_back(next);
                    self.mark_walked();
                }
            }
            // A simulated world shows only cells of the map.
            Err(_) => self.waits += 1,
        }
    }

    fn record_work(&mut self) {
        let (tick, work) = (self.tick, self.driver.planner().stats().last_tick);
        self.total.expansions += u64::from(work.expansions);
        self.total.requeues += u64::from(work.requeues);
        self.total.queue_ops += u64::from(work.queue_ops);
        if self.history.len() == HISTORY {
            self.history.pop_front();
        }
        self.history.push_back(Sample { tick, work });
    }

    fn mark_walked(&mut self) {
        let (at, (width, _)) = (self.robot(), self.world().size());
        let index = usize::from(at.y) * usize::from(width) + usize::from(at.x);
        if let Some(walked) = self.walked.get_mut(index) {
            *walked = true;
        }
    }

    /// Changes the run.
    ///
    /// # Errors
    /// The planner cannot be built for this world; the run stays as it is.
    pub fn change(&mut self, change: &Change) -> Result<(), BuildError> {
        let is_told = self.options.is_told || self.options.knows_map();
        match *change {
            Change::Block(cell, _) if cell == self.robot() => {}
            Change::Block(cell, blocked) => {
                let edit = Observation::Cell(cell, occupancy(blocked));
                self.environment.edit(edit, is_told);
            }
            Change::Wall(cell, side, stands) => {
                let edit = Observation::Wall(cell, side, occupancy(stands));
                self.environment.edit(edit, is_told);
            }
            Change::Goal(goal) => {
                if self.world().is_free(goal) && self.driver.planner_mut().set_goal(goal).is_ok() {
                    self.goals = vec![goal];
                    self.mission = Mission::default();
                }
            }
            Change::Options(options) => self.set_options(options)?,
        }
        self.revision += 1;
        if !self.goals.contains(&self.robot()) {
            self.outcome = None;
        }
        Ok(())
    }

    fn set_options(&mut self, options: Options) -> Result<(), BuildError> {
        if !options.suits(&self.options) {
            let ends = (self.robot(), &self.goals[..]);
            self.driver = build(self.world(), &self.observed, ends, &options)?;
            self.mission = Mission::default();
            self.expansions.reset();
        }
        self.environment.sensor = options.sensor();
        self.options = options;
        self.observe_known_map();
        Ok(())
    }

    /// Records the whole map, if the robot knows it.
    fn observe_known_map(&mut self) {
        if self.options.knows_map() {
            for observation in self.environment.world().observations() {
                self.observed.record(observation);
            }
        }
    }

    /// The phase of a mission; `None` where the robot goes to the goal once.
    pub fn phase(&self) -> Option<Phase> {
        self.driver.explorer().map(Explorer::phase)
    }

    /// The cells of the drawing of this run in a film: in a maze, walls and posts are cells too.
    pub fn film_frame(&self) -> view::Snapshot {
        let (start, robot) = (self.start, self.robot());
        let goal = self.goals.first().copied().unwrap_or(start);
        let planner = self.driver.planner();
        let visited = self.world().cells().zip(&self.walked);
        let visited = visited.filter(|(_, is_walked)| **is_walked);
        let visited: Vec<Cell> = visited.map(|(cell, _)| cell).collect();
        let trail: Vec<Cell> = self.trail.iter().copied().collect();
        let ends = [start, goal, robot];
        view::Snapshot::of_run(self.world(), planner, ends, &visited, &trail)
    }

    /// Draws this moment. Takes time in proportion to the map, however long the run.
    pub fn draw(&self, snapshot: &mut Snapshot) {
        let (robot, size) = (self.robot(), self.world().size());
        snapshot.size = size;
        snapshot.walls.clear();
        let is_maze = matches!(self.world(), World::Walls(_));
        (snapshot.robot, snapshot.start) = (robot, self.start);
        snapshot.goals.clone_from(&self.goals);
        snapshot.trail.clear();
        snapshot.trail.extend(&self.trail);
        snapshot.revision = self.revision;

        let planner = self.driver.planner();
        snapshot.cells.clear();
        for (index, cell) in self.world().cells().enumerate() {
            let is_walked = self.walked[index];
            let mut drawn = CellSnapshot {
                is_searched: planner.is_expanded(cell),
                is_walked,
                occupancy: match is_maze && is_walked {
                    true => Occupancy::Free,
                    false => self.observed.occupancy(cell),
                },
                ..CellSnapshot::default()
            };
            drawn.set_values(planner.values(cell));
            snapshot.cells.push(drawn);
            snapshot.walls.extend(self.observed.walls(cell));
        }
        for &index in self.expansions.expanded() {
            if let Some(cell) = snapshot.cells.get_mut(index) {
                cell.is_fresh = true;
            }
        }
        let mut been = HashSet::from([robot]);
        let mut at = robot;
        snapshot.plan.clear();
        snapshot.plan.push(robot);
        // A mission leads to other places, too.
        let is_mission = self.driver.explorer().is_some();
        while (is_mission || !self.goals.contains(&at))
            && let Some(next) = planner.next_on_path(at)
            && been.insert(next)
        {
            snapshot.plan.push(next);
            at = next;
        }
    }
}

/// Builds a planner that knows what the robot has observed.
fn build(
    world: &World,
    observed: &ObservedMap,
    (at, goals): (Cell, &[Cell]),
    options: &Options,
) -> Result<Driver, BuildError> {
    let knows_map = options.knows_map();
    let task = Task {
        moves: options.moves,
        goals,
        limit: options.limit,
        local_percent: options.local_percent,
        ..Task::new(world.size(), at, &at)
    };
    let planner = options.planner;
    let mut driver = match world {
        World::Walls(maze) if options.is_mission && !knows_map => {
            let start = maze.start;
            Driver::Mission(build_explorer(planner, maze, &Task { start, ..task })?)
        }
        _ => Driver::Single(build_planner_in(planner, world, knows_map, &task)?),
    };
    if !knows_map {
        for observation in observed.observations(world.cells()) {
            // It was observed on this map.
            let _ = driver.planner_mut().observe(observation);
        }
    }
    Ok(driver)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use sim::{
        catalog::build_planner,
        lab::problem::Problem,
        world::{rng, text},
    };

    use super::*;

    fn scenario(options: &str) -> Scenario {
        let args = ViewOptions::try_parse_from(["sim-view"].into_iter().chain(options.split(' ')))
            .unwrap();
        args.scenario().unwrap()
    }

    fn drawn(drawing: &str) -> Scenario {
        let world = text::parse(drawing).unwrap();
        Scenario::in_cells("drawn".into(), world, None, &mut rng::seeded(0)).unwrap()
    }

    /// Occupancy of a cell of the first row.
    fn occupancy_at(snapshot: &Snapshot, x: u16) -> Occupancy {
        snapshot.cell(Cell::new(x, 0)).unwrap().occupancy
    }

    fn finish(run: &mut Run) -> Option<Outcome> {
        for _ in 0..100_000 {
            run.advance(false);
        }
        run.outcome
    }

    #[test]
    fn the_window_runs_as_the_command_line_does() {
        let scenario = scenario("--maze 31x31 --open 12 --seed 5");
        let problem = Problem {
            world: scenario.world.clone(),
            start: scenario.start,
            goal: scenario.goal,
        };
        for name in [Name::DstarLite, Name::AdaptiveAstar, Name::Rtd] {
            let options = Options {
                planner: name,
                limit: Some(9),
                ..Options::default()
            };
            let mut run = Run::new(&scenario, options).unwrap();
            assert_eq!(finish(&mut run), Some(Outcome::Arrived));

            let mut planner = build_planner(name, &problem.task()).unwrap();
            let walk = problem.walk(&mut *planner, Some(9)).unwrap();
            assert_eq!(run.trail, walk.trail, "{name}");
            let ticks = walk.tick_ns.len() as u64;
            assert_eq!((run.tick, run.waits), (ticks, walk.waits));
        }
    }

    #[test]
    fn a_drawn_wall_is_sensed_when_the_robot_is_not_told() {
        let scenario = drawn("S....G\n......\n");
        let options = Options {
            is_told: false,
            ..Options::default()
        };
        let mut run = Run::new(&scenario, options).unwrap();
        run.change(&Change::Block(Cell::new(4, 0), true)).unwrap();
        run.advance(true);
        let mut snapshot = Snapshot::default();
        run.draw(&mut snapshot);
        assert_eq!(occupancy_at(&snapshot, 4), Occupancy::Unknown);
        assert_eq!(finish(&mut run), Some(Outcome::Arrived));
        run.draw(&mut snapshot);
        assert_eq!(occupancy_at(&snapshot, 4), Occupancy::Blocked);
    }

    #[test]
    fn another_planner_continues_with_the_same_map() {
        let scenario = scenario("--maze 31x31 --seed 2");
        let mut run = Run::new(&scenario, Options::default()).unwrap();
        for _ in 0..60 {
            run.advance(false);
        }
        let (mut before, mut after) = (Snapshot::default(), Snapshot::default());
        run.draw(&mut before);
        let other = Options {
            planner: Name::LssLrta,
            limit: Some(20),
            ..Options::default()
        };
        run.change(&Change::Options(other)).unwrap();
        run.draw(&mut after);
        let known = |snapshot: &Snapshot| -> Vec<_> {
            let cells = snapshot.cells.iter();
            cells.map(|cell| cell.occupancy).collect()
        };
        assert_eq!(known(&before), known(&after));
        assert_eq!(before.robot, after.robot);
        assert_eq!(finish(&mut run), Some(Outcome::Arrived));
    }

    #[test]
    fn memory_does_not_grow_with_the_run() {
        let scenario = drawn("S.\n..\n");
        let mut run = Run::new(&scenario, Options::default()).unwrap();
        for step in 0..3 * TRAIL {
            let corner = [Cell::new(1, 1), Cell::new(0, 0)][step % 2];
            run.change(&Change::Goal(corner)).unwrap();
            for _ in 0..2 {
                run.advance(true);
            }
        }
        assert!(run.moves > 2 * TRAIL as u64);
        assert_eq!((run.trail.len(), run.history.len()), (TRAIL, HISTORY));
    }

    #[test]
    fn only_observed_walls_are_drawn() {
        let maze = "o---o---o\n|     G |\no   o   o\n| S |   |\no---o---o\n";
        let maze = sim::world::micromouse::parse_text(maze).unwrap();
        let scenario = Scenario::in_maze("maze".into(), maze).unwrap();
        let mut run = Run::new(&scenario, Options::default()).unwrap();
        let mut snapshot = Snapshot::default();
        run.draw(&mut snapshot);
        assert_eq!(snapshot.walls[3], [Occupancy::Unknown; 2]);
        run.advance(true);
        run.draw(&mut snapshot);
        assert_eq!(snapshot.walls[3], [Occupancy::Unknown, Occupancy::Blocked]);
        assert_eq!(finish(&mut run), Some(Outcome::Arrived));
    }
}
