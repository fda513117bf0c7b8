//! The maps of bench planners: flat tables.

use planner_core::{Cell, GoalsError, Observation, ObserveError, OffMap, Side, map::Occupancy};

use crate::world::Maze;

/// A flat table of cells and what is known of them.
pub trait BenchMap {
    /// Cells of the table.
    fn cells(&self) -> usize;

    /// The number of a cell.
    fn id(&self, cell: Cell) -> Result<usize, OffMap>;

    /// The cell of a number.
    fn cell(&self, id: usize) -> Cell;

    /// Neighbors of a cell: south, west, north and east, in the order of planner-core.
    fn neighbors(&self, id: usize) -> [usize; 4];

    /// Takes in what was seen and says what it changes, if anything.
    fn observe(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError>;

    /// The occupancy of a cell; outside, all is blocked.
    fn occupancy(&self, cell: Cell) -> Occupancy;

    /// The numbers of goals.
    fn goals(&self, cells: &[Cell]) -> Result<Vec<usize>, GoalsError> {
        let ids = cells.iter().map(|&cell| self.id(cell));
        let ids: Vec<usize> = ids.collect::<Result<_, _>>()?;
        match ids.is_empty() {
            true => Err(GoalsError::None),
            false => Ok(ids),
        }
    }
}

/// A change by an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pub is_blocked: bool,
    /// The cell, unless it is a wall that changed.
    pub cell: Option<usize>,
}

/// Facts about cells, a byte each, row by row. A blocked border surrounds them, so the neighbors
/// of a cell need no test against the edges: one spare column serves both sides of the rows.
#[derive(Clone, Debug)]
pub struct BorderedGrid {
    width: u16,
    height: u16,
    occupancies: Vec<Occupancy>,
}

impl BorderedGrid {
    /// A world of this size of which nothing is known.
    pub fn new((width, height): (u16, u16)) -> Self {
        let stride = usize::from(width) + 1;
        let mut occupancies = vec![Occupancy::Blocked; stride * (usize::from(height) + 2)];
        for row in occupancies.chunks_mut(stride).skip(1).take(height.into()) {
            row[..width.into()].fill(Occupancy::Unknown);
        }
        Self {
            width,
            height,
            occupancies,
        }
    }

    /// From a row to the next.
    pub fn stride(&self) -> usize {
        usize::from(self.width) + 1
    }

    /// Returns whether a cell may be entered, as far as is known.
    #[inline]
    pub fn is_passable(&self, id: usize) -> bool {
        self.occupancies[id] != Occupancy::Blocked
    }
}

impl BenchMap for BorderedGrid {
    fn cells(&self) -> usize {
        self.occupancies.len()
    }

    fn id(&self, cell: Cell) -> Result<usize, OffMap> {
        match cell.x < self.width && cell.y < self.height {
            true => Ok((usize::from(cell.y) + 1) * self.stride() + usize::from(cell.x)),
            false => Err(OffMap(cell)),
        }
    }

    fn cell(&self, id: usize) -> Cell {
        let (x, y) = (id % self.stride(), id / self.stride());
        // The first row is the border's.
        Cell::new(x as u16, y.saturating_sub(1) as u16)
    }

    #[inline]
    fn neighbors(&self, id: usize) -> [usize; 4] {
        let stride = self.stride();
        [id + stride, id - 1, id - stride, id + 1]
    }

