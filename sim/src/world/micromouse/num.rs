//! Mazes as numbers: a line for each cell.

use std::fmt::Write;

use planner_core::{Cell, Side};

use super::MazeProblem;
use crate::world::{AtLine, Maze, line::excerpt};

/// The sides in the order of the file.
const SIDES: [Side; 4] = [Side::North, Side::East, Side::South, Side::West];

/// A cell as a line gives it; the walls are those of [`SIDES`].
struct Entry {
    line: usize,
    x: usize,
    y: usize,
    walls: [bool; 4],
}

/// Returns whether a text begins as a maze in numbers does.
#[must_use]
pub fn is_num(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.split_whitespace().count() == 6
        && first
            .split_whitespace()
            .all(|word| word.bytes().all(|b| b.is_ascii_digit()))
}

/// Reads a maze in numbers; start and goals are where competitions have them.
///
/// # Errors
/// It is not one, or is not closed, or its cells disagree.
pub fn parse(text: &str) -> Result<Maze, AtLine<MazeProblem>> {
    let lines = text
        .lines()
        .enumerate()
        .filter(|line| !line.1.trim().is_empty());
    let entries: Vec<Entry> = lines
        .map(|(line, text)| entry(line + 1, text))
        .collect::<Result<_, _>>()?;
    let last = entries.last().map_or(1, |entry| entry.line);
    let side = |of: fn(&Entry) -> usize| entries.iter().map(of).max().map_or(0, |most| most + 1);
    let (width, height) = (side(|entry| entry.x), side(|entry| entry.y));
    let mut maze = Maze::open(width, height).map_err(|size| AtLine::new(last, size.into()))?;
    if let Some(entry) = entries.iter().find(|_| entries.len() > width * height) {
        return Err(AtLine::new(
            entry.line,
            MazeProblem::Twice {
                x: entry.x,
                y: entry.y,
            },
        ));
    }
    let mut seen = vec![None; width * height];
    for entry in &entries {
        let &Entry { line, x, y, walls } = entry;
        if seen[y * width + x].replace(walls).is_some() {
            return Err(AtLine::new(line, MazeProblem::Twice { x, y }));
        }
    }
    for entry in &entries {
        let &Entry { line, x, y, walls } = entry;
        let cell = Cell::new(x as u16, (height - 1 - y) as u16);
        for (place, side) in SIDES.into_iter().enumerate() {
            let stands = walls[place];
            let beyond = match side {
                Side::North => (y + 1 < height).then(|| (x, y + 1)),
                Side::South => y.checked_sub(1).map(|y| (x, y)),
                Side::East => (x + 1 < width).then(|| (x + 1, y)),
                Side::West => x.checked_sub(1).map(|x| (x, y)),
            };
            let Some((there_x, there_y)) = beyond else {
                if stands {
                    continue;
                }
                return Err(AtLine::new(line, MazeProblem::Open { x, y }));
            };
            match seen[there_y * width + there_x] {
                None => {
                    let missing = MazeProblem::Missing {
                        x: there_x,
                        y: there_y,
                    };
                    return Err(AtLine::new(last, missing));
                }
                Some(there) if there[(place + 2) % 4] != stands => {
                    return Err(AtLine::new(line, MazeProblem::Disagree { x, y }));
                }
                Some(_) => {
                    maze.set_wall(cell, side, stands);
                }
            }
        }
    }
    Ok(maze)
}

fn entry(line: usize, text: &str) -> Result<Entry, AtLine<MazeProblem>> {
    let problem = || {
        let found = excerpt(text);
        AtLine::new(line, MazeProblem::Numbers { found })
    };
    let words = text
        .split_whitespace()
        .map(|word| word.parse::<u16>().map(usize::from));
    let numbers: Vec<usize> = words.collect::<Result<_, _>>().map_err(|_| problem())?;
    let &[x, y, ref walls @ ..] = &numbers[..] else {
        return Err(problem());
    };
    let walls: &[usize; 4] = walls.try_into().map_err(|_| problem())?;
    if walls.iter().any(|&wall| wall > 1) {
        return Err(problem());
    }
    let walls = walls.map(|wall| wall == 1);
    Ok(Entry { line, x, y, walls })
}

/// Writes a maze as [`parse`] reads it, column by column. Start and goals are not part of it.
#[must_use]
pub fn draw(maze: &Maze) -> String {
    let mut text = String::new();
    for x in 0..maze.width() {
        for y in 0..maze.height() {
            let cell = Cell::new(x, maze.height() - 1 - y);
            let [n, e, s, w] = SIDES.map(|side| u8::from(maze.has_wall(cell, side)));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{x} {y} {n} {e} {s} {w}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::text;
    use super::*;

    const SMALL: &str = "0 0 0 1 1 1\n0 1 1 0 0 1\n1 0 0 1 1 1\n1 1 1 1 0 0\n";

    #[test]
    fn numbers_and_drawing_are_the_same_maze() {
        let maze = parse(SMALL).unwrap();
        let drawn = "o---o---o\n| G   G |\no   o   o\n| S | G |\no---o---o\n";
        // The start is one of the four cells around the middle.
        assert_eq!(text::draw(&maze), drawn);
        assert_eq!(draw(&maze), SMALL);
        assert_eq!(draw(&text::parse(drawn).unwrap()), SMALL);
    }

    #[test]
    fn cells_may_come_in_any_order() {
        let mut lines: Vec<&str> = SMALL.lines().collect();
        lines.reverse();
        assert_eq!(parse(&lines.join("\r\n\n")).unwrap(), parse(SMALL).unwrap());
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (from, to, complaint) in [
            ("0 1 1 0 0 1", "0 1 1 0 0", "line 2: a cell has 6 numbers"),
            ("0 1 1 0 0 1", "0 1 1 0 0 2", "line 2: a cell has 6 numbers"),
            (
                "0 1 1 0 0 1",
                "0 1 1 0 0 1 1",
                "line 2: a cell has 6 numbers",
            ),
            ("0 1 1 0 0 1", "0 x 1 0 0 1", "line 2: a cell has 6 numbers"),
            (
                "0 1 1 0 0 1",
                "0 70000 1 0 0 1",
                "line 2: a cell has 6 numbers",
            ),
            (
                "0 1 1 0 0 1",
                "0 0 0 1 1 1",
                "line 2: the cell 0 0 is there twice",
            ),
            ("0 1 1 0 0 1\n", "", "line 3: the cell 0 1 is missing"),
            ("0 1 1 0 0 1", "0 1 1 1 0 1", "disagree about the wall"),
            (
                "0 1 1 0 0 1",
                "0 1 0 0 0 1",
                "line 2: the cell 0 1 has no wall on the edge",
            ),
            (
                "0 1 1 0 0 1",
                "0 1 1 0 0 1\n60000 60000 1 1 1 1",
                "a world cannot be",
            ),
        ] {
            let text = SMALL.replacen(from, to, 1);
            assert_ne!(text, SMALL);
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(complaint), "{error:?}, not {complaint:?}");
        }
        assert!(parse("").is_err());
    }
}
