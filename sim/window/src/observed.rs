//! Everything that a robot has observed, so that another planner can be told.

use planner_core::{
    BuildError, Cell, Observation, Side,
    map::{CellMap, Map, Occupancy, WallMap},
    storage::Boxed,
};
use sim::{catalog, world::World};

/// A map of the cells, or of the walls of a maze.
#[derive(Debug)]
pub enum ObservedMap {
    Cells(CellMap<Boxed>),
    Walls(WallMap<Boxed>),
}

impl ObservedMap {
    /// A map of a world of which nothing is known but the outer walls.
    ///
    /// # Errors
    /// The world has no cells.
    pub fn new(world: &World) -> Result<Self, BuildError> {
        Ok(match world {
            World::Cells(_) => Self::Cells(catalog::cell_map(world.size(), None)?),
            World::Walls(maze) => Self::Walls(catalog::wall_map(maze, false)?),
        })
    }

    /// Records an observation.
    pub fn record(&mut self, observation: Observation) {
        // Observations off the map do not count.
        let _ = match self {
            Self::Cells(map) => map.observe(observation),
            Self::Walls(map) => map.observe(observation),
        };
    }

    /// The occupancy of a cell; in a maze, unknown.
    pub fn occupancy(&self, cell: Cell) -> Occupancy {
        match self {
            Self::Cells(map) => map.occupancy(cell),
            Self::Walls(_) => Occupancy::Unknown,
        }
    }

    /// The occupancy of the north and the west wall of a cell.
    pub fn walls(&self, cell: Cell) -> Option<[Occupancy; 2]> {
        let Self::Walls(map) = self else {
            return None;
        };
        let wall = |side| map.wall(cell, side).unwrap_or(Occupancy::Blocked);
        Some([Side::North, Side::West].map(wall))
    }

    /// Observations of all that is known of these cells.
    pub fn observations(
        &self,
        cells: impl Iterator<Item = Cell>,
    ) -> impl Iterator<Item = Observation> {
        cells.flat_map(|cell| {
            let walls = [Side::North, Side::West].into_iter();
            let walls = walls.zip(self.walls(cell).into_iter().flatten());
            let walls = walls.map(move |(side, wall)| (wall, Observation::Wall(cell, side, wall)));
            let occupancy = self.occupancy(cell);
            std::iter::once((occupancy, Observation::Cell(cell, occupancy)))
                .chain(walls)
                .filter(|(occupancy, _)| *occupancy != Occupancy::Unknown)
                .map(|(_, observation)| observation)
        })
    }
}

#[cfg(test)]
mod tests {
    use sim::world::{Grid, Maze};

    use super::*;

    #[test]
    fn a_wall_is_the_same_from_both_sides() {
        let maze = Maze::open(3, 3).unwrap();
        let mut observed = ObservedMap::new(&World::Walls(maze.clone())).unwrap();
        let cell = Cell::new(1, 1);
        observed.record(Observation::Wall(cell, Side::East, Occupancy::Blocked));
        observed.record(Observation::Wall(cell, Side::South, Occupancy::Free));
        let unknown = Occupancy::Unknown;
        let east = observed.walls(Cell::new(2, 1));
        assert_eq!(east, Some([unknown, Occupancy::Blocked]));
        let south = observed.walls(Cell::new(1, 2));
        assert_eq!(south, Some([Occupancy::Free, unknown]));
        let inner = |seen: &Observation| matches!(seen, Observation::Wall(cell, ..) if cell.x > 0 && cell.y > 0);
        let observations = observed.observations(maze.cells());
        assert_eq!(observations.filter(inner).count(), 2);
    }

    #[test]
    fn observations_are_returned_as_recorded() {
        let grid = Grid::filled(4, 2, false).unwrap();
        let mut observed = ObservedMap::new(&World::Cells(grid.clone())).unwrap();
        let seen = [
            Observation::Cell(Cell::new(3, 1), Occupancy::Blocked),
            Observation::Cell(Cell::new(0, 0), Occupancy::Free),
        ];
        for seen in seen {
            observed.record(seen);
        }
        observed.record(Observation::Cell(Cell::new(9, 9), Occupancy::Blocked));
        let known: Vec<_> = observed.observations(grid.cells()).collect();
        assert_eq!(known, [seen[1], seen[0]]);
    }
}
