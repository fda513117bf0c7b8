//! `.map`: four header lines, then the rows.
//!
//! ```text
//! type octile
//! height 2
//! width 3
//! map
//! ..@
//! TG.
//! ```
//!
//! `.`, `G` and `S` (shallow water) are passable; `@`, `O`, `T` (trees) and `W` (deep water) are
//! blocked.

use planner_core::Cell;
use thiserror::Error;

use super::super::grid::checked_size;
use super::super::line::{AtLine, excerpt};
use super::super::{Grid, SizeError};

/// The line of the first row: the header is always four lines long.
const FIRST_ROW: usize = 5;

/// A defect of a `.map` file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MapProblem {
    /// The file ends inside its header.
    #[error("the file ends where `{expected}` should stand")]
    HeaderEnds {
        /// The text expected here.
        expected: &'static str,
    },
    /// Another header line than expected.
    #[error("expected `{expected}`, found {found:?}")]
    Header {
        /// The text expected here.
        expected: &'static str,
        /// The beginning of what does.
        found: String,
    },
    /// A side that is not a number.
    #[error("{found:?} is not a number of cells")]
    Number {
        /// The beginning of what stands there.
        found: String,
    },
    /// The size is impossible.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// Too few rows.
    #[error("the file ends after {found} of {height} rows")]
    RowsMissing {
        /// Rows in the file.
        found: usize,
        /// Rows in the header.
        height: u16,
    },
    /// Too many rows.
    #[error("a row too many: the header says {height}")]
    RowTooMany {
        /// Rows in the header.
        height: u16,
    },
    /// A row of another width.
    #[error("this row has {found} cells, the header says {width}")]
    RowWidth {
        /// Cells in this row.
        found: usize,
        /// Cells in the header.
        width: u16,
    },
    /// A character that means nothing.
    #[error(
        "unexpected character {found:?} in column {column}; a map has `.`, `G`, `S`, `@`, `O`, `T` and `W`"
    )]
    Character {
        /// The character.
        found: char,
        /// Counted from 1.
        column: usize,
    },
}

/// Reads a `.map`.
pub fn parse_map(text: &str) -> Result<Grid, AtLine<MapProblem>> {
    let mut lines = text.lines();
    literal(1, lines.next(), "type octile")?;
    let height = side(2, lines.next(), "height")?;
    let width = side(3, lines.next(), "width")?;
    literal(4, lines.next(), "map")?;
    let (width, height) =
        checked_size(width, height).map_err(|error| AtLine::new(3, error.into()))?;

    let rows: Vec<&str> = lines
        .by_ref()
        .take(height.into())
        .map(str::trim_end)
        .collect();
    check_rows(&rows, width, height)?;
    for (line, rest) in (FIRST_ROW + rows.len()..).zip(lines) {
        if !rest.trim_end().is_empty() {
            return Err(AtLine::new(line, MapProblem::RowTooMany { height }));
        }
    }

    let mut grid =
        Grid::filled(width, height, false).map_err(|error| AtLine::new(3, error.into()))?;
    for (y, row) in (0..height).zip(rows) {
        for (x, found) in (0..width).zip(row.chars()) {
            let blocked = is_blocked(found).ok_or_else(|| {
                let column = usize::from(x) + 1;
                AtLine::new(
                    FIRST_ROW + usize::from(y),
                    MapProblem::Character { found, column },
                )
            })?;
            grid.set_blocked(Cell::new(x, y), blocked);
        }
    }
    Ok(grid)
}

/// Writes `grid` as a `.map`, with `.` for free and `@` for blocked cells.
#[must_use]
pub fn write_map(grid: &Grid) -> String {
    let (width, height) = (grid.width(), grid.height());
    let rows = grid.to_string().replace('#', "@");
    format!("type octile\nheight {height}\nwidth {width}\nmap\n{rows}")
}

/// A header line that can only be `expected`.
fn literal(
    line: usize,
    text: Option<&str>,
    expected: &'static str,
) -> Result<(), AtLine<MapProblem>> {
    let text = text.ok_or(AtLine::new(line, MapProblem::HeaderEnds { expected }))?;
    if text.split_whitespace().eq(expected.split_whitespace()) {
        return Ok(());
    }
    let found = excerpt(text);
    Err(AtLine::new(line, MapProblem::Header { expected, found }))
}

