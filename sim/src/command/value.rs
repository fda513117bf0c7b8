//! How cells and sizes are typed.

use std::{fmt, str::FromStr};

use planner_core::{Cell, search::TurnCosts};
use thiserror::Error;

use crate::world::MAX_SIDE;

/// Columns and rows, typed as `31x21`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// From 1 to [`MAX_SIDE`].
    pub width: u16,
    /// From 1 to [`MAX_SIDE`].
    pub height: u16,
}

/// What is typed is no size.
#[derive(Debug, PartialEq, Eq, Error)]
#[error("a size is columns x rows, like 31x21, each from 1 to {MAX_SIDE}")]
pub struct NoSize;

impl FromStr for Size {
    type Err = NoSize;

    fn from_str(text: &str) -> Result<Self, NoSize> {
        let side = |text: &str| {
            text.parse()
                .ok()
                .filter(|side| (1..=MAX_SIDE).contains(side))
        };
        text.split_once(['x', 'X'])
            .and_then(|(width, height)| side(width).zip(side(height)))
            .map(|(width, height)| Self { width, height })
            .ok_or(NoSize)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// What is typed is no cell.
#[derive(Debug, PartialEq, Eq, Error)]
#[error("a cell is its column and its row, counted from 0, like 3,4")]
pub struct NoCell;

/// Reads a cell typed as `3,4`.
pub fn cell(text: &str) -> Result<Cell, NoCell> {
    let number = |text: &str| text.trim().parse().ok();
    text.split_once(',')
        .and_then(|(x, y)| number(x).zip(number(y)))
        .map(|(x, y)| Cell::new(x, y))
        .ok_or(NoCell)
}

/// Reads a probability.
pub fn probability(text: &str) -> Result<f64, &'static str> {
    text.parse()
        .ok()
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or("a density is a number from 0 to 1")
}

/// Reads how many things happen in a tick, on average.
pub fn rate(text: &str) -> Result<f64, &'static str> {
    text.parse()
        .ok()
        .filter(|number| (0.0..=1000.0).contains(number))
        .ok_or("a rate is a number from 0 to 1000")
}

/// Reads what a step and a quarter turn cost, typed as `2,3`.
pub fn turn_costs(text: &str) -> Result<TurnCosts, &'static str> {
    let number = |text: &str| text.trim().parse().ok();
    text.split_once(',')
        .and_then(|(step, turn)| number(step).zip(number(turn)))
        .filter(|&(step, _)| step > 0)
        .map(|(step, turn)| TurnCosts { step, turn })
        .ok_or("costs are those of a step and of a quarter turn, like 2,3; a step costs something")
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
            assert_eq!(nonsense.parse::<Size>(), Err(NoSize), "{nonsense}");
        }
    }

    #[test]
    fn a_cell_is_a_column_and_a_row() {
        assert_eq!(cell("3,4"), Ok(Cell::new(3, 4)));
        assert_eq!(cell("3, 4"), Ok(Cell::new(3, 4)));
        for nonsense in ["", "3", "3,", ",4", "3,4,5", "-1,2", "70000,1", "a,b"] {
            assert_eq!(cell(nonsense), Err(NoCell), "{nonsense}");
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
