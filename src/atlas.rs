//! The map that the robot has learned: what it knows of every wall.

use core::fmt;

use planner_core::{Cell, Side, map::Occupancy};

use crate::{config::SIDE, mission::Field};

/// Walls of the largest map: the south and the east side of every cell.
const EDGES: usize = 2 * SIDE as usize * SIDE as usize;

/// Memory of an [`Atlas`], before its first use.
pub const MEMORY: [u32; words(EDGES)] = [0; words(EDGES)];

/// Bytes of the largest map when stored: four facts in each.
pub const BYTES: usize = EDGES / 4;

/// What is known of the walls between cells; the outer ones are always there.
///
/// ```
/// use tinystar::{atlas::{self, Atlas}, config::FIELD, planner::{Cell, Side, map::Occupancy}};
///
/// let mut memory = atlas::MEMORY;
/// let mut atlas = Atlas::new(FIELD, &mut memory)?;
/// let (cell, east) = (Cell::new(3, 4), Cell::new(4, 4));
/// assert_eq!(atlas.note(cell, Side::East, Occupancy::Blocked), Some(Occupancy::Unknown));
/// assert_eq!(atlas.wall(east, Side::West), Occupancy::Blocked); // the same wall
/// assert_eq!(atlas.wall(Cell::new(0, 0), Side::North), Occupancy::Blocked);
/// # Ok::<(), tinystar::atlas::BadField>(())
/// ```
#[derive(Debug)]
struct Map<'m>(&'m mut [u32]);

const fn words(facts: usize) -> usize {
    facts.div_ceil(16)
}

impl Map<'_> {
    fn fact(&self, fact: usize) -> Occupancy {
        let word = self.0.get(fact / 16).copied().unwrap_or(u32::MAX);
        match word >> (fact % 16 * 2) & 3 {
            0 => Occupancy::Unknown,
            1 => Occupancy::Free,
            _ => Occupancy::Blocked,
        }
    }

    fn note(&mut self, fact: usize, seen: Occupancy) {
        if let Some(word) = self.0.get_mut(fact / 16) {
            let shift = fact % 16 * 2;
            *word = *word & !(3 << shift) | (seen as u32) << shift;
        }
    }
}

/// What is known of the walls between cells; the outer ones are always there.
#[derive(Debug)]
pub struct Atlas<'m> {
    /// At most [`SIDE`] cells a side.
    field: Field,
    map: Map<'m>,
}

/// The field has no cells, or more than fit, or its home is outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadField;

impl fmt::Display for BadField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a field has 1 to {SIDE} cells a side and its home inside"
        )
    }
}

impl core::error::Error for BadField {}

impl<'m> Atlas<'m> {
    /// Nothing is known yet.
    ///
    /// # Errors
    /// The field is too large, or its home is outside.
    pub fn new(field: Field, memory: &'m mut [u32; words(EDGES)]) -> Result<Self, BadField> {
        let Field {
            width,
            height,
            home,
            ..
        } = field;
        if width > SIDE || height > SIDE || home.x >= width || home.y >= height {
            return Err(BadField);
        }
        let edges = 2 * usize::from(width) * usize::from(height);
        memory.fill(0);
        let map = Map(memory.get_mut(..words(edges)).ok_or(BadField)?);
        Ok(Self { field, map })
    }

    /// The floor it is of.
    #[must_use]
    pub fn field(&self) -> Field {
        self.field
    }

    /// What is known of a wall; outside the field, and around it, there are walls.
    #[must_use]
    pub fn wall(&self, cell: Cell, side: Side) -> Occupancy {
        self.edge(cell, side)
            .map_or(Occupancy::Blocked, |edge| self.map.fact(edge))
    }

    /// Takes in what was seen; what was known before, if that was something else. Outer walls stay.
    pub fn note(&mut self, cell: Cell, side: Side, fact: Occupancy) -> Option<Occupancy> {
        let edge = self.edge(cell, side)?;
        let before = self.map.fact(edge);
        self.map.note(edge, fact);
        (before != fact).then_some(before)
    }

    /// Wall `number`, if there are so many; the outer ones that are the south or the east side of a
    /// cell are counted too.
    #[must_use]
    pub fn nth(&self, number: usize) -> Option<(Cell, Side)> {
        let width = usize::from(self.field.width);
        let (cell, side) = (number / 2, number % 2);
        let (x, y) = (cell % width, cell / width);
        let side = if side == 0 { Side::South } else { Side::East };
        // They fit, being less than the field's sides.
        (number < self.edges()).then_some((Cell::new(x as u16, y as u16), side))
    }

    /// Every wall that may be there or not, once each.
    pub fn walls(&self) -> impl Iterator<Item = (Cell, Side, Occupancy)> {
        (0..self.edges())
            .filter_map(|number| self.nth(number))
            .filter(|&(cell, side)| self.edge(cell, side).is_some())
            .map(|(cell, side)| (cell, side, self.wall(cell, side)))
    }

    /// Bytes of this map when stored.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edges().div_ceil(4)
    }

    /// Whether there is nothing to store; a field has a cell at least.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Byte `index` of the stored form: four facts, the first in the lowest bits.
    #[must_use]
    pub fn byte(&self, index: usize) -> u8 {
        (0..4).fold(0, |byte, place| {
            let fact = self.map.fact(4 * index + place);
            byte | (fact as u8) << (2 * place)
        })
    }

    /// Sets byte `index` of the stored form; `false` if it stands for nothing.
    pub fn set_byte(&mut self, index: usize, byte: u8) -> bool {
        (0..4).all(|place| {
            let fact = match byte >> (2 * place) & 3 {
                0 => Occupancy::Unknown,
                1 => Occupancy::Free,
                2 => Occupancy::Blocked,
                // Facts beyond the last are blocked.
                _ => return false,
            };
            let edge = 4 * index + place;
            if edge < self.edges() {
                self.map.note(edge, fact);
            }
            true
        })
    }

    /// Forgets everything, in time that grows with the field: not while the robot is under way.
    pub fn forget(&mut self) {
        for edge in 0..self.edges() {
            self.map.note(edge, Occupancy::Unknown);
        }
    }

    fn edges(&self) -> usize {
        2 * usize::from(self.field.width) * usize::from(self.field.height)
    }

    /// The number of a wall; none has the field's outer walls, nor what is outside.
    fn edge(&self, cell: Cell, side: Side) -> Option<usize> {
        let Field { width, height, .. } = self.field;
        let (x, y) = match side {
            Side::South | Side::East => (cell.x, cell.y),
            Side::North => (cell.x, cell.y.checked_sub(1)?),
            Side::West => (cell.x.checked_sub(1)?, cell.y),
        };
        let place = match side {
            Side::North | Side::South => 0,
            Side::East | Side::West => 1,
        };
        let last = if place == 0 {
            y + 1 < height
        } else {
            x + 1 < width
        };
        (x < width && y < height && last)
            .then(|| 2 * (usize::from(y) * usize::from(width) + usize::from(x)) + place)
    }
}
