//! `.scen`: queries about a map, one per line.
//!
//! ```text
//! version 1
//! 0   maps/dao/arena.map   49   49   1   11   1   12   1
//! ```
//!
//! The version line is optional. The nine fields of a query are bucket, map, width, height,
//! start x and y, goal x and y, and the length of the optimal path. They are separated by tabs
//! or, in a line without any tab, by spaces: only with tabs can the name of the map contain
//! spaces. Blank lines are ignored.

use std::fmt;
use std::str::FromStr;

use planner_core::Cell;
use thiserror::Error;

use super::super::Grid;
use super::super::line::{AtLine, excerpt};

/// A start and a goal on a map, and how far apart they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Queries of similar length share a bucket: the optimal length divided by four.
    pub bucket: u32,
    /// The map's name, as its authors filed it.
    pub map: String,
    /// Columns that the map should have.
    pub width: u16,
    /// Rows that the map should have.
    pub height: u16,
    /// The start cell.
    pub start: Cell,
    /// The goal cell.
    pub goal: Cell,
    /// The length of a shortest path, a straight step being 1 and a diagonal one the square root
    /// of 2, where a diagonal step needs both cells beside it free. Finite, never negative.
    pub optimal: f64,
}

/// A defect of a `.scen` file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScenProblem {
    /// Not a single query.
    #[error("there are no queries")]
    Empty,
    /// Another version than the one known.
    #[error("version {found:?} is not known, only 1")]
    Version {
        /// The beginning of what stands there.
        found: String,
    },
    /// Too few or too many fields.
    #[error("a query has 9 fields, this line has {found}")]
    Fields {
        /// Fields in this line.
        found: usize,
    },
    /// A field that is not the number it should be.
    #[error("{found:?} is not a valid {field}")]
    Number {
        /// Which field.
        field: &'static str,
        /// The beginning of what stands there.
        found: String,
    },
}

/// A query that does not fit its map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum QueryError {
    /// It was written for a map of another size.
    #[error("the query is for a map of {asked_width}x{asked_height}, this one is {width}x{height}")]
    Size {
        /// Columns in the query.
        asked_width: u16,
        /// Rows in the query.
        asked_height: u16,
        /// Columns of the map.
        width: u16,
        /// Rows of the map.
        height: u16,
    },
    /// An end of the path is not on the map.
    #[error("the {end} ({}, {}) is outside the map", cell.x, cell.y)]
    Outside {
        /// Which end.
        end: End,
        /// Its cell in the query.
        cell: Cell,
    },
    /// An end of the path is blocked.
    #[error("the {end} ({}, {}) is blocked", cell.x, cell.y)]
    Blocked {
        /// Which end.
        end: End,
        /// Its cell in the query.
        cell: Cell,
    },
}

/// An end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The start of the query.
    Start,
    /// The goal of the query.
    Goal,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            End::Start => "start",
            End::Goal => "goal",
        })
    }
}

/// Reads a `.scen`; there is at least one query in it.
pub fn parse_scen(text: &str) -> Result<Vec<Query>, AtLine<ScenProblem>> {
    let mut queries = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let parsed = if line == 1 && content.split_whitespace().next() == Some("version") {
            check_version(content)
        } else if content.trim().is_empty() {
            Ok(())
        } else {
            parse_query(content).map(|query| queries.push(query))
        };
        parsed.map_err(|problem| AtLine::new(line, problem))?;
    }
    if queries.is_empty() {
        return Err(AtLine::new(1, ScenProblem::Empty));
    }
    Ok(queries)
}

/// Checks that `query` can be asked about `grid`: the same size, start and goal inside and free.
pub fn check(query: &Query, grid: &Grid) -> Result<(), QueryError> {
    if (query.width, query.height) != (grid.width(), grid.height()) {
        return Err(QueryError::Size {
            asked_width: query.width,
            asked_height: query.height,
            width: grid.width(),
            height: grid.height(),
        });
    }
    for (end, cell) in [(End::Start, query.start), (End::Goal, query.goal)] {
        if !grid.contains(cell) {
            return Err(QueryError::Outside { end, cell });
        }
        if !grid.is_free(cell) {
            return Err(QueryError::Blocked { end, cell });
        }
    }
    Ok(())
}

fn check_version(line: &str) -> Result<(), ScenProblem> {
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    match words[..] {
        ["1" | "1.0"] => Ok(()),
        _ => Err(ScenProblem::Version {
            found: excerpt(&words.join(" ")),
        }),
    }
}

fn parse_query(line: &str) -> Result<Query, ScenProblem> {
    let fields: Vec<&str> = if line.contains('\t') {
        line.split('\t').map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    };
    let [bucket, map, width, height, sx, sy, gx, gy, optimal] = fields[..] else {
        let found = fields.len();
        return Err(ScenProblem::Fields { found });
    };
    Ok(Query {
        bucket: number("bucket", bucket)?,
        map: map.to_owned(),
        width: number("width", width)?,
        height: number("height", height)?,
        start: Cell::new(number("start x", sx)?, number("start y", sy)?),
        goal: Cell::new(number("goal x", gx)?, number("goal y", gy)?),
        optimal: length("optimal length", optimal)?,
    })
}

