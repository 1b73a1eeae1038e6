//! Why nodes were rejected: one section per reason, with the arithmetic for each node.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::cli::table::{Cell, Table, count, wrap};
use crate::cli::terminal::{Style, Terminal};
use berth_protocol::cycle::{Code, Cycle, Verdict};
use berth_session::Printable;

use super::facts::{self, Field};

/// Maximum number of rows per reason; the rest is only counted. With more nodes, those with equal
/// numbers share a row.
const MAX_ROWS: usize = 20;

/// Nodes that one plugin rejects for the same reasons.
struct Group<'a> {
    plugin: &'a str,
    reasons: &'a [String],
    /// Whether the plugin did not run, because an earlier plugin rejected the nodes.
    is_extra: bool,
    nodes: Vec<(&'a str, Option<Verdict>)>,
}

/// Writes the groups, those that decided before the extra ones.
pub fn write(cycle: &Cycle, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let groups = groups(cycle);
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", terminal.paint(Style::Bold, "Reasons"))?;
    let (extra, deciding): (Vec<_>, Vec<_>) = groups.iter().partition(|group| group.is_extra);
    for group in deciding.into_iter().chain(extra) {
        write_group(group, terminal, out)?;
    }
    Ok(())
}

fn groups(cycle: &Cycle) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for report in &cycle.nodes {
        let Some(verdict) = &report.verdict else {
            continue;
        };
        if verdict.code == Code::Success {
            continue;
        }
        // The verdict includes nominated Pods; the failures do not.
        let alone = report
            .failures
            .iter()
            .find(|failure| failure.plugin == verdict.plugin && failure.reasons == verdict.reasons);
        join(&mut groups, &report.node, verdict, alone, false);
        let others = report
            .failures
            .iter()
            .filter(|failure| failure.plugin != verdict.plugin);
        for failure in others {
            join(&mut groups, &report.node, failure, Some(failure), true);
        }
    }
    groups
}

fn join<'a>(
    groups: &mut Vec<Group<'a>>,
    node: &'a str,
    verdict: &'a Verdict,
    alone: Option<&Verdict>,
    is_extra: bool,
) {
    let against = alone.map(facts::against);
    let same = groups.iter_mut().find(|group| {
        group.plugin == verdict.plugin
            && group.reasons == verdict.reasons
            && group.is_extra == is_extra
    });
    match same {
        Some(group) => group.nodes.push((node, against)),
        None => groups.push(Group {
            plugin: &verdict.plugin,
            reasons: &verdict.reasons,
            is_extra,
            nodes: vec![(node, against)],
        }),
    }
}

fn write_group(group: &Group<'_>, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let nodes = count(group.nodes.len(), "node", "nodes");
    let (verb, style) = if group.is_extra {
        ("would refuse", Style::Warn)
    } else {
        ("refuses", Style::Bad)
    };
    let heading = format!(
        "{} {verb} {nodes}: {}",
        group.plugin,
        group.reasons.join(", ")
    );
    for (number, line) in wrap(&heading, terminal.width - 4).iter().enumerate() {
        let indent = if number == 0 { "  " } else { "    " };
        writeln!(out, "{indent}{}", terminal.paint(style, line))?;
    }
    let rows = rows(group);
    write_rows(rows.get(..MAX_ROWS).unwrap_or(&rows), terminal, out)?;
    if rows.len() > MAX_ROWS {
        let more: usize = rows.iter().skip(MAX_ROWS).map(|row| 1 + row.others).sum();
        let text = format!("… and {more} more; --node NAME shows any of them");
        writeln!(out, "    {}", terminal.paint(Style::Dim, &text))?;
    }
    let mut fields: Vec<Field> = Vec::new();
    let verdicts = group
        .nodes
        .iter()
        .filter_map(|(_, verdict)| verdict.as_ref());
    for field in verdicts.take(MAX_ROWS).flat_map(facts::fields) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    // The Pod's fields, which all nodes share, then those of the nodes.
    fields.sort_by_key(Field::is_of_node);
    for field in fields {
        writeln!(
            out,
            "    {}",
            terminal.paint(Style::Dim, &field.to_string())
        )?;
    }
    Ok(())
}

/// Nodes with the same arithmetic.
struct Row<'a> {
    first: &'a str,
    others: usize,
    lines: Vec<String>,
}

impl Row<'_> {
    fn name(&self) -> String {
        match self.others {
            0 => self.first.to_owned(),
            others => format!("{} +{others} like it", self.first),
        }
    }
}

fn rows<'a>(group: &Group<'a>) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    let mut known: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for (first, verdict) in &group.nodes {
        let lines = match verdict {
            Some(verdict) => facts::arithmetic(verdict),
            None => vec!["counting the Pods nominated to this node".to_owned()],
        };
        if group.nodes.len() > MAX_ROWS {
            let position = *known.entry(lines.clone()).or_insert(rows.len());
            if let Some(row) = rows.get_mut(position) {
                row.others += 1;
                continue;
            }
        }
        rows.push(Row {
            first,
            others: 0,
            lines,
        });
    }
    rows
}

/// Writes the numbers beside the names, or below them if the terminal is too narrow.
fn write_rows(rows: &[Row<'_>], terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let longest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let name = longest(&mut rows.iter().map(|row| row.name().chars().count()));
    let lines = rows.iter().flat_map(|row| &row.lines);
    let line = longest(&mut lines.map(|line| line.chars().count()));
    if 4 + name + 2 + line > terminal.width {
        for row in rows {
            writeln!(out, "    {}", Printable(&row.name()))?;
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
        let mut name = row.name();
        // A node without numbers still gets a row.
        let nothing = row.lines.is_empty().then_some("");
        for line in row.lines.iter().map(String::as_str).chain(nothing) {
            table.push(vec![Cell::new(&name), Cell::new(line)]);
            name.clear();
        }
    }
    table.write(terminal, out)
}