    fn observe(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError> {
        let Observation::Cell(cell, occupancy) = seen else {
            return Err(ObserveError::Unsupported);
        };
        let id = self.id(cell)?;
        let was_passable = self.is_passable(id);
        self.occupancies[id] = occupancy;
        let is_blocked = !self.is_passable(id);
        let cell = Some(id);
        Ok((was_passable == is_blocked).then_some(Change { is_blocked, cell }))
    }

    fn occupancy(&self, cell: Cell) -> Occupancy {
        let id = self.id(cell);
        id.map_or(Occupancy::Blocked, |id| self.occupancies[id])
    }
}

/// Walls between cells, a byte for each cell, row by row.
#[derive(Clone, Debug)]
pub struct WallGrid {
    width: u16,
    height: u16,
    /// Bit `side` is set where a wall is known to stand.
    walls: Vec<u8>,
}

impl WallGrid {
    /// A maze of which the outer walls are known.
    pub fn new(maze: &Maze) -> Self {
        let outer = |cell: Cell| {
            let is_outer = |side: &Side| !cell.neighbor(*side).is_some_and(|c| maze.contains(c));
            let sides = Side::ALL.into_iter().filter(is_outer);
            sides.fold(0, |bits, side| bits | 1 << side as u8)
        };
        Self {
            width: maze.width(),
            height: maze.height(),
            walls: maze.cells().map(outer).collect(),
        }
    }
}

impl BenchMap for WallGrid {
    fn cells(&self) -> usize {
        self.walls.len()
    }

    fn id(&self, cell: Cell) -> Result<usize, OffMap> {
        match cell.x < self.width && cell.y < self.height {
            true => Ok(usize::from(cell.y) * usize::from(self.width) + usize::from(cell.x)),
            false => Err(OffMap(cell)),
        }
    }

    fn cell(&self, id: usize) -> Cell {
        let width = usize::from(self.width);
        Cell::new((id % width) as u16, (id / width) as u16)
    }

    /// A closed side leads back to the cell itself, which has its label.
    #[inline]
    fn neighbors(&self, id: usize) -> [usize; 4] {
        let row = usize::from(self.width);
        let walls = usize::from(self.walls[id]);
        let open = |side: usize, offset: usize| {
            id.wrapping_add(offset & (walls >> side & 1).wrapping_sub(1))
        };
        [
            open(0, row),
            open(1, usize::MAX),
            open(2, row.wrapping_neg()),
            open(3, 1),
        ]
    }

    fn observe(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError> {
        let Observation::Wall(cell, side, occupancy) = seen else {
            return Err(ObserveError::Unsupported);
        };
        let id = self.id(cell)?;
        let Some(there) = cell.neighbor(side).and_then(|cell| self.id(cell).ok()) else {
            return Ok(None);
        };
        let is_blocked = occupancy == Occupancy::Blocked;
        if (self.walls[id] & 1 << side as u8 != 0) == is_blocked {
            return Ok(None);
        }
        self.walls[id] ^= 1 << side as u8;
        self.walls[there] ^= 1 << side.opposite() as u8;
        let cell = None;
        Ok(Some(Change { is_blocked, cell }))
    }

    fn occupancy(&self, cell: Cell) -> Occupancy {
        match self.id(cell) {
            Ok(_) => Occupancy::Free,
            Err(_) => Occupancy::Blocked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_beyond_the_edges_are_blocked() {
        let known = BorderedGrid::new((3, 2));
        let open = |x, y| {
            let id = known.id(Cell::new(x, y)).unwrap();
            assert_eq!(known.cell(id), Cell::new(x, y));
            known.neighbors(id).map(|id| known.is_passable(id))
        };
        assert_eq!(open(0, 0), [true, false, false, true]);
        assert_eq!(open(2, 1), [false, true, true, false]);
        assert_eq!(open(1, 1), [false, true, true, true]);
    }

    #[test]
    fn only_a_change_of_passability_is_a_change() {
        let mut known = BorderedGrid::new((2, 1));
        let cell = Cell::new(1, 0);
        let mut see = |occupancy| {
            let change = known.observe(Observation::Cell(cell, occupancy)).unwrap();
            change.map(|change| change.is_blocked)
        };
        assert_eq!(see(Occupancy::Free), None);
        assert_eq!(see(Occupancy::Blocked), Some(true));
        assert_eq!(see(Occupancy::Blocked), None);
        assert_eq!(see(Occupancy::Unknown), Some(false));
    }
}
