//! What a robot has been shown of its world, so that another planner can be told.

use planner_core::{Cell, Observation, Side, map::Occupancy};
use sim::world::maze::neighbour;

/// Facts about cells, or about the walls of a maze.
#[derive(Clone, Debug)]
pub struct Known {
    width: u16,
    height: u16,
    /// Row by row; always as many as there are cells.
    cells: Vec<Occupancy>,
    /// The same for the north and the west wall of each cell; outer walls are known from the start.
    walls: Vec<[Occupancy; 2]>,
}

impl Known {
    /// Nothing is known.
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

    /// Takes in what was seen.
    pub fn note(&mut self, seen: Observation) {
        match seen {
            Observation::Cell(cell, fact) => {
                if let Some(index) = self.index(cell) {
                    self.cells[index] = fact;
                }
            }
            Observation::Wall(cell, side, fact) => {
                let (owner, place) = match side {
                    Side::North => (cell, 0),
                    Side::South => (neighbour(cell, side), 0),
                    Side::West => (cell, 1),
                    Side::East => (neighbour(cell, side), 1),
                };
                if let Some(index) = self.index(owner) {
                    self.walls[index][place] = fact;
                }
            }
            Observation::Weight(..) => {}
        }
    }

    /// What is known of a cell.
    #[must_use]
    pub fn fact(&self, index: usize) -> Occupancy {
        self.cells.get(index).copied().unwrap_or_default()
    }

    /// What is known of the north and the west wall of each cell.
    #[must_use]
    pub fn walls(&self) -> &[[Occupancy; 2]] {
        &self.walls
    }

    /// All that is known of cells.
    pub fn of_cells(&self) -> impl Iterator<Item = Observation> + '_ {
        let is_known = |(_, fact): &(Cell, Occupancy)| *fact != Occupancy::Unknown;
        self.places()
            .zip(self.cells.iter().copied())
            .filter(is_known)
            .map(|(cell, fact)| Observation::Cell(cell, fact))
    }

    /// All that is known of walls.
    pub fn of_walls(&self) -> impl Iterator<Item = Observation> + '_ {
        self.places().zip(&self.walls).flat_map(|(cell, facts)| {
            let sides = [Side::North, Side::West].into_iter().zip(*facts);
            sides
                .filter(|(_, fact)| *fact != Occupancy::Unknown)
                .map(move |(side, fact)| Observation::Wall(cell, side, fact))
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
        let mut known = Known::new((3, 3));
        known.note(Observation::Wall(
            Cell::new(1, 1),
            Side::East,
            Occupancy::Blocked,
        ));
        known.note(Observation::Wall(
            Cell::new(1, 1),
            Side::South,
            Occupancy::Free,
        ));
        assert_eq!(known.walls()[5], [Occupancy::Unknown, Occupancy::Blocked]);
        assert_eq!(known.walls()[7], [Occupancy::Free, Occupancy::Unknown]);
        let inner = |seen: &Observation| matches!(seen, Observation::Wall(cell, ..) if cell.x > 0 && cell.y > 0);
        assert_eq!(known.of_walls().filter(inner).count(), 2);
    }

    #[test]
    fn what_is_told_again_is_what_was_seen() {
        let mut known = Known::new((4, 2));
        let seen = [
            Observation::Cell(Cell::new(3, 1), Occupancy::Blocked),
            Observation::Cell(Cell::new(0, 0), Occupancy::Free),
        ];
        for seen in seen {
            known.note(seen);
        }
        known.note(Observation::Cell(Cell::new(9, 9), Occupancy::Blocked));
        assert_eq!(known.of_cells().collect::<Vec<_>>(), [seen[1], seen[0]]);
    }
}
