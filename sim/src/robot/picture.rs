//! What a desktop knows of the robot's map: all that it was told.

use std::collections::HashMap;

use planner_core::{Cell, Inspect, Side, map::Fact};
use tinystar::report::Frame;

use crate::world::walled::{SIDES, neighbour};

/// The walls that a robot has told of, and where it has been.
///
/// To be drawn, a cell is every other cell of every other row, as
/// [`view::maze`](crate::view::maze) has it.
#[derive(Clone, Debug)]
pub struct Told {
    /// Columns and rows of the map.
    size: (u16, u16),
    /// What was told of the north and the west side of each cell.
    walls: HashMap<(Cell, Side), Fact>,
    /// The cells that the robot said to be at.
    trail: Vec<Cell>,
    goal: Option<Cell>,
}

impl Told {
    /// Nothing was told yet of a map of so many columns and rows.
    #[must_use]
    pub fn new(size: (u16, u16)) -> Self {
        Self {
            size,
            walls: HashMap::new(),
            trail: Vec::new(),
            goal: None,
        }
    }

    /// Takes in what the robot tells.
    pub fn hear(&mut self, frame: &Frame) {
        match frame {
            Frame::Wall(cell, side, fact) => {
                self.walls.insert(edge(*cell, *side), *fact);
            }
            Frame::Forgotten => self.walls.clear(),
            Frame::Goals(goals) => self.goal = goals.first().copied(),
            Frame::State(state) if self.trail.last() != Some(&state.at) => {
                self.trail.push(state.at);
            }
            _ => {}
        }
    }

    /// The cells that the robot said to be at, in turn.
    #[must_use]
    pub fn trail(&self) -> &[Cell] {
        &self.trail
    }

    /// Where it is going.
    #[must_use]
    pub fn goal(&self) -> Option<Cell> {
        self.goal
    }

    fn wall(&self, cell: Cell, side: Side) -> Fact {
        let (width, height) = self.size;
        let is_inside = |cell: Cell| cell.x < width && cell.y < height;
        if !is_inside(cell) || !is_inside(neighbour(cell, side)) {
            return Fact::Blocked;
        }
        let known = self.walls.get(&edge(cell, side));
        known.copied().unwrap_or(Fact::Unknown)
    }
}

/// The one name of a wall.
fn edge(cell: Cell, side: Side) -> (Cell, Side) {
    match side {
        Side::North | Side::West => (cell, side),
        Side::South => (neighbour(cell, side), Side::North),
        Side::East => (neighbour(cell, side), Side::West),
    }
}

impl Inspect for Told {
    fn fact(&self, at: Cell) -> Fact {
        let cell = Cell::new(at.x / 2, at.y / 2);
        match (at.x % 2, at.y % 2) {
            (1, 1) => {
                let is_open = |&side: &Side| self.wall(cell, side) == Fact::Free;
                let been = || self.trail.contains(&cell);
                match SIDES.iter().any(is_open) || been() {
                    true => Fact::Free,
                    false => Fact::Unknown,
                }
            }
            (1, _) => self.wall(cell, Side::North),
            (_, 1) => self.wall(cell, Side::West),
            // A post is part of the walls that meet there.
            _ => {
                let beside: Vec<Fact> = SIDES
                    .map(|side| neighbour(at, side))
                    .into_iter()
                    .filter(|at| at.x <= 2 * self.size.0 && at.y <= 2 * self.size.1)
                    .map(|at| self.fact(at))
                    .collect();
                [Fact::Blocked, Fact::Unknown]
                    .into_iter()
                    .find(|fact| beside.contains(fact))
                    .unwrap_or(Fact::Free)
            }
        }
    }

    fn is_expanded(&self, _: Cell) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(told: &Told) -> String {
        let (width, height) = told.size;
        let row = |y| -> String {
            (0..=2 * width)
                .map(|x| match told.fact(Cell::new(x, y)) {
                    Fact::Blocked => '#',
                    Fact::Free => '.',
                    Fact::Unknown => '?',
                })
                .chain(['\n'])
                .collect()
        };
        (0..=2 * height).map(row).collect()
    }

    #[test]
    fn a_wall_is_drawn_wherever_it_was_told_from() {
        let mut told = Told::new((2, 1));
        assert_eq!(draw(&told), "#####\n#???#\n#####\n");
        told.hear(&Frame::Wall(Cell::new(0, 0), Side::East, Fact::Free));
        assert_eq!(draw(&told), "#####\n#...#\n#####\n");
        told.hear(&Frame::Wall(Cell::new(1, 0), Side::West, Fact::Blocked));
        assert_eq!(draw(&told), "#####\n#?#?#\n#####\n");
        told.hear(&Frame::Forgotten);
        assert_eq!(draw(&told), "#####\n#???#\n#####\n");
    }
}
