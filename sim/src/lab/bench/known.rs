//! What a bench planner knows of the world: one flat table with a border.

use planner_core::{Cell, GoalsError, Observation, ObserveError, OffMap, map::Occupancy};

/// Facts about cells, a byte each, row by row. A blocked border surrounds them, so the neighbours
/// of a cell need no test against the edges: one spare column serves both sides of the rows.
#[derive(Clone, Debug)]
pub struct Known {
    width: u16,
    height: u16,
    facts: Vec<Occupancy>,
}

/// What an observation changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Closed(usize),
    Opened(usize),
}

impl Known {
    /// A world of this size of which nothing is known.
    #[must_use]
    pub fn new((width, height): (u16, u16)) -> Self {
        let stride = usize::from(width) + 1;
        let mut facts = vec![Occupancy::Blocked; stride * (usize::from(height) + 2)];
        for row in facts.chunks_mut(stride).skip(1).take(height.into()) {
            row[..width.into()].fill(Occupancy::Unknown);
        }
        Self {
            width,
            height,
            facts,
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
        self.facts.len()
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

    /// The four neighbours: south, west, north and east, as the planners of the core order them.
    #[inline]
    #[must_use]
    pub fn neighbours(stride: usize, id: usize) -> [usize; 4] {
        [id + stride, id - 1, id - stride, id + 1]
    }

    /// What is known of a cell; outside, all is blocked.
    #[must_use]
    pub fn occupancy(&self, cell: Cell) -> Occupancy {
        self.id(cell)
            .map_or(Occupancy::Blocked, |id| self.facts[id])
    }

    /// Whether a cell may be entered, as far as is known.
    #[inline]
    #[must_use]
    pub fn is_open(&self, id: usize) -> bool {
        self.facts[id] != Occupancy::Blocked
    }

    /// Takes in what was seen and says what it changes, if anything.
    ///
    /// # Errors
    /// The cell is outside, or it is not a cell that was seen.
    pub fn observe(&mut self, seen: Observation) -> Result<Option<Change>, ObserveError> {
        let Observation::Cell(cell, fact) = seen else {
            return Err(ObserveError::Unsupported);
        };
        let id = self.id(cell)?;
        let was_open = self.is_open(id);
        self.facts[id] = fact;
        Ok(match (was_open, self.is_open(id)) {
            (true, false) => Some(Change::Closed(id)),
            (false, true) => Some(Change::Opened(id)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_beyond_the_edges_are_blocked() {
        let known = Known::new((3, 2));
        let open = |x, y| {
            let id = known.id(Cell::new(x, y)).unwrap();
            assert_eq!(known.cell(id), Cell::new(x, y));
            Known::neighbours(known.stride(), id).map(|id| known.is_open(id))
        };
        assert_eq!(open(0, 0), [true, false, false, true]);
        assert_eq!(open(2, 1), [false, true, true, false]);
        assert_eq!(open(1, 1), [false, true, true, true]);
        assert!(known.id(Cell::new(3, 0)).is_err());
        assert!(known.id(Cell::new(0, 2)).is_err());
    }

    #[test]
    fn only_what_closes_or_opens_a_cell_is_a_change() {
        let mut known = Known::new((2, 1));
        let cell = Cell::new(1, 0);
        let id = known.id(cell).unwrap();
        let mut see = |fact| known.observe(Observation::Cell(cell, fact)).unwrap();
        assert_eq!(see(Occupancy::Free), None);
        assert_eq!(see(Occupancy::Blocked), Some(Change::Closed(id)));
        assert_eq!(see(Occupancy::Blocked), None);
        assert_eq!(see(Occupancy::Unknown), Some(Change::Opened(id)));
    }
}
