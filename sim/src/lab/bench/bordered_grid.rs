//! The map of bench planners: one flat table with a border.

use planner_core::{Cell, GoalsError, Observation, ObserveError, OffMap, map::Occupancy};

/// Facts about cells, a byte each, row by row. A blocked border surrounds them, so the neighbors
/// of a cell need no test against the edges: one spare column serves both sides of the rows.
#[derive(Clone, Debug)]
pub struct BorderedGrid {
    width: u16,
    height: u16,
    occupancies: Vec<Occupancy>,
}

/// A change by an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Blocked(usize),
    Freed(usize),
}

impl BorderedGrid {
    /// A world of this size of which nothing is known.
    #[must_use]
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
    #[must_use]
    pub fn stride(&self) -> usize {
        usize::from(self.width) + 1
    }

    /// Cells, border included.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.occupancies.len()
    }

    /// The number of a cell.
    ///
    /// # Errors
    /// The cell is outside the world.
    pub fn id(&self, cell: Cell) -> Result<usize, OffMap> {
        if cell.x < self.width && cell.y < self.height {
            Ok((usize::from(cell.y) + 1) * self.stride() + usize::from(cell.x))
        } else {
            Err(OffMap(cell))
        }
    }

    /// The numbers of goals.
    ///
    /// # Errors
    /// There are none, or one is outside the world.
    pub fn goals(&self, cells: &[Cell]) -> Result<Vec<usize>, GoalsError> {
        let ids: Vec<usize> = cells
            .iter()
            .map(|&cell| self.id(cell))
            .collect::<Result<_, _>>()?;
        if ids.is_empty() {
            return Err(GoalsError::None);
        }
        Ok(ids)
    }

    /// The cell of a number.
    #[must_use]
    pub fn cell(&self, id: usize) -> Cell {
        let (x, y) = (id % self.stride(), id / self.stride());
        // The first row is the border's.
        Cell::new(x as u16, y.saturating_sub(1) as u16)
    }

    /// The four neighbors: south, west, north and east, as the planners of the core order them.
    #[inline]
    #[must_use]
    pub fn neighbors(stride: usize, id: usize) -> [usize; 4] {
        [id + stride, id - 1, id - stride, id + 1]
    }

    /// The occupancy of a cell; outside, all is blocked.
    #[must_use]
    pub fn occupancy(&self, cell: Cell) -> Occupancy {
        self.id(cell)
            .map_or(Occupancy::Blocked, |id| self.occupancies[id])
    }

    /// Returns whether a cell may be entered, as far as is known.
    #[inline]
    #[must_use]
    pub fn is_passable(&self, id: usize) -> bool {
        self.occupancies[id] != Occupancy::Blocked
    }

    /// Takes in what was seen and says what it changes, if anything.
    ///
    /// # Errors
    /// The cell is outside, or it is not a cell that was seen.
    pub fn observe(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError> {
        let Observation::Cell(cell, occupancy) = seen else {
            return Err(ObserveError::Unsupported);
        };
        let id = self.id(cell)?;
        let was_passable = self.is_passable(id);
        self.occupancies[id] = occupancy;
        Ok(match (was_passable, self.is_passable(id)) {
            (true, false) => Some(Change::Blocked(id)),
            (false, true) => Some(Change::Freed(id)),
            _ => None,
        })
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
            BorderedGrid::neighbors(known.stride(), id).map(|id| known.is_passable(id))
        };
        assert_eq!(open(0, 0), [true, false, false, true]);
        assert_eq!(open(2, 1), [false, true, true, false]);
        assert_eq!(open(1, 1), [false, true, true, true]);
        assert!(known.id(Cell::new(3, 0)).is_err());
        assert!(known.id(Cell::new(0, 2)).is_err());
    }

    #[test]
    fn only_a_change_of_passability_is_a_change() {
        let mut known = BorderedGrid::new((2, 1));
        let cell = Cell::new(1, 0);
        let id = known.id(cell).unwrap();
        let mut see = |occupancy| known.observe(Observation::Cell(cell, occupancy)).unwrap();
        assert_eq!(see(Occupancy::Free), None);
        assert_eq!(see(Occupancy::Blocked), Some(Change::Blocked(id)));
        assert_eq!(see(Occupancy::Blocked), None);
        assert_eq!(see(Occupancy::Unknown), Some(Change::Freed(id)));
    }
}
