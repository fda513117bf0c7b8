//! A robot in a world, one tick after the other.
//!
//! What a run takes in memory, and what a tick takes in time, does not grow with the ticks before it.

use std::collections::{HashSet, VecDeque};

use planner_core::{Budget, BuildError, Cell, Decision, Observation, Side, Work};
use sim::{
    catalog::{LOCAL_PERCENT, LOOK_AHEAD, Moves, Name},
    environment::Sensor,
    kept::{self, Errand, Kept},
    options::view::ViewOptions,
    walk::Outcome,
    world::doors::Doors,
    world::{Scenario, World},
};

use crate::{
    known::Known,
    marks::Marks,
    still::{Still, size},
};

/// The last cells of a trail that are kept.
const TRAIL: usize = 4096;
/// The last ticks whose work is kept.
pub const HISTORY: usize = 400;

/// Who plans, and under what conditions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    pub planner: Name,
    pub moves: Moves,
    /// Whether the robot knows the whole map, and is told of every change.
    pub is_known: bool,
    /// How many cells away it sees, if it does not.
    pub sense: u16,
    /// The most expansions in a tick.
    pub limit: Option<u32>,
    /// The share of a tick for the search around the robot, in per cent.
    pub local_percent: u8,
    /// Whether the robot is told of walls that somebody draws, wherever it is.
    pub is_told: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            planner: Name::DstarLite,
            moves: Moves::Four,
            is_known: false,
            sense: 1,
            limit: None,
            local_percent: LOCAL_PERCENT,
            is_told: true,
        }
    }
}

impl From<&ViewOptions> for Options {
    fn from(args: &ViewOptions) -> Self {
        Self {
            planner: args.planner.planner,
            moves: args.planner.moves,
            is_known: args.is_known(),
            sense: args.planner.sense.unwrap_or(1),
            limit: args.planner.limit,
            local_percent: args.planner.local_ratio,
            is_told: true,
        }
    }
}

impl Options {
    /// What one tick may do.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.limit.map_or(Budget::UNLIMITED, Budget::limit)
    }

    /// Whether the whole map is known, because it was asked for or the planner needs it.
    #[must_use]
    pub fn knows_map(&self) -> bool {
        self.is_known || self.planner.is_known_map_only()
    }

    fn look_ahead(&self) -> u32 {
        self.limit.unwrap_or(LOOK_AHEAD)
    }

    /// Whether a planner for these options can go on under others.
    fn suits(&self, others: &Self) -> bool {
        let built = |options: &Self| {
            let local = (options.planner.is_real_time()).then(|| options.look_ahead());
            let Self {
                planner,
                moves,
                local_percent,
                ..
            } = *options;
            (planner, moves, options.knows_map(), local_percent, local)
        };
        built(self) == built(others)
    }
}

/// Something that somebody does while a robot is on its way.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Blocks a cell or frees it.
    Block(Cell, bool),
    /// Builds a wall on a side of a cell of a maze, or tears it down.
    Wall(Cell, Side, bool),
    /// Sends the robot elsewhere.
    Goal(Cell),
    /// Has it go on in another way. It keeps what it knows of the world.
    Options(Options),
}

/// The work of one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub tick: u64,
    pub work: Work,
}

/// A robot on its way.
#[derive(Debug)]
pub struct Run {
    options: Options,
    ground: World,
    doors: Option<Doors>,
    sensor: Sensor,
    known: Known,
    /// What has changed and was not told yet.
    untold: Vec<Observation>,
    mind: Kept,
    marks: Marks,
    start: Cell,
    goals: Vec<Cell>,
    at: Cell,
    tick: u64,
    moves: u64,
    waits: u64,
    outcome: Option<Outcome>,
    /// The end of the way; at most [`TRAIL`].
    trail: VecDeque<Cell>,
    /// For each cell, whether the robot has been there.
    walked: Vec<bool>,
    /// The end of it; at most [`HISTORY`].
    history: VecDeque<Sample>,
    total: Work<u64>,
    /// Another number after each tick and each change.
    revision: u64,
}

