//! Aligned text.

use std::io::{self, Write};

use berth_session::Printable;

use super::terminal::{Style, Terminal};

/// Spaces between columns, as in kubectl's output.
const GAP: usize = 3;

/// One field of a table.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    style: Style,
    right: bool,
}

impl Cell {
    /// A cell of untrusted text.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self {
            text: Printable(text.as_ref()).to_string(),
            style: Style::Plain,
            right: false,
        }
    }

    /// A cell of untrusted text in a style.
    pub fn styled(text: impl AsRef<str>, style: Style) -> Self {
        Self {
            style,
            ..Self::new(text)
        }
    }

    /// Aligns the cell to the right.
    pub fn right(self) -> Self {
        Self {
            right: true,
            ..self
        }
    }

    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

/// Rows of cells; each column is as wide as its widest cell.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<Cell>>,
    indent: usize,
    gap: Option<usize>,
}

impl Table {
    /// A table with a heading.
    pub fn new<'a>(headings: impl IntoIterator<Item = &'a str>) -> Self {
        let heading = headings
            .into_iter()
            .map(|text| Cell::styled(text, Style::Bold));
        Self {
            rows: vec![heading.collect()],
            ..Self::default()
        }
    }

    /// Indents the table by this number of columns.
    pub fn indented(self, indent: usize) -> Self {
        Self { indent, ..self }
    }

    /// Sets the number of spaces between columns.
    pub fn gap(self, gap: usize) -> Self {
        Self {
            gap: Some(gap),
            ..self
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = Vec::new();
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                match widths.get_mut(column) {
                    None => widths.push(cell.width()),
                    Some(width) => *width = cell.width().max(*width),
                }
            }
        }
        widths
    }

    /// Writes the table, without trailing spaces.
    pub fn write(&self, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
        let widths = self.widths();
        let gap = self.gap.unwrap_or(GAP);
        let mut line = String::new();
        for row in &self.rows {
            line.clear();
            let mut pending = self.indent;
            for (cell, &width) in row.iter().zip(&widths) {
                let padding = width.saturating_sub(cell.width());
                let (before, after) = if cell.right {
                    (padding, 0)
                } else {
                    (0, padding)
                };
                if !cell.text.is_empty() {
                    line.extend(std::iter::repeat_n(' ', pending + before));
                    line.push_str(&terminal.paint(cell.style, &cell.text));
                    pending = after + gap;
                } else {
                    pending += padding + gap;
                }
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// Breaks text at spaces into lines of at most `width` columns; longer words stay whole.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in Printable(text).to_string().split(' ') {
        let joined = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && joined > width {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// `1 Pod`, `2 Pods`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    }
}
