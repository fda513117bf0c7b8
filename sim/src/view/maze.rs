//! A maze drawn with cells: its cells at odd columns and rows, walls and posts between them.

use std::collections::HashSet;

use planner_core::{Cell, Inspect, Side, map::Occupancy};

use crate::world::{Maze, scenario::occupancy};

/// The part of a maze that a robot has seen, in cells of the drawing.
pub struct MazeDrawing<'a> {
    planner: &'a dyn Inspect,
    maze: &'a Maze,
    /// The cells of the maze that the robot has visited.
    walked: HashSet<Cell>,
}

impl<'a> MazeDrawing<'a> {
    /// The maze as a robot knows it that has come along `trail`.
    pub fn new(planner: &'a dyn Inspect, maze: &'a Maze, trail: &[Cell]) -> Self {
        Self {
            planner,
            maze,
            walked: trail.iter().copied().collect(),
        }
    }

    /// The occupancy of the wall on a side of a cell: known to a robot that has been on either side.
    fn wall(&self, cell: Cell, side: Side) -> Occupancy {
        let beyond = cell.neighbor(side).filter(|&cell| self.maze.contains(cell));
        let Some(beyond) = beyond.filter(|_| self.maze.contains(cell)) else {
            return Occupancy::Blocked;
        };
        if self.walked.contains(&cell) || self.walked.contains(&beyond) {
            occupancy(self.maze.has_wall(cell, side))
        } else {
            Occupancy::Unknown
        }
    }
}

/// Columns and rows of the drawing of a maze.
pub fn size(maze: &Maze) -> (u16, u16) {
    let side = |length: u16| length.saturating_mul(2).saturating_add(1);
    (side(maze.width()), side(maze.height()))
}

/// The cell of the drawing that shows a cell of the maze.
pub fn drawn(cell: Cell) -> Cell {
    let drawn = |at: u16| at.saturating_mul(2).saturating_add(1);
    Cell::new(drawn(cell.x), drawn(cell.y))
}

/// Returns whether a cell of the drawing is a wall, or a post at the end of one.
pub fn is_blocked(maze: &Maze, at: Cell) -> bool {
    let cell = Cell::new(at.x / 2, at.y / 2);
    match (at.x % 2, at.y % 2) {
        (1, 1) => false,
        (1, 0) => maze.has_wall(cell, Side::North),
        (0, 1) => maze.has_wall(cell, Side::West),
        _ => walls_at(maze, at).any(|wall| is_blocked(maze, wall)),
    }
}

/// The walls that meet at a post, in cells of the drawing.
fn walls_at(maze: &Maze, post: Cell) -> impl Iterator<Item = Cell> {
    let (width, height) = size(maze);
    let walls = Side::ALL
        .into_iter()
        .filter_map(move |side| post.neighbor(side));
    walls.filter(move |wall| wall.x < width && wall.y < height)
}

/// A trail in cells of the drawing, with the gaps in the walls that it leads through.
pub fn trail(cells: &[Cell]) -> Vec<Cell> {
    let mut path: Vec<Cell> = cells.first().copied().map(drawn).into_iter().collect();
    for pair in cells.windows(2) {
        let (from, to) = (drawn(pair[0]), drawn(pair[1]));
        path.push(Cell::new((from.x + to.x) / 2, (from.y + to.y) / 2));
        path.push(to);
    }
    path
}

impl Inspect for MazeDrawing<'_> {
    fn occupancy(&self, at: Cell) -> Occupancy {
        let cell = Cell::new(at.x / 2, at.y / 2);
        match (at.x % 2, at.y % 2) {
            (1, 1) => match self.walked.contains(&cell) {
                true => self.planner.occupancy(cell),
                false => Occupancy::Unknown,
            },
            (1, 0) if cell.y == 0 => Occupancy::Blocked,
            (0, 1) if cell.x == 0 => Occupancy::Blocked,
            (1, 0) => self.wall(cell, Side::North),
            (0, 1) => self.wall(cell, Side::West),
            _ => {
                let is_blocked = |wall| self.occupancy(wall) == Occupancy::Blocked;
                match walls_at(self.maze, at).any(is_blocked) {
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
        view::{Snapshot, text},
        world::{Scenario, micromouse::parse_text},
    };

    /// Knows nothing and has searched one cell.
    struct Blank;

    impl Inspect for Blank {
        fn occupancy(&self, _: Cell) -> Occupancy {
            Occupancy::Free
        }

        fn is_expanded(&self, cell: Cell) -> bool {
            cell == Cell::new(1, 1)
        }
    }

    #[test]
    fn walls_next_to_visited_cells_are_drawn() {
        let maze = "o---o---o\n|     G |\no   o   o\n| S |   |\no---o---o\n";
        let maze = parse_text(maze).unwrap();
        let trail = [Cell::new(0, 1), Cell::new(0, 0)];
        let scenario = Scenario::in_maze("maze".into(), maze).unwrap();
        let picture = text::draw(&Snapshot::new(&scenario, &Blank, &trail)).unwrap();
        let rows: Vec<&str> = picture.lines().take(5).collect();
        assert_eq!(rows, ["#####", "#@.G#", "#o# #", "#S# #", "#####"]);
        let known = Snapshot::new(&scenario, &Blank, &trail);
        let picture = text::draw(&known.in_world(&scenario.world)).unwrap();
        let rows: Vec<&str> = picture.lines().take(5).collect();
        assert_eq!(rows, ["#####", "#@.G#", "#o#.#", "#S#.#", "#####"]);
    }
}
