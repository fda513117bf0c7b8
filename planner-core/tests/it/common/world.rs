//! The tests' own model of a world, and plain Dijkstra on it.
//!
//! Nothing here uses the terrains of the crate: what a step is and costs is written down a second
//! time, as directly as possible, to be compared with.

use std::{cmp::Reverse, collections::BinaryHeap};

use planner_core::{
    Cell, Observation, Side,
    map::{Occupancy, Unknown},
};

/// When a diagonal step may pass blocked corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corners {
    /// Both corner cells must be open.
    NeverCut,
    /// One of them must be.
    OneOpen,
    /// Neither need be.
    Cut,
}

/// What steps there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// Four steps of cost one between cells that are blocked or not.
    Four,
    /// Eight steps between cells that are blocked or not.
    Eight {
        corners: Corners,
        straight: u64,
        diagonal: u64,
    },
    /// Four steps of cost one between cells with walls on their edges.
    Walled,
}

/// What is known of a world, or, with nothing unknown in it, what is true.
#[derive(Clone, Debug)]
pub struct World {
    pub width: u16,
    pub height: u16,
    pub ground: Ground,
    unknown: Unknown,
    cells: Vec<Occupancy>,
    /// What stands on the east side of each cell.
    east: Vec<Occupancy>,
    /// What stands on the south side of each cell.
    south: Vec<Occupancy>,
    weights: Vec<u64>,
}

impl World {
    /// A world of which only the outer walls are known; all weights are one.
    pub fn new(width: u16, height: u16, ground: Ground, unknown: Unknown) -> Self {
        let count = usize::from(width) * usize::from(height);
        let mut world = Self {
            width,
            height,
            ground,
            unknown,
            cells: vec![Occupancy::Unknown; count],
            east: vec![Occupancy::Unknown; count],
            south: vec![Occupancy::Unknown; count],
            weights: vec![1; count],
        };
        for y in 0..height {
            let last = world.index(Cell::new(width - 1, y));
            world.east[last] = Occupancy::Blocked;
        }
        for x in 0..width {
            let last = world.index(Cell::new(x, height - 1));
            world.south[last] = Occupancy::Blocked;
        }
        world
    }

    pub fn count(&self) -> usize {
        self.cells.len()
    }

    fn index(&self, cell: Cell) -> usize {
        usize::from(cell.y) * usize::from(self.width) + usize::from(cell.x)
    }