impl Run {
    /// A robot at the start of a place.
    ///
    /// # Errors
    /// There is no such planner for this place.
    pub fn new(place: &Scenario, options: Options) -> Result<Self, BuildError> {
        let goals = match &place.world {
            World::Cells(_) => vec![place.goal],
            World::Walls(maze) => maze.goals.clone(),
        };
        let size = size(&place.world);
        let known = Known::new(size);
        let mind = build(&place.world, &known, (place.start, &goals), &options)?;
        let mut run = Self {
            options,
            ground: place.world.clone(),
            doors: place.doors.clone(),
            sensor: Sensor::new(options.sense, options.moves),
            known,
            untold: Vec::new(),
            mind,
            marks: Marks::default(),
            start: place.start,
            goals,
            at: place.start,
            tick: 0,
            moves: 0,
            waits: 0,
            outcome: None,
            trail: VecDeque::from([place.start]),
            walked: vec![false; usize::from(size.0) * usize::from(size.1)],
            history: VecDeque::new(),
            total: Work::default(),
            revision: 0,
        };
        run.walk_on(place.start);
        run.know_map();
        Ok(run)
    }

    /// Ticks so far.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Cells entered.
    #[must_use]
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Ticks in which the robot stayed where it was.
    #[must_use]
    pub fn waits(&self) -> u64 {
        self.waits
    }

    /// How the run ended, if it did.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The world as it is.
    #[must_use]
    pub fn ground(&self) -> &World {
        &self.ground
    }

    /// Where the robot is.
    #[must_use]
    pub fn robot(&self) -> Cell {
        self.at
    }

    #[must_use]
    pub fn goals(&self) -> &[Cell] {
        &self.goals
    }

    /// All work so far.
    #[must_use]
    pub fn total(&self) -> Work<u64> {
        self.total
    }

    /// The work of the last ticks, the oldest first.
    #[must_use]
    pub fn history(&self) -> &VecDeque<Sample> {
        &self.history
    }

    /// Another number after each tick and each change.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Lets a tick go by; with `look`, finds out which cells are expanded in it. Nothing happens when
    /// the run is over.
    pub fn advance(&mut self, look: bool) {
        if self.outcome.is_some() {
            return;
        }
        let seen = self.look_around();
        for &observation in &seen {
            self.known.note(observation);
        }
        let mut marks = std::mem::take(&mut self.marks);
        let (size, plan) = (size(&self.ground), (self.at, self.options.budget()));
        let (decision, work, marks) = self.mind.with(move |mind| {
            let decision = marks.tick(mind, size, &seen, plan, look);
            (decision, mind.stats().last_tick, marks)
        });
        self.marks = marks;
        self.tick += 1;
        self.revision += 1;
        self.book(work);
        match decision {
            Ok(Decision::Step(next)) => self.walk_on(next),
            Ok(Decision::Arrived) => self.outcome = Some(Outcome::Arrived),
            Ok(Decision::Unreachable) if self.doors.is_none() => {
                self.outcome = Some(Outcome::Unreachable);
            }
            // The robot is on the map, always.
            Ok(Decision::Wait | Decision::Unreachable) | Err(_) => self.waits += 1,
        }
    }

    fn book(&mut self, work: Work) {
        self.total.expansions += u64::from(work.expansions);
        self.total.requeues += u64::from(work.requeues);
        self.total.queue_ops += u64::from(work.queue_ops);
        if self.history.len() == HISTORY {
            self.history.pop_front();
        }
        let tick = self.tick;
        self.history.push_back(Sample { tick, work });
    }

    fn walk_on(&mut self, next: Cell) {
        if next != self.at {
            self.moves += 1;
            if self.trail.len() == TRAIL {
                self.trail.pop_front();
            }
            self.trail.push_back(next);
        }
        self.at = next;
        let (width, _) = size(&self.ground);
        let index = usize::from(next.y) * usize::from(width) + usize::from(next.x);
        if let Some(walked) = self.walked.get_mut(index) {
            *walked = true;
        }
    }