/// The number in a header line after `expected`.
fn side(
    line: usize,
    text: Option<&str>,
    expected: &'static str,
) -> Result<usize, AtLine<MapProblem>> {
    let text = text.ok_or(AtLine::new(line, MapProblem::HeaderEnds { expected }))?;
    let (keyword, number) = text
        .trim()
        .split_once(char::is_whitespace)
        .unwrap_or((text.trim(), ""));
    if keyword != expected {
        let found = excerpt(text);
        return Err(AtLine::new(line, MapProblem::Header { expected, found }));
    }
    number.trim_start().parse().map_err(|_| {
        let found = excerpt(number);
        AtLine::new(line, MapProblem::Number { found })
    })
}

/// Compares the rows with the header before the header's size takes any memory.
fn check_rows(rows: &[&str], width: u16, height: u16) -> Result<(), AtLine<MapProblem>> {
    for (line, row) in (FIRST_ROW..).zip(rows) {
        let found = row.chars().count();
        if found != usize::from(width) {
            return Err(AtLine::new(line, MapProblem::RowWidth { found, width }));
        }
    }
    let found = rows.len();
    if found != usize::from(height) {
        let line = FIRST_ROW + found;
        return Err(AtLine::new(line, MapProblem::RowsMissing { found, height }));
    }
    Ok(())
}

fn is_blocked(character: char) -> Option<bool> {
    match character {
        '.' | 'G' | 'S' => Some(false),
        '@' | 'O' | 'T' | 'W' => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "type octile\nheight 2\nwidth 7\nmap\n.GS@OTW\n.......\n";

    fn error(text: &str) -> String {
        parse_map(text).unwrap_err().to_string()
    }

    #[test]
    fn every_terrain_is_free_or_blocked() {
        let grid = parse_map(SMALL).unwrap();
        assert_eq!(grid.to_string(), "...####\n.......\n");
    }

    #[test]
    fn line_ends_of_either_kind_and_blank_last_lines_are_ignored() {
        let grid = parse_map(SMALL).unwrap();
        assert_eq!(parse_map(&SMALL.replace('\n', "\r\n")).unwrap(), grid);
        assert_eq!(parse_map(SMALL.trim_end()).unwrap(), grid);
        assert_eq!(parse_map(&format!("{SMALL}\n \n")).unwrap(), grid);
    }

    #[test]
    fn a_written_map_is_read_back() {
        let grid = parse_map(SMALL).unwrap();
        assert_eq!(parse_map(&write_map(&grid)).unwrap(), grid);
    }

    #[test]
    fn a_wrong_header_is_named() {
        for (text, message) in [
            ("", "line 1: the file ends where `type octile` should stand"),
            (
                "type tile\n",
                "line 1: expected `type octile`, found \"type tile\"",
            ),
            (
                "type octile\nwidth 2\n",
                "line 2: expected `height`, found \"width 2\"",
            ),
            (
                "type octile\nheight -2\n",
                "line 2: \"-2\" is not a number of cells",
            ),
            (
                "type octile\nheight\n",
                "line 2: \"\" is not a number of cells",
            ),
            (
                "type octile\nheight 2\nwidth 7\n",
                "line 4: the file ends where `map` should stand",
            ),
        ] {
            assert_eq!(error(text), message);
        }
    }

    #[test]
    fn rows_and_columns_are_counted() {
        assert_eq!(
            error(&SMALL.replace("height 2", "height 3")),
            "line 7: the file ends after 2 of 3 rows"
        );
        assert_eq!(
            error(&SMALL.replace("height 2", "height 1")),
            "line 6: a row too many: the header says 1"
        );
        assert_eq!(
            error(&SMALL.replace("width 7", "width 6")),
            "line 5: this row has 7 cells, the header says 6"
        );
    }

    #[test]
    fn a_size_that_the_rows_do_not_bear_out_takes_no_memory() {
        assert_eq!(
            error(&SMALL.replace("height 2\nwidth 7", "height 4096\nwidth 65534")),
            "line 5: this row has 7 cells, the header says 65534"
        );
        for sides in ["height 65535\nwidth 7", "height 0\nwidth 7"] {
            let message = error(&SMALL.replace("height 2\nwidth 7", sides));
            assert!(message.starts_with("line 3: a world cannot be 7x"));
        }
        let message = error(&SMALL.replace("width 7", "width 99999999999999999999"));
        assert!(message.starts_with("line 3: \"99999999999999999999\" is not"));
    }

    #[test]
    fn an_unknown_character_is_named_with_its_place() {
        assert!(
            error(&SMALL.replace('W', "é"))
                .starts_with("line 5: unexpected character 'é' in column 7;")
        );
    }
}
