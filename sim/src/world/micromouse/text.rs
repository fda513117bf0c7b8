//! Mazes drawn with posts and walls.

use std::fmt::Write;

use planner_core::{Cell, Side};

use super::MazeProblem;
use crate::world::{AtLine, Maze, line::excerpt};

/// Characters from one post of a row to the next.
const PITCH: usize = 4;

/// Returns whether a text begins as a drawn maze does.
#[must_use]
pub fn is_text(text: &str) -> bool {
    ["o-", "o ", "+-", "+ "]
        .iter()
        .any(|start| text.starts_with(start))
}

/// Reads a drawn maze.
///
/// # Errors
/// It is not one, or has no start or no goal.
pub fn parse(text: &str) -> Result<Maze, AtLine<MazeProblem>> {
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    let first = lines.first().map_or(0, |line| line.chars().count());
    let at = |line: usize, problem| AtLine::new(line + 1, problem);
    if first < PITCH + 1 || first % PITCH != 1 {
        return Err(at(0, MazeProblem::Length { length: first }));
    }
    if lines.len() % 2 != 1 || lines.len() < 3 {
        let lines = lines.len();
        return Err(at(lines.saturating_sub(1), MazeProblem::Lines { lines }));
    }
    let (width, height) = (first / PITCH, lines.len() / 2);
    let mut maze = Maze::open(width, height).map_err(|size| at(0, size.into()))?;
    let mut start = None;
    maze.goals.clear();
    for (number, line) in lines.iter().enumerate() {
        // What is drawn after the last post of a row of cells may have been trimmed.
        let mut row: Vec<char> = line.chars().collect();
        if row.len() > first {
            let found = row.len();
            let problem = MazeProblem::Uneven {
                found,
                expected: first,
            };
            return Err(at(number, problem));
        }
        row.resize(first, ' ');
        let row = Row { text: &row };
        let is_edge = number == 0 || number + 1 == lines.len();
        for x in 0..width {
            let cell = Cell::new(x as u16, (number / 2) as u16);
            if number % 2 == 0 {
                row.post(x).map_err(|problem| at(number, problem))?;
                let stands = row.wall_above(x).map_err(|problem| at(number, problem))?;
                if is_edge && !stands {
                    return Err(at(
                        number,
                        MazeProblem::Gap {
                            column: x * PITCH + 2,
                        },
                    ));
                }
                maze.set_wall(cell, Side::North, stands);
                continue;
            }
            let stands = row.wall_beside(x).map_err(|problem| at(number, problem))?;
            if x == 0 && !stands {
                return Err(at(number, MazeProblem::Gap { column: 1 }));
            }
            maze.set_wall(cell, Side::West, stands);
            match row.mark(x).map_err(|problem| at(number, problem))? {
                'S' if start.is_some() => return Err(at(number, MazeProblem::SecondStart)),
                'S' => start = Some(cell),
                'G' => maze.goals.push(cell),
                _ => {}
            }
        }
        if number % 2 == 0 {
            row.post(width).map_err(|problem| at(number, problem))?;
        } else if !row
            .wall_beside(width)
            .map_err(|problem| at(number, problem))?
        {
            return Err(at(number, MazeProblem::Gap { column: first }));
        }
    }
    maze.start = start.ok_or_else(|| at(lines.len() - 1, MazeProblem::NoStart))?;
    if maze.goals.is_empty() {
        return Err(at(lines.len() - 1, MazeProblem::NoGoal));
    }
    Ok(maze)
}

/// A line, as long as the first one.
struct Row<'t> {
    text: &'t [char],
}