    /// What the robot sees or is told where it is.
    fn look_around(&mut self) -> Vec<Observation> {
        let knows_map = self.options.knows_map();
        let mut seen = Vec::new();
        match &mut self.ground {
            World::Cells(grid) => {
                if let Some(doors) = &mut self.doors {
                    let changed = doors.tick(grid);
                    if knows_map {
                        self.untold
                            .extend(changed.iter().map(|&cell| grid.observe(cell)));
                    }
                }
                if !knows_map {
                    seen.extend(self.sensor.sense(grid, self.at));
                }
                // A door may close where the robot stands: it learns of it when it has left.
                let is_here = |seen: &Observation| matches!(seen, Observation::Cell(cell, _) if *cell == self.at);
                let untold = std::mem::take(&mut self.untold).into_iter();
                let (here, elsewhere): (Vec<_>, Vec<_>) = untold.partition(is_here);
                self.untold = here;
                seen.extend(elsewhere);
            }
            World::Walls(maze) => {
                seen.extend(maze.observe_around(self.at));
                seen.append(&mut self.untold);
            }
        }
        seen
    }

    /// Does something to the run.
    ///
    /// # Errors
    /// There is no such planner for this world; the run stays as it is.
    pub fn change(&mut self, change: &Change) -> Result<(), BuildError> {
        match *change {
            Change::Block(cell, blocked) => self.block(cell, blocked),
            Change::Wall(cell, side, stands) => self.wall(cell, side, stands),
            Change::Goal(goal) => self.send_to(goal),
            Change::Options(options) => self.go_on_with(options)?,
        }
        self.revision += 1;
        if !self.goals.contains(&self.at) {
            self.outcome = None;
        }
        Ok(())
    }

    fn block(&mut self, cell: Cell, blocked: bool) {
        if let World::Cells(grid) = &mut self.ground
            && cell != self.at
            && grid.set_blocked(cell, blocked)
            && (self.options.is_told || self.options.knows_map())
        {
            self.untold.push(grid.observe(cell));
        }
    }

    fn wall(&mut self, cell: Cell, side: Side, stands: bool) {
        if let World::Walls(maze) = &mut self.ground {
            maze.set_wall(cell, side, stands);
            if self.options.is_told || self.options.knows_map() {
                self.untold.push(maze.observe(cell, side));
            }
        }
    }

    fn send_to(&mut self, goal: Cell) {
        let is_free = match &self.ground {
            World::Cells(grid) => grid.is_free(goal),
            World::Walls(maze) => maze.contains(goal),
        };
        if is_free && self.mind.with(move |mind| mind.set_goal(goal)).is_ok() {
            self.goals = vec![goal];
        }
    }

    fn go_on_with(&mut self, options: Options) -> Result<(), BuildError> {
        if !options.suits(&self.options) {
            self.mind = build(&self.ground, &self.known, (self.at, &self.goals), &options)?;
            self.marks.forget();
        }
        if (options.sense, options.moves) != (self.options.sense, self.options.moves) {
            self.sensor = Sensor::new(options.sense, options.moves);
        }
        self.options = options;
        self.know_map();
        Ok(())
    }

    /// Notes the whole map, if the robot knows it.
    fn know_map(&mut self) {
        if !self.options.knows_map() {
            return;
        }
        match &self.ground {
            World::Cells(grid) => {
                for cell in grid.cells() {
                    self.known.note(grid.observe(cell));
                }
            }
            World::Walls(maze) => {
                for seen in maze.cells().flat_map(|cell| maze.observe_around(cell)) {
                    self.known.note(seen);
                }
            }
        }
    }

