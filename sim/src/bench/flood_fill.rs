//! Flood fill, the planner of micromouse robots: label every cell with its distance from the goal,
//! breadth first, whenever a new wall is seen or when one is in the way, and step to a neighbour with
//! a smaller label.

use planner_core::{
    Budget, Cell, Decision, GoalsError, Inspect, Observation, ObserveError, OffMap, Planner, Stats,
    map::Fact,
};

use super::{
    book,
    known::{Change, Known},
};

/// A cell that may not be entered. It counts as labelled in every flood.
const WALL: u32 = u32::MAX;

/// When to flood again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At every wall that is new.
    NewWall,
    /// When no neighbour has a smaller label.
    Blocked,
}

/// Flood fill on flat arrays.
///
/// It is given every help that keeps it what it is: labels of older floods are recognised by being
/// small, so that none is cleared and one comparison tells whether a cell is open and new; a flood
/// ends when it has reached the robot; nothing is allocated after the start.
#[derive(Clone, Debug)]
pub struct FloodFill {
    known: Known,
    goals: Vec<usize>,
    /// [`WALL`], or what the last flood that came here wrote: its `base` plus the distance to the
    /// goal.
    labels: Vec<u32>,
    /// The goal's label in the current flood; all labels of older floods are smaller.
    base: u32,
    /// Cells labelled, in the order of their distance. A flood labels a cell once, so the queue
    /// needs no more room than there are cells and never goes round.
    queue: Vec<u32>,
    /// Whether the map has changed since the last flood.
    is_stale: bool,
    when: When,
    stats: Stats,
}

impl FloodFill {
    /// A planner that knows nothing of a world of this size.
    ///
    /// # Errors
    /// The goal is outside the world.
    pub fn new(size: (u16, u16), goal: Cell, when: When) -> Result<Self, OffMap> {
        let known = Known::new(size);
        let goal = known.id(goal)?;
        let labels = (0..known.cells())
            .map(|id| if known.is_open(id) { 0 } else { WALL })
            .collect();
        Ok(Self {
            goals: vec![goal],
            labels,
            base: 0,
            queue: vec![u32::MAX; known.cells()],
            is_stale: true,
            when,
            stats: Stats::default(),
            known,
        })
    }

    /// Makes all labels old.
    fn next_base(&mut self) {
        let distances = self.labels.len() as u32;
        if self.base < WALL - 2 * distances {
            self.base += distances;
        } else {
            // Once in a hundred thousand floods of a 200x200 map.
            for label in self.labels.iter_mut().filter(|label| **label != WALL) {
                *label = 0;
            }
            self.base = 1;
        }
    }

    /// Labels cells from the goal outwards until the robot's has a label; returns how many cells
    /// passed theirs on.
    fn flood(&mut self, robot: usize) -> u32 {
        self.next_base();
        let base = self.base;
        let stride = self.known.stride();
        let (mut head, mut tail) = (0, 0);
        for &goal in &self.goals {
            if self.labels[goal] < base {
                self.labels[goal] = base;
                self.queue[tail] = goal as u32;
                tail += 1;
            }
        }
        while head < tail && self.labels[robot] < base {
            let id = self.queue[head] as usize;
            head += 1;
            let label = self.labels[id] + 1;
            for next in Known::neighbours(stride, id) {
                if self.labels[next] < base {
                    self.labels[next] = label;
                    self.queue[tail] = next as u32;
                    tail += 1;
                }
            }
        }
        head as u32
    }

    /// A neighbour with a smaller label in the current flood.
    fn closer(&self, robot: usize) -> Option<usize> {
        let label = self.labels[robot];
        if label <= self.base || label == WALL {
            return None;
        }
        let neighbours = Known::neighbours(self.known.stride(), robot);
        neighbours
            .into_iter()
            .find(|&id| self.labels[id] == label - 1)
    }
}

impl Planner for FloodFill {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let change = self.known.observe(seen)?;
        match change {
            Some(Change::Closed(id)) => {
                self.labels[id] = WALL;
                self.is_stale |= self.when == When::NewWall;
            }
            Some(Change::Opened(id)) => {
                self.labels[id] = 0;
                self.is_stale = true;
            }
            None => return Ok(false),
        }
        Ok(true)
    }

    fn tick(&mut self, at: Cell, _budget: Budget) -> Result<Decision, OffMap> {
        let robot = self.known.id(at)?;
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
            Some(id) => Decision::Step(self.known.cell(id)),
            None => Decision::Unreachable,
        })
    }

    fn set_goals(&mut self, goals: &[Cell]) -> Result<(), GoalsError> {
        self.goals = self.known.goals(goals)?;
        self.is_stale = true;
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl Inspect for FloodFill {
    fn fact(&self, cell: Cell) -> Fact {
        self.known.fact(cell)
    }

    fn is_expanded(&self, cell: Cell) -> bool {
        let label = self.known.id(cell).map_or(WALL, |id| self.labels[id]);
        (self.base..WALL).contains(&label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_begin_again_before_they_run_out() {
        let goal = Cell::new(2, 0);
        let mut planner = FloodFill::new((3, 2), goal, When::NewWall).unwrap();
        let wall = Cell::new(1, 0);
        planner.base = WALL - 3 * planner.labels.len() as u32;
        let mut bases = Vec::new();
        for fact in [Fact::Blocked, Fact::Free, Fact::Blocked, Fact::Free] {
            planner.observe(Observation::Cell(wall, fact)).unwrap();
            let next = match fact {
                Fact::Blocked => Cell::new(0, 1),
                _ => wall,
            };
            let decision = planner.tick(Cell::new(0, 0), Budget::UNLIMITED);
            assert_eq!(decision, Ok(Decision::Step(next)), "after {bases:?}");
            bases.push(planner.base);
        }
        assert!(!bases.is_sorted() && bases.contains(&1), "{bases:?}");
    }
}
