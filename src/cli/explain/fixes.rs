//! The fixes that would let the Pod schedule, and the lines of kubectl that make them.

use std::io::{self, Write};

use crate::cli::table::{Cell, Table};
use crate::cli::terminal::{Style, Terminal};
use crate::words;
use crate::words::report as text;
use berth_protocol::fix::Fix;
use berth_session::{Printable, Session, fixes};
use serde::Serialize;

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

/// Maximum number of fixes whose lines are printed.
const MAX_LINES: usize = 3;

/// A fix as data.
#[derive(Serialize)]
pub struct FixReport<'a> {
    kind: &'static str,
    sentence: String,
    /// The node that the Pod would be bound to; empty if it is given up.
    node: &'a str,
    feasible: u32,
    /// Other Pods that get another node by it.
    moves: Vec<&'a str>,
    /// The lines of kubectl that make it in a cluster; empty if kubectl alone cannot.
    pub lines: Vec<String>,
}

/// The fixes of an attempt of this Pod, as data.
pub fn mended<'a>(session: &Session, pod: &str, fixes: &'a [Fix]) -> Vec<FixReport<'a>> {
    let mended = fixes.iter().map(|fix| FixReport {
        kind: fix.what.kind(),
        sentence: words::remark(&fix.remark()),
        node: &fix.node,
        feasible: fix.feasible_count,
        moves: fix.moves.iter().map(|it| it.pod.as_str()).collect(),
        lines: fixes::terminal_lines(session, pod, fix),
    });
    mended.collect()
}

/// Fixes with their lines, as a script that says what each does: the first that have any.
pub fn script(mended: &[FixReport<'_>]) -> Vec<String> {
    let made = mended.iter().filter(|it| !it.lines.is_empty());
    let lines = made.take(MAX_LINES).flat_map(|it| {
        let what = format!("# {}", it.sentence);
        std::iter::once(what).chain(it.lines.iter().cloned())
    });
    lines.map(|line| Printable(&line).to_string()).collect()
}

/// Writes the lines below a heading; nothing if there are none. They are not wrapped: they are to be copied.
pub fn write_lines(
    mended: &[FixReport<'_>],
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let script = script(mended);
    if script.is_empty() {
        return Ok(());
    }
    let title = text::LINES.get();
    writeln!(out, "\n{}", terminal.paint(Style::Bold, title))?;
    script.iter().try_for_each(|line| writeln!(out, "  {line}"))
}
