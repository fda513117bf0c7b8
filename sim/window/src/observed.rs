//! Everything that a robot has observed, so that another planner can be told.

use planner_core::{Cell, Observation, Side, map::Occupancy};

/// The occupancy of cells, or of the walls of a maze.
#[derive(Clone, Debug)]
pub struct ObservedMap {
    width: u16,
    height: u16,
    /// Row by row; always as many as there are cells.
    cells: Vec<Occupancy>,
    /// The same for the north and the west wall of each cell; outer walls are known from the start.
    walls: Vec<[Occupancy; 2]>,
}

impl ObservedMap {
    /// A map of which nothing is known but the outer walls.
    #[must_use]
    pub fn new((width, height): (u16, u16)) -> Self {
        let cells = usize::from(width) * usize::from(height);
        let outer = |is_outer| match is_outer {
            true => Occupancy::Blocked,
            false => Occupancy::Unknown,
        };
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Self {
            width,
            height,
            cells: vec![Occupancy::Unknown; cells],
            walls: places
                .map(|(x, y)| [outer(y == 0), outer(x == 0)])
                .collect(),
        }
    }

    fn index(&self, cell: Cell) -> Option<usize> {
        (cell.x < self.width && cell.y < self.height)
            .then(|| usize::from(cell.y) * usize::from(self.width) + usize::from(cell.x))
    }

    /// Records an observation.
    pub fn record(&mut self, seen: Observation) {
        match seen {
            Observation::Cell(cell, occupancy) => {
                if let Some(index) = self.index(cell) {
                    self.cells[index] = occupancy;
                }
            }
            Observation::Wall(cell, side, occupancy) => {
                let (owner, wall) = match side {
                    Side::North => (Some(cell), 0),
                    Side::South => (cell.neighbor(side), 0),
                    Side::West => (Some(cell), 1),
                    Side::East => (cell.neighbor(side), 1),
                };
                if let Some(index) = owner.and_then(|owner| self.index(owner)) {
                    self.walls[index][wall] = occupancy;
                }
            }
            Observation::Weight(..) => {}
        }
    }

    /// The occupancy of a cell.
    #[must_use]
    pub fn occupancy(&self, index: usize) -> Occupancy {
        self.cells.get(index).copied().unwrap_or_default()
    }

    /// The occupancy of the north and the west wall of each cell.
    #[must_use]
    pub fn walls(&self) -> &[[Occupancy; 2]] {
        &self.walls
    }

    /// Observations of all known cells.
    pub fn cells(&self) -> impl Iterator<Item = Observation> + '_ {
        let is_known = |(_, occupancy): &(Cell, Occupancy)| *occupancy != Occupancy::Unknown;
        self.places()
            .zip(self.cells.iter().copied())
            .filter(is_known)
            .map(|(cell, occupancy)| Observation::Cell(cell, occupancy))
    }

    /// Observations of all known walls.
    pub fn known_walls(&self) -> impl Iterator<Item = Observation> + '_ {
        self.places().zip(&self.walls).flat_map(|(cell, walls)| {
            let sides = [Side::North, Side::West].into_iter().zip(*walls);
            sides
                .filter(|(_, occupancy)| *occupancy != Occupancy::Unknown)
                .map(move |(side, occupancy)| Observation::Wall(cell, side, occupancy))
        })
    }

    fn places(&self) -> impl Iterator<Item = Cell> + use<> {
        let (width, height) = (self.width, self.height);
        (0..height).flat_map(move |y| (0..width).map(move |x| Cell::new(x, y)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_is_the_same_from_both_sides() {
        let mut observed = ObservedMap::new((3, 3));
        observed.record(Observation::Wall(
            Cell::new(1, 1),
            Side::East,
            Occupancy::Blocked,
        ));
        observed.record(Observation::Wall(
            Cell::new(1, 1),
            Side::South,
            Occupancy::Free,
        ));
        assert_eq!(
            observed.walls()[5],
            [Occupancy::Unknown, Occupancy::Blocked]
        );
        assert_eq!(observed.walls()[7], [Occupancy::Free, Occupancy::Unknown]);
        let inner = |seen: &Observation| matches!(seen, Observation::Wall(cell, ..) if cell.x > 0 && cell.y > 0);
        assert_eq!(observed.known_walls().filter(inner).count(), 2);
    }

    #[test]
    fn observations_are_returned_as_recorded() {
        let mut observed = ObservedMap::new((4, 2));
        let seen = [
            Observation::Cell(Cell::new(3, 1), Occupancy::Blocked),
            Observation::Cell(Cell::new(0, 0), Occupancy::Free),
        ];
        for seen in seen {
            observed.record(seen);
        }
        observed.record(Observation::Cell(Cell::new(9, 9), Occupancy::Blocked));
        assert_eq!(observed.cells().collect::<Vec<_>>(), [seen[1], seen[0]]);
    }
}