    /// The cell with number `n`, counted round and round.
    pub fn nth(&self, n: usize) -> Cell {
        let n = n % self.count();
        let width = usize::from(self.width);
        Cell::new((n % width) as u16, (n / width) as u16)
    }

    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let width = self.width;
        (0..self.height).flat_map(move |y| (0..width).map(move |x| Cell::new(x, y)))
    }

    /// The cell `dx` columns east and `dy` rows south, if there is one.
    pub fn offset(&self, cell: Cell, dx: i16, dy: i16) -> Option<Cell> {
        let x = cell.x.checked_add_signed(dx).filter(|&x| x < self.width)?;
        let y = cell.y.checked_add_signed(dy).filter(|&y| y < self.height)?;
        Some(Cell::new(x, y))
    }

    /// The cells with a side or a corner in common with a cell, those with a side first.
    pub fn around(&self, cell: Cell) -> impl Iterator<Item = Cell> + '_ {
        const AROUND: [(i16, i16); 8] = [
            (0, -1),
            (1, 0),
            (0, 1),
            (-1, 0),
            (1, -1),
            (1, 1),
            (-1, 1),
            (-1, -1),
        ];
        AROUND
            .into_iter()
            .filter_map(move |(dx, dy)| self.offset(cell, dx, dy))
    }

    /// The cell on a side of a cell.
    pub fn beyond(&self, cell: Cell, side: Side) -> Option<Cell> {
        match side {
            Side::South => self.offset(cell, 0, 1),
            Side::West => self.offset(cell, -1, 0),
            Side::North => self.offset(cell, 0, -1),
            Side::East => self.offset(cell, 1, 0),
        }
    }

    fn passable(&self, fact: Occupancy) -> bool {
        match fact {
            Occupancy::Free => true,
            Occupancy::Blocked => false,
            Occupancy::Unknown => self.unknown == Unknown::AsFree,
        }
    }

    pub fn fact(&self, cell: Cell) -> Occupancy {
        self.cells[self.index(cell)]
    }

    pub fn wall(&self, cell: Cell, side: Side) -> Occupancy {
        match (side, self.beyond(cell, side)) {
            (_, None) => Occupancy::Blocked,
            (Side::East, _) => self.east[self.index(cell)],
            (Side::South, _) => self.south[self.index(cell)],
            (Side::West, Some(west)) => self.east[self.index(west)],
            (Side::North, Some(north)) => self.south[self.index(north)],
        }
    }

    pub fn weight(&self, cell: Cell) -> u64 {
        self.weights[self.index(cell)]
    }

    /// Whether a robot may stand on a cell.
    pub fn is_open(&self, cell: Cell) -> bool {
        self.ground == Ground::Walled || self.passable(self.fact(cell))
    }

    /// The cost of the step between two cells, if it can be made.
    pub fn step_cost(&self, from: Cell, to: Cell) -> Option<u64> {
        if !self.is_open(from) || !self.is_open(to) {
            return None;
        }
        let plain = match (to.x.abs_diff(from.x), to.y.abs_diff(from.y)) {
            (0, 1) | (1, 0) => match self.ground {
                Ground::Four => 1,
                Ground::Eight { straight, .. } => straight,
                Ground::Walled => self
                    .passable(self.wall(from, side(from, to)?))
                    .then_some(1)?,
            },
            (1, 1) => {
                let Ground::Eight {
                    corners, diagonal, ..
                } = self.ground
                else {
                    return None;
                };
                let one = self.is_open(Cell::new(from.x, to.y));
                let other = self.is_open(Cell::new(to.x, from.y));
                let allowed = match corners {
                    Corners::NeverCut => one && other,
                    Corners::OneOpen => one || other,
                    Corners::Cut => true,
                };
                allowed.then_some(diagonal)?
            }
            _ => return None,
        };
        Some(plain * self.weight(to))
    }

    /// The cells that can be stepped to from a cell.
    pub fn steps(&self, from: Cell) -> Vec<Cell> {
        let possible = |&to: &Cell| self.step_cost(from, to).is_some();
        self.around(from).filter(possible).collect()
    }

    /// The costs of the cheapest ways from everywhere to the nearest of `goals`.
    pub fn costs_to(&self, goals: &[Cell]) -> Costs {
        self.dijkstra(goals, |at, neighbour| self.step_cost(neighbour, at))
    }

    /// The costs of the cheapest ways from `start` to everywhere.
    pub fn costs_from(&self, start: Cell) -> Costs {
        self.dijkstra(&[start], |at, neighbour| self.step_cost(at, neighbour))
    }

    fn dijkstra(&self, roots: &[Cell], step: impl Fn(Cell, Cell) -> Option<u64>) -> Costs {
        let mut best: Vec<Option<u64>> = vec![None; self.count()];
        let mut open = BinaryHeap::new();
        for &root in roots.iter().filter(|&&root| self.is_open(root)) {
            best[self.index(root)] = Some(0);
            open.push((Reverse(0), root));
        }
        while let Some((Reverse(cost), at)) = open.pop() {
            if best[self.index(at)] != Some(cost) {
                continue; // reached more cheaply since
            }
            for neighbour in self.around(at) {
                let Some(step) = step(at, neighbour) else {
                    continue;
                };
                let known = &mut best[self.index(neighbour)];
                if known.is_none_or(|known| cost + step < known) {
                    *known = Some(cost + step);
                    open.push((Reverse(cost + step), neighbour));
                }
            }
        }
        Costs {
            width: self.width,
            costs: best,
        }
    }

    /// Takes in what was seen. Says whether that changes what can be crossed, or its cost.
    pub fn see(&mut self, seen: Observation) -> bool {
        let (fact, seen) = match seen {
            Observation::Weight(cell, weight) => {
                let index = self.index(cell);
                let was = std::mem::replace(&mut self.weights[index], u64::from(weight));
                return was != u64::from(weight);
            }
            Observation::Cell(cell, seen) => {
                let index = self.index(cell);
                (&mut self.cells[index], seen)
            }
            Observation::Wall(cell, side, seen) => {
                let Some(beyond) = self.beyond(cell, side) else {
                    return false;
                };
                let (cell, beyond) = (self.index(cell), self.index(beyond));
                let fact = match side {
                    Side::East => &mut self.east[cell],
                    Side::South => &mut self.south[cell],
                    Side::West => &mut self.east[beyond],
                    Side::North => &mut self.south[beyond],
                };
                (fact, seen)
            }
        };
        let was = std::mem::replace(fact, seen);
        self.passable(was) != self.passable(seen)
    }

    /// Everything that was seen so far, as observations.
    pub fn observations(&self) -> Vec<Observation> {
        let mut all = Vec::new();
        for cell in self.cells() {
            if self.ground == Ground::Walled {
                for side in [Side::East, Side::South] {
                    if self.beyond(cell, side).is_some() {
                        all.push(Observation::Wall(cell, side, self.wall(cell, side)));
                    }
                }
            } else {
                all.push(Observation::Cell(cell, self.fact(cell)));
            }
            if self.weight(cell) > 1 {
                all.push(Observation::Weight(cell, self.weight(cell) as u8));
            }
        }
        all
    }
}

/// The side of `from` on which `to` lies, if they have one in common.
pub fn side(from: Cell, to: Cell) -> Option<Side> {
    let dx = i32::from(to.x) - i32::from(from.x);
    let dy = i32::from(to.y) - i32::from(from.y);
    match (dx, dy) {
        (0, 1) => Some(Side::South),
        (-1, 0) => Some(Side::West),
        (0, -1) => Some(Side::North),
        (1, 0) => Some(Side::East),
        _ => None,
    }
}

/// The cost of the cheapest way for each cell.
#[derive(Clone, Debug)]
pub struct Costs {
    width: u16,
    costs: Vec<Option<u64>>,
}

impl Costs {
    /// `None` where there is no way.
    pub fn of(&self, cell: Cell) -> Option<u64> {
        self.costs[usize::from(cell.y) * usize::from(self.width) + usize::from(cell.x)]
    }
}
