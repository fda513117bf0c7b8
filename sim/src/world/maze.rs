//! Cells with walls between them: the world of a micromouse.

use planner_core::{Cell, Side};

use super::{SizeError, grid::checked_size};

/// A rectangle of cells, each open or walled on each side, with the places that matter to a mouse.
///
/// The outer walls always stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maze {
    /// From 1 to [`MAX_SIDE`](super::MAX_SIDE).
    width: u16,
    /// From 1 to [`MAX_SIDE`](super::MAX_SIDE).
    height: u16,
    /// For each cell, row by row from the north: is there a wall on its north, on its west side?
    walls: Vec<[bool; 2]>,
    pub start: Cell,
    /// True if the drawing marks no start, which then is the south-west corner.
    pub is_start_assumed: bool,
    /// The goal cells; any of them will do.
    pub goals: Vec<Cell>,
}

impl Maze {
    /// A maze without inner walls, with the start and the goal that competitions have: the south-west
    /// corner, and the cell in the middle or the two or four around it.
    pub fn open(width: usize, height: usize) -> Result<Self, SizeError> {
        let (width, height) = checked_size(width, height)?;
        let middle = |length: u16| (length - 1) / 2..=length / 2;
        let goals = middle(height).flat_map(|y| middle(width).map(move |x| Cell::new(x, y)));
        Ok(Self {
            width,
            height,
            walls: vec![[false; 2]; usize::from(width) * usize::from(height)],
            start: Cell::new(0, height - 1),
            is_start_assumed: false,
            goals: goals.collect(),
        })
    }

    /// The number of columns.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// Returns whether a cell is part of the maze.
    pub fn contains(&self, cell: Cell) -> bool {
        cell.x < self.width && cell.y < self.height
    }

    /// The place of a cell among [`Maze::cells`].
    pub fn index(&self, cell: Cell) -> Option<usize> {
        let index = usize::from(cell.y) * usize::from(self.width) + usize::from(cell.x);
        self.contains(cell).then_some(index)
    }

    /// All cells, row by row from the north, each row from the west.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        super::cells((self.width, self.height))
    }

    /// Returns whether a wall stands on a side of a cell; on all sides of cells outside.
    pub fn has_wall(&self, cell: Cell, side: Side) -> bool {
        self.place(cell, side)
            .is_none_or(|(index, place)| self.walls[index][place])
    }

    /// Adds or removes the wall on a side of a cell; `false` for outer walls, which stay.
    pub fn set_wall(&mut self, cell: Cell, side: Side, stands: bool) -> bool {
        let place = self.place(cell, side);
        if let Some((index, place)) = place {
            self.walls[index][place] = stands;
        }
        place.is_some()
    }

    /// The cell beyond a side, if there is no wall in between.
    pub fn beyond(&self, cell: Cell, side: Side) -> Option<Cell> {
        match self.has_wall(cell, side) {
            true => None,
            false => cell.neighbor(side),
        }
    }

    /// The index of an inner wall, which belongs to the cell south or east of it.
    fn place(&self, cell: Cell, side: Side) -> Option<(usize, usize)> {
        let (here, beyond) = (self.index(cell)?, self.index(cell.neighbor(side)?)?);
        Some(match side {
            Side::North => (here, 0),
            Side::South => (beyond, 0),
            Side::West => (here, 1),
            Side::East => (beyond, 1),
        })
    }

    /// Steps from a cell to each cell, row by row; `None` for those that cannot be reached.
    pub fn distances(&self, from: &[Cell]) -> Vec<Option<u32>> {
        let mut found = vec![None; self.walls.len()];
        let mut frontier = from.to_vec();
        for distance in 0.. {
            let mut is_new = |cell: &Cell| {
                let place = self.index(*cell).map(|index| &mut found[index]);
                place.is_some_and(|place| place.is_none() && place.replace(distance).is_none())
            };
            frontier.retain(|cell| is_new(cell));
            if frontier.is_empty() {
                break;
            }
            let next = |&cell: &Cell| Side::ALL.map(|side| self.beyond(cell, side));
            frontier = frontier.iter().flat_map(next).flatten().collect();
        }
        found
    }

    /// Steps from the start to the nearest goal, if that can be reached.
    pub fn shortest(&self) -> Option<u32> {
        self.distances(&self.goals)[self.index(self.start)?]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_is_seen_from_both_sides() {
        let mut maze = Maze::open(3, 3).unwrap();
        let middle = Cell::new(1, 1);
        for side in Side::ALL {
            let beyond = maze.beyond(middle, side).unwrap();
            maze.set_wall(middle, side, true);
            assert!(maze.has_wall(middle, side));
            assert_eq!(maze.beyond(middle, side), None);
            let back = side.opposite();
            assert!(maze.has_wall(beyond, back));
            maze.set_wall(beyond, back, false);
            assert!(!maze.has_wall(middle, side));
        }
        assert_eq!(maze, Maze::open(3, 3).unwrap());
    }

    #[test]
    fn outer_walls_cannot_be_removed() {
        let mut maze = Maze::open(2, 1).unwrap();
        maze.set_wall(Cell::new(0, 0), Side::West, false);
        maze.set_wall(Cell::new(1, 0), Side::East, false);
        maze.set_wall(Cell::new(9, 9), Side::North, false);
        for side in [Side::North, Side::South, Side::West] {
            assert!(maze.has_wall(Cell::new(0, 0), side));
        }
        assert!(maze.has_wall(Cell::new(1, 0), Side::East));
        assert!(maze.has_wall(Cell::new(9, 9), Side::North));
    }

    #[test]
    fn the_goal_is_the_middle() {
        let goals = |width, height| Maze::open(width, height).unwrap().goals;
        let cell = Cell::new;
        assert_eq!(
            goals(16, 16),
            [cell(7, 7), cell(8, 7), cell(7, 8), cell(8, 8)]
        );
        assert_eq!(goals(3, 3), [cell(1, 1)]);
        assert_eq!(goals(4, 1), [cell(1, 0), cell(2, 0)]);
        assert_eq!(Maze::open(16, 16).unwrap().start, cell(0, 15));
    }

    #[test]
    fn distances_go_around_walls() {
        let mut maze = Maze::open(3, 2).unwrap();
        maze.goals = vec![Cell::new(2, 1)];
        assert_eq!(maze.shortest(), Some(2));
        maze.set_wall(Cell::new(0, 1), Side::East, true);
        assert_eq!(maze.shortest(), Some(4));
        maze.set_wall(Cell::new(0, 0), Side::East, true);
        assert_eq!(maze.shortest(), None);
        let distances = maze.distances(&[Cell::new(0, 0)]);
        assert_eq!(distances, [Some(0), None, None, Some(1), None, None]);
    }
}