fn number<T: FromStr>(field: &'static str, text: &str) -> Result<T, ScenProblem> {
    text.parse().map_err(|_| ScenProblem::Number {
        field,
        found: excerpt(text),
    })
}

fn length(field: &'static str, text: &str) -> Result<f64, ScenProblem> {
    let length: f64 = number(field, text)?;
    if length.is_finite() && length >= 0.0 {
        return Ok(length);
    }
    Err(ScenProblem::Number {
        field,
        found: excerpt(text),
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::text;
    use super::*;

    const LINE: &str = "3\tmaps/a room.map\t4\t2\t0\t1\t3\t0\t3.41421";

    fn error(text: &str) -> String {
        parse_scen(text).unwrap_err().to_string()
    }

    fn query() -> Query {
        Query {
            bucket: 3,
            map: "maps/a room.map".into(),
            width: 4,
            height: 2,
            start: Cell::new(0, 1),
            goal: Cell::new(3, 0),
            optimal: 3.41421,
        }
    }

    #[test]
    fn tabs_separate_fields_and_leave_spaces_to_the_name() {
        assert_eq!(parse_scen(LINE).unwrap(), [query()]);
    }

    #[test]
    fn spaces_separate_fields_where_there_is_no_tab() {
        let text = "version 1.0\n 3 room.map 4 2  0 1 3 0 3.41421 \r\n";
        let map = "room.map".into();
        assert_eq!(parse_scen(text).unwrap(), [Query { map, ..query() }]);
    }

    #[test]
    fn the_version_is_optional_and_blank_lines_are_ignored() {
        for text in [
            format!("version 1\n{LINE}\n{LINE}\n"),
            format!("version 1.0\r\n{LINE}\r\n\r\n{LINE}\r\n\r\n"),
            format!("\n{LINE}\n \n{LINE}"),
        ] {
            assert_eq!(parse_scen(&text).unwrap(), [query(), query()], "{text:?}");
        }
    }

    #[test]
    fn another_version_is_refused() {
        assert_eq!(
            error("version 2\n"),
            "line 1: version \"2\" is not known, only 1"
        );
        assert_eq!(
            error("version\n"),
            "line 1: version \"\" is not known, only 1"
        );
    }

    #[test]
    fn a_version_stands_in_the_first_line_or_nowhere() {
        assert_eq!(
            error(&format!("{LINE}\nversion 1\n")),
            "line 2: a query has 9 fields, this line has 2"
        );
    }

    #[test]
    fn no_query_at_all_is_an_error() {
        for text in ["", "\n\n", "version 1\n"] {
            assert_eq!(error(text), "line 1: there are no queries");
        }
    }

    #[test]
    fn fields_are_counted() {
        let short = LINE.rsplit_once('\t').unwrap().0;
        assert_eq!(
            error(&format!("{LINE}\n{short}\n")),
            "line 2: a query has 9 fields, this line has 8"
        );
        assert_eq!(
            error(&format!("{LINE}\t1\n")),
            "line 1: a query has 9 fields, this line has 10"
        );
    }

    #[test]
    fn a_field_that_is_no_number_is_named() {
        let with = |index: usize, value: &str| {
            let mut fields: Vec<&str> = LINE.split('\t').collect();
            fields[index] = value;
            error(&fields.join("\t"))
        };
        assert_eq!(with(0, "x"), "line 1: \"x\" is not a valid bucket");
        assert_eq!(with(2, "65536"), "line 1: \"65536\" is not a valid width");
        assert_eq!(with(3, ""), "line 1: \"\" is not a valid height");
        assert_eq!(with(4, "-1"), "line 1: \"-1\" is not a valid start x");
        assert_eq!(with(7, "1.5"), "line 1: \"1.5\" is not a valid goal y");
        for optimal in ["NaN", "inf", "-1", "1e999", "one"] {
            assert_eq!(
                with(8, optimal),
                format!("line 1: {optimal:?} is not a valid optimal length")
            );
        }
    }

    #[test]
    fn a_query_must_fit_its_map() {
        let grid = text::parse(".#..\n..#.\n").unwrap().grid;
        assert_eq!(check(&query(), &grid), Ok(()));

        let message = |query: Query| check(&query, &grid).unwrap_err().to_string();
        let (width, height) = (5, 2);
        assert_eq!(
            message(Query { width, ..query() }),
            format!("the query is for a map of {width}x{height}, this one is 4x2")
        );
        let start = Cell::new(4, 0);
        assert_eq!(
            message(Query { start, ..query() }),
            "the start (4, 0) is outside the map"
        );
        let goal = Cell::new(2, 1);
        assert_eq!(
            message(Query { goal, ..query() }),
            "the goal (2, 1) is blocked"
        );
    }
}
