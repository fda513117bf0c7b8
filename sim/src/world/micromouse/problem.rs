//! Defects of maze files.

use thiserror::Error;

use crate::world::SizeError;

/// A defect of a maze file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MazeProblem {
    #[error("this line has {found} characters, the first has {expected}")]
    Uneven { found: usize, expected: usize },
    #[error(
        "a line of {length} characters is no row of cells, which are 4 wide with a post at either end"
    )]
    Length { length: usize },
    #[error("{lines} lines are no maze: each cell takes 2, and there is one more")]
    Lines { lines: usize },
    #[error("expected {expected} in column {column}, not {found:?}")]
    Character {
        expected: &'static str,
        column: usize,
        found: String,
    },
    #[error("the outer wall has a gap in column {column}")]
    Gap { column: usize },
    #[error("a second start")]
    SecondStart,
    #[error("the maze has no start: no cell is marked S")]
    NoStart,
    #[error("the maze has no goal: no cell is marked G")]
    NoGoal,
    #[error("a cell has 6 numbers, x y north east south west, not {found:?}")]
    Numbers { found: String },
    #[error("the cell {x} {y} is there twice")]
    Twice { x: usize, y: usize },
    #[error("the cell {x} {y} is missing")]
    Missing { x: usize, y: usize },
    #[error("the cell {x} {y} and the one beside it disagree about the wall between them")]
    Disagree { x: usize, y: usize },
    #[error("the cell {x} {y} has no wall on the edge of the maze")]
    Open { x: usize, y: usize },
    #[error(transparent)]
    Size(#[from] SizeError),
}