    /// Shows this moment. Takes time in proportion to the map, however long the run.
    pub fn show(&mut self, still: &mut Still) {
        let size = size(&self.ground);
        still.size = size;
        still.walls.clear();
        if matches!(self.ground, World::Walls(_)) {
            still.walls.extend(self.known.walls());
        }
        (still.robot, still.start) = (self.at, self.start);
        still.goals.clone_from(&self.goals);
        still.trail.clear();
        still.trail.extend(&self.trail);
        still.revision = self.revision;

        let (robot, goals) = (self.at, self.goals.clone());
        let mut cells = std::mem::take(&mut still.cells);
        cells.clear();
        (still.cells, still.plan) = self.mind.with(move |mind| {
            for y in 0..size.1 {
                for x in 0..size.0 {
                    let cell = Cell::new(x, y);
                    let mut seen = crate::still::CellStill {
                        is_searched: mind.is_expanded(cell),
                        ..Default::default()
                    };
                    seen.keep(mind.values(cell));
                    cells.push(seen);
                }
            }
            let mut been = HashSet::from([robot]);
            let mut plan = vec![robot];
            let mut at = robot;
            while !goals.contains(&at)
                && let Some(next) = mind.next_on_path(at)
                && been.insert(next)
            {
                plan.push(next);
                at = next;
            }
            (cells, plan)
        });
        let is_maze = !still.walls.is_empty();
        for (index, cell) in still.cells.iter_mut().enumerate() {
            cell.is_walked = self.walked[index];
            cell.fact = match is_maze {
                true if cell.is_walked => planner_core::map::Occupancy::Free,
                _ => self.known.fact(index),
            };
        }
        for &index in self.marks.fresh() {
            if let Some(cell) = still.cells.get_mut(index) {
                cell.is_fresh = true;
            }
        }
    }
}

