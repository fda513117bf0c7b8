//! Mazes drawn with posts and walls.

use std::fmt::Write;

use planner_core::{Cell, Side};

use crate::world::{AtLine, Maze, line::excerpt};

/// Characters from one post of a row to the next.
const PITCH: usize = 4;

/// Returns whether a text begins as a drawn maze does.
pub fn is_text(text: &str) -> bool {
    ["o-", "o ", "+-", "+ "]
        .iter()
        .any(|start| text.starts_with(start))
}

/// Reads a drawn maze; without a mark `S` the mouse starts in the south-west corner, as in competitions.
pub fn parse(text: &str) -> Result<Maze, AtLine> {
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    let first = lines.first().map_or(0, |line| line.chars().count());
    if first < PITCH + 1 || first % PITCH != 1 {
        let rule = "no row of cells, which are 4 wide with a post at either end";
        let problem = format!("a line of {first} characters is {rule}");
        return Err(AtLine::new(1, problem));
    }
    let last = lines.len();
    if last % 2 != 1 || last < 3 {
        let rule = "each cell takes 2, and there is one more";
        return Err(AtLine::new(
            last,
            format!("{last} lines are no maze: {rule}"),
        ));
    }
    let (width, height) = (first / PITCH, last / 2);
    let mut maze = Maze::open(width, height).map_err(|size| AtLine::new(1, size))?;
    let mut start = None;
    maze.goals.clear();
    for (number, line) in (1..).zip(&lines) {
        let row = Row::new(number, line, first)?;
        let is_edge = number == 1 || number == last;
        for x in 0..=width {
            let cell = Cell::new(x as u16, ((number - 1) / 2) as u16);
            let column = x * PITCH;
            // Rows of walls and rows of cells alternate.
            if number % 2 == 1 {
                row.post(column)?;
                if x < width {
                    let stands = row.wall(column + 1, "---", "a wall, ---, or a gap of 3")?;
                    row.check_closed(column + 1, stands || !is_edge)?;
                    maze.set_wall(cell, Side::North, stands);
                }
                continue;
            }
            let stands = row.wall(column, "|", "a wall, |, or a gap")?;
            row.check_closed(column, stands || (1..width).contains(&x))?;
            maze.set_wall(cell, Side::West, stands);
            if x < width {
                match row.mark(column + 1)? {
                    'S' if start.is_some() => return Err(AtLine::new(number, "a second start")),
                    'S' => start = Some(cell),
                    'G' => maze.goals.push(cell),
                    _ => {}
                }
            }
        }
    }
    maze.is_start_assumed = start.is_none();
    maze.start = start.unwrap_or(maze.start);
    match maze.goals.is_empty() {
        true => Err(AtLine::new(
            last,
            "the maze has no goal: no cell is marked G",
        )),
        false => Ok(maze),
    }
}

/// A line, as long as the first one.
struct Row {
    number: usize,
    text: Vec<char>,
}

impl Row {
    fn new(number: usize, line: &str, length: usize) -> Result<Self, AtLine> {
        let mut text: Vec<char> = line.chars().collect();
        let found = text.len();
        if found > length {
            let problem = format!("this line has {found} characters, the first has {length}");
            return Err(AtLine::new(number, problem));
        }
        // What is drawn after the last post of a row of cells may have been trimmed.
        text.resize(length, ' ');
        Ok(Self { number, text })
    }

    fn at(&self, column: usize, length: usize) -> &[char] {
        self.text.get(column..column + length).unwrap_or_default()
    }

    fn unexpected(&self, expected: &str, column: usize, length: usize) -> AtLine {
        let found = excerpt(&self.at(column, length).iter().collect::<String>());
        let column = column + 1;
        let problem = format!("expected {expected} in column {column}, not {found:?}");
        AtLine::new(self.number, problem)
    }

    fn post(&self, column: usize) -> Result<(), AtLine> {
        match self.at(column, 1) {
            ['o' | '+'] => Ok(()),
            _ => Err(self.unexpected("a post, o", column, 1)),
        }
    }

    /// Returns whether a wall stands at a column.
    fn wall(&self, column: usize, drawn: &str, expected: &str) -> Result<bool, AtLine> {
        let found = self.at(column, drawn.len());
        if found.iter().copied().eq(drawn.chars()) {
            return Ok(true);
        }
        match found.iter().all(|&character| character == ' ') {
            true => Ok(false),
            false => Err(self.unexpected(expected, column, drawn.len())),
        }
    }

    fn check_closed(&self, column: usize, is_closed: bool) -> Result<(), AtLine> {
        let problem = || format!("the outer wall has a gap in column {}", column + 1);
        match is_closed {
            true => Ok(()),
            false => Err(AtLine::new(self.number, problem())),
        }
    }

    fn mark(&self, column: usize) -> Result<char, AtLine> {
        match *self.at(column, 3) {
            [' ', mark @ (' ' | 'S' | 'G'), ' '] => Ok(mark),
            _ => Err(self.unexpected("an empty cell, S or G", column, 3)),
        }
    }
}

/// Draws a maze as [`parse`] reads it.
pub fn draw(maze: &Maze) -> String {
    let mut text = String::new();
    for y in 0..maze.height() {
        draw_walls(&mut text, maze, y, Side::North);
        for x in 0..maze.width() {
            let cell = Cell::new(x, y);
            let wall = if maze.has_wall(cell, Side::West) {
                '|'
            } else {
                ' '
            };
            let mark = match cell {
                _ if cell == maze.start => 'S',
                _ if maze.goals.contains(&cell) => 'G',
                _ => ' ',
            };
            // Writing to a string cannot fail.
            let _ = write!(text, "{wall} {mark} ");
        }
        text.push_str("|\n");
    }
    draw_walls(&mut text, maze, maze.height() - 1, Side::South);
    text
}

fn draw_walls(text: &mut String, maze: &Maze, y: u16, side: Side) {
    for x in 0..maze.width() {
        let stands = maze.has_wall(Cell::new(x, y), side);
        text.push_str(if stands { "o---" } else { "o   " });
    }
    text.push_str("o\n");
}
