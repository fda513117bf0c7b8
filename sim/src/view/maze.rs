//! A maze drawn with cells, so that every view shows it: a cell is every other cell of every other
//! row, and the walls and posts are what lies between.

use std::collections::HashSet;

use planner_core::{Cell, Inspect, Side, map::Occupancy};

use crate::world::{Maze, maze::SIDES};

/// What a robot that has been at some cells knows of a maze, in cells.
pub struct Drawn<'a> {
    planner: &'a dyn Inspect,
    maze: &'a Maze,
    /// The cells of the maze that the robot has been at.
    walked: HashSet<Cell>,
}

impl<'a> Drawn<'a> {
    /// The maze as a planner knows it whose robot has come along `trail`.
    #[must_use]
    pub fn new(planner: &'a dyn Inspect, maze: &'a Maze, trail: &[Cell]) -> Self {
        Self {
            planner,
            maze,
            walked: trail.iter().copied().collect(),
        }
    }

    /// What is known of the wall on a side of a cell: whoever has been on either side has seen it.
    fn wall(&self, cell: Cell, side: Side) -> Occupancy {
        let beyond = crate::world::maze::neighbour(cell, side);
        let has_seen = |cell: &Cell| self.walked.contains(cell);
        if !self.maze.contains(beyond) || !self.maze.contains(cell) {
            Occupancy::Blocked
        } else if !has_seen(&cell) && !has_seen(&beyond) {
            Occupancy::Unknown
        } else if self.maze.has_wall(cell, side) {
            Occupancy::Blocked
        } else {
            Occupancy::Free
        }
    }
}

/// Columns and rows that the drawing of a maze takes.
#[must_use]
pub fn size(maze: &Maze) -> (u16, u16) {
    let side = |length: u16| length.saturating_mul(2).saturating_add(1);
    (side(maze.width()), side(maze.height()))
}

/// Where a cell is drawn.
#[must_use]
pub fn place(cell: Cell) -> Cell {
    let place = |at: u16| at.saturating_mul(2).saturating_add(1);
    Cell::new(place(cell.x), place(cell.y))
}

/// A way, with the gaps in the walls that it leads through.
#[must_use]
pub fn trail(cells: &[Cell]) -> Vec<Cell> {
    let mut drawn: Vec<Cell> = cells.first().copied().map(place).into_iter().collect();
    for pair in cells.windows(2) {
        let (from, to) = (place(pair[0]), place(pair[1]));
        drawn.push(Cell::new((from.x + to.x) / 2, (from.y + to.y) / 2));
        drawn.push(to);
    }
    drawn
}

impl Inspect for Drawn<'_> {
    fn fact(&self, at: Cell) -> Occupancy {
        let cell = Cell::new(at.x / 2, at.y / 2);
        match (at.x % 2, at.y % 2) {
            (1, 1) => match self.walked.contains(&cell) {
                true => self.planner.fact(cell),
                false => Occupancy::Unknown,
            },
            (1, 0) if cell.y == 0 => Occupancy::Blocked,
            (0, 1) if cell.x == 0 => Occupancy::Blocked,
            (1, 0) => self.wall(cell, Side::North),
            (0, 1) => self.wall(cell, Side::West),
            // A post is part of the walls that meet there.
            _ => {
                let beside = SIDES.map(|side| crate::world::maze::neighbour(at, side));
                let (width, height) = size(self.maze);
                let inside = beside
                    .into_iter()
                    .filter(|at| at.x < width && at.y < height);
                match inside
                    .map(|at| self.fact(at))
                    .any(|fact| fact == Occupancy::Blocked)
                {
                    true => Occupancy::Blocked,
                    false => Occupancy::Unknown,
                }
            }
        }
    }

    fn is_expanded(&self, at: Cell) -> bool {
        let is_cell = at.x % 2 == 1 && at.y % 2 == 1;
        is_cell && self.planner.is_expanded(Cell::new(at.x / 2, at.y / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        view::{Scene, text},
        world::micromouse::parse_text,
    };

    /// Knows nothing and has searched one cell.
    struct Blank;

    impl Inspect for Blank {
        fn fact(&self, _: Cell) -> Occupancy {
            Occupancy::Free
        }

        fn is_expanded(&self, cell: Cell) -> bool {
            cell == Cell::new(1, 1)
        }
    }

    #[test]
    fn walls_are_drawn_once_a_robot_has_been_beside_them() {
        let maze = "o---o---o\n|     G |\no   o   o\n| S |   |\no---o---o\n";
        let maze = parse_text(maze).unwrap();
        let way = [Cell::new(0, 1), Cell::new(0, 0)];
        let walked = trail(&way).into_iter().collect();
        let scene = Scene {
            planner: &Drawn::new(&Blank, &maze, &way),
            size: size(&maze),
            start: place(maze.start),
            goal: place(maze.goals[0]),
            robot: place(way[1]),
            walked: &walked,
        };
        let picture = text::draw(&scene).unwrap();
        let rows: Vec<&str> = picture.lines().take(5).collect();
        assert_eq!(rows, ["#####", "#@.G#", "#o# #", "#S# #", "#####"]);
    }
}
