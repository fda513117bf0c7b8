//! The four sides of a cell.

use crate::Cell;

/// A side of a cell, and the direction of the move across it.
///
/// ```
/// use planner_core::{Cell, Side};
///
/// assert_eq!(Side::North.right(), Side::East);
/// assert_eq!(Side::North.opposite(), Side::South);
/// assert_eq!(Cell::new(3, 4).neighbor(Side::North), Some(Cell::new(3, 3)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Side {
    /// Towards larger `y`.
    South,
    /// Towards smaller `x`.
    West,
    /// Towards smaller `y`.
    North,
    /// Towards larger `x`.
    East,
}

impl Side {
    /// All sides, clockwise, in the order of their discriminants.
    pub const ALL: [Self; 4] = [Self::South, Self::West, Self::North, Self::East];

    /// The side after so many quarter turns clockwise.
    #[must_use]
    pub const fn turned(self, quarters: usize) -> Self {
        Self::ALL[(self as usize + quarters) & 3]
    }

    /// The side to the right of a robot that faces this one.
    #[must_use]
    pub const fn right(self) -> Self {
        self.turned(1)
    }

    /// The side behind a robot that faces this one.
    #[must_use]
    pub const fn opposite(self) -> Self {
        self.turned(2)
    }

    /// The side to the left of a robot that faces this one.
    #[must_use]
    pub const fn left(self) -> Self {
        self.turned(3)
    }

    /// The side of `from` that a move to the adjacent cell `to` crosses; `None` if they are not adjacent.
    #[must_use]
    pub fn between(from: Cell, to: Cell) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|&side| from.neighbor(side) == Some(to))
    }
}

impl Cell {
    /// The adjacent cell across a side; `None` beyond the north and west edges and the largest coordinates.
    #[must_use]
    pub const fn neighbor(self, side: Side) -> Option<Self> {
        let (x, y) = match side {
            Side::South => (Some(self.x), self.y.checked_add(1)),
            Side::West => (self.x.checked_sub(1), Some(self.y)),
            Side::North => (Some(self.x), self.y.checked_sub(1)),
            Side::East => (self.x.checked_add(1), Some(self.y)),
        };
        match (x, y) {
            (Some(x), Some(y)) => Some(Self { x, y }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_turned_four_times_is_the_same() {
        for side in Side::ALL {
            assert_eq!(side.turned(4), side);
            assert_eq!(side.left().right(), side);
            assert_eq!(side.right().right(), side.opposite());
        }
    }

    #[test]
    fn neighbors_face_each_other() {
        let cell = Cell::new(5, 5);
        for side in Side::ALL {
            let beyond = cell.neighbor(side).unwrap();
            assert_eq!(beyond.neighbor(side.opposite()), Some(cell));
            assert_eq!(Side::between(cell, beyond), Some(side));
        }
        assert_eq!(Side::between(cell, Cell::new(6, 6)), None);
        assert_eq!(Cell::new(0, 0).neighbor(Side::West), None);
        assert_eq!(Cell::new(u16::MAX, 0).neighbor(Side::East), None);
    }
}
