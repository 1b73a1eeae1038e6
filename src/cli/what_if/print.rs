//! Answers as tables.

use std::io::{self, Write};

use berth_session::Printable;

use crate::cli::table::{Cell, Table};
use crate::cli::terminal::{Style, Terminal};
use crate::export::what_if::{LISTED, Listing, Told};

/// Writes the sentence, the tables and the notes.
pub fn tables(told: &Told, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let sentence = Printable(&told.sentence).to_string();
    writeln!(out, "{}", terminal.paint(Style::Bold, &sentence))?;
    for listing in &told.tables {
        writeln!(out)?;
        table(listing, terminal, out)?;
    }
    for note in &told.notes {
        writeln!(out, "\n{}", Printable(note))?;
    }
    Ok(())
}

fn table(listing: &Listing, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let headings: Vec<String> = listing
        .headings
        .iter()
        .map(|it| it.to_uppercase())
        .collect();
    let mut table = Table::new(headings.iter().map(String::as_str));
    for row in listing.rows.iter().take(LISTED) {
        let cells = row.iter().zip(&listing.numbers);
        let cells = cells.map(|(text, is_number)| match is_number {
            true => Cell::new(text).right(),
            false => Cell::new(text),
        });
        table.push(cells.collect());
    }
    table.write(terminal, out)?;
    match listing.rest() {
        Some(rest) => writeln!(out, "\n{rest}"),
        None => Ok(()),
    }
}
