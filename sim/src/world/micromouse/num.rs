//! Mazes as numbers: a line for each cell.

use std::{collections::HashMap, fmt::Write};

use planner_core::{Cell, Side};

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
pub fn is_num(text: &str) -> bool {
    let words = || text.lines().next().unwrap_or_default().split_whitespace();
    words().count() == 6 && words().all(|word| word.bytes().all(|b| b.is_ascii_digit()))
}

/// Reads a maze in numbers; start and goals are where competitions have them.
pub fn parse(text: &str) -> Result<Maze, AtLine> {
    let lines = (1..).zip(text.lines());
    let entries: Vec<Entry> = lines
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(line, text)| entry(line, text))
        .collect::<Result<_, _>>()?;
    let last = entries.last().map_or(1, |entry| entry.line);
    let side = |of: fn(&Entry) -> usize| entries.iter().map(of).max().map_or(0, |most| most + 1);
    let (width, height) = (side(|entry| entry.x), side(|entry| entry.y));
    let mut maze = Maze::open(width, height).map_err(|size| AtLine::new(last, size))?;
    let mut seen = HashMap::new();
    for &Entry { line, x, y, walls } in &entries {
        if seen.insert((x, y), walls).is_some() {
            return Err(AtLine::new(
                line,
                format!("the cell {x} {y} is there twice"),
            ));
        }
    }
    for &Entry { line, x, y, walls } in &entries {
        let cell = Cell::new(x as u16, (height - 1 - y) as u16);
        for (place, side) in SIDES.into_iter().enumerate() {
            let stands = walls[place];
            let Some(beyond) = cell.neighbor(side).filter(|&cell| maze.contains(cell)) else {
                if stands {
                    continue;
                }
                let problem = format!("the cell {x} {y} has no wall on the edge of the maze");
                return Err(AtLine::new(line, problem));
            };
            let there = (usize::from(beyond.x), height - 1 - usize::from(beyond.y));
            let Some(other) = seen.get(&there) else {
                let problem = format!("the cell {} {} is missing", there.0, there.1);
                return Err(AtLine::new(last, problem));
            };
            if other[(place + 2) % 4] != stands {
                let problem = format!(
                    "the cell {x} {y} and the one beside it disagree about the wall between them"
                );
                return Err(AtLine::new(line, problem));
            }
            maze.set_wall(cell, side, stands);
        }
    }
    Ok(maze)
}

fn entry(line: usize, text: &str) -> Result<Entry, AtLine> {
    let words = text.split_whitespace().map(str::parse::<u16>);
    match words.collect::<Result<Vec<_>, _>>().as_deref() {
        Ok(&[x, y, ref walls @ ..]) if walls.len() == 4 && walls.iter().all(|&wall| wall < 2) => {
            Ok(Entry {
                line,
                x: x.into(),
                y: y.into(),
                walls: [0, 1, 2, 3].map(|place| walls[place] == 1),
            })
        }
        _ => {
            let found = excerpt(text);
            let problem = format!("a cell has 6 numbers, x y north east south west, not {found:?}");
            Err(AtLine::new(line, problem))
        }
    }
}

/// Writes a maze as [`parse`] reads it, column by column. Start and goals are not part of it.
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
