//! Answers as a table.

use std::io::{self, Write};

use berth_session::Printable;

use crate::cli::table::{Cell, Table};
use crate::cli::terminal::{Style, Terminal};
use crate::export::what_if::{LISTED, Told};

/// Writes the sentence, the table and the notes.
pub fn table(told: &Told, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let sentence = Printable(&told.sentence).to_string();
    writeln!(out, "{}", terminal.paint(Style::Bold, &sentence))?;
    if !told.rows.is_empty() {
        writeln!(out)?;
        let headings: Vec<String> = told.headings.iter().map(|it| it.to_uppercase()).collect();
        let mut table = Table::new(headings.iter().map(String::as_str));
        for row in told.rows.iter().take(LISTED) {
            let cells = row.iter().zip(&told.numbers);
            let cells = cells.map(|(text, is_number)| match is_number {
                true => Cell::new(text).right(),
                false => Cell::new(text),
            });
            table.push(cells.collect());
        }
        table.write(terminal, out)?;
    }
    for note in told.rest() {
        writeln!(out, "\n{}", Printable(&note))?;
    }
    Ok(())
}
