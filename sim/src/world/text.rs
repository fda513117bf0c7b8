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

use super::{AtLine, Grid, MarkedGrid, grid::checked_size};

/// Reads a drawn map.
pub fn parse(text: &str) -> Result<MarkedGrid, AtLine> {
    let text = text.trim_end_matches(['\r', '\n']);
    let width = common_width(text)?;
    let mut grid = checked_size(width, text.lines().count())
        .and_then(|(width, height)| Grid::filled(width, height, false))
        .map_err(|error| AtLine::new(1, error))?;
    let (mut start, mut goal) = (None, None);
    for (y, row) in (0..grid.height()).zip(text.lines()) {
        for (x, found) in (0..grid.width()).zip(row.chars()) {
            let cell = Cell::new(x, y);
            match found {
                '.' | ' ' => {}
                '#' => drop(grid.set_blocked(cell, true)),
                'S' | 'A' => mark(&mut start, "start", cell)?,
                'G' | 'T' => mark(&mut goal, "goal", cell)?,
                _ => {
                    let problem = format!(
                        "unexpected character {found:?} in column {}; \
                         a map has `#`, `.`, space, `S`, `A`, `G` and `T`",
                        ordinal(x)
                    );
                    return Err(AtLine::new(ordinal(y), problem));
                }
            }
        }
    }
    Ok(MarkedGrid { grid, start, goal })
}

/// The width that every row of `text` has or, by trailing spaces, exceeds.
fn common_width(text: &str) -> Result<usize, AtLine> {
    let lengths = || (1..).zip(text.lines().map(|row| row.chars().count()));
    let Some((_, first)) = lengths().next() else {
        return Err(AtLine::new(1, "the map is empty"));
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
        Some((line, found)) => {
            let problem = format!("this row has {found} cells, that of line {longest} has {width}");
            Err(AtLine::new(line, problem))
        }
    }
}

fn mark(place: &mut Option<Cell>, what: &str, cell: Cell) -> Result<(), AtLine> {
    let Some(first) = place.replace(cell) else {
        return Ok(());
    };
    let problem = format!(
        "a second {what} in column {}; the first is in line {}, column {}",
        ordinal(cell.x),
        ordinal(first.y),
        ordinal(first.x)
    );
    Err(AtLine::new(ordinal(cell.y), problem))
}

/// People count lines and columns from 1.
fn ordinal(coordinate: u16) -> usize {
    usize::from(coordinate) + 1
}
