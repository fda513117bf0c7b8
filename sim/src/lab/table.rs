//! A table for people: aligned columns of text.

use std::fmt;

/// Rows of cells under a heading, each column as wide as its widest cell.
///
/// The first column and those without a heading are aligned to the left, all others to the right.
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
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let cells = self.rows.iter().map(|row| row[column].chars().count());
                let width = cells.max().unwrap_or(0);
                line += &match self.is_left(column) {
                    true => format!("{cell:<width$}  "),
                    false => format!("{cell:>width$}  "),
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
        let mut table = Table::new(["name", "mean", ""]);
        table.push(["a", "10 ± 1", "ok"].map(str::to_owned));
        table.push(["longer", "2"].map(str::to_owned));
        let text = "name      mean\na       10 ± 1  ok\nlonger       2\n";
        assert_eq!(table.to_string(), text);
    }
}
