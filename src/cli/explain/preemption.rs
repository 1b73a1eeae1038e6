//! The candidates of preemption, and the rule that chose among them.

use std::io::{self, Write};

use crate::cli::table::{Cell, Table, count};
use crate::cli::terminal::{Style, Terminal};
use berth_protocol::cycle::Cycle;

/// Maximum number of victims listed per candidate; the rest is only counted.
const MAX_VICTIMS: usize = 4;

/// Maximum number of listed candidates; the rest is only counted.
const MAX_CANDIDATES: usize = 40;

/// Writes the candidates, if preemption found any.
pub fn write(cycle: &Cycle, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let Some(preemption) = &cycle.preemption else {
        return Ok(());
    };
    writeln!(out, "\n{}", terminal.paint(Style::Bold, "Preemption"))?;
    let mut table = Table::new(["CANDIDATE", "PDB VIOLATIONS", "VICTIMS", ""]).indented(2);
    for candidate in preemption.candidates.iter().take(MAX_CANDIDATES) {
        let is_chosen = candidate.node == preemption.nominated;
        let mut victims: Vec<&str> = candidate.victims.iter().map(String::as_str).collect();
        let more = victims.len().saturating_sub(MAX_VICTIMS);
        victims.truncate(MAX_VICTIMS);
        let mut text = victims.join(", ");
        if more > 0 {
            text.push_str(&format!(" and {more} more"));
        }
        let (mark, style) = if is_chosen {
            ("← nominated", Style::Good)
        } else {
            ("", Style::Plain)
        };
        table.push(vec![
            Cell::styled(&candidate.node, style),
            Cell::new(candidate.pdb_violations.to_string()).right(),
            Cell::new(text),
            Cell::styled(mark, style),
        ]);
    }
    table.write(terminal, out)?;
    if preemption.candidates.len() > MAX_CANDIDATES {
        let more = preemption.candidates.len() - MAX_CANDIDATES;
        let more = format!("… and {} more", count(more, "candidate", "candidates"));
        writeln!(out, "  {}", terminal.paint(Style::Dim, &more))?;
    }
    writeln!(out, "  decided by: {}", preemption.decided_by)
}