/// A planner that knows what the robot does.
fn build(
    ground: &World,
    known: &Known,
    (at, goals): (Cell, &[Cell]),
    options: &Options,
) -> Result<Kept, BuildError> {
    let knows_map = options.knows_map();
    let (facts, ground): (Vec<Observation>, _) = match ground {
        World::Cells(grid) => {
            let map = knows_map.then(|| grid.clone());
            let ground = kept::Ground::Cells((grid.width(), grid.height()), map);
            (known.of_cells().collect(), ground)
        }
        World::Walls(maze) => {
            let mut maze = maze.clone();
            maze.goals = goals.to_vec();
            (
                known.of_walls().collect(),
                kept::Ground::Walls(maze, knows_map),
            )
        }
    };
    let mut mind = Kept::new(Errand {
        planner: options.planner,
        ground,
        start: at,
        goal: goals[0],
        moves: options.moves,
        look_ahead: options.look_ahead(),
        local_percent: options.local_percent,
    })?;
    if !knows_map {
        mind.with(move |mind| {
            for fact in facts {
                // It was seen on this map.
                let _ = mind.observe(fact);
            }
        });
    }
    Ok(mind)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use planner_core::map::Occupancy;
    use sim::{
        lab::problem::Problem,
        world::{rng, text},
    };

    use super::*;

    fn place(options: &str) -> Scenario {
        let args = ViewOptions::try_parse_from(["sim-view"].into_iter().chain(options.split(' ')))
            .unwrap();
        args.scenario().unwrap()
    }

    fn drawn(drawing: &str) -> Scenario {
        let world = text::parse(drawing).unwrap();
        Scenario::in_cells("drawn".into(), world, None, &mut rng::seeded(0)).unwrap()
    }

    fn finish(run: &mut Run) -> Option<Outcome> {
        for _ in 0..100_000 {
            run.advance(false);
        }
        run.outcome()
    }

    #[test]
    fn a_run_goes_the_way_that_the_terminal_shows() {
        let place = place("--maze 31x31 --open 12 --seed 5");
        let World::Cells(world) = place.world.clone() else {
            panic!("a maze of corridors has cells");
        };
        for name in [Name::DstarLite, Name::AdaptiveAstar, Name::Rtd] {
            let options = Options {
                planner: name,
                limit: Some(9),
                ..Options::default()
            };
            let mut run = Run::new(&place, options).unwrap();
            assert_eq!(finish(&mut run), Some(Outcome::Arrived));

            let (start, goal) = (place.start, place.goal);
            let problem = Problem {
                world: world.clone(),
                start,
                goal,
            };
            let walk = sim::catalog::with_planner(
                name,
                problem.task(),
                |mind: &mut dyn sim::catalog::AnyPlanner| {
                    problem.walk(mind, Budget::limit(9)).unwrap()
                },
            );
            let walk = walk.unwrap();
            assert_eq!(
                run.trail.iter().copied().collect::<Vec<_>>(),
                walk.trail,
                "{name}"
            );
            assert_eq!(
                (run.tick(), run.waits()),
                (walk.tick_ns.len() as u64, walk.waits)
            );
        }
    }

    #[test]
    fn a_wall_that_is_drawn_is_walked_around() {
        let place = drawn("S...G\n.....\n");
        let mut run = Run::new(&place, Options::default()).unwrap();
        let mut still = Still::default();
        run.advance(true);
        run.show(&mut still);
        assert_eq!(still.plan.len(), 4);
        run.change(&Change::Block(Cell::new(2, 0), true)).unwrap();
        run.advance(true);
        run.show(&mut still);
        assert_eq!(
            still.cell(Cell::new(2, 0)).unwrap().fact,
            Occupancy::Blocked
        );
        assert!(still.plan.contains(&Cell::new(2, 1)), "{:?}", still.plan);
        assert_eq!(finish(&mut run), Some(Outcome::Arrived));
        assert_eq!(run.moves(), 6);
    }

    #[test]
    fn a_robot_that_is_not_told_finds_out() {
        let place = drawn("S....G\n......\n");
        let options = Options {
            is_told: false,
            ..Options::default()
        };
        let mut run = Run::new(&place, options).unwrap();
        run.change(&Change::Block(Cell::new(4, 0), true)).unwrap();
        run.advance(true);
        let mut still = Still::default();
        run.show(&mut still);
        assert_eq!(
            still.cell(Cell::new(4, 0)).unwrap().fact,
            Occupancy::Unknown
        );
        assert_eq!(finish(&mut run), Some(Outcome::Arrived));
        run.show(&mut still);
        assert_eq!(
            still.cell(Cell::new(4, 0)).unwrap().fact,
            Occupancy::Blocked
        );
    }

    #[test]
    fn another_planner_goes_on_with_what_is_known() {
        let place = place("--maze 31x31 --seed 2");
        let mut run = Run::new(&place, Options::default()).unwrap();
        for _ in 0..60 {
            run.advance(false);
        }
        let (mut before, mut after) = (Still::default(), Still::default());
        run.show(&mut before);
        let other = Options {
            planner: Name::LssLrta,
            limit: Some(20),
            ..Options::default()
        };
        run.change(&Change::Options(other)).unwrap();
        run.show(&mut after);
        let facts = |still: &Still| still.cells.iter().map(|cell| cell.fact).collect::<Vec<_>>();
        assert_eq!(facts(&before), facts(&after));
        assert_eq!(before.robot, after.robot);
        assert_eq!(finish(&mut run), Some(Outcome::Arrived));
    }

    #[test]
    fn what_is_shown_and_kept_does_not_grow_with_the_run() {
        let place = drawn("S.\n..\n");
        let mut run = Run::new(&place, Options::default()).unwrap();
        for step in 0..3 * TRAIL {
            let corner = [(1, 1), (0, 0)][step % 2];
            run.change(&Change::Goal(Cell::new(corner.0, corner.1)))
                .unwrap();
            for _ in 0..2 {
                run.advance(true);
            }
        }
        assert!(run.moves() > 2 * TRAIL as u64);
        assert_eq!((run.trail.len(), run.history().len()), (TRAIL, HISTORY));
    }

    #[test]
    fn a_mouse_is_shown_the_walls_that_it_has_seen() {
        let maze = "o---o---o\n|     G |\no   o   o\n| S |   |\no---o---o\n";
        let maze = sim::world::micromouse::parse_text(maze).unwrap();
        let mut run = Run::new(
            &Scenario::in_maze("maze".into(), maze).unwrap(),
            Options::default(),
        )
        .unwrap();
        let mut still = Still::default();
        run.show(&mut still);
        assert_eq!(still.walls[3], [Occupancy::Unknown; 2]);
        run.advance(true);
        run.show(&mut still);
        assert_eq!(still.walls[3], [Occupancy::Unknown, Occupancy::Blocked]);
        assert_eq!(finish(&mut run), Some(Outcome::Arrived));
    }
}
