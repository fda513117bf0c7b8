//! The peer: Repeated A* with the `astar` of the `pathfinding` crate.

use pathfinding::prelude::astar;
use planner_core::{
    Budget, Cell, Decision, GoalsError, Inspect, Observation, ObserveError, OffMap, Planner, Stats,
    map::Occupancy,
};

use super::{
    bench_map::{BenchMap, BorderedGrid},
    record_tick,
};

/// Repeated Forward A* that searches anew when its path is blocked.
///
/// It is given every help that the crate's interface allows: successors come from a flat map with a
/// border, without an allocation, and a node is the cell's place in that map, a `u32`. With `(x, y)`
/// as a pair of `u16` it took 8 per cent longer, with both packed into a `u32` 3 per cent.
#[derive(Clone, Debug)]
pub struct Peer {
    known: BorderedGrid,
    goals: Vec<usize>,
    /// The path of the last search; empty when there is none.
    path: Vec<u32>,
    /// Index of the robot's cell on it.
    place: usize,
    /// For each cell, the last search that had it on its path, counted from one.
    on_path: Vec<u32>,
    /// The number of the last search.
    search: u32,
    /// True if the path may be blocked, or no longer a shortest one.
    is_stale: bool,
    stats: Stats,
}

impl Peer {
    /// A planner that knows nothing of a world of this size.
    pub fn new(size: (u16, u16), goal: Cell) -> Result<Self, OffMap> {
        let known = BorderedGrid::new(size);
        Ok(Self {
            goals: vec![known.id(goal)?],
            path: Vec::new(),
            place: 0,
            on_path: vec![0; known.cells()],
            search: 0,
            is_stale: true,
            stats: Stats::default(),
            known,
        })
    }

    /// Finds a shortest path to the goal; returns the number of expansions.
    fn find(&mut self, robot: usize) -> u32 {
        let known = &self.known;
        let columns = known.stride() as u32;
        let goals: Vec<u32> = self.goals.iter().map(|&goal| goal as u32).collect();
        let distance = |id: u32, goal: u32| {
            let across = (id % columns).abs_diff(goal % columns);
            across + (id / columns).abs_diff(goal / columns)
        };
        let mut expansions = 0;
        let found = astar(
            &(robot as u32),
            |&id| {
                expansions += 1;
                let neighbors = known.neighbors(id as usize).into_iter();
                neighbors
                    .filter(|&id| known.is_passable(id))
                    .map(|id| (id as u32, 1))
            },
            |&id| {
                let distances = goals.iter().map(|&goal| distance(id, goal));
                distances.min().unwrap_or(0)
            },
            |id| goals.contains(id),
        );
        self.path = found.map_or_else(Vec::new, |(path, _)| path);
        self.place = 0;
        self.search += 1;
        for &id in &self.path {
            self.on_path[id as usize] = self.search;
        }
        expansions
    }

    /// Returns whether the robot stands where the path goes on from.
    fn follows(&mut self, robot: usize) -> bool {
        let is_at = |place| self.path.get(place) == Some(&(robot as u32));
        if is_at(self.place + 1) {
            self.place += 1;
            return true;
        }
        is_at(self.place)
    }
}

impl Planner for Peer {
    fn observe(&mut self, seen: Observation) -> Result<bool, ObserveError> {
        let Some(change) = self.known.observe(seen)? else {
            return Ok(false);
        };
        // Cells behind the robot have been seen to be free; they count as well.
        let is_on_path = |id: usize| self.on_path[id] == self.search;
        self.is_stale |= !change.is_blocked || change.cell.is_some_and(is_on_path);
        Ok(true)
    }

    fn tick(&mut self, at: Cell, _budget: Budget) -> Result<Decision, OffMap> {
        let robot = self.known.id(at)?;
        if self.goals.contains(&robot) {
            return Ok(Decision::Arrived);
        }
        let mut cells = None;
        if self.is_stale || !self.follows(robot) {
            cells = Some(self.find(robot));
            self.is_stale = false;
        }
        record_tick(&mut self.stats, cells);
        if !self.known.is_passable(robot) {
            return Ok(Decision::Unreachable);
        }
        Ok(match self.path.get(self.place + 1) {
            Some(&id) => Decision::Step(self.known.cell(id as usize)),
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

impl Inspect for Peer {
    fn occupancy(&self, cell: Cell) -> Occupancy {
        self.known.occupancy(cell)
    }

    /// The crate keeps its closed list to itself: the path is what is left to see.
    fn is_expanded(&self, cell: Cell) -> bool {
        let is_on_path = |id: usize| self.search > 0 && self.on_path[id] == self.search;
        self.known.id(cell).is_ok_and(is_on_path)
    }
}
