//! Flood fill in a maze with walls between its cells, the way micromouse robots do it.

use planner_core::{
    Budget, Cell, Decision, GoalsError, Inspect, Observation, ObserveError, OffMap, Planner, Side,
    Stats, map::Fact,
};

use super::{book, flood_fill::When};
use crate::world::{Walled, walled::neighbour};

/// Flood fill with a byte of walls and a label for each cell.
///
/// It is given every help that keeps it what it is: walls are bits of one byte, labels of older floods
/// are recognised by being small, so that none is cleared, a flood ends when it has reached the robot,
/// and nothing is allocated after the start.
#[derive(Clone, Debug)]
pub struct MazeFlood {
    width: u16,
    height: u16,
    /// Bit `side` is set where a wall is known to stand.
    walls: Vec<u8>,
    goals: Vec<usize>,
    /// What the last flood that came here wrote: its `base` plus the distance to the nearest goal.
    labels: Vec<u32>,
    /// The goals' label in the current flood; all labels of older floods are smaller.
    base: u32,
    queue: Vec<u16>,
    is_stale: bool,
    when: When,
    stats: Stats,
}

/// In the order of their numbers.
const SIDES: [Side; 4] = [Side::South, Side::West, Side::North, Side::East];

impl MazeFlood {
    /// A planner that knows the outer walls of a maze and its goals.
    #[must_use]
    pub fn new(maze: &Walled, when: When) -> Self {
        let (width, height) = (maze.width(), maze.height());
        let outer = |cell: Cell| {
            let is_outer = |side: &Side| !maze.contains(neighbour(cell, *side));
            let sides = SIDES.into_iter().filter(is_outer);
            sides.fold(0, |bits, side| bits | 1 << side as u8)
        };
        let walls: Vec<u8> = maze.cells().map(outer).collect();
        let id = |cell: &Cell| usize::from(cell.y) * usize::from(width) + usize::from(cell.x);
        Self {
            width,
            height,
            labels: vec![0; walls.len()],
            queue: vec![0; walls.len()],
            walls,
            goals: maze.goals.iter().map(id).collect(),
            base: 0,
            is_stale: true,
            when,
            stats: Stats::default(),
        }
    }

    fn id(&self, cell: Cell) -> Result<usize, OffMap> {
        if cell.x < self.width && cell.y < self.height {
            Ok(usize::from(cell.y) * usize::from(self.width) + usize::from(cell.x))
        } else {
            Err(OffMap(cell))
        }
    }

    /// How far a neighbour is in the arrays.
    fn offsets(&self) -> [isize; 4] {
        let row = self.width as isize;
        [row, -1, -row, 1]
    }

    fn flood(&mut self, robot: usize) -> u32 {
        let distances = self.labels.len() as u32;
        if self.base < u32::MAX - 2 * distances {
            self.base += distances;
        } else {
            self.labels.fill(0);
            self.base = 1;
        }
        let (base, offsets) = (self.base, self.offsets());
        let (mut head, mut tail) = (0, 0);
        for &goal in &self.goals {
            if self.labels[goal] < base {
                self.labels[goal] = base;
                self.queue[tail] = goal as u16;
                tail += 1;
            }
        }
        while head < tail && self.labels[robot] < base {
            let id = usize::from(self.queue[head]);
            head += 1;
            let label = self.labels[id] + 1;
            let mut open = !self.walls[id] & 0b1111;
            while open != 0 {
                let next = id.wrapping_add_signed(offsets[open.trailing_zeros() as usize]);
                open &= open - 1;
                if self.labels[next] < base {
                    self.labels[next] = label;
                    self.queue[tail] = next as u16;
                    tail += 1;
                }
            }
        }
        head as u32
    }

    /// A side beyond which the label of the current flood is smaller.
    fn closer(&self, robot: usize) -> Option<Side> {
        let label = self.labels[robot];
        if label <= self.base {
            return None;
        }
        let offsets = self.offsets();
        SIDES.into_iter().find(|&side| {
            let is_open = self.walls[robot] >> side as u8 & 1 == 0;
            is_open && self.labels[robot.wrapping_add_signed(offsets[side as usize])] == label - 1
        })
    }
}

impl Planner for MazeFlood {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let Observation::Wall(cell, side, fact) = seen else {
            return Err(ObserveError::NotOnThisTerrain);
        };
        let id = self.id(cell)?;
        let beyond = neighbour(cell, side);
        if beyond.x >= self.width || beyond.y >= self.height {
            return Ok(false);
        }
        let bit = 1 << side as u8;
        let stands = fact == Fact::Blocked;
        if (self.walls[id] & bit != 0) == stands {
            return Ok(false);
        }
        let back = 1 << ((side as u8) ^ 2);
        let there = self.id(beyond)?;
        self.walls[id] ^= bit;
        self.walls[there] ^= back;
        self.is_stale |= !stands || self.when == When::NewWall;
        Ok(true)
    }

    fn tick(&mut self, at: Cell, _budget: Budget) -> Result<Decision, OffMap> {
        let robot = self.id(at)?;
        if self.goals.contains(&robot) {
            return Ok(Decision::Arrived);
        }
        let mut cells = None;
        let mut closer = self.closer(robot);
        if self.is_stale || closer.is_none() {
            cells = Some(self.flood(robot));
            self.is_stale = false;
            closer = self.closer(robot);
        }
        book(&mut self.stats, cells);
        Ok(match closer {
            Some(side) => Decision::Step(neighbour(at, side)),
            None => Decision::Unreachable,
        })
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        let ids: Vec<usize> = goals
            .iter()
            .map(|&goal| self.id(goal))
            .collect::<Result<_, _>>()?;
        if ids.is_empty() {
            return Err(GoalsError::None);
        }
        self.goals = ids;
        self.is_stale = true;
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl Inspect for MazeFlood {
    fn fact(&self, cell: Cell) -> Fact {
        match self.id(cell) {
            Ok(_) => Fact::Free,
            Err(_) => Fact::Blocked,
        }
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        self.id(cell)
            .is_ok_and(|id| self.base > 0 && self.labels[id] >= self.base)
    }
}
