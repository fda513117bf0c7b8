//! The tests' own model of a world, plain Dijkstra on it, and random worlds.
//!
//! Nothing here uses the maps of the crate: what a step is and costs is written down a second time, as
//! directly as possible, to be compared with.

use std::{cmp::Reverse, collections::BinaryHeap};

use planner_core::{Cell, Observation, Side, map::Occupancy};
use rand::{Rng, RngExt, seq::IndexedRandom};

/// When a diagonal step may pass blocked corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corners {
    /// Both corner cells must be passable.
    NeverCut,
    /// One of them must be.
    OnePassable,
    /// Neither need be.
    Cut,
}

/// Treatment of unknown space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknown {
    #[default]
    AsFree,
    AsBlocked,
}

/// Possible steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connectivity {
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

impl Connectivity {
    /// The cost of a path between two cells without obstacles.
    pub fn distance(self, a: Cell, b: Cell) -> u64 {
        let (dx, dy) = (u64::from(a.x.abs_diff(b.x)), u64::from(a.y.abs_diff(b.y)));
        match self {
            Self::Eight {
                straight, diagonal, ..
            } => dx.min(dy) * diagonal + dx.abs_diff(dy) * straight,
            Self::Four | Self::Walled => dx + dy,
        }
    }
}

/// A terrain by name, for tests that do not depend on its type.
#[derive(Clone, Copy, Debug)]
pub struct Terrain {
    pub name: &'static str,
    pub connectivity: Connectivity,
    /// True if cells have weights.
    pub weighted: bool,
    /// The largest weight of a cell.
    pub heaviest: u8,
}

/// Knowledge of a world, or, with nothing unknown in it, the world itself.
#[derive(Clone, Debug)]
pub struct World {
    pub width: u16,
    pub height: u16,
    pub connectivity: Connectivity,
    pub unknown: Unknown,
    cells: Vec<Occupancy>,
    /// Walls on the south and on the east side of each cell; the outer ones do not count.
    walls: Vec<[Occupancy; 2]>,
    weights: Vec<u64>,
}

impl World {
    /// A world of which only the outer walls are known; all weights are one.
    pub fn new(width: u16, height: u16, connectivity: Connectivity, unknown: Unknown) -> Self {
        let count = usize::from(width) * usize::from(height);
        Self {
            width,
            height,
            connectivity,
            unknown,
            cells: vec![Occupancy::Unknown; count],
            walls: vec![[Occupancy::Unknown; 2]; count],
            weights: vec![1; count],
        }
    }

    /// A square world of which nothing is known, where the unknown is free.
    pub fn square(side: u16, connectivity: Connectivity) -> Self {
        Self::new(side, side, connectivity, Unknown::AsFree)
    }

    /// Walls from alternate sides: the longest path there is, and a dead end in every corridor.
    pub fn serpentine(side: u16, connectivity: Connectivity) -> Self {
        let mut world = Self::square(side, connectivity);
        for y in (1..side).step_by(2) {
            let gap = if y % 4 == 1 { side - 1 } else { 0 };
            for x in (0..side).filter(|&x| x != gap) {
                world.block(Cell::new(x, y));
            }
        }
        world
    }

    /// A corridor that winds from the north-west corner to the middle.
    pub fn spiral(side: u16, connectivity: Connectivity) -> Self {
        let mut world = Self::square(side, connectivity);
        for ring in (1..side / 2).step_by(2) {
            let last = side - 1 - ring;
            for n in ring..=last {
                world.block(Cell::new(n, ring));
                world.block(Cell::new(n, last));
                world.block(Cell::new(last, n));
                if n != ring + 1 {
                    world.block(Cell::new(ring, n));
                }
            }
        }
        world
    }

    /// Corridors side by side that end blindly, open at the top.
    pub fn comb(side: u16, connectivity: Connectivity) -> Self {
        let mut world = Self::square(side, connectivity);
        for cell in world.cells().filter(|cell| cell.x % 2 == 1 && cell.y > 0) {
            world.block(cell);
        }
        world
    }

    /// A world of the same shape of which nothing is known.
    pub fn unseen(&self) -> Self {
        Self::new(self.width, self.height, self.connectivity, self.unknown)
    }

    pub fn count(&self) -> usize {
        self.cells.len()
    }

