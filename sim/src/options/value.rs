//! Parsers of option values.

use std::{fmt, str::FromStr};

use planner_core::{Cell, search::TurnCosts};
use thiserror::Error;

use crate::{catalog::Moves, world::MAX_SIDE};

/// Columns and rows, written `31x21`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// From 1 to [`MAX_SIDE`].
    pub width: u16,
    /// From 1 to [`MAX_SIDE`].
    pub height: u16,
}

/// A text that is not a size.
#[derive(Debug, PartialEq, Eq, Error)]
#[error("a size is columns x rows, like 31x21, each from 1 to {MAX_SIDE}")]
pub struct ParseSizeError;

impl FromStr for Size {
    type Err = ParseSizeError;

    fn from_str(text: &str) -> Result<Self, ParseSizeError> {
        let side = |text: &str| {
            text.parse()
                .ok()
                .filter(|side| (1..=MAX_SIDE).contains(side))
        };
        text.split_once(['x', 'X'])
            .and_then(|(width, height)| side(width).zip(side(height)))
            .map(|(width, height)| Self { width, height })
            .ok_or(ParseSizeError)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// Parses a cell written `3,4`.
pub fn cell(text: &str) -> Result<Cell, &'static str> {
    pair(text)
        .map(|(x, y)| Cell::new(x, y))
        .ok_or("a cell is its column and its row, counted from 0, like 3,4")
}

/// Two numbers with a comma between them.
fn pair<T: FromStr>(text: &str) -> Option<(T, T)> {
    let (first, second) = text.split_once(',')?;
    first.trim().parse().ok().zip(second.trim().parse().ok())
}

/// Parses the number of directions that a robot moves in.
pub fn moves(text: &str) -> Result<Moves, &'static str> {
    match text {
        "4" => Ok(Moves::Four),
        "8" => Ok(Moves::Eight),
        _ => Err("a robot moves in 4 or 8 directions"),
    }
}

/// A number from 0 to `most`.
fn number_to(most: f64, text: &str) -> Option<f64> {
    let number = text.parse().ok();
    number.filter(|number| (0.0..=most).contains(number))
}

/// Parses a probability.
pub fn probability(text: &str) -> Result<f64, &'static str> {
    number_to(1.0, text).ok_or("a density is a number from 0 to 1")
}

/// Parses a mean number of events per tick.
pub fn rate(text: &str) -> Result<f64, &'static str> {
    number_to(1000.0, text).ok_or("a rate is a number from 0 to 1000")
}

/// Parses a speed as a factor of real time.
pub fn factor(text: &str) -> Result<f64, &'static str> {
    let factor = text.parse().map_err(|_| "not a number")?;
    match (0.1..=100.0).contains(&factor) {
        true => Ok(factor),
        false => Err("must be from 0.1 to 100"),
    }
}

/// Parses the costs of a step and of a quarter turn, written `2,3`.
pub fn turn_costs(text: &str) -> Result<TurnCosts, &'static str> {
    pair(text)
        .filter(|&(step, _)| step > 0)
        .map(|(step, turn)| TurnCosts { step, turn })
        .ok_or("write the costs of a step and of a quarter turn, like 2,3; a step must cost at least 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_a_column_and_a_row() {
        assert_eq!(cell("3,4"), Ok(Cell::new(3, 4)));
        assert_eq!(cell("3, 4"), Ok(Cell::new(3, 4)));
        for nonsense in ["", "3", "3,", ",4", "3,4,5", "-1,2", "70000,1", "a,b"] {
            assert!(cell(nonsense).is_err(), "{nonsense}");
        }
    }
}
