//! The robot's planners and their memory: Real-Time D* gets it about, and a [`MazeExplorer`] around it knows
//! when a maze is solved.

use planner_core::{
    Budget, BuildError, Cell, Decision, GoalsError, Observation, Planner, Side, Work,
    explore::{MazeExplorer, Phase},
    local::{Follow, Learned, LookAhead, LssLrta, SuccessorOrder, entries},
    map::{Occupancy, Unknown},
    queue::{Buckets, Queue},
    rtd::{LocalRatio, Rtd},
    search::{DStarLite, DStarLiteNode},
    terrain::Walls,
    width::Bits16,
};

use crate::{
    config::{BACKLOG, LIMIT, LOCAL_RATIO, LOOK_AHEAD, SIDE},
    mission::Field,
};

type Bins = Buckets<16>;
type Search<'m> = DStarLite<'m, Bits16, Walls<'m>, Bins>;
type Local<'m> = LssLrta<'m, Bits16, { entries(LOOK_AHEAD, 4) }>;
type Robot<'m> = Rtd<Search<'m>, Local<'m>, BACKLOG>;

const WORDS: usize = <Walls>::words(SIDE, SIDE);
const VERTICES: usize = <Walls>::vertices(SIDE, SIDE);
const NODES: usize = Search::nodes(VERTICES);

/// The map and the nodes of one search.
#[derive(Clone, Copy, Debug)]
struct Desk {
    map: [u32; WORDS],
    nodes: [DStarLiteNode<Bits16, <Bins as Queue<Bits16>>::Link>; NODES],
}

/// Memory of a [`Brain`].
#[derive(Debug)]
pub struct Memory {
    /// Of the robot's search, of the best way there can be, and of the best that is known.
    desks: [Desk; 3],
    values: [u16; VERTICES],
}

/// Memory of a [`Brain`], before its first use.
pub const MEMORY: Memory = Memory {
    desks: [Desk {
        map: [0; WORDS],
        nodes: [Search::NODE; NODES],
    }; 3],
    values: [0; VERTICES],
};

/// What the robot is thinking about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// To get somewhere.
    Trip,
    /// To solve the maze.
    MazeExplorer,
}

/// The robot's planners.
///
/// ```
/// use tinystar::{brain::{self, Brain}, config::FIELD, planner::{Cell, Decision}};
///
/// let mut memory = Box::new(brain::MEMORY);
/// let mut brain = Brain::new(FIELD, &mut memory)?;
/// let (at, goal) = (FIELD.home, Cell::new(FIELD.home.x, FIELD.home.y - 2));
/// brain.go(&[goal])?;
/// assert_eq!(brain.tick(at), Decision::Step(Cell::new(at.x, at.y - 1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Brain<'m> {
    field: Field,
    tour: MazeExplorer<'m, Robot<'m>, Bits16, Walls<'m>, Bins>,
    aim: Aim,
}

impl<'m> Brain<'m> {
    /// Knows nothing of a field but its size.
    ///
    /// # Errors
    /// The field is larger than there is memory for, or its home is outside.
    pub fn new(field: Field, memory: &'m mut Memory) -> Result<Self, BuildError> {
        let Field {
            width,
            height,
            home,
            ..
        } = field;
        let search = |desk: &'m mut Desk, unknown| {
            let walls = Walls::new(width, height, &mut desk.map, unknown)?;
            Search::new(walls, Bins::new(), &mut desk.nodes, home, home)
        };
        let Memory { desks, values } = memory;
        let [global, best, safe] = desks;
        let global = search(global, Unknown::AsFree)?;
        let learned = Learned::new(planner_core::search::GlobalSearch::terrain(&global), values)?;
        let local = Local::new(
            learned,
            LookAhead::AStar,
            Follow::ReplanEachStep,
            SuccessorOrder::Fixed,
        );
        let robot = Robot::new(global, local, LocalRatio::percent(LOCAL_RATIO));
        let best = search(best, Unknown::AsFree)?;
        let safe = search(safe, Unknown::AsBlocked)?;
        let tour = match MazeExplorer::new(robot, best, safe, home, &[home]) {
            Ok(tour) => tour,
            Err(GoalsError::OffMap(off_map)) => return Err(off_map.into()),
            // There is one goal.
            Err(GoalsError::None | GoalsError::TooMany) => return Err(BuildError::Empty),
        };
        Ok(Self {
            field,
            tour,
            aim: Aim::Trip,
        })
    }

    /// The floor.
    #[must_use]
    pub fn field(&self) -> Field {
        self.field
    }

    /// Takes in what is known of a wall. What is outside the field is not asked about.
    pub fn observe(&mut self, cell: Cell, side: Side, fact: Occupancy) {
        // Walls have no other errors than being outside, and those there are known.
        let _ = self.tour.observe(Observation::Wall(cell, side, fact));
    }

    /// Goes to the nearest of these cells.
    ///
    /// # Errors
    /// There are none or too many, or one is outside; it goes on as before.
    pub fn go(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.tour.robot_mut().set_goals(goals)?;
        self.aim = Aim::Trip;
        Ok(())
    }

    /// Finds the nearest of these cells, and then the best way there.
    ///
    /// # Errors
    /// There are none or too many, or one is outside; it goes on as before.
    pub fn explore(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.tour.set_goals(goals)?;
        self.aim = Aim::MazeExplorer;
        Ok(())
    }

    /// Plans for a robot that is or soon will be `at` a cell, within [`LIMIT`]. Nowhere is reached from
    /// outside the field.
    pub fn tick(&mut self, at: Cell) -> Decision {
        let budget = Budget::limit(LIMIT);
        let decision = match self.aim {
            Aim::Trip => self.tour.robot_mut().tick(at, budget),
            Aim::MazeExplorer => self.tour.tick(at, budget),
        };
        decision.unwrap_or(Decision::Unreachable)
    }

    /// The work of the last tick.
    #[must_use]
    pub fn work(&self) -> Work {
        match self.aim {
            Aim::Trip => self.tour.robot().stats().tick,
            Aim::MazeExplorer => self.tour.stats().tick,
        }
    }

    /// How far an exploration has come.
    #[must_use]
    pub fn phase(&self) -> Option<Phase> {
        (self.aim == Aim::MazeExplorer).then(|| self.tour.phase())
    }

    /// Whether the best way is proven.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.tour.is_solved()
    }
}