    pub fn index(&self, cell: Cell) -> usize {
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
        const SIDES: [(i16, i16); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];
        const CORNERS: [(i16, i16); 4] = [(1, -1), (1, 1), (-1, 1), (-1, -1)];
        let offsets = SIDES.into_iter().chain(CORNERS);
        offsets.filter_map(move |(dx, dy)| self.offset(cell, dx, dy))
    }

    /// The cell on a side of a cell, if there is one.
    pub fn neighbor(&self, cell: Cell, side: Side) -> Option<Cell> {
        let neighbor = cell.neighbor(side)?;
        (neighbor.x < self.width && neighbor.y < self.height).then_some(neighbor)
    }

    /// The cell that a step across a side leads to, if it can be made.
    pub fn step(&self, from: Cell, side: Side) -> Option<Cell> {
        let to = self.neighbor(from, side)?;
        self.step_cost(from, to).map(|_| to)
    }

    fn is_free(&self, occupancy: Occupancy) -> bool {
        match occupancy {
            Occupancy::Free => true,
            Occupancy::Blocked => false,
            Occupancy::Unknown => self.unknown == Unknown::AsFree,
        }
    }

    pub fn occupancy(&self, cell: Cell) -> Occupancy {
        self.cells[self.index(cell)]
    }

    /// The place of the wall on a side of a cell; `None` for an outer wall.
    fn wall_at(&self, cell: Cell, side: Side) -> Option<(usize, usize)> {
        let beyond = self.neighbor(cell, side)?;
        Some(match side {
            Side::South => (self.index(cell), 0),
            Side::East => (self.index(cell), 1),
            Side::North => (self.index(beyond), 0),
            Side::West => (self.index(beyond), 1),
        })
    }

    pub fn wall(&self, cell: Cell, side: Side) -> Occupancy {
        let wall = self.wall_at(cell, side);
        wall.map_or(Occupancy::Blocked, |(n, side)| self.walls[n][side])
    }

    pub fn weight(&self, cell: Cell) -> u64 {
        self.weights[self.index(cell)]
    }

    /// Returns whether a robot may stand on a cell.
    pub fn is_passable(&self, cell: Cell) -> bool {
        self.connectivity == Connectivity::Walled || self.is_free(self.occupancy(cell))
    }

    /// The cost of the step between two cells, if it can be made.
    pub fn step_cost(&self, from: Cell, to: Cell) -> Option<u64> {
        if !self.is_passable(from) || !self.is_passable(to) {
            return None;
        }
        let plain = match (to.x.abs_diff(from.x), to.y.abs_diff(from.y)) {
            (0, 1) | (1, 0) => match self.connectivity {
                Connectivity::Four => 1,
                Connectivity::Eight { straight, .. } => straight,
                Connectivity::Walled => self
                    .is_free(self.wall(from, Side::between(from, to)?))
                    .then_some(1)?,
            },
            (1, 1) => {
                let Connectivity::Eight {
                    corners, diagonal, ..
                } = self.connectivity
                else {
                    return None;
                };
                let one = self.is_passable(Cell::new(from.x, to.y));
                let other = self.is_passable(Cell::new(to.x, from.y));
                let allowed = match corners {
                    Corners::NeverCut => one && other,
                    Corners::OnePassable => one || other,
                    Corners::Cut => true,
                };
                allowed.then_some(diagonal)?
            }
            _ => return None,
        };
        Some(plain * self.weight(to))
    }

    /// The cost of a path that begins with a step, where `costs` are those from its end.
    pub fn cost_through(&self, from: Cell, to: Cell, costs: &Costs) -> Option<u64> {
        Some(self.step_cost(from, to)? + costs.of(to)?)
    }

    /// The cells that can be stepped to from a cell.
    pub fn steps(&self, from: Cell) -> Vec<Cell> {
        let possible = |&to: &Cell| self.step_cost(from, to).is_some();
        self.around(from).filter(possible).collect()
    }

    /// The costs of the shortest paths from everywhere to the nearest of `goals`.
    pub fn costs_to(&self, goals: &[Cell]) -> Costs {
        self.dijkstra(goals, |at, neighbor| self.step_cost(neighbor, at))
    }

    /// The costs of the shortest paths from `start` to everywhere.
    pub fn costs_from(&self, start: Cell) -> Costs {
        self.dijkstra(&[start], |at, neighbor| self.step_cost(at, neighbor))
    }

