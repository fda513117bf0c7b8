//! A table for people: aligned columns of text.

use std::fmt;

/// On which side of its column a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// Rows of cells under a heading, each column as wide as its widest cell.
#[derive(Clone, Debug)]
pub struct Table {
    align: Vec<Align>,
    /// The heading is the first; all are as long as `align`.
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            align: columns.iter().map(|column| column.1).collect(),
            rows: vec![columns.iter().map(|column| column.0.to_owned()).collect()],
        }
    }

    /// On which side of its column each text stands.
    pub fn align(&self) -> &[Align] {
        &self.align
    }

    /// The rows, the heading first.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Adds a row; cells that it lacks are empty.
    pub fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut row: Vec<String> = cells.into_iter().collect();
        row.resize(self.align.len(), String::new());
        self.rows.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.align.len()).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, &width), align) in row.iter().zip(&widths).zip(&self.align) {
                line += &match align {
                    Align::Left => format!("{cell:<width$}  "),
                    Align::Right => format!("{cell:>width$}  "),
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&[("name", Align::Left), ("mean", Align::Right)]);
        table.push(["a".into(), "10 ± 1".into()]);
        table.push(["longer".into(), "2".into()]);
        assert_eq!(
            table.to_string(),
            "name      mean\na       10 ± 1\nlonger       2\n"
        );
    }
}
