//! Maps drawn in plain text.
//!
//! A line is a row: `#` is blocked, `.` and space are free. `S` or `A` marks the start, `G` or
//! `T` the goal, each at most once; both are free cells.
//!
//! Rows are equally long. Spaces count as cells when all lines are equally long with them;
//! otherwise the longest line without its trailing spaces is the width, and spaces beyond it are
//! ignored. Lines may end in CR LF, and empty lines at the end are ignored.

use std::cmp::Reverse;

use planner_core::Cell;
use thiserror::Error;

use super::grid::checked_size;
use super::line::AtLine;
use super::{Grid, MarkedGrid, SizeError};

/// A defect of a drawn map.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextProblem {
    /// Not a single row.
    #[error("the map is empty")]
    Empty,
    /// The size is impossible.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// A row shorter than another.
    #[error("this row has {found} cells, that of line {longest} has {width}")]
    Uneven {
        /// Cells in this row.
        found: usize,
        /// The line of the longest row.
        longest: usize,
        /// Cells in that row.
        width: usize,
    },
    /// A character that means nothing.
    #[error(
        "unexpected character {found:?} in column {column}; a map has `#`, `.`, space, `S`, `A`, `G` and `T`"
    )]
    Character {
        /// The character.
        found: char,
        /// Counted from 1.
        column: usize,
    },
    /// The start or the goal is marked twice.
    #[error(
        "a second {what} in column {column}; the first is in line {first_line}, column {first_column}"
    )]
    Twice {
        /// `start` or `goal`.
        what: &'static str,
        /// Counted from 1.
        column: usize,
        /// Counted from 1.
        first_line: usize,
        /// Counted from 1.
        first_column: usize,
    },
}

/// Reads a drawn map.
pub fn parse(text: &str) -> Result<MarkedGrid, AtLine<TextProblem>> {
    let text = text.trim_end_matches(['\r', '\n']);
    let width = common_width(text)?;
    let mut grid = checked_size(width, text.lines().count())
        .and_then(|(width, height)| Grid::filled(width, height, false))
        .map_err(|error| AtLine::new(1, error.into()))?;
    let mut start = None;
    let mut goal = None;
    for (y, row) in (0..grid.height()).zip(text.lines()) {
        for (x, found) in (0..grid.width()).zip(row.chars()) {
            let cell = Cell::new(x, y);
            let marked = match found {
                '.' | ' ' => Ok(()),
                '#' => {
                    grid.set_blocked(cell, true);
                    Ok(())
                }
                'S' | 'A' => mark(&mut start, "start", cell),
                'G' | 'T' => mark(&mut goal, "goal", cell),
                _ => Err(TextProblem::Character {
                    found,
                    column: ordinal(x),
                }),
            };
            marked.map_err(|problem| AtLine::new(ordinal(y), problem))?;
        }
    }
    Ok(MarkedGrid { grid, start, goal })
}

/// The width that every row of `text` has or, by trailing spaces, exceeds.
fn common_width(text: &str) -> Result<usize, AtLine<TextProblem>> {
    let lengths = || (1..).zip(text.lines().map(|row| row.chars().count()));
    let Some((_, first)) = lengths().next() else {
        return Err(AtLine::new(1, TextProblem::Empty));
    };
    if lengths().all(|(_, length)| length == first) {
        return Ok(first);
    }

    let drawn = text.lines().map(|row| row.trim_end_matches(' '));
    let (longest, width) = (1..)
        .zip(drawn.map(|row| row.chars().count()))
        .max_by_key(|&(line, length)| (length, Reverse(line)))
        .unwrap_or((1, first));
    match lengths().find(|&(_, length)| length < width) {
        None => Ok(width),
        Some((line, found)) => Err(AtLine::new(
            line,
            TextProblem::Uneven {
                found,
                longest,
                width,
            },
        )),
    }
}

fn mark(place: &mut Option<Cell>, what: &'static str, cell: Cell) -> Result<(), TextProblem> {
    match place.replace(cell) {
        None => Ok(()),
        Some(first) => Err(TextProblem::Twice {
            what,
            column: ordinal(cell.x),
            first_line: ordinal(first.y),
            first_column: ordinal(first.x),
        }),
    }
}

/// People count lines and columns from 1.
fn ordinal(coordinate: u16) -> usize {
    usize::from(coordinate) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing(text: &str) -> String {
        parse(text).unwrap().grid.to_string()
    }

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn walls_free_cells_start_and_goal_are_read() {
        let map = parse("S.#\n# G\n").unwrap();
        assert_eq!(map.grid.to_string(), "..#\n#..\n");
        assert_eq!(map.start, Some(Cell::new(0, 0)));
        assert_eq!(map.goal, Some(Cell::new(2, 1)));
        let map = parse("A#T").unwrap();
        assert_eq!(
            (map.start, map.goal),
            (Some(Cell::new(0, 0)), Some(Cell::new(2, 0)))
        );
    }

    #[test]
    fn start_and_goal_are_optional() {
        let map = parse("..\n.#\n").unwrap();
        assert_eq!((map.start, map.goal), (None, None));
    }

    #[test]
    fn line_ends_of_either_kind_and_empty_last_lines_are_ignored() {
        for text in ["#.\n.#", "#.\n.#\n", "#.\r\n.#\r\n", "#.\n.#\n\n\r\n"] {
            assert_eq!(drawing(text), "#.\n.#\n", "{text:?}");
        }
    }

    #[test]
    fn spaces_are_cells_when_all_rows_are_equal_with_them() {
        assert_eq!(drawing("#  \n## \n"), "#..\n##.\n");
        assert_eq!(drawing("  \n"), "..\n");
    }

    #[test]
    fn spaces_beyond_the_width_are_ignored_when_rows_differ() {
        assert_eq!(drawing("#.#  \n# #\n#   \n"), "#.#\n#.#\n#..\n");
    }

    #[test]
    fn a_short_row_is_named_together_with_the_longest() {
        assert_eq!(
            error("...\n..\n...\n"),
            "line 2: this row has 2 cells, that of line 1 has 3"
        );
        assert_eq!(
            error("...\n\n...\n"),
            "line 2: this row has 0 cells, that of line 1 has 3"
        );
    }

    #[test]
    fn an_unknown_character_is_named_with_its_place() {
        assert!(error("..\n.x\n").starts_with("line 2: unexpected character 'x' in column 2;"));
        assert!(error(".\r.\n").starts_with("line 1: unexpected character '\\r' in column 2;"));
    }

    #[test]
    fn a_second_start_or_goal_is_an_error_whatever_its_letter() {
        assert_eq!(
            error("S.\n.A\n"),
            "line 2: a second start in column 2; the first is in line 1, column 1"
        );
        assert!(error("GG").starts_with("line 1: a second goal"));
    }

    #[test]
    fn an_empty_map_is_an_error() {
        for text in ["", "\n", "\r\n\r\n"] {
            assert_eq!(error(text), "line 1: the map is empty");
        }
    }

    #[test]
    fn a_map_too_wide_or_too_high_is_an_error() {
        for text in [".".repeat(65_535), ".\n".repeat(65_535), " \n  ".into()] {
            assert!(error(&text).contains("a world cannot be"));
        }
    }
}