    fn dijkstra(&self, roots: &[Cell], step: impl Fn(Cell, Cell) -> Option<u64>) -> Costs {
        let mut best: Vec<Option<u64>> = vec![None; self.count()];
        let mut open = BinaryHeap::new();
        for &root in roots.iter().filter(|&&root| self.is_passable(root)) {
            best[self.index(root)] = Some(0);
            open.push((Reverse(0), root));
        }
        while let Some((Reverse(cost), at)) = open.pop() {
            if best[self.index(at)] != Some(cost) {
                continue; // reached at a lower cost since
            }
            for neighbor in self.around(at) {
                let Some(step) = step(at, neighbor) else {
                    continue;
                };
                let known = &mut best[self.index(neighbor)];
                if known.is_none_or(|known| cost + step < known) {
                    *known = Some(cost + step);
                    open.push((Reverse(cost + step), neighbor));
                }
            }
        }
        Costs {
            width: self.width,
            costs: best,
        }
    }

    /// Takes in an observation; `true` when it changes a possible step or its cost.
    pub fn observe(&mut self, seen: Observation) -> bool {
        let (occupancy, seen) = match seen {
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
                let Some((n, side)) = self.wall_at(cell, side) else {
                    return false;
                };
                (&mut self.walls[n][side], seen)
            }
        };
        let was = std::mem::replace(occupancy, seen);
        self.is_free(was) != self.is_free(seen)
    }

    pub fn block(&mut self, cell: Cell) {
        self.observe(Observation::Cell(cell, Occupancy::Blocked));
    }

    /// Everything that was seen so far, as observations.
    pub fn observations(&self) -> Vec<Observation> {
        let mut all = Vec::new();
        for cell in self.cells() {
            if self.connectivity == Connectivity::Walled {
                for side in [Side::East, Side::South] {
                    if self.neighbor(cell, side).is_some() {
                        all.push(Observation::Wall(cell, side, self.wall(cell, side)));
                    }
                }
            } else {
                all.push(Observation::Cell(cell, self.occupancy(cell)));
            }
            if self.weight(cell) > 1 {
                all.push(Observation::Weight(cell, self.weight(cell) as u8));
            }
        }
        all
    }

    /// Observations of a cell: its own occupancy or its walls, and its weight.
    pub fn observations_of(&self, cell: Cell, weighted: bool) -> Vec<Observation> {
        let mut seen = self.states_of(cell, &Side::ALL);
        for seen in &mut seen {
            match seen {
                Observation::Wall(_, side, occupancy) => *occupancy = self.wall(cell, *side),
                Observation::Cell(_, occupancy) => *occupancy = self.occupancy(cell),
                Observation::Weight(..) => (),
            }
        }
        if weighted {
            seen.push(Observation::Weight(cell, self.weight(cell) as u8));
        }
        seen
    }

    /// Observations of a robot at a cell: the cells around it, or its walls. All that is not blocked is free.
    pub fn observations_at(&self, at: Cell, weighted: bool) -> Vec<Observation> {
        let cells: Vec<Cell> = match self.connectivity {
            Connectivity::Walled => vec![at],
            _ => self.around(at).chain([at]).collect(),
        };
        let mut seen: Vec<_> = cells
            .into_iter()
            .flat_map(|cell| self.observations_of(cell, weighted))
            .collect();
        for seen in &mut seen {
            if let Observation::Cell(_, state) | Observation::Wall(_, _, state) = seen
                && *state == Occupancy::Unknown
            {
                *state = Occupancy::Free;
            }
        }
        seen
    }

    /// The observations to make of a cell and its sides, all unknown.
    fn states_of(&self, cell: Cell, sides: &[Side]) -> Vec<Observation> {
        let wall = |&side: &Side| Observation::Wall(cell, side, Occupancy::Unknown);
        match self.connectivity {
            Connectivity::Walled => sides.iter().map(wall).collect(),
            _ => vec![Observation::Cell(cell, Occupancy::Unknown)],
        }
    }

    /// Observes a state of a cell, or of all its walls.
    pub fn states(&self, cell: Cell, occupancy: Occupancy) -> Vec<Observation> {
        let states = self.states_of(cell, &Side::ALL).into_iter();
        states.map(|seen| with_state(seen, occupancy)).collect()
    }

    /// Draws the state of each cell, or of each wall.
    pub fn fill(&mut self, mut draw: impl FnMut() -> Occupancy) {
        for cell in self.cells() {
            for seen in self.states_of(cell, &[Side::East, Side::South]) {
                self.observe(with_state(seen, draw()));
            }
        }
    }

    /// Draws the weight of each cell.
    pub fn weigh(&mut self, rng: &mut impl Rng, heaviest: u8) {
        for cell in self.cells() {
            self.observe(Observation::Weight(cell, rng.random_range(1..=heaviest)));
        }
    }

    /// Turns the world into a maze with a few loops.
    pub fn carve_maze(&mut self, rng: &mut impl Rng) {
        self.fill(|| Occupancy::Blocked);
        // Rooms of a walled maze are next to each other; those of a maze of cells have one between.
        let pace = if self.connectivity == Connectivity::Walled {
            1
        } else {
            2
        };
        let start = Cell::new(0, 0);
        let (mut visited, mut trail) = (vec![start], vec![start]);
        self.observe(Observation::Cell(start, Occupancy::Free));
        while let Some(&at) = trail.last() {
            let next: Vec<(Cell, Side)> = Side::ALL
                .into_iter()
                .filter_map(|side| {
                    let mut to = at;
                    for _ in 0..pace {
                        to = self.neighbor(to, side)?;
                    }
                    (!visited.contains(&to)).then_some((to, side))
                })
                .collect();
            let Some(&(to, side)) = next.choose(rng) else {
                trail.pop();
                continue;
            };
            let between = self.neighbor(at, side).expect("it is between two rooms");
            self.observe(Observation::Wall(at, side, Occupancy::Free));
            self.observe(Observation::Cell(between, Occupancy::Free));
            self.observe(Observation::Cell(to, Occupancy::Free));
            visited.push(to);
            trail.push(to);
        }
        for cell in self.cells() {
            for seen in self.states_of(cell, &[Side::East, Side::South]) {
                if rng.random_bool(0.05) {
                    self.observe(with_state(seen, Occupancy::Free));
                }
            }
        }
    }

    pub fn random_cell(&self, rng: &mut impl Rng) -> Cell {
        self.nth(rng.random_range(0..self.count()))
    }

    /// A cell that is passable, unless hardly any is.
    pub fn random_passable(&self, rng: &mut impl Rng) -> Cell {
        let mut cells = std::iter::repeat_with(|| self.random_cell(rng));
        let last = cells.next().expect("it has no end");
        let found = cells.take(1000).find(|&cell| self.is_passable(cell));
        found.unwrap_or(last)
    }

    /// Some cell or wall, seen in a state.
    pub fn random_state(&self, rng: &mut impl Rng, occupancy: Occupancy) -> Observation {
        let (cell, side) = (self.random_cell(rng), Side::ALL[rng.random_range(0..4)]);
        with_state(self.states_of(cell, &[side])[0], occupancy)
    }
}

