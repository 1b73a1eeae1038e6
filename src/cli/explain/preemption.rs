//! The candidates of preemption, and the rule that chose among them.

use std::io::{self, Write};

use crate::cli::table::{Cell, Table};
use crate::cli::terminal::{Style, Terminal};
use crate::report::preemption::decided_by;
use crate::words;
use crate::words::report as text;
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
    writeln!(
        out,
        "\n{}",
        terminal.paint(Style::Bold, words::explain::PREEMPTION.get())
    )?;
    let headings = text::CANDIDATE_COLUMNS.map(|column| column.get());
    let mut table = Table::new(headings.into_iter().chain([""])).indented(2);
    for candidate in preemption.candidates.iter().take(MAX_CANDIDATES) {
        let is_chosen = candidate.node == preemption.nominated;
        let mut victims: Vec<&str> = candidate.victims.iter().map(String::as_str).collect();
        let more = victims.len().saturating_sub(MAX_VICTIMS);
        victims.truncate(MAX_VICTIMS);
        let (mark, style) = if is_chosen {
            (text::NOMINATED_HERE.get(), Style::Good)
        } else {
            ("", Style::Plain)
        };
        table.push(vec![
            Cell::styled(&candidate.node, style),
            Cell::new(candidate.pdb_violations.to_string()).right(),
            Cell::new(text::names(&victims, more)),
            Cell::styled(mark, style),
        ]);
    }
    table.write(terminal, out)?;
    if preemption.candidates.len() > MAX_CANDIDATES {
        let more = words::explain::more_candidates(preemption.candidates.len() - MAX_CANDIDATES);
        writeln!(out, "  {}", terminal.paint(Style::Dim, &more))?;
    }
    writeln!(out, "  {}", text::decided_by(&decided_by(preemption)))
}