impl Row<'_> {
    fn unexpected(&self, expected: &'static str, column: usize, length: usize) -> MazeProblem {
        let found: String = self.text.iter().skip(column).take(length).collect();
        MazeProblem::Character {
            expected,
            column: column + 1,
            found: excerpt(&found),
        }
    }

    fn at(&self, column: usize) -> char {
        self.text.get(column).copied().unwrap_or(' ')
    }

    fn post(&self, x: usize) -> Result<(), MazeProblem> {
        match self.at(x * PITCH) {
            'o' | '+' => Ok(()),
            _ => Err(self.unexpected("a post, o", x * PITCH, 1)),
        }
    }

    fn wall_above(&self, x: usize) -> Result<bool, MazeProblem> {
        let column = x * PITCH + 1;
        match [0, 1, 2].map(|offset| self.at(column + offset)) {
            ['-', '-', '-'] => Ok(true),
            [' ', ' ', ' '] => Ok(false),
            _ => Err(self.unexpected("a wall, ---, or a gap of 3", column, 3)),
        }
    }

    fn wall_beside(&self, x: usize) -> Result<bool, MazeProblem> {
        match self.at(x * PITCH) {
            '|' => Ok(true),
            ' ' => Ok(false),
            _ => Err(self.unexpected("a wall, |, or a gap", x * PITCH, 1)),
        }
    }

    fn mark(&self, x: usize) -> Result<char, MazeProblem> {
        let column = x * PITCH + 1;
        match [0, 1, 2].map(|offset| self.at(column + offset)) {
            [' ', mark @ (' ' | 'S' | 'G'), ' '] => Ok(mark),
            _ => Err(self.unexpected("an empty cell, S or G", column, 3)),
        }
    }
}

/// Draws a maze as [`parse`] reads it.
#[must_use]
pub fn draw(maze: &Maze) -> String {
    let mut text = String::new();
    let (width, height) = (maze.width(), maze.height());
    for y in 0..height {
        draw_walls(&mut text, maze, y, Side::North);
        for x in 0..width {
            let cell = Cell::new(x, y);
            text.push(if maze.has_wall(cell, Side::West) {
                '|'
            } else {
                ' '
            });
            let mark = match cell {
                _ if cell == maze.start => 'S',
                _ if maze.goals.contains(&cell) => 'G',
                _ => ' ',
            };
            // Writing to a string cannot fail.
            let _ = write!(text, " {mark} ");
        }
        text.push_str("|\n");
    }
    draw_walls(&mut text, maze, height - 1, Side::South);
    text
}

fn draw_walls(text: &mut String, maze: &Maze, y: u16, side: Side) {
    for x in 0..maze.width() {
        let stands = maze.has_wall(Cell::new(x, y), side);
        text.push_str(if stands { "o---" } else { "o   " });
    }
    text.push_str("o\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "o---o---o\n|     G |\no   o   o\n| S |   |\no---o---o\n";

    #[test]
    fn walls_start_and_goals_are_read() {
        let maze = parse(SMALL).unwrap();
        assert_eq!((maze.width(), maze.height()), (2, 2));
        assert_eq!(
            (maze.start, &maze.goals[..]),
            (Cell::new(0, 1), &[Cell::new(1, 0)][..])
        );
        assert!(maze.has_wall(Cell::new(0, 1), Side::East));
        assert!(!maze.has_wall(Cell::new(0, 0), Side::East));
        assert_eq!(maze.shortest(), Some(2));
    }

    #[test]
    fn a_drawn_maze_is_read_back() {
        assert_eq!(draw(&parse(SMALL).unwrap()), SMALL);
        let odd = SMALL.replace('\n', "\r\n").replace('o', "+") + "\r\n\n";
        assert_eq!(draw(&parse(&odd).unwrap()), SMALL);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (from, to, complaint) in [
            (
                "o   o   o",
                "o   x   o",
                "line 3: expected a post, o in column 5, not \"x\"",
            ),
            (
                "o   o   o",
                "o - o   o",
                "line 3: expected a wall, ---, or a gap of 3 in column 2",
            ),
            (
                "| S |   |",
                "| S !   |",
                "line 4: expected a wall, |, or a gap in column 5, not \"!\"",
            ),
            (
                "| S |   |",
                "| T |   |",
                "line 4: expected an empty cell, S or G in column 2",
            ),
            ("| S |   |", "| S | S |", "line 4: a second start"),
            ("| S |   |", "|   |   |", "no start"),
            (
                "| S |   |",
                "  S |   |",
                "line 4: the outer wall has a gap in column 1",
            ),
            (
                "| S |   |",
                "| S |    ",
                "line 4: the outer wall has a gap in column 9",
            ),
            ("|     G |", "|       |", "no goal"),
            (
                "o---o---o\n|  ",
                "o---o   o\n|  ",
                "line 1: the outer wall has a gap in column 6",
            ),
            (
                "|     G |",
                "|     G | x",
                "line 2: this line has 11 characters, the first has 9",
            ),
            ("\no   o   o", "", "line 4: 4 lines are no maze"),
            (
                "o---o---o\n|  ",
                "o---o--\n|  ",
                "line 1: a line of 7 characters",
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
