//! A table for people: aligned columns of text that fit a terminal.

use std::{fmt, iter};

use textwrap::WordSplitter;

/// Columns of a terminal that tables and notes fit.
pub const COLUMNS: usize = 80;
/// Spaces between two columns.
const GAP: usize = 2;
/// Width to which names in the first column may be folded.
const FOLDED: usize = 20;

/// Rows of cells under a heading, each column as wide as its widest cell.
///
/// The first column and those without a heading are aligned to the left, all others to the right. A table that is
/// wider than [`COLUMNS`] folds its headings, then the names in its first column; one that is still wider is printed
/// in parts below each other, each with the first column.
#[derive(Clone, Debug)]
pub struct Table {
    /// The heading is the first; all are equally long.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new<'h>(headings: impl IntoIterator<Item = &'h str>) -> Self {
        let headings = headings.into_iter().map(str::to_owned);
        Self {
            rows: vec![headings.collect()],
        }
    }

    /// Returns whether a column is aligned to the left.
    pub fn is_left(&self, column: usize) -> bool {
        column == 0 || self.rows[0][column].is_empty()
    }

    /// Adds a row; cells that it lacks are empty.
    pub fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut row: Vec<String> = cells.into_iter().collect();
        row.resize(self.rows[0].len(), String::new());
        self.rows.push(row);
    }

    /// The width of a column whose heading is folded or not.
    fn width(&self, column: usize, is_folded: bool) -> usize {
        let heading = &self.rows[0][column];
        let heading = match is_folded {
            true => heading.split_whitespace().map(length).max().unwrap_or(0),
            false => length(heading),
        };
        let cells = self.rows[1..].iter().map(|row| length(&row[column]));
        cells.chain([heading]).max().unwrap_or(0)
    }

    /// Columns with their widths, in parts that fit the terminal.
    fn parts(&self) -> Vec<Vec<(usize, usize)>> {
        let columns = self.rows[0].len();
        let others = |is_folded| {
            let widths = (1..columns).map(move |column| (column, self.width(column, is_folded)));
            widths.collect::<Vec<_>>()
        };
        let total = |others: &[(usize, usize)]| others.iter().map(|other| GAP + other.1).sum();
        let full = self.width(0, false);
        let unfolded = others(false);
        if full + total(&unfolded) <= COLUMNS {
            return vec![iter::once((0, full)).chain(unfolded).collect()];
        }
        let others = others(true);
        let rest: usize = total(&others);
        let least = self.width(0, true).min(FOLDED);
        let first = full.min(COLUMNS.saturating_sub(rest).max(least));
        let mut parts = Vec::new();
        let mut part = vec![(0, first)];
        let mut width = first;
        for other in others {
            if width + GAP + other.1 > COLUMNS && part.len() > 1 {
                parts.push(std::mem::replace(&mut part, vec![(0, first)]));
                width = first;
            }
            width += GAP + other.1;
            part.push(other);
        }
        parts.push(part);
        parts
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, part) in self.parts().into_iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            for (number, row) in self.rows.iter().enumerate() {
                let cells: Vec<Vec<_>> = part
                    .iter()
                    .map(|&(column, width)| textwrap::wrap(&row[column], width.max(1)))
                    .collect();
                let height = cells.iter().map(Vec::len).max().unwrap_or(0);
                for line in 0..height {
                    let mut text = String::new();
                    for (&(column, width), cell) in part.iter().zip(&cells) {
                        // Headings end on the line above the first row; names begin on the line of their values.
                        let above = if number == 0 { height - cell.len() } else { 0 };
                        let cell = line.checked_sub(above).and_then(|line| cell.get(line));
                        let cell = cell.map_or("", |cell| cell);
                        text += &match self.is_left(column) {
                            true => format!("{cell:<width$}  "),
                            false => format!("{cell:>width$}  "),
                        };
                    }
                    writeln!(f, "{}", text.trim_end())?;
                }
            }
        }
        Ok(())
    }
}

/// A sentence folded to fit the terminal.
pub fn sentence(text: &str) -> String {
    textwrap::fill(text, whole_words(COLUMNS))
}

/// A sentence as an item of a list, folded to fit the terminal.
pub fn note(text: &str) -> String {
    let options = whole_words(COLUMNS)
        .initial_indent("- ")
        .subsequent_indent("  ");
    textwrap::fill(text, options)
}

/// Lines of a number of columns, broken only between words.
pub fn whole_words(columns: usize) -> textwrap::Options<'static> {
    textwrap::Options::new(columns).word_splitter(WordSplitter::NoHyphenation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["name", "mean", ""]);
        table.push(["a", "10 ± 1", "ok"].map(str::to_owned));
        table.push(["longer", "2"].map(str::to_owned));
        let text = "name      mean\na       10 ± 1  ok\nlonger       2\n";
        assert_eq!(table.to_string(), text);
    }

    #[test]
    fn long_headings_and_names_are_folded() {
        let heading = "time of the worst step of all";
        let mut table = Table::new(["planner", heading, heading, heading]);
        table.push(["a", "1", "2", "3"].map(str::to_owned));
        let text = table.to_string();
        assert!(text.lines().all(|line| length(line) <= COLUMNS), "{text}");
        assert_eq!(text.lines().last().unwrap().split_whitespace().count(), 4);

        let name =
            "a planner whose name is as long as a sentence, with all its conditions behind it";
        let mut table = Table::new(["", "a", "b"]);
        table.push([name, "1", "2"].map(str::to_owned));
        let text = table.to_string();
        assert!(text.lines().all(|line| length(line) <= COLUMNS), "{text}");
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(name.split(' ').all(|word| words.contains(&word)), "{text}");
    }

    #[test]
    fn a_table_of_many_columns_is_printed_in_parts() {
        let headings: Vec<String> = (0..20).map(|column| format!("column{column}")).collect();
        let mut table = Table::new(iter::once("name").chain(headings.iter().map(String::as_str)));
        table.push(iter::once("first".to_owned()).chain((0..20).map(|cell| cell.to_string())));
        let text = table.to_string();
        assert!(text.lines().all(|line| length(line) <= COLUMNS), "{text}");
        assert!(
            headings.iter().all(|heading| text.contains(heading)),
            "{text}"
        );
        assert_eq!(text.matches("first").count(), text.matches("name").count());
    }

    #[test]
    fn a_note_is_indented() {
        let text = note(&"word ".repeat(40));
        assert!(text.starts_with("- word"));
        assert!(text.lines().skip(1).all(|line| line.starts_with("  word")));
        assert!(text.lines().all(|line| length(line) <= COLUMNS));
    }
}