/// The same observation with another occupancy.
fn with_state(seen: Observation, occupancy: Occupancy) -> Observation {
    match seen {
        Observation::Cell(cell, _) => Observation::Cell(cell, occupancy),
        Observation::Wall(cell, side, _) => Observation::Wall(cell, side, occupancy),
        weight @ Observation::Weight(..) => weight,
    }
}

/// Blocked with a probability, or else free.
pub fn blocked_with(rng: &mut impl Rng, probability: f64) -> Occupancy {
    match rng.random_bool(probability) {
        true => Occupancy::Blocked,
        false => Occupancy::Free,
    }
}

/// A world and two different passable cells in it; with a path between them if it is to be `solvable`.
pub fn problem<R: Rng>(
    rng: &mut R,
    solvable: bool,
    mut draw: impl FnMut(&mut R) -> World,
) -> (World, (Cell, Cell)) {
    loop {
        let world = draw(rng);
        let (start, goal) = (world.random_passable(rng), world.random_passable(rng));
        let is_passable = world.is_passable(start) && world.is_passable(goal);
        let is_solved = || world.costs_to(&[goal]).of(start).is_some();
        if start != goal && is_passable && (!solvable || is_solved()) {
            return (world, (start, goal));
        }
    }
}

/// The cost of the shortest path for each cell.
#[derive(Clone, Debug)]
pub struct Costs {
    width: u16,
    costs: Vec<Option<u64>>,
}

impl Costs {
    /// `None` where there is no path.
    pub fn of(&self, cell: Cell) -> Option<u64> {
        self.costs[usize::from(cell.y) * usize::from(self.width) + usize::from(cell.x)]
    }
}
