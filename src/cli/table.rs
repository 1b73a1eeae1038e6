//! Aligned text.

use std::io::{self, Write};

use berth_session::Printable;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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
        width(&self.text)
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

/// The columns that a text takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Breaks text at spaces, and before Chinese characters, into lines of at most `columns`; longer words stay whole.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in Printable(text).to_string().split(' ') {
        for (number, piece) in pieces(word).enumerate() {
            let space = if number == 0 && !line.is_empty() {
                " "
            } else {
                ""
            };
            if !line.is_empty() && width(&line) + space.len() + width(piece) > columns {
                lines.push(std::mem::take(&mut line));
            } else {
                line.push_str(space);
            }
            line.push_str(piece);
        }
    }
    lines.push(line);
    lines
}

/// The parts of a word between which a line may break: before each character that is two columns wide, but for
/// punctuation, which stays with what it ends.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let is_wide = |letter: char| letter.width() == Some(2);
    let begins = move |letter: char| is_wide(letter) && letter.is_alphanumeric();
    let mut rest = word;
    std::iter::from_fn(move || {
        let mut letters = rest.char_indices().skip(1);
        let end = letters.find(|(_, letter)| begins(*letter));
        let (piece, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// `1 Pod`, `2 Pods`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    }
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_break_at_spaces_and_between_chinese_characters() {
        assert_eq!(wrap("one two  three", 8), ["one two", "three"]);
        assert_eq!(wrap("a-very-long-word b", 4), ["a-very-long-word", "b"]);
        assert_eq!(wrap("此 Pod 等待，因为", 8), ["此 Pod", "等待，因", "为"]);
    }
}
