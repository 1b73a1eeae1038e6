//! The fixes that would let the Pod schedule.

use std::io::{self, Write};

use crate::cli::table::{Cell, Table, count};
use crate::cli::terminal::{Style, Terminal};
use berth_protocol::fix::Fix;

/// Maximum number of listed fixes; the rest is only counted.
const MAX_FIXES: usize = 8;

/// Writes the fixes, smallest first; nothing if there are none.
pub fn write(fixes: &[Fix], terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    if fixes.is_empty() {
        return Ok(());
    }
    let title = "Smallest fixes (any one of them is enough)";
    writeln!(out, "\n{}", terminal.paint(Style::Bold, title))?;
    let mut table = Table::new(["CHANGE", "THEN", "FEASIBLE"]).indented(2);
    for fix in fixes.iter().take(MAX_FIXES) {
        let nodes = usize::try_from(fix.feasible_count).unwrap_or(usize::MAX);
        table.push(vec![
            Cell::new(fix.remark().to_string()),
            Cell::styled(format!("bound to {}", fix.node), Style::Good),
            Cell::new(count(nodes, "node", "nodes")),
        ]);
    }
    table.write(terminal, out)?;
    if fixes.len() > MAX_FIXES {
        let more = fixes.len() - MAX_FIXES;
        let more = format!("… and {}", count(more, "larger one", "larger ones"));
        writeln!(out, "  {}", terminal.paint(Style::Dim, &more))?;
    }
    Ok(())
}
