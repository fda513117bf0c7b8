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

/// A text that is not a cell.
#[derive(Debug, PartialEq, Eq, Error)]
#[error("a cell is its column and its row, counted from 0, like 3,4")]
pub struct ParseCellError;

/// Parses a cell written `3,4`.
pub fn cell(text: &str) -> Result<Cell, ParseCellError> {
    let number = |text: &str| text.trim().parse().ok();
    text.split_once(',')
        .and_then(|(x, y)| number(x).zip(number(y)))
        .map(|(x, y)| Cell::new(x, y))
        .ok_or(ParseCellError)
}

/// Parses the number of directions that a robot moves in.
pub fn moves(text: &str) -> Result<Moves, &'static str> {
    match text {
        "4" => Ok(Moves::Four),
        "8" => Ok(Moves::Eight),
        _ => Err("a robot moves in 4 or 8 directions"),
    }
}

/// Parses a probability.
pub fn probability(text: &str) -> Result<f64, &'static str> {
    text.parse()
        .ok()
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or("a density is a number from 0 to 1")
}

/// Parses a mean number of events per tick.
pub fn rate(text: &str) -> Result<f64, &'static str> {
    text.parse()
        .ok()
        .filter(|number| (0.0..=1000.0).contains(number))
        .ok_or("a rate is a number from 0 to 1000")
}

/// Parses the costs of a step and of a quarter turn, written `2,3`.
pub fn turn_costs(text: &str) -> Result<TurnCosts, &'static str> {
    let number = |text: &str| text.trim().parse().ok();
    text.split_once(',')
        .and_then(|(step, turn)| number(step).zip(number(turn)))
        .filter(|&(step, _)| step > 0)
        .map(|(step, turn)| TurnCosts { step, turn })
        .ok_or("write the costs of a step and of a quarter turn, like 2,3; a step must cost at least 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_two_sides() {
        let size: Size = "31x21".parse().unwrap();
        assert_eq!((size.width, size.height), (31, 21));
        assert_eq!(size.to_string(), "31x21");
        for nonsense in [
            "", "5", "x", "5x", "0x5", "5x0", "70000x3", "65535x3", "-1x3", "3x3x3", "3 x 3",
        ] {
            assert_eq!(nonsense.parse::<Size>(), Err(ParseSizeError), "{nonsense}");
        }
    }

    #[test]
    fn a_cell_is_a_column_and_a_row() {
        assert_eq!(cell("3,4"), Ok(Cell::new(3, 4)));
        assert_eq!(cell("3, 4"), Ok(Cell::new(3, 4)));
        for nonsense in ["", "3", "3,", ",4", "3,4,5", "-1,2", "70000,1", "a,b"] {
            assert_eq!(cell(nonsense), Err(ParseCellError), "{nonsense}");
        }
    }

    #[test]
    fn a_probability_is_from_0_to_1() {
        assert_eq!(probability("0.25"), Ok(0.25));
        for nonsense in ["2", "-0.1", "NaN", "inf", "", "half"] {
            assert!(probability(nonsense).is_err(), "{nonsense}");
        }
    }
}
