//! Rows below headers, each column as wide as its widest cell so far.

use super::tabwriter::TABLE_PADDING;

/// Minimum width of a column, including padding.
const MIN_WIDTH: usize = 6;

/// Prints rows in several batches under the same columns. Like kubectl's writer, it remembers the column widths. The
/// last cell of a row is not padded.
#[derive(Default)]
pub(crate) struct Rows {
    widths: Vec<usize>,
}

impl Rows {
    /// The rows as lines.
    pub(crate) fn print(&mut self, rows: &[Vec<String>]) -> String {
        let cells: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.iter().map(|cell| one_line(cell)).collect())
            .collect();
        for row in &cells {
            let padded = row.len().saturating_sub(1);
            self.widths.resize(self.widths.len().max(padded), MIN_WIDTH);
            for (width, cell) in self.widths.iter_mut().zip(row.iter().take(padded)) {
                *width = (*width).max(cell.chars().count() + TABLE_PADDING);
            }
        }
        let mut out = String::new();
        for row in &cells {
            for (column, cell) in row.iter().enumerate() {
                out.push_str(cell);
                if column + 1 < row.len() {
                    let width = self.widths.get(column).copied().unwrap_or(0);
                    let missing = width.saturating_sub(cell.chars().count());
                    out.extend(std::iter::repeat_n(' ', missing));
                }
            }
            out.push('\n');
        }
        out
    }
}

/// A cell's first line, with dots if there are more.
fn one_line(cell: &str) -> String {
    match cell.find(['\n', '\r', '\u{c}']) {
        Some(end) => format!("{}...", cell.get(..end).unwrap_or_default()),
        None => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_remembered_and_only_grow() {
        let row = |cells: [&str; 2]| vec![cells.map(str::to_owned).to_vec()];
        let mut rows = Rows::default();
        assert_eq!(rows.print(&row(["longer name", "x"])), "longer name   x\n");
        assert_eq!(rows.print(&row(["a", "y\nz"])), "a             y...\n");
        assert_eq!(Rows::default().print(&row(["a", "b"])), "a     b\n");
    }
}
