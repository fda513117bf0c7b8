//! Flood fill in a maze with walls between its cells, as micromouse robots do it.

use planner_core::{
    Budget, Cell, Decision, GoalsError, Inspect, Observation, ObserveError, OffMap, Planner, Side,
    Stats, map::Occupancy,
};

use super::{
    flood::{Flood, When},
    record_tick,
};
use crate::world::Maze;

/// Flood fill with a byte of walls for each cell.
#[derive(Clone, Debug)]
pub struct MazeFlood {
    width: u16,
    height: u16,
    /// Bit `side` is set where a wall is known to stand.
    walls: Vec<u8>,
    flood: Flood,
    stats: Stats,
}

impl MazeFlood {
    /// A planner that knows the outer walls of a maze and its goals.
    #[must_use]
    pub fn new(maze: &Maze, when: When) -> Self {
        let (width, height) = (maze.width(), maze.height());
        let outer = |cell: Cell| {
            let is_outer = |side: &Side| !cell.neighbor(*side).is_some_and(|c| maze.contains(c));
            let sides = Side::ALL.into_iter().filter(is_outer);
            sides.fold(0, |bits, side| bits | 1 << side as u8)
        };
        let walls: Vec<u8> = maze.cells().map(outer).collect();
        let id = |cell: &Cell| usize::from(cell.y) * usize::from(width) + usize::from(cell.x);
        let goals = maze.goals.iter().map(id).collect();
        Self {
            width,
            height,
            flood: Flood::new(walls.len(), goals, when),
            walls,
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
}

/// The cells that a cell leads to, over walls in rows of `width`; a closed side leads back to the cell
/// itself, which has its label.
fn neighbors(walls: &[u8], width: u16, id: usize) -> [usize; 4] {
    let row = usize::from(width);
    let walls = usize::from(walls[id]);
    let open =
        |side: usize, offset: usize| id.wrapping_add(offset & (walls >> side & 1).wrapping_sub(1));
    [
        open(0, row),
        open(1, usize::MAX),
        open(2, row.wrapping_neg()),
        open(3, 1),
    ]
}

impl Planner for MazeFlood {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let Observation::Wall(cell, side, occupancy) = seen else {
            return Err(ObserveError::Unsupported);
        };
        let id = self.id(cell)?;
        let Some(there) = cell.neighbor(side).and_then(|cell| self.id(cell).ok()) else {
            return Ok(false);
        };
        let bit = 1 << side as u8;
        let stands = occupancy == Occupancy::Blocked;
        if (self.walls[id] & bit != 0) == stands {
            return Ok(false);
        }
        let back = 1 << ((side as u8) ^ 2);
        self.walls[id] ^= bit;
        self.walls[there] ^= back;
        self.flood.changed(stands);
        Ok(true)
    }

    fn tick(&mut self, at: Cell, _budget: Budget) -> Result<Decision, OffMap> {
        let robot = self.id(at)?;
        if self.flood.goals.contains(&robot) {
            return Ok(Decision::Arrived);
        }
        let (walls, width) = (&self.walls, self.width);
        let (next, cells) = self.flood.next(robot, |id| neighbors(walls, width, id));
        record_tick(&mut self.stats, cells);
        Ok(match next {
            Some(id) => {
                let (x, y) = (id % usize::from(width), id / usize::from(width));
                Decision::Step(Cell::new(x as u16, y as u16))
            }
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
        self.flood.goals = ids;
        self.flood.is_stale = true;
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl Inspect for MazeFlood {
    fn occupancy(&self, cell: Cell) -> Occupancy {
        match self.id(cell) {
            Ok(_) => Occupancy::Free,
            Err(_) => Occupancy::Blocked,
        }
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        self.id(cell).is_ok_and(|id| self.flood.is_labeled(id))
    }
}
