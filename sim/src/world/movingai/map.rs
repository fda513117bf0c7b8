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

use crate::world::{AtLine, Grid, grid::checked_size, line::excerpt};

/// The line of the first row: the header is always four lines long.
const FIRST_ROW: usize = 5;

/// Reads a `.map`.
pub fn parse_map(text: &str) -> Result<Grid, AtLine> {
    let mut lines = text.lines();
    literal(1, lines.next(), "type octile")?;
    let height = side(2, lines.next(), "height")?;
    let width = side(3, lines.next(), "width")?;
    literal(4, lines.next(), "map")?;
    let (width, height) = checked_size(width, height).map_err(|error| AtLine::new(3, error))?;

    let rows = lines.by_ref().take(height.into()).map(str::trim_end);
    let rows: Vec<&str> = rows.collect();
    check_rows(&rows, width, height)?;
    let mut rest = (FIRST_ROW + rows.len()..).zip(lines);
    if let Some((line, _)) = rest.find(|(_, text)| !text.trim_end().is_empty()) {
        let problem = format!("a row too many: the header says {height}");
        return Err(AtLine::new(line, problem));
    }
    let mut grid = Grid::filled(width, height, false).map_err(|error| AtLine::new(3, error))?;
    for (y, row) in (0..height).zip(rows) {
        for (x, found) in (0..width).zip(row.chars()) {
            let blocked = match found {
                '.' | 'G' | 'S' => false,
                '@' | 'O' | 'T' | 'W' => true,
                _ => {
                    let problem = format!(
                        "unexpected character {found:?} in column {}; \
                         a map has `.`, `G`, `S`, `@`, `O`, `T` and `W`",
                        x + 1
                    );
                    return Err(AtLine::new(FIRST_ROW + usize::from(y), problem));
                }
            };
            grid.set_blocked(Cell::new(x, y), blocked);
        }
    }
    Ok(grid)
}

/// Writes `grid` as a `.map`, with `.` for free and `@` for blocked cells.
pub fn write_map(grid: &Grid) -> String {
    let (width, height) = (grid.width(), grid.height());
    let rows = grid.to_string().replace('#', "@");
    format!("type octile\nheight {height}\nwidth {width}\nmap\n{rows}")
}

/// A header line, if the file does not end before it.
fn header<'t>(line: usize, text: Option<&'t str>, expected: &str) -> Result<&'t str, AtLine> {
    let problem = || format!("the file ends where `{expected}` should stand");
    text.ok_or_else(|| AtLine::new(line, problem()))
}

fn unexpected(line: usize, text: &str, expected: &str) -> AtLine {
    let problem = format!("expected `{expected}`, found {:?}", excerpt(text));
    AtLine::new(line, problem)
}

/// A header line that can only be `expected`.
fn literal(line: usize, text: Option<&str>, expected: &str) -> Result<(), AtLine> {
    let text = header(line, text, expected)?;
    match text.split_whitespace().eq(expected.split_whitespace()) {
        true => Ok(()),
        false => Err(unexpected(line, text, expected)),
    }
}

/// The number in a header line after `expected`.
fn side(line: usize, text: Option<&str>, expected: &str) -> Result<usize, AtLine> {
    let text = header(line, text, expected)?;
    let words = text.trim().split_once(char::is_whitespace);
    let (keyword, number) = words.unwrap_or((text.trim(), ""));
    if keyword != expected {
        return Err(unexpected(line, text, expected));
    }
    let problem = || format!("{:?} is not a number of cells", excerpt(number));
    let number = number.trim_start().parse();
    number.map_err(|_| AtLine::new(line, problem()))
}

/// Compares the rows with the header before the header's size takes any memory.
fn check_rows(rows: &[&str], width: u16, height: u16) -> Result<(), AtLine> {
    for (line, row) in (FIRST_ROW..).zip(rows) {
        let found = row.chars().count();
        if found != usize::from(width) {
            let problem = format!("this row has {found} cells, the header says {width}");
            return Err(AtLine::new(line, problem));
        }
    }
    let found = rows.len();
    if found != usize::from(height) {
        let problem = format!("the file ends after {found} of {height} rows");
        return Err(AtLine::new(FIRST_ROW + found, problem));
    }
    Ok(())
}
