//! The fixes that would let the Pod schedule.

use std::io::{self, Write};

use crate::cli::table::{Cell, Table};
use crate::cli::terminal::{Style, Terminal};
use crate::words;
use crate::words::report as text;
use berth_protocol::fix::Fix;

/// Maximum number of listed fixes; the rest is only counted.
const MAX_FIXES: usize = 8;

/// Writes the fixes by rank; nothing if there are none.
pub fn write(fixes: &[Fix], terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    if fixes.is_empty() {
        return Ok(());
    }
    let title = text::FIXES.get();
    writeln!(out, "\n{}", terminal.paint(Style::Bold, title))?;
    let mut table = Table::new(text::FIX_COLUMNS.map(|column| column.get())).indented(2);
    for fix in fixes.iter().take(MAX_FIXES) {
        let nodes = usize::try_from(fix.feasible_count).unwrap_or(usize::MAX);
        table.push(vec![
            Cell::new(words::remark(&fix.remark())),
            Cell::styled(text::then(fix), Style::Good),
            Cell::new(match nodes {
                0 => String::new(),
                nodes => words::nodes(nodes),
            }),
        ]);
    }
    table.write(terminal, out)?;
    if fixes.len() > MAX_FIXES {
        let more = text::and_more(fixes.len() - MAX_FIXES);
        writeln!(out, "  {}", terminal.paint(Style::Dim, &more))?;
    }
    Ok(())
}
