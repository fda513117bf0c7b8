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

use std::str::FromStr;

use planner_core::Cell;
use thiserror::Error;

use crate::world::{AtLine, Grid, line::excerpt};

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
    pub start: Cell,
    pub goal: Cell,
    /// The length of a shortest path, a straight step being 1 and a diagonal one the square root
    /// of 2, where a diagonal step needs both cells beside it free. Finite, never negative.
    pub optimal: f64,
}

/// A query that does not fit its map.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QueryError {
    /// It was written for another map.
    #[error("{0}")]
    Misfit(String),
    /// An end of the path is blocked.
    #[error("{0}")]
    Blocked(String),
}

/// Reads a `.scen`; there is at least one query in it.
pub fn parse_scen(text: &str) -> Result<Vec<Query>, AtLine> {
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
    match queries.is_empty() {
        true => Err(AtLine::new(1, "there are no queries")),
        false => Ok(queries),
    }
}

/// Checks that `query` can be asked about `grid`: the same size, start and goal inside and free.
pub fn check(query: &Query, grid: &Grid) -> Result<(), QueryError> {
    let (width, height) = (grid.width(), grid.height());
    if (query.width, query.height) != (width, height) {
        return Err(QueryError::Misfit(format!(
            "the query is for a map of {}x{}, this one is {width}x{height}",
            query.width, query.height
        )));
    }
    for (end, cell) in [("start", query.start), ("goal", query.goal)] {
        let Cell { x, y } = cell;
        if !grid.contains(cell) {
            let problem = format!("the {end} ({x}, {y}) is outside the map");
            return Err(QueryError::Misfit(problem));
        }
        if !grid.is_free(cell) {
            let problem = format!("the {end} ({x}, {y}) is blocked");
            return Err(QueryError::Blocked(problem));
        }
    }
    Ok(())
}

fn check_version(line: &str) -> Result<(), String> {
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    match words[..] {
        ["1" | "1.0"] => Ok(()),
        _ => {
            let found = excerpt(&words.join(" "));
            Err(format!("version {found:?} is not known, only 1"))
        }
    }
}

fn parse_query(line: &str) -> Result<Query, String> {
    let fields: Vec<&str> = if line.contains('\t') {
        line.split('\t').map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    };
    let [bucket, map, width, height, sx, sy, gx, gy, optimal] = fields[..] else {
        let found = fields.len();
        return Err(format!("a query has 9 fields, this line has {found}"));
    };
    Ok(Query {
        bucket: number("bucket", bucket)?,
        map: map.to_owned(),
        width: number("width", width)?,
        height: number("height", height)?,
        start: Cell::new(number("start x", sx)?, number("start y", sy)?),
        goal: Cell::new(number("goal x", gx)?, number("goal y", gy)?),
        optimal: number_if("optimal length", optimal, |length: &f64| {
            length.is_finite() && *length >= 0.0
        })?,
    })
}

fn number<T: FromStr>(field: &str, text: &str) -> Result<T, String> {
    number_if(field, text, |_| true)
}

fn number_if<T: FromStr>(
    field: &str,
    text: &str,
    is_valid: impl Fn(&T) -> bool,
) -> Result<T, String> {
    let number = text.parse().ok().filter(is_valid);
    number.ok_or_else(|| format!("{:?} is not a valid {field}", excerpt(text)))
}
