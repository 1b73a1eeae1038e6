//! Why nodes were rejected: one section per reason, with the arithmetic for each node.

use std::io::{self, Write};

use crate::cli::table::{Cell, Table, width, wrap};
use crate::cli::terminal::{Style, Terminal};
use crate::report::reasons::{Group, Row, groups};
use crate::words::report as text;
use berth_protocol::cycle::Cycle;
use berth_session::Printable;

/// Maximum number of rows per reason; the rest is only counted. With more nodes, those with equal
/// numbers share a row.
const MAX_ROWS: usize = 20;

/// Writes the groups, those that decided before the extra ones.
pub fn write(cycle: &Cycle, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let groups = groups(cycle);
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n{}",
        terminal.paint(Style::Bold, text::REASONS.get())
    )?;
    for group in &groups {
        write_group(group, terminal, out)?;
    }
    Ok(())
}

fn write_group(group: &Group<'_>, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let style = match group.is_extra {
        true => Style::Warn,
        false => Style::Bad,
    };
    let heading = text::rejects(
        group.plugin,
        group.nodes.len(),
        group.reasons,
        group.is_extra,
    );
    for (number, line) in wrap(&heading, terminal.width - 4).iter().enumerate() {
        let indent = if number == 0 { "  " } else { "    " };
        writeln!(out, "{indent}{}", terminal.paint(style, line))?;
    }
    let rows = group.rows(MAX_ROWS);
    write_rows(rows.get(..MAX_ROWS).unwrap_or(&rows), terminal, out)?;
    if rows.len() > MAX_ROWS {
        let more: usize = rows.iter().skip(MAX_ROWS).map(|row| 1 + row.others).sum();
        let more = text::more_by_node(more);
        writeln!(out, "    {}", terminal.paint(Style::Dim, &more))?;
    }
    for field in group.fields(MAX_ROWS) {
        let field = field.to_string();
        writeln!(out, "    {}", terminal.paint(Style::Dim, &field))?;
    }
    Ok(())
}

fn name(row: &Row<'_>) -> String {
    match row.others {
        0 => row.first.to_owned(),
        others => text::like_it(row.first, others),
    }
}

/// Writes the numbers beside the names, or below them if the terminal is too narrow.
fn write_rows(rows: &[Row<'_>], terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let names = rows.iter().map(|row| width(&name(row)));
    let lines = rows.iter().flat_map(|row| &row.lines);
    let longest = names.max().unwrap_or(0) + lines.map(|line| width(line)).max().unwrap_or(0);
    if 4 + longest + 2 > terminal.width {
        for row in rows {
            writeln!(out, "    {}", Printable(&name(row)))?;
            for line in row
                .lines
                .iter()
                .flat_map(|line| wrap(line, terminal.width - 6))
            {
                writeln!(out, "      {line}")?;
            }
        }
        return Ok(());
    }
    let mut table = Table::default().indented(4).gap(2);
    for row in rows {
        let mut name = name(row);
        // A node without numbers still gets a row.
        let nothing = row.lines.is_empty().then_some("");
        for line in row.lines.iter().map(String::as_str).chain(nothing) {
            table.push(vec![Cell::new(&name), Cell::new(line)]);
            name.clear();
        }
    }
    table.write(terminal, out)
}
